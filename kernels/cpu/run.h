// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/stop.h"
#include "kernels/counters/counters.h"
#include "kernels/cpu/contain/fork_server.h"
#include "kernels/cpu/problem_set.h"
#include "kernels/evaluation.h"

namespace exh::kernels::cpu {

struct CpuRunRequest {
  std::string library;  ///< Shared object with exh_run.
  int threads = 1;      ///< Host threads.
  /// It is a text of ours around a library; when it is correct, Measurement::why says which.
  bool is_yardstick = false;
  double cap_ns = 0;    ///< Stop after the first batch if slower; 0: never.
  double batch_ms = 1;  ///< A batch lasts at least this long (10 for finals).
  int batches = 5;
  double batches_ms = 100;  ///< After that long there are no more of them, but at least two.
  double timeout_s = 30;    ///< Of all that the candidate's process does.
  /// Problems of the set that it must solve after it was timed, in this order; the first of them
  /// `repeats` times more, as far as `repeats_ms` last.
  std::vector<std::size_t> problems_after;
  int repeats = 8;
  double repeats_ms = 1;
  CounterReading* counters = nullptr;  ///< Not null: what is counted of it once it was timed.
};

/// Runs a candidate in a disposable process that `server` forks, checks what it leaves in the
/// arrays of `problems`, and times it on the first of them. A crash, a hang and a wrong result are
/// verdicts; never throws. The caller sees to it that nothing else (a compiler, above all) keeps
/// the cores busy meanwhile. kStopped at most 50 ms after `stop`, which may be null.
Measurement RunCandidate(const CpuRunRequest& request, ProblemSet& problems, ForkServer& server,
                         const StopToken* stop = nullptr);

}  // namespace exh::kernels::cpu

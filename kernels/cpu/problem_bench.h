// SPDX-License-Identifier: MIT
//
// The problems of a subject on this machine's processor, made when they are first needed, and
// candidates on them: what evaluators of kernels and of fused operators have in common.
#pragma once

#include <cstddef>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/stop.h"
#include "kernels/cpu/problem_set.h"
#include "kernels/cpu/run.h"
#include "kernels/evaluation.h"

namespace exh::kernels::cpu {

/// A problem; what its spans point into lives as long as `data`.
struct MadeProblem {
  Problem view;
  std::shared_ptr<const void> data;
};

/// How thoroughly a candidate is looked at.
struct CheckCare {
  bool is_full = false;     ///< For what is going to be called best: on all problems, longer.
  bool only_times = false;  ///< Of what passed all of that before: none but the timed problem.
  bool special = true;      ///< On special values, too, where it is full.
  double repeats_ms = 100;  ///< What its 128 runs one by one may last, where it is full.
};

/// Safe to call from several threads; one candidate is measured at a time.
class ProblemBench {
 public:
  /// Makes one of kCheckedProblems. Nothing: the stop token was stopped meanwhile. Throws Error
  /// when it cannot be made.
  using Make = std::function<std::optional<MadeProblem>(const CheckedProblem&)>;

  /// `server` outlives this, and so does `stop`, which may be null.
  ProblemBench(Make make, ForkServer& server, const StopToken* stop);
  ~ProblemBench();

  /// Waits so many seconds at most until a measurement without full care finds its problems made.
  bool IsReady(double seconds);
  /// RunCandidate() with what `care` asks for. kBroken when problems cannot be made, kStopped when
  /// there was no time for them. Of `request` stand the library, threads, caps and limits of time.
  Measurement Measure(CpuRunRequest request, const CheckCare& care);

 private:
  Measurement MakeProblems(bool all);
  std::size_t NumProblems(bool all) const;

  const Make make_;
  ForkServer& server_;
  const StopToken* const stop_;
  std::mutex mutex_;  ///< Of what follows.
  std::unique_ptr<ProblemSet> problems_;
  bool is_costly_ = false;
  std::future<void> first_problems_;  ///< Made while the first candidates compile.
};

/// Writes the problems for processes of a GPU into a folder, `jobs` at once: their paths, in the
/// order of kCheckedProblems. Where they are costly there are only two: what is said of that, or,
/// where nothing is, whether the first one takes many seconds. Throws Error, and Interrupted when
/// there was no time for them.
std::vector<std::string> WriteProblemFiles(const ProblemBench::Make& make,
                                           const std::string& folder, int jobs,
                                           std::optional<bool> is_costly = std::nullopt);

}  // namespace exh::kernels::cpu

// SPDX-License-Identifier: MIT
//
// What crosses between the process that checks and the one that runs a candidate: packets of a
// socket. First a setup as JSON, answered when the process is contained; then commands, each
// answered once. A candidate lives in the process that answers and may forge any of it: nothing
// here is believed that the side that checks cannot see for itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/cpu/contain/containment.h"
#include "kernels/cpu/contain/shared_arrays.h"

namespace exh::kernels::cpu {

/// Descriptors of the process that runs a candidate, beside the standard ones.
inline constexpr int kChannelFd = 3, kInputsFd = 4, kOutputsFd = 5;

struct RunnerSetup {
  std::uint64_t cookie = 0;
  std::string library;  ///< Shared object with exh_run.
  int threads = 1;      ///< Host threads.
  /// It is a text of ours around a library: its functions beside exh_run are called as well
  /// (kernels/derived/calls/blas_source.h). A candidate has none of these.
  bool is_yardstick = false;
  std::vector<SharedShape> shapes;
  /// By problem: scalars, rounded to their types, as cells (ir::Number::Cell()).
  std::vector<std::vector<std::uint64_t>> scalars;
  ProcessAllowance allowance;
};
std::string ToJson(const RunnerSetup& setup);
/// False: it is no setup.
bool ParseRunnerSetup(const std::string& text, RunnerSetup& setup);

struct RunnerCommand {
  enum Op : std::uint32_t { kLoad, kRun };
  std::uint64_t cookie = 0;  ///< Answered with the same; nobody can answer what was not asked.
  std::uint32_t op = kLoad;
  std::uint32_t problem = 0;  ///< kRun: whose inputs.
  std::uint64_t runs = 0;     ///< kRun: runs on the clock.
};

struct RunnerReply {
  std::uint64_t cookie = 0;
  std::uint64_t containment = 0;  ///< To the setup: ToBits().
  double ns = 0;                  ///< To kRun: of all runs on the clock …
  double end_ns = 0;              ///< … and when the last one ended, on CLOCK_MONOTONIC.
  bool has_before = false;        ///< To kLoad: runs begin with what is not on the clock.
  char which[200] = {};           ///< To kLoad, of a yardstick: what its library calls itself.
  char why[400] = {};             ///< Empty: it worked.
};

}  // namespace exh::kernels::cpu

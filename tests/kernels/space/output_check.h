// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernels/problem.h"

namespace exh::kernels::testing {

/// Runs implementations of a task on inputs of each of these kinds and compares every element with
/// the double-precision reference and its tolerance, and that it was written exactly once.
class OutputCheck {
 public:
  /// The task outlives the check.
  explicit OutputCheck(const Task& task, const std::vector<Inputs>& kinds = {Inputs::kUniform});

  /// An implementation, and its own message; empty where all is well. The arrays are aligned as
  /// their callers promise and no better, elements of outputs are NaN or, where their type has
  /// none, what nobody writes; `written[array][element]` counts, from 0.
  using Run = std::function<std::string(void* const* arrays, const double* scalars,
                                        unsigned char* const* written)>;
  /// The message of the implementation, or what is wrong with its result. Several host threads may
  /// call it at a time.
  std::string Check(const Run& run) const;

 private:
  std::string CheckOn(const ProblemData& problem, const Run& run) const;

  const Task& task_;
  std::vector<ProblemData> problems_;
  std::vector<double> scalars_;  ///< Rounded to their types.
};

}  // namespace exh::kernels::testing

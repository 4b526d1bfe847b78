// SPDX-License-Identifier: MIT
//
// Programs of fused operators, compiled, run in this process and compared with the reference.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/cpu/problem_file.h"
#include "kernels/fused/graph/graph.h"
#include "kernels/fused/run/problem.h"
#include "kernels/fused/schedule/program.h"

namespace exh::kernels::fused::testing {

/// A program for processors, as text.
struct CpuProgram {
  std::string name;
  const Graph* graph = nullptr;
  const OperatorProgram* program = nullptr;
  std::string text;
};

/// Runs something on the arrays of a problem; what went wrong, or empty.
using RunArrays = std::function<std::string(const std::vector<void*>&, const cpu::Problem&)>;

/// The problems of an operator that candidates are checked with; both outlive it.
class AllProblems {
 public:
  AllProblems(const Graph& graph, const OperatorProgram& program);

  /// What `run` leaves in the arrays, against the references; empty: all is right on all of them.
  std::string Compared(const RunArrays& run) const;
  /// By problem.
  const std::vector<std::unique_ptr<OperatorProblem>>& all() const { return problems_; }

 private:
  std::vector<std::unique_ptr<OperatorProblem>> problems_;
};

/// Compiles all of them and runs each: a failure of the test for each that is wrong.
void ExpectRight(const std::vector<CpuProgram>& programs);

}  // namespace exh::kernels::fused::testing

// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/stop.h"
#include "kernels/cpu/problem_bench.h"
#include "kernels/cpu/problem_file.h"
#include "kernels/fused/graph/graph.h"
#include "kernels/fused/reference.h"
#include "kernels/fused/schedule/program.h"

namespace exh::kernels::fused {

/// Of a reference (ReferenceBytes()), where nobody says how much it may take.
inline constexpr std::uint64_t kMostReferenceBytes = std::uint64_t{6} << 30;
/// 0: nobody says it.
inline std::uint64_t MostBytes(std::uint64_t said) {
  return said == 0 ? kMostReferenceBytes : said;
}

/// What programs of an operator are run on and compared with: drawn inputs, and the reference in
/// double precision. Whole numbers are as large as they may be for all results to be numbers, and
/// exact if that is possible; special values stand where it is known what must come of them.
class OperatorProblem {
 public:
  /// Throws TooLarge, before anything is drawn, if the reference takes more than `most_bytes`, and
  /// Interrupted when `stop`, which may be null, is stopped.
  OperatorProblem(const Graph& graph, const OperatorProgram& program, std::uint64_t seed,
                  std::uint64_t most_bytes, const StopToken* stop = nullptr,
                  Inputs inputs = Inputs::kUniform);

  /// The arrays in the order of ArgumentsOf(program); they stay in this object.
  cpu::Problem View() const;

  /// Bytes that any implementation moves: inputs that are read, and outputs, each once.
  std::uint64_t compulsory_bytes() const { return compulsory_bytes_; }

 private:
  struct Argument {
    std::string name;
    ir::Type type = ir::Type::kF32;
    bool is_output = false;
    ArrayData data;
  };
  std::vector<Argument> arguments_;
  std::uint64_t compulsory_bytes_ = 0;
};

/// How an operator's kCheckedProblems are made, for a ProblemBench. Graph and program outlive it,
/// and `stop`, which may be null. `seed`: instead of kTimedSeed, and those of the others with it.
/// `most_bytes`: of each reference.
cpu::ProblemBench::Make ProblemsOf(const Graph& graph, const OperatorProgram& program,
                                   const StopToken* stop, std::uint64_t seed = kTimedSeed,
                                   std::uint64_t most_bytes = kMostReferenceBytes);

/// The same number without drawing anything.
std::uint64_t CompulsoryBytes(const OperatorProgram& program);

}  // namespace exh::kernels::fused

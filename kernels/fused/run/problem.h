// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/cpu/problem_file.h"
#include "kernels/fused/graph/graph.h"
#include "kernels/fused/reference.h"
#include "kernels/fused/schedule/program.h"
#include "kernels/ir/elements.h"

namespace exh::kernels::fused {

/// Seeds of the inputs that a search times programs with, and of others that it checks them with.
inline constexpr std::uint64_t kProblemSeeds[] = {1, 2};
/// Of a reference (ReferenceBytes()), where nobody says how much it may take.
inline constexpr std::uint64_t kMostReferenceBytes = std::uint64_t{6} << 30;
/// 0: nobody says it.
inline std::uint64_t MostBytes(std::uint64_t said) {
  return said == 0 ? kMostReferenceBytes : said;
}

/// What programs of an operator are run on and compared with: drawn inputs, and the reference in
/// double precision.
class OperatorProblem {
 public:
  /// Throws TooLarge, before anything is drawn, if the reference takes more than `most_bytes`, and
  /// Interrupted when `stop`, which may be null, is stopped.
  OperatorProblem(const Graph& graph, const Program& program, std::uint64_t seed,
                  std::uint64_t most_bytes, const StopToken* stop = nullptr);

  /// The arrays in the order of ArgumentsOf(program); they stay in this object.
  cpu::Problem View() const;

  /// Bytes that any implementation moves: inputs that are read, and outputs, each once.
  std::uint64_t compulsory_bytes() const { return compulsory_bytes_; }

 private:
  struct Argument {
    std::string name;
    ir::Type type = ir::Type::kF32;
    bool is_output = false;
    ir::Elements values;    ///< Of inputs.
    TensorValues expected;  ///< Of outputs.
  };
  std::vector<Argument> arguments_;
  std::uint64_t compulsory_bytes_ = 0;
};

/// The same number without drawing anything.
std::uint64_t CompulsoryBytes(const Program& program);

}  // namespace exh::kernels::fused

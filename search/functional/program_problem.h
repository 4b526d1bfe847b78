// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "functional/code/gpu_program.h"
#include "functional/reference/calculate.h"
#include "kernels/cpu/problem_file.h"
#include "kernels/cpu/problem_set.h"
#include "search/functional/mapped_program.h"

namespace exh::search {

/// Bytes that a ProgramProblem takes while it is made, about. Throws exh::Error as
/// functional::Calculate does.
std::uint64_t ProblemBytes(const functional::Program& program,
                           const functional::Assignment& values);

/// What a functional program is run on and compared with: drawn inputs, and its results in double
/// precision. Whole numbers are as large as they may be for all results to be numbers, and exact if
/// that is possible; special values stand where it is known what must come of them.
class ProgramProblem {
 public:
  /// `values`: of the parameters. `threads` of this machine share the reference. Throws UsageError
  /// when something in the program cannot be calculated; TooLarge, before anything is drawn, when
  /// it would take more than `most_bytes`, if that is not 0; and Interrupted when `stop`, which may
  /// be null, is stopped.
  ProgramProblem(const MappedProgram& mapped, const functional::Assignment& values,
                 std::uint64_t seed, int threads,
                 kernels::Inputs inputs = kernels::Inputs::kUniform, std::uint64_t most_bytes = 0,
                 const StopToken* stop = nullptr);

  /// The arrays in the order of GpuProgram::arrays; they stay in this object.
  kernels::cpu::Problem View() const;

 private:
  struct Input {
    std::string name;
    std::vector<float> values;
  };
  std::vector<Input> inputs_;
  std::vector<std::string> results_;
  std::vector<functional::Reference> expected_;
};

}  // namespace exh::search

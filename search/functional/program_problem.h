// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "functional/code/gpu_program.h"
#include "functional/reference/calculate.h"
#include "kernels/cpu/problem_file.h"
#include "search/functional/mapped_program.h"

namespace exh::search {

/// What a functional program is run on and compared with: drawn inputs, and its results in double
/// precision.
class ProgramProblem {
 public:
  /// `values`: of the parameters. `threads` of this machine share the reference. Throws UsageError
  /// when something in the program cannot be calculated.
  ProgramProblem(const MappedProgram& mapped, const functional::Assignment& values,
                 std::uint64_t seed, int threads);

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

// SPDX-License-Identifier: MIT
#include "search/measure/evaluator_files.h"

#include <filesystem>

#include "base/error.h"
#include "kernels/cpu/problem_file.h"

namespace exh::search {
namespace {

namespace fs = std::filesystem;

}  // namespace

kernels::cpu::Problem ViewOf(const kernels::Task& task, const kernels::ProblemData& data) {
  kernels::cpu::Problem problem;
  for (const kernels::ir::Array& array : task.function->arrays) {
    const kernels::ArrayData& content = data.find(array.name)->second;
    problem.arrays.push_back({array.name, array.role == kernels::ir::ArrayRole::kOutput,
                              content.values, content.reference, content.tolerance,
                              content.rms_limit});
  }
  for (const kernels::ir::Scalar& scalar : task.function->scalars) {
    problem.scalars.push_back(scalar.value);
  }
  return problem;
}

void WriteProblem(const kernels::Task& task, kernels::Inputs inputs, const std::string& path,
                  std::uint64_t seed) {
  const kernels::ProblemData data = kernels::MakeProblem(task, seed, inputs);
  const std::string error = kernels::cpu::WriteProblemFile(path, ViewOf(task, data));
  if (!error.empty()) throw Error(error);
}

}  // namespace exh::search

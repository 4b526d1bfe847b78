// SPDX-License-Identifier: MIT
#include "kernels/devices/problem_files.h"

#include "base/error.h"
#include "kernels/cpu/problem_file.h"

namespace exh::kernels {

cpu::Problem ViewOf(const Task& task, const ProblemData& data) {
  cpu::Problem problem;
  for (const ir::Array& array : task.function->arrays) {
    const ArrayData& content = data.find(array.name)->second;
    problem.arrays.push_back({array.name, array.role == ir::ArrayRole::kOutput, array.type,
                              content.values.bytes(), content.reference, content.tolerance,
                              content.rms_limit, content.whole});
  }
  for (std::size_t i = 0; i < task.function->scalars.size(); ++i) {
    const ir::Scalar& scalar = task.function->scalars[i];
    problem.scalars.push_back({scalar.type, data.scalars.empty() ? scalar.value : data.scalars[i]});
  }
  return problem;
}

void WriteProblem(const Task& task, Inputs inputs, const std::string& path, std::uint64_t seed,
                  const StopToken* stop) {
  const ProblemData data = MakeProblem(task, seed, inputs, stop);
  if (data.empty()) throw Interrupted("interrupted while the reference was computed");
  const std::string error = cpu::WriteProblemFile(path, ViewOf(task, data));
  if (!error.empty()) throw Error(error);
}

}  // namespace exh::kernels

// SPDX-License-Identifier: MIT
#include "kernels/problem.h"

#include <algorithm>
#include <random>

namespace exh::kernels {

ProblemData MakeProblem(const Task& task, std::uint64_t seed, Inputs inputs) {
  ProblemData data;
  std::mt19937_64 generator(seed);
  for (const ir::Array& array : task.function->arrays) {
    ArrayData& out = data[array.name];
    if (array.role != ir::ArrayRole::kInput) continue;
    out.values.resize(array.elements);
    for (float& value : out.values) {
      if (inputs != Inputs::kUniform) {
        value = static_cast<float>(static_cast<std::int64_t>(generator() % 3) - 1);
        continue;
      }
      // 24 random bits: every value is exact, and both signs occur, so that errors do not hide in
      // sums of one sign.
      value = static_cast<float>(static_cast<std::int64_t>(generator() >> 39) - (1 << 24)) /
              static_cast<float>(1 << 24);
    }
  }
  task.kernel->Reference(task.sizes, data);
  if (inputs == Inputs::kWholeNumbers) {
    for (auto& [name, array] : data) {
      std::fill(array.tolerance.begin(), array.tolerance.end(), 0.0);
    }
  }
  return data;
}

std::uint64_t ProblemBytes(const ir::Function& function) {
  std::uint64_t bytes = 0;
  for (const ir::Array& array : function.arrays) {
    // Inputs: single precision here and in the process that runs, double and absolute values while
    // the reference is computed. Outputs: the same, and reference and tolerance.
    bytes += array.elements * (array.role == ir::ArrayRole::kInput ? 24 : 44);
  }
  return bytes;
}

}  // namespace exh::kernels

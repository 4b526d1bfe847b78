// SPDX-License-Identifier: MIT
#include "tests/kernels/codegen/shim_run.h"

#include <cstdint>
#include <utility>

#include "tests/kernels/codegen/reference_run.h"

namespace exh::kernels::codegen::testing {

ShimRun::ShimRun(std::vector<const ir::Function*> functions, std::vector<exh_shim::CudaText> texts)
    : functions_(std::move(functions)),
      texts_(std::move(texts)),
      compiled_(
          texts_.size(),
          [&](std::size_t i) {
            std::vector<exh_shim::ArrayFacts> arrays;
            for (const ir::Array& array : functions_[i]->arrays) {
              arrays.push_back({array.name, array.elements, array.role == ir::ArrayRole::kOutput});
            }
            return exh_shim::ShimSource(texts_[i], arrays, functions_[i]->scalars.size(), i);
          },
          exh_shim::kPrologue, exh_shim::CompilerFlags()) {}

std::string ShimRun::Check(std::size_t i, int thread_order) const {
  const ir::Function& f = *functions_[i];
  const auto run = reinterpret_cast<exh_shim::RunFunction>(
      compiled_.Find(i, "exh_shim_run_" + std::to_string(i)));
  if (run == nullptr) return compiled_.CompilerError(i) + texts_[i].source;
  InterpreterData data = MakeData(f, 1);
  const InterpreterData expected = Reference(f, data);
  std::vector<std::vector<float>> arrays;
  std::vector<std::vector<std::uint8_t>> written;
  for (const std::vector<double>& values : data.arrays) {
    arrays.emplace_back(values.begin(), values.end());
    written.emplace_back(values.size(), 0);
  }
  std::vector<void*> pointers;
  std::vector<unsigned char*> counts;
  for (std::size_t array = 0; array < arrays.size(); ++array) {
    pointers.push_back(arrays[array].data());
    counts.push_back(written[array].data());
  }
  char error[512];
  run(pointers.data(), data.scalars.data(), counts.data(), error, sizeof(error), thread_order);
  if (error[0] != '\0') return error;
  for (std::size_t array = 0; array < arrays.size(); ++array) {
    data.arrays[array].assign(arrays[array].begin(), arrays[array].end());
  }
  return Compare(f, data, expected, written);
}

std::string ShimRun::Check(std::size_t i) const {
  for (const int order : kShimOrders) {
    const std::string wrong = Check(i, order);
    if (!wrong.empty()) {
      return "order " + std::to_string(order) + ": " + wrong + "\n" + texts_[i].source;
    }
  }
  return "";
}

}  // namespace exh::kernels::codegen::testing

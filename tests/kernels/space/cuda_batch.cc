// SPDX-License-Identifier: MIT
#include "tests/kernels/space/cuda_batch.h"

#include <fmt/format.h>

#include "tests/kernels/space/output_check.h"
#include "tests/support/compiled_texts.h"

namespace exh::kernels::testing {

std::vector<std::string> RunCudaSources(const Task& task, const std::vector<CudaText>& texts,
                                        const std::vector<Inputs>& kinds) {
  std::vector<exh_shim::ArrayFacts> arrays;
  for (const ir::Array& array : task.function->arrays) {
    arrays.push_back({array.name, array.elements, array.role == ir::ArrayRole::kOutput,
                      ir::BytesOf(array.type)});
  }
  const CompiledTexts compiled(
      texts.size(),
      [&](std::size_t i) {
        return exh_shim::ShimSource(texts[i], arrays, task.function->scalars.size(), i);
      },
      exh_shim::kPrologue, exh_shim::CompilerFlags());
  const OutputCheck check(task, kinds);
  std::vector<std::string> messages(texts.size());
  InParallel(texts.size(), [&](std::size_t i) {
    const auto run = reinterpret_cast<exh_shim::RunFunction>(
        compiled.Find(i, fmt::format("exh_shim_run_{}", i)));
    if (run == nullptr) {
      messages[i] = "did not compile: " + compiled.CompilerError(i);
      return;
    }
    for (const int thread_order : {0, 1}) {
      messages[i] = check.Check([&](auto values, auto scalars, auto written) {
        char error[512];
        run(values, scalars, written, error, sizeof(error), thread_order);
        return std::string(error);
      });
      if (messages[i].empty()) continue;
      messages[i] += thread_order == 0 ? " (threads ascending)" : " (threads descending)";
      return;
    }
  });
  return messages;
}

}  // namespace exh::kernels::testing

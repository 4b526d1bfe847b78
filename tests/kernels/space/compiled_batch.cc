// SPDX-License-Identifier: MIT
#include "tests/kernels/space/compiled_batch.h"

#include <fmt/format.h>

#include "kernels/codegen/print/cpu_printer.h"
#include "tests/kernels/space/output_check.h"
#include "tests/support/compiled_texts.h"

namespace exh::kernels::testing {
namespace {

/// An implementation in a namespace of its own, its entry numbered.
std::string Print(const Sample& sample, std::size_t i, codegen::Fault fault) {
  const std::string source = codegen::PrintCpu(*sample.task.function, sample.schedules[i],
                                               {.checked = true, .fault = fault});
  std::string numbered;
  for (std::size_t at = 0;;) {
    const std::size_t next = source.find("exh_run", at);
    numbered += source.substr(at, next - at);
    if (next == std::string::npos) break;
    numbered += fmt::format("exh_run_{}", i);
    at = next + 7;
  }
  return fmt::format("namespace n{} {{\n{}\n}}\n", i, numbered);
}

}  // namespace

std::vector<std::string> RunPrinted(const Sample& sample, codegen::Fault fault,
                                    const std::vector<Inputs>& kinds) {
  const std::size_t count = sample.schedules.size();
  const CompiledTexts compiled(
      count, [&](std::size_t i) { return Print(sample, i, fault); }, "",
      "-O0 -march=native -fopenmp -Wno-psabi");
  const OutputCheck check(sample.task, kinds);
  std::vector<std::string> messages;
  for (std::size_t i = 0; i < count; ++i) {
    using Run = void (*)(void* const*, const double*, int, unsigned char* const*);
    const auto run = reinterpret_cast<Run>(compiled.Find(i, fmt::format("exh_run_{}_checked", i)));
    if (run == nullptr) {
      messages.push_back("did not compile: " + compiled.CompilerError(i));
      continue;
    }
    messages.push_back(check.Check([&](auto arrays, auto scalars, auto written) {
      run(arrays, scalars, 2, written);
      return std::string();
    }));
  }
  return messages;
}

}  // namespace exh::kernels::testing

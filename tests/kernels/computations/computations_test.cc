// SPDX-License-Identifier: MIT
//
// Every computation, both kinds of device: the space has implementations, and each that is drawn is
// right. EXH_IMPLEMENTATIONS says how many of each (EXH_IMPLEMENTATIONS=100 ./exh test -R
// computations).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "kernels/codegen/print/gpu/printer.h"
#include "tests/kernels/computations/computations.h"
#include "tests/kernels/space/compiled_batch.h"
#include "tests/kernels/space/cuda_batch.h"
#include "tests/kernels/space/sample.h"

namespace exh::kernels::testing {
namespace {

const std::vector<Inputs> kAllInputs = {Inputs::kUniform, Inputs::kWholeNumbers, Inputs::kSpecial};

int Implementations() {
  const char* const wanted = std::getenv("EXH_IMPLEMENTATIONS");
  return wanted == nullptr ? 5 : std::atoi(wanted);
}

class EachComputation : public ::testing::TestWithParam<Computation> {};

Sample DrawSome(const Computation& computation, const ir::Device& device) {
  Coverage coverage;
  return Draw(KernelOf(computation), SizesOf(computation, 1), device, Implementations(), 1,
              coverage);
}

void ExpectAllRight(const Sample& sample, const std::vector<std::string>& messages) {
  ASSERT_EQ(messages.size(), static_cast<std::size_t>(Implementations()));
  for (std::size_t i = 0; i < messages.size(); ++i) {
    ASSERT_EQ(messages[i], "") << "implementation " << i << ":\n" << sample.decisions[i];
  }
}

TEST_P(EachComputation, AreRightOnTheCpu) {
  const Sample sample = DrawSome(GetParam(), TestDevice(8));
  ExpectAllRight(sample, RunPrinted(sample, codegen::Fault::kNone, kAllInputs));
}

TEST_P(EachComputation, AreRightInTheCudaShim) {
  const Sample sample = DrawSome(GetParam(), CudaTestDevice(32));
  std::vector<CudaText> texts;
  for (const codegen::Schedule& schedule : sample.schedules) {
    const codegen::GpuText text = codegen::PrintGpu(
        codegen::LowerSchedule(*sample.task.function, schedule), {.overlaps = true});
    texts.push_back({text.source, text.launch});
  }
  ExpectAllRight(sample, RunCudaSources(sample.task, texts, kAllInputs));
}

INSTANTIATE_TEST_SUITE_P(All, EachComputation,
                         ::testing::ValuesIn(Computations().begin(), Computations().end()),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace exh::kernels::testing

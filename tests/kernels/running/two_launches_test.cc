// SPDX-License-Identifier: MIT
//
// Rows that blocks divide in two launches: each block of the second makes one value of all that the
// first has left, and goes on with its part of the row. Random implementations are right, in the
// shim of CUDA and on the processor.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/codegen/print/gpu/printer.h"
#include "kernels/library/registry.h"
#include "kernels/library/text_kernel.h"
#include "tests/kernels/space/compiled_batch.h"
#include "tests/kernels/space/cuda_batch.h"
#include "tests/kernels/space/sample.h"

namespace exh::kernels::testing {
namespace {

const std::vector<Inputs> kAllInputs = {Inputs::kUniform, Inputs::kWholeNumbers, Inputs::kSpecial};

/// A row without its mean, and the mean, of which each block has all.
constexpr const char* kCentred =
    "kernel centred\n  size m = 3, n = 24\n  input x: f32[m, n]\n  output mean: f32[m]\n"
    "  output y: f32[m, n]\n  s[i] = (sum(j) x[i, j]) / n\n  mean[i] = s[i]\n"
    "  y[i, j] = x[i, j] - s[i]\nend\n";

struct Case {
  const char* kernel;  ///< "": kCentred.
  Parameters sizes;
  const char* paces;
  std::vector<const char*> reductions;  ///< All of them, the first one first.
};

void PrintTo(const Case& of, std::ostream* out) {
  *out << of.kernel;
}

const Kernel& KernelOf(const Case& of) {
  static const TextKernel centred("centred.kernel", kCentred);
  return *of.kernel == 0 ? centred : *FindKernel(of.kernel);
}

/// What is written along a row has its part of it in the blocks of the reductions.
std::string Decisions(const Case& of) {
  std::string text = of.paces;
  for (const std::string reduction : of.reductions) {
    text += "across_blocks(" + reduction + ")=SECOND_LAUNCH\n";
  }
  const std::string first = std::string(of.reductions.front()) + ".j0";
  return text + "size(" + first + ")=2\ndim_kind(" + first + ")=BLOCK\norder(" + first +
         ",store_y.j0)=MERGED\n";
}

class TwoLaunches : public ::testing::TestWithParam<Case> {};

TEST_P(TwoLaunches, GoOnWithTheirParts) {
  ir::Device device = CudaTestDevice(32);
  device.across_blocks = {std::string(ir::kSecondLaunch)};
  Coverage coverage;
  const Sample sample = Draw(KernelOf(GetParam()), GetParam().sizes, device, 16, 21, coverage,
                             false, Decisions(GetParam()));
  std::vector<CudaText> texts;
  for (const codegen::Schedule& schedule : sample.schedules) {
    const codegen::LoweredCode code = codegen::LowerSchedule(*sample.task.function, schedule);
    ASSERT_EQ(code.error, "");
    const codegen::GpuText text = codegen::PrintGpu(code, {});
    ASSERT_EQ(text.launch.sides.size(), 1U);
    EXPECT_EQ(text.launch.sides[0].grid, text.launch.grid);
    texts.push_back({text.source, text.launch});
  }
  const auto messages = RunCudaSources(sample.task, texts, kAllInputs);
  for (std::size_t i = 0; i < messages.size(); ++i) {
    ASSERT_EQ(messages[i], "") << sample.decisions[i];
  }
}

TEST_P(TwoLaunches, AreRightOnTheProcessor) {
  if (*GetParam().paces != 0) GTEST_SKIP() << "no maximum runs in blocks there";
  ir::Device device = TestDevice(1);
  device.across_blocks = {std::string(ir::kSecondLaunch)};
  Coverage coverage;
  const Sample sample = Draw(KernelOf(GetParam()), GetParam().sizes, device, 8, 22, coverage, false,
                             Decisions(GetParam()));
  const auto messages = RunPrinted(sample, codegen::Fault::kNone, kAllInputs);
  for (std::size_t i = 0; i < messages.size(); ++i) {
    ASSERT_EQ(messages[i], "") << sample.decisions[i];
  }
}

const Case kCases[] = {
    {"rms_norm", {{"m", 3}, {"n", 48}}, "", {"mad"}},
    {"softmax", {{"m", 3}, {"n", 48}}, "pace(max_top:sub)=RUNNING\n", {"max_top", "sum_total"}},
    {"", {{"m", 3}, {"n", 24}}, "", {"sum_s"}}};

INSTANTIATE_TEST_SUITE_P(All, TwoLaunches, ::testing::ValuesIn(kCases), [](const auto& each) {
  return std::string(*each.param.kernel == 0 ? "centred" : each.param.kernel);
});

}  // namespace
}  // namespace exh::kernels::testing

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
/// Both exponentials of a softmax, one of a maximum that runs.
constexpr const char* kQuotients =
    "kernel quotients\n  size m = 3, n = 48\n  input x: f32[m, n]\n  output y: f32[m, n]\n"
    "  top[i] = max(j) x[i, j]\n  total[i] = sum(j) exp(x[i, j] - top[i])\n"
    "  y[i, j] = exp(x[i, j] - top[i]) / total[i]\nend\n";

struct Case {
  const char* kernel;
  Parameters sizes;
  const char* paces;
  std::vector<const char*> reductions;  ///< All of them, the first one first.
};

void PrintTo(const Case& of, std::ostream* out) {
  *out << of.kernel;
}

const Kernel& KernelOf(const Case& of) {
  static const TextKernel centred("centred.kernel", kCentred),
      quotients("quotients.kernel", kQuotients);
  const std::string name = of.kernel;
  if (name == centred.name()) return centred;
  return name == quotients.name() ? quotients : *FindKernel(name);
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

/// On a processor no maximum runs in blocks.
class TwoLaunchesOfSums : public TwoLaunches {};

TEST_P(TwoLaunchesOfSums, AreRightOnTheProcessor) {
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
    {"quotients", {{"m", 3}, {"n", 48}}, "pace(max_top:sub)=RUNNING\n", {"max_top", "sum_total"}},
    {"centred", {{"m", 3}, {"n", 24}}, "", {"sum"}}};

std::string NameOf(const ::testing::TestParamInfo<Case>& of) {
  return of.param.kernel;
}

INSTANTIATE_TEST_SUITE_P(All, TwoLaunches, ::testing::ValuesIn(kCases), NameOf);
INSTANTIATE_TEST_SUITE_P(All, TwoLaunchesOfSums, ::testing::Values(kCases[0], kCases[2]), NameOf);

}  // namespace
}  // namespace exh::kernels::testing

// SPDX-License-Identifier: MIT
//
// Random implementations in which a maximum is read while it runs, and of scans, on a processor and
// in the shim of CUDA: all are right, and defects show.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernels/codegen/print/gpu/printer.h"
#include "tests/kernels/space/compiled_batch.h"
#include "tests/kernels/space/cuda_batch.h"
#include "tests/kernels/space/sample.h"

namespace exh::kernels::testing {
namespace {

using codegen::Fault;

const std::vector<Inputs> kAllInputs = {Inputs::kUniform, Inputs::kWholeNumbers, Inputs::kSpecial};

std::vector<CudaText> Printed(const Sample& sample, Fault fault) {
  std::vector<CudaText> texts;
  for (const codegen::Schedule& schedule : sample.schedules) {
    const codegen::GpuText text = codegen::PrintGpu(
        codegen::LowerSchedule(*sample.task.function, schedule, fault), {.overlaps = true});
    texts.push_back({text.source, text.launch});
  }
  return texts;
}

int CountWrong(const std::vector<std::string>& messages) {
  int wrong = 0;
  for (const std::string& message : messages) wrong += !message.empty();
  return wrong;
}

struct RunningCase {
  const char* name;
  const char* kernel;
  Parameters sizes;
  const char* decisions;
};

const RunningCase kCases[] = {
    {"LogSumExp", "logsumexp", {{"m", 6}, {"n", 24}}, "pace(max_top:sub)=RUNNING\n"},
    {"CrossEntropy", "cross_entropy", {{"m", 4}, {"n", 16}}, "pace(max_top:sub)=RUNNING\n"},
    {"Attention",
     "attention",
     {{"h", 1}, {"m", 4}, {"n", 12}, {"d", 4}, {"dv", 4}},
     "pace(max_top:sub)=RUNNING\npace(max_top:sub_2)=RUNNING\n"},
    // Threads that have no part of the maximum have sums that it corrects.
    {"AttentionWithThreadsOfColumns",
     "attention",
     {{"h", 1}, {"m", 4}, {"n", 12}, {"d", 4}, {"dv", 4}},
     "pace(max_top:sub)=RUNNING\npace(max_top:sub_2)=RUNNING\nsize(mad_y.o0)=4\n"
     "dim_kind(mad_y.o0)=THREAD\n"},
};

class RunningMaximum : public ::testing::TestWithParam<RunningCase> {};

void ExpectRight(const std::vector<std::string>& messages, const Sample& sample) {
  for (std::size_t i = 0; i < messages.size(); ++i) {
    ASSERT_EQ(messages[i], "") << sample.decisions[i];
  }
}

TEST_P(RunningMaximum, IsRightOnTheCpu) {
  const RunningCase& of = GetParam();
  Coverage coverage;
  const Sample sample =
      Draw(of.kernel, of.sizes, TestDevice(8), 24, 3, coverage, false, of.decisions);
  ExpectRight(RunPrinted(sample, Fault::kNone, kAllInputs), sample);
  // One iteration of its loop, and nothing is corrected.
  EXPECT_GE(CountWrong(RunPrinted(sample, Fault::kUncorrected)), 16);
}

TEST_P(RunningMaximum, IsRightInTheCudaShim) {
  const RunningCase& of = GetParam();
  Coverage coverage;
  const Sample sample =
      Draw(of.kernel, of.sizes, CudaTestDevice(32), 24, 4, coverage, false, of.decisions);
  ExpectRight(RunCudaSources(sample.task, Printed(sample, Fault::kNone), kAllInputs), sample);
  EXPECT_GE(CountWrong(RunCudaSources(sample.task, Printed(sample, Fault::kUncorrected))), 16);
}

INSTANTIATE_TEST_SUITE_P(All, RunningMaximum, ::testing::ValuesIn(kCases),
                         [](const auto& each) { return std::string(each.param.name); });

/// Implementations in which threads have slices.
Sample Sliced(int way, const ir::Device& device) {
  Coverage coverage;
  return Draw("scan", {{"m", 2}, {"n", 48}, {"way", way}}, device, 24, 5, coverage, false,
              "size(scan.j2)=6\ndim_kind(scan.j2)=THREAD\n");
}

TEST(SlicedScan, IsRightOnTheCpu) {
  for (int way = 0; way < 4; ++way) {
    const Sample sample = Sliced(way, TestDevice(64));
    ExpectRight(RunPrinted(sample, Fault::kNone, kAllInputs), sample);
    EXPECT_EQ(CountWrong(RunPrinted(sample, Fault::kLostCarry)), 24);
  }
}

TEST(SlicedScan, IsRightInTheCudaShim) {
  for (int way = 0; way < 4; ++way) {
    const Sample sample = Sliced(way, CudaTestDevice(64));
    ExpectRight(RunCudaSources(sample.task, Printed(sample, Fault::kNone), kAllInputs), sample);
    EXPECT_EQ(CountWrong(RunCudaSources(sample.task, Printed(sample, Fault::kLostCarry))), 24);
  }
}

}  // namespace
}  // namespace exh::kernels::testing

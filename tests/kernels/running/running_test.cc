// SPDX-License-Identifier: MIT
//
// Random implementations in which a maximum is read while it runs, and of scans, on a processor and
// in the shim of CUDA: all are right, and defects show.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "kernels/codegen/interpreter.h"
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

/// Implementations in which blocks look back.
Sample Divided(Parameters sizes, const std::string& decisions, int count = 24) {
  Coverage coverage;
  return Draw("scan", sizes, CudaTestDevice(64), count, 6, coverage, false,
              "across_blocks(scan)=LOOK_BACK\n" + decisions);
}

TEST(DividedScan, IsRightInTheCudaShim) {
  for (int way = 0; way < 4; ++way) {
    const Sample sample = Divided({{"m", 3}, {"n", 96}, {"way", way}}, "");
    ExpectRight(RunCudaSources(sample.task, Printed(sample, Fault::kNone), kAllInputs), sample);
  }
}

TEST(DividedScan, IsRightForAllTypesAndOperators) {
  constexpr int kTypes = 6, kOperators = 4;
  for (int type = 0; type < kTypes; ++type) {
    const int op = type % kOperators, way = type % 2;
    const Sample sample =
        Divided({{"m", 2}, {"n", 80}, {"way", way}, {"type", type}, {"op", op}}, "", 12);
    ExpectRight(RunCudaSources(sample.task, Printed(sample, Fault::kNone), kAllInputs), sample);
  }
}

TEST(DividedScan, IsRightInTheInterpreter) {
  constexpr int kRows = 3, kColumns = 96;
  const Sample sample = Divided({{"m", kRows}, {"n", kColumns}}, "");
  for (std::size_t i = 0; i < sample.schedules.size(); ++i) {
    codegen::InterpreterData data;
    data.arrays.assign(2, std::vector<double>(kRows * kColumns, -1));
    std::iota(data.arrays[0].begin(), data.arrays[0].end(), -50.0);
    const codegen::LoweredCode code =
        codegen::LowerSchedule(*sample.task.function, sample.schedules[i]);
    ASSERT_EQ(code.error, "");
    ASSERT_EQ(codegen::Interpret(code, data, 3).error, "");
    for (int row = 0; row < kRows; ++row) {
      const auto begin = data.arrays[0].begin() + row * kColumns;
      std::vector<double> sums(kColumns);
      std::partial_sum(begin, begin + kColumns, sums.begin());
      ASSERT_TRUE(std::ranges::equal(
          sums,
          std::span(data.arrays[1]).subspan(static_cast<std::size_t>(row * kColumns), kColumns)))
          << sample.decisions[i];
    }
  }
}

// A warp looks at 32 blocks at once, at others before them where none of these has a whole.
TEST(DividedScan, LooksFurtherBackThanAWarpHasLanes) {
  for (const int rows : {1, 4}) {
    const Sample sample =
        Divided({{"m", rows}, {"n", 128 * 32 * 2}},
                "size(scan.j0)=128\nsize(scan.j2)=32\ndim_kind(scan.j2)=THREAD\n", 8);
    const auto printed = Printed(sample, Fault::kNone);
    EXPECT_THAT(printed.front().source, ::testing::HasSubstr("exh_ballot"));
    ExpectRight(RunCudaSources(sample.task, printed, kAllInputs), sample);
  }
}

// What eight warps and more have is gone through by warps.
TEST(DividedScan, IsRightWithManyWarps) {
  Coverage coverage;
  const Sample sample =
      Draw("scan", {{"m", 2}, {"n", 8192}}, CudaTestDevice(512), 6, 8, coverage, false,
           "across_blocks(scan)=LOOK_BACK\nsize(scan.j0)=4\nsize(scan.j1)=2\nsize(scan.j2)=256\n"
           "dim_kind(scan.j2)=THREAD\n");
  const auto printed = Printed(sample, Fault::kNone);
  EXPECT_THAT(printed.front().source, ::testing::HasSubstr("exh_swap(exh_own"));
  ExpectRight(RunCudaSources(sample.task, printed), sample);
}

TEST(DividedScan, ShowsDefects) {
  const Sample sample = Divided({{"m", 2}, {"n", 96}}, "size(scan.j0)=6\n");
  const auto wrong = [&](Fault fault) {
    return CountWrong(RunCudaSources(sample.task, Printed(sample, fault)));
  };
  EXPECT_EQ(wrong(Fault::kPlainNumber), 24);
  EXPECT_EQ(wrong(Fault::kStaleStatus), 24);
  EXPECT_EQ(wrong(Fault::kShortLook), 24);
}

// Threads have steps of each row that they go through together.
TEST(RowsOfScans, AreRight) {
  const char* const kRows = "size(scan.j1)=4\nsize(scan.j2)=16\ndim_kind(scan.j2)=THREAD\n";
  for (int way = 0; way < 4; ++way) {
    const Parameters sizes = {{"m", 2}, {"n", 2048}, {"way", way}};
    Coverage coverage;
    const Sample cpu = Draw("scan", sizes, TestDevice(64), 6, 7, coverage, false, kRows);
    ExpectRight(RunPrinted(cpu, Fault::kNone, kAllInputs), cpu);
    const Sample cuda = Draw("scan", sizes, CudaTestDevice(64), 6, 7, coverage, false, kRows);
    ExpectRight(RunCudaSources(cuda.task, Printed(cuda, Fault::kNone), kAllInputs), cuda);
    const Sample divided = Divided(sizes, kRows, 6);
    ExpectRight(RunCudaSources(divided.task, Printed(divided, Fault::kNone), kAllInputs), divided);
  }
}

// Bits of sums of floats depend on which block was how far; those of whole numbers do not.
TEST(DividedScan, MayVaryInItsBits) {
  const Sample floats = Divided({{"m", 2}, {"n", 96}}, "", 1);
  EXPECT_TRUE(Printed(floats, Fault::kNone).front().launch.in_any_order);
  const Sample whole = Divided({{"m", 2}, {"n", 96}, {"type", 4}}, "", 1);
  EXPECT_FALSE(Printed(whole, Fault::kNone).front().launch.in_any_order);
}

}  // namespace
}  // namespace exh::kernels::testing

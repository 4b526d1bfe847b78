// SPDX-License-Identifier: MIT
//
// Random implementations in which the blocks of a cluster divide reductions whose values are read
// again, and those in which blocks divide a maximum that runs together with the sums that it
// corrects: in the shim of CUDA all are right, and defects show.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.h"
#include "kernels/codegen/print/gpu/printer.h"
#include "tests/kernels/space/cuda_batch.h"
#include "tests/kernels/space/sample.h"

namespace exh::kernels::testing {
namespace {

using codegen::Fault;
using ::testing::HasSubstr;

const std::vector<Inputs> kAllInputs = {Inputs::kUniform, Inputs::kWholeNumbers, Inputs::kSpecial};

std::vector<CudaText> Printed(const Sample& sample, Fault fault) {
  std::vector<CudaText> texts;
  for (const codegen::Schedule& schedule : sample.schedules) {
    const codegen::GpuText text =
        codegen::PrintGpu(codegen::LowerSchedule(*sample.task.function, schedule, fault), {});
    texts.push_back({text.source, text.launch});
  }
  return texts;
}

/// How many of the implementations a defect spoils, in a message with this text.
int Spoiled(const Sample& sample, Fault fault, const std::string& text = "") {
  int spoiled = 0;
  for (const std::string& message : RunCudaSources(sample.task, Printed(sample, fault))) {
    spoiled += !message.empty() && message.find(text) != std::string::npos;
  }
  return spoiled;
}

void ExpectRight(const Sample& sample) {
  const std::vector<CudaText> texts = Printed(sample, Fault::kNone);
  const auto messages = RunCudaSources(sample.task, texts, kAllInputs);
  for (std::size_t i = 0; i < messages.size(); ++i) {
    ASSERT_EQ(messages[i], "") << sample.decisions[i] << texts[i].source;
  }
}

struct Case {
  const char* name;
  const char* kernel;
  Parameters sizes;
  const char* decisions;
};

void PrintTo(const Case& of, std::ostream* out) {
  *out << of.name;
}

class Clusters : public ::testing::TestWithParam<Case> {
 protected:
  static constexpr int kCount = 24;
  static Sample Drawn(std::uint64_t seed) {
    const Case& of = GetParam();
    Coverage coverage;
    return Draw(of.kernel, of.sizes, CudaTestDevice(32), kCount, seed, coverage, false,
                of.decisions);
  }
};

TEST_P(Clusters, AreRight) {
  const Sample sample = Drawn(11);
  for (const codegen::Schedule& schedule : sample.schedules) {
    const codegen::LoweredCode code = codegen::LowerSchedule(*sample.task.function, schedule);
    ASSERT_EQ(code.error, "");
    const Launch launch = codegen::PrintGpu(code, {}).launch;
    EXPECT_GT(launch.cluster, 1U);
    EXPECT_EQ(launch.grid % launch.cluster, 0U);
    EXPECT_EQ(launch.scratch_bytes() - launch.global_bytes * launch.grid, 0U);
  }
  ExpectRight(sample);
}

TEST_P(Clusters, DefectsShow) {
  const Sample sample = Drawn(12);
  // Which threads of which blocks race is said of the first ones.
  EXPECT_EQ(Spoiled(sample, Fault::kEarlyExchange), kCount);
  EXPECT_EQ(Spoiled(sample, Fault::kEarlyTelling, "which may not have begun"), kCount);
}

const Case kCases[] = {
    {"RmsNorm", "rms_norm", {{"m", 3}, {"n", 48}}, "across_blocks(mad)=CLUSTER\n"},
    {"Softmax",
     "softmax",
     {{"m", 3}, {"n", 24}},
     "across_blocks(max_top)=CLUSTER\nacross_blocks(sum_total)=CLUSTER\n"},
    {"LayerNorm",
     "layer_norm",
     {{"m", 2}, {"n", 24}},
     "across_blocks(sum_mean)=CLUSTER\nacross_blocks(mad_variance)=CLUSTER\n"},
    // The result has no part of a cluster.
    {"LogSumExp",
     "logsumexp",
     {{"m", 6}, {"n", 24}},
     "across_blocks(max_top)=CLUSTER\nacross_blocks(sum_total)=CLUSTER\n"},
    {"CrossEntropy",
     "cross_entropy",
     {{"m", 4}, {"n", 16}},
     "across_blocks(max_top)=CLUSTER\nacross_blocks(sum_total)=CLUSTER\n"
     "across_blocks(sum_wanted)=CLUSTER\n"},
    {"RunningLogSumExp",
     "logsumexp",
     {{"m", 6}, {"n", 24}},
     "pace(max_top:sub)=RUNNING\nacross_blocks(max_top)=CLUSTER\n"
     "across_blocks(sum_total)=CLUSTER\n"},
    {"RunningAttention",
     "attention",
     {{"h", 2}, {"m", 2}, {"n", 24}, {"d", 4}, {"dv", 4}},
     "pace(max_top:sub)=RUNNING\npace(max_top:sub_2)=RUNNING\nacross_blocks(max_top)=CLUSTER\n"
     "across_blocks(sum_total)=CLUSTER\nacross_blocks(mad_y)=CLUSTER\n"},
    {"AttentionOfOneQuery",
     "attention",
     {{"h", 2}, {"m", 1}, {"n", 24}, {"d", 4}, {"dv", 4}},
     "across_blocks(max_top)=CLUSTER\nacross_blocks(sum_total)=CLUSTER\n"
     "across_blocks(mad_y)=CLUSTER\n"}};

INSTANTIATE_TEST_SUITE_P(All, Clusters, ::testing::ValuesIn(kCases),
                         [](const auto& each) { return std::string(each.param.name); });

/// A maximum and its sums, by ticket and in a second launch.
class DividedMaximum : public ::testing::TestWithParam<const char*> {
 protected:
  static constexpr int kCount = 24;
  static Sample Drawn(const std::string& kernel, const Parameters& sizes, const std::string& paces,
                      const std::vector<std::string>& reductions) {
    ir::Device device = CudaTestDevice(32);
    device.across_blocks = {GetParam()};
    Coverage coverage;
    std::string decisions = paces;
    for (const std::string& reduction : reductions) {
      decisions += "across_blocks(" + reduction + ")=" + GetParam() + "\n";
    }
    return Draw(kernel, sizes, device, kCount, 13, coverage, false, decisions);
  }
};

TEST_P(DividedMaximum, IsRightAndDefectsShow) {
  const Sample rows = Drawn("logsumexp", {{"m", 6}, {"n", 24}}, "pace(max_top:sub)=RUNNING\n",
                            {"max_top", "sum_total"});
  ExpectRight(rows);
  EXPECT_GE(Spoiled(rows, Fault::kUncorrected), kCount / 2);
  ExpectRight(Drawn("attention", {{"h", 2}, {"m", 2}, {"n", 24}, {"d", 4}, {"dv", 4}},
                    "pace(max_top:sub)=RUNNING\npace(max_top:sub_2)=RUNNING\n",
                    {"max_top", "sum_total", "mad_y"}));
}

INSTANTIATE_TEST_SUITE_P(Ways, DividedMaximum, ::testing::Values("LAST_BLOCK", "SECOND_LAUNCH"),
                         [](const auto& each) { return std::string(each.param); });

TEST(Clusters, OtherLanguagesHaveNone) {
  ir::Device device = CudaTestDevice(32);
  device.cache_flags = {std::string(ir::kCacheDefault)};
  device.async_copies = false;
  Coverage coverage;
  const Sample sample = Draw("rms_norm", {{"m", 3}, {"n", 48}}, device, 1, 1, coverage, false,
                             "across_blocks(mad)=CLUSTER\n");
  const codegen::LoweredCode code =
      codegen::LowerSchedule(*sample.task.function, sample.schedules.front());
  for (const ir::Dialect dialect : {ir::Dialect::kHip, ir::Dialect::kOpenCl}) {
    try {
      codegen::PrintGpu(code, {.dialect = dialect});
      FAIL() << "is printed";
    } catch (const Refused& refused) {
      EXPECT_THAT(refused.what(), HasSubstr("clusters of blocks"));
    }
  }
}

}  // namespace
}  // namespace exh::kernels::testing

// SPDX-License-Identifier: MIT
//
// Products of floats of 8 bits: random implementations on lanes of a processor, on lanes of a GPU
// and by its matrix unit, each against the reference that follows from the text. GPUs are those of
// tests/cuda_shim, whose unit has the hardware's own layout.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/codegen/print/gpu/printer.h"
#include "kernels/devices/device.h"
#include "kernels/ir/target.h"
#include "tests/kernels/computations/computations.h"
#include "tests/kernels/space/compiled_batch.h"
#include "tests/kernels/space/cuda_batch.h"
#include "tests/kernels/space/sample.h"

namespace exh::kernels::testing {
namespace {

using codegen::Fault;
using ::testing::HasSubstr;

const std::vector<Inputs> kAllInputs = {Inputs::kUniform, Inputs::kWholeNumbers, Inputs::kSpecial};

constexpr std::string_view kScaled = R"(
kernel scaled_f8
  size m = 32, n = 16, k = 64 in 1..4096
  input a: f8e4m3[m, k]
  input b: f8e4m3[k, n]
  input a_scale: f32[m]
  input b_scale: f32[n]
  output c: f8e4m3[m, n]
  c[i, j] = a_scale[i] * b_scale[j] * sum(p) a[i, p] * b[p, j]
end
)";
constexpr std::string_view kMade = R"(
kernel made_f8
  size m = 32, n = 16, k = 32 in 1..4096
  input a: f16[m, k]
  input b: f8e5m2[k, n]
  output c: f32[m, n]
  t: f8e5m2[i, p] = 2 * a[i, p]
  c[i, j] = sum(p) t[i, p] * b[p, j]
end
)";

/// matmul's option `type` counts from 0: 5 is f8e4m3, 6 is f8e5m2.
const Computation kProducts[] = {
    {"matmul", "", "m=32,n=32,k=64,type=5"},
    {"matmul", "", "m=16,n=16,k=96,transpose_a=1,transpose_b=1,relu=1,type=6"},
    {"covered_f8", "c[i,j] = sum(k) a[i,k] * b[k,j]", "i=61,j=31,k=61", "f8e5m2"},
    {"scaled_f8", kScaled, ""},
    {"made_f8", kMade, ""},
};

Parameters Sizes(const Computation& product) {
  return product.text.empty() ? SizesOf(product, 1) : Parameters();
}

Sample DrawOn(const ir::Device& device, const Computation& product, int count, std::uint64_t seed,
              const std::string& decisions) {
  Coverage coverage;
  return Draw(KernelOf(product), Sizes(product), device, count, seed, coverage, false, decisions);
}

std::vector<CudaText> Print(const Sample& sample, Fault fault = Fault::kNone) {
  std::vector<CudaText> texts;
  for (const codegen::Schedule& schedule : sample.schedules) {
    const codegen::LoweredCode code =
        codegen::LowerSchedule(*sample.task.function, schedule, fault);
    EXPECT_EQ(code.error, "");
    const codegen::GpuText text = codegen::PrintGpu(code, {.overlaps = true});
    texts.push_back({text.source, text.launch});
  }
  return texts;
}

void ExpectAllRight(const Sample& sample, const std::string& what, const std::string& step) {
  const std::vector<CudaText> texts = Print(sample);
  const std::vector<std::string> messages = RunCudaSources(sample.task, texts, kAllInputs);
  for (std::size_t i = 0; i < messages.size(); ++i) {
    EXPECT_EQ(texts[i].source.find("exh_mma_f8") != std::string::npos, !step.empty()) << what;
    EXPECT_THAT(texts[i].source, HasSubstr(step)) << what;
    ASSERT_EQ(messages[i], "") << what << ", implementation " << i << ":\n"
                               << sample.decisions[i] << texts[i].source;
  }
}

TEST(F8Products, AreRightOnLanesOfAProcessor) {
  std::uint64_t seed = 10;
  for (const Computation& product : kProducts) {
    const Sample sample = DrawOn(TestDevice(4), product, 6, ++seed, "");
    const std::vector<std::string> messages = RunPrinted(sample, Fault::kNone, kAllInputs);
    for (std::size_t i = 0; i < messages.size(); ++i) {
      ASSERT_EQ(messages[i], "") << product.name << ":\n" << sample.decisions[i];
    }
  }
}

TEST(F8Products, AreRightOnLanesOfAGpu) {
  std::uint64_t seed = 20;
  for (const Computation& product : kProducts) {
    ExpectAllRight(DrawOn(CudaTestDevice(64), product, 6, ++seed, "unit(mad)=FMA\n"),
                   std::string(product.name), "");
    if (HasFatalFailure()) return;
  }
}

TEST(F8Products, AreRightByTheUnit) {
  std::uint64_t seed = 30;
  for (const Computation& product : kProducts) {
    ExpectAllRight(DrawOn(CudaTestDevice(128), product, 8, ++seed, "unit(mad)=QMMA\n"),
                   std::string(product.name), "exh_mma_f8e");
    if (HasFatalFailure()) return;
  }
}

TEST(F8Products, AreRightByTheUnitOutOfRings) {
  const Sample sample = DrawOn(CudaTestDevice(128), {"matmul", "", "m=32,n=32,k=256,type=5"}, 8, 41,
                               "unit(mad)=QMMA\n"
                               "dim_mapping(load_a:mad.m3)=NOT_MAPPED\n"
                               "dim_mapping(load_b:mad.n2)=NOT_MAPPED\n"
                               "transfer(tmp.load_a)=ASYNC\nstages(tmp.load_a)=2|3|4\n"
                               "transfer(tmp.load_b)=ASYNC\nstages(tmp.load_b)=2|3|4\n");
  ExpectAllRight(sample, "rings", "exh_mma_f8e4m3(");
}

TEST(F8Products, PrintTheInstruction) {
  const Sample sample = DrawOn(CudaTestDevice(128), kProducts[1], 1, 51, "unit(mad)=QMMA\n");
  EXPECT_THAT(Print(sample).front().source,
              HasSubstr("mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32 {%0, %1, %2, %3}, "
                        "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"));
}

TEST(F8Products, DefectsShow) {
  const Sample sample = DrawOn(CudaTestDevice(128), kProducts[0], 12, 61, "unit(mad)=QMMA\n");
  for (const Fault fault :
       {Fault::kWrongFragment, Fault::kWrongStride, Fault::kMissingBarrier, Fault::kDroppedGuard}) {
    const std::vector<std::string> messages = RunCudaSources(sample.task, Print(sample, fault));
    const auto wrong =
        std::ranges::count_if(messages, [](const auto& text) { return !text.empty(); });
    EXPECT_GT(wrong, 0) << static_cast<int>(fault);
    if (fault == Fault::kWrongFragment) {
      EXPECT_EQ(static_cast<std::size_t>(wrong), messages.size());
    }
  }
}

bool MayUseUnit(const Kernel& kernel, const ir::Device& device) {
  Parameters sizes;
  for (const Parameter& p : kernel.parameters()) sizes[p.name] = p.default_value;
  const Task task = MakeTask(kernel, sizes, device);
  return std::ranges::any_of(task.function->insts, [&](const ir::Instruction& inst) {
    return inst.is_reduction() && task.function->may_use_unit(inst);
  });
}
bool MayUseUnit(const std::string& a, const std::string& b, const std::string& sum, int k,
                const ir::Device& device) {
  const std::string name = fmt::format("p_{}_{}_{}_{}", a, b, sum, k);
  const std::string text = fmt::format(
      "kernel {}\n  size m = 64, n = 64, k = {} in 1..65536\n  input a: {}[m, k]\n"
      "  input b: {}[k, n]\n  output c: {}[m, n]\n"
      "  c[i, j] = sum(p: {}) a[i, p] * b[p, j]\nend\n",
      name, k, a, b, sum, sum);
  return MayUseUnit(KernelOf({name, text, ""}), device);
}

TEST(F8Products, HaveAUnitWhereBothAreOfOneType) {
  const ir::Device device = CudaTestDevice(64);
  EXPECT_TRUE(MayUseUnit("f8e4m3", "f8e4m3", "f32", 64, device));
  EXPECT_TRUE(MayUseUnit("f8e5m2", "f8e5m2", "f32", 64, device));
  EXPECT_FALSE(MayUseUnit("f8e4m3", "f8e5m2", "f32", 64, device));
  EXPECT_FALSE(MayUseUnit("f8e4m3", "f16", "f32", 64, device));
  EXPECT_FALSE(MayUseUnit("f8e4m3", "f8e4m3", "f64", 64, device));
  EXPECT_FALSE(MayUseUnit("f8e4m3", "f8e4m3", "f32", 24, device));  // A step is 32 deep.
  // The innermost level of what is summed over is as long, however long that is, and in batches.
  EXPECT_TRUE(MayUseUnit("f8e4m3", "f8e4m3", "f32", 1 << 15, device));
  const Kernel& batched = KernelOf(
      {"batched_f8", "c[h,i,j] = sum(k) a[h,i,k] * b[h,k,j]", "h=2,i=64,j=64,k=64", "f8e5m2"});
  EXPECT_TRUE(MayUseUnit(batched, device));
  ir::Device without = device;
  std::erase(without.tensor_units, "QMMA");
  EXPECT_FALSE(MayUseUnit("f8e4m3", "f8e4m3", "f32", 64, without));
}

TEST(F8Products, HaveAUnitOnDevicesOfTheirTime) {
  const auto of = [](const char* architecture) {
    return LoadDevice("h200", {{"architecture", fmt::format("\"{}\"", architecture)},
                               {"tensor_units", "[\"QMMA\"]"},
                               {"bulk_copies", "false"}});
  };
  EXPECT_THAT(of("sm_86").error, HasSubstr("QMMA needs sm_89 or later, the device is sm_86"));
  EXPECT_TRUE(of("sm_89").device.has_value()) << of("sm_89").error;
  EXPECT_TRUE(of("sm_120").device.has_value());
}

}  // namespace
}  // namespace exh::kernels::testing

// SPDX-License-Identifier: MIT
//
// max(0, x) of a NaN is a NaN in every kind of code: what went wrong before it must not come out as
// a plausible 0.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "kernels/codegen/interpreter.h"
#include "kernels/codegen/print/gpu/printer.h"
#include "kernels/library/registry.h"
#include "tests/kernels/space/compiled_batch.h"
#include "tests/kernels/space/cuda_batch.h"
#include "tests/kernels/space/sample.h"

namespace exh::kernels::testing {
namespace {

using ::testing::HasSubstr;

/// y = max(0, x), one element of x not a number.
class Relu final : public Kernel {
 public:
  std::string_view name() const override { return "relu"; }
  std::string_view summary() const override { return "y = max(0, x)"; }
  std::vector<Parameter> parameters() const override { return {{"n", 12, 1, 1 << 28, "length"}}; }
  void Build(ir::Builder& b, const Parameters& sizes) const override {
    const auto n = static_cast<std::uint32_t>(sizes.at("n"));
    const ir::ArrayId x = b.InputArray("x", n), y = b.OutputArray("y", n);
    const ir::AxisRef axis = b.Axis("n", n, {{2, 8}});
    const ir::Value load = b.Load("load_x", x, {{axis, 1}});
    const ir::Value max =
        b.Compute("max", ir::Op::kMax, {axis}, {ir::Literal(0), ir::MayStage(load)});
    b.Store("store_y", y, {{axis, 1}}, ir::InRegisters(max));
  }
  void Reference(const Parameters&, ProblemData& data) const override {
    Elements& x = data.at("x").values;
    x.Set(5, std::numeric_limits<double>::quiet_NaN());
    for (const float value : x.As<float>()) {
      data.at("y").reference.push_back(value > 0 ? value : 0);
    }
    data.at("y").tolerance.resize(x.size(), 0);
  }
  double Flops(const Parameters&) const override { return 1; }
  std::string NaiveSource(const Parameters&) const override { return ""; }
  std::string EigenSource(const Parameters&) const override { return ""; }
};

constexpr int kCount = 10;

Sample DrawRelu(const ir::Device& device) {
  if (FindKernel("relu") == nullptr) AddKernel(std::make_unique<Relu>(), {});
  Coverage coverage;
  return Draw("relu", {}, device, kCount, 1, coverage);
}

TEST(Max, KeepsANanOnTheCpu) {
  for (const std::string& message : RunPrinted(DrawRelu(TestDevice(4)))) {
    EXPECT_THAT(message, HasSubstr("y[5] is nan"));
  }
}

TEST(Max, KeepsANanOnAGpu) {
  const Sample sample = DrawRelu(CudaTestDevice(4));
  std::vector<CudaText> texts;
  for (const codegen::Schedule& schedule : sample.schedules) {
    const codegen::GpuText text =
        codegen::PrintGpu(codegen::LowerSchedule(*sample.task.function, schedule));
    texts.push_back({text.source, text.launch});
  }
  for (const std::string& message : RunCudaSources(sample.task, texts)) {
    EXPECT_THAT(message, HasSubstr("y[5] is nan"));
  }
}

TEST(Max, KeepsANanInTheInterpreter) {
  const Sample sample = DrawRelu(TestDevice(4));
  for (const codegen::Schedule& schedule : sample.schedules) {
    codegen::InterpreterData data;
    data.arrays = {std::vector<double>(12, -1), std::vector<double>(12, -2)};
    data.arrays[0][5] = std::numeric_limits<double>::quiet_NaN();
    const codegen::LoweredCode code = codegen::LowerSchedule(*sample.task.function, schedule);
    ASSERT_EQ(codegen::Interpret(code, data).error, "");
    EXPECT_TRUE(data.arrays[1][5] != data.arrays[1][5]);
    EXPECT_EQ(data.arrays[1][4], 0);
  }
}

}  // namespace
}  // namespace exh::kernels::testing

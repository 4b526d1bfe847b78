// SPDX-License-Identifier: MIT
//
// A kernel that reads elements at several points of its loops, y[n] = sum over k of w[k] x[n + k]:
// its accesses move by one element along two axes. The library's convolution does so in two
// dimensions, and beyond the border of its image. Every implementation of a sample is right.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernels/codegen/interpreter.h"
#include "kernels/codegen/plan/lowered_code.h"
#include "kernels/library/registry.h"
#include "kernels/problem.h"
#include "kernels/task.h"
#include "search/descend/descent.h"
#include "tests/kernels/space/sample.h"

namespace exh::kernels {
namespace {

class Convolution final : public Kernel {
 public:
  std::string_view name() const override { return "convolution"; }
  std::string_view summary() const override { return "y[n] = sum of w[k] x[n + k]"; }
  std::vector<Parameter> parameters() const override { return {{"n", 32, 1, 1 << 28, "length"}}; }
  void Build(ir::Builder& b, const Parameters& sizes) const override {
    const auto n = static_cast<std::uint32_t>(sizes.at("n"));
    const ir::ArrayId x = b.InputArray("x", n + kTaps - 1), w = b.InputArray("w", kTaps);
    const ir::ArrayId y = b.OutputArray("y", n);
    const ir::AxisRef axis = b.Axis("n", n, {{2, 16}}), k = b.Axis("k", kTaps, {});
    const ir::Value load_x = b.Load("load_x", x, {{axis, 1}, {k, 1}});
    const ir::Value load_w = b.Load("load_w", w, {{k, 1}});
    const ir::Value init = b.Compute("init", ir::Op::kConst, {axis}, {ir::Literal(0)});
    const ir::Value sum = b.Reduce("sum", ir::Op::kMad, {axis, k}, {k}, init,
                                   {ir::MayStage(load_x), ir::MayStage(load_w)});
    b.Store("store_y", y, {{axis, 1}}, ir::InRegisters(sum));
  }
  void Reference(const Parameters& sizes, ProblemData& data) const override {
    const auto x = data.at("x").values.As<float>(), w = data.at("w").values.As<float>();
    ArrayData& y = data.at("y");
    for (std::size_t i = 0; i < static_cast<std::size_t>(sizes.at("n")); ++i) {
      double sum = 0;
      for (std::size_t tap = 0; tap < kTaps; ++tap) sum += double{w[tap]} * x[i + tap];
      y.reference.push_back(sum);
      y.tolerance.push_back(1e-5);
    }
  }
  double Flops(const Parameters& sizes) const override {
    return 2.0 * kTaps * static_cast<double>(sizes.at("n"));
  }
  std::string NaiveSource(const Parameters&) const override { return ""; }
  std::string EigenSource(const Parameters&) const override { return ""; }

 private:
  static constexpr std::uint32_t kTaps = 8;
};

void ExpectRight(const Kernel& kernel, const Parameters& sizes, const ir::Device& device) {
  const Task task = MakeTask(kernel, sizes, device);
  ASSERT_FALSE(task.root_failed);
  const ProblemData problem = MakeProblem(task, 1);
  const auto order = search::ChoiceOrder::Default(*task.instance);
  search::Descender descender(order);
  constexpr std::uint64_t kSeed = 5;
  Random random(kSeed);
  const runtime::Candidate root(task.instance);
  int checked = 0;
  for (int descent = 0; descent < 400 && checked < 25; ++descent) {
    if (descender.Run(root, random, [](const search::DeadEnd&) {}) !=
        search::DescentResult::kImplementation) {
      continue;
    }
    const codegen::Schedule schedule = ExtractSchedule(task, descender.candidate());
    const codegen::LoweredCode code = codegen::LowerSchedule(*task.function, schedule);
    ASSERT_EQ(code.error, "");
    codegen::InterpreterData data;
    for (const ir::Array& array : task.function->arrays) {
      const auto values = problem.find(array.name)->second.values.As<float>();
      data.arrays.emplace_back(values.begin(), values.end());
      data.arrays.back().resize(array.elements, std::nan(""));
    }
    ASSERT_EQ(codegen::Interpret(code, data).error, "");
    const std::vector<double>& reference = problem.at("y").reference;
    for (std::size_t i = 0; i < reference.size(); ++i) {
      ASSERT_NEAR(data.arrays[2][i], reference[i], 1e-5)
          << "element " << i << ", seed " << kSeed << ", descent " << descent;
    }
    ++checked;
  }
  EXPECT_EQ(checked, 25);
}

TEST(Overlap, EveryImplementationOnTheCpuIsRight) {
  ExpectRight(Convolution(), {{"n", 32}}, testing::TestDevice(16));
}

TEST(Overlap, EveryImplementationOnAGpuIsRight) {
  ExpectRight(Convolution(), {{"n", 32}}, testing::CudaTestDevice(4));
}

/// Sizes of the library's convolution, beside its defaults.
Parameters Image(const Parameters& changed) {
  Parameters sizes;
  for (const Parameter& p : FindKernel("conv2d")->parameters()) sizes[p.name] = p.default_value;
  for (const auto& [name, value] : changed) sizes[name] = value;
  return sizes;
}

TEST(Overlap, EveryConvolutionOnTheCpuIsRight) {
  ExpectRight(*FindKernel("conv2d"), Image({{"h", 4}, {"w", 6}, {"c", 2}, {"m", 4}}),
              testing::TestDevice(16));
}

TEST(Overlap, EveryConvolutionOnAGpuIsRight) {
  ExpectRight(*FindKernel("conv2d"),
              Image({{"h", 7}, {"w", 5}, {"c", 2}, {"m", 4}, {"stride", 2}, {"layout", 1}}),
              testing::CudaTestDevice(4));
}

}  // namespace
}  // namespace exh::kernels

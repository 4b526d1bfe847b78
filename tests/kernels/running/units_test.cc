// SPDX-License-Identifier: MIT
//
// Attention of halves by matrix units: the sums of the first product are, as they lie in the
// registers of lanes, an operand of the second one, and lanes have slices of what reduces them. And
// what a mask hides, which loops leave out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/codegen/memory/skipped_tiles.h"
#include "kernels/codegen/print/gpu/printer.h"
#include "kernels/ir/flow/masks.h"
#include "kernels/library/registry.h"
#include "kernels/library/text_kernel.h"
#include "kernels/recipes/running/units.h"
#include "search/descend/choice_order.h"
#include "search/descend/first.h"
#include "tests/kernels/space/compiled_batch.h"
#include "tests/kernels/space/cuda_batch.h"
#include "tests/kernels/space/sample.h"

namespace exh::kernels::testing {
namespace {

using codegen::Fault;
using ::testing::HasSubstr;

const std::vector<Inputs> kAllInputs = {Inputs::kUniform, Inputs::kWholeNumbers, Inputs::kSpecial};
constexpr int kF16 = 2, kBf16 = 3;

constexpr const char* kPace = "pace(max_top:sub)=RUNNING\npace(max_top:sub_2)=RUNNING\n";
constexpr const char* kUnits =
    "unit(mad_score)=MMA\nunit(mad_y)=MMA\ndim_mapping(cast:mad_y.j3)=UNROLL_MAP\n";

Parameters Sizes(int type, int rows, int keys, int causal = 0) {
  return {{"h", 1},   {"m", rows},    {"n", keys},       {"d", 16},
          {"dv", 16}, {"type", type}, {"causal", causal}};
}

/// With what the kernel has where nobody says otherwise.
Parameters All(const Parameters& sizes) {
  Parameters all;
  for (const Parameter& p : FindKernel("attention")->parameters()) all[p.name] = p.default_value;
  for (const auto& [size, value] : sizes) all.at(size) = value;
  return all;
}

std::vector<CudaText> Print(const Sample& sample, Fault fault) {
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

int CountWrong(const std::vector<std::string>& messages) {
  return static_cast<int>(
      std::ranges::count_if(messages, [](const std::string& text) { return !text.empty(); }));
}

void ExpectRight(const Sample& sample, const std::string& part) {
  const std::vector<CudaText> texts = Print(sample, Fault::kNone);
  const std::vector<std::string> messages = RunCudaSources(sample.task, texts, kAllInputs);
  for (std::size_t i = 0; i < messages.size(); ++i) {
    EXPECT_THAT(texts[i].source, HasSubstr(part));
    ASSERT_EQ(messages[i], "") << sample.decisions[i] << texts[i].source;
  }
}

TEST(AttentionOfHalves, IsRightInTheCudaShim) {
  std::uint64_t seed = 1;
  for (const int type : {kF16, kBf16}) {
    for (const char* const pace : {kPace, ""}) {
      Coverage coverage;
      const Sample sample = Draw("attention", Sizes(type, 32, 32), CudaTestDevice(64), 8, ++seed,
                                 coverage, false, std::string(kUnits) + pace);
      ExpectRight(sample, "exh_mma_");
      if (HasFatalFailure()) return;
    }
  }
}

TEST(AttentionOfHalves, NoticesDefects) {
  Coverage coverage;
  const Sample sample = Draw("attention", Sizes(kBf16, 16, 64), CudaTestDevice(64), 8, 11, coverage,
                             false, std::string(kUnits) + kPace + "size(mad_score.j0)=2|4\n");
  for (const Fault fault : {Fault::kUncorrected, Fault::kWrongFragment}) {
    EXPECT_EQ(CountWrong(RunCudaSources(sample.task, Print(sample, fault))), 8);
  }
}

/// Implementations that leave out tiles.
int CountSkipping(const Sample& sample) {
  int count = 0;
  for (const codegen::Schedule& schedule : sample.schedules) {
    const codegen::LoweredCode code = codegen::LowerSchedule(*sample.task.function, schedule);
    count += code.skipped.empty() ? 0 : 1;
  }
  return count;
}

/// What the recipes for matrix units make, with rings whose fragments are read by matrices.
TEST(AttentionOfHalves, RecipesAreRight) {
  for (const int causal : {0, 1}) {
    Parameters sizes = Sizes(kBf16, 256, 256, causal);
    sizes["d"] = sizes["dv"] = 32;
    ir::Device device = CudaTestDevice(1024);
    device.max_unroll = 128;
    Sample sample{MakeTask(*FindKernel("attention"), All(sizes), device), {}, {}};
    const runtime::Candidate root(sample.task.instance);
    const auto order = search::ChoiceOrder::Default(root.instance());
    const std::vector<Recipe> recipes = RunningUnitRecipes(*sample.task.function);
    EXPECT_GE(recipes.size(), 6u);
    for (const Recipe& recipe : recipes) {
      const auto followed = search::Follow(recipe, root, order);
      ASSERT_TRUE(followed.implementation) << recipe.name;
      sample.schedules.push_back(ExtractSchedule(sample.task, *followed.implementation));
      sample.decisions.push_back(recipe.name);
    }
    ExpectRight(sample, "exh_matrices_4(");
    EXPECT_EQ(CountSkipping(sample), causal == 0 ? 0 : static_cast<int>(recipes.size()));
  }
}

// Registers do not hold a row of so many scores until its maximum is known. While it runs they need
// not.
TEST(AttentionOfHalves, LongRowsHaveOneProductOfScores) {
  for (const int causal : {0, 1}) {
    const Task task = MakeTask(*FindKernel("attention"), All(Sizes(kBf16, 64, 16384, causal)),
                               CudaTestDevice(64));
    EXPECT_EQ(std::ranges::count_if(task.function->insts,
                                    [](const ir::Instruction& inst) {
                                      return inst.is_reduction() && inst.op == ir::Op::kMad;
                                    }),
              2);
  }
}

TEST(Masks, AreMadeOfComparisonsOfIndices) {
  const auto mask_of = [](const std::string& condition) -> std::string {
    const std::string text =
        "kernel a\n  size m = 4, n = 8\n  input x: f32[m, n]\n  output y: f32[m, n]\n"
        "  y[i, j] = " +
        condition + " ? x[i, j] : -inf\nend\n";
    const TextKernel kernel("a.kernel", text);
    const Task task = MakeTask(kernel, {{"m", 4}, {"n", 8}}, TestDevice(1));
    for (const ir::Instruction& inst : task.function->insts) {
      const auto mask = ir::MaskOf(*task.function, inst);
      if (!mask) continue;
      std::string words;
      for (const ir::MaskBound& bound : *mask) {
        words += (words.empty() ? "" : "; ") + std::to_string(bound.offset);
        for (const auto& [axis, step] : bound.steps) words += " " + std::to_string(step) + axis;
      }
      return words;
    }
    return "none";
  };
  EXPECT_EQ(mask_of("j <= i"), "0 1i -1j");
  EXPECT_EQ(mask_of("j < i + 3"), "2 1i -1j");
  EXPECT_EQ(mask_of("j <= i and j > i - 3"), "0 1i -1j; 2 -1i 1j");
  EXPECT_EQ(mask_of("not (j > i)"), "0 1i -1j");
  EXPECT_EQ(mask_of("i >= j"), "0 1i -1j");
  EXPECT_EQ(mask_of("j == i"), "none");
  EXPECT_EQ(mask_of("j <= i or i < 2"), "none");
  EXPECT_EQ(mask_of("x[i, j] < 0"), "none");
}

TEST(SkippedTiles, AreMaskedOnTheCpu) {
  Coverage coverage;
  const Parameters sizes = {{"h", 1}, {"m", 12}, {"n", 12}, {"d", 4}, {"dv", 4}, {"causal", 1}};
  const Sample sample = Draw("attention", sizes, TestDevice(8), 24, 21, coverage, false, kPace);
  const std::vector<std::string> messages = RunPrinted(sample, Fault::kNone, kAllInputs);
  for (std::size_t i = 0; i < messages.size(); ++i)
    ASSERT_EQ(messages[i], "") << sample.decisions[i];
  EXPECT_EQ(CountSkipping(sample), 24);
  EXPECT_GE(CountWrong(RunPrinted(sample, Fault::kLostTile)), 20);
}

TEST(SkippedTiles, AreMaskedInTheCudaShim) {
  Coverage coverage;
  const Parameters small = {{"h", 1}, {"m", 8}, {"n", 12}, {"d", 4}, {"dv", 4}, {"causal", 1}};
  for (const int window : {0, 3}) {
    Parameters sizes = small;
    sizes["window"] = window;
    // Indices are taken from each other, too.
    const char* const pace =
        window == 0 ? kPace : "pace(max_top:sub_2)=RUNNING\npace(max_top:sub_3)=RUNNING\n";
    const Sample sample =
        Draw("attention", sizes, CudaTestDevice(32), 16, 22, coverage, false, pace);
    ExpectRight(sample, "end_");
    if (HasFatalFailure()) return;
    EXPECT_EQ(CountSkipping(sample), 16);
    EXPECT_GE(CountWrong(RunCudaSources(sample.task, Print(sample, Fault::kLostTile))), 12);
  }
}

TEST(SkippedTiles, AreOfMatrixUnitsToo) {
  Coverage coverage;
  const Sample sample = Draw("attention", Sizes(kBf16, 64, 64, 1), CudaTestDevice(64), 8, 23,
                             coverage, false, std::string(kUnits) + kPace);
  ExpectRight(sample, "exh_mma_");
  EXPECT_EQ(CountSkipping(sample), 8);
}

}  // namespace
}  // namespace exh::kernels::testing

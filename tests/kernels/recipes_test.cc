// SPDX-License-Identifier: MIT
//
// Recipes as lists of wishes, and what they ask a backbone and a device. A wish whose choice or
// value no space has is passed over without a word, so each name is looked up here; and some
// recipes stand in golden/recipes.txt as they are. EXH_UPDATE_GOLDENS=1 writes that file anew.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "kernels/devices/device.h"
#include "kernels/first.h"
#include "kernels/ir/lowering.h"
#include "kernels/ir/target/lanes.h"
#include "kernels/ir/target/nest_axes.h"
#include "kernels/kernel_space.h"
#include "kernels/library/call_kernel.h"
#include "kernels/library/registry.h"
#include "tests/support/tree.h"

namespace exh::kernels {
namespace {

ir::Device DeviceNamed(const std::string& name) {
  const DeviceResult loaded = LoadDevice(name);
  EXPECT_TRUE(loaded.device) << loaded.error;
  return *loaded.device;
}
/// The same on every machine.
ir::Device Processor() {
  ir::Device device = DeviceNamed("cpu");
  device.model.clear();
  device.vector_sizes = {2, 4, 8};
  device.max_registers = device.block_registers = 13 * 8;
  device.shared_bytes = 1 << 19;
  device.threads = 4;
  return device;
}

ir::Target TargetOf(const Kernel& kernel, const Parameters& changed, const ir::Device& device) {
  Parameters sizes;
  for (const Parameter& parameter : kernel.parameters()) {
    sizes[parameter.name] = parameter.default_value;
  }
  for (const auto& [name, value] : changed) sizes[name] = value;
  ir::Target target;
  target.device = device;
  BuildBackbone(kernel, sizes, /*paper=*/false, target, &device);
  ir::PlanLowering(target, target.plans_windows());
  return target;
}

TEST(WidestVector, IsThatWhichFits) {
  ir::Device device;
  EXPECT_EQ(ir::WidestVector(device), 1u);
  device.vector_sizes = {2, 4, 8};
  EXPECT_EQ(ir::WidestVector(device), 8u);
  EXPECT_EQ(ir::WidestVector(device, [](std::uint32_t lanes) { return 12 % lanes == 0; }), 4u);
  EXPECT_EQ(ir::WidestVector(device, [](std::uint32_t lanes) { return lanes > 8; }), 1u);
}

TEST(NestAxes, OfAProductAreRowsColumnsAndWhatIsSummedOver) {
  const ir::Target target = TargetOf(*FindKernel("matmul"), {}, Processor());
  const ir::Instruction* const sum = ir::OnlySumOfProducts(target);
  ASSERT_NE(sum, nullptr);
  const auto results = ir::ResultAxes(target, *sum), reduced = ir::ReducedAxes(target, *sum);
  ASSERT_EQ(results.size(), 2u);
  ASSERT_EQ(reduced.size(), 1u);
  EXPECT_EQ(results[0]->name, "mad.m");
  EXPECT_EQ(results[1]->name, "mad.n");
  EXPECT_EQ(reduced[0]->name, "mad.k");
  EXPECT_TRUE(ir::IsReduced(target, *reduced[0]));
  EXPECT_FALSE(ir::IsReduced(target, *results[0]));
  EXPECT_EQ(ir::AxesOf(target, *sum).size(), 3u);
  // a[m, k] does not move along n.
  const auto operands = ir::OperandsOf(target, *sum);
  ASSERT_EQ(operands.size(), 2u);
  const ir::LogicalDim* const moves = ir::ProducersAxis(target, *operands[0], *results[0]);
  ASSERT_NE(moves, nullptr);
  EXPECT_EQ(moves->name, "load_a.m");
  EXPECT_EQ(ir::ProducersAxis(target, *operands[0], *results[1]), nullptr);
  // gesummv has two sums.
  EXPECT_EQ(ir::OnlyReduction(TargetOf(*FindKernel("gesummv"), {}, Processor())), nullptr);
}

/// What is wrong with the names of a wish; empty: nothing.
std::string WrongName(const runtime::Space& space, const Wish& wish) {
  const std::string name = wish.decision.substr(0, wish.decision.find('('));
  const auto choice = std::ranges::find(space.choices, name, &runtime::Choice::name);
  if (choice == space.choices.end()) return "no choice: " + wish.decision;
  for (const std::string& value : wish.values) {
    const bool is_value =
        choice->kind == runtime::ChoiceKind::kEnum
            ? std::ranges::find(choice->values, value) != choice->values.end()
            : !value.empty() && std::ranges::all_of(value, [](unsigned char character) {
                return std::isdigit(character) != 0;
              });
    if (!is_value) return "no value of " + wish.decision + ": " + value;
  }
  return "";
}

TEST(Recipes, WishForNamesThatTheSpaceHas) {
  std::size_t wishes = 0;
  for (const ir::Device& device :
       {Processor(), DeviceNamed("h200"), DeviceNamed("k4000"), DeviceNamed("hip-text")}) {
    for (const auto& kernel : AllKernels()) {
      for (const Recipe& recipe : FirstRecipes(TargetOf(*kernel, {}, device))) {
        for (const Wish& wish : recipe.wishes) {
          EXPECT_EQ(WrongName(LinalgSpace().space(), wish), "")
              << kernel->name() << " on " << device.name << ": " << recipe.name;
          ++wishes;
        }
      }
    }
  }
  EXPECT_GT(wishes, 1000u);
}

/// One of each writer.
TEST(Recipes, AreAsTheyWere) {
  struct Kept {
    const char *kernel, *recipe;
    Parameters sizes;
    ir::Device device;
  };
  const Parameters square = {{"m", 512}, {"n", 512}, {"k", 512}},
                   image = {{"h", 16}, {"w", 16}, {"c", 16}, {"m", 32}};
  const Kept all[] = {{"matmul", "unit, large tiles, rings", square, DeviceNamed("h200")},
                      {"matmul", "rings", square, DeviceNamed("h200")},
                      {"matmul", "copied tiles", square, DeviceNamed("k4000")},
                      {"conv2d", "windows", image, DeviceNamed("hip-text")},
                      {"matmul", "packed panels", square, Processor()},
                      {"matmul2", "chained tiles", {}, Processor()},
                      {"axpy", "streams past the caches", {}, Processor()},
                      {"dot", "tiles", {}, Processor()},
                      {"dot", "tiles", {}, DeviceNamed("h200")},
                      {"softmax", "tiles", {}, DeviceNamed("h200")},
                      {"logsumexp", "running rows", {}, DeviceNamed("h200")},
                      {"logsumexp",
                       "rows of 8 blocks with a last one, 16 elements held",
                       {{"m", 64}, {"n", 131072}},
                       DeviceNamed("h200")},
                      {"rms_norm",
                       "rows of 8 blocks in two launches, 32 elements held",
                       {{"m", 64}, {"n", 131072}},
                       DeviceNamed("h200")},
                      {"attention", "running tiles", {}, DeviceNamed("h200")},
                      {"attention", "running units", {{"type", 3}}, DeviceNamed("h200")},
                      {"scan", "divided rows", {{"m", 1}, {"n", 1 << 20}}, DeviceNamed("h200")},
                      {"mv", "naive", {}, Processor()}};
  std::string text;
  for (const Kept& kept : all) {
    const auto recipes = FirstRecipes(TargetOf(*FindKernel(kept.kernel), kept.sizes, kept.device));
    const auto found = std::ranges::find(recipes, kept.recipe, &Recipe::name);
    ASSERT_NE(found, recipes.end()) << kept.kernel << ": " << kept.recipe;
    text += std::string("# ") + kept.kernel + " on " + kept.device.name + ": " + found->name + "\n";
    for (const Wish& wish : found->wishes) {
      text += wish.decision + " =";
      for (const std::string& value : wish.values) text += " " + value;
      text += "\n";
    }
  }
  const std::string path = std::string(kSourceDir) + "/tests/kernels/golden/recipes.txt";
  if (std::getenv("EXH_UPDATE_GOLDENS") != nullptr) std::ofstream(path) << text;
  std::ostringstream golden;
  golden << std::ifstream(path).rdbuf();
  EXPECT_EQ(text, golden.str()) << path;
}

}  // namespace
}  // namespace exh::kernels

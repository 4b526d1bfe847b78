// SPDX-License-Identifier: MIT
//
// What compilers may share or leave out does not count, so that no bound is above a time.
#include "models/inventory/inventory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/devices/device.h"
#include "kernels/ir/lowering.h"
#include "kernels/library/call_kernel.h"
#include "kernels/library/text_kernel.h"
#include "models/inventory/dataflow.h"
#include "tests/models/bounded.h"

namespace exh::models {
namespace {

struct Counted {
  std::size_t arrays_read = 0, accesses = 0, computations = 0;
};

Counted CountedOf(const std::string& statement) {
  search::ProblemOptions options;
  options.compute = statement;
  options.size = "i=64";
  options.device = "h200";
  const search::Problem problem = search::MakeProblem(options);
  const Inventory inventory =
      TakeInventory(*problem.task.function, RatesOf(problem), CacheState::kWarm);
  Counted counted;
  for (const ArrayUse& use : inventory.arrays) {
    counted.arrays_read += use.is_read ? 1 : 0;
    counted.accesses += use.is_read ? use.accesses.size() : 0;
  }
  counted.computations = inventory.computations.size();
  return counted;
}

TEST(Inventory, CountsLoadsAndOperations) {
  const Counted counted = CountedOf("y[i] = x[i] + z[i]");
  EXPECT_EQ(counted.arrays_read, 2U);
  EXPECT_EQ(counted.accesses, 2U);
  EXPECT_EQ(counted.computations, 1U);
}

TEST(Inventory, CountsOneLoadOfAnArrayThatIsReadApart) {
  // In a loop that is unrolled x[i + 1] of one copy is x[i] of the next, and so are the sums.
  const Counted counted = CountedOf("y[i] = (x[i] + x[i + 1]) + (x[i + 1] + x[i + 2])");
  EXPECT_EQ(counted.arrays_read, 1U);
  EXPECT_EQ(counted.accesses, 1U);
  EXPECT_EQ(counted.computations, 0U);
}

TEST(Inventory, LeavesOutWhatStandsTwice) {
  EXPECT_EQ(CountedOf("y[i] = (x[i] + z[i]) * (x[i] + z[i])").computations, 1U);
}

TEST(Inventory, LeavesOutWhatAConditionPicks) {
  const Counted counted = CountedOf("y[i] = c[i] < 0 ? x[i] + z[i] : 1");
  EXPECT_EQ(counted.arrays_read, 1U);
  EXPECT_EQ(counted.computations, 0U);
}

TEST(Inventory, LeavesOutAProductThatADifferenceMayTakeOver) {
  EXPECT_EQ(CountedOf("y[i] = x[i] * z[i] - c[i]").computations, 0U);
}

/// The backbone of statements, as it is before a space is built of it.
kernels::ir::Target BackboneOf(const std::string& statements, const std::string& device = "h200") {
  const std::string text = kernels::TextOfStatements(statements, "f32", {{"i", 4096}});
  const kernels::TextKernel kernel("chain", text);
  kernels::ir::Target function;
  function.device = *kernels::LoadDevice(device).device;
  kernels::BuildBackbone(kernel, search::ParseSizes(kernel, ""), /*paper=*/false, function);
  kernels::ir::PlanLowering(function, function.plans_windows());
  return function;
}

std::uint64_t StepsFor(const std::string& statements) {
  const kernels::ir::Target function = BackboneOf(statements);
  return TakeInventory(function, RecordedRates(function.device), CacheState::kWarm).steps;
}

/// So many multiply-adds in a row: a polynomial, as Horner computes it.
std::string Horner(int degree) {
  std::string text, before = "x[i]";
  for (int step = 1; step <= degree; ++step) {
    const std::string name = (step == degree ? "y" : "t" + std::to_string(step)) + "[i]";
    text += (text.empty() ? "" : "; ") + name + " = " + before + " * x[i] + " +
            std::to_string(step) + ".5";
    before = name;
  }
  return text;
}

/// Each value is read `uses` times by the next one.
std::string Doubling(int statements, int uses = 2) {
  std::string text, before = "x";
  for (int number = 0; number < statements; ++number) {
    const std::string name = number + 1 == statements ? "y" : "t" + std::to_string(number);
    std::string sum = before + "[i] * " + before + "[i]";
    for (int use = 2; use < uses; ++use) sum += " + " + before + "[i]";
    text += (text.empty() ? "" : "; ") + name + "[i] = " + sum;
    before = name;
  }
  return text;
}

TEST(Inventory, OfAChainTakesStepsForEachOfItsEdges) {
  // Levels of an axis are paired each by itself: from each multiply-add to the one before there are
  // several ways, and what is behind must not be looked at for each of them.
  const std::uint64_t short_chain = StepsFor(Horner(5));
  ASSERT_LE(StepsFor(Horner(10)), 3 * short_chain);
  EXPECT_LE(StepsFor(Horner(200)), 50 * short_chain);
}

TEST(Inventory, OfValuesThatAreReadOftenTakesStepsForEachOfItsEdges) {
  const std::uint64_t few = StepsFor(Doubling(3));
  ASSERT_LE(StepsFor(Doubling(6)), 4 * few);
  EXPECT_LE(StepsFor(Doubling(200)), 100 * few);
  EXPECT_LE(StepsFor(Doubling(20, 30)), 300 * few);
}

TEST(Inventory, TermsThatAreAllTheSameAddUpButAreComparedOnce) {
  const auto varies = [](const std::string& word) {
    const kernels::TextKernel kernel("same",
                                     "kernel same\n  size m = 8, n = 16\n"
                                     "  input x: f32[m, n] strides (0, 1)\n"
                                     "  output y: f32[n]\n  y[j] = " +
                                         word + "(i) x[i, j]\nend\n");
    kernels::ir::Target function;
    function.device = *kernels::LoadDevice("h200").device;
    kernels::BuildBackbone(kernel, search::ParseSizes(kernel, ""), /*paper=*/false, function);
    kernels::ir::PlanLowering(function, function.plans_windows());
    Dataflow flow(function, 32);
    for (const kernels::ir::Instruction& inst : function.insts) {
      if (!inst.is_reduction()) continue;
      const kernels::ir::LogicalDimId axis = function.dim(inst.reduce_dims.front()).logical;
      return flow.LostAlong(inst, axis).has_value();
    }
    return false;
  };
  EXPECT_TRUE(varies("sum"));
  EXPECT_FALSE(varies("max"));
}

TEST(Inventory, RingsWaitForFewerRounds) {
  const search::Problem problem = MakeProblem("matmul", "m=64,n=64,k=64", "h200");
  const kernels::ir::Target& function = *problem.task.function;
  const Inventory inventory = TakeInventory(function, RatesOf(problem), CacheState::kWarm);
  const auto of_load_b = std::ranges::find_if(inventory.waiting, [&](const Waiting& waiting) {
    return function.inst(inventory.nests[waiting.nest].inst).name() == "load_b";
  });
  ASSERT_NE(of_load_b, inventory.waiting.end());
  const kernels::ir::MemId ring = of_load_b->ring;
  ASSERT_TRUE(ring.valid());
  EXPECT_EQ(function.block(ring).name(), "tmp.load_b");

  Domains domains = DomainsOf(problem, problem.root());
  const auto share = [&] { return ShareThatWaits(function, domains, ring); };
  MemDomain& block = domains.blocks[ring.index()];
  const std::vector<kernels::ir::AxisId>& axes = function.block(ring).axes;
  for (const kernels::ir::AxisId axis : axes) {
    domains.axes[axis.index()].stored = Presence::kAbsent;
  }
  block = {.presence = Presence::kAbsent, .max_stages = 4, .may_copy = true};
  EXPECT_EQ(share(), 1);
  block.presence = Presence::kPossible;
  EXPECT_EQ(share(), 1.0 / 4);
  block = {.presence = Presence::kCertain, .min_stages = 2, .max_stages = 2};
  EXPECT_EQ(share(), 1.0 / 2);
  // Rows that are copied one after the other in an iteration are under way together, too; what
  // registers hold is not.
  const kernels::ir::Axis& axis = function.axis(axes.front());
  domains.axes[axis.id.index()].stored = Presence::kCertain;
  domains.dims[axis.store_dim.index()] = {.min = 8, .max = 8, .kinds = DimKind::LOOP};
  EXPECT_EQ(share(), 1.0 / 2);
  block.may_copy = true;
  EXPECT_EQ(share(), 1.0 / (2 * 8));
  domains.dims[axis.store_dim.index()].kinds = DimKind::THREAD | DimKind::UNROLL;
  EXPECT_EQ(share(), 1.0 / 2);
}

}  // namespace
}  // namespace exh::models

// SPDX-License-Identifier: MIT
//
// What the requirements nothing_is_filled_in_vain (memory.exh) take away: exactly the programs that
// fill a temporary again with what it holds, as their loops show it; and for each of them something
// is left with the same tiles that has no more to do.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <string>

#include "kernels/codegen/plan/lowered_code.h"
#include "kernels/codegen/plan/work.h"
#include "search/descend/choice_order.h"
#include "search/descend/descent.h"
#include "search/log/decisions.h"
#include "tests/kernels/space/sample.h"

namespace exh::kernels::testing {
namespace {

using runtime::Candidate;
using runtime::DecisionId;
using runtime::Propagation;

/// The space of a kernel, with what fills in vain or without.
Task SpaceOfKernel(const std::string& name, const Parameters& sizes, const ir::Device& device,
                   bool keeps) {
  return ChangedTask(name, sizes, device,
                     [&](ir::Target& target) { target.keeps_vain_fills = keeps; });
}

/// As the loops show it: around a store that fills a temporary is a loop of somebody else, and
/// inside of that none that the reader shares.
bool FillsInVain(const ir::Function& f, const codegen::Schedule& schedule,
                 const codegen::LoopTree& tree) {
  using codegen::NodeKind;
  for (const ir::MemBlock& block : f.blocks) {
    if (!schedule.InBlocks(block.id)) continue;
    const std::vector<ir::DimId>& own = f.inst(block.store).dims;
    for (int node = tree.node_of_inst[block.store.index()]; node >= 0;
         node = tree.node(node).parent) {
      const codegen::LoopNode& at = tree.node(node);
      if (at.kind != NodeKind::kLoop && at.kind != NodeKind::kUnroll &&
          at.kind != NodeKind::kVector) {
        continue;
      }
      const std::vector<ir::DimId>& dims =
          tree.classes[static_cast<std::size_t>(at.dim_class)].dims;
      const auto has = [&](ir::DimId dim) { return std::ranges::find(dims, dim) != dims.end(); };
      const bool is_shared = std::ranges::any_of(block.axes, [&](ir::AxisId id) {
        const ir::Axis& axis = f.axis(id);
        return f.dim(axis.store_dim).sizes.back() > 1 && has(axis.store_dim) && has(axis.load_dim);
      });
      if (is_shared) break;
      if (std::ranges::none_of(own, has)) return true;
    }
  }
  return false;
}

/// `from` with the decisions of an implementation of the other space, those of `choices` or, when
/// there are none of these, all that both have; nothing where they cannot hold.
std::optional<Candidate> WithDecisions(const Candidate& implementation, const Candidate& from,
                                       const std::vector<std::string>& choices) {
  Candidate state = from;
  const runtime::Instance& instance = from.instance();
  // Temporaries come to life on the way.
  for (bool is_new = true; is_new;) {
    is_new = false;
    for (std::size_t choice = 0; choice < instance.space().choices.size(); ++choice) {
      const runtime::Choice& facts = instance.space().choices[choice];
      const bool is_wanted = choices.empty()
                                 ? facts.name != "innermost_shared"
                                 : std::ranges::find(choices, facts.name) != choices.end();
      if (facts.kind == runtime::ChoiceKind::kCounter || !is_wanted) continue;
      const int number = static_cast<int>(choice);
      for (DecisionId d = instance.first_decision(number); d < instance.end_decision(number); ++d) {
        if (!state.IsLive(d) || !implementation.IsLive(d)) continue;
        const int value = implementation.FirstValue(d);
        if (!state.MayTake(d, value)) return {};
        if (!state.IsOpen(d)) continue;
        if (state.Take(d, value) != Propagation::kFixpoint) return {};
        is_new = true;
      }
    }
  }
  return state;
}

double RoughTimeOf(const Task& task, const Candidate& implementation) {
  const codegen::Schedule schedule = ExtractSchedule(task, implementation);
  const codegen::LoweredCode code = codegen::LowerSchedule(*task.function, schedule);
  EXPECT_EQ(code.error, "");
  return codegen::RoughTimeNs(code.tree, task.function->device.threads);
}

struct Tally {
  int drawn = 0, in_vain = 0;
};

void Check(const std::string& kernel, const Parameters& sizes, const ir::Device& device, int count,
           Tally& tally) {
  const Tally before = tally;
  const Task with = SpaceOfKernel(kernel, sizes, device, true);
  const Task without = SpaceOfKernel(kernel, sizes, device, false);
  const Candidate root(with.instance), restricted(without.instance);
  const auto order =
      search::ChoiceOrder::Parse("tiles,dim_mapping,size,dim_kind,order", *with.instance);
  Random random(7);
  for (int number = 0; number < count;) {
    search::Descender descender(order, 200);
    if (descender.Run(root, random, [](const search::DeadEnd&) {}) !=
        search::DescentResult::kImplementation) {
      continue;
    }
    ++number;
    ++tally.drawn;
    const Candidate& implementation = descender.candidate();
    const codegen::Schedule schedule = ExtractSchedule(with, implementation);
    const codegen::LoweredCode code = codegen::LowerSchedule(*with.function, schedule);
    ASSERT_EQ(code.error, "");
    const bool in_vain = FillsInVain(*with.function, schedule, code.tree);
    const auto same = WithDecisions(implementation, restricted, {});
    ASSERT_EQ(same.has_value(), !in_vain) << kernel << "\n"
                                          << codegen::ToText(*with.function, code.tree);
    if (!in_vain) {
      EXPECT_TRUE(same->IsImplementation()) << "innermost_shared does not follow";
      continue;
    }
    ++tally.in_vain;
    const auto start =
        WithDecisions(implementation, restricted, {"tiles", "size", "dim_kind", "mem_space"});
    ASSERT_TRUE(start.has_value()) << codegen::ToText(*with.function, code.tree);
    const double rough = codegen::RoughTimeNs(code.tree, device.threads);
    double least = std::numeric_limits<double>::infinity();
    for (int tries = 0; tries < 100 && least > rough; ++tries) {
      search::Descender other(order, 200);
      if (other.Run(*start, random, [](const search::DeadEnd&) {}) ==
          search::DescentResult::kImplementation) {
        least = std::min(least, RoughTimeOf(without, other.candidate()));
      }
    }
    EXPECT_LE(least, rough) << codegen::ToText(*with.function, code.tree);
  }
  fmt::print("{}: {} of {} random implementations fill in vain\n", kernel,
             tally.in_vain - before.in_vain, tally.drawn - before.drawn);
}

TEST(VainFills, WhatIsRefusedFillsInVainAndSomethingNoSlowerIsLeft) {
  Tally tally;
  ir::Device one = TestDevice(1);
  one.threads = 2;
  for (const std::uint32_t n : {4u, 24u}) {
    Check("axpy", {{"n", n}}, one, 100, tally);
    Check("axpy", {{"n", n}}, TestDevice(64), 50, tally);
    Check("mv", {{"m", n}, {"n", n}}, one, 100, tally);
    Check("matmul", {{"m", n}, {"n", n}, {"k", n}}, one, 60, tally);
    Check("matmul", {{"m", n}, {"n", n}, {"k", n}}, TestDevice(64), 30, tally);
  }
  RecordProperty("drawn", tally.drawn);
  RecordProperty("in_vain", tally.in_vain);
  EXPECT_GT(tally.in_vain, tally.drawn / 20);
  EXPECT_LT(tally.in_vain, tally.drawn);
}

/// All implementations below, by the first open decision of the order.
void ForEachImplementation(const Candidate& state, const search::ChoiceOrder& order,
                           const std::function<void(const Candidate&)>& visit) {
  const auto decision = order.Next(state);
  if (!decision) return visit(state);
  state.ForEachValue(*decision, [&](int value) {
    Candidate child = state;
    if (child.Take(*decision, value) == Propagation::kFixpoint) {
      ForEachImplementation(child, order, visit);
    }
  });
}

/// What two implementations have in common that differ in where their loops stand alone.
std::string Frame(const Candidate& implementation) {
  const runtime::Instance& instance = implementation.instance();
  std::string frame;
  for (const char* name : {"tiles", "size", "dim_kind", "mem_space"}) {
    const int choice = instance.FindChoice(name);
    for (DecisionId d = instance.first_decision(choice); d < instance.end_decision(choice); ++d) {
      frame += implementation.IsLive(d) ? std::to_string(implementation.FirstValue(d)) + "," : "-,";
    }
  }
  return frame;
}

struct Small {
  std::string kernel;
  Parameters sizes;
  std::uint32_t shared_bytes, max_unroll;
};

/// The space without what has nothing to do with fills: by which schedule blocks are handed out.
Candidate RootOf(const Task& task) {
  Candidate root(task.instance);
  const runtime::Instance& instance = *task.instance;
  const int choice = instance.FindChoice("block_schedule");
  for (DecisionId d = instance.first_decision(choice); d < instance.end_decision(choice); ++d) {
    EXPECT_EQ(root.Take(d, root.FirstValue(d)), Propagation::kFixpoint);
  }
  return root;
}

/// Brute force: with what fills in vain a space has all implementations that it has without it, and
/// for each of the others one that is left has the same frame and no more to do.
void CheckAll(const Small& small) {
  ir::Device device = TestDevice(1);
  device.threads = 2;
  device.shared_bytes = small.shared_bytes;
  device.global_bytes = 4;
  device.max_unroll = small.max_unroll;
  device.cache_flags = {"CACHE_DEFAULT"};
  const Task with = SpaceOfKernel(small.kernel, small.sizes, device, true);
  const Task without = SpaceOfKernel(small.kernel, small.sizes, device, false);
  std::map<std::string, double> least;
  std::size_t left = 0, all = 0, refused = 0;
  ForEachImplementation(RootOf(without), search::ChoiceOrder::Default(*without.instance),
                        [&](const Candidate& implementation) {
                          ++left;
                          const double rough = RoughTimeOf(without, implementation);
                          const auto [at, is_new] = least.emplace(Frame(implementation), rough);
                          if (!is_new) at->second = std::min(at->second, rough);
                        });
  ForEachImplementation(
      RootOf(with), search::ChoiceOrder::Default(*with.instance),
      [&](const Candidate& implementation) {
        ++all;
        const codegen::Schedule schedule = ExtractSchedule(with, implementation);
        const codegen::LoweredCode code = codegen::LowerSchedule(*with.function, schedule);
        ASSERT_EQ(code.error, "");
        if (!FillsInVain(*with.function, schedule, code.tree)) return;
        ++refused;
        const auto found = least.find(Frame(implementation));
        ASSERT_NE(found, least.end()) << codegen::ToText(*with.function, code.tree);
        EXPECT_LE(found->second, codegen::RoughTimeNs(code.tree, device.threads))
            << codegen::ToText(*with.function, code.tree);
      });
  EXPECT_EQ(all - refused, left);
  EXPECT_GT(refused, 0u);
  fmt::print("{}: {} of all {} implementations fill in vain\n", small.kernel, refused, all);
}

TEST(VainFills, OfAllImplementationsOfSizeFourSomethingNoSlowerIsLeft) {
  // With memories and unrolling so small that all can be gone through.
  CheckAll({"axpy", {{"n", 4}}, 8, 4});
  CheckAll({"mv", {{"m", 4}, {"n", 4}}, 4, 2});
  CheckAll({"matmul", {{"m", 4}, {"n", 1}, {"k", 4}}, 4, 2});
}

}  // namespace
}  // namespace exh::kernels::testing

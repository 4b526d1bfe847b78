// SPDX-License-Identifier: MIT
//
// The golden spaces about sets, counters, quotients and triggers: the engine against the oracle.
#include <gtest/gtest.h>

#include "spaces/counter_product.exh.filters.h"
#include "spaces/counter_sum.exh.filters.h"
#include "spaces/half_counter.exh.filters.h"
#include "spaces/parametric_set.exh.filters.h"
#include "spaces/quotient.exh.filters.h"
#include "spaces/subset.exh.filters.h"
#include "spaces/trigger.exh.filters.h"
#include "tests/generator/oracle/toy_world.h"

namespace exh::tests {
namespace {

using runtime::Candidate;
using runtime::Membership;
using Numbers = std::vector<std::uint32_t>;

std::function<Numbers(const Bindings&)> Always(std::uint32_t number) {
  return [number](const Bindings&) { return Numbers{number}; };
}

TEST(Oracle, ParametricSet) {
  using namespace spaces::parametric_set;
  toy::Shop shop = SomeTasks(3);
  shop.AddJob({toy::TaskId{0}, toy::TaskId{1}});
  shop.AddJob({toy::TaskId{1}, toy::TaskId{2}});
  const SpaceHost host(shop);
  const auto check = [&](const Candidate& candidate) {
    const View view(candidate, host);
    for (const toy::Job& job : shop.jobs) {
      for (const toy::TaskId task : job.tasks) {
        EXPECT_EQ(view.InJobTasks(job.id, task), Membership::kCertain);
        EXPECT_TRUE(
            view.shift(job.id, task).MustBe(filters::night_is_later::FilterShift(view.mode(task))));
      }
    }
  };
  EXPECT_GT(DriveGolden("parametric_set", GetSpace(), host, WorldOf(shop), check).solutions, 1u);
}

TEST(Oracle, Subset) {
  using namespace spaces::subset;
  toy::Shop shop = SomeTasks(3);
  shop.Heat(toy::TaskId{1}, 2);
  SpecWorld world = WorldOf(shop);
  world.members["HotTasks"] = {{-1, 1}};
  world.members["VeryHot"] = {{-1, 1}};
  world.tests["$hot.heat < 2"] = [](const Bindings&) { return false; };
  const SpaceHost host(shop);
  const auto check = [&](const Candidate& candidate) {
    const View view(candidate, host);
    // A HotId goes wherever a TaskId does.
    EXPECT_EQ(view.mode(toy::HotId{1}), ModeDomain(Mode::NOW));
    EXPECT_EQ(view.alarm(toy::HotId{1}), AlarmDomain(Alarm::ON));
  };
  EXPECT_GT(DriveGolden("subset", GetSpace(), host, world, check).solutions, 1u);
}

TEST(Oracle, Quotient) {
  using namespace spaces::quotient;
  toy::Shop shop = SomeTasks(3);
  shop.tasks[2].priority = -1;  // Not eligible.
  SpecWorld world = WorldOf(shop);
  world.tests["$task.priority >= 0"] = [](const Bindings& b) { return b.at("task") != 2; };
  world.numbers["1"] = Always(1);
  world.numbers["$fun.limit"] = Always(shop.limit);
  const SpaceHost host(shop);
  const auto check = [&](const Candidate& candidate) {
    const View view(candidate, host);
    EXPECT_EQ(view.InLeads(toy::TaskId{2}), Membership::kExcluded);
    const bool leads = view.is_lead(toy::TaskId{0}) == IsLeadDomain(IsLead::TRUE);
    EXPECT_EQ(view.InLeads(toy::TaskId{0}) == Membership::kCertain, leads);
  };
  EXPECT_GT(DriveGolden("quotient", GetSpace(), host, world, check).solutions, 1u);
}

TEST(Oracle, CounterSum) {
  using namespace spaces::counter_sum;
  toy::Shop shop = SomeTasks(3);
  shop.tasks[1].sizes = {1, 2};
  SpecWorld world = WorldOf(shop);
  world.numbers["$task.priority"] = [&](const Bindings& b) {
    return Numbers{static_cast<std::uint32_t>(b.at("task"))};
  };
  world.numbers["$other.sizes.size()"] = [&](const Bindings& b) {
    return Numbers{static_cast<std::uint32_t>(shop.tasks[b.at("other")].sizes.size())};
  };
  world.numbers["3 + $fun.limit"] = Always(3 + shop.limit);
  world.numbers["15"] = Always(15);
  world.numbers["1"] = Always(1);
  const SpaceHost host(shop);
  const auto check = [&](const Candidate& candidate) {
    const View view(candidate, host);
    const Numbers limit = {3 + shop.limit};
    for (const toy::Task& task : shop.tasks) {
      const runtime::Interval ahead = view.ahead(task.id);
      EXPECT_TRUE(ahead.IsSubsetOf(filters::bounded::FilterAhead(limit)));
    }
  };
  EXPECT_GT(DriveGolden("counter_sum", GetSpace(), host, world, check).solutions, 1u);
}

TEST(Oracle, CounterProduct) {
  using namespace spaces::counter_product;
  toy::Shop shop = SomeTasks(3);
  shop.tasks[1].sizes = {1, 3, 5};
  SpecWorld world = WorldOf(shop);
  world.numbers["$task.sizes"] = [&](const Bindings& b) { return shop.tasks[b.at("task")].sizes; };
  for (const std::uint32_t number : {1, 2, 4, 8}) {
    world.numbers[std::to_string(number)] = Always(number);
  }
  const SpaceHost host(shop);
  const auto check = [&](const Candidate& candidate) {
    EXPECT_LE(View(candidate, host).copies().max, 8u);
  };
  EXPECT_GT(DriveGolden("counter_product", GetSpace(), host, world, check).solutions, 1u);
}

TEST(Oracle, HalfCounter) {
  using namespace spaces::half_counter;
  const toy::Shop shop = SomeTasks(4);
  SpecWorld world = WorldOf(shop);
  world.numbers["1"] = Always(1);
  world.numbers["2"] = Always(2);
  const SpaceHost host(shop);
  EXPECT_GT(DriveGolden("half_counter", GetSpace(), host, world, [](const Candidate&) {}).solutions,
            1u);
}

TEST(Oracle, Trigger) {
  using namespace spaces::trigger;
  toy::Shop shop = SomeTasks(2);
  const toy::TaskId part_a = shop.AddTask("part_a", 9), part_b = shop.AddTask("part_b", 9);
  shop.tasks[part_a.value].planned = shop.tasks[part_b.value].planned = true;
  const toy::JobId job = shop.AddJob({toy::TaskId{0}, toy::TaskId{1}, part_a});
  shop.splits[0] = {{part_a}, {}, {}, {{job, part_a}}};
  shop.splits[1] = {{part_a, part_b}, {}, {}, {{job, part_a}}};
  SpecWorld world = WorldOf(shop);
  world.tests["!$task.planned"] = [](const Bindings& b) { return b.at("task") < 2; };
  world.plans["split"] = [](const Bindings& b) -> std::map<std::string, std::vector<SpecMember>> {
    switch (b.at("task")) {
      case 0:
        return {{"Tasks", {{-1, 2}}}, {"JobTasks", {{0, 2}}}};
      case 1:
        return {{"Tasks", {{-1, 2}, {-1, 3}}}, {"JobTasks", {{0, 2}}}};
      default:
        return {};
    }
  };
  const SpaceHost host(shop);
  const auto check = [&](const Candidate& candidate) {
    const View view(candidate, host);
    EXPECT_EQ(view.InTasks(toy::TaskId{0}), Membership::kCertain);
    const bool split = view.mode(toy::TaskId{1}) == ModeDomain(Mode::SPLIT);
    EXPECT_EQ(view.InTasks(part_b) == Membership::kCertain, split);
  };
  EXPECT_EQ(DriveGolden("trigger", GetSpace(), host, world, check).solutions, 3u);
}

}  // namespace
}  // namespace exh::tests

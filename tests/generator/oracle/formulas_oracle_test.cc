// SPDX-License-Identifier: MIT
//
// Spaces written with connectives, lets, externs and filtered quantifiers, against an oracle that
// reads the same space written without them (plain.exh).
#include <gtest/gtest.h>

#include "base/error.h"
#include "runtime/instance.h"
#include "spaces/dynamic.exh.h"
#include "spaces/formulas.exh.filters.h"
#include "tests/generator/oracle/toy_world.h"

namespace exh::tests {
namespace {

using runtime::Candidate;

SpecWorld FormulasWorld(const toy::Shop& shop) {
  SpecWorld world = WorldOf(shop);
  world.numbers["$task.sizes"] = [&](const Bindings& b) { return shop.tasks[b.at("task")].sizes; };
  world.numbers["$fun.limit"] = [&](const Bindings&) { return std::vector{shop.limit}; };
  for (const std::uint32_t number : {1u, 3u, 6u}) {
    world.numbers[std::to_string(number)] = [=](const Bindings&) { return std::vector{number}; };
  }
  world.tests["$a.id > $b.id"] = [](const Bindings& b) { return b.at("a") > b.at("b"); };
  world.tests["$task.priority > 1"] = [](const Bindings& b) { return b.at("task") > 1; };
  world.tests["!$fun.hurries($task)"] = [&](const Bindings& b) {
    return !shop.hurries(shop.tasks[b.at("task")]);
  };
  world.tests["$fun.alike($a, $b)"] = [&](const Bindings& b) {
    return shop.alike(shop.tasks[b.at("a")], shop.tasks[b.at("b")]);
  };
  return world;
}

TEST(Formulas, MeanWhatTheyDoWrittenOutByHand) {
  using namespace spaces::formulas;
  toy::Shop shop = SomeTasks(3);
  shop.tasks[1].sizes = {1, 2, 3, 5};
  shop.tasks[2].sizes = {1, 3, 4};
  shop.limit = 4;
  for (const bool idler : {false, true}) {
    if (idler) shop.tasks[2].name_ = "idler";
    const SpaceHost host(shop);
    const SpecDriveResult result = DriveGolden(
        "formulas", GetSpace(), host, FormulasWorld(shop), [](const Candidate&) {}, "plain.exh");
    EXPECT_GT(result.solutions, 5u);
    EXPECT_GT(result.implementations, 0u);
  }
}

TEST(Formulas, AnExternIsAskedOncePerTuple) {
  const toy::Shop shop = SomeTasks(4);
  const spaces::formulas::SpaceHost host(shop);
  runtime::Instance::Freeze(spaces::formulas::GetSpace(), host);
  EXPECT_EQ(shop.num_alike_calls, 4 * 3);
}

TEST(Formulas, ADynamicPredicateHoldsWhileItsObjectIsThere) {
  using namespace spaces::dynamic;
  toy::Shop shop = SomeTasks(3);
  const toy::TaskId part_a = shop.AddTask("part_a", 9), part_b = shop.AddTask("part_b", 9);
  shop.tasks[part_a.value].planned = shop.tasks[part_b.value].planned = true;
  const toy::JobId job = shop.AddJob({toy::TaskId{0}, part_a, part_b});
  shop.splits[0] = {{part_a}, {}, {}, {{job, part_a}}};
  shop.splits[1] = {{part_b}, {}, {}, {{job, part_b}}};
  SpecWorld world = WorldOf(shop);
  world.tests["!$task.planned"] = [](const Bindings& b) { return b.at("task") < 3; };
  world.tests["!$b.planned"] = [](const Bindings& b) { return b.at("b") < 3; };
  world.tests["$fun.has_part($task)"] = [](const Bindings& b) { return b.at("task") < 2; };
  world.tests["!$fun.has_part($a)"] = [](const Bindings& b) { return b.at("a") >= 2; };
  world.tests["!$fun.has_part($b)"] = [](const Bindings& b) { return b.at("b") >= 2; };
  world.numbers["1"] = [](const Bindings&) { return std::vector<std::uint32_t>{1}; };
  world.plans["split"] = [](const Bindings& b) -> std::map<std::string, std::vector<SpecMember>> {
    const int task = b.at("task");
    if (task > 1) return {};
    return {{"Tasks", {{-1, 3 + task}}}, {"JobTasks", {{0, 3 + task}}}};
  };
  const SpaceHost host(shop);
  const SpecDriveResult result = DriveGolden(
      "dynamic", GetSpace(), host, world, [](const Candidate&) {}, "plain.exh");
  EXPECT_GT(result.solutions, 3u);
  EXPECT_GT(result.implementations, 0u);
}

}  // namespace
}  // namespace exh::tests

// SPDX-License-Identifier: MIT
//
// What a generated host says about its backbone, and about a `.exh` whose keys disagree.
#include <gtest/gtest.h>

#include "runtime/host_support.h"
#include "spaces/parametric_set.exh.h"
#include "spaces/subset.exh.h"
#include "spaces/trigger.exh.h"
#include "tests/generator/oracle/toy_world.h"

namespace exh::tests {
namespace {

template <typename Host>
std::string ErrorOf(const toy::Shop& shop) {
  try {
    const Host host(shop);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(GeneratedHost, NumbersObjectsInIterationOrder) {
  toy::Shop shop = SomeTasks(3);
  shop.AddJob({toy::TaskId{1}, toy::TaskId{2}});
  const spaces::parametric_set::SpaceHost host(shop);
  namespace sets = spaces::parametric_set::sets;
  EXPECT_EQ(host.Size(sets::Tasks), 3);
  EXPECT_EQ(host.Size(sets::Jobs), 1);
  EXPECT_EQ(host.Name(sets::Tasks, 1), "task_b");
  EXPECT_EQ(host.Name(sets::Jobs, 0), "job0");  // No name(): var_prefix and number.
  EXPECT_EQ(host.TasksObject(toy::TaskId{2}), 2);
  EXPECT_EQ(host.TasksIdAt(2), toy::TaskId{2});
  const std::vector<runtime::Host::Member> expected = {{0, 1}, {0, 2}};
  EXPECT_EQ(host.Members(sets::JobTasks), expected);
}

TEST(GeneratedHost, NamesAreUniqueAndHaveNoBlanks) {
  const std::string where = "tests/generator/toy/tasks.exh:13: set Tasks: ";
  for (const char* name : {"a task", "f(x", "a,b", "a\tb"}) {
    toy::Shop shop;
    shop.AddTask(name);
    EXPECT_EQ(
        ErrorOf<spaces::subset::SpaceHost>(shop),
        where + "an object is called '" + name + "': a name has no blanks, commas and parentheses");
  }
  toy::Shop shop = SomeTasks(2);
  shop.AddTask("task_a");
  EXPECT_EQ(ErrorOf<spaces::subset::SpaceHost>(shop),
            where + "two objects are called 'task_a'; names differ in a set");
}

TEST(GeneratedHost, AnItemWithoutANameHasPrefixAndNumber) {
  toy::Shop shop = SomeTasks(1);
  shop.AddTask("");
  const spaces::subset::SpaceHost host(shop);
  EXPECT_EQ(host.Name(0, 1), "task1");
}

TEST(HostSupport, AsManyObjectsAsAnInstanceTakes) {
  runtime::ObjectTable<int> table;
  for (int id = 0; id < 65534; ++id) table.Add(id, "x");
  EXPECT_THROW(table.Add(65534, "x"), runtime::HostError);
}

TEST(HostSupport, ANegatedComparisonIsWithOneNumber) {
  EXPECT_EQ(runtime::OneNumberOf(std::vector<int>{4, 4}, "x"), std::vector<std::uint32_t>{4});
  try {
    runtime::OneNumberOf(std::vector<int>{1, 2}, "space.exh:7: require small");
    FAIL();
  } catch (const runtime::HostError& error) {
    EXPECT_STREQ(error.what(),
                 "space.exh:7: require small: yields 2 numbers; after 'not' and on the left of "
                 "'=>' a comparison is one with a single number");
  }
}

TEST(GeneratedHost, ItemsThatTheSupersetLacksAreAnError) {
  toy::Shop shop = SomeTasks(1);
  shop.Heat(toy::TaskId{7});
  EXPECT_EQ(ErrorOf<spaces::subset::SpaceHost>(shop),
            "tests/generator/golden/subset/space.exh:10: set HotTasks: yields an id that the root "
            "set lacks");
}

TEST(GeneratedHost, AnIdTwiceIsAnError) {
  toy::Shop shop = SomeTasks(2);
  shop.tasks[1].id = shop.tasks[0].id;
  EXPECT_EQ(ErrorOf<spaces::subset::SpaceHost>(shop),
            "tests/generator/toy/tasks.exh:13: set Tasks: yields an object twice");
}

TEST(GeneratedHost, IteratorAndFromSupersetMustAgree) {
  toy::Shop shop = SomeTasks(2);
  shop.Heat(toy::TaskId{0}, 2);
  shop.forget_very_hot = true;
  EXPECT_EQ(ErrorOf<spaces::subset::SpaceHost>(shop),
            "tests/generator/golden/subset/space.exh:17: set VeryHot: iterator and from_superset "
            "disagree on 'task_a': the iterator lacks it, from_superset has it");
}

TEST(GeneratedHost, ATriggerMayNotAddWhatNoIteratorHas) {
  toy::Shop shop = SomeTasks(2);
  const toy::JobId job = shop.AddJob({toy::TaskId{0}});
  shop.splits[0].job_tasks = {{job, toy::TaskId{1}}};
  const spaces::trigger::SpaceHost host(shop);
  const runtime::Object scope[] = {0};
  EXPECT_THROW(host.Plan(0, scope), runtime::HostError);
}

TEST(HostSupport, NumbersAreSortedDistinctAndInRange) {
  using runtime::NumbersOf;
  EXPECT_EQ(NumbersOf(std::vector<int>{4, 1, 4}, "x"), (std::vector<std::uint32_t>{1, 4}));
  EXPECT_EQ(NumbersOf(7, "x"), std::vector<std::uint32_t>{7});
  EXPECT_THROW(NumbersOf(-1, "x"), runtime::HostError);
  EXPECT_THROW(NumbersOf(std::uint64_t{1} << 32, "x"), runtime::HostError);
}

}  // namespace
}  // namespace exh::tests

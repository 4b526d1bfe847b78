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
  toy::Shop shop;
  shop.AddTask("a task");
  shop.AddTask("a task");
  shop.AddTask("f(x, y)");
  const spaces::subset::SpaceHost host(shop);
  EXPECT_EQ(host.Name(0, 0), "a_task");
  EXPECT_EQ(host.Name(0, 1), "a_task#1");
  EXPECT_EQ(host.Name(0, 2), "f_x__y_");
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

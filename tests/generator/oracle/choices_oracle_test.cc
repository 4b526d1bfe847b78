// SPDX-License-Identifier: MIT
//
// The golden spaces about choices and requirements: engine and filters against the oracle.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include "spaces/alias.exh.filters.h"
#include "spaces/antisymmetric.exh.filters.h"
#include "spaces/enum_choice.exh.filters.h"
#include "spaces/include.exh.filters.h"
#include "spaces/integer_choice.exh.filters.h"
#include "spaces/snippet_guard.exh.filters.h"
#include "spaces/symmetric.exh.filters.h"
#include "tests/generator/oracle/toy_world.h"

namespace exh::tests {
namespace {

using runtime::Candidate;

TEST(Oracle, EnumChoice) {
  using namespace spaces::enum_choice;
  const toy::Shop shop = SomeTasks(3);
  const SpaceHost host(shop);
  const auto check = [&](const Candidate& candidate) {
    const View view(candidate, host);
    ForPairs(shop, [&](const toy::Task& a, const toy::Task& b) {
      EXPECT_TRUE(view.mode(a.id).MustBe(filters::one_now::FilterModeA(view.mode(b.id))));
      EXPECT_TRUE(view.mode(b.id).MustBe(filters::one_now::FilterModeB(view.mode(a.id))));
      EXPECT_TRUE(view.mode(a.id).MustBe(filters::mode_1::FilterMode(view.pace(a.id))));
      EXPECT_TRUE(view.pace(a.id).MustBe(
          filters::same_pace::FilterPaceA(view.mode(a.id), view.mode(b.id), view.pace(b.id))));
    });
  };
  const SpecDriveResult result = DriveGolden("enum_choice", GetSpace(), host, WorldOf(shop), check);
  EXPECT_GT(result.solutions, 10u);
  EXPECT_GT(result.implementations, 0u);
}

TEST(Oracle, IntegerChoice) {
  using namespace spaces::integer_choice;
  toy::Shop shop = SomeTasks(3);
  shop.limit = 4;
  shop.tasks[1].sizes = {1, 2, 3, 5};
  shop.tasks[2].sizes = {2, 3, 8};
  SpecWorld world = WorldOf(shop);
  world.numbers["$task.sizes"] = [&](const Bindings& b) { return shop.tasks[b.at("task")].sizes; };
  world.numbers["$fun.limit"] = [](const Bindings&) { return std::vector<std::uint32_t>{4}; };
  world.numbers["1"] = [](const Bindings&) { return std::vector<std::uint32_t>{1}; };
  world.tests["$task.priority < 1"] = [](const Bindings& b) { return b.at("task") < 1; };
  world.tests["$a.priority >= $b.priority"] = [](const Bindings& b) {
    return b.at("a") >= b.at("b");
  };
  const SpaceHost host(shop);
  const auto check = [&](const Candidate& candidate) {
    const View view(candidate, host);
    const std::uint32_t limit[] = {4};
    ForPairs(shop, [&](const toy::Task& a, const toy::Task& b) {
      const runtime::IntDomain pieces = view.pieces(a.id);
      const auto few = filters::few_pieces::FilterPieces(pieces.universe(), limit);
      EXPECT_EQ(pieces.bits() & ~few.bits(), 0u);
      const auto sorted = filters::sorted::FilterPiecesA(pieces.universe(), view.pieces(b.id),
                                                         a.priority >= b.priority);
      EXPECT_EQ(pieces.bits() & ~sorted.bits(), 0u);
    });
  };
  EXPECT_EQ(DriveGolden("integer_choice", GetSpace(), host, world, check).solutions, 4u);
}

TEST(Oracle, Antisymmetric) {
  using namespace spaces::antisymmetric;
  toy::Shop shop = SomeTasks(4);
  shop.tasks[2].priority = 1;
  SpecWorld world = WorldOf(shop);
  world.tests["$a.priority <= $b.priority"] = [&](const Bindings& b) {
    return shop.tasks[b.at("a")].priority <= shop.tasks[b.at("b")].priority;
  };
  const SpaceHost host(shop);
  const auto check = [&](const Candidate& candidate) {
    const View view(candidate, host);
    ForPairs(shop, [&](const toy::Task& a, const toy::Task& b) {
      EXPECT_EQ(view.order(a.id, b.id), filters::Invert(view.order(b.id, a.id)));
      EXPECT_TRUE(view.order(b.id, a.id)
                      .MustBe(filters::priority_first::FilterOrder(a.priority <= b.priority)));
      for (const toy::Task& c : shop.tasks) {
        if (c.id == a.id || c.id == b.id) continue;
        EXPECT_TRUE(view.order(a.id, c.id)
                        .MustBe(filters::transitive::FilterOrderAC(view.order(a.id, b.id),
                                                                   view.order(c.id, b.id))));
        EXPECT_TRUE(view.order(a.id, b.id)
                        .MustBe(filters::together_as_one::FilterOrderAB(view.order(a.id, c.id),
                                                                        view.order(b.id, c.id))));
      }
    });
  };
  EXPECT_GT(DriveGolden("antisymmetric", GetSpace(), host, world, check).solutions, 1u);
}

TEST(Oracle, Symmetric) {
  using namespace spaces::symmetric;
  const toy::Shop shop = SomeTasks(4);
  SpecWorld world = WorldOf(shop);
  world.tests["$a.priority == $b.priority"] = [](const Bindings& b) {
    return b.at("a") == b.at("b");
  };
  const SpaceHost host(shop);
  const auto check = [&](const Candidate& candidate) {
    const View view(candidate, host);
    ForPairs(shop, [&](const toy::Task& a, const toy::Task& b) {
      EXPECT_EQ(view.place(a.id, b.id), view.place(b.id, a.id));
      EXPECT_TRUE(view.place(a.id, b.id).MustBe(filters::either_way::FilterPlace(false)));
    });
  };
  EXPECT_GT(DriveGolden("symmetric", GetSpace(), host, world, check).solutions, 1u);
}

TEST(Oracle, SnippetGuard) {
  using namespace spaces::snippet_guard;
  toy::Shop shop = SomeTasks(3);
  SpecWorld world = WorldOf(shop);
  world.tests["$new.priority < $b.priority || $fun.limit > 9"] = [](const Bindings& b) {
    return b.at("new") < b.at("b");
  };
  world.tests["$new.priority < $b.priority      || $fun.limit > 9"] =
      world.tests["$new.priority < $b.priority || $fun.limit > 9"];
  world.tests["$task.priority <\n    1"] = [](const Bindings& b) { return b.at("task") < 1; };
  world.tests["$task.priority > 1 || $task.priority < 0"] = [](const Bindings& b) {
    return b.at("task") > 1;
  };
  const SpaceHost host(shop);
  EXPECT_GT(
      DriveGolden("snippet_guard", GetSpace(), host, world, [](const Candidate&) {}).solutions, 1u);
  EXPECT_EQ(ToString(Default::NULL_), "NULL");
}

TEST(Oracle, Alias) {
  using namespace spaces::alias;
  const toy::Shop shop = SomeTasks(3);
  SpecWorld world = WorldOf(shop);
  world.tests["$task.priority < 2"] = [](const Bindings& b) { return b.at("task") < 2; };
  const SpaceHost host(shop);
  const auto check = [&](const Candidate& candidate) {
    const View view(candidate, host);
    EXPECT_FALSE(view.mode(toy::TaskId{2}).MayBe(mode_aliases::PARALLEL));
  };
  EXPECT_GT(DriveGolden("alias", GetSpace(), host, world, check).solutions, 1u);
  EXPECT_EQ(ToString(mode_aliases::ANY_LOOP), "BLOCK | THREAD | LOOP");
}

TEST(Oracle, NoticesASpaceThatSaysSomethingElse) {
  using namespace spaces::alias;
  const toy::Shop shop = SomeTasks(3);
  const SpaceHost host(shop);
  const auto count_failures = [&](bool third_may_be_parallel) {
    SpecWorld world = WorldOf(shop);
    world.tests["$task.priority < 2"] = [&](const Bindings& b) {
      return third_may_be_parallel || b.at("task") < 1;
    };
    testing::TestPartResultArray failures;
    const testing::ScopedFakeTestPartResultReporter reporter(
        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &failures);
    DriveGolden("alias", GetSpace(), host, world, [](const Candidate&) {});
    return failures.size();
  };
  EXPECT_GT(count_failures(true), 0);   // The engine excludes what the oracle allows …
  EXPECT_GT(count_failures(false), 0);  // … and allows what the oracle excludes.
}

TEST(Oracle, Include) {
  using namespace spaces::include;
  const toy::Shop shop = SomeTasks(3);
  const SpaceHost host(shop);
  const auto check = [&](const Candidate& candidate) {
    const View view(candidate, host);
    ForPairs(shop, [&](const toy::Task& a, const toy::Task& b) {
      EXPECT_TRUE(view.mode(a.id).MustBe(filters::same::FilterModeA(view.mode(b.id))));
    });
  };
  EXPECT_EQ(DriveGolden("include", GetSpace(), host, WorldOf(shop), check).solutions, 2u);
}

}  // namespace
}  // namespace exh::tests

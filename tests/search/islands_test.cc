// SPDX-License-Identifier: MIT
#include "search/near/islands.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <set>

#include "search/descend/choice_order.h"
#include "search/descend/descent.h"
#include "tests/search/toy_space.h"

namespace exh::search {
namespace {

/// Islands of the toy space, where every implementation is of one structure; that there are others
/// is said.
struct Stage {
  Stage() {
    Random random(1);
    Descender descender(order);
    while (descender.Run(root, random, [](const DeadEnd&) {}) != DescentResult::kImplementation) {
    }
    implementation.emplace(descender.candidate());
    path = descender.path();
  }

  /// Those that there are now.
  std::set<std::shared_ptr<Island>> All() {
    std::set<std::shared_ptr<Island>> all;
    Random random(1);
    for (int number = 0; number < 200; ++number) all.insert(islands.Draw(random));
    return all;
  }
  std::map<std::uint64_t, int> Structures() {
    std::map<std::uint64_t, int> structures;
    for (const auto& island : All()) ++structures[island->structure];
    return structures;
  }
  void Learn(const std::shared_ptr<Island>& island, double ns, int times = 1) {
    for (; times > 0; --times) islands.Learn(island, *implementation, path, ns);
  }

  const runtime::Candidate root = ToyRoot();
  const ChoiceOrder order = ChoiceOrder::ForRepair(root.instance());
  std::optional<runtime::Candidate> implementation;
  Path path;
  Islands islands{root};
};

TEST(Islands, GoToTheStructuresThatHadLeast) {
  Stage stage;
  EXPECT_EQ(stage.All(), std::set<std::shared_ptr<Island>>{nullptr});
  stage.islands.LearnOf(3);
  stage.islands.LearnOf(5);
  stage.islands.LearnOf(3);
  EXPECT_EQ(stage.Structures(), (std::map<std::uint64_t, int>{{3, 2}, {5, 2}}));
  // Those of one end, of the other not: what follows is of a structure that is new.
  stage.islands.LearnOf(9);
  for (const auto& island : stage.All()) {
    if (island->structure == 3) stage.Learn(island, 0, IslandOptions().patience + 1);
  }
  EXPECT_EQ(stage.Structures(), (std::map<std::uint64_t, int>{{5, 2}, {9, 2}}));
}

TEST(Islands, EndWhenTheyGetNoFaster) {
  Stage stage;
  stage.islands.LearnOf(0);
  const std::shared_ptr<Island> island = *stage.All().begin();
  const auto goes_on = [&] { return stage.All().count(island) == 1; };
  double ns = 1000;
  for (int number = 0; number < 3 * IslandOptions().patience; ++number) {
    stage.Learn(island, ns *= 0.97);
    ASSERT_TRUE(goes_on());
  }
  // Hardly faster is no faster.
  stage.Learn(island, ns * (1 - IslandOptions().progress / 2), IslandOptions().patience);
  EXPECT_TRUE(goes_on());
  stage.Learn(island, 0);
  EXPECT_FALSE(goes_on());
  EXPECT_EQ(stage.All().size(), IslandOptions().at_once);
  // What was under way comes back late.
  stage.Learn(island, ns / 2);
  EXPECT_FALSE(goes_on());
}

TEST(Islands, TheFirstBeginWhereTheyAreTold) {
  Stage stage;
  IslandOptions options;
  options.starts = {*stage.implementation, *stage.implementation};
  Islands islands(stage.root, options);
  islands.LearnOf(7);
  std::set<std::shared_ptr<Island>> all;
  Random random(1);
  for (int number = 0; number < 200; ++number) all.insert(islands.Draw(random));
  EXPECT_EQ(all.size(), options.at_once);
  const std::uint64_t structure = Structure(stage.root).Of(*stage.implementation);
  int with_start = 0;
  for (const auto& island : all) {
    with_start += island->start ? 1 : 0;
    EXPECT_EQ(island->structure, island->start ? structure : 7);
  }
  EXPECT_EQ(with_start, 2);
  // In the place of one that ends another one begins anywhere.
  for (const auto& island : all) {
    if (!island->start) continue;
    for (int number = 0; number <= options.patience; ++number) {
      islands.Learn(island, *stage.implementation, stage.path, 0);
    }
  }
  for (int number = 0; number < 200; ++number) EXPECT_FALSE(islands.Draw(random)->start);
}

TEST(Islands, HaveFastestOfTheirOwn) {
  Stage stage;
  stage.islands.LearnOf(0);
  const auto all = stage.All();
  const std::shared_ptr<Island> one = *all.begin(), other = *std::next(all.begin());
  EXPECT_FALSE(one->local.is_ready());
  stage.Learn(one, 100);
  EXPECT_TRUE(one->local.is_ready());
  EXPECT_FALSE(other->local.is_ready());
  Random random(1);
  EXPECT_TRUE(one->local.Draw(0, random).has_value());
}

}  // namespace
}  // namespace exh::search

// SPDX-License-Identifier: MIT
#include "search/near/lines.h"

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

/// Lines of the toy space, where every implementation is of one structure; that there are others is
/// said.
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
  std::set<std::shared_ptr<Line>> All() {
    std::set<std::shared_ptr<Line>> all;
    Random random(1);
    for (int number = 0; number < 200; ++number) all.insert(lines.Draw(random));
    return all;
  }
  std::map<std::uint64_t, int> Structures() {
    std::map<std::uint64_t, int> structures;
    for (const auto& line : All()) ++structures[line->structure];
    return structures;
  }
  void Learn(const std::shared_ptr<Line>& line, double ns, int times = 1) {
    for (; times > 0; --times) lines.Learn(line, *implementation, path, ns);
  }

  const runtime::Candidate root = ToyRoot();
  const ChoiceOrder order = ChoiceOrder::ForRepair(root.instance());
  std::optional<runtime::Candidate> implementation;
  Path path;
  Lines lines{root};
};

TEST(Lines, GoToTheStructuresThatHadLeast) {
  Stage stage;
  EXPECT_EQ(stage.All(), std::set<std::shared_ptr<Line>>{nullptr});
  stage.lines.LearnOf(3);
  stage.lines.LearnOf(5);
  stage.lines.LearnOf(3);
  EXPECT_EQ(stage.Structures(), (std::map<std::uint64_t, int>{{3, 2}, {5, 2}}));
  // Those of one end, of the other not: what follows is of a structure that is new.
  stage.lines.LearnOf(9);
  for (const auto& line : stage.All()) {
    if (line->structure == 3) stage.Learn(line, 0, Lines::kPatience + 1);
  }
  EXPECT_EQ(stage.Structures(), (std::map<std::uint64_t, int>{{5, 2}, {9, 2}}));
}

TEST(Lines, EndWhenTheyGetNoFaster) {
  Stage stage;
  stage.lines.LearnOf(0);
  const std::shared_ptr<Line> line = *stage.All().begin();
  const auto goes_on = [&] { return stage.All().count(line) == 1; };
  double ns = 1000;
  for (int number = 0; number < 3 * Lines::kPatience; ++number) {
    stage.Learn(line, ns *= 0.97);
    ASSERT_TRUE(goes_on());
  }
  // Hardly faster is no faster.
  stage.Learn(line, ns * (1 - Lines::kProgress / 2), Lines::kPatience);
  EXPECT_TRUE(goes_on());
  stage.Learn(line, 0);
  EXPECT_FALSE(goes_on());
  EXPECT_EQ(stage.All().size(), Lines::kAtOnce);
  // What was under way comes back late.
  stage.Learn(line, ns / 2);
  EXPECT_FALSE(goes_on());
}

TEST(Lines, HaveFastestOfTheirOwn) {
  Stage stage;
  stage.lines.LearnOf(0);
  const auto all = stage.All();
  const std::shared_ptr<Line> one = *all.begin(), other = *std::next(all.begin());
  EXPECT_FALSE(one->local.is_ready());
  stage.Learn(one, 100);
  EXPECT_TRUE(one->local.is_ready());
  EXPECT_FALSE(other->local.is_ready());
  Random random(1);
  EXPECT_TRUE(one->local.Draw(0, random).has_value());
}

}  // namespace
}  // namespace exh::search

// SPDX-License-Identifier: MIT
#include "search/tree/tree.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "base/error.h"
#include "search/log/decisions.h"
#include "tests/search/temp_folder.h"
#include "tests/search/toy_space.h"

namespace exh::search {
namespace {

using testing::HasSubstr;

/// A tree of the toy space.
struct Scene {
  runtime::Candidate root = ToyRoot();
  ChoiceOrder order = ChoiceOrder::Parse("mode,color", root.instance());
  BoundFunction bound;
  TreeOptions options;
  Random random{1};
  std::unique_ptr<const Policy> policy = MakePolicy("tag", {});
  CandidateSpace space{root, order, bound};
  std::unique_ptr<Tree> tree;

  Tree& Make() {
    tree = std::make_unique<Tree>(space, options);
    return *tree;
  }
  std::optional<Selection> Select() { return tree->Select(*policy, random); }
};

TEST(Tree, GrowsByANodePerSelection) {
  Scene scene;
  Tree& tree = scene.Make();
  ASSERT_EQ(scene.Select()->path.size(), 0u);  // The first one rolls out from the root.
  EXPECT_EQ(tree.num_nodes(), 0u);
  for (std::size_t selection = 1; selection < 30; ++selection) {
    const auto selected = scene.Select();
    ASSERT_TRUE(selected);
    EXPECT_LE(tree.num_nodes(), selection);
    if (!selected->is_closed) tree.BackUp(selected->edge, {.kind = Backup::Kind::kLost});
  }
  EXPECT_FALSE(tree.exhausted());
}

TEST(Tree, WithNothingButLeavesItEndsWhenAllOfThemHadTheirEvaluation) {
  Scene scene;
  Tree& tree = scene.Make();
  std::set<std::string> leaves;
  while (const auto selection = scene.Select()) {
    if (selection->is_closed) continue;
    if (selection->is_leaf) {
      EXPECT_TRUE(leaves.insert(VectorText(scene.space.CandidateOf(selection->path))).second);
    }
    tree.BackUp(selection->edge, {.kind = Backup::Kind::kFailed});
  }
  EXPECT_TRUE(tree.exhausted());
  EXPECT_EQ(leaves.size(), static_cast<std::size_t>(kToyImplementations));
}

TEST(Tree, ALeafInFlightIsNotSelectedAgain) {
  Scene scene;
  scene.Make();
  std::vector<std::uint32_t> held;
  while (const auto selection = scene.Select()) {
    if (selection->is_leaf) {
      held.push_back(selection->edge);
    } else if (!selection->is_closed) {
      scene.tree->BackUp(selection->edge, {.kind = Backup::Kind::kLost});
    }
  }
  // Nothing is left to select, and yet nothing is known.
  EXPECT_EQ(held.size(), static_cast<std::size_t>(kToyImplementations));
  EXPECT_FALSE(scene.tree->exhausted());
  for (const std::uint32_t leaf : held) scene.tree->BackUp(leaf, {Backup::Kind::kTimed, 5, false});
  EXPECT_TRUE(scene.tree->exhausted());
}

TEST(Tree, VirtualLossSpreadsSelections) {
  Scene scene;
  scene.order = ChoiceOrder::Parse("size", scene.root.instance());
  scene.Make();
  std::map<int, int> first_sizes;
  // Nothing ever comes back.
  for (int selection = 0; selection < 31; ++selection) {
    const auto selected = scene.Select();
    if (!selected->path.empty()) ++first_sizes[selected->path.front().value];
  }
  EXPECT_THAT(first_sizes, testing::ElementsAre(testing::Pair(0, 10), testing::Pair(1, 10),
                                                testing::Pair(2, 10)));
}

TEST(Tree, ACutEndsWhatCannotBeFaster) {
  Scene scene;
  scene.order = ChoiceOrder::Parse("size", scene.root.instance());
  // Sizes of `a` have bounds of 100, 200 and 400; deeper bounds say less and do not count.
  scene.bound = [](const runtime::Candidate& candidate) {
    const runtime::Instance& instance = candidate.instance();
    const auto size = instance.first_decision(instance.FindChoice("size"));
    const runtime::Bits values = candidate.domain(size);
    const bool is_shallow = !candidate.IsConstrained(size + 1);
    return is_shallow ? 100.0 * static_cast<double>(values & (~values + 1)) : 1;
  };
  Tree& tree = scene.Make();
  EXPECT_EQ(tree.LowerBound(), 100);
  scene.Select();
  scene.Select();
  EXPECT_EQ(tree.num_nodes(), 1u);
  tree.SetBest(202);  // Less 1 %: just below the bound of size 2.
  EXPECT_EQ(tree.num_cut(), 2u);
  for (int selection = 0; selection < 50; ++selection) {
    const auto selected = scene.Select();
    ASSERT_TRUE(selected);
    EXPECT_EQ(selected->path.front().value, 0);
    EXPECT_EQ(selected->bound, 100);  // Never below its parent's.
  }
  EXPECT_EQ(tree.LowerBound(), 100);
  tree.SetBest(101);
  EXPECT_EQ(scene.Select(), std::nullopt);
  EXPECT_TRUE(tree.exhausted());
  EXPECT_EQ(tree.LowerBound(), 101 * 0.99);
}

TEST(Tree, WhatARolloutFoundEmptyIsDead) {
  Scene scene;
  Tree& tree = scene.Make();
  tree.BackUp(scene.Select()->edge, {.kind = Backup::Kind::kEmpty});
  EXPECT_TRUE(tree.exhausted());
  EXPECT_EQ(scene.Select(), std::nullopt);
}

TEST(Tree, TheSameEventsGiveTheSameTree) {
  Scene scene, again;
  Tree& tree = scene.Make();
  Tree& copy = again.Make();
  for (int event = 0; event < 300; ++event) {
    const auto selection = scene.Select();
    ASSERT_TRUE(selection);
    const Selection repeated = copy.Repeat(selection->path, selection->is_closed);
    EXPECT_EQ(repeated.edge, selection->edge);
    if (event % 3 != 0 && !selection->is_closed) {
      const Backup backup{.kind = Backup::Kind::kTimed, .ns = 1000.0 - event * 7 % 400};
      tree.BackUp(selection->edge, backup);
      copy.BackUp(selection->edge, backup);
    }
  }
  EXPECT_EQ(tree.Text(), copy.Text());
  EXPECT_EQ(tree.Digest(), HashText(copy.Text()));
  // In words it has the same lines.
  const std::string words = tree.Text(
      {[](int decision) { return fmt::format("d{}", decision); },
       [](const PathStep& step) { return fmt::format("d{}=v{}", step.decision, step.value); }});
  EXPECT_EQ(std::ranges::count(words, '\n'), std::ranges::count(tree.Text(), '\n'));
  EXPECT_NE(words.find("decision d"), words.npos);
  EXPECT_NE(words.find("=v"), words.npos);
  EXPECT_THAT(Thrown<Error>([&] { copy.Repeat({{0, 17}}, false); }), HasSubstr("does not fit"));
}

}  // namespace
}  // namespace exh::search

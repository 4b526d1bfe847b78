// SPDX-License-Identifier: MIT
//
// Local search: by itself in the toy space, and as a part of whole searches of it.
#include "search/near/local_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "search/log/decisions.h"
#include "search/near/walker.h"
#include "search/tree/tree_replay.h"
#include "tests/search/scene.h"
#include "tests/search/small_matmul.h"

namespace exh::search {
namespace {

struct Found {
  runtime::Candidate candidate;
  Path path;
};

/// A random implementation of the toy space.
Found Implementation(const ChoiceOrder& order, std::uint64_t seed) {
  Random random(seed);
  Descender descender(order);
  const DescentResult result = descender.Run(ToyRoot(), random, [](const DeadEnd&) {});
  EXPECT_EQ(result, DescentResult::kImplementation);
  return {descender.candidate(), descender.path()};
}

TEST(LocalSearch, NeedsAnImplementationToBeNearTo) {
  const ChoiceOrder order = ChoiceOrder::Parse("", ToyRoot().instance());
  LocalSearch local(ToyRoot());
  Random random(1);
  EXPECT_FALSE(local.DrawStructure(random).has_value());
  const Found found = Implementation(order, 0);
  local.Add(found.candidate, found.path, 100);
  EXPECT_EQ(local.DrawStructure(random), 0);
  EXPECT_TRUE(local.Draw(0, random).has_value());
  EXPECT_FALSE(local.Draw(1, random).has_value());
}

TEST(LocalSearch, TheFastestStayAndNotTooManyOfOneFamily) {
  const ChoiceOrder order = ChoiceOrder::Parse("", ToyRoot().instance());
  LocalSearch local(ToyRoot());
  const Found one = Implementation(order, 1);
  // All of one family: there is room for four, and the slowest gives way.
  for (const double ns : {50.0, 40.0, 30.0, 20.0}) {
    EXPECT_TRUE(local.Takes(0, one.path, ns));
    local.Add(one.candidate, one.path, ns);
  }
  EXPECT_FALSE(local.Takes(0, one.path, 60));
  EXPECT_TRUE(local.Takes(0, one.path, 45));
  local.Add(one.candidate, one.path, 45);
  EXPECT_FALSE(local.Takes(0, one.path, 46));
  // Of another family there still is, until all places are taken by what is faster.
  const Path other = {{one.path[0].decision, one.path[0].value + 1}, {0, 0}};
  EXPECT_TRUE(local.Takes(0, other, 1000));
  for (int i = 0; i < 40; ++i) {
    const Path path = {{i, 1}, {i, 2}};
    local.Add(one.candidate, path, 10);
  }
  EXPECT_FALSE(local.Takes(0, other, 10));
  EXPECT_TRUE(local.Takes(0, other, 9));
  EXPECT_FALSE(local.Takes(0, {}, 1));  // Nothing was decided: there is nothing near.
}

/// How often 3000 draws choose the structure.
int Draws(const LocalSearch& local, std::uint64_t structure) {
  Random random(1);
  int draws = 0;
  for (int number = 0; number < 3000; ++number) {
    draws += local.DrawStructure(random) == structure ? 1 : 0;
  }
  return draws;
}

TEST(LocalSearch, StructuresHaveElitesOfTheirOwnAndGetTheirTurn) {
  const Problem problem = SmallMatmul();
  const runtime::Candidate root = problem.root();
  const ChoiceOrder order = ChoiceOrder::ForRepair(root.instance());
  LocalSearch local(root);
  std::map<std::uint64_t, Found> found;
  for (std::uint64_t seed = 1; seed < 500 && found.size() < 2; ++seed) {
    Random random(seed);
    Descender descender(order);
    const auto result = descender.Run(root, random, [](const DeadEnd&) {});
    if (result != DescentResult::kImplementation) continue;
    found.insert(
        {local.StructureOf(descender.candidate()), {descender.candidate(), descender.path()}});
  }
  ASSERT_EQ(found.size(), 2u);
  const auto& [slow, of_slow] = *found.begin();
  const auto& [fast, of_fast] = *std::next(found.begin());
  const auto path = [](const Found& one, int family) {
    Path all = one.path;
    all.front().value = family;
    return all;
  };
  for (int family = 0; family < 20; ++family) {
    local.Add(of_fast.candidate, path(of_fast, family), 100 + family);
  }
  EXPECT_FALSE(local.MayTake(fast, 1000));
  // What is slower than all of another structure is an elite of its own.
  EXPECT_TRUE(local.MayTake(slow, 1000));
  Random random(1);
  EXPECT_FALSE(local.Draw(slow, random).has_value());
  local.Add(of_slow.candidate, of_slow.path, 1000);
  const auto near = local.Draw(slow, random);
  ASSERT_TRUE(near.has_value());
  EXPECT_EQ(VectorText(near->elite), VectorText(of_slow.candidate));
  // The faster one is due two turns of three; what it had counts, by whatever way it came to it.
  EXPECT_NEAR(Draws(local, fast), 2000, 150);
  for (int number = 0; number < LocalSearchOptions().patience; ++number) local.Count(fast);
  EXPECT_NEAR(Draws(local, fast), 273, 100);  // Half is its due now, and it had all: one of eleven.
  for (int number = 0; number < LocalSearchOptions().patience; ++number) local.Count(slow);
  EXPECT_NEAR(Draws(local, fast), 2690, 100);             // 0.67 are due and 0.38 were had.
  local.Add(of_fast.candidate, path(of_fast, 20), 99.5);  // Hardly faster.
  EXPECT_NEAR(Draws(local, fast), 2690, 100);
  local.Add(of_fast.candidate, path(of_fast, 21), 98);
  EXPECT_NEAR(Draws(local, fast), 2865, 60);  // 0.8 are due.
  // Once it is overtaken, a third is its due. Both had about theirs.
  local.Add(of_slow.candidate, of_slow.path, 50);
  EXPECT_NEAR(Draws(local, fast), 1000, 100);
}

TEST(LocalSearch, OnlyWhatIsOpenOrFollowsFromItDiffers) {
  const ChoiceOrder order = ChoiceOrder::Parse("size,color", ToyRoot().instance());
  const runtime::Candidate root = ToyRoot();
  const BoundFunction none;
  int changed = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    const Found elite = Implementation(order, seed);
    // One size: nothing depends on it, so that it and nothing else changes.
    const auto size = root.instance().first_decision(root.instance().FindChoice("size"));
    const Neighbourhood near{
        elite.candidate, {}, {size + static_cast<std::uint32_t>(seed % 3)}, {}};
    NearGuide guide(near, none, 0);
    Descender descender(order);
    ASSERT_EQ(descender.Run(
                  root, random, [](const DeadEnd&) {}, guide),
              DescentResult::kImplementation);
    std::string before = VectorText(elite.candidate), after = VectorText(descender.candidate());
    ASSERT_EQ(before.size(), after.size());
    int different = 0;
    for (std::size_t i = 0; i < before.size(); ++i) different += before[i] != after[i] ? 1 : 0;
    EXPECT_EQ(different, 1);
    // Two colors: they can only change places, or one with what follows.
    const auto color = root.instance().first_decision(root.instance().FindChoice("color"));
    const Neighbourhood two{elite.candidate, {}, {color, color + 1}, {}};
    NearGuide other(two, none, 0);
    if (descender.Run(
            root, random, [](const DeadEnd&) {}, other) != DescentResult::kImplementation) {
      continue;
    }
    after = VectorText(descender.candidate());
    changed += before != after ? 1 : 0;
    for (runtime::DecisionId item = size; item < size + 3; ++item) {
      EXPECT_EQ(descender.candidate().domain(item), elite.candidate.domain(item));
    }
  }
  EXPECT_GT(changed, 150);
}

TEST(LocalSearch, ADecisionMayChangeBeforeAllOthersAndTheyFollow) {
  const ChoiceOrder order = ChoiceOrder::Parse("size,color", ToyRoot().instance());
  const runtime::Candidate root = ToyRoot();
  const auto mode = root.instance().first_decision(root.instance().FindChoice("mode"));
  const BoundFunction none;
  const Trades trades(root.instance());
  std::set<int> firsts;
  int others = 0;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    Random random(seed);
    const Found elite = Implementation(order, seed);
    const Neighbourhood near = LocalSearch::Around(elite.candidate, elite.path, trades, random);
    EXPECT_NE(near.open.empty(), near.first.empty());
    if (near.first.empty()) {
      ++others;
      continue;
    }
    const auto decision = static_cast<runtime::DecisionId>(near.first[0].decision);
    const runtime::Bits value = runtime::Bits{1} << near.first[0].value;
    firsts.insert(near.first[0].decision);
    EXPECT_NE(elite.candidate.domain(decision), value);
    if (decision == mode) continue;  // TIGHT leads nowhere.
    Walker walker(root, order);
    NearGuide guide(near, none, 0);
    ASSERT_TRUE(walker.BeginNear(near, guide, random, [](const DeadEnd&) {}));
    EXPECT_EQ(walker.candidate().domain(decision), value);
    // Colors and orders have to agree among themselves; nothing else changes.
    for (runtime::DecisionId id = 0; id < root.instance().num_decisions(); ++id) {
      const bool follows = root.instance().choice(id) == root.instance().choice(decision);
      if (follows) continue;
      EXPECT_EQ(walker.candidate().domain(id), elite.candidate.domain(id)) << seed << " " << id;
    }
  }
  EXPECT_NEAR(others, 600 * 6 / 7, 60);
  EXPECT_GT(firsts.size(), 6u);
}

TEST(LocalSearch, WhatIsOpenFollowsAMate) {
  const ChoiceOrder order = ChoiceOrder::Parse("size,color", ToyRoot().instance());
  const runtime::Candidate root = ToyRoot();
  const BoundFunction none;
  const auto size = root.instance().first_decision(root.instance().FindChoice("size"));
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Random random(seed);
    const Found elite = Implementation(order, seed), mate = Implementation(order, seed + 1000);
    const Neighbourhood near{elite.candidate, mate.candidate, {size, size + 1}, {}};
    NearGuide guide(near, none, 0);
    Descender descender(order);
    ASSERT_EQ(descender.Run(
                  root, random, [](const DeadEnd&) {}, guide),
              DescentResult::kImplementation);
    EXPECT_EQ(descender.candidate().domain(size), mate.candidate.domain(size));
    EXPECT_EQ(descender.candidate().domain(size + 1), mate.candidate.domain(size + 1));
    EXPECT_EQ(descender.candidate().domain(size + 2), elite.candidate.domain(size + 2));
  }
}

TEST(LocalSearch, WhatReachesTheCutIsPruned) {
  const ChoiceOrder order = ChoiceOrder::Parse("", ToyRoot().instance());
  const Found elite = Implementation(order, 1);
  const Neighbourhood near{elite.candidate, {}, {0}, {}};
  const BoundFunction bound = [](const runtime::Candidate&) { return 100; };
  EXPECT_TRUE(NearGuide(near, bound, 100).Prunes(elite.candidate));
  EXPECT_FALSE(NearGuide(near, bound, 101).Prunes(elite.candidate));
}

TEST(LocalSearch, ASearchWithItExhaustsTheSpaceAndItsLogGivesTheTreeAgain) {
  for (const bool ahead : {false, true}) {
    Scene run;
    run.options.policy = MakePolicy("tag", {});
    run.options.proposer.local_share = 0.7;
    run.options.jobs = 3;
    run.evaluator.ahead = ahead;
    const Outcome outcome = run.Go();
    EXPECT_EQ(outcome.end.why, "exhausted");
    EXPECT_TRUE(outcome.proof.exhausted);
    EXPECT_EQ(outcome.end.evaluations, static_cast<std::uint64_t>(kToyImplementations));
    const Log log = run.log();
    std::set<std::string> vectors, policies;
    for (const EvalRecord& eval : log.evals) vectors.insert(eval.vector);
    for (const SelectRecord& select : log.selects) policies.insert(select.policy);
    EXPECT_EQ(vectors.size(), static_cast<std::size_t>(kToyImplementations));
    EXPECT_THAT(policies, testing::ElementsAre("local", "tag"));
    EXPECT_EQ(run.ReplayedDigest(), outcome.end.tree);
  }
}

TEST(LocalSearch, FindsGoodOnesSoonerThanTheTreeAlone) {
  const auto best_after = [](double share, std::uint64_t seed) {
    Scene run;
    run.options.policy = MakePolicy("tag", {});
    run.options.seed = seed;
    run.options.proposer.local_share = share;
    run.Budget("evals=40");
    return run.Go().winner->ns;
  };
  double with = 0, without = 0;
  for (std::uint64_t seed = 1; seed <= 16; ++seed) {
    with += best_after(0.7, seed);
    without += best_after(0, seed);
  }
  EXPECT_LT(with, without);
}

}  // namespace
}  // namespace exh::search

// SPDX-License-Identifier: MIT
#include "search/near/walker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "search/log/decisions.h"
#include "tests/search/toy_space.h"

namespace exh::search {
namespace {

/// Where a path leads by its decisions alone.
std::string EndOf(const runtime::Candidate& root, const Path& path) {
  runtime::Candidate candidate = root;
  for (const PathStep& step : path) {
    const auto decision = static_cast<runtime::DecisionId>(step.decision);
    EXPECT_EQ(candidate.Take(decision, step.value), runtime::Propagation::kFixpoint);
  }
  return VectorText(candidate);
}

/// What walks see and where they stand, with neighbours that they look at and do not go to.
TEST(Walker, PathsLeadToWhereItStandsAlsoOutOfDeadEnds) {
  const runtime::Candidate root = ToyRoot();
  const Trades trades(root.instance());
  const BoundFunction none;
  int dead_ends = 0;
  std::set<std::string> seen;
  for (const char* choices : {"mode,color,order", "color,size,mode", "order,mode"}) {
    const ChoiceOrder order = ChoiceOrder::Parse(choices, root.instance());
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      Random random(seed);
      Walker walker(root, order);
      Guide uniform;
      int deepest = 0;
      const auto note = [&](const DeadEnd& dead_end) {
        ++dead_ends;
        deepest = std::max(deepest, dead_end.depth);
      };
      bool has_begun = false;  // Some orders lead into dead ends too often for one try.
      for (int i = 0; i < 20 && !has_begun; ++i) has_begun = walker.Begin(uniform, random, note);
      ASSERT_TRUE(has_begun);
      for (int step = 0; step < 60; ++step) {
        const std::string here = VectorText(walker.candidate());
        EXPECT_EQ(EndOf(root, walker.path()), here);
        const Neighbourhood near =
            LocalSearch::Around(walker.candidate(), walker.path(), trades, random);
        NearGuide guide(near, none, 0);
        if (!walker.Look(near, guide, random, note)) continue;
        const std::string there = VectorText(walker.neighbour());
        EXPECT_EQ(VectorText(walker.candidate()), here);
        if (step % 3 == 0) continue;
        walker.Go();
        EXPECT_EQ(VectorText(walker.candidate()), there);
        seen.insert(there);
      }
      EXPECT_LT(deepest, static_cast<int>(root.instance().num_decisions()));
    }
  }
  // Otherwise less was tested than it says.
  EXPECT_GT(dead_ends, 100);
  EXPECT_GT(seen.size(), 300u);
}

TEST(Walker, WhatIsDecidedBeforeTheFirstOpenDecisionStays) {
  const runtime::Candidate root = ToyRoot();
  const ChoiceOrder order = ChoiceOrder::Parse("color,order,size", root.instance());
  const auto size = root.instance().first_decision(root.instance().FindChoice("size"));
  const BoundFunction none;
  Guide uniform;
  Random random(1);
  Walker walker(root, order);
  const Descender::OnDeadEnd nothing = [](const DeadEnd&) {};
  ASSERT_TRUE(walker.Begin(uniform, random, nothing));
  for (int step = 0; step < 50; ++step) {
    const Neighbourhood near{walker.candidate(), {}, {size + 1}, {}};
    const Path before = walker.path();
    NearGuide guide(near, none, 0);
    ASSERT_TRUE(walker.Look(near, guide, random, nothing));
    for (runtime::DecisionId decision = 0; decision < size; ++decision) {
      EXPECT_EQ(walker.neighbour().domain(decision), walker.candidate().domain(decision));
    }
    EXPECT_NE(walker.neighbour().domain(size + 1), walker.candidate().domain(size + 1));
    walker.Go();
    EXPECT_EQ(walker.path().size(), before.size());
  }
}

TEST(Walker, InsideOfAnOpenedNeighbourhoodAllElseIsKept) {
  const runtime::Candidate root = ToyRoot();
  const ChoiceOrder order = ChoiceOrder::Parse("color,order,size", root.instance());
  const BoundFunction none;
  Guide uniform;
  Random random(1);
  const Descender::OnDeadEnd nothing = [](const DeadEnd&) {};
  int found = 0, empty = 0;
  for (int number = 0; number < 100; ++number) {
    Walker walker(root, order);
    if (!walker.Begin(uniform, random, nothing)) continue;
    const std::string here = VectorText(walker.candidate());
    Neighbourhood near =
        LocalSearch::Around(walker.candidate(), walker.path(), Trades(root.instance()), random);
    if (near.open.empty()) continue;
    const Path path = walker.path();
    if (!walker.Open(near)) {
      ++empty;
      continue;
    }
    std::set<std::string> inside;
    for (int look = 0; look < 8; ++look) {
      NearGuide guide(near, none, 0);
      if (!walker.LookInside(guide, random, nothing)) continue;
      EXPECT_EQ(VectorText(walker.candidate()), here) << "it stands where it stood";
      inside.insert(VectorText(walker.neighbour()));
      for (const PathStep& step : path) {
        const auto decision = static_cast<runtime::DecisionId>(step.decision);
        if (std::ranges::binary_search(near.open, decision)) continue;
        EXPECT_EQ(walker.neighbour().FirstValue(decision), step.value);
      }
      if (look != 7) continue;
      // Of several that were found any can be gone to.
      const runtime::Candidate neighbour = walker.neighbour();
      if (!walker.LookInside(guide, random, nothing)) continue;
      walker.GoTo(neighbour);
      EXPECT_EQ(VectorText(walker.candidate()), VectorText(neighbour));
      EXPECT_EQ(EndOf(root, walker.path()), VectorText(neighbour));
    }
    inside.erase(here);
    found += static_cast<int>(inside.size());
  }
  EXPECT_GT(found, 50);
  EXPECT_GT(empty, 0);
}

}  // namespace
}  // namespace exh::search

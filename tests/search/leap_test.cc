// SPDX-License-Identifier: MIT
#include "search/near/leap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "search/log/decisions.h"
#include "tests/search/small_matmul.h"
#include "tests/search/toy_space.h"

namespace exh::search {
namespace {

using runtime::Candidate;
using runtime::DecisionId;
using runtime::Propagation;

/// What a leap promises, one decision after the other.
std::optional<Candidate> StepByStep(Candidate state, const Neighbourhood& near, Guide& guide,
                                    Random& random, int& dead_ends) {
  for (const PathStep& step : near.path) {
    const auto decision = static_cast<DecisionId>(step.decision);
    while (state.IsOpen(decision)) {
      const int value = guide.Draw(state, decision, 0, random);
      Candidate child = state;
      if (child.Take(decision, value) == Propagation::kFixpoint) {
        state = child;
        break;
      }
      ++dead_ends;
      if (state.Leave(decision, value) != Propagation::kFixpoint) return std::nullopt;
    }
  }
  return state;
}

struct Seen {
  int leaps = 0, dead_ends = 0, spent = 0, changed = 0;
};

Seen LeapsOf(const Candidate& root, const ChoiceOrder& order, int seeds) {
  Seen seen;
  const BoundFunction none;
  Leap leap(root);
  const Trades trades(root.instance());
  for (int seed = 1; seed <= seeds; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    Descender descender(order);
    const auto ignore = [](const DeadEnd&) {};
    EXPECT_EQ(descender.Run(root, random, ignore), DescentResult::kImplementation);
    Path path;
    CompletePath(root, descender.candidate(), order, path);
    for (int number = 0; number < 8; ++number) {
      const Neighbourhood near = LocalSearch::Around(descender.candidate(), path, trades, random);
      Candidate start = root;
      if (!RestrictTo(near.first, start)) continue;
      Random one = random, other = random;
      NearGuide guide(near, none, 0), same_guide(near, none, 0);
      int dead_ends = 0, same_dead_ends = 0;
      Candidate state = start;
      const auto note = [&](const DeadEnd&) { ++dead_ends; };
      const bool lives = leap.Run(state, near.path, 0, near, guide, one, note);
      const std::optional<Candidate> same =
          StepByStep(start, near, same_guide, other, same_dead_ends);
      ++seen.leaps;
      seen.dead_ends += dead_ends;
      EXPECT_EQ(dead_ends, same_dead_ends);
      EXPECT_EQ(lives, same.has_value());
      if (!lives || !same) {
        ++seen.spent;
        continue;
      }
      EXPECT_EQ(VectorText(state), VectorText(*same));
      if (VectorText(state) != VectorText(descender.candidate())) ++seen.changed;
    }
  }
  return seen;
}

TEST(Leap, DoesWhatOneDecisionAfterTheOtherDoes) {
  const Candidate toy = ToyRoot();
  const Seen in_toy = LeapsOf(toy, ChoiceOrder::Parse("mode,color", toy.instance()), 200);
  EXPECT_GT(in_toy.dead_ends, 10);
  EXPECT_GT(in_toy.changed, 1000);
  const Problem problem = SmallMatmul();
  const Candidate matmul = problem.root();
  const Seen of_kernel = LeapsOf(matmul, ChoiceOrder::ForRepair(matmul.instance()), 60);
  EXPECT_GT(of_kernel.leaps, 300);
  EXPECT_GT(of_kernel.dead_ends, 20);
  EXPECT_GT(of_kernel.changed, 200);
}

TEST(Leap, WithNothingOpenItIsTheImplementation) {
  const Problem problem = SmallMatmul();
  const Candidate root = problem.root();
  const ChoiceOrder order = ChoiceOrder::ForRepair(root.instance());
  Random random(3);
  Descender descender(order);
  const auto ignore = [](const DeadEnd&) {};
  ASSERT_EQ(descender.Run(root, random, ignore), DescentResult::kImplementation);
  Path path;
  CompletePath(root, descender.candidate(), order, path);
  const Neighbourhood near{descender.candidate(), std::nullopt, {}, {}, path};
  Guide uniform;
  Candidate state = root;
  Leap leap(root);
  ASSERT_TRUE(leap.Run(state, near.path, 0, near, uniform, random, ignore));
  EXPECT_EQ(VectorText(state), VectorText(descender.candidate()));
}

}  // namespace
}  // namespace exh::search

// SPDX-License-Identifier: MIT
#include "search/descend/descent.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/error.h"
#include "search/log/decisions.h"
#include "tests/search/temp_folder.h"
#include "tests/search/toy_space.h"

namespace exh::search {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ChoiceOrder, WhatTheSpaceSaysFirstThenTheRest) {
  const runtime::Candidate root = ToyRoot();  // Its order is size, order.
  EXPECT_THAT(ChoiceOrder::Default(root.instance()).names(),
              ElementsAre("size", "order", "mode", "color"));
  EXPECT_THAT(ChoiceOrder::Parse("", root.instance()).names(),
              ElementsAre("size", "order", "mode", "color"));
  EXPECT_THAT(ChoiceOrder::Parse("mode, color", root.instance()).names(),
              ElementsAre("mode", "color", "size", "order"));
}

TEST(ChoiceOrder, IsThatOfTheSpace) {
  const auto names = [](std::vector<int> order) {
    runtime::Space space = ToySpace();
    space.order = std::move(order);
    const auto instance = runtime::Instance::Freeze(space, ToyHost());
    return ChoiceOrder::Default(*instance).names();
  };
  EXPECT_THAT(names({}), ElementsAre("mode", "color", "size", "order"));
  EXPECT_THAT(names({3}), ElementsAre("order", "mode", "color", "size"));
  EXPECT_THAT(names({1, 0, 3, 2}), ElementsAre("color", "mode", "order", "size"));
}

TEST(ChoiceOrder, MistakesNameTheNearest) {
  const runtime::Candidate root = ToyRoot();
  EXPECT_THAT(Thrown<UsageError>([&] { ChoiceOrder::Parse("sice", root.instance()); }),
              HasSubstr("unknown choice 'sice'; did you mean 'size'?"));
  EXPECT_THAT(Thrown<UsageError>([&] { ChoiceOrder::Parse("size,size", root.instance()); }),
              HasSubstr("stands twice"));
  EXPECT_THROW(ChoiceOrder::Parse("size,", root.instance()), UsageError);
}

TEST(ChoiceOrder, TheNextDecisionIsTheFirstOpenOne) {
  runtime::Candidate candidate = ToyRoot();
  const ChoiceOrder order = ChoiceOrder::Parse("color", candidate.instance());
  const auto name = [&] {
    const auto next = order.Next(candidate);
    return next ? candidate.instance().DecisionName(*next) : "none";
  };
  EXPECT_EQ(name(), "color(a)");
  ASSERT_EQ(Take(candidate, "color(b)=RED"), runtime::Propagation::kFixpoint);
  EXPECT_EQ(name(), "color(a)");
  ASSERT_EQ(Take(candidate, "color(a)=BLUE"), runtime::Propagation::kFixpoint);
  EXPECT_EQ(name(), "size(a)");  // color(c) followed.
}

TEST(Descender, EveryDescentIsAnImplementationAndAllAreReached) {
  const runtime::Candidate root = ToyRoot();
  const ChoiceOrder order = ChoiceOrder::Parse("mode", root.instance());
  Descender descender(order);
  Random random(1);
  std::map<std::string, int> seen;
  constexpr int kDescents = 20000;
  for (int descent = 0; descent < kDescents; ++descent) {
    ASSERT_EQ(descender.Run(root, random, [](const DeadEnd&) {}), DescentResult::kImplementation);
    ASSERT_TRUE(descender.candidate().IsImplementation());
    ++seen[VectorText(descender.candidate())];
  }
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(kToyImplementations)) << "seed 1";
}

TEST(Descender, DeadEndsAreReportedWithTheirRequirement) {
  const runtime::Candidate root = ToyRoot();
  const ChoiceOrder order = ChoiceOrder::Parse("mode,color", root.instance());
  Descender descender(order);
  Random random(1);
  int tight = 0;
  std::map<std::string, int> labels;
  std::map<int, int> removals_by_depth;
  constexpr int kDescents = 2000;
  for (int descent = 0; descent < kDescents; ++descent) {
    bool died = false;
    ASSERT_EQ(descender.Run(root, random,
                            [&](const DeadEnd& dead_end) {
                              died = true;
                              ++labels[dead_end.label];
                              if (dead_end.step.value < 0) ++removals_by_depth[dead_end.depth];
                            }),
              DescentResult::kImplementation);
    tight += died;
  }
  // Half of them take TIGHT first; both colors of the first item fail, and mode has to give way.
  EXPECT_NEAR(tight, kDescents / 2, 150) << "seed 1";
  EXPECT_EQ(labels.size(), 1u);
  EXPECT_EQ(labels["different"], 2 * tight);  // The value, and the removal that leaves the other.
  EXPECT_EQ(removals_by_depth.size(), 1u);
  EXPECT_EQ(removals_by_depth[1], tight);
}

TEST(Descender, ThePathAloneLeadsToTheImplementation) {
  const runtime::Candidate root = ToyRoot();
  const ChoiceOrder order = ChoiceOrder::Parse("mode,color", root.instance());
  Descender descender(order);
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    ASSERT_EQ(descender.Run(root, random, [](const DeadEnd&) {}), DescentResult::kImplementation);
    Path path = descender.path();
    CompletePath(root, descender.candidate(), order, path);
    runtime::Candidate again = root;
    for (const PathStep& step : path) {
      const auto id = static_cast<runtime::DecisionId>(step.decision);
      EXPECT_FALSE(again.IsConstrained(id)) << "seed " << seed;
      ASSERT_EQ(again.Take(id, step.value), runtime::Propagation::kFixpoint);
    }
    EXPECT_EQ(VectorText(again), VectorText(descender.candidate())) << "seed " << seed;
  }
}

TEST(Descender, AnEmptySpaceIsExhausted) {
  runtime::Candidate root = ToyRoot();
  ASSERT_EQ(Take(root, "mode(r)=TIGHT"), runtime::Propagation::kFixpoint);
  const ChoiceOrder order = ChoiceOrder::Default(root.instance());
  Descender descender(order, 1 << 20);
  Random random(1);
  EXPECT_EQ(descender.Run(root, random, [](const DeadEnd&) {}), DescentResult::kExhausted);
  Descender impatient(order, 10);
  EXPECT_EQ(impatient.Run(root, random, [](const DeadEnd&) {}), DescentResult::kGaveUp);
}

TEST(Descender, TheSameSeedTakesTheSameWay) {
  const runtime::Candidate root = ToyRoot();
  const ChoiceOrder order = ChoiceOrder::Default(root.instance());
  Descender one(order), two(order);
  Random random_one(42), random_two(42);
  for (int descent = 0; descent < 50; ++descent) {
    ASSERT_EQ(one.Run(root, random_one, [](const DeadEnd&) {}), DescentResult::kImplementation);
    ASSERT_EQ(two.Run(root, random_two, [](const DeadEnd&) {}), DescentResult::kImplementation);
    EXPECT_EQ(one.path(), two.path());
  }
}

TEST(DeadEndStudy, HalfOfTheDescentsDieInTheToySpace) {
  const runtime::Candidate root = ToyRoot();
  const ChoiceOrder order = ChoiceOrder::Parse("mode,color", root.instance());
  const DeadEndStudy study(order);
  Random random(1);
  DeadEndShare share;
  for (; share.descents < 4000; ++share.descents) {
    const auto dead_end = study.Run(root, random);
    if (!dead_end) continue;
    ++share.dead;
    EXPECT_EQ(dead_end->label, "different");
    EXPECT_EQ(dead_end->depth, 1);
  }
  const auto [low, high] = share.Interval();
  EXPECT_LT(low, 0.5) << "seed 1";
  EXPECT_GT(high, 0.5) << "seed 1";
  EXPECT_LT(high - low, 0.04);
}

TEST(DeadEndStudy, AChildThatFailsAtOnceIsNoDeadEnd) {
  // With the colors first, TIGHT is no longer among the valid children when its turn comes.
  const runtime::Candidate root = ToyRoot();
  const ChoiceOrder order = ChoiceOrder::Parse("color,mode", root.instance());
  const DeadEndStudy study(order);
  Random random(1);
  for (int descent = 0; descent < 500; ++descent) EXPECT_FALSE(study.Run(root, random));
}

TEST(DeadEndShare, TheIntervalIsHonestAtTheEnds) {
  EXPECT_EQ((DeadEndShare{0, 0}.Interval()), (std::pair<double, double>{0, 1}));
  const auto [low, high] = DeadEndShare{100, 0}.Interval();
  EXPECT_EQ(low, 0);
  EXPECT_NEAR(high, 0.037, 0.001);  // Wilson; the normal approximation says 0.
  const auto [low14, high14] = DeadEndShare{1000, 140}.Interval();
  EXPECT_NEAR(low14, 0.1199, 0.0005);
  EXPECT_NEAR(high14, 0.1629, 0.0005);
}

}  // namespace
}  // namespace exh::search

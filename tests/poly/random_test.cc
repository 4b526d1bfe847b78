// SPDX-License-Identifier: MIT
//
// Random scops, and a second opinion that enumerates their executions (points.h).
#include <gtest/gtest.h>

#include <algorithm>

#include "poly/isl/baseline.h"
#include "poly/isl/dependences.h"
#include "poly/isl/legality.h"
#include "poly/scenarios.h"
#include "poly/scheduler.h"
#include "tests/poly/points.h"
#include "tests/poly/scops.h"

namespace exh::poly {
namespace {

constexpr std::uint64_t kNumScops = 80;

// The pairs that a dependence has at the actual extents.
Pairs PairsOf(const Scop& scop, const std::vector<Dependence>& dependences) {
  Pairs pairs;
  const std::vector<Execution> executions = ExecutionsOf(scop);
  for (const Dependence& dependence : dependences) {
    for (const Execution& source : executions) {
      if (source.statement != dependence.source) continue;
      for (const Execution& target : executions) {
        if (target.statement != dependence.target) continue;
        std::vector<std::int64_t> values = source.point;
        values.insert(values.end(), target.point.begin(), target.point.end());
        for (const std::int64_t parameter : ParametersOf(scop)) values.push_back(parameter);
        values.push_back(1);
        const auto value = [&](const IntRow& row) {
          std::int64_t sum = 0;
          for (std::size_t i = 0; i < row.size(); ++i) sum += row[i] * values[i];
          return sum;
        };
        const Polyhedron& set = dependence.pairs;
        if (std::all_of(set.equalities.begin(), set.equalities.end(),
                        [&](auto& row) { return value(row) == 0; }) &&
            std::all_of(set.inequalities.begin(), set.inequalities.end(),
                        [&](auto& row) { return value(row) >= 0; })) {
          pairs.insert({source, target});
        }
      }
    }
  }
  return pairs;
}

// Of every pair the second must come later.
void ExpectKept(const Scop& scop, const Schedule& schedule) {
  for (const auto& [source, target] : PairsOf(scop)) {
    ASSERT_LT(DateOf(scop, schedule, source), DateOf(scop, schedule, target))
        << scop.statements[source.statement].name << " before "
        << scop.statements[target.statement].name << "\n"
        << TableText(scop, schedule);
  }
}

TEST(RandomScopTest, HasTheDependencesOfItsExecutions) {
  std::size_t num_pairs = 0;
  for (std::uint64_t seed = 0; seed < kNumScops; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const Scop scop = RandomScop(random);
    ASSERT_EQ(ProblemOf(scop), "");
    const Pairs all = PairsOf(scop), last = LastPairsOf(scop);
    const Pairs memory = PairsOf(scop, DependencesOf(scop, DependenceKind::kMemory));
    const Pairs value = PairsOf(scop, DependencesOf(scop, DependenceKind::kValue));
    num_pairs += all.size();
    // Divisions are left out: there may be more pairs, but none in which the source is not earlier.
    EXPECT_TRUE(std::includes(memory.begin(), memory.end(), all.begin(), all.end()));
    EXPECT_TRUE(std::includes(value.begin(), value.end(), last.begin(), last.end()));
    EXPECT_TRUE(std::includes(all.begin(), all.end(), value.begin(), value.end()));
    EXPECT_EQ(memory, all);
  }
  EXPECT_GT(num_pairs, 10'000U);
}

TEST(RandomScopTest, EveryScheduleKeepsTheOrderOfDependentExecutions) {
  int num_influenced = 0, num_uninfluenced = 0;
  for (std::uint64_t seed = 0; seed < kNumScops; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const Scop scop = RandomScop(random);
    const DependenceKind kind = seed % 2 == 0 ? DependenceKind::kValue : DependenceKind::kMemory;
    const Scheduler scheduler(scop, DependencesOf(scop, kind));
    const auto all = DependencesOf(scop, DependenceKind::kMemory);
    const auto expect_legal = [&](const Schedule& schedule) {
      EXPECT_EQ(WhyIllegal(scop, scheduler.dependences(), schedule), "");
      EXPECT_EQ(WhyIllegal(scop, all, schedule), "");
      ExpectKept(scop, schedule);
    };
    expect_legal(scheduler.Find({}).schedule);
    const InfluenceTree tree = TreeOf(scop, scheduler.dependences(), ScenariosOf(scop, {}));
    for (const InfluenceTree& path : PathsOf(tree)) {
      const Scheduled found = scheduler.Find(path);
      ++(found.outcome == Scheduled::Outcome::kInfluenced ? num_influenced : num_uninfluenced);
      expect_legal(found.schedule);
    }
    expect_legal(scheduler.Find(tree).schedule);
  }
  EXPECT_GT(num_influenced, 100);
  EXPECT_GT(num_uninfluenced, 10);
}

TEST(RandomScopTest, IsScheduledByIsl) {
  int num_with_rows = 0;
  for (std::uint64_t seed = 0; seed < kNumScops / 5; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const Scop scop = RandomScop(random);
    const auto dependences = DependencesOf(scop, DependenceKind::kValue);
    for (const NamedIslOptions& setting : IslSettings()) {
      const IslScheduled found = ScheduleByIsl(scop, dependences, setting.options);
      EXPECT_NE(found.loops, "");
      if (!found.schedule) continue;
      ++num_with_rows;
      EXPECT_EQ(WhyIllegal(scop, dependences, *found.schedule), "") << setting.name;
    }
  }
  EXPECT_GT(num_with_rows, 100);
}

}  // namespace
}  // namespace exh::poly

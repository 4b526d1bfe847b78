// SPDX-License-Identifier: MIT
#include "search/simulate/simulation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "search/simulate/simulation_report.h"
#include "tests/search/scene.h"

namespace exh::search {
namespace {

using testing::HasSubstr;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A recorded run of random descents; those with `size(c)=2` do not compile.
Log RandomRun(const std::string& budget, std::uint64_t seed = 1) {
  Scene run;
  run.options.seed = seed;
  run.evaluator.compile = [](const std::string& source) {
    return source.find("size(c)=2") == source.npos ? kernels::Verdict::kCorrect
                                                   : kernels::Verdict::kCompileError;
  };
  run.Budget(budget);
  run.Go();
  return run.log();
}

/// What the tests simulate on.
struct Recorded {
  std::vector<Log> logs;
  runtime::Candidate root = ToyRoot();
  ChoiceOrder order = ChoiceOrder::Parse("size,color", root.instance());
  BoundFunction bound = ToyBound;
  Record record;

  explicit Recorded(std::vector<Log> runs)
      : logs(std::move(runs)),
        record(root, order, bound, LeavesOf(logs, std::vector<std::string>(logs.size(), "run"))) {}
};

TEST(Record, HoldsWhatWasEvaluatedAndNothingElse) {
  const Recorded recorded({RandomRun("evals=150")});
  const Record& record = recorded.record;
  const Log& log = recorded.logs.front();
  ASSERT_EQ(record.leaves().size(), 150u);
  double best = 1e9, seconds = 0;
  std::size_t correct = 0;
  for (const EvalRecord& eval : log.evals) {
    if (eval.verdict != kernels::Verdict::kCorrect) continue;
    ++correct;
    best = std::min(best, eval.best_ns);
  }
  EXPECT_EQ(record.num_correct(), correct);
  EXPECT_LT(correct, 150u);
  EXPECT_EQ(record.best_ns(), best);
  EXPECT_EQ(record.num_violations(), 0u);
  for (const RecordedLeaf& leaf : record.leaves()) {
    seconds += leaf.seconds;
    if (leaf.ns > 0) {
      EXPECT_LE(leaf.bound, leaf.ns);
    }
  }
  EXPECT_NEAR(seconds, log.evals.back().dt, 1e-9);
  // Every implementation is at the end of one path, whose values are its own.
  std::set<std::uint32_t> leaves;
  for (std::uint32_t vertex = 0; vertex < record.vertices().size(); ++vertex) {
    const std::uint32_t leaf = record.vertices()[vertex].leaf;
    if (leaf == Record::kNone) continue;
    EXPECT_TRUE(leaves.insert(leaf).second);
    Path path;
    for (std::uint32_t at = vertex; at != 0; at = record.vertices()[at].parent) {
      const Record::Vertex& parent = record.vertices()[record.vertices()[at].parent];
      const int value = record.vertices()[at].value;
      path.insert(path.begin(), {static_cast<int>(parent.decision), value});
      EXPECT_EQ(VectorValue(record.leaves()[leaf].vector, parent.decision), value);
      EXPECT_GE(record.vertices()[at].bound, parent.bound);
    }
    EXPECT_EQ(record.Find(path), vertex);
  }
  EXPECT_EQ(leaves.size(), 150u);
}

TEST(Record, WhatWasMeasuredInTurnHasTheTimeOfThat) {
  Scene run;
  // One looks far better than it is, until it is measured again.
  std::string lucky;
  run.evaluator.measure = [&](const std::string& source, int before) {
    if (lucky.empty() && before == 0 && run.evaluator.measured > 20) lucky = source;
    return Correct(source == lucky && before == 0 ? 1 : FakeEvaluator::TimeOf(source));
  };
  run.Budget("evals=60");
  const Outcome outcome = run.Go();
  const Recorded recorded({run.log()});
  const auto luckiest =
      std::ranges::min_element(recorded.record.leaves(), {}, &RecordedLeaf::first_ns);
  EXPECT_FALSE(lucky.empty());
  EXPECT_GT(luckiest->first_ns, 100);
  EXPECT_GT(luckiest->ns, 100);
  EXPECT_EQ(recorded.record.best_ns(), outcome.winner->ns);
  EXPECT_EQ(recorded.record.num_violations(), 0u);
}

TEST(Record, OfSeveralRunsHoldsEachProgramOnce) {
  const Recorded both({RandomRun("evals=100", 1), RandomRun("evals=100", 2)});
  std::set<std::string> vectors;
  for (const Log& log : both.logs) {
    for (const EvalRecord& eval : log.evals) vectors.insert(eval.vector);
  }
  EXPECT_LT(vectors.size(), 200u);
  EXPECT_EQ(both.record.leaves().size(), vectors.size());
}

TEST(Record, OfDifferentProblemsIsRefused) {
  std::vector<Log> logs = {RandomRun("evals=5"), RandomRun("evals=5")};
  const std::vector<std::string> names = {"one", "two"};
  logs[1].run->sizes["n"] = 3;
  try {
    LeavesOf(logs, names);
    FAIL() << "sizes differ";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("'one' and 'two' have different kernels or sizes"));
  }
}

TEST(Simulation, EveryPolicyEvaluatesAllOfTheRecordOnceWhereNothingIsCut) {
  const Recorded recorded({RandomRun("evals=150")});
  for (const char* name :
       {"tag,bound=off", "uct,bound=off", "bound,bound=off", "uniform,bound=off", "random"}) {
    const SimulatedPolicy policy = ParseSimulatedPolicy(name);
    const auto order = Simulate(recorded.record, policy, 3);
    EXPECT_EQ(order.size(), 150u) << name;
    EXPECT_EQ(std::set<std::uint32_t>(order.begin(), order.end()).size(), 150u) << name;
    EXPECT_EQ(Simulate(recorded.record, policy, 3), order) << name;
    EXPECT_NE(Simulate(recorded.record, policy, 4), order) << name;
  }
}

TEST(Simulation, ACutNeverLosesTheBestOfTheRecord) {
  const Recorded recorded({RandomRun("evals=300")});
  for (const char* name : {"tag,epsilon=0%", "uct,epsilon=0%", "bound,epsilon=0%"}) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      const auto order = Simulate(recorded.record, ParseSimulatedPolicy(name), seed);
      EXPECT_LT(order.size(), 300u) << name;
      EXPECT_EQ(std::set<std::uint32_t>(order.begin(), order.end()).size(), order.size());
      double best = kInfinity;
      for (const std::uint32_t leaf : order) {
        const RecordedLeaf& evaluated = recorded.record.leaves()[leaf];
        // Nothing is evaluated that the bound rules out at that moment.
        EXPECT_LT(evaluated.bound, best);
        if (evaluated.ns > 0) best = std::min(best, evaluated.ns);
      }
      EXPECT_EQ(best, recorded.record.best_ns()) << name << ", seed " << seed;
    }
  }
}

TEST(Simulation, RandomDrawsUniformly) {
  const Recorded recorded({RandomRun("evals=5")});
  std::map<std::uint32_t, int> first;
  const SimulatedPolicy random = ParseSimulatedPolicy("random");
  constexpr int kDraws = 5000;
  for (int seed = 0; seed < kDraws; ++seed) {
    ++first[Simulate(recorded.record, random, static_cast<std::uint64_t>(seed)).front()];
  }
  ASSERT_EQ(first.size(), 5u);
  for (const auto& [leaf, count] : first) EXPECT_NEAR(count, kDraws / 5, 150) << leaf;
}

TEST(Simulation, ATreeWithABoundFindsTheBestSoonerThanChance) {
  const Recorded recorded({RandomRun("evals=400")});
  const auto needed = [&](const char* name) {
    return SimulateAll(recorded.record, ParseSimulatedPolicy(name), 1, 15).reached[0].median;
  };
  const double tag = needed("tag"), random = needed("random");
  EXPECT_LT(2 * tag, random);
}

TEST(Simulation, CurvesFollowTheBestOfEachSeed) {
  const Recorded recorded({RandomRun("evals=200")});
  const Record& record = recorded.record;
  const SimulatedPolicy policy = ParseSimulatedPolicy("random");
  const SimulationResult result = SimulateAll(record, policy, 5, 1);
  const auto order = Simulate(record, policy, 5);
  double best = kInfinity;
  std::size_t done = 0;
  double ten = kInfinity;
  for (std::size_t point = 0; point < result.by_evaluations.x.size(); ++point) {
    for (; done < static_cast<std::size_t>(result.by_evaluations.x[point]); ++done) {
      const double ns = record.leaves()[order[done]].ns;
      if (ns > 0) best = std::min(best, ns);
      if (best <= 1.1 * record.best_ns() && std::isinf(ten)) ten = static_cast<double>(done + 1);
    }
    EXPECT_EQ(result.by_evaluations.low[point], best);
    EXPECT_EQ(result.by_evaluations.median[point], best);
    EXPECT_EQ(result.by_evaluations.high[point], best);
  }
  EXPECT_EQ(done, 200u);
  EXPECT_EQ(result.ended, 200);
  EXPECT_EQ(result.reached[0].median, ten);
  EXPECT_EQ(result.by_seconds.median.back(), record.best_ns());
  EXPECT_EQ(MedianAt(result.by_evaluations, 200), record.best_ns());
  EXPECT_EQ(MedianAt(result.by_evaluations, 0.5), kInfinity);
}

TEST(Simulation, QuartilesLieAroundTheMedian) {
  const Recorded recorded({RandomRun("evals=200")});
  const auto result = SimulateAll(recorded.record, ParseSimulatedPolicy("random"), 1, 8);
  const Curve& curve = result.by_evaluations;
  bool is_apart = false;
  for (std::size_t point = 0; point < curve.x.size(); ++point) {
    EXPECT_LE(curve.low[point], curve.median[point]);
    EXPECT_LE(curve.median[point], curve.high[point]);
    is_apart = is_apart || curve.low[point] < curve.high[point];
    if (point == 0) continue;
    EXPECT_LE(curve.median[point], curve.median[point - 1]);
  }
  EXPECT_TRUE(is_apart);
  for (const Reached& reached : result.reached) {
    EXPECT_LE(reached.least, reached.median);
    EXPECT_LE(reached.median, reached.most);
  }
}

TEST(Simulation, TheReportSaysWhatCameOut) {
  const Recorded recorded({RandomRun("evals=120")});
  std::vector<SimulationResult> results;
  for (const char* name : {"tag", "random"}) {
    results.push_back(SimulateAll(recorded.record, ParseSimulatedPolicy(name), 1, 4));
  }
  SimulationSetup setup;
  setup.runs = {"runs/x"};
  setup.run = *recorded.logs.front().run;
  setup.seeds = 4;
  setup.bound = "warm 12345678";
  const std::string text = SimulationText(setup, recorded.record, results);
  EXPECT_THAT(text, HasSubstr("record: 120 implementations, "));
  EXPECT_THAT(text, HasSubstr("\ntag "));
  EXPECT_THAT(text, HasSubstr("\nrandom "));
  EXPECT_THAT(text, HasSubstr("10 %"));
  const auto json = nlohmann::json::parse(SimulationJson(setup, recorded.record, results));
  EXPECT_EQ(json["format"], 1);
  EXPECT_EQ(json["implementations"], 120);
  ASSERT_EQ(json["policies"].size(), 2u);
  for (const char* by : {"evaluations", "seconds"}) {
    const auto& curve = json["policies"][1][by];
    EXPECT_EQ(curve["x"].size(), curve["median_ns"].size());
    EXPECT_EQ(curve["median_ns"].back(), recorded.record.best_ns());
  }
}

TEST(SimulatedPolicy, HasANameAndWhatIsDifferent) {
  const SimulatedPolicy tag = ParseSimulatedPolicy("tag,bound=off,topk=20,epsilon=5%");
  EXPECT_EQ(tag.name, "tag,bound=off,topk=20,epsilon=5%");
  EXPECT_FALSE(tag.has_bound);
  EXPECT_EQ(tag.tree.topk, 20);
  EXPECT_EQ(tag.tree.epsilon, 0.05);
  EXPECT_TRUE(ParseSimulatedPolicy("uct").has_bound);
  EXPECT_EQ(ParseSimulatedPolicy("random").policy, nullptr);
  for (const char* bad : {"tga", "tag,bound=maybe", "tag,topk=0", "tag,topk=1.5", "tag,delta=0",
                          "tag,epsilon=5", "tag,", "tag,topk", "random,bound=off", ""}) {
    EXPECT_THROW(ParseSimulatedPolicy(bad), UsageError) << bad;
  }
}

}  // namespace
}  // namespace exh::search

// SPDX-License-Identifier: MIT
//
// Decisions with more than 64 values, in all that a search does with them: drawn, logged, taken up
// again, replayed, counted, simulated, learned from, and shown.
#include "tests/search/long_space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "search/count/size.h"
#include "search/count/size_estimate.h"
#include "search/descend/rollout.h"
#include "search/descend/value_set.h"
#include "search/learn/cost_model.h"
#include "search/learn/traits.h"
#include "search/log/log_text.h"
#include "search/log/replay.h"
#include "search/near/local_search.h"
#include "search/near/walker.h"
#include "search/page/decisions/decision_columns.h"
#include "search/simulate/simulation.h"
#include "search/subject/decision_file.h"
#include "search/subject/explain.h"
#include "tests/search/log_samples.h"
#include "tests/search/scene.h"

namespace exh::search {
namespace {

using runtime::Candidate;
using runtime::DecisionId;
using runtime::Propagation;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

DecisionId StartOf(const Candidate& candidate, int item) {
  const runtime::Instance& instance = candidate.instance();
  return instance.first_decision(instance.FindChoice("start")) + static_cast<DecisionId>(item);
}

/// An implementation with these starts, by index.
Candidate WithStarts(const std::vector<int>& starts) {
  Candidate candidate = LongRoot();
  for (std::size_t item = 0; item < starts.size(); ++item) {
    EXPECT_EQ(candidate.Take(StartOf(candidate, static_cast<int>(item)), starts[item]),
              Propagation::kFixpoint);
  }
  for (const char* rest : {"mode(r)=LOOSE", "size(a)=1", "size(b)=2", "size(c)=4"}) {
    EXPECT_EQ(Take(candidate, rest), Propagation::kFixpoint);
  }
  EXPECT_TRUE(candidate.IsImplementation());
  return candidate;
}

Path PathTo(const Candidate& implementation) {
  const Candidate root = LongRoot();
  Path path;
  CompletePath(root, implementation, ChoiceOrder::Default(root.instance()), path);
  return path;
}

TEST(LongValues, AreDrawnAllAlike) {
  Candidate candidate = LongRoot();
  const DecisionId start = StartOf(candidate, 0);
  for (const int value : {0, 63, 64, 130, 163}) {
    ASSERT_EQ(candidate.Leave(start, value), Propagation::kFixpoint);
  }
  std::map<int, int> drawn;
  Random random(1);
  constexpr int kDraws = 159 * 200;
  for (int draw = 0; draw < kDraws; ++draw) ++drawn[DrawValue(candidate, start, random)];
  EXPECT_EQ(drawn.size(), 159u);
  for (const auto& [value, count] : drawn) {
    EXPECT_TRUE(candidate.MayTake(start, value)) << value;
    EXPECT_NEAR(count, 200, 70) << value;
  }
}

TEST(ShortValues, AreDrawnAsBefore) {
  const Candidate root = ToyRoot();
  const DecisionId color = root.instance().first_decision(root.instance().FindChoice("color"));
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed), same(seed), again(seed);
    for (int draw = 0; draw < 10; ++draw) {
      runtime::Bits values = root.domain(color);
      for (auto skip = random.Below(static_cast<std::size_t>(std::popcount(values))); skip > 0;
           --skip) {
        values &= values - 1;
      }
      EXPECT_EQ(DrawValue(root, color, same), std::countr_zero(values));
      ValueSet set;
      set.Assign(root, color);
      EXPECT_EQ(set.Draw(again), std::countr_zero(values));
    }
  }
}

TEST(LongValues, InASetAreTakenAwayOneByOne) {
  Candidate candidate = LongRoot();
  const DecisionId start = StartOf(candidate, 1);
  ASSERT_EQ(candidate.Leave(start, 70), Propagation::kFixpoint);
  ValueSet set = ValueSet::OfRoot(candidate.instance(), start);
  EXPECT_EQ(set.size(), std::size_t{kLongStarts});
  set.Assign(candidate, start);
  EXPECT_EQ(set.size(), std::size_t{kLongStarts - 1});
  Random random(3);
  std::set<int> drawn;
  while (!set.empty()) {
    const int value = set.Draw(random);
    EXPECT_TRUE(drawn.insert(value).second);
    set.Remove(value);
  }
  EXPECT_EQ(drawn.size(), std::size_t{kLongStarts - 1});
  EXPECT_EQ(drawn.count(70), 0u);
  set = ValueSet::OfRoot(candidate.instance(), start);
  set.Remove(candidate, start);
  std::vector<int> left;
  set.ForEach([&](int value) { left.push_back(value); });
  EXPECT_THAT(left, ElementsAre(70));
}

TEST(LongValues, InCommonAreOneAcrossAllWords) {
  const Candidate root = LongRoot(), one = WithStarts({70, 3, 163});
  for (int item = 0; item < 3; ++item) {
    EXPECT_EQ(OnlyCommonValue(root, root, StartOf(root, item)), -1);
    EXPECT_EQ(OnlyCommonValue(one, root, StartOf(root, item)), one.FirstValue(StartOf(root, item)));
    EXPECT_EQ(OnlyCommonValue(one, WithStarts({71, 4, 3}), StartOf(root, item)), -1);
  }
}

TEST(LongVector, HasValuesFromSixtyFourOnBehindAllDecisions) {
  const Candidate candidate = WithStarts({70, 3, 163});
  // mode, three starts, three sizes, three orders.
  EXPECT_EQ(VectorText(candidate),
            "0~3~012100"
            "16"
            "2Z");
  for (const int value : {0, 9, 63, 64, 127, 128, kLongStarts - 1}) {
    const int other = value == 5 ? 6 : 5, third = 100;
    const std::string vector = VectorText(WithStarts({other, value, third}));
    EXPECT_EQ(VectorSize(vector), candidate.instance().num_decisions());
    EXPECT_EQ(VectorValue(vector, StartOf(candidate, 0)), other);
    EXPECT_EQ(VectorValue(vector, StartOf(candidate, 1)), value);
    EXPECT_EQ(VectorValue(vector, StartOf(candidate, 2)), third);
    std::map<std::size_t, int> values;
    ForEachVectorValue(vector, [&](std::size_t decision, int one) { values[decision] = one; });
    EXPECT_EQ(values.size(), candidate.instance().num_decisions());
    for (const auto& [decision, one] : values) EXPECT_EQ(VectorValue(vector, decision), one);
  }
  const Candidate root = LongRoot();
  EXPECT_EQ(VectorText(root), std::string(root.instance().num_decisions(), '?'));
}

TEST(LongVector, ThatIsDamagedHasNoValueThere) {
  EXPECT_EQ(VectorValue("0~/2A", 1), 138);
  EXPECT_EQ(VectorValue("0~/2?", 1), -1);
  EXPECT_EQ(VectorSize("~~"), 0u);
  EXPECT_EQ(VectorSize("~"), 0u);
  EXPECT_EQ(VectorSize("~//"), 1u);
  EXPECT_EQ(VectorValue("~//", 0), 4095);
  int count = 0;
  ForEachVectorValue("~~", [&](std::size_t, int) { ++count; });
  EXPECT_EQ(count, 0);
}

TEST(LongDecisions, StandInTheDictionaryAsRanges) {
  const Candidate root = LongRoot();
  const std::vector<ChoiceRecord> records = ChoiceRecords(root.instance());
  const ChoiceRecord& start = records[StartOf(root, 0)];
  EXPECT_EQ(start.name, "start");
  EXPECT_THAT(start.domain, IsEmpty());
  EXPECT_THAT(start.ranges, ElementsAre(LoggedRange{0, 63}, LoggedRange{1000, 1099}));
  EXPECT_THAT(records.front().ranges, IsEmpty());
  Log log;
  log.choices = records;
  const auto decision = static_cast<int>(StartOf(root, 0));
  for (int value = 0; value < kLongStarts; ++value) {
    EXPECT_EQ(ValueName(log, {decision, value}), std::to_string(LongNumber(value)));
    EXPECT_EQ(StepText(root.instance(), {decision, value}),
              "start(a)=" + std::to_string(LongNumber(value)));
  }
  EXPECT_EQ(ValueName(log, {decision, kLongStarts}), "#164");
  EXPECT_EQ(ValueName(log, {decision, -1}), "#-1");
}

TEST(LongDecisions, AreListsAndRangesInFiles) {
  Candidate candidate = LongRoot();
  const auto apply = [&](const std::string& text) {
    return ApplyDecisions(ParseDecisionFile(text, "long.txt"), candidate);
  };
  EXPECT_THAT(apply("start(a)=3..12|40|1000..1010\nstart(a)=10|1005\nstart(b)=1005\n"), IsEmpty());
  EXPECT_EQ(candidate.FirstValue(StartOf(candidate, 0)), 10);
  EXPECT_TRUE(candidate.IsConstrained(StartOf(candidate, 0)));
  EXPECT_THAT(Thrown<UsageError>([&] { apply("start(c)=3|7|1098\nstart(c)=8..12|1099\n"); }),
              AllOf(HasSubstr("long.txt:2: "), HasSubstr("left is only 3|7|1098")));

  candidate = LongRoot();
  const DecisionFile file =
      ParseDecisionFile("start(a)=0..12|1050\nstart(b)=63\nsize(a)=1|2\n", "long.txt");
  EXPECT_EQ(candidate.Restrict(FileActions(file, candidate.instance())), Propagation::kFixpoint);
  std::vector<int> left;
  candidate.ForEachValue(StartOf(candidate, 0), [&](int value) { left.push_back(value); });
  EXPECT_THAT(left, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 114));
}

TEST(LongDecisions, ThatAreWrittenAreReadBack) {
  const Candidate implementation = WithStarts({70, 3, 163});
  const std::string text = WriteDecisionFile(SampleRun(), implementation.instance(),
                                             PathTo(implementation), "Record 3 of a test");
  EXPECT_THAT(text, AllOf(HasSubstr("start(a)=1006\n"), HasSubstr("start(b)=3\n")));
  Candidate candidate = LongRoot();
  EXPECT_THAT(ApplyDecisions(ParseDecisionFile(text, "best.replay"), candidate), IsEmpty());
  EXPECT_EQ(VectorText(candidate), VectorText(implementation));
  EXPECT_THAT(AllDecisionsText(implementation),
              AllOf(HasSubstr("start(a)=1006\n"), HasSubstr("start(c)=1099\n")));
}

TEST(LongDecisions, OfARandomDeadEndAreSingleValues) {
  const Candidate root = LongRoot();
  const ChoiceOrder order = ChoiceOrder::Parse("mode,start", root.instance());
  Random random(1);
  const auto actions = RandomDeadEnd(root, order, random);
  ASSERT_TRUE(actions);
  EXPECT_EQ(root.instance().DecisionName(actions->back().decision), "start(a)");
  Candidate candidate = root;
  EXPECT_EQ(candidate.Restrict(*actions), Propagation::kDeadEnd);
}

TEST(LongDecisions, AreDescendedAlsoOutOfDeadEnds) {
  const Candidate root = LongRoot();
  int dead_ends = 0;
  std::set<std::string> vectors;
  for (const char* choices : {"mode,start", "start,mode", "order,size,start"}) {
    const ChoiceOrder order = ChoiceOrder::Parse(choices, root.instance());
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      Descender descender(order);
      Random random(seed);
      ASSERT_EQ(descender.Run(root, random, [&](const DeadEnd&) { ++dead_ends; }),
                DescentResult::kImplementation);
      vectors.insert(VectorText(descender.candidate()));
      Descender again(order);
      again.Begin(root);
      again.GoTo(descender.candidate());
      EXPECT_EQ(again.candidate().state(), descender.candidate().state());
    }
  }
  EXPECT_GT(dead_ends, 10);
  EXPECT_GT(vectors.size(), 110u);
  // Half of all descents that take the mode first end dead.
  const ChoiceOrder order = ChoiceOrder::Parse("mode,start", root.instance());
  Random random(5);
  int dead = 0;
  for (int descent = 0; descent < 400; ++descent) {
    dead += DeadEndStudy(order).Run(root, random).has_value();
  }
  EXPECT_NEAR(dead, 200, 50);
}

TEST(LongDecisions, AreGuidedByBoundsOfSomeOfTheirValues) {
  const Candidate root = LongRoot();
  int asked = 0;
  const BoundFunction bound = [&](const Candidate& candidate) {
    ++asked;
    return LongBound(candidate);
  };
  BoundGuide guide(bound, std::numeric_limits<double>::infinity(), 8);
  Random random(1);
  double early = 0;
  for (int draw = 0; draw < 200; ++draw)
    early += guide.Draw(root, StartOf(root, 0), 0, random) < 64;
  EXPECT_EQ(asked, 200 * 64);
  EXPECT_GT(early, 200 * 0.7);  // 64 of 164 values, with far lower bounds.
}

TEST(LongDecisions, AreCountedAndEstimated) {
  const Candidate small = LongRoot(2, 70);
  for (const char* choices : {"mode,start", "start", "order,start"}) {
    const ChoiceOrder order = ChoiceOrder::Parse(choices, small.instance());
    const LevelCount total = Total(CountTree(small, order, UINT64_MAX, 2));
    // Of two items both can be early in mode TIGHT, in two ways; of each there are nine sizes.
    EXPECT_EQ(total.implementations,
              static_cast<std::uint64_t>(LongImplementations(2, 70)) + 2 * 9);
  }
  const Candidate root = LongRoot();
  const ChoiceOrder order = ChoiceOrder::Parse("start", root.instance());
  const std::vector<LevelCount> levels = CountLevels(root, order, 2, 1);
  EXPECT_EQ(levels[1].nodes, 164u);
  EXPECT_EQ(levels[2].nodes, 164u * 163);
  for (const Strata strata : {Strata::kKnuth, Strata::kChen}) {
    const SizeEstimate estimate = EstimateSize(root, order, strata, {.samples = 20});
    EXPECT_NEAR(static_cast<double>(estimate.implementations.mean()),
                LongImplementations(3, kLongStarts), 0.02 * LongImplementations(3, kLongStarts));
  }
}

/// A search of the space with long decisions.
struct LongScene : Scene {
  explicit LongScene(bool has_tree = true) {
    root = [] { return LongRoot(); };
    order = "mode,start";
    evaluator.measure = [](const std::string& source, int) { return Correct(LongTime(source)); };
    if (!has_tree) return;
    options.policy = MakePolicy("tag", {});
    // A tenth of what starts take: with all of it nine evaluations prove what is best.
    options.proposer.bound = [](const Candidate& candidate) {
      return 100 + 0.1 * (LongBound(candidate) - 100);
    };
    options.proposer.local_share = 0.4;
    options.proposer.screen = 4;
    options.batch = 1;
  }
};

void ExpectGoodLog(const Log& log, std::size_t count) {
  EXPECT_THAT(log.problems, IsEmpty());
  ASSERT_EQ(log.evals.size(), count);
  std::set<std::string> vectors;
  bool is_far = false;
  for (const EvalRecord& eval : log.evals) {
    EXPECT_TRUE(vectors.insert(eval.vector).second) << eval.n;
    is_far = is_far || eval.vector.find('~') != std::string::npos;
    Candidate candidate = LongRoot();
    ReplayRecord(log, eval, candidate);
    for (const PathStep& step : eval.path) EXPECT_EQ(LocalStep(log, step, candidate), step);
    for (int item = 0; item < 3; ++item) {
      const DecisionId start = StartOf(candidate, item);
      EXPECT_EQ(VectorValue(eval.vector, start), candidate.FirstValue(start));
    }
  }
  EXPECT_TRUE(is_far);
}

TEST(LongDecisions, AreSearchedLoggedAndTakenUp) {
  for (const bool has_tree : {true, false}) {
    LongScene run(has_tree);
    run.Budget("evals=60");
    const Outcome first = run.Go();
    const Log half = run.log();
    ExpectGoodLog(half, 60);
    if (has_tree) {
      EXPECT_EQ(run.ReplayedDigest(), first.end.tree);
      EXPECT_EQ(half.choices, ChoiceRecords(LongRoot().instance()));
    }
    LongScene again(has_tree);
    std::ofstream(again.folder / "log.jsonl", std::ios::binary)
        << ReadAll(run.folder / "log.jsonl");
    again.Budget("evals=120");
    const Outcome outcome = again.Resume();
    const Log log = again.log();
    ExpectGoodLog(log, 120);
    if (has_tree) {
      EXPECT_EQ(again.ReplayedDigest(), outcome.end.tree);
      EXPECT_LT(log.BestTime(), 200);  // 103 at best; 1400 on average.
    }
    EXPECT_THAT(EvalText(log, *log.Best(), false), HasSubstr("start"));
    EXPECT_THAT(EvalText(log, *log.Best(), true), HasSubstr("start(a)="));
    const std::string differences = DiffText(log, log.evals[0], log, log.evals[1], true);
    EXPECT_THAT(differences, HasSubstr("start("));
    EXPECT_EQ(differences.find('#'), std::string::npos);
  }
}

TEST(LongDecisions, OfARecordAreSimulated) {
  LongScene run(false);
  run.Budget("evals=150");
  run.Go();
  std::vector<Log> logs;
  logs.push_back(run.log());
  const Candidate root = LongRoot();
  const ChoiceOrder order = ChoiceOrder::Parse("start,mode", root.instance());
  const Record record(root, order, LongBound, LeavesOf(logs, std::vector<std::string>{"run"}));
  ASSERT_EQ(record.leaves().size(), 150u);
  int most = 0;
  for (const Record::Vertex& vertex : record.vertices()) most = std::max<int>(most, vertex.value);
  EXPECT_GT(most, 100);
  for (const char* name : {"tag,bound=off", "random"}) {
    const auto all = Simulate(record, ParseSimulatedPolicy(name), 3);
    EXPECT_EQ(std::set<std::uint32_t>(all.begin(), all.end()).size(), 150u) << name;
  }
}

TEST(LongDecisions, HaveNeighboursInAllWords) {
  const Candidate elite = WithStarts({70, 3, 163});
  const Path path = PathTo(elite);
  Random random(1);
  std::set<int> tried;
  const BoundFunction none;
  const Candidate root = LongRoot();
  const Trades trades(root.instance());
  const ChoiceOrder order = ChoiceOrder::ForRepair(root.instance());
  int changed = 0, found = 0;
  for (int number = 0; number < 3000; ++number) {
    const Neighbourhood near = LocalSearch::Around(elite, path, trades, random);
    Candidate start = root;
    for (const PathStep& step : near.first) {
      if (step.decision == static_cast<int>(StartOf(root, 0))) tried.insert(step.value);
    }
    if (!RestrictTo(near.first, start)) continue;
    if (number % 10 != 0) continue;
    NearGuide guide(near, none, 0);
    Descender descender(order, 100);
    if (descender.Run(
            start, random, [](const DeadEnd&) {}, guide) != DescentResult::kImplementation) {
      continue;
    }
    ++found;
    changed += VectorText(descender.candidate()) != VectorText(elite);
  }
  EXPECT_GT(found, 200);
  EXPECT_EQ(changed, found);
  EXPECT_GT(tried.size(), 60u);
  EXPECT_GT(*tried.rbegin(), 128);
  EXPECT_EQ(tried.count(70), 0u);  // It has that one.
}

TEST(LongDecisions, TeachTheCostModel) {
  const Candidate root = LongRoot();
  CostModel model(root.instance(), 1, 1);
  Random random(1);
  const ChoiceOrder order = ChoiceOrder::Parse("start", root.instance());
  Descender descender(order);
  const std::vector<double> amounts = {0};
  const auto draw = [&] {
    while (descender.Run(root, random, [](const DeadEnd&) {}) != DescentResult::kImplementation) {
    }
  };
  const auto is_late = [&] { return descender.candidate().FirstValue(StartOf(root, 1)) >= 100; };
  for (int sample = 0; sample < 300; ++sample) {
    draw();
    model.Add(VectorText(descender.candidate()), amounts, 0, descender.path(), {},
              is_late() ? 1000 : 100);
  }
  int right = 0;
  for (int sample = 0; sample < 100; ++sample) {
    draw();
    const double mean = model.Ask(VectorText(descender.candidate()), amounts, 0).value().mean;
    right += is_late() == (mean > std::log(316));
  }
  EXPECT_GT(right, 85);
}

TEST(LongDecisions, HaveTraitsOfTheirNumbersAlone) {
  const Candidate implementation = WithStarts({70, 3, 163});
  const Traits traits(implementation.instance(), {});
  std::set<std::string> names(traits.names().begin(), traits.names().end());
  EXPECT_EQ(names.count("start mean"), 1u);
  EXPECT_EQ(names.count("start=3"), 0u);
  EXPECT_EQ(names.count("size=4"), 1u);
  std::vector<std::uint8_t> row(traits.names().size());
  traits.Fill(VectorText(implementation), {}, 0, row);
  const auto most = std::ranges::find(traits.names(), "start most") - traits.names().begin();
  EXPECT_EQ(row[static_cast<std::size_t>(most)], 90);  // 1 + 8 log2(1099 / 0.5).
}

TEST(LongDecisions, HaveColumnsOfIndicesInAPage) {
  LongScene run(false);
  run.Budget("evals=30");
  run.Go();
  const Log log = run.log();
  ScriptJson json;
  json.Open('{');
  WriteDecisions(log, 1'000'000, json);
  json.Close();
  const nlohmann::json page = nlohmann::json::parse(json.Take());
  int long_ones = 0;
  for (const auto& decision : page["decisions"]) {
    if (decision["choice"] != "start") {
      EXPECT_TRUE(decision["column"].is_string());
      EXPECT_FALSE(decision.contains("ranges"));
      continue;
    }
    ++long_ones;
    EXPECT_EQ(decision["ranges"], (nlohmann::json{{0, 63}, {1000, 1099}}));
    ASSERT_EQ(decision["column"].size(), 30u);
    const std::string name = decision["name"];
    const DecisionId start = StartOf(LongRoot(), name[6] - 'a');
    for (std::size_t n = 0; n < 30; ++n) {
      EXPECT_EQ(decision["column"][n], VectorValue(log.evals[n].vector, start));
    }
  }
  EXPECT_EQ(long_ones, 3);
}

}  // namespace
}  // namespace exh::search

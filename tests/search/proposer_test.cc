// SPDX-License-Identifier: MIT
//
// What is proposed when a cost model chooses: by a proposer that was taught by hand, and in whole
// searches of the toy space.
#include "search/propose/exploration.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "search/log/decisions.h"
#include "search/log/replay.h"
#include "tests/search/scene.h"

namespace exh::search {
namespace {

// Otherwise the model would have no say before the space is exhausted.
static_assert(kToyImplementations > 4 * static_cast<int>(CostModel::kLeast));

/// A proposer with a tree of the toy space.
struct Stage {
  explicit Stage(const ProposerOptions& options)
      : exploration(MakeExploration(entries, MakePolicy("uniform", {}), {}, options, 1, 0, log)) {}

  /// What random descents find, and the times of their sources.
  void Teach(int count, std::uint64_t seed, double (*time_of)(const std::string& source)) {
    Random random(seed);
    Descender descender(order);
    while (count > 0) {
      const DescentResult result = descender.Run(root, random, [](const DeadEnd&) {});
      if (result != DescentResult::kImplementation) continue;
      const double ns = time_of(evaluator.Emit(descender.candidate()).text);
      Learn(descender.candidate(), descender.path(), ns);
      --count;
    }
  }
  void Learn(const runtime::Candidate& implementation, const Path& path, double ns) {
    const std::string vector = VectorText(implementation);
    Lesson lesson{implementation, vector, path, ns};
    exploration.proposer->Learn(lesson);
  }
  /// The next implementations that are proposed. None has a result: the tree learns nothing, so
  /// that what differs is due to the model.
  std::vector<Entry> Propose(int count) {
    std::vector<Entry> found;
    Random random(7);
    // Some yield nothing: TIGHT leads nowhere.
    for (int left = 20 * count; left > 0 && count > 0; --left) {
      Attempt attempt;
      exploration.proposer->Propose(random, attempt);
      if (!attempt.entry) continue;
      exploration.frontier->Take(attempt);
      found.push_back(*std::move(attempt.entry));
      --count;
    }
    EXPECT_EQ(count, 0);
    return found;
  }

  TempFolder folder;
  EventLog log{folder / "log.jsonl"};
  const runtime::Candidate root = ToyRoot();
  const ChoiceOrder order = ChoiceOrder::Parse("mode,color,order", root.instance());
  FakeEvaluator evaluator;
  const EntryMaker entries{root, order, evaluator, {}, {}};
  const Exploration exploration;
};

/// Of entries or evaluations.
template <typename Records>
std::vector<std::string> VectorsOf(const Records& records) {
  std::vector<std::string> vectors;
  for (const auto& record : records) vectors.push_back(record.vector);
  return vectors;
}

/// The compiler has no luck with a third of all.
void Prepare(Scene& run, bool ahead, int screen = 16) {
  run.options.policy = MakePolicy("tag", {});
  run.options.proposer.local_share = 0.7;
  run.options.proposer.screen = screen;
  run.options.jobs = ahead ? 3 : 1;
  run.options.batch = ahead ? 4 : 1;
  run.evaluator.ahead = ahead;
  run.evaluator.compile = [](const std::string& source) {
    const bool works = source.find("size(c)=2") == source.npos;
    return works ? kernels::Verdict::kCorrect : kernels::Verdict::kCompileError;
  };
}

TEST(Proposer, AWalkFromARolloutLeadsToWhatTheModelThinksMoreOf) {
  const auto fast_ones = [](int screen) {
    Stage stage({.screen = screen});
    const auto time_of = [](const std::string& source) {
      return source.find("size(b)=1") != source.npos ? 100.0 : 1000.0;
    };
    stage.Teach(60, 1, time_of);
    const std::vector<Entry> entries = stage.Propose(30);
    return std::ranges::count(entries, 100, [&](const auto& e) { return time_of(e.source.text); });
  };
  // By chance one in three.
  EXPECT_GT(fast_ones(16), 18);
  EXPECT_LT(fast_ones(1), 14);
}

TEST(Proposer, WhatATreeSelectedStaysOnTheWalk) {
  Stage stage({.screen = 64});
  stage.Teach(60, 1, [](const std::string& source) { return 100.0 + source.size() % 7; });
  int decided = 0;
  for (const Entry& entry : stage.Propose(40)) {
    const Path& selected = entry.selection->path;
    ASSERT_LE(selected.size(), entry.path.size());
    EXPECT_TRUE(std::equal(selected.begin(), selected.end(), entry.path.begin()));
    decided += selected.empty() ? 0 : 1;
  }
  EXPECT_GT(decided, 20);
}

TEST(Proposer, AWalkLeadsToWhatTheModelThinksMoreOf) {
  const auto slow_ones = [](int screen) {
    const auto time_of = [](const std::string& source) {
      return source.find("size(b)=1") != source.npos ? 100.0 : 1000.0;
    };
    std::ptrdiff_t count = 0;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      Stage stage({.local_share = 1, .screen = screen});
      stage.Teach(60, seed, time_of);
      const std::vector<Entry> entries = stage.Propose(20);
      count += std::ranges::count(entries, 1000,
                                  [&](const auto& entry) { return time_of(entry.source.text); });
    }
    return count;
  };
  // All the fastest that it begins at are fast, and some of their neighbours are not.
  EXPECT_GT(slow_ones(1), 10);
  EXPECT_LT(slow_ones(64), slow_ones(1));
}

TEST(Proposer, WhatIsKnownIsWalkedOverAndNotProposed) {
  Stage stage({.local_share = 1, .screen = 64});
  const auto time_of = [](const std::string& source) {
    return source.find("size(b)=1") != source.npos ? 100.0 : 1000.0;
  };
  stage.Teach(60, 1, time_of);
  std::set<std::uint64_t> programs;
  std::ptrdiff_t fast = 0;
  for (const Entry& entry : stage.Propose(20)) {
    programs.insert(entry.code_hash);
    fast += time_of(entry.source.text) == 100 ? 1 : 0;
  }
  EXPECT_EQ(programs.size(), 20u);
  // There are more fast ones than that.
  EXPECT_GT(fast, 17) << fast;
}

TEST(Proposer, ALogTeachesWhatTheRunLearned) {
  Scene run;
  Prepare(run, false);
  run.Budget("evals=60");
  run.Go();
  const Log log = run.log();
  Stage of_log({.local_share = 0.7, .screen = 16}), of_entries({.local_share = 0.7, .screen = 16});
  LearnFrom(log, of_log.root, *of_log.exploration.proposer);
  for (const EvalRecord& eval : log.evals) {
    runtime::Candidate candidate = of_entries.root;
    ReplayRecord(log, eval, candidate);
    const bool is_correct = eval.verdict == kernels::Verdict::kCorrect;
    of_entries.Learn(candidate, eval.path, is_correct ? eval.best_ns : 0);
  }
  EXPECT_EQ(VectorsOf(of_log.Propose(60)), VectorsOf(of_entries.Propose(60)));
}

/// The vectors of a run that begins, or goes on.
std::vector<std::string> GoOnUntil(Scene& run, const std::string& budget) {
  run.stopper = AnyStopper();
  run.Budget(budget);
  ReadAll(run.folder / "log.jsonl").empty() ? run.Go() : run.Resume();
  return VectorsOf(run.log().evals);
}

/// The whole space was searched, nothing of it twice, and the log gives the tree again.
void ExpectExhausted(Scene& run, const Outcome& outcome) {
  EXPECT_EQ(outcome.end.why, "exhausted");
  EXPECT_TRUE(outcome.proof.exhausted);
  const auto vectors = VectorsOf(run.log().evals);
  EXPECT_EQ(vectors.size(), static_cast<std::size_t>(kToyImplementations));
  EXPECT_EQ(std::set(vectors.begin(), vectors.end()).size(), vectors.size());
  EXPECT_EQ(run.ReplayedDigest(), outcome.end.tree);
}

TEST(Proposer, ASearchWithAModelExhaustsTheSpaceAlsoWhenItWasKilled) {
  for (const bool ahead : {false, true}) {
    Scene whole, killed, bounded;
    for (Scene* scene : {&whole, &killed, &bounded}) Prepare(*scene, ahead);
    const Outcome outcome = whole.Go();
    ExpectExhausted(whole, outcome);
    // With some 300 evaluations, and somewhere in a line of the log.
    const std::string text = ReadAll(whole.folder / "log.jsonl");
    std::ofstream(killed.folder / "log.jsonl", std::ios::binary) << text.substr(0, text.size() / 3);
    ExpectExhausted(killed, killed.Resume());
    bounded.options.proposer.bound = ToyBound;
    bounded.options.tree.epsilon = 0;
    EXPECT_EQ(bounded.Go().winner->ns, outcome.winner->ns);
    EXPECT_LT(bounded.log().evals.size(), whole.log().evals.size());
  }
}

TEST(Proposer, TheModelHasNoSayUntilItHasSeenEnough) {
  Scene with, without;
  Prepare(with, false);
  Prepare(without, false, 1);
  const auto one = GoOnUntil(with, "evals=100"), other = GoOnUntil(without, "evals=100");
  const auto apart = std::ranges::mismatch(one, other).in1 - one.begin();
  EXPECT_GE(apart, static_cast<std::ptrdiff_t>(CostModel::kLeast));
  EXPECT_LT(apart, 100);
}

TEST(Proposer, ARunThatWasCutGoesOnWithWhatItHadLearned) {
  // From the tree alone: there what is drawn depends on numbers of the log alone, so that the run
  // that was cut does what the whole one did, if its model is the same.
  Scene whole, run;
  for (Scene* scene : {&whole, &run}) {
    Prepare(*scene, false);
    scene->options.proposer.local_share = 0;
  }
  GoOnUntil(run, "evals=70");
  EXPECT_EQ(GoOnUntil(run, "evals=150"), GoOnUntil(whole, "evals=150"));
}

}  // namespace
}  // namespace exh::search

// SPDX-License-Identifier: MIT
//
// Whole searches with a tree: of the toy space, with a fake evaluator and a fake bound.
#include "search/tree/tree_search.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <set>
#include <string>
#include <thread>

#include "search/tree/tree_replay.h"
#include "tests/search/scene.h"

namespace exh::search {
namespace {

using kernels::Verdict;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(TreeSearch, ExhaustsTheSpaceAndProvesTheOptimum) {
  for (const char* policy : {"tag", "uct", "bound", "uniform"}) {
    for (const bool ahead : {false, true}) {
      Scene run;
      run.options.policy = MakePolicy(policy, {});
      run.options.jobs = 3;
      run.evaluator.ahead = ahead;
      const Outcome outcome = run.Go();
      EXPECT_EQ(outcome.end.why, "exhausted");
      EXPECT_EQ(outcome.end.evaluations, static_cast<std::uint64_t>(kToyImplementations)) << policy;
      EXPECT_TRUE(outcome.proof.exhausted);
      EXPECT_EQ(outcome.proof.pruned, 0u);
      EXPECT_THAT(ProofText(outcome.proof, {0, outcome.winner->ns, 0}),
                  HasSubstr("optimal, every"));
      std::set<std::string> vectors;
      for (const EvalRecord& eval : run.log().evals) vectors.insert(eval.vector);
      EXPECT_EQ(vectors.size(), static_cast<std::size_t>(kToyImplementations));
    }
  }
}

/// While the last compiler of a batch runs, others look for what the next one has.
TEST(TreeSearch, WhatIsFoundBesideACompilerIsEvaluatedOnce) {
  Scene run;
  run.options.policy = MakePolicy("tag", {});
  run.options.jobs = 3;
  run.options.batch = 6;
  std::atomic<int> compiled = 0;
  run.evaluator.compile = [&](const std::string&) {
    if (++compiled % 6 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return Verdict::kCorrect;
  };
  const Outcome outcome = run.Go();
  EXPECT_EQ(outcome.end.why, "exhausted");
  EXPECT_EQ(outcome.end.evaluations, static_cast<std::uint64_t>(kToyImplementations));
  EXPECT_TRUE(outcome.proof.exhausted);
  std::set<std::string> vectors;
  for (const EvalRecord& eval : run.log().evals) vectors.insert(eval.vector);
  EXPECT_EQ(vectors.size(), static_cast<std::size_t>(kToyImplementations));
  EXPECT_EQ(run.ReplayedDigest(), outcome.end.tree);
}

TEST(TreeSearch, PruningWithABoundNeverLosesTheOptimum) {
  Scene whole;
  whole.options.policy = MakePolicy("tag", {});
  const double optimum = whole.Go().winner->ns;
  for (const char* policy : {"tag", "uct", "bound", "uniform"}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      Scene run;
      run.options.policy = MakePolicy(policy, {});
      run.options.seed = seed;
      run.options.proposer.bound = ToyBound;
      run.options.tree.epsilon = 0;
      run.evaluator.ahead = seed % 2 == 0;
      run.options.jobs = 2;
      const Outcome outcome = run.Go();
      EXPECT_EQ(outcome.end.why, "exhausted");
      EXPECT_EQ(outcome.winner->ns, optimum) << policy << ", seed " << seed;
      EXPECT_LT(outcome.end.evaluations, 600u) << policy << ", seed " << seed;
      EXPECT_GT(outcome.proof.pruned, 0u);
      EXPECT_EQ(outcome.proof.violations, 0u);
      EXPECT_LE(outcome.proof.bound_ns, optimum);
      EXPECT_EQ(run.ReplayedDigest(), outcome.end.tree);
    }
  }
}

TEST(TreeSearch, FindsGoodOnesSoonerThanChance) {
  const auto best_after = [](const char* policy, std::uint64_t seed) {
    Scene run;
    run.options.policy = MakePolicy(policy, {});
    run.options.seed = seed;
    run.order = "size,color";
    run.Budget("evals=60");
    return run.Go().winner->ns;
  };
  double tag = 0, random = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    tag += best_after("tag", seed);
    random += best_after("random", seed);
  }
  EXPECT_LT(tag, random);
}

TEST(TreeSearch, TheLogGivesTheTreeAgain) {
  for (const int jobs : {1, 4}) {
    for (const bool bounded : {false, true}) {
      Scene run;
      run.options.policy = MakePolicy("tag", {});
      run.options.jobs = jobs;
      run.options.batch = 8;
      run.evaluator.ahead = true;
      if (bounded) run.options.proposer.bound = ToyBound;
      run.evaluator.compile = [](const std::string& source) {
        return source.find("size(c)=2") == source.npos ? Verdict::kCorrect : Verdict::kCompileError;
      };
      run.Budget("evals=150");
      const Outcome outcome = run.Go();
      const Log log = run.log();
      EXPECT_THAT(log.problems, IsEmpty());
      EXPECT_FALSE(outcome.end.tree.empty());
      EXPECT_EQ(run.ReplayedDigest(), outcome.end.tree) << jobs << " jobs";
      for (const SelectRecord& select : log.selects) EXPECT_EQ(select.policy, "tag");
      std::set<std::uint64_t> selections;
      for (const EvalRecord& eval : log.evals) {
        EXPECT_TRUE(selections.insert(eval.selection).second);
        EXPECT_GT(eval.sequence, eval.selection);
      }
    }
  }
}

TEST(TreeSearch, OneThreadAndTheSameTimesGiveTheSameTree) {
  std::set<std::string> digests;
  for (const std::uint64_t seed : {7, 7, 8}) {
    Scene run;
    run.options.policy = MakePolicy("tag", {});
    run.options.seed = seed;
    run.Budget("evals=100");
    digests.insert(run.Go().end.tree);
  }
  EXPECT_EQ(digests.size(), 2u);
}

TEST(TreeSearch, WhatCompilesToTheSameCodeIsEvaluatedOnceAndTeachesAll) {
  Scene run;
  run.options.policy = MakePolicy("tag", {});
  run.options.jobs = 4;
  run.evaluator.ahead = true;
  run.evaluator.emit = [](const std::string& list) {
    const std::size_t at = list.find("size(a)=");
    return list.substr(at, 9) + "\n";
  };
  const Outcome outcome = run.Go();
  EXPECT_EQ(outcome.end.why, "exhausted");
  EXPECT_EQ(outcome.end.evaluations, 3u);
  EXPECT_GE(outcome.end.duplicates, static_cast<std::uint64_t>(kToyImplementations) - 3);
  const Log log = run.log();
  EXPECT_TRUE(std::ranges::all_of(log.results, [](const ResultRecord& result) {
    return result.what != "known" || result.ns > 0;
  }));
  EXPECT_EQ(run.ReplayedDigest(), outcome.end.tree);
}

TEST(TreeSearch, StopsAtAGapABoundOrWhenItIsStale) {
  Scene gap;
  gap.options.policy = MakePolicy("tag", {});
  gap.options.proposer.bound = ToyBound;
  gap.stopper.Add(ParseStop("gap=30%"));
  const Outcome outcome = gap.Go();
  EXPECT_EQ(outcome.end.why, "stop:gap");
  EXPECT_LE(outcome.winner->ns * 0.7, outcome.proof.bound_ns);
  EXPECT_THAT(ProofText(outcome.proof, {0, outcome.winner->ns, 0}),
              HasSubstr("no implementation of this space is faster than 300 ns"));

  Scene bound;
  bound.options.policy = MakePolicy("tag", {});
  bound.stopper.Add(ParseStop("bound=0.6us"));
  const Outcome fast = bound.Go();
  EXPECT_EQ(fast.end.why, "stop:bound");
  EXPECT_LE(fast.winner->ns, 600);

  Scene stale;
  stale.options.policy = MakePolicy("uniform", {});
  stale.stopper.Add(ParseStop("stale=40"));
  const Outcome old = stale.Go();
  EXPECT_EQ(old.end.why, "stop:stale");
  EXPECT_EQ(old.end.evaluations, old.winner->n + 40);
}

TEST(TreeSearch, ABoundAboveATimeIsReported) {
  Scene run;
  run.options.policy = MakePolicy("tag", {});
  run.options.proposer.bound = [](const runtime::Candidate& candidate) {
    return ToyBound(candidate) + 50;
  };
  run.options.resource = [](const runtime::Candidate&) { return "the bus"; };
  run.Budget("evals=30");
  const Outcome outcome = run.Go();
  const Log log = run.log();
  EXPECT_GT(outcome.proof.violations, 0u);
  EXPECT_EQ(log.violations.size(), outcome.proof.violations);
  const ViolationRecord& first = log.violations.front();
  EXPECT_EQ(first.resource, "the bus");
  EXPECT_EQ(first.ns, log.Find(first.n)->best_ns);
  EXPECT_LT(first.ns, first.bound_ns);
  const std::string text = ProofText(outcome.proof, {0, outcome.winner->ns, 0});
  EXPECT_THAT(text, HasSubstr("nothing is proven"));
  EXPECT_THAT(text, HasSubstr(fmt::format("record {}:", first.n)));
  EXPECT_THAT(text, HasSubstr("by the bus"));
}

TEST(TreeSearch, ATimeBelowItsBoundIsImpossibleAndNeverTheBest) {
  for (const char* policy : {"random", "tag"}) {
    Scene run;
    run.options.policy = MakePolicy(policy, {});
    run.options.proposer.check = ToyBound;
    // One pretends to take no time; another one does so once, by accident.
    std::string liar, lucky;
    run.evaluator.measure = [&](const std::string& source, int before) {
      const bool is_new = before == 0;
      if (liar.empty() && is_new && run.evaluator.measured > 10) liar = source;
      if (lucky.empty() && is_new && source != liar && run.evaluator.measured > 20) lucky = source;
      const bool lies = source == liar || (source == lucky && is_new);
      return Correct(lies ? 1 : FakeEvaluator::TimeOf(source));
    };
    run.Budget("evals=60");
    const Outcome outcome = run.Go();
    const Log log = run.log();
    EXPECT_GT(outcome.winner->ns, 100) << policy;
    EXPECT_EQ(outcome.end.verdicts.at("impossible"), 1u) << policy;
    ASSERT_EQ(log.violations.size(), 1u) << policy;
    const EvalRecord& eval = *log.Find(log.violations.front().n);
    EXPECT_EQ(eval.verdict, kernels::Verdict::kImpossible);
    EXPECT_EQ(eval.again_ns, 1);
    EXPECT_THAT(eval.why, HasSubstr("1 ns, twice, and its bound is"));
    for (const EvalRecord& other : log.evals) {
      EXPECT_TRUE(other.n == eval.n || other.best_ns >= 100) << policy << ", record " << other.n;
    }
  }
}

TEST(TreeSearch, ATimeBelowItsBoundThatFailsItsFullCheckIsNoMistakeOfTheModel) {
  Scene run;
  run.options.policy = MakePolicy("tag", {});
  run.options.proposer.check = ToyBound;
  std::string liar;
  run.evaluator.measure = [&](const std::string& source, int before) {
    if (liar.empty() && before == 0 && run.evaluator.measured > 10) liar = source;
    if (source != liar) return Correct(FakeEvaluator::TimeOf(source));
    return before == 0 ? Correct(1) : Failed(kernels::Verdict::kWrong, "z[0] is 0, expected 1");
  };
  run.Budget("evals=30");
  const Outcome outcome = run.Go();
  EXPECT_EQ(outcome.proof.violations, 0u);
  EXPECT_EQ(outcome.end.verdicts.at("wrong"), 1u);
  EXPECT_GT(outcome.winner->ns, 100);
}

TEST(TreeSearch, ABoundThatOnlyChecksCutsNothing) {
  for (const char* policy : {"random", "tag"}) {
    const auto end_of = [&](const BoundFunction& check) {
      Scene run;
      run.options.policy = MakePolicy(policy, {});
      run.options.proposer.check = check;
      run.Budget("evals=30");
      const Outcome outcome = run.Go();
      const Log log = run.log();
      EXPECT_EQ(outcome.proof.pruned, 0u);
      EXPECT_EQ(log.violations.size(), outcome.proof.violations);
      std::string vectors;
      for (const EvalRecord& eval : log.evals) {
        vectors += eval.vector + "\n";
        EXPECT_EQ(eval.bound_ns > 0, static_cast<bool>(check));
      }
      return std::pair(vectors, outcome.proof.violations);
    };
    const auto without = end_of({});
    const auto sound = end_of(ToyBound);
    const auto wrong =
        end_of([](const runtime::Candidate& candidate) { return ToyBound(candidate) + 50; });
    EXPECT_EQ(sound.first, without.first) << policy;
    // A tree learns from what is correct, and what is faster than it can be is not.
    if (policy == std::string("random")) {
      EXPECT_EQ(wrong.first, without.first);
    }
    EXPECT_EQ(sound.second, 0u) << policy;
    EXPECT_GT(wrong.second, 0u) << policy;
  }
}

TEST(TreeSearch, AProofSaysWhatItDoesNotSpeakOf) {
  Scene run;
  run.options.policy = MakePolicy("tag", {});
  run.evaluator.compile = [](const std::string& source) {
    const bool spills = source.find("color(a)=RED") == source.npos;
    return spills ? Verdict::kSpills : Verdict::kCorrect;
  };
  const Outcome outcome = run.Go();
  ASSERT_EQ(outcome.end.why, "exhausted");
  const std::uint64_t spills = outcome.end.verdicts.at("spills");
  EXPECT_THAT(outcome.proof.unmeasured, testing::ElementsAre(testing::Pair("spills", spills)));
  EXPECT_THAT(ProofText(outcome.proof, {0, outcome.winner->ns, 0}),
              HasSubstr(fmt::format("({0} implementations without a time left aside: spills {0})",
                                    spills)));
}

TEST(TreeSearch, WhatTheEnvironmentSpoiltIsNoProof) {
  Scene run;
  run.options.policy = MakePolicy("tag", {});
  run.evaluator.measure = [&](const std::string& source, int) {
    if (run.evaluator.measured == 5) return Failed(Verdict::kBroken, "no space left");
    return Correct(FakeEvaluator::TimeOf(source));
  };
  const Outcome outcome = run.Go();
  EXPECT_EQ(outcome.end.why, "exhausted");
  EXPECT_FALSE(outcome.proof.exhausted);
  EXPECT_EQ(run.ReplayedDigest(), outcome.end.tree);
}

}  // namespace
}  // namespace exh::search

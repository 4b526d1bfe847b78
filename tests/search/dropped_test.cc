// SPDX-License-Identifier: MIT
//
// What code generation refuses, and what a check of ours fails on, ends no search.
#include "search/descend/dropped/dropped.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <span>
#include <string>

#include "search/report/dropped_text.h"
#include "tests/search/scene.h"

namespace exh::search {
namespace {

using kernels::Verdict;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// Of the toy implementations a third has no code, and on another third a check fails.
void Break(Scene& run) {
  run.evaluator.emit = [](const std::string& list) {
    if (list.find("size(b)=1") != list.npos) throw Refused("size(b) is 1");
    EXH_CHECK(list.find("size(b)=2") == list.npos);
    return list;
  };
}

void ExpectDropped(Scene& run, const Outcome& outcome) {
  EXPECT_GT(outcome.end.verdicts.at("refused"), 1u);
  EXPECT_GT(outcome.end.verdicts.at("internal"), 1u);
  ASSERT_TRUE(outcome.winner);
  EXPECT_THAT(outcome.winner->compiled.source, HasSubstr("size(b)=4"));
  const Log log = run.log();
  for (const EvalRecord& eval : log.evals) {
    if (eval.verdict == Verdict::kRefused) {
      EXPECT_EQ(eval.why, "size(b) is 1");
    }
    if (eval.verdict != Verdict::kInternal) continue;
    EXPECT_THAT(eval.why,
                AllOf(HasSubstr("dropped_test.cc:"), HasSubstr("check failed: list.find")));
    EXPECT_FALSE(eval.path.empty());
  }
  EXPECT_TRUE(HaveChecksFailed(outcome.failures, outcome.failed_checks));
}

TEST(Dropped, CandidatesAreEvaluationsOfASearchAtRandom) {
  Scene run;
  Break(run);
  run.Budget("evals=100");
  ExpectDropped(run, run.Go());
  EXPECT_THAT(run.log().evals, SizeIs(100));
}

TEST(Dropped, CandidatesAreEvaluationsOfASearchWithATree) {
  for (const bool ahead : {false, true}) {
    Scene run;
    Break(run);
    run.options.policy = MakePolicy("tag", {});
    run.options.jobs = 3;
    run.evaluator.ahead = ahead;
    const Outcome outcome = run.Go();
    EXPECT_EQ(outcome.end.why, "exhausted");
    ExpectDropped(run, outcome);
    EXPECT_EQ(run.ReplayedDigest(), outcome.end.tree);
    EXPECT_EQ(outcome.end.evaluations, static_cast<std::uint64_t>(kToyImplementations));
  }
}

TEST(Dropped, CandidatesAreNotDroppedAgainWhenTheRunGoesOn) {
  Scene run;
  Break(run);
  run.options.policy = MakePolicy("tag", {});
  run.Budget("evals=30");
  run.Go();
  Scene next;
  std::filesystem::copy(run.folder / "log.jsonl", next.folder / "log.jsonl");
  Break(next);
  next.options.policy = MakePolicy("tag", {});
  next.Budget("evals=80");
  const Outcome outcome = next.Resume();
  ExpectDropped(next, outcome);
  std::set<std::string> vectors;
  const Log log = next.log();
  for (const EvalRecord& eval : log.evals) vectors.insert(eval.vector);
  EXPECT_THAT(vectors, SizeIs(80));
}

TEST(Dropped, FirstImplementationsMayBe) {
  Scene run;
  Break(run);
  run.options.policy = MakePolicy("tag", {});
  const ChoiceOrder order = ChoiceOrder::Parse(run.order, ToyRoot().instance());
  const runtime::Candidate root = ToyRoot();
  Random random(1);
  Descender descender(order);
  for (int i = 0; i < 6; ++i) {
    descender.Run(root, random, [](const DeadEnd&) {});
    run.options.first.push_back(descender.candidate());
  }
  run.Budget("evals=60");
  ExpectDropped(run, run.Go());
}

TEST(Dropped, WhatTheModelCannotAskAboutIsTold) {
  Scene run;
  run.options.policy = MakePolicy("tag", {});
  run.options.proposer.screen = 16;
  run.options.proposer.local_share = 0.7;
  Break(run);
  run.options.proposer.amounts.count = 1;
  run.options.proposer.amounts.fill = [](const runtime::Candidate& candidate,
                                         std::span<double> amounts) {
    const runtime::Instance& instance = candidate.instance();
    const auto size = instance.first_decision(instance.FindChoice("size"));
    if (candidate.domain(size + 1) == 1) throw Refused("size(b) is 1");
    EXH_CHECK(candidate.domain(size + 1) != 2);
    amounts[0] = 1;
  };
  const Outcome outcome = run.Go();
  EXPECT_EQ(outcome.end.why, "exhausted");
  EXPECT_GT(outcome.end.verdicts.at("refused"), 1u);
  EXPECT_GT(outcome.end.verdicts.at("internal"), 1u);
  EXPECT_EQ(outcome.end.evaluations, static_cast<std::uint64_t>(kToyImplementations));
  EXPECT_EQ(run.ReplayedDigest(), outcome.end.tree);
}

TEST(Dropped, ABoundOfWhichACheckFailsCutsNothing) {
  for (const char* policy : {"random", "tag"}) {
    Scene run;
    run.options.policy = MakePolicy(policy, {});
    auto& bound = run.options.policy ? run.options.proposer.bound : run.options.proposer.check;
    bound = [](const runtime::Candidate& candidate) {
      const runtime::Instance& instance = candidate.instance();
      const auto size = instance.first_decision(instance.FindChoice("size"));
      EXH_CHECK(candidate.domain(size) != 1);
      return ToyBound(candidate);
    };
    run.options.proposer.local_share = 0.5;
    run.Budget("evals=150");
    const Outcome outcome = run.Go();
    ASSERT_TRUE(outcome.winner) << policy;
    EXPECT_GT(outcome.end.verdicts.at("internal"), 0u) << policy;
    const Log log = run.log();
    for (const EvalRecord& eval : log.evals) {
      const bool is_checked = eval.verdict == Verdict::kInternal;
      EXPECT_EQ(eval.why.find("check failed") != eval.why.npos, is_checked) << policy;
    }
    if (!run.options.policy) continue;
    ASSERT_THAT(log.checks, SizeIs(1));
    EXPECT_THAT(log.checks[0].why, HasSubstr("check failed: candidate.domain(size) != 1"));
    EXPECT_THAT(log.checks[0].vector, HasSubstr("?"));
    ASSERT_THAT(outcome.failed_checks, SizeIs(1));
  }
}

TEST(Dropped, TextAsksToReportWhatChecksSay) {
  RunRecord header;
  header.kernel = "matmul";
  header.sizes = {{"m", 8}, {"n", 16}};
  header.device = "h200";
  header.seed = 77;
  header.tool = "search 1";
  EXPECT_EQ(DroppedText({{Verdict::kWrong, "z[0]", 2, 5}}, {}, "search", header, "runs/x"), "");
  EXPECT_FALSE(HaveChecksFailed({{Verdict::kRefused, "why", 2, 5}}, {}));
  EXPECT_EQ(DroppedText({{Verdict::kRefused, "no axes", 12, 3}, {Verdict::kRefused, "no", 1, 9}},
                        {}, "search", header, "runs/x"),
            "refused: 13 implementations have no code, though the space allows them\n"
            "  record 3 and 11 like it: no axes\n"
            "  record 9: no\n");
  const std::string why = "a/b.cc:42: check failed: x";
  EXPECT_EQ(DroppedText({{Verdict::kInternal, why, 1, 17}},
                        {{.dt = 2, .why = why}, {.dt = 3.5, .why = "c.cc:1: check failed: y"}},
                        "./exh search", header, "runs/x"),
            "internal: checks of this program failed, and it went on without the candidates:\n"
            "  record 17: a/b.cc:42: check failed: x\n"
            "  3.5 s after the start: c.cc:1: check failed: y\n"
            "  please report this bug with runs/x/log.jsonl (matmul m=8,n=16 on h200, seed 77, "
            "search 1)\n"
            "  its decisions: ./exh search emit runs/x --record 17 --decisions\n");
  EXPECT_THAT(DroppedText({}, {{.dt = 2, .why = why}}, "search", header, "runs/x"),
              HasSubstr("please report"));
}

}  // namespace
}  // namespace exh::search

// SPDX-License-Identifier: MIT
//
// Runs that were killed go on: the log of a whole run is cut off anywhere, also within a line, and
// a new explorer takes it up.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/error.h"
#include "search/tree/tree_replay.h"
#include "tests/search/scene.h"

namespace exh::search {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

void Prepare(Scene& run, const char* policy, bool ahead) {
  run.options.policy = MakePolicy(policy, {});
  run.options.jobs = ahead ? 3 : 1;
  run.options.finalists = ahead ? 5 : 1;
  run.evaluator.ahead = ahead;
  run.evaluator.compile = [](const std::string& source) {
    return source.find("size(c)=2") == source.npos ? kernels::Verdict::kCorrect
                                                   : kernels::Verdict::kCompileError;
  };
}

void Write(Scene& run, const std::string& text) {
  std::ofstream(run.folder / "log.jsonl", std::ios::binary) << text;
}

/// Every evaluation has the next number and a program that no other one has.
void ExpectNothingTwice(const Log& log) {
  std::set<std::string> vectors, codes;
  for (std::size_t index = 0; index < log.evals.size(); ++index) {
    EXPECT_EQ(log.evals[index].n, index + 1);
    EXPECT_TRUE(vectors.insert(log.evals[index].vector).second) << index;
    EXPECT_TRUE(codes.insert(log.evals[index].code).second) << index;
  }
}

/// The fastest of all that were evaluated.
double Fastest(const Log& log) {
  double ns = 1e9;
  for (const EvalRecord& eval : log.evals) {
    if (eval.verdict == kernels::Verdict::kCorrect) ns = std::min(ns, eval.best_ns);
  }
  return ns;
}

TEST(Resume, GoesOnFromAnyByte) {
  Random random(11);
  for (const char* policy : {"tag", "random"}) {
    for (const bool ahead : {false, true}) {
      Scene whole;
      Prepare(whole, policy, ahead);
      whole.Budget("evals=80");
      whole.Go();
      const std::string text = ReadAll(whole.folder / "log.jsonl");
      const std::size_t header = text.find("{\"t\":\"eval\"");
      ASSERT_NE(header, text.npos);
      for (int cut = 0; cut < 25; ++cut) {
        Scene run;
        Prepare(run, policy, ahead);
        Write(run, text.substr(0, header + random.Below(text.size() - header)));
        const Log before = run.log();
        const bool has_tree = run.options.policy != nullptr;
        const std::string digest = has_tree ? run.ReplayedDigest() : "";
        run.Budget("evals=100");
        const Outcome outcome = run.Resume();
        const Log log = run.log();
        EXPECT_THAT(log.problems, IsEmpty());
        EXPECT_FALSE(log.cut_off);
        EXPECT_EQ(log.evals.size(), 100u) << policy;
        EXPECT_EQ(outcome.end.evaluations, 100u);
        EXPECT_GE(run.evaluator.compiled, 100 - static_cast<int>(before.evals.size()));
        ExpectNothingTwice(log);
        ASSERT_TRUE(outcome.winner);
        EXPECT_EQ(outcome.winner->ns, Fastest(log));
        EXPECT_EQ(log.BestTime(), outcome.winner->ns);
        EXPECT_FALSE(outcome.winner->is_restored);
        EXPECT_THAT(outcome.winner->compiled.source, HasSubstr("size("));
        EXPECT_GE(log.last_dt, before.last_dt);
        if (ahead) {
          ASSERT_EQ(outcome.finalists.size(), 5u);
          EXPECT_EQ(outcome.finalists.front().n, outcome.winner->n);
        }
        std::uint64_t sum = 0;
        for (const auto& [verdict, count] : outcome.end.verdicts) sum += count;
        EXPECT_EQ(sum, 100u);
        if (!has_tree) continue;
        EXPECT_EQ(run.ReplayedDigest(), outcome.end.tree);
        // The tree began where the log ended: cut at the same line again, it is the same.
        const std::string now = ReadAll(run.folder / "log.jsonl");
        Scene again;
        Prepare(again, policy, ahead);
        Write(again, now.substr(0, now.find("{\"t\":\"resume\"")));
        EXPECT_EQ(again.ReplayedDigest(), digest);
      }
    }
  }
}

TEST(Resume, ASecondTimeUntilTheSpaceIsExhausted) {
  for (const bool ahead : {false, true}) {
    Scene first;
    Prepare(first, "tag", ahead);
    first.Budget("evals=60");
    first.Go();
    std::string text = ReadAll(first.folder / "log.jsonl");
    for (const int evaluations : {200, 400, 0}) {
      Scene run;
      Prepare(run, "tag", ahead);
      Write(run, text.substr(0, text.size() - 40));  // Killed in the middle of a line.
      if (evaluations > 0) run.Budget(fmt::format("evals={}", evaluations));
      const Outcome outcome = run.Resume();
      const Log log = run.log();
      ExpectNothingTwice(log);
      EXPECT_EQ(run.ReplayedDigest(), outcome.end.tree);
      text = ReadAll(run.folder / "log.jsonl");
      if (evaluations > 0) continue;
      // What was under way when a part died was found again: nothing of the space is left out.
      EXPECT_EQ(outcome.end.why, "exhausted");
      EXPECT_EQ(log.evals.size(), static_cast<std::size_t>(kToyImplementations));
      EXPECT_EQ(log.resumes.size(), 3u);
      EXPECT_TRUE(outcome.proof.exhausted);
    }
  }
}

TEST(Resume, TriesAgainWhatTheEnvironmentSpoilt) {
  for (const char* policy : {"tag", "random"}) {
    for (const bool ahead : {false, true}) {
      Scene first;
      Prepare(first, policy, ahead);
      first.evaluator.measure = [&](const std::string& source, int) {
        // Compilers are killed for a while.
        const int count = first.evaluator.measured;
        return count >= 10 && count < 20 ? Failed(kernels::Verdict::kBroken, "killed")
                                         : Correct(FakeEvaluator::TimeOf(source));
      };
      const Outcome spoilt = first.Go();
      EXPECT_EQ(spoilt.end.why, "exhausted") << policy;
      EXPECT_FALSE(spoilt.proof.exhausted);
      std::set<std::string> codes;
      std::size_t tries = 0;
      for (const EvalRecord& eval : first.log().evals) {
        EXPECT_TRUE(codes.insert(eval.code).second) << "tried twice in one run";
        if (eval.verdict == kernels::Verdict::kBroken) ++tries;
      }
      // Some of these measurements are of the best, again.
      ASSERT_GE(tries, 5u);
      ASSERT_LE(tries, 10u);

      Scene run;
      Prepare(run, policy, ahead);
      Write(run, ReadAll(first.folder / "log.jsonl"));
      const Outcome outcome = run.Resume();
      EXPECT_EQ(outcome.end.why, "exhausted") << policy;
      std::map<std::string, kernels::Verdict> last;
      for (const EvalRecord& eval : run.log().evals) last[eval.code] = eval.verdict;
      for (const auto& [code, verdict] : last)
        EXPECT_NE(verdict, kernels::Verdict::kBroken) << policy << code;
      if (run.options.policy == nullptr) continue;
      EXPECT_EQ(run.log().evals.size(), kToyImplementations + tries);
      EXPECT_TRUE(outcome.proof.exhausted);
      EXPECT_EQ(run.ReplayedDigest(), outcome.end.tree);
    }
  }
}

TEST(Resume, WithoutATreeRandomNumbersAreOthers) {
  Scene first;
  first.Budget("evals=30");
  first.Go();
  Scene run;
  Write(run, ReadAll(first.folder / "log.jsonl"));
  run.Budget("evals=60");
  const Outcome outcome = run.Resume();
  ExpectNothingTwice(run.log());
  // The same numbers again would have found the thirty known ones first.
  EXPECT_LT(outcome.end.duplicates, 15u);
}

TEST(Resume, ABestWhoseLineIsMissingIsWritten) {
  Scene first;
  first.options.policy = MakePolicy("tag", {});
  first.Budget("evals=40");
  first.Go();
  const std::string text = ReadAll(first.folder / "log.jsonl");
  std::size_t at = 0;
  int found = 0;
  while ((at = text.find("{\"t\":\"best\"", at + 1)) != text.npos) {
    Scene run;
    run.options.policy = MakePolicy("tag", {});
    Write(run, text.substr(0, at));
    const std::uint64_t last = run.log().evals.back().n;
    run.Budget(fmt::format("evals={}", last));
    const Outcome outcome = run.Resume();
    const Log log = run.log();
    ASSERT_NE(log.Best(), nullptr);
    EXPECT_EQ(log.bests.back().n, last);
    EXPECT_EQ(outcome.winner->n, last);
    EXPECT_EQ(log.evals.size(), last);
    EXPECT_EQ(run.ReplayedDigest(), outcome.end.tree);
    ++found;
  }
  EXPECT_GT(found, 1);
}

TEST(Resume, AnEndThatIsNoEndAnyMoreIsNone) {
  Scene run;
  run.options.policy = MakePolicy("tag", {});
  run.Budget("evals=10");
  run.Go();
  run.stopper = AnyStopper();
  run.Budget("evals=20");
  run.Resume();
  EXPECT_TRUE(run.log().end);
  const std::string text = ReadAll(run.folder / "log.jsonl");
  const Log cut = ParseLog(text.substr(0, text.rfind("{\"t\":\"end\"")));
  EXPECT_FALSE(cut.end);
  EXPECT_EQ(cut.resumes.size(), 1u);
}

TEST(Resume, OnlyOneProcessWritesToARun) {
  Scene run;
  run.Budget("evals=5");
  run.Go();
  const std::string path = run.folder / "log.jsonl";
  const EventLog held = EventLog::Reopen(path);
  try {
    EventLog::Reopen(path);
    FAIL() << "two processes write to one log";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("another process writes to this run"));
  }
}

TEST(Resume, ALogOfAnotherTreeIsRefused) {
  Scene run;
  run.options.policy = MakePolicy("tag", {});
  run.Budget("evals=30");
  run.Go();
  const std::string before = ReadAll(run.folder / "log.jsonl");
  run.order = "order,size";
  EXPECT_THROW(run.Resume(), Error);
  EXPECT_EQ(ReadAll(run.folder / "log.jsonl"), before);  // And not a byte of it changed.
}

}  // namespace
}  // namespace exh::search

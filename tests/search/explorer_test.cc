// SPDX-License-Identifier: MIT
#include "search/run/explorer.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <map>
#include <optional>
#include <set>

#include "search/log/log_reader.h"
#include "tests/search/scene.h"

namespace exh::search {
namespace {

using kernels::Verdict;
using testing::ElementsAre;
using testing::Gt;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

TEST(Explorer, FindsTheBestOfAnExhaustedSpace) {
  Scene run;
  std::set<std::string> sources;
  double fastest = 1e9;
  run.evaluator.measure = [&](const std::string& source, int) {
    sources.insert(source);
    fastest = std::min(fastest, FakeEvaluator::TimeOf(source));
    return Correct(FakeEvaluator::TimeOf(source));
  };
  run.options.max_duplicates = 20000;
  const Outcome outcome = run.Go();
  EXPECT_EQ(outcome.end.why, "exhausted");
  EXPECT_EQ(sources.size(), static_cast<std::size_t>(kToyImplementations));
  EXPECT_EQ(outcome.end.evaluations, static_cast<std::uint64_t>(kToyImplementations));
  ASSERT_TRUE(outcome.winner);
  EXPECT_EQ(outcome.winner->ns, fastest);
  EXPECT_THAT(outcome.winner->compiled.source, HasSubstr("color(a)=RED"));
  EXPECT_THAT(outcome.winner->compiled.source, HasSubstr("size(b)=4"));
  EXPECT_FALSE(run.evaluator.overlapped);
}

TEST(Explorer, WhatMayRunForEverIsTriedBeforeItIsCompiled) {
  Scene run;
  run.evaluator.ahead = true;
  run.options.jobs = 3;
  run.options.max_duplicates = 20000;
  // Blue ones never end; those whose `b` is large are tried, and end in time.
  run.evaluator.attempt = [](const std::string& source) -> std::optional<Verdict> {
    if (source.find("color(a)=RED") == source.npos) return Verdict::kSlow;
    if (source.find("size(b)=4") != source.npos) return Verdict::kCorrect;
    return std::nullopt;
  };
  const Outcome outcome = run.Go();
  EXPECT_EQ(outcome.end.why, "exhausted");
  EXPECT_EQ(outcome.end.evaluations, static_cast<std::uint64_t>(kToyImplementations));
  std::map<std::string, int> counts;
  for (const EvalRecord& eval : run.log().evals) {
    ++counts[fmt::format("{} {} ms", kernels::VerdictName(eval.verdict), eval.compile_ms)];
  }
  // Of a trial that gives up nothing else is compiled; one that ends in time is compiled twice.
  EXPECT_THAT(counts, ElementsAre(Pair("correct 12 ms", Gt(0)), Pair("correct 17 ms", Gt(0)),
                                  Pair("slow 5 ms", Gt(0))));
  EXPECT_GE(run.evaluator.trials, counts["slow 5 ms"] + counts["correct 17 ms"]);
  EXPECT_THAT(outcome.winner->compiled.source, HasSubstr("size(b)=4"));
}

TEST(Explorer, WhatHasFarTooManyInstructionsIsNotCompiled) {
  for (const bool ahead : {false, true}) {
    Scene run;
    run.evaluator.ahead = ahead;
    run.options.max_duplicates = 20000;
    run.options.policy = MakePolicy("tag", {});  // Random descents compile everything.
    run.options.idle_factor = 20;
    // Times lie between 300 and 1,010 ns.
    std::atomic<int> idle_compiled = 0;
    const auto is_idle = [](const std::string& source) {
      return source.find("color(a)=RED") == source.npos;
    };
    run.evaluator.rough_ns = [&](const std::string& source) { return is_idle(source) ? 1e6 : 500; };
    run.evaluator.compile = [&](const std::string& source) {
      if (is_idle(source)) ++idle_compiled;
      return Verdict::kCorrect;
    };
    const Outcome outcome = run.Go();
    EXPECT_EQ(outcome.end.why, "exhausted");
    EXPECT_EQ(outcome.end.evaluations, static_cast<std::uint64_t>(kToyImplementations));
    const auto idle = outcome.end.verdicts.at("idle");
    EXPECT_GT(idle, 10u);
    // Nothing is idle before something is known.
    EXPECT_EQ(idle + outcome.end.verdicts.at("correct"), outcome.end.evaluations);
    EXPECT_LE(idle_compiled, 20);
    ASSERT_TRUE(outcome.winner);
    EXPECT_THAT(outcome.winner->compiled.source, HasSubstr("color(a)=RED"));
    for (const EvalRecord& eval : run.log().evals) {
      if (eval.verdict == kernels::Verdict::kIdle) {
        EXPECT_THAT(eval.why, HasSubstr("its instructions alone take about 1.00 ms"));
      }
    }
  }
}

TEST(Explorer, WhatIsGuessedToBeFarBehindWhatIsFastIsNotCompiled) {
  Scene run;
  run.options.max_duplicates = 20000;
  run.options.policy = MakePolicy("tag", {});
  run.options.idle_factor = 20;  // Guesses may be five times as long.
  int red_compiled = 0;
  const auto is_red = [](const std::string& source) {
    return source.find("color(a)=RED") != source.npos;
  };
  // What is red takes 300 to 1,010 ns, and all else ten times as long: none is nearly as fast.
  run.evaluator.measure = [&](const std::string& source, int) {
    return Correct(FakeEvaluator::TimeOf(source) * (is_red(source) ? 1 : 10));
  };
  // Guesses are only compared with each other.
  run.evaluator.guess_ns = [&](const std::string& source) { return is_red(source) ? 10e6 : 60e6; };
  run.evaluator.compile = [&](const std::string& source) {
    if (is_red(source)) ++red_compiled;
    return Verdict::kCorrect;
  };
  const Outcome outcome = run.Go();
  EXPECT_EQ(outcome.end.evaluations, static_cast<std::uint64_t>(kToyImplementations));
  const auto idle = outcome.end.verdicts.at("idle"), correct = outcome.end.verdicts.at("correct");
  EXPECT_EQ(idle + correct, outcome.end.evaluations);
  // All that are red, and of the others those that were tried before one of them was known.
  EXPECT_GT(idle, static_cast<std::uint64_t>(kToyImplementations) / 4);
  EXPECT_GT(red_compiled, kToyImplementations / 4);
  EXPECT_LE(static_cast<int>(correct), red_compiled + 30);
  EXPECT_THAT(outcome.winner->compiled.source, HasSubstr("color(a)=RED"));
  for (const EvalRecord& eval : run.log().evals) {
    if (eval.verdict == kernels::Verdict::kIdle) {
      EXPECT_THAT(eval.why, HasSubstr("it is guessed to take 60.0 ms"));
    }
  }
}

TEST(IdleLimit, ComparesGuessesWithThoseOfWhatIsNearlyAsFast) {
  IdleLimit limit(20);
  EXPECT_FALSE(limit.IsIdleByGuess(1e9));
  limit.NoteTime(1000, 70);
  limit.Set(1000);
  EXPECT_FALSE(limit.IsIdleByGuess(350));
  EXPECT_TRUE(limit.IsIdleByGuess(351));
  limit.NoteTime(1400, 100);  // Nearly as fast.
  EXPECT_FALSE(limit.IsIdleByGuess(500));
  EXPECT_TRUE(limit.IsIdleByGuess(501));
  limit.NoteTime(1600, 900);
  EXPECT_TRUE(limit.IsIdleByGuess(501));
  // The next one is so fast that the others are not nearly as fast any more.
  limit.NoteTime(500, 20);
  limit.Set(500);
  EXPECT_FALSE(limit.IsIdleByGuess(100));
  EXPECT_TRUE(limit.IsIdleByGuess(101));
  // What nobody guessed is compiled.
  EXPECT_FALSE(limit.IsIdleByGuess(0));
  IdleLimit none(0);
  none.NoteTime(500, 20);
  none.Set(500);
  EXPECT_FALSE(none.IsIdleByGuess(1e9));
}

TEST(IdleLimit, LongTextsAreLeftOutOnceSomethingIsKnown) {
  IdleLimit limit(20);
  EXPECT_FALSE(limit.IsTooLong(1000, 100));
  limit.Set(1000, 30);
  EXPECT_FALSE(limit.IsTooLong(100, 100));
  EXPECT_TRUE(limit.IsTooLong(101, 100));
  EXPECT_FALSE(limit.IsTooLong(101, 0));  // The device does not mind.
  // Where the best is long, others may be as well.
  limit.Set(900, 80);
  EXPECT_FALSE(limit.IsTooLong(160, 100));
  EXPECT_TRUE(limit.IsTooLong(161, 100));
}

TEST(Explorer, TheLogHoldsWhatHappened) {
  Scene run;
  run.Budget("evals=40");
  const Outcome outcome = run.Go();
  const Log log = run.log();
  EXPECT_THAT(log.problems, IsEmpty());
  ASSERT_EQ(log.evals.size(), 40u);
  std::set<std::string> hashes;
  for (std::size_t index = 0; index < log.evals.size(); ++index) {
    const EvalRecord& eval = log.evals[index];
    EXPECT_EQ(eval.n, index + 1);
    EXPECT_EQ(eval.verdict, kernels::Verdict::kCorrect);
    EXPECT_EQ(eval.compile_ms, 12);
    EXPECT_EQ(eval.vector.find_first_of(".?"), std::string::npos);
    EXPECT_FALSE(eval.path.empty());
    hashes.insert(eval.hash);
  }
  EXPECT_EQ(hashes.size(), 40u);
  ASSERT_NE(log.Best(), nullptr);
  EXPECT_EQ(log.Best()->n, outcome.winner->n);
  EXPECT_EQ(log.BestTime(), outcome.winner->ns);
  for (std::size_t index = 1; index < log.bests.size(); ++index) {
    EXPECT_LT(log.bests[index].ns, log.bests[index - 1].ns);
  }
  const auto minimum =
      std::min_element(log.evals.begin(), log.evals.end(),
                       [](const auto& a, const auto& b) { return a.best_ns < b.best_ns; });
  EXPECT_EQ(minimum->n, outcome.winner->n);
  // Dead ends one by one, and their counts at the end.
  EXPECT_GT(log.deads.size(), 0u);
  EXPECT_EQ(outcome.end.dead_ends.at("different"), log.deads.size());
}

std::string WithoutClock(std::string text) {
  for (const std::string field : {"\"dt\":", "\"after\":", "\"crc\":"}) {
    for (std::size_t at = text.find(field); at != std::string::npos;
         at = text.find(field, at + 1)) {
      const std::size_t end = text.find_first_of(",}", at);
      text.erase(at, end - at);
    }
  }
  return text;
}

TEST(Explorer, TheSameSeedGivesTheSameLog) {
  std::string first;
  for (const int jobs : {1, 1, 3}) {
    Scene run;
    run.options.seed = 99;
    run.options.jobs = jobs;
    run.Budget("evals=60");
    if (!first.empty()) run.now = 1e6;  // Another time of day.
    run.Go();
    const std::string text = WithoutClock(ReadAll(run.folder / "log.jsonl"));
    if (first.empty()) first = text;
    EXPECT_EQ(text, first) << jobs << " jobs";
  }
  Scene other;
  other.options.seed = 100;
  other.Budget("evals=60");
  other.Go();
  EXPECT_NE(WithoutClock(ReadAll(other.folder / "log.jsonl")), first);
}

TEST(Explorer, BudgetsCompose) {
  Scene by_count;
  by_count.Budget("evals=10");
  by_count.Budget("1000s");
  EXPECT_EQ(by_count.Go().end.why, "budget:evals");
  EXPECT_EQ(by_count.log().evals.size(), 10u);

  Scene by_time;
  by_time.Budget("evals=100000");
  by_time.Budget("1s");  // A thousand looks at the clock.
  const Outcome outcome = by_time.Go();
  EXPECT_EQ(outcome.end.why, "budget:time");
  EXPECT_GT(outcome.end.evaluations, 0u);
}

TEST(Explorer, ASignalEndsItWithTheBestSoFar) {
  Scene run;
  std::atomic<bool> interrupted = false;
  run.stopper.Add(std::make_unique<SignalStopper>(&interrupted));
  run.evaluator.measure = [&](const std::string& source, int) {
    if (run.evaluator.measured == 25) interrupted = true;
    // What the signal does to the process of the candidate is not the candidate's fault.
    if (interrupted) return Failed(Verdict::kCrash, "signal 2");
    return Correct(FakeEvaluator::TimeOf(source));
  };
  const Outcome outcome = run.Go();
  EXPECT_EQ(outcome.end.why, "signal");
  ASSERT_TRUE(outcome.winner);
  EXPECT_EQ(outcome.end.verdicts.count("crash"), 0u);
  EXPECT_EQ(run.log().BestTime(), outcome.winner->ns);
}

TEST(Explorer, CandidatesThatFailAreLoggedAndTheSearchGoesOn) {
  Scene run;
  run.evaluator.compile = [](const std::string& source) {
    return source.find("size(a)=1") != std::string::npos ? Verdict::kCompileError
                                                         : Verdict::kCorrect;
  };
  run.evaluator.measure = [](const std::string& source, int) {
    if (source.find("size(b)=1") != std::string::npos) return Failed(Verdict::kCrash, "signal 11");
    if (source.find("size(b)=2") != std::string::npos) return Failed(Verdict::kWrong, "z[0]");
    if (source.find("size(c)=1") != std::string::npos) return Failed(Verdict::kTimeout, "30 s");
    return Correct(FakeEvaluator::TimeOf(source));
  };
  run.Budget("evals=200");
  const Outcome outcome = run.Go();
  for (const char* verdict : {"correct", "compile_error", "crash", "wrong", "timeout"}) {
    EXPECT_GT(outcome.end.verdicts.count(verdict), 0u) << verdict;
  }
  ASSERT_TRUE(outcome.winner);
  EXPECT_THAT(outcome.winner->compiled.source, HasSubstr("size(b)=4"));
  const Log log = run.log();
  EXPECT_EQ(log.evals.size(), 200u);
  EXPECT_TRUE(std::any_of(log.evals.begin(), log.evals.end(),
                          [](const auto& eval) { return eval.why == "no such luck"; }));
}

TEST(Explorer, ABestThatFailsTheSecondTimeIsNoBest) {
  Scene run;
  run.evaluator.measure = [](const std::string& source, int before) {
    if (source.find("color(a)=RED") == std::string::npos) return Correct(500);
    return before == 0 ? Correct(100) : Failed(Verdict::kWrong, "z[7]");
  };
  run.Budget("evals=100");
  const Outcome outcome = run.Go();
  ASSERT_TRUE(outcome.winner);
  EXPECT_EQ(outcome.winner->ns, 500);
  EXPECT_GT(outcome.end.verdicts.at("wrong"), 0u);
  const Log log = run.log();
  const auto flaky = std::find_if(log.evals.begin(), log.evals.end(), [](const auto& eval) {
    return eval.verdict == kernels::Verdict::kWrong;
  });
  ASSERT_NE(flaky, log.evals.end());
  EXPECT_EQ(flaky->why, "when measured again: z[7]");
}

TEST(Explorer, ALuckyTimeIsNotBelieved) {
  Scene run;
  run.evaluator.measure = [](const std::string& source, int before) {
    const bool lucky = source.find("color(a)=RED") != std::string::npos;
    if (!lucky) return Correct(500);
    return Correct(before == 0 ? 100 : 900);
  };
  run.Budget("evals=100");
  const Outcome outcome = run.Go();
  ASSERT_TRUE(outcome.winner);
  EXPECT_EQ(outcome.winner->ns, 500);
}

TEST(Explorer, NothingCorrectMeansNoWinner) {
  Scene run;
  run.evaluator.measure = [](const std::string&, int) { return Failed(Verdict::kWrong, "all"); };
  run.Budget("evals=30");
  const Outcome outcome = run.Go();
  EXPECT_FALSE(outcome.winner);
  EXPECT_EQ(outcome.end.best, 0u);
  EXPECT_EQ(outcome.end.verdicts.at("wrong"), 30u);
}

TEST(Explorer, AnEnvironmentThatStaysBrokenEndsTheRun) {
  Scene run;
  run.options.max_broken = 20;
  run.evaluator.measure = [&](const std::string& source, int) {
    // Twice a single failure, then it never works again.
    const int count = run.evaluator.measured;
    if (count == 5 || count == 9 || count > 30) return Failed(Verdict::kBroken, "no space left");
    return Correct(FakeEvaluator::TimeOf(source));
  };
  const Outcome outcome = run.Go();
  EXPECT_EQ(outcome.end.why, "broken");
  EXPECT_EQ(outcome.broken, "no space left");
  EXPECT_TRUE(outcome.winner);
  // One of the single failures may have hit the best, when that was measured again.
  EXPECT_GE(outcome.end.verdicts.at("broken"), 20u);
  EXPECT_LE(outcome.end.verdicts.at("broken"), 22u);
}

TEST(Explorer, SourcesThatAreTheSameAreCompiledOnce) {
  Scene run;
  run.options.max_duplicates = 3000;
  run.evaluator.emit = [](const std::string& list) {
    // Only one decision shows in the code; the comments differ.
    const std::size_t at = list.find("size(a)=");
    return "// " + std::to_string(std::hash<std::string>()(list)) + "\n" + list.substr(at, 9) +
           "\n";
  };
  const Outcome outcome = run.Go();
  EXPECT_EQ(outcome.end.evaluations, 3u);
  EXPECT_EQ(run.evaluator.compiled, 3);
  EXPECT_EQ(outcome.end.duplicates + 3, outcome.end.descents);
}

TEST(Explorer, SlowCandidatesAreCappedAgainstTheBest) {
  Scene run;
  run.options.slow_factor = 3;
  run.evaluator.measure = [](const std::string&, int) { return Correct(100); };
  run.Budget("evals=5");
  run.Go();
  // The first, its second measurement, and then the others under a cap.
  EXPECT_EQ(run.evaluator.caps, (std::vector<double>{0, 0, 300, 300, 300, 300}));
}

TEST(Explorer, WhatWasNotTheBestIsDiscarded) {
  Scene run;
  run.Budget("evals=50");
  run.Go();
  EXPECT_EQ(run.evaluator.discarded, 49);
}

TEST(Explorer, AFullDiskKeepsWhatWasFound) {
  Scene run;
  run.Budget("evals=1000");
  rlimit old{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old), 0);
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = old;
  small.rlim_cur = 20000;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const Outcome outcome = run.Go();
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &old), 0);
  EXPECT_EQ(outcome.end.why, "broken");
  EXPECT_THAT(outcome.broken, HasSubstr("log.jsonl"));
  const Log log = run.log();
  EXPECT_THAT(log.problems, IsEmpty());
  EXPECT_FALSE(log.cut_off);
  EXPECT_GT(log.evals.size(), 5u);
  ASSERT_TRUE(outcome.winner);
  EXPECT_EQ(log.BestTime(), outcome.winner->ns);
}

}  // namespace
}  // namespace exh::search

// SPDX-License-Identifier: MIT
#include "search/log/times/best_time.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "search/log/log_text.h"
#include "search/measure/machine.h"
#include "search/report/report.h"
#include "tests/search/fake_evaluator.h"
#include "tests/search/log_samples.h"

namespace exh::search {
namespace {

using testing::HasSubstr;
using testing::Not;

ReferenceRecord Reference(const std::string& name, double lo, double median, double hi) {
  ReferenceRecord record;
  record.name = name;
  record.verdict = kernels::Verdict::kCorrect;
  record.best_ns = 0.9 * lo;
  record.lo_ns = lo;
  record.median_ns = median;
  record.hi_ns = hi;
  return record;
}

TEST(BestTime, IsThatOfTheFinals) {
  const ReferenceRecord winner = Reference("winner", 2.70e6, 2.72e6, 2.75e6);
  const TimeInterval time = BestTime(2.83e6, &winner);
  EXPECT_EQ(IntervalText(time), "2.72 ms (2.70 ms to 2.75 ms)");
  EXPECT_EQ(TimeAndRateText(time, 2.72e8), "2.72 ms (2.70 ms to 2.75 ms), 100 GFLOP/s");
  EXPECT_FALSE(time.is_busy());
  // Without finals, and where it failed there, what the search measured.
  EXPECT_EQ(IntervalText(BestTime(2.83e6, nullptr)), "2.83 ms");
  ReferenceRecord failed = winner;
  failed.verdict = kernels::Verdict::kCrash;
  EXPECT_EQ(IntervalText(BestTime(2.83e6, &failed)), "2.83 ms");
}

TEST(BestTime, OfAnOlderLogHasNoInterval) {
  ReferenceRecord winner = Reference("winner", 0, 0, 0);
  winner.best_ns = 2.72e6;
  EXPECT_EQ(IntervalText(BestTime(2.83e6, &winner)), "2.72 ms");
}

TEST(BestTime, WhereSearchAndFinalsAreFarApartIsNoNumber) {
  const ReferenceRecord winner = Reference("winner", 7.5e6, 7.61e6, 7.7e6);
  const TimeInterval time = BestTime(29e3, &winner);
  EXPECT_TRUE(time.is_busy());
  EXPECT_EQ(TimeAndRateText(time, 0), "29.0 us to 7.70 ms");
  RunRecord run;
  run.limits = {{"threads", "8"}};
  EXPECT_THAT(BusyText(time, run), HasSubstr("differ by a factor of 266"));
  EXPECT_THAT(BusyText(time, run),
              HasSubstr("fewer threads than 8 are disturbed less: --threads 4\n"));
  run.limits = {{"threads", "1"}};
  EXPECT_THAT(BusyText(time, run), Not(HasSubstr("--threads")));
  EXPECT_EQ(BusyText(BestTime(7e6, &winner), run), "");
}

TEST(BestTime, WhereRoundsAreFarApartIsNoNumber) {
  const ReferenceRecord winner = Reference("winner", 2e6, 2.5e6, 3.1e6);
  const ReferenceRecord eigen = Reference("eigen", 4e6, 4.1e6, 4.2e6);
  const std::string text = ComparisonText({winner, eigen});
  EXPECT_EQ(text,
            "  1.29x to 2.1x the speed of Eigen (it takes 4.10 ms (4.00 ms to 4.20 ms)): the times "
            "differ too much for one number\n");
}

TEST(BestTime, SpeedsHaveTheirIntervals) {
  const ReferenceRecord winner = Reference("winner", 2.70e6, 2.72e6, 2.75e6);
  EXPECT_EQ(ComparisonText({winner, Reference("eigen", 3.20e6, 3.23e6, 3.26e6)}),
            "  1.19x the speed of Eigen (1.16x to 1.21x; it takes 3.23 ms, 3.20 ms to 3.26 ms)\n");
  EXPECT_EQ(ComparisonText({winner, Reference("eigen", 2.74e6, 2.76e6, 2.8e6)}),
            "  1.01x the speed of Eigen (0.996x to 1.04x; it takes 2.76 ms, 2.74 ms to 2.80 ms): a "
            "tie\n");
}

/// The sample with finals: record 2 is the best.
Log FinalsLog(double lo, double median, double hi) {
  Log log = ParseLog(SampleLogText());
  log.references = {Reference("winner", lo, median, hi), Reference("eigen", 950, 960, 970)};
  return log;
}

TEST(BestTime, OfALogIsTheSameAsAtItsEnd) {
  const Log log = FinalsLog(880, 890, 900);
  EXPECT_EQ(IntervalText(BestTimeOf(log)), "890 ns (880 ns to 900 ns)");
  const std::string text = RunText(log, 2);
  EXPECT_THAT(text, HasSubstr("best: record 2, 890 ns (880 ns to 900 ns), "));
  EXPECT_THAT(text, HasSubstr("  eigen    960 ns (950 ns to 970 ns); the best is 1.08x as fast "
                              "(1.06x to 1.1x)\n"));
  // What the search measured is far from that.
  EXPECT_THAT(RunText(FinalsLog(8800, 8900, 9000), 2), HasSubstr("note: its times differ by a"));
}

TEST(BestTime, AnotherFinalistThatWonHasTheTimeOfItsEvaluation) {
  Log log = FinalsLog(880, 890, 900);
  log.bests.push_back({.n = 4, .dt = 3, .ns = 890});  // As the finals write it; it took 904 before.
  EXPECT_EQ(IntervalText(BestTimeOf(log)), "890 ns (880 ns to 900 ns)");
  log.evals.at(3).best_ns = 9040;
  EXPECT_TRUE(BestTimeOf(log).is_busy());
}

TEST(BestTime, ItIsFasterForSureWhereHalfOfItsBatchesAre) {
  EvalRecord a, b;
  a.best_ns = 100;
  a.runtimes_ns = {100, 104, 180};
  b.best_ns = 103;
  b.runtimes_ns = {103, 105};
  EXPECT_FALSE(IsFasterForSure(a, b));
  a.runtimes_ns = {100, 102, 180};  // One batch that was disturbed says nothing.
  EXPECT_TRUE(IsFasterForSure(a, b));
  EXPECT_FALSE(IsFasterForSure(b, a));
}

TEST(LogText, RecordsThatMayChangePlacesAreMarked) {
  Log log = ParseLog(SampleLogText());
  log.evals.at(0).runtimes_ns = {901, 903};  // 902 is within that, 904 is not.
  const std::string text = RunText(log, 3);
  EXPECT_THAT(text, HasSubstr("(~: not slower than the first beyond doubt):\n       1 "));
  EXPECT_THAT(text, HasSubstr("\n~      2 "));
  EXPECT_THAT(text, HasSubstr("\n       4 "));
}

TEST(Machine, StandsInTheLogAndInItsDifferences) {
  Log log = ParseLog(SampleLogText());
  log.run->machine = {{"compiler", "g++ 12.2.0"}, {"processor", "model A"}};
  EXPECT_THAT(RunText(log, 1), HasSubstr("compiler g++ 12.2.0\nprocessor model A\n"));
  const Machine other = {{"compiler", "g++ 12.2.0"}, {"driver", "13.0"}, {"processor", "model B"}};
  EXPECT_EQ(MachineDifferences(log.run->machine, other),
            "driver: not known -> 13.0\nprocessor: model A -> model B\n");
  EXPECT_EQ(MachineDifferences(other, other), "");
}

/// Knows the versions of what it compiles with.
class WithVersions final : public Evaluator {
 public:
  kernels::Source Emit(const runtime::Candidate&) override { return ""; }
  kernels::Compiled Compile(const kernels::Source&) override { return {}; }
  kernels::Measurement Measure(const kernels::Compiled&, const Cap&, Effort) override { return {}; }
  std::map<std::string, std::string, std::less<>> Versions() const override {
    return {{"compiler", "cc 1.0"}, {"library", ""}};
  }
  void Discard(const kernels::Compiled&) override {}
};

TEST(Machine, IsTheProcessorAndWhatTheEvaluatorKnows) {
  const Machine machine = MachineOf(WithVersions());
  EXPECT_EQ(machine.at("compiler"), "cc 1.0");
  EXPECT_FALSE(machine.contains("library")) << "what is not known is left out";
}

TEST(Outline, LoopsOfOneIterationAreLeftOut) {
  EXPECT_EQ(WithoutSingleLoops("root\n  block a.m0+b.m0:16\n    unroll a.m1:1\n      loop a.m2:1\n"
                               "        exec a\n      vector a.m3:4\n        exec c\n    exec b\n"
                               "  unroll d:1\n    exec d\n  exec e\n"),
            "root\n  block a.m0+b.m0:16\n    exec a\n    vector a.m3:4\n      exec c\n    exec b\n"
            "  exec d\n  exec e\n");
}

}  // namespace
}  // namespace exh::search

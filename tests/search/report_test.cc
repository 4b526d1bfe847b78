// SPDX-License-Identifier: MIT
#include "search/report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "search/report/proof.h"

namespace exh::search {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ActivityText, HasSharesOfWhoLooksAndOfWhoJudges) {
  EXPECT_EQ(ActivityText({}), "");
  EXPECT_EQ(ActivityText({{"compile", 3.0}, {"descend", 1.0}, {"full", 0.0}, {"wait", 2.0}}),
            "where the time went:\n"
            "  to find candidates (4.0 s of threads): descend 25 %, compile 75 %, wait 0 %\n"
            "  to judge them (2.0 s of threads): wait 100 %\n");
}

TEST(ProofText, SaysWhatAWrongBoundRestsOn) {
  Proof proof;
  proof.violations = 1;
  EXPECT_THAT(ProofText(proof, {}), Not(HasSubstr("measured on this machine")));
  proof.measured = "rates/abacus.json";
  EXPECT_THAT(ProofText(proof, {}), HasSubstr("rates/abacus.json, measured on this machine"));
}

TEST(ProofText, SaysFactorsWhereSharesSayLittle) {
  Proof proof;
  proof.bound_ns = 100;
  EXPECT_THAT(ProofText(proof, {0, 112, 0}),
              HasSubstr("faster than 100 ns; the best takes 12 % more\n"));
  EXPECT_THAT(ProofText(proof, {0, 199, 0}), HasSubstr("the best takes 99 % more\n"));
  const std::string far = ProofText(proof, {0, 34200, 0});
  EXPECT_THAT(far, HasSubstr("the best takes 342x as long\n"));
  EXPECT_THAT(far, Not(HasSubstr("%")));
}

TEST(ProofText, SaysWhatWasLeftAside) {
  Proof proof;
  proof.bound_ns = 100;
  proof.unmeasured = {{"crash", 1}, {"timeout", 3}};
  EXPECT_THAT(ProofText(proof, {0, 150, 0}),
              HasSubstr("(4 implementations without a time left aside: timeout 3, crash 1)\n"));
  proof.unmeasured = {{"timeout", 1}};
  EXPECT_THAT(ProofText(proof, {0, 150, 0}),
              HasSubstr("(one implementation without a time left aside: timeout 1)\n"));
}

TEST(SolScore, IsOneAtTheBoundAndAHalfAtThePeer) {
  EXPECT_EQ(SolScore(100, 100, 300), 1.0);
  EXPECT_EQ(SolScore(300, 100, 300), 0.5);
  EXPECT_EQ(SolScore(200, 100, 300), 1 / 1.5);
  EXPECT_EQ(SolScore(500, 100, 300), 1.0 / 3);
  // A peer at the bound, none, no bound, no time, a time that cannot be.
  EXPECT_EQ(SolScore(200, 100, 100), std::nullopt);
  EXPECT_EQ(SolScore(200, 100, 90), std::nullopt);
  EXPECT_EQ(SolScore(200, 100, 0), std::nullopt);
  EXPECT_EQ(SolScore(200, 0, 300), std::nullopt);
  EXPECT_EQ(SolScore(0, 100, 300), std::nullopt);
  EXPECT_EQ(SolScore(90, 100, 300), std::nullopt);
}

TEST(SolText, IsAgainstTheFastestLibraryThatIsCorrect) {
  using kernels::Verdict;
  const auto reference = [](const char* name, Verdict verdict, double ns) {
    ReferenceRecord record;
    record.name = name;
    record.verdict = verdict;
    record.best_ns = record.median_ns = ns;
    return record;
  };
  Proof proof;
  proof.bound_ns = 100;
  std::vector<ReferenceRecord> references = {
      reference("winner", Verdict::kCorrect, 200), reference("naive", Verdict::kCorrect, 120),
      reference("record 7", Verdict::kCorrect, 130), reference("onednn", Verdict::kWrong, 110)};
  EXPECT_EQ(SolText(proof, {0, 200, 0}, references), "");
  references.push_back(reference("eigen", Verdict::kCorrect, 900));
  references.push_back(reference("openblas", Verdict::kCorrect, 300));
  references.back().why = "OpenBLAS 0.3.21";
  EXPECT_EQ(SolText(proof, {0, 200, 0}, references),
            "  SOL score 0.667 (1: 100 ns, what is proven; 0.5: as fast as OpenBLAS 0.3.21)\n");
  EXPECT_EQ(SolText(proof, {150, 200, 400}, references), "");  // Times are far apart.
  proof.violations = 1;
  EXPECT_EQ(SolText(proof, {0, 200, 0}, references), "");
  EXPECT_EQ(SolText({}, {0, 200, 0}, references), "");  // No bound.
}

TEST(FailuresText, SaysTheMostFrequentReason) {
  EXPECT_EQ(FailuresText({}), "");
  EXPECT_EQ(FailuresText({{kernels::Verdict::kCrash, "signal 11", 12},
                          {kernels::Verdict::kTimeout, "ran longer than 3 s", 3}}),
            "most often (12 of 15): crash: signal 11\n");
  EXPECT_EQ(FailuresText({{kernels::Verdict::kCompileError, "", 2}}),
            "all of them (2): compile_error\n");
  // Of what was not compiled nobody knows anything.
  EXPECT_EQ(FailuresText({{kernels::Verdict::kIdle, "not compiled: its instructions take 3 s", 2}}),
            "all of them (2): idle: not compiled: its instructions take 3 s\n"
            "  so nothing was compiled at all: with a longer --budget more is waited for\n");
}

TEST(WrongText, NamesTheFirstOfEachKind) {
  EXPECT_EQ(WrongText({{kernels::Verdict::kCrash, "signal 11", 12, 3}}, "search", "runs/a"), "");
  EXPECT_EQ(WrongText({{kernels::Verdict::kWrong, "e[3] is 1, expected 2", 3, 17},
                       {kernels::Verdict::kSpills, "40 bytes", 2, 5},
                       {kernels::Verdict::kWrong, "run 2 of 9 yields something else", 1, 41}},
                      "./exh search functional replay", "runs/a"),
            "wrong: record 17 and 2 like it: e[3] is 1, expected 2\n"
            "  again   ./exh search functional replay runs/a --record 17\n"
            "wrong: record 41: run 2 of 9 yields something else\n"
            "  again   ./exh search functional replay runs/a --record 41\n");
}

TEST(ComparisonText, WhatTookTooLongIsSaid) {
  ReferenceRecord winner, naive;
  winner.name = "winner";
  winner.verdict = kernels::Verdict::kCorrect;
  winner.best_ns = 2e6;
  naive.name = "naive";
  naive.verdict = kernels::Verdict::kStopped;
  naive.why = "it takes longer than its share of what was left, 0.7 s";
  EXPECT_EQ(ComparisonText({winner, naive}),
            "  the naive loop nest was not measured: it takes longer than its share of what was "
            "left, 0.7 s\n");
  winner.verdict = kernels::Verdict::kStopped;
  winner.why = naive.why;
  EXPECT_THAT(ComparisonText({winner, naive}), testing::StartsWith("  not measured: it takes"));
}

}  // namespace
}  // namespace exh::search

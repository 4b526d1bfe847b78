// SPDX-License-Identifier: MIT
#include "search/own/answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace exh::search {
namespace {

using kernels::Measurement;
using kernels::Verdict;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Answer, AllUnitsAreNanosecondsHere) {
  for (const auto& [text, ns] :
       {std::pair{R"({"verdict":"correct","time_ns":1500})", 1500.0},
        std::pair{R"({"verdict":"correct","time_us":1.5})", 1500.0},
        std::pair{R"({"verdict":"correct","time_ms":0.0015})", 1500.0},
        std::pair{R"({"verdict":"correct","time_s":2})", 2e9},
        std::pair{R"({"verdict":"correct","runtimes_ns":[3000,1500]})", 1500.0}}) {
    const Measurement measurement = ReadAnswer(text, false);
    EXPECT_EQ(measurement.verdict, Verdict::kCorrect) << text << measurement.why;
    EXPECT_DOUBLE_EQ(measurement.best_ns, ns) << text;
  }
}

TEST(Answer, WithoutAVerdictItIsUncheckedUnlessTimesAreTrusted) {
  EXPECT_EQ(ReadAnswer(R"({"time_ms":1})", false).verdict, Verdict::kUnchecked);
  EXPECT_THAT(ReadAnswer(R"({"time_ms":1})", false).why, HasSubstr("--trust-times"));
  EXPECT_EQ(ReadAnswer(R"({"time_ms":1})", true).verdict, Verdict::kCorrect);
  EXPECT_EQ(ReadAnswer(R"({"time_ms":1,"verdict":"unchecked"})", false).verdict,
            Verdict::kUnchecked);
}

TEST(Answer, TrustIsInTimesAndNotInVerdicts) {
  EXPECT_EQ(ReadAnswer(R"({"time_ms":1,"verdict":"wrong","why":"z[3]"})", true).verdict,
            Verdict::kWrong);
  EXPECT_EQ(ReadAnswer(R"({"time_ms":1,"verdict":"wrong","why":"z[3]"})", true).why, "z[3]");
}

TEST(Answer, AnErrorAboveWhatIsTolerableIsWrong) {
  const Measurement measurement =
      ReadAnswer(R"({"verdict":"correct","time_ms":1,"error_ratio":1.5})", false);
  EXPECT_EQ(measurement.verdict, Verdict::kWrong);
  EXPECT_EQ(measurement.max_error_ratio, 1.5);
}

TEST(Answer, WhatIsNoAnswerSaysWhatWouldBeRight) {
  for (const auto& [text, says] :
       {std::pair{"{", "no JSON object"}, std::pair{"[1]", "no JSON object"},
        std::pair{"{}", "without a verdict and without a time"},
        std::pair{R"({"verdict":"correct"})", "no time"},
        std::pair{R"({"verdict":"corect","time_ms":1})", "did you mean 'correct'?"},
        std::pair{R"({"verdict":"idle","time_ms":1})", "verdict 'idle'"},
        std::pair{R"({"verdict":7,"time_ms":1})", "verdict '7'"},
        std::pair{R"({"time_ms":"fast"})", "no number"},
        std::pair{R"({"time_ms":-1})", "which is none"},
        std::pair{R"({"time_ms":0})", "which is none"},
        std::pair{R"({"time_s":1e300})", "which is none"},
        std::pair{R"({"time_s":1,"time_ms":1000})", "one is enough"}}) {
    const Measurement measurement = ReadAnswer(text, true);
    EXPECT_EQ(measurement.verdict, Verdict::kBroken) << text;
    EXPECT_THAT(measurement.why, HasSubstr(says)) << text;
  }
}

TEST(LastLine, IsATimeOrAnObject) {
  EXPECT_THAT(ReadLastLine("warming up\ntime_ms 1.5 1.25\n\n", true).runtimes_ns,
              ElementsAre(1.5e6, 1.25e6));
  EXPECT_THAT(ReadLastLine("time_us: 3", true).runtimes_ns, ElementsAre(3000));
  EXPECT_THAT(ReadLastLine("time_ns=3", true).verdict, Verdict::kBroken);
  const Measurement object = ReadLastLine("x\n  {\"verdict\":\"crash\",\"why\":\"no\"}  \n", false);
  EXPECT_EQ(object.verdict, Verdict::kCrash);
  EXPECT_EQ(object.why, "no");
}

TEST(LastLine, OtherwiseItIsShown) {
  EXPECT_THAT(ReadLastLine("", true).why, HasSubstr("printed nothing"));
  EXPECT_THAT(ReadLastLine("time_ms fast\n", true).why, HasSubstr("it is: time_ms fast"));
  EXPECT_THAT(ReadLastLine("1.5\n", true).why, HasSubstr("it is: 1.5"));
  EXPECT_LT(ReadLastLine(std::string(1 << 20, 'x'), true).why.size(), 1000u);
}

}  // namespace
}  // namespace exh::search

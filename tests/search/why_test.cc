// SPDX-License-Identifier: MIT
//
// What decisions are worth, of programs whose times are known: each decision has a factor.
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "base/error.h"
#include "search/log/decisions.h"
#include "search/log/log_json.h"
#include "search/why/ablation.h"
#include "search/why/side_by_side.h"
#include "search/why/worth.h"
#include "search/why/worth_text.h"
#include "tests/search/fake_evaluator.h"
#include "tests/search/small_matmul.h"
#include "tests/search/toy_space.h"

namespace exh::search {
namespace {

using kernels::Verdict;
using runtime::Candidate;

bool Has(const std::string& source, const std::string& decision) {
  return source.find(decision + "\n") != std::string::npos;
}

/// Takes 100 ns as Best() decides. Without a=RED three times that, without size(b)=4 one and a half
/// as long, without size(c)=4 a hundredth longer, which is the noise. size(a) makes no difference.
double TimeOf(const std::string& source) {
  double ns = 100;
  if (!Has(source, "color(a)=RED")) ns *= 3;
  if (!Has(source, "size(b)=4")) ns *= 1.5;
  if (!Has(source, "size(c)=4")) ns *= 1.01;
  return ns;
}

Candidate Best(const Candidate& root) {
  Candidate best = root;
  for (const char* text : {"color(a)=RED", "color(b)=GREEN", "size(a)=1", "size(b)=4", "size(c)=4",
                           "order(a,b)=BEFORE", "order(b,c)=BEFORE"}) {
    EXPECT_EQ(Take(best, text), runtime::Propagation::kFixpoint) << text;
  }
  EXPECT_TRUE(best.IsImplementation());
  return best;
}

/// What is measured again is off by one and a half percent now and then.
kernels::Measurement Measured(const std::string& source, int before) {
  return Correct(TimeOf(source) * (before % 4 == 3 ? 1.015 : 1));
}

const Worth* WorthOf(const Worths& worths, const Candidate& root, const std::string& name) {
  for (const Worth& worth : worths.decisions) {
    if (StepText(root.instance(), worth.decision).starts_with(name + "=")) return &worth;
  }
  return nullptr;
}

TEST(Why, FindsTheFactorOfEachDecision) {
  const Candidate root = ToyRoot();
  FakeEvaluator evaluator;
  evaluator.measure = Measured;
  const Worths worths = MeasureWorths(evaluator, root, Best(root), {});
  EXPECT_TRUE(worths.is_whole);
  EXPECT_DOUBLE_EQ(worths.best_ns, 100);
  EXPECT_GT(worths.noise, 0.01);
  EXPECT_LT(worths.noise, 0.02);
  EXPECT_EQ(StepText(root.instance(), worths.decisions[0].decision), "color(a)=RED");
  EXPECT_NEAR(worths.decisions[0].worth(), 3, 0.05);
  EXPECT_EQ(StepText(root.instance(), worths.decisions[1].decision), "size(b)=4");
  EXPECT_NEAR(worths.decisions[1].worth(), 1.5, 0.03);
  EXPECT_EQ(worths.NumWorth(), 2U);
  ASSERT_NE(WorthOf(worths, root, "size(a)"), nullptr);
  EXPECT_NEAR(WorthOf(worths, root, "size(a)")->worth(), 1, 0.02);
  EXPECT_EQ(WorthOf(worths, root, "size(a)")->others.size(), 2U);  // 2 and 4.
}

TEST(Why, StepsMakeUpTheWholeWay) {
  const Candidate root = ToyRoot();
  FakeEvaluator evaluator;
  evaluator.measure = Measured;
  const Worths worths = MeasureWorths(evaluator, root, Best(root), {});
  ASSERT_EQ(worths.steps.size(), 2U);
  EXPECT_NEAR(worths.steps[0].time.ratio, 3, 0.05);
  EXPECT_NEAR(worths.steps[1].time.ratio, 4.5, 0.08);
  EXPECT_NEAR(worths.again.ratio, worths.steps[1].time.ratio, 0.08);
}

TEST(Why, WhatFailsIsSaidAndNothingIsMadeOfIt) {
  const Candidate root = ToyRoot();
  FakeEvaluator evaluator;
  evaluator.measure = [](const std::string& source, int) {
    return Has(source, "size(b)=4") ? Correct(TimeOf(source))
                                    : Failed(Verdict::kWrong, "y[3] is 7");
  };
  evaluator.compile = [](const std::string& source) {
    return Has(source, "color(a)=GREEN") ? Verdict::kCompileError : Verdict::kCorrect;
  };
  const Worths worths = MeasureWorths(evaluator, root, Best(root), {});
  const Worth* const size = WorthOf(worths, root, "size(b)");
  ASSERT_NE(size, nullptr);
  EXPECT_EQ(size->worth(), 0);
  ASSERT_FALSE(size->others.empty());
  EXPECT_EQ(size->others[0].time.verdict, Verdict::kWrong);
  EXPECT_EQ(size->others[0].time.why, "y[3] is 7");
  const Worth* const color = WorthOf(worths, root, "color(a)");
  ASSERT_NE(color, nullptr);
  EXPECT_EQ(color->others.size(), 2U);
  EXPECT_NEAR(color->worth(), 3, 0.05);  // By BLUE.
  const std::string text = WorthsText(worths, root.instance(), 16);
  EXPECT_NE(text.find("compile_error"), std::string::npos) << text;
}

TEST(Why, ABestThatDoesNotRunAnyMoreIsAnError) {
  const Candidate root = ToyRoot();
  FakeEvaluator evaluator;
  evaluator.measure = [](const std::string&, int) { return Failed(Verdict::kCrash, "signal 11"); };
  EXPECT_THROW(MeasureWorths(evaluator, root, Best(root), {}), Error);
}

TEST(Why, WithoutTimeItSaysWhatIsLeft) {
  const Candidate root = ToyRoot();
  FakeEvaluator evaluator;
  evaluator.measure = Measured;
  WorthOptions options;
  options.seconds = 0;
  const Worths worths = MeasureWorths(evaluator, root, Best(root), options);
  EXPECT_FALSE(worths.is_whole);
  EXPECT_GT(worths.decisions.size(), 3U);
  EXPECT_EQ(worths.NumWorth(), 0U);
  EXPECT_NE(WorthsText(worths, root.instance(), 16).find("a longer --budget"), std::string::npos);
}

TEST(Why, EqualProgramsAreMeasuredOnce) {
  const Candidate root = ToyRoot();
  FakeEvaluator evaluator;
  evaluator.emit = [](const std::string&) { return "always the same"; };
  evaluator.measure = [](const std::string&, int) { return Correct(100); };
  const Worths worths = MeasureWorths(evaluator, root, Best(root), {});
  EXPECT_EQ(evaluator.compiled, 1);
  for (const Worth& worth : worths.decisions) {
    for (const OtherValue& other : worth.others) EXPECT_TRUE(other.time.is_same);
  }
  EXPECT_TRUE(worths.steps.empty());
}

TEST(Why, DataHaveWhatTheWordsHave) {
  const Candidate root = ToyRoot();
  FakeEvaluator evaluator;
  evaluator.measure = Measured;
  const Worths worths = MeasureWorths(evaluator, root, Best(root), {});
  const Json json = Json::parse(WorthsJson(worths, root.instance(), 17));
  EXPECT_EQ(json["record"], 17);
  EXPECT_EQ(json["decisions"].size(), worths.decisions.size());
  EXPECT_EQ(json["decisions"][0]["name"], "color(a)");
  EXPECT_EQ(json["decisions"][0]["value"], "RED");
  EXPECT_NEAR(json["decisions"][0]["worth"].get<double>(), 3, 0.05);
  EXPECT_EQ(json["steps"].size(), 2U);
  EXPECT_EQ(json["steps"][1]["name"], "size(b)");
}

TEST(SideBySide, RowsHaveWhatBothHave) {
  EXPECT_EQ(SideBySide("block m:16\n  loop k:4\n    unroll:4\n    exec mad\n",
                       "block m:8\n  loop k:4\n    exec mad\n    exec st\n", 14),
            "block m:16     | block m:8\n"
            "  loop k:4         loop k:4\n"
            "    unroll:4   <\n"
            "    exec mad         exec mad\n"
            "               >     exec st\n");
  EXPECT_EQ(SideBySide("a\n", "a\n", 4), "a      a\n");
  EXPECT_EQ(SideBySide("", "b", 4), "     > b\n");
  EXPECT_EQ(SideBySide("", "", 4), "");
  EXPECT_EQ(SideBySide("ab\u00e4def\n", "abcdefg\n", 4), "ab\u00e4… | abc…\n");
}

// Every line of both is there once, in order, whatever they are.
TEST(SideBySide, NothingIsLost) {
  Random random(1);
  for (int round = 0; round < 200; ++round) {
    std::string texts[2];
    for (std::string& text : texts) {
      for (std::size_t lines = random.Below(9); lines > 0; --lines) {
        text += std::string(1, static_cast<char>('a' + random.Below(3))) + "\n";
      }
    }
    std::string found[2];
    const std::string rows = SideBySide(texts[0], texts[1], 3);
    for (std::size_t at = 0; at < rows.size();) {
      const std::size_t end = rows.find('\n', at);
      const std::string row = rows.substr(at, end - at) + "       ";
      if (row[0] != ' ') found[0] += row.substr(0, 1) + "\n";
      if (row[6] != ' ') found[1] += row.substr(6, 1) + "\n";
      EXPECT_EQ(row[4] == ' ', row[0] == row[6]) << row;
      at = end + 1;
    }
    EXPECT_EQ(found[0], texts[0]);
    EXPECT_EQ(found[1], texts[1]);
  }
}

// Of kernels: what is changed is changed, what is made is an implementation, and the same seed
// makes the same ones.
TEST(Ablator, ChangesOneDecisionOfAKernel) {
  const Candidate root = SmallMatmul().root();
  const ChoiceOrder order = ChoiceOrder::Default(root.instance());
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Random random(seed);
    Descender descender(order);
    ASSERT_EQ(descender.Run(root, random, [](const DeadEnd&) {}), DescentResult::kImplementation);
    Ablator ablator(root, descender.candidate(), seed), same(root, descender.candidate(), seed);
    int found = 0, alone = 0;
    for (const PathStep& decision : ablator.decisions()) {
      for (const PathStep& other : ablator.Others(decision)) {
        const auto changed = ablator.With(std::span(&other, 1));
        const auto again = same.With(std::span(&other, 1));
        ASSERT_EQ(changed.has_value(), again.has_value());
        if (!changed) continue;
        ++found;
        alone += changed->follows == 0 ? 1 : 0;
        EXPECT_TRUE(changed->implementation.IsImplementation());
        EXPECT_EQ(
            changed->implementation.FirstValue(static_cast<runtime::DecisionId>(other.decision)),
            other.value);
        EXPECT_EQ(VectorText(changed->implementation), VectorText(again->implementation));
      }
    }
    EXPECT_GT(found, 20);
    EXPECT_GT(alone, 0);
  }
}

}  // namespace
}  // namespace exh::search

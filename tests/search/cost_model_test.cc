// SPDX-License-Identifier: MIT
//
// What a search learns of times: regression trees on made-up columns, and the cost model on made-up
// vectors of the toy space, so that what is to be learned is known exactly.
#include "search/learn/cost_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cmath>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/search/toy_space.h"

namespace exh::search {
namespace {

using Row = std::vector<std::uint8_t>;

/// With random targets: the first column has another number in each sample, up to both ends of what
/// it holds, the other one has few.
Samples MakeSamples(std::uint64_t seed) {
  Random random(seed);
  Samples samples{.columns = std::vector<Row>(2), .targets = {}};
  for (int sample = 0; sample < 200; ++sample) {
    samples.columns[0].push_back(static_cast<std::uint8_t>(sample < 100 ? sample : sample + 56));
    samples.columns[1].push_back(static_cast<std::uint8_t>(random.Below(20)));
    samples.targets.push_back(static_cast<float>(random.Real()));
  }
  return samples;
}

/// What a tree says of all samples, once these bits of the first column are other ones.
std::vector<float> Predictions(const Samples& samples, const std::vector<std::uint32_t>& used,
                               std::uint64_t seed, int bits = 0) {
  Random random(seed);
  const RegressionTree tree(samples, used, random);
  std::vector<float> all;
  for (std::size_t sample = 0; sample < samples.targets.size(); ++sample) {
    const auto first = static_cast<std::uint8_t>(samples.columns[0][sample] ^ bits);
    all.push_back(tree.Predict(Row{first, samples.columns[1][sample]}));
  }
  return all;
}

TEST(RegressionTree, RemembersEverySampleButCannotTellEqualOnesApart) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Samples samples = MakeSamples(seed);
    EXPECT_EQ(Predictions(samples, {0, 1}, seed), samples.targets) << "seed " << seed;
  }
  const Samples same = {{{1, 1, 7, 1}, {2, 2, 2, 2}}, {3, 4, 100, 8}};
  EXPECT_THAT(Predictions(same, {0, 1}, 1), testing::ElementsAre(5, 5, 100, 5));
  EXPECT_THAT(Predictions(same, {}, 1), testing::Each(28.75));
}

TEST(RegressionTree, LooksAtTheUsedColumnsAloneAndASeedGivesOneTree) {
  const Samples samples = MakeSamples(1);
  EXPECT_EQ(Predictions(samples, {1}, 1, 255), Predictions(samples, {1}, 1));
  EXPECT_NE(Predictions(samples, {0, 1}, 1, 255), Predictions(samples, {0, 1}, 1));
  // What trees do not know they guess in different ways, or nothing would spread.
  EXPECT_EQ(Predictions(samples, {0, 1}, 1, 255), Predictions(samples, {0, 1}, 1, 255));
  EXPECT_NE(Predictions(samples, {0, 1}, 1, 255), Predictions(samples, {0, 1}, 2, 255));
}

using Amount = std::array<double, 1>;
const Amount kNothing = {0};

/// A cost model of the toy space, and vectors for it that no descent has to find.
struct Lesson {
  explicit Lesson(std::uint64_t seed, bool classifies = false)
      : random(seed), model(root.instance(), 1, seed, nullptr, {}, classifies) {
    const auto decisions = static_cast<int>(root.instance().num_decisions());
    for (int decision = 0; decision < decisions; ++decision) path.push_back({decision, 0});
  }
  /// Another one each time; every decision has one of three values.
  std::string NewVector() {
    for (;;) {
      std::string vector;
      while (vector.size() < path.size()) vector += "012"[random.Below(3)];
      if (seen.insert(vector).second) return vector;
    }
  }
  template <typename Function>
  void Teach(int count, const Function& time_of) {
    for (; count > 0; --count) {
      taught.push_back(NewVector());
      Add(taught.back(), time_of(taught.back()));
    }
  }
  void Add(const std::string& vector, double ns) { model.Add(vector, kNothing, 0, path, {}, ns); }
  double Mean(const std::string& vector) const {
    return model.Ask(vector, kNothing, 0).value().mean;
  }

  const runtime::Candidate root = ToyRoot();
  Path path;  ///< Takes every decision.
  Random random;
  CostModel model;
  std::set<std::string> seen;
  std::vector<std::string> taught;  ///< By Teach().
};

/// Two decisions matter, by a factor of 9 in all.
double TimeOf(const std::string& vector) {
  return 100 * std::pow(2, vector[1] - '0') * std::pow(1.5, vector[4] - '0');
}

TEST(CostModel, TellsTheBestTenthFromTheRest) {
  // A tenth is fast, whatever the others take; half of those do not work.
  const auto is_best = [](const std::string& vector) {
    return vector[1] == '0' && vector[4] == '0';
  };
  Lesson lesson(1, true), plain(1);
  int number = 0;
  const auto time_of = [&](const std::string& vector) {
    if (is_best(vector)) return 100.0;
    return ++number % 2 == 0 ? 0.0 : 300.0;
  };
  lesson.Teach(400, time_of);
  plain.Teach(100, time_of);
  double best = 0, rest = 0;
  int num_best = 0, num_rest = 0;
  for (int asked = 0; asked < 300; ++asked) {
    const std::string vector = lesson.NewVector();
    const Guess guess = lesson.model.Ask(vector, kNothing, 0).value();
    EXPECT_LE(guess.log_best, 0);
    EXPECT_TRUE(std::isfinite(guess.log_best));
    (is_best(vector) ? best : rest) += guess.log_best;
    ++(is_best(vector) ? num_best : num_rest);
    EXPECT_EQ(plain.model.Ask(vector, kNothing, 0).value().log_best, 0) << "nobody asked";
  }
  ASSERT_GT(num_best, 10);
  EXPECT_GT(best / num_best, std::log(0.3));
  EXPECT_LT(rest / num_rest, std::log(0.15));
}

TEST(CostModel, GuessesWhenItHasSeenEnoughThatWorks) {
  Lesson lesson(1), hopeless(2);
  const std::string asked = lesson.NewVector();
  for (std::size_t sample = 1; sample <= 2 * CostModel::kLeast; ++sample) {
    lesson.Add(lesson.NewVector(), 100);
    hopeless.Add(hopeless.NewVector(), 0);
    EXPECT_EQ(lesson.model.Ask(asked, kNothing, 0).has_value(), sample >= CostModel::kLeast)
        << sample;
    EXPECT_FALSE(hopeless.model.Ask(asked, kNothing, 0).has_value());
  }
  hopeless.Add(hopeless.NewVector(), 100);  // The first that works.
  EXPECT_TRUE(hopeless.model.Ask(asked, kNothing, 0).has_value());
}

TEST(CostModel, BelievesAGuessUntilItHasLearned) {
  const Lesson lesson(1);
  CostModel model(lesson.root.instance(), 1, 1, nullptr, /*guess=*/0);
  const std::string asked(lesson.path.size(), '0');
  EXPECT_TRUE(model.is_ready());
  EXPECT_FALSE(lesson.model.is_ready());
  EXPECT_NEAR(model.Ask(asked, Amount{300}, 10)->mean, std::log(300), 1e-9);
  // Times are three times what was guessed.
  Lesson teacher(2);
  for (std::size_t sample = 0; sample < 2 * CostModel::kLeast; ++sample) {
    const double guessed = 100 + 10 * static_cast<double>(sample);
    model.Add(teacher.NewVector(), Amount{guessed}, 10, teacher.path, {}, 3 * guessed);
  }
  EXPECT_NEAR(model.Ask(asked, Amount{300}, 10)->mean, std::log(900), 0.1);
}

TEST(CostModel, RanksWhatItHasNotSeen) {
  Lesson lesson(1);
  lesson.Teach(200, TimeOf);
  int right = 0, wrong = 0;
  while (right + wrong < 1000) {
    const std::string one = lesson.NewVector(), other = lesson.NewVector();
    if (TimeOf(one) >= TimeOf(other)) continue;
    ++(lesson.Mean(one) < lesson.Mean(other) ? right : wrong);
  }
  EXPECT_GT(right, 900);
}

TEST(CostModel, LooksAtAmountsAndAtDecisionsThatSomethingDecided) {
  Lesson amounts(1), decided(2), blind(2);
  // Two colors change places: only the decisions themselves, not how often a value occurs, tell.
  std::string one(amounts.path.size(), '0'), other = one;
  one[1] = other[2] = '2';
  for (int sample = 0; sample < 100; ++sample) {
    const double ns = sample % 2 == 0 ? 100 : 1000;
    amounts.model.Add(amounts.NewVector(), Amount{ns / 10}, 0, amounts.path, {}, ns);
    decided.Add(sample % 2 == 0 ? one : other, ns);
    blind.model.Add(sample % 2 == 0 ? one : other, kNothing, 0, {}, {}, ns);
  }
  EXPECT_LT(amounts.model.Ask(one, Amount{10}, 0)->mean,
            amounts.model.Ask(one, Amount{100}, 0)->mean - 1);
  EXPECT_NEAR(decided.Mean(one), std::log(100), 1e-5);
  EXPECT_NEAR(decided.Mean(other), std::log(1000), 1e-5);
  EXPECT_EQ(blind.Mean(one), blind.Mean(other));
}

TEST(CostModel, LearnsHowFarAboveTheBoundTimesAre) {
  Lesson lesson(1);
  // Twice or four times the bound, as a decision says; bounds differ by a factor of three.
  const auto factor = [](const std::string& vector) { return vector[1] == '0' ? 2.0 : 4.0; };
  for (int sample = 0; sample < 200; ++sample) {
    const std::string vector = lesson.NewVector();
    const double bound = 1000 + 10 * sample;
    lesson.model.Add(vector, kNothing, bound, lesson.path, {}, factor(vector) * bound);
  }
  for (int sample = 0; sample < 100; ++sample) {
    const std::string vector = lesson.NewVector();
    // Also far below all that it has seen.
    const Guess guess = lesson.model.Ask(vector, kNothing, 10).value();
    EXPECT_NEAR(guess.mean, std::log(10 * factor(vector)), 0.2) << vector;
  }
}

TEST(CostModel, WhatFailedIsAsBadAsWhatIsMuchTooSlow) {
  Lesson lesson(1);
  lesson.Teach(120, [](const std::string& vector) {
    return vector[1] == '0' ? 100 : vector[1] == '1' ? 0 : 1e9;
  });
  const double worst = std::log(100 * CostModel::kWorst);
  for (int sample = 0; sample < 200; ++sample) {
    const std::string vector = lesson.NewVector();
    EXPECT_NEAR(lesson.Mean(vector), vector[1] == '0' ? std::log(100) : worst, 1) << vector;
  }
}

TEST(CostModel, TreesDifferOnlyWhereTheyKnowNothing) {
  // As good as chance: what is known of one vector says nothing of others.
  const auto time_of = [](const std::string& v) { return 200.0 + std::stoi(v.substr(1, 9)) % 997; };
  Lesson lesson(1);
  lesson.Teach(61, time_of);
  // So far one tree alone was made anew with the last of them.
  EXPECT_GT(lesson.model.Ask(lesson.taught[60], kNothing, 0)->deviation, 0.01);
  lesson.Teach(CostModel::kTrees - 1, time_of);
  double unknown = 0;
  for (std::size_t sample = 0; sample <= 60; ++sample) {
    const Guess guess = lesson.model.Ask(lesson.taught[sample], kNothing, 0).value();
    EXPECT_NEAR(guess.mean, std::log(time_of(lesson.taught[sample])), 1e-4) << sample;
    EXPECT_LT(guess.deviation, 1e-4) << sample;
    unknown += lesson.model.Ask(lesson.NewVector(), kNothing, 0)->deviation / 61;
  }
  EXPECT_GT(unknown, 0.1);
}

TEST(CostModel, AnswersWhileItLearns) {
  Lesson lesson(1);
  const std::string asked = lesson.NewVector();
  std::atomic<bool> done = false;
  const auto ask = [&] {
    for (bool is_last = false; !is_last;) {
      is_last = done;
      const bool is_ready = lesson.model.is_ready();
      const auto guess = lesson.model.Ask(asked, kNothing, 0);
      EXPECT_TRUE(guess.has_value() || (!is_ready && !is_last));
      // Within what was taught, whichever trees answered.
      EXPECT_NEAR(guess.value_or(Guess{std::log(300)}).mean, std::log(300), std::log(3) + 1e-4);
    }
  };
  std::jthread one(ask), other(ask);
  lesson.Teach(400, TimeOf);
  done = true;
}

}  // namespace
}  // namespace exh::search

// SPDX-License-Identifier: MIT
//
// What runs leave to later ones: traits of the toy space, priors of made-up runs whose rule is
// known, and the files that hold them.
#include "search/learn/prior.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "search/learn/cost_model.h"
#include "search/learn/levels.h"
#include "search/log/run_folder.h"
#include "tests/search/temp_folder.h"
#include "tests/search/toy_space.h"

namespace exh::search {
namespace {

using testing::HasSubstr;

/// Amounts of two kinds; there are two of the second.
AmountsFunction ToyAmounts() {
  return {.count = 3, .fill = {}, .kinds = {0, 1, 1}};
}

std::map<std::string, int> Named(const Traits& traits, const std::string& vector,
                                 std::span<const double> amounts, double bound) {
  std::vector<std::uint8_t> row(traits.names().size());
  traits.Fill(vector, amounts, bound, row);
  std::map<std::string, int> named;
  for (std::size_t column = 0; column < row.size(); ++column) {
    EXPECT_TRUE(named.emplace(traits.names()[column], row[column]).second);
  }
  return named;
}

TEST(Traits, SayWhatAnImplementationHasByName) {
  const runtime::Candidate root = ToyRoot();
  const runtime::Instance& instance = root.instance();
  const Traits traits(instance, ToyAmounts());
  std::string vector(instance.num_decisions(), '.');
  const auto color = static_cast<std::size_t>(instance.first_decision(1));
  const auto size = static_cast<std::size_t>(instance.first_decision(2));
  vector[color] = '0';      // RED
  vector[color + 1] = '2';  // BLUE; the third takes no part.
  vector[size] = '0';       // 1
  vector[size + 1] = '2';   // 4
  vector[size + 2] = '2';
  const auto named = Named(traits, vector, std::array{8.0, 16.0, 48.0}, 16.0);
  EXPECT_EQ(named.at("color=RED"), 128);
  EXPECT_EQ(named.at("color#BLUE"), 1);
  EXPECT_EQ(named.at("color=GREEN"), 0);
  EXPECT_EQ(named.at("size=4"), 170);
  EXPECT_EQ(named.at("size#4"), 2);
  EXPECT_EQ(named.at("size most"), LevelOf(4));
  EXPECT_EQ(named.at("size mean"), std::lround((LevelOf(1) + 2.0 * LevelOf(4)) / 3));
  EXPECT_EQ(named.at("order=BEFORE"), 0) << "nothing of it is decided";
  EXPECT_EQ(named.at("amount 0"), LevelOf(8));
  EXPECT_EQ(named.at("amount 1"), LevelOf(64)) << "of both";
  EXPECT_EQ(named.at("amount 0 of bound"), 128 - 8) << "half of it: an octave less";
  EXPECT_EQ(named.at("amount 1 of bound"), 128 + 16);
}

TEST(Traits, WithoutAmountsThereAreNoneAndLevelsKeepTheirEnds) {
  const Traits without(ToyRoot().instance(), {});
  EXPECT_THAT(without.names(), testing::Not(testing::Contains(HasSubstr("amount"))));
  EXPECT_EQ(LevelOf(0), 0);
  EXPECT_EQ(LevelOf(1e-9), 1);
  EXPECT_EQ(LevelOf(1e30), 255);
}

/// Implementations whose times follow from two traits; other columns mean nothing.
PriorRun RunOf(std::uint64_t seed, std::vector<std::string> names, double scale) {
  Random random(seed);
  PriorRun run{.source = {.kernel = "made up", .conditions = "here"}, .names = std::move(names)};
  run.offset = std::log(scale);
  const auto place = [&](const char* name) {
    return static_cast<std::size_t>(std::ranges::find(run.names, name) - run.names.begin());
  };
  for (int sample = 0; sample < 400; ++sample) {
    std::vector<std::uint8_t>& row = run.rows.emplace_back();
    for (std::size_t column = 0; column < run.names.size(); ++column) {
      row.push_back(static_cast<std::uint8_t>(random.Below(200)));
    }
    const double threads = row.at(place("dim_kind=THREAD")), most = row.at(place("size most"));
    run.targets.push_back(static_cast<float>((threads > 100 ? 0.1 : 1.5) + most / 200));
    run.bases.push_back(0);
    run.is_timed.push_back(true);
  }
  run.source.evaluations = run.rows.size();
  return run;
}

const std::vector<std::string> kOne = {"dim_kind=THREAD", "x", "size most"};
const std::vector<std::string> kOther = {"size most", "y", "z", "dim_kind=THREAD"};

Prior MadeUp() {
  const std::vector<PriorRun> runs = {RunOf(1, kOne, 2), RunOf(2, kOther, 8)};
  Random random(7);
  Prior prior = LearnPrior(runs, random);
  prior.device = "toy";
  return prior;
}

TEST(Prior, ForetellsARunOfAnotherSpace) {
  const Prior prior = MadeUp();
  EXPECT_GT(RankCorrelation(prior, RunOf(3, {"z", "size most", "dim_kind=THREAD"}, 1)), 0.95);
  EXPECT_THAT(prior.columns, testing::IsSupersetOf({"dim_kind=THREAD", "size most"}));
  EXPECT_EQ(prior.made_of.size(), 2u);
  EXPECT_LT(prior.deviation, 0.3);
}

TEST(Prior, OneSeedMakesOnePrior) {
  EXPECT_EQ(PriorText(MadeUp()), PriorText(MadeUp()));
}

TEST(Prior, NothingToRankIsNoCorrelation) {
  PriorRun run = RunOf(3, kOne, 1);
  run.is_timed.assign(run.is_timed.size(), false);
  EXPECT_EQ(RankCorrelation(MadeUp(), run), 0);
}

TEST(PriorFile, IsReadAsItWasWritten) {
  const TempFolder folder;
  const std::string file = folder.path() + "/prior.json";
  const Prior prior = MadeUp();
  WriteFile(file, PriorText(prior));
  const Prior read = ReadPrior(file);
  EXPECT_EQ(PriorText(read), PriorText(prior));
  EXPECT_EQ(read.columns, prior.columns);
  const PriorRun run = RunOf(4, kOther, 1);
  EXPECT_NEAR(RankCorrelation(read, run), RankCorrelation(prior, run), 1e-3);
}

TEST(PriorFile, SaysWhatIsWrong) {
  const TempFolder folder;
  const std::string file = folder.path() + "/prior.json";
  const auto message = [&](const std::string& text) {
    WriteFile(file, text);
    try {
      ReadPrior(file);
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string("read");
  };
  EXPECT_THAT(message("{"), HasSubstr("is no prior"));
  EXPECT_THAT(message("{\"version\": 99}"), HasSubstr("its version is 99, not 1"));
  std::string text = PriorText(MadeUp());
  EXPECT_EQ(message(text), "read");
  const std::size_t trees = text.find("\"trees\": [") + 10;
  // A child that comes before its parent would never end.
  EXPECT_THAT(message(text.substr(0, trees) + "[[0,3,0],[0.5],[0.5]]]}"),
              HasSubstr("no such column or child"));
  EXPECT_THAT(message(text.substr(0, trees) + "[[9999,3,2],[0.5],[0.5]]]}"),
              HasSubstr("no such column or child"));
  EXPECT_THAT(message(text.substr(0, trees) + "[]]}"), HasSubstr("does not end in a leaf"));
  EXPECT_THROW(ReadPrior(folder.path() + "/none.json"), UsageError);
}

TEST(Traits, CallAmountsByTheirNames) {
  const runtime::Candidate root = ToyRoot();
  AmountsFunction amounts = ToyAmounts();
  amounts.names = {"", "waves", "waves"};
  const Traits traits(root.instance(), amounts);
  EXPECT_THAT(traits.names(), testing::IsSupersetOf({"amount 0", "waves", "waves of bound"}));
  EXPECT_THAT(traits.names(), testing::Not(testing::Contains("amount 1")));
}

TEST(PriorFile, SaysWhatItIsOver) {
  const TempFolder folder;
  const std::string file = folder.path() + "/prior.json";
  std::vector<PriorRun> runs = {RunOf(1, kOne, 2)};
  for (const bool has_guesses : {false, true}) {
    runs.front().has_guesses = has_guesses;
    Random random(7);
    WriteFile(file, PriorText(LearnPrior(runs, random)));
    EXPECT_EQ(ReadPrior(file).is_over_guess, has_guesses);
  }
}

TEST(CostModel, BeginsWithAGuessOfTheTime) {
  const runtime::Candidate root = ToyRoot();
  const runtime::Instance& instance = root.instance();
  AmountsFunction amounts = ToyAmounts();
  amounts.guess = 2;
  const std::string red(instance.num_decisions(), '0');
  const std::array counted = {8.0, 16.0, 400.0};
  Prior prior{.device = "toy",
              .made_of = {},
              .offset = std::log(9),
              .deviation = 0.25,
              .columns = {},
              .trees = {}};
  const auto first = [&] {
    const auto of_space = std::make_shared<const PriorOfSpace>(prior, instance, amounts);
    return std::exp(
        CostModel(instance, 3, 1, of_space, amounts.guess).Ask(red, counted, 100)->mean);
  };
  EXPECT_NEAR(first(), 600, 1e-6);  // Of 9 x 100 and 400 what lies between.
  prior.is_over_guess = true;
  EXPECT_NEAR(first(), 9 * 400, 1e-6);
  amounts.guess = std::nullopt;  // A space without one has the bound.
  EXPECT_NEAR(first(), 9 * 100, 1e-6);
  // Trees learn what the guess leaves: here all take twice as long.
  CostModel model(instance, 3, 1, nullptr, 2);
  Random random(3);
  for (std::size_t sample = 0; sample < CostModel::kLeast; ++sample) {
    const double guess = 100 + static_cast<double>(random.Below(900));
    model.Add(red, std::array{8.0, 16.0, guess}, 10, {}, {}, 2 * guess);
  }
  EXPECT_NEAR(std::exp(model.Ask(red, std::array{8.0, 16.0, 5000.0}, 10)->mean), 10000, 1e-1);
}

TEST(RankCorrelation, IsThatOfPlaces) {
  const std::vector<double> up = {1, 2, 30, 400}, down = {9, 8, 7, -6}, mixed = {1, 3, 2, 4};
  EXPECT_NEAR(RankCorrelation(up, up), 1, 1e-12);
  EXPECT_NEAR(RankCorrelation(up, down), -1, 1e-12);
  EXPECT_NEAR(RankCorrelation(up, mixed), 0.8, 1e-12);
  EXPECT_EQ(RankCorrelation(std::vector<double>{1}, std::vector<double>{1}), 0);
}

TEST(CostModel, BeginsWithAPriorAndLearnsWhatItLeaves) {
  const runtime::Candidate root = ToyRoot();
  const runtime::Instance& instance = root.instance();
  const auto color = static_cast<std::size_t>(instance.first_decision(1));
  // The prior knows of colors alone: one that is BLUE doubles the time.
  Prior prior{.device = "toy",
              .made_of = {},
              .offset = 0,
              .deviation = 0.25,
              .columns = {"color#BLUE"},
              .trees = {}};
  const auto step = static_cast<float>(std::log(2));
  prior.trees.emplace_back(std::vector<RegressionTree::Node>{
      {.column = 0, .right = 2, .value = 0, .threshold = 0}, {.value = 0}, {.value = step}});
  const auto of_space = std::make_shared<const PriorOfSpace>(prior, instance, AmountsFunction{});
  CostModel model(instance, 0, 1, of_space);
  EXPECT_TRUE(model.is_ready());
  std::string red(instance.num_decisions(), '0'), blue = red;
  blue[color] = '2';
  const Guess first = model.Ask(red, {}, 100).value();
  EXPECT_NEAR(first.mean, std::log(100), 1e-6);
  EXPECT_EQ(first.deviation, 0.25);
  EXPECT_NEAR(model.Ask(blue, {}, 100)->mean, std::log(200), 1e-6);
  // In this space all take three times as long: the trees learn that, the prior keeps the rest.
  Path path;
  for (std::size_t decision = 0; decision < red.size(); ++decision) {
    path.push_back({static_cast<int>(decision), 0});
  }
  Random random(3);
  for (std::size_t sample = 0; sample < 2 * CostModel::kLeast; ++sample) {
    std::string vector = red;
    for (char& value : vector) value = "01"[random.Below(2)];
    model.Add(vector, {}, 100, path, {}, 300);
  }
  EXPECT_NEAR(model.Ask(red, {}, 100)->mean, std::log(300), 1e-4);
  EXPECT_NEAR(model.Ask(blue, {}, 100)->mean, std::log(600), 1e-4) << "never seen, but foretold";
}

}  // namespace
}  // namespace exh::search

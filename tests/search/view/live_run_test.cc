// SPDX-License-Identifier: MIT
//
// What a page is told of a run that goes on, put together, is what it would be told at the end.
#include "search/view/live_run.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "search/log/decisions.h"
#include "search/log/event_log.h"
#include "search/page/columns.h"
#include "search/page/decisions/decision_columns.h"
#include "search/view/eval_sample.h"
#include "tests/search/log_samples.h"
#include "tests/search/temp_folder.h"

namespace exh::search {
namespace {

using testing::ElementsAre;
using Json = nlohmann::json;

/// Evaluations of six decisions: one is never taken, one is the same everywhere, one has values
/// beyond 63 that come late, and one comes late itself.
EvalRecord RandomEval(std::uint64_t n, std::mt19937& random) {
  EvalRecord eval;
  eval.n = n;
  eval.dt = 0.25 * static_cast<double>(n);
  const int far = n > 40 && random() % 3 == 0 ? 70 + static_cast<int>(random() % 100) : -1;
  const std::string_view letters = "0123ABz.";
  eval.vector = {letters[random() % letters.size()], '5', letters[random() % letters.size()],
                 far >= 0 ? '~' : letters[random() % letters.size()]};
  if (n > 20) eval.vector += letters[random() % letters.size()];
  if (far >= 0) {
    const std::string_view digits =
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+/";
    eval.vector +=
        {digits[static_cast<std::size_t>(far / 64)], digits[static_cast<std::size_t>(far % 64)]};
  }
  for (const int decision : {0, 1, 3, 4}) {
    if (decision < 4 || n > 20) eval.path.push_back({decision, 1});
  }
  eval.verdict = n % 5 == 0 ? kernels::Verdict::kCrash : kernels::Verdict::kCorrect;
  if (n % 5 == 0) eval.why = fmt::format("signal {}", n % 3);
  if (n % 5 != 0) eval.best_ns = 1000 + static_cast<double>(random() % 500);
  if (n > 30) eval.registers = static_cast<int>(random() % 256);
  return eval;
}

ChoiceRecord ChoiceOf(int index) {
  ChoiceRecord choice;
  choice.index = index;
  choice.name = fmt::format("choice{}", index);
  choice.args = {"a"};
  choice.domain = {"1", "2", "3"};
  return choice;
}

/// A column of a decision as numbers, however it is written.
std::vector<int> Values(const Json& column) {
  std::vector<int> values;
  if (column.is_string()) {
    for (const char c : column.get<std::string>()) {
      values.push_back(internal::kValueOfDigit[static_cast<unsigned char>(c)]);
    }
  } else {
    values = column.get<std::vector<int>>();
  }
  return values;
}

/// What a page puts together.
struct Page {
  std::map<std::string, std::vector<double>> evals;
  std::vector<std::string> names, reasons;
  std::vector<std::vector<int>> decisions;
  std::size_t count = 0;
  Json rest;

  void Begin(const Json& run) {
    Take(run, 0);
    AddDecisions(run);
  }
  void Add(const Json& news) {
    const auto from = news["from"].get<std::size_t>();
    ASSERT_EQ(from, count);
    ASSERT_EQ(news["pieces"].size(), decisions.size());
    for (std::size_t k = 0; k < decisions.size(); ++k) {
      for (const int value : Values(news["pieces"][k])) decisions[k].push_back(value);
    }
    Take(news, from);
    AddDecisions(news);
  }
  void Take(const Json& run, std::size_t from) {
    count = run["count"].get<std::size_t>();
    for (const auto& [name, column] : run["evals"].items()) {
      evals[name].resize(from);
      for (const Json& value : column) evals[name].push_back(value.get<double>());
    }
    for (auto& [name, column] : evals) column.resize(count);
    for (const Json& reason : run["reasons"]) reasons.push_back(reason.get<std::string>());
    if (run.contains("bests")) rest = {run["bests"], run["deadEnds"], run["problems"]};
  }
  void AddDecisions(const Json& run) {
    for (const Json& decision : run["decisions"]) {
      names.push_back(decision["name"].get<std::string>());
      decisions.push_back(Values(decision["column"]));
    }
  }
  friend bool operator==(const Page&, const Page&) = default;
};

Json RunIn(LiveRun& live) {
  return Json::parse(live.PageData("now"))["runs"][0];
}

std::string PlaceIn(LiveRun& live) {
  return Json::parse(live.PageData("now"))["live"]["place"].get<std::string>();
}

TEST(LiveRun, WhatIsToldPieceByPieceIsTheWhole) {
  for (const unsigned seed : {1u, 2u, 3u}) {
    std::mt19937 random(seed);
    const TempFolder folder;
    EventLog log(folder.path() + "/log.jsonl");
    log.Write(SampleRun());
    for (int index = 0; index < 5; ++index) log.Write(ChoiceOf(index));
    LiveRun live(folder.path());
    while (live.Look()) {
    }
    Page page;
    page.Begin(RunIn(live));
    std::string place = PlaceIn(live);
    for (std::uint64_t n = 1; n <= 120; ++n) {
      log.Write(RandomEval(n, random));
      if (n % 7 == 0) log.Write(BestRecord{.n = n, .dt = 1, .ns = 1000 - static_cast<double>(n)});
      if (n % 9 == 0) log.Write(DeadRecord{.label = "label", .depth = static_cast<int>(n % 4)});
      if (random() % 4 != 0) continue;
      live.Look();
      const PageNews news = live.Since(place);
      ASSERT_FALSE(news.anew);
      if (!news.data.empty()) page.Add(Json::parse(news.data)["run"]);
      place = news.place;
    }
    while (live.Look()) {
    }
    const PageNews news = live.Since(place);
    if (!news.data.empty()) page.Add(Json::parse(news.data)["run"]);
    EXPECT_TRUE(live.Since(news.place).data.empty());
    Page whole;
    whole.Begin(RunIn(live));
    EXPECT_EQ(page, whole) << seed;
    EXPECT_EQ(page.count, 120u);
    EXPECT_EQ(page.reasons.size(), 3u);
    // As the report has them: never taken, and the same everywhere, is not shown.
    const Log read = ReadLog(folder.path());
    ScriptJson json;
    json.Open('{');
    WriteDecisions(read, 1'000'000, json);
    json.Close();
    const Json report = Json::parse(json.Take());
    std::map<std::string, std::vector<int>> expected, shown;
    for (const Json& one : report["decisions"]) {
      expected[one["name"].get<std::string>()] = Values(one["column"]);
    }
    for (std::size_t k = 0; k < page.names.size(); ++k) shown[page.names[k]] = page.decisions[k];
    EXPECT_EQ(shown, expected);
    EXPECT_EQ(expected.size(), 3u);
  }
}

TEST(LiveRun, PlacesOfOtherPagesAreRefused) {
  const TempFolder folder;
  EventLog log(folder.path() + "/log.jsonl");
  log.Write(SampleRun());
  LiveRun live(folder.path());
  live.Look();
  for (const char* place : {"", "1", "1:0:0:0:0", "2:0:0:0:0:0", "1:1:0:0:0:1", "1:0:1:0:0:1",
                            "1:0:0:1:0:1", "-1:0:0:0:0:0", "1:0:0:0:0:x", "1:0:0:0:0:1 ",
                            "1:report", "18446744073709551616:0:0:0:0:0"}) {
    EXPECT_TRUE(live.Since(place).anew) << place;
  }
  EXPECT_FALSE(live.Since(PlaceIn(live)).anew);
}

TEST(LiveRun, ALogWithoutAHeaderHasNoPageYet) {
  const TempFolder folder;
  LiveRun live(folder.path());
  live.Look();
  EXPECT_EQ(live.WhyNoPage(), "there is no log yet");
  EXPECT_EQ(live.WhyRefused(), "");
  RunRecord run = SampleRun();
  run.version = 9;
  EventLog log(folder.path() + "/log.jsonl");
  log.Write(run);
  live.Look();
  EXPECT_THAT(live.WhyRefused(), testing::HasSubstr("is of version 9"));
  EXPECT_THAT(live.WhyNoPage(), testing::HasSubstr("is of version 9"));
}

TEST(GrowingDecisions, KeepsWhatIsShownAndLeavesOutTheRest) {
  Log log;
  for (int index = 0; index < 100; ++index) log.choices.push_back(ChoiceOf(index));
  GrowingDecisions decisions(/*most_shown=*/5, /*most_bytes=*/10'000);
  for (std::uint64_t n = 0; n < 1000; ++n) {
    EvalRecord eval;
    for (int index = 0; index < 100; ++index) {
      eval.vector += static_cast<char>('0' + (n + static_cast<std::uint64_t>(index)) % 3);
      // The higher the number, the more often it is taken.
      if (static_cast<std::uint64_t>(index) >= n % 100) eval.path.push_back({index, 0});
    }
    decisions.Add(eval);
    if (n == 500) decisions.Show(log);
  }
  decisions.Show(log);
  EXPECT_EQ(decisions.num_shown(), 5u);
  ScriptJson json;
  json.Open('{');
  decisions.Write(log, json);
  json.Close();
  const Json all = Json::parse(json.Take());
  EXPECT_EQ(all["decisions"][0]["name"], "choice99(a)");
  EXPECT_EQ(all["decisionsLeftOut"], 95);
  for (const Json& decision : all["decisions"]) {
    EXPECT_EQ(decision["column"].get<std::string>().size(), 1000u);
  }
}

TEST(EvalSample, HasTheFastestTheLatestTheBestAndSomeOfAll) {
  EvalSample sample(/*fastest=*/10, /*others=*/20, /*latest=*/5);
  for (std::uint64_t n = 1; n <= 1000; ++n) {
    EvalRecord eval;
    eval.n = n;
    eval.verdict = kernels::Verdict::kCorrect;
    eval.best_ns = static_cast<double>((n * 617) % 1000 + 1);
    sample.Add(eval);
    if (n == 7) sample.SetBest(7);
  }
  sample.SetBest(424'242);  // It is not there: the one before stays.
  std::vector<std::uint64_t> numbers;
  std::vector<double> times;
  for (const EvalRecord& eval : sample.evals()) {
    numbers.push_back(eval.n);
    times.push_back(eval.best_ns);
  }
  EXPECT_TRUE(std::ranges::is_sorted(numbers));
  EXPECT_EQ(std::ranges::adjacent_find(numbers), numbers.end());
  EXPECT_THAT(numbers, testing::Contains(7));
  for (std::uint64_t n = 996; n <= 1000; ++n) EXPECT_THAT(numbers, testing::Contains(n));
  for (int ns = 1; ns <= 10; ++ns) EXPECT_THAT(times, testing::Contains(ns));
  EXPECT_GE(numbers.size(), 10u + 10u);
  EXPECT_LE(numbers.size(), 10u + 20u + 5u + 1u);
}

}  // namespace
}  // namespace exh::search

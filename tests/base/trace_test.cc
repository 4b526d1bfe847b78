// SPDX-License-Identifier: MIT
#include "base/trace/trace.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "base/activity.h"
#include "base/trace/event_ring.h"

namespace exh {
namespace {

using Json = nlohmann::json;

class TraceTest : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }

  TraceFile::Say Said() {
    return [this](const std::string& text) { said_.push_back(text); };
  }

  std::string Text() const {
    std::ifstream file(path_, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }

  /// Its events; of a file without its end, as the header says that it is read.
  Json Events() const {
    std::string text = Text();
    if (!text.ends_with("]\n")) {
      text.resize(text.rfind('\n'));
      text.resize(text.rfind(',') == text.npos ? text.size() : text.rfind(','));
      text += "]";
    }
    return Json::parse(text);
  }

  Json Spans(const std::string& name) const {
    Json spans = Json::array();
    for (const Json& event : Events()) {
      if (event["ph"] == "X" && event["name"] == name) spans.push_back(event);
    }
    return spans;
  }

  /// By name.
  std::map<std::string, int> Rows() const {
    std::map<std::string, int> rows;
    for (const Json& event : Events()) {
      if (event["name"] != "thread_name") continue;
      EXPECT_TRUE(rows.emplace(event["args"]["name"], event["tid"]).second) << event;
    }
    return rows;
  }

  const std::string path_ =
      (std::filesystem::temp_directory_path() / ("exh-trace-" + std::to_string(::getpid())))
          .string();
  std::vector<std::string> said_;
};

void Sleep(int us) {
  std::this_thread::sleep_for(std::chrono::microseconds(us));
}

TEST_F(TraceTest, HasSpansWithTheirArguments) {
  {
    const TraceFile file(path_, "judge", Said());
    TraceProcess("search matmul");
    const TraceTime begin = TraceNow();
    Sleep(200);
    TraceSpan("evaluation 1", begin, {{"n", std::uint64_t{1}}, {"ns", 2.5}, {"verdict", "wrong"}});
    TraceCounter("best, us", 0.5);
  }
  EXPECT_FALSE(IsTraced());
  EXPECT_TRUE(Text().starts_with("[\n")) << Text();
  EXPECT_TRUE(Text().ends_with("}\n]\n")) << Text();
  const Json spans = Spans("evaluation 1");
  ASSERT_EQ(spans.size(), 1);
  EXPECT_EQ(spans[0]["args"], Json::parse(R"({"n": 1, "ns": 2.5, "verdict": "wrong"})"));
  EXPECT_GE(spans[0]["dur"], 200);
  EXPECT_EQ(spans[0]["tid"], Rows()["judge"]);
  EXPECT_EQ(spans[0]["pid"], ::getpid());
  EXPECT_NE(Text().find(R"("ph":"C","name":"best, us")"), std::string::npos);
  EXPECT_EQ(Events().back()["args"]["left out"], 0);
  EXPECT_TRUE(said_.empty());
}

TEST_F(TraceTest, EscapesWhateverNamesAre) {
  const std::string hostile = "a\"]},\n[{\\\x01\xff\xc3\x28 \xf0\x9f\x90\x8d </script>";
  {
    const TraceFile file(path_, hostile, Said());
    TraceProcess(hostile);
    TraceSpan(hostile, TraceNow(), {{hostile, std::string_view(hostile)}, {"inf", 1.0 / 0.0}});
    TraceSpanIn(hostile + "2", "inside", TraceNow());
    TraceCounter(hostile, 0.0 / 0.0);
  }
  const std::string shown = "a\"]},\n[{\\\x01\xef\xbf\xbd\xef\xbf\xbd( \xf0\x9f\x90\x8d </script>";
  const Json spans = Spans(shown);
  ASSERT_EQ(spans.size(), 1);
  EXPECT_EQ(spans[0]["args"][shown], shown);
  EXPECT_TRUE(spans[0]["args"]["inf"].is_null());
  EXPECT_TRUE(Rows().contains(shown));
  EXPECT_EQ(Spans("inside")[0]["tid"], Rows()[shown + "2"]);
  // Each event has its line.
  const std::string text = Text();
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(text, '\n')), Events().size() + 2);
}

TEST_F(TraceTest, CostsNothingAndFailsNothingWhenThereIsNone) {
  EXPECT_FALSE(IsTraced());
  EXPECT_EQ(TraceNow(), TraceTime());
  TraceSpan("none", TraceNow());
  TraceCounter("none", 1);
  { const TraceFile none("", "judge", Said()); }
  EXPECT_TRUE(said_.empty());
  {
    const TraceFile file("/no/such/folder/trace.json", "judge", Said());
    EXPECT_FALSE(IsTraced());
  }
  ASSERT_EQ(said_.size(), 1);
  EXPECT_NE(said_[0].find("'/no/such/folder/trace.json' cannot be written: No such file"),
            std::string::npos)
      << said_[0];
  {
    const TraceFile file("/dev/full", "judge", Said());
    TraceSpan("lost", TraceNow());
  }
  ASSERT_EQ(said_.size(), 2);
  EXPECT_NE(said_[1].find("No space left"), std::string::npos) << said_[1];
  {
    const TraceFile file(path_, "judge", Said());
    const TraceFile second(path_ + "2", "judge", Said());
    EXPECT_TRUE(IsTraced());
  }
  EXPECT_EQ(said_.size(), 3);
  EXPECT_FALSE(Events().empty());
}

/// A span that began before the trace, or without one, is none.
TEST_F(TraceTest, HasNothingFromBeforeIt) {
  const TraceTime before = TraceNow(), real = std::chrono::steady_clock::now();
  {
    const Doing outer(Activity::kDescend);
    const TraceFile file(path_, "judge", Said());
    TraceSpan("before", before);
    TraceSpan("real", real);
    const Doing inner(Activity::kLook);
    Sleep(200);
  }
  EXPECT_TRUE(Spans("before").empty());
  EXPECT_TRUE(Spans("real").empty());
  EXPECT_TRUE(Spans("descend").empty());
}

TEST_F(TraceTest, ThreadsOfAKindShareRowsOneAfterTheOther) {
  {
    const TraceFile file(path_, "judge", Said());
    for (int round = 0; round < 3; ++round) {
      std::vector<std::thread> threads;
      std::barrier both(2);  // At once.
      for (int i = 0; i < 2; ++i) {
        threads.emplace_back([&both] {
          const Doing compile(Activity::kCompile);
          both.arrive_and_wait();
          Sleep(200);
        });
      }
      for (std::thread& thread : threads) thread.join();
    }
    std::thread lane([] {
      TraceThread("gpu 3");
      TraceThreadKind("compiler");  // It has a name.
      TraceSpan("measured", TraceNow());
    });
    lane.join();
    TraceSpanIn("gpu 3", "judged", TraceNow());
  }
  std::map<std::string, int> rows = Rows();
  EXPECT_EQ(rows.size(), 4) << Events().dump(1);
  EXPECT_TRUE(rows.contains("compiler 1") && rows.contains("compiler 2") && rows.contains("judge"));
  EXPECT_EQ(Spans("compile").size(), 6);
  EXPECT_EQ(Spans("measured")[0]["tid"], rows["gpu 3"]);
  EXPECT_EQ(Spans("judged")[0]["tid"], rows["gpu 3"]);
  for (const Json& span : Spans("compile")) {
    const double begin = span["ts"];
    for (const Json& other : Spans("compile")) {
      if (other == span || other["tid"] != span["tid"]) continue;
      const double ends = other["ts"].get<double>() + other["dur"].get<double>();
      EXPECT_TRUE(begin >= ends || other["ts"] > begin) << span << other;
    }
  }
}

TEST_F(TraceTest, ScopesAreSpansAndShortOnesAreCounted) {
  {
    const TraceFile file(path_, "judge", Said());
    const Doing descend(Activity::kDescend);
    for (int i = 0; i < 50; ++i) const Doing look(Activity::kLook);
    {
      const Doing lower(Activity::kLower);
      Sleep(2000);
    }
    Doing time(Activity::kTime);
    Sleep(3000);
    time.Move(Activity::kCheck, 0.001);
  }
  const Json descend = Spans("descend"), lower = Spans("lower"), time = Spans("time");
  ASSERT_EQ(descend.size(), 1);
  ASSERT_EQ(lower.size(), 1);
  EXPECT_GT(descend[0]["args"]["look_us"], 0);
  EXPECT_LE(descend[0]["args"]["look_us"], descend[0]["dur"]);
  EXPECT_EQ(time[0]["args"], Json::parse(R"({"check_us": 1000.0})"));
  EXPECT_GE(lower[0]["ts"], descend[0]["ts"]);
}

/// What the header promises of a process that is killed.
TEST_F(TraceTest, WhatIsThereOfAKilledProcessParsesWithABracket) {
  const ::pid_t child = ::fork();
  if (child == 0) {
    const TraceFile file(path_, "judge", [](const std::string&) {});
    for (std::uint64_t i = 0;; ++i) TraceSpan("evaluation", TraceNow(), {{"n", i}});
  }
  while (!std::filesystem::exists(path_) || std::filesystem::file_size(path_) < 200'000) {
    Sleep(1000);
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_FALSE(Text().ends_with("]\n"));
  EXPECT_GT(Spans("evaluation").size(), 100);
}

TEST_F(TraceTest, CountsWhatDoesNotFit) {
  constexpr int kEvents = 20'000;
  {
    const TraceFile file(path_, "judge", Said());
    const std::string text(500, 'x');
    for (int i = 0; i < kEvents; ++i) {
      TraceSpan("span", TraceNow(), {{"text", std::string_view(text)}});
    }
  }
  const Json events = Events();
  const std::uint64_t left_out = events.back()["args"]["left out"];
  EXPECT_EQ(Spans("span").size() + left_out, kEvents);
}

TEST(EventRing, HandsTextsOnWholeAndInOrder) {
  const auto ring = std::make_unique<EventRing>();
  constexpr int kTexts = 200'000;
  std::thread writer([&ring] {
    for (int i = 0; i < kTexts;) {
      if (ring->Push(std::to_string(i) + "\n")) ++i;
    }
  });
  std::string all;
  while (!all.ends_with(std::to_string(kTexts - 1) + "\n")) ring->Take(all);
  writer.join();
  std::istringstream lines(all);
  int expected = 0;
  for (int number; lines >> number; ++expected) ASSERT_EQ(number, expected);
  EXPECT_EQ(expected, kTexts);
  EXPECT_FALSE(ring->Push(std::string(EventRing::kBytes + 1, 'x')));
  EXPECT_TRUE(ring->Push(std::string(EventRing::kBytes, 'x')));
  EXPECT_FALSE(ring->Push("y"));
}

}  // namespace
}  // namespace exh

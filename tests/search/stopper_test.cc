// SPDX-License-Identifier: MIT
#include "search/run/stopper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <limits>

#include "base/error.h"
#include "base/system/signals.h"
#include "tests/search/temp_folder.h"

namespace exh::search {
namespace {

using testing::HasSubstr;

TEST(TimeStopper, EndsWhenTheTimeIsUsedUp) {
  double now = 100;
  const auto stopper = ParseBudget("2m", [&] { return now; });
  EXPECT_EQ(stopper->Reason({}), std::nullopt);
  now = 219.9;
  EXPECT_EQ(stopper->Reason({}), std::nullopt);
  now = 220;
  EXPECT_EQ(stopper->Reason({}), "budget:time");
  EXPECT_EQ(stopper->EvaluationsLeft({}), std::nullopt);
}

TEST(ParseBudget, ANumberWithoutAUnitIsRefused) {
  for (const char* bare : {"5", "0.5", "60"}) {
    EXPECT_THAT(Thrown<UsageError>([&] { ParseBudget(bare, SteadyClock()); }),
                HasSubstr(std::string("it has no unit, as ") + bare + "s and "));
  }
}

TEST(TimeStopper, KnowsWhatIsLeft) {
  double now = 100;
  const Clock clock = [&] { return now; };
  AnyStopper any;
  any.Add(ParseBudget("evals=3", clock));
  EXPECT_EQ(any.SecondsLeft(), std::numeric_limits<double>::infinity());
  any.Add(ParseBudget("90s", clock));
  any.Add(ParseBudget("2m", clock));
  now = 130;
  EXPECT_EQ(any.SecondsLeft(), 60);
  now = 300;
  EXPECT_EQ(any.SecondsLeft(), 0);
}

TEST(EvaluationsStopper, CountsDown) {
  const auto stopper = ParseBudget("evals=3", SteadyClock());
  EXPECT_EQ(stopper->Reason({2}), std::nullopt);
  EXPECT_EQ(stopper->EvaluationsLeft({2}), 1u);
  EXPECT_EQ(stopper->Reason({3}), "budget:evals");
  EXPECT_EQ(stopper->EvaluationsLeft({5}), 0u);
}

TEST(AnyStopper, EndsWithTheFirst) {
  double now = 0;
  const Clock clock = [&] { return now; };
  std::atomic<bool> raised = false;
  AnyStopper any;
  EXPECT_EQ(any.Reason({1000000}), std::nullopt);
  any.Add(std::make_unique<SignalStopper>(&raised));
  any.Add(ParseBudget("90s", clock));
  any.Add(ParseBudget("evals=10", clock));
  any.Add(ParseBudget("evals=7", clock));
  EXPECT_EQ(any.Reason({6}), std::nullopt);
  EXPECT_EQ(any.EvaluationsLeft({6}), 1u);
  EXPECT_EQ(any.Reason({7}), "budget:evals");
  now = 90;
  EXPECT_EQ(any.Reason({6}), "budget:time");
  raised = true;
  EXPECT_EQ(any.Reason({6}), "signal");
}

TEST(ParseBudget, SaysWhatIsLegal) {
  for (const char* bad : {"", "s", "abc", "10x", "-5s", "0", "0s", "evals=", "evals=0", "evals=x",
                          "eval=5", "1e400h", "60", "0.5"}) {
    const std::string message = Thrown<UsageError>([&] { ParseBudget(bad, SteadyClock()); });
    EXPECT_THAT(message, HasSubstr("evals=500")) << bad;
    EXPECT_THAT(message, HasSubstr(std::string("'") + bad + "'"));
  }
  for (const char* good : {"60s", "1.5m", "2h", "evals=1"}) {
    EXPECT_NE(ParseBudget(good, SteadyClock()), nullptr) << good;
  }
}

TEST(ParseStop, EndsByWhatASearchHasFound) {
  const auto reason = [](const char* text, const Progress& progress) {
    return ParseStop(text)->Reason(progress);
  };
  EXPECT_EQ(reason("gap=10%", {.best_ns = 100, .bound_ns = 90}), "stop:gap");
  EXPECT_EQ(reason("gap=10%", {.best_ns = 100, .bound_ns = 89}), std::nullopt);
  EXPECT_EQ(reason("gap=10%", {.best_ns = 100}), std::nullopt);  // No bound.
  EXPECT_EQ(reason("gap=10%", {.bound_ns = 90}), std::nullopt);  // No best.
  EXPECT_EQ(reason("stale=30", {.evaluations = 100, .stale = 30}), "stop:stale");
  EXPECT_EQ(reason("stale=30", {.evaluations = 100, .stale = 29}), std::nullopt);
  EXPECT_EQ(reason("bound=1.5us", {.best_ns = 1500}), "stop:bound");
  EXPECT_EQ(reason("bound=1.5us", {.best_ns = 1501}), std::nullopt);
  EXPECT_EQ(reason("bound=1.5us", {}), std::nullopt);
}

TEST(ParseStop, SaysWhatIsLegal) {
  for (const char* bad : {"", "gap", "gap=10", "gap=-1%", "gap=100%", "stale=0", "stale=x",
                          "bound=12", "bound=0us", "bound=us", "gpa=10%"}) {
    const std::string message = Thrown<UsageError>([&] { ParseStop(bad); });
    EXPECT_THAT(message, HasSubstr("gap=10%, stale=3000, bound=12us")) << bad;
    EXPECT_THAT(message, HasSubstr(std::string("'") + bad + "'"));
  }
}

/// Raises both; what the first does shows in the exit code when the second does not kill.
[[noreturn]] void RaiseTwo(int first, int second) {
  const std::atomic<bool>& interrupted = ListenForSignals();
  if (interrupted) std::_Exit(1);
  std::raise(first);
  if (!interrupted) std::_Exit(2);
  std::raise(second);
  std::_Exit(3);
}

TEST(Signals, TheFirstRaisesTheFlagAndTheSecondKills) {
  for (const int first : {SIGINT, SIGTERM, SIGHUP}) {
    for (const int second : {SIGINT, SIGTERM}) {
      EXPECT_EXIT(RaiseTwo(first, second), testing::KilledBySignal(second), "");
    }
  }
  EXPECT_EXIT(RaiseTwo(SIGINT, SIGHUP), testing::KilledBySignal(SIGHUP), "");
}

TEST(Signals, ATerminalMaySayTwiceThatItIsGone) {
  EXPECT_EXIT(RaiseTwo(SIGHUP, SIGHUP), testing::ExitedWithCode(3), "");
}

TEST(Signals, WhatNohupIgnoresStaysIgnored) {
  EXPECT_EXIT(
      {
        std::signal(SIGHUP, SIG_IGN);
        RaiseTwo(SIGHUP, SIGHUP);
      },
      testing::ExitedWithCode(2), "");
}

}  // namespace
}  // namespace exh::search

// SPDX-License-Identifier: MIT
#include "base/activity.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace exh {
namespace {

double Of(Activity activity) {
  return SecondsOfActivities()[static_cast<std::size_t>(activity)];
}

void Sleep(int ms) {
  std::this_thread::sleep_for(std::chrono::milliseconds(ms));
}

TEST(Doing, CountsWhatIsInsideForTheInnerOne) {
  const double look = Of(Activity::kLook), lower = Of(Activity::kLower);
  {
    const Doing outer(Activity::kLook);
    Sleep(5);
    {
      const Doing inner(Activity::kLower);
      Sleep(20);
    }
    // Over, and counted; the outer one is counted up to the inner one's end.
    EXPECT_GE(Of(Activity::kLower) - lower, 0.02);
    EXPECT_GE(Of(Activity::kLook) - look, 0.005);
    Sleep(5);
  }
  EXPECT_GE(Of(Activity::kLook) - look, 0.01);
  const double after = Of(Activity::kLook);
  Sleep(2);  // In no scope.
  EXPECT_EQ(Of(Activity::kLook), after);
}

TEST(Doing, AddsUpThreads) {
  const double before = Of(Activity::kCompile);
  const auto work = [] {
    const Doing compile(Activity::kCompile);
    Sleep(20);
  };
  std::thread one(work), other(work);
  one.join();
  other.join();
  EXPECT_GE(Of(Activity::kCompile) - before, 0.04);
}

TEST(Doing, MovesWhatIsFoundOutLater) {
  const double time = Of(Activity::kTime), check = Of(Activity::kCheck);
  {
    Doing doing(Activity::kTime);
    Sleep(5);
    doing.Move(Activity::kCheck, 0.004);
  }
  EXPECT_NEAR(Of(Activity::kCheck) - check, 0.004, 1e-9);
  EXPECT_GE(Of(Activity::kTime) - time, 0.001);
}

}  // namespace
}  // namespace exh

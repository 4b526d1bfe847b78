// SPDX-License-Identifier: MIT
#include "base/beside.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <thread>
#include <vector>

namespace exh {
namespace {

TEST(Beside, TakesItemsInTheirOrder) {
  std::vector<int> taken;
  Beside<int> beside([&](int& item) { taken.push_back(item); });
  std::vector<int> given(1000);
  std::iota(given.begin(), given.end(), 0);
  for (const int item : given) beside.Give(item);
  beside.Await();
  EXPECT_EQ(taken, given);
}

TEST(Beside, GoesOnWhileItWorks) {
  std::atomic<bool> may_end = false;
  std::atomic<int> done = 0;
  Beside<int> beside([&](int&) {
    while (!may_end) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ++done;
  });
  for (int i = 0; i < 3; ++i) beside.Give(i);
  EXPECT_EQ(done, 0);  // And yet Give() returned.
  may_end = true;
  beside.Await();
  EXPECT_EQ(done, 3);
}

TEST(Beside, DropsWhatWaitsWhenItEnds) {
  std::atomic<int> done = 0;
  {
    Beside<int> beside([&](int&) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      ++done;
    });
    for (int i = 0; i < 1000; ++i) beside.Give(i);
  }
  EXPECT_LT(done, 100);
}

}  // namespace
}  // namespace exh

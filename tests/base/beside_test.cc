// SPDX-License-Identifier: MIT
#include "base/beside.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <stdexcept>
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

TEST(Beside, SaysWhatWasThrown) {
  std::atomic<int> done = 0;
  Beside<int> beside([&](int& item) {
    if (item == 1) throw std::runtime_error("one");
    ++done;
  });
  beside.Give(1);
  EXPECT_THROW(beside.Await(), std::runtime_error);
  beside.Give(2);
  beside.Await();
  EXPECT_EQ(done, 1);
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

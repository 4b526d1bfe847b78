// SPDX-License-Identifier: MIT
#include "search/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>

namespace exh::search {
namespace {

TEST(RunInParallel, DoesEverythingOnce) {
  for (const int jobs : {1, 4, 100}) {
    std::mutex mutex;
    std::multiset<std::size_t> done;
    RunInParallel(37, jobs, [&](std::size_t index) {
      const std::lock_guard<std::mutex> lock(mutex);
      done.insert(index);
      return true;
    });
    EXPECT_EQ(done.size(), 37u);
    EXPECT_EQ(std::set<std::size_t>(done.begin(), done.end()).size(), 37u);
  }
  RunInParallel(0, 4, [](std::size_t) -> bool { throw std::runtime_error("nothing to do"); });
}

TEST(RunInParallel, StopsWhenTold) {
  int done = 0;
  RunInParallel(10, 1, [&](std::size_t) { return ++done < 3; });
  EXPECT_EQ(done, 3);
}

TEST(RunInParallel, ThrowsAgain) {
  EXPECT_THROW(RunInParallel(10, 3,
                             [](std::size_t index) -> bool {
                               if (index == 4) throw std::runtime_error("four");
                               return true;
                             }),
               std::runtime_error);
}

}  // namespace
}  // namespace exh::search

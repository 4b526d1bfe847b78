// SPDX-License-Identifier: MIT
#include "base/parallel.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>

namespace exh {
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

TEST(Parallel, CoresAreThoseThatTheProcessMayUse) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  EXPECT_EQ(NumCores(), CPU_COUNT(&before));
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int core = 0; core < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++core) {
    if (CPU_ISSET(core, &before)) CPU_SET(core, &one);
  }
  ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  EXPECT_EQ(NumCores(), 1);
  ASSERT_EQ(sched_setaffinity(0, sizeof(before), &before), 0);
}

}  // namespace
}  // namespace exh

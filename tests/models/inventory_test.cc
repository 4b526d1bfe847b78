// SPDX-License-Identifier: MIT
//
// What compilers may share or leave out does not count, so that no bound is above a time.
#include "models/inventory/inventory.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/models/bounded.h"

namespace exh::models {
namespace {

struct Counted {
  std::size_t arrays_read = 0, accesses = 0, computations = 0;
};

Counted CountedOf(const std::string& statement) {
  search::ProblemOptions options;
  options.compute = statement;
  options.size = "i=64";
  options.device = "h200";
  const search::Problem problem = search::MakeProblem(options);
  const Inventory inventory =
      TakeInventory(*problem.task.function, RatesOf(problem), CacheState::kWarm);
  Counted counted;
  for (const ArrayUse& use : inventory.arrays) {
    counted.arrays_read += use.is_read ? 1 : 0;
    counted.accesses += use.is_read ? use.accesses.size() : 0;
  }
  counted.computations = inventory.computations.size();
  return counted;
}

TEST(Inventory, CountsLoadsAndOperations) {
  const Counted counted = CountedOf("y[i] = x[i] + z[i]");
  EXPECT_EQ(counted.arrays_read, 2U);
  EXPECT_EQ(counted.accesses, 2U);
  EXPECT_EQ(counted.computations, 1U);
}

TEST(Inventory, CountsOneLoadOfAnArrayThatIsReadApart) {
  // In a loop that is unrolled x[i + 1] of one copy is x[i] of the next, and so are the sums.
  const Counted counted = CountedOf("y[i] = (x[i] + x[i + 1]) + (x[i + 1] + x[i + 2])");
  EXPECT_EQ(counted.arrays_read, 1U);
  EXPECT_EQ(counted.accesses, 1U);
  EXPECT_EQ(counted.computations, 0U);
}

TEST(Inventory, LeavesOutWhatStandsTwice) {
  EXPECT_EQ(CountedOf("y[i] = (x[i] + z[i]) * (x[i] + z[i])").computations, 1U);
}

TEST(Inventory, LeavesOutWhatAConditionPicks) {
  const Counted counted = CountedOf("y[i] = c[i] < 0 ? x[i] + z[i] : 1");
  EXPECT_EQ(counted.arrays_read, 1U);
  EXPECT_EQ(counted.computations, 0U);
}

TEST(Inventory, LeavesOutAProductThatADifferenceMayTakeOver) {
  EXPECT_EQ(CountedOf("y[i] = x[i] * z[i] - c[i]").computations, 0U);
}

}  // namespace
}  // namespace exh::models

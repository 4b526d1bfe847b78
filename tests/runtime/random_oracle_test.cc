// SPDX-License-Identifier: MIT
//
// Random small spaces against the brute-force oracle. EXH_RANDOM_SPACES=100000 looks at more of
// them, EXH_RANDOM_SEED=n starts at another one.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "tests/support/drive.h"
#include "tests/support/oracle.h"
#include "tests/support/random_space.h"

namespace exh::tests {
namespace {

std::size_t FromEnvironment(const char* name, std::size_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

TEST(RandomSpaces, AgreeWithTheOracle) {
  const std::size_t spaces = FromEnvironment("EXH_RANDOM_SPACES", 500);
  constexpr std::uint64_t kMaxAssignments = 3000;
  std::size_t driven = 0, with_solutions = 0, implementations = 0, dead_ends = 0;
  for (std::uint64_t seed = FromEnvironment("EXH_RANDOM_SEED", 1); driven < spaces && !HasFailure();
       ++seed) {
    const TestSpace test = RandomSpace(seed);
    if (Oracle(test.space, test.host).NumAssignments(kMaxAssignments) > kMaxAssignments) continue;
    const DriveResult result = DriveAgainstOracle(test, "random space", seed, 8);
    ++driven;
    with_solutions += result.solutions > 0;
    implementations += result.implementations;
    dead_ends += result.dead_ends;
  }
  std::printf("%zu spaces, %zu with implementations, %zu reached, %zu dead ends\n", driven,
              with_solutions, implementations, dead_ends);
  // The sample is no test when it is empty.
  EXPECT_GT(with_solutions, driven / 3);
  EXPECT_GT(dead_ends, driven / 20);
}

}  // namespace
}  // namespace exh::tests

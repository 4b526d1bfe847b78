// SPDX-License-Identifier: MIT
//
// Random small spaces with integer terms and long decisions against the brute-force oracle, and the
// states that two orders of the same decisions end in. EXH_RANDOM_SPACES=1000 looks at more of
// them, EXH_RANDOM_SEED=n starts at another one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "runtime/candidate.h"
#include "tests/support/drive.h"
#include "tests/support/random_terms.h"
#include "tests/support/restriction.h"

namespace exh::tests {
namespace {

using runtime::Action;
using runtime::Candidate;
using runtime::DecisionId;
using runtime::Instance;
using runtime::Propagation;

std::size_t FromEnvironment(const char* name, std::size_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// Of every twentieth space the oracle has much to enumerate.
std::uint64_t MostAssignments(std::uint64_t seed) {
  return seed % 20 == 0 ? 30'000 : 2'000;
}

bool HasLongDecisions(const Instance& instance) {
  for (DecisionId d = 0; d < instance.num_decisions(); ++d) {
    if (instance.IsLong(d)) return true;
  }
  return false;
}

TEST(RandomTermSpaces, AgreeWithTheOracle) {
  const std::size_t spaces = FromEnvironment("EXH_RANDOM_SPACES", 200);
  const std::uint64_t first = FromEnvironment("EXH_RANDOM_SEED", 1);
  std::size_t with_solutions = 0, with_long = 0, implementations = 0, dead_ends = 0;
  for (std::uint64_t seed = first; seed < first + spaces && !HasFailure(); ++seed) {
    const TestSpace test = RandomTermSpace(seed, MostAssignments(seed));
    const DriveResult result = DriveAgainstOracle(test, "random space with terms", seed, 6);
    with_solutions += result.solutions > 0;
    with_long += HasLongDecisions(*Instance::Freeze(test.space, test.host));
    implementations += result.implementations;
    dead_ends += result.dead_ends;
  }
  std::printf(
      "%zu spaces, %zu with implementations, %zu with long decisions, %zu implementations "
      "reached, %zu dead ends\n",
      spaces, with_solutions, with_long, implementations, dead_ends);
  // The sample is no test when it is empty.
  EXPECT_GT(with_solutions, spaces / 2);
  EXPECT_GT(with_long, spaces / 5);
  EXPECT_GT(dead_ends, spaces / 20);
}

/// Restrictions that lead to an implementation, and in any order to the same state after each set
/// of them: one of two orders is the one in which they were found.
TEST(RandomTermSpaces, DoNotDependOnTheOrderOfDecisions) {
  std::size_t compared = 0;
  for (std::uint64_t seed = 5001; seed <= 5060 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const TestSpace test = RandomTermSpace(seed);
    const auto instance = Instance::Freeze(test.space, test.host);
    if (instance->root_result() == Propagation::kDeadEnd) continue;
    std::mt19937_64 random(seed);
    const Candidate root(instance);
    Candidate forwards = root;
    std::vector<Action> actions;
    for (bool dead = false; !dead;) {
      std::vector<DecisionId> open;
      for (DecisionId d = 0; d < instance->num_decisions(); ++d) {
        if (forwards.IsOpen(d)) open.push_back(d);
      }
      if (open.empty()) break;
      const auto step = RandomRestriction(forwards, open[random() % open.size()], random);
      const Candidate before = forwards;
      dead = forwards.Restrict(step) == Propagation::kDeadEnd;
      if (dead) {
        forwards = before;
      } else {
        actions.insert(actions.end(), step.begin(), step.end());
      }
    }
    if (actions.size() < 2) continue;
    for (int order = 0; order < 4; ++order) {
      std::shuffle(actions.begin(), actions.end(), random);
      Candidate other = root;
      for (const Action& action : actions) {
        ASSERT_EQ(other.Restrict(action), Propagation::kFixpoint)
            << ActionText(*instance, action) << " is a dead end in one order only";
      }
      ASSERT_EQ(other.state(), forwards.state());
      ++compared;
    }
  }
  EXPECT_GT(compared, 60u);
}

}  // namespace
}  // namespace exh::tests

// SPDX-License-Identifier: MIT
//
// The space of lift.exh against brute force over all assignments of codes, on small random trees.
// EXH_LIFT_TREES=1000 looks at more of them.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "examples/all.h"
#include "examples/example.h"
#include "search/exact/exact_count.h"
#include "tests/lift/brute_force.h"

namespace exh::tests {
namespace {

using runtime::Candidate;
using runtime::Propagation;
using Switches = std::map<std::string, int>;

std::shared_ptr<const runtime::Instance> FreezeTree(const Tree& tree, const Switches& switches) {
  examples::Parameters parameters;
  for (const auto& [name, value] : switches) parameters[name] = value;
  const std::string json = Json(tree);
  return examples::Freeze(examples::LiftExample(), parameters, &json);
}

search::BigCount ExactCountOf(const Tree& tree, const Switches& switches) {
  const auto instance = FreezeTree(tree, switches);
  if (instance->root_result() == Propagation::kDeadEnd) return 0;
  search::ExactCounter counter(instance, {});
  const search::ExactCount count = counter.Count(Candidate(instance));
  EXPECT_TRUE(count.complete);
  return count.count;
}

Switches RandomSwitches(Random& random) {
  Switches switches = DefaultSwitches();
  switches["strict"] = static_cast<int>(random.Below(2));
  switches["through_fused"] = static_cast<int>(random.Below(2));
  switches["whole_nest"] = static_cast<int>(random.Below(2));
  for (const char* name : kRuleNames) switches[name] = random.Below(5) == 0 ? 0 : 1;
  return switches;
}

std::string Text(const Switches& switches) {
  std::string text;
  for (const auto& [name, value] : switches) text += name + "=" + std::to_string(value) + " ";
  return text;
}

int NumTrees() {
  const char* const more = std::getenv("EXH_LIFT_TREES");
  return more == nullptr ? 60 : std::atoi(more);
}

/// Mostly small ones: brute force over six maps looks at 1.8 million assignments.
int SizeOf(std::uint64_t seed) {
  if (seed % 30 == 0) return 6;
  if (seed % 10 == 0) return 5;
  return static_cast<int>(2 + seed % 3);
}

void ExpectSameCounts(const Tree& tree, Random& random) {
  const auto all = AllViolations(tree);
  for (int setting = 0; setting < 5; ++setting) {
    Switches switches = setting == 0 ? DefaultSwitches() : RandomSwitches(random);
    EXPECT_EQ(ExactCountOf(tree, switches), CountValid(all, Forbidden(switches)))
        << Text(switches) << Json(tree);
  }
}

TEST(LiftCount, IsThatOfBruteForce) {
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(NumTrees()); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    ExpectSameCounts(RandomTree(SizeOf(seed), random), random);
    if (HasFailure()) return;
  }
}

TEST(LiftCount, IsThatOfBruteForceForMutatedTrees) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    Tree tree = RandomTree(4, random);
    for (int mutation = 0; mutation < 5; ++mutation) {
      tree = Mutated(std::move(tree), random);
      ExpectSameCounts(tree, random);
      if (HasFailure()) return;
    }
  }
}

TEST(LiftCount, DependsOnNoNameAndNoOrder) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const Tree tree = RandomTree(static_cast<int>(5 + seed % 4), random);
    const Switches switches = RandomSwitches(random);
    const search::BigCount count = ExactCountOf(tree, switches);
    for (int renamed = 0; renamed < 3; ++renamed) {
      const Tree other = Renamed(tree, random);
      EXPECT_EQ(ExactCountOf(other, switches), count)
          << Text(switches) << Json(tree) << Json(other);
    }
  }
}

/// Each rule, and each switch, refuses something that nothing else refuses.
TEST(LiftCount, ChangesWithEveryRule) {
  std::set<std::string> changed;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Random random(seed);
    const Tree tree = RandomTree(4, random);
    const search::BigCount all_rules = ExactCountOf(tree, DefaultSwitches());
    for (const auto& [name, value] : DefaultSwitches()) {
      Switches other = DefaultSwitches();
      other[name] = 1 - value;
      const search::BigCount count = ExactCountOf(tree, other);
      if (value == 1) {
        EXPECT_GE(count, all_rules) << name << ", seed " << seed;
      } else {
        EXPECT_LE(count, all_rules) << name << ", seed " << seed;
      }
      if (count != all_rules) changed.insert(name);
    }
  }
  for (const auto& [name, value] : DefaultSwitches()) EXPECT_TRUE(changed.contains(name)) << name;
}

/// Not only as many, but the same ones.
TEST(LiftMappings, AreValidForTheEngineWhenTheyAreForBruteForce) {
  int valid = 0, refused = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const Tree tree = RandomTree(3, random);
    const Switches switches = RandomSwitches(random);
    const std::uint32_t forbidden = Forbidden(switches);
    const auto instance = FreezeTree(tree, switches);
    const Candidate root(instance);
    for (int assignment = 0; assignment < 12 * 12 * 12; ++assignment) {
      const std::vector<int> values = {assignment % 12, assignment / 12 % 12, assignment / 144};
      Codes codes;
      std::vector<runtime::Action> actions;
      for (std::size_t node = 0; node < values.size(); ++node) {
        const auto value = static_cast<std::size_t>(values[node]);
        codes.push_back(kAllCodes[value]);
        const auto object = static_cast<runtime::Object>(node);
        const auto decision = instance->FindDecision(instance->FindChoice("code"), {&object, 1});
        actions.push_back(runtime::Action::Take(decision->id, values[node]));
      }
      bool is_valid = instance->root_result() == Propagation::kFixpoint;
      Candidate candidate = root;
      if (is_valid) {
        is_valid = candidate.Restrict(actions) == Propagation::kFixpoint;
        // All else follows from the codes.
        if (is_valid) {
          EXPECT_TRUE(candidate.IsImplementation()) << Json(tree);
        }
      }
      const std::uint32_t violations = Violations(tree, codes);
      ASSERT_EQ(is_valid, (violations & forbidden) == 0)
          << "assignment " << assignment << " violates " << violations << " of " << forbidden << " "
          << Text(switches) << Json(tree);
      ++(is_valid ? valid : refused);
    }
  }
  std::printf("%d mappings are valid, %d refused\n", valid, refused);
  EXPECT_GT(valid, 100);
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace exh::tests

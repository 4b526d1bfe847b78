// SPDX-License-Identifier: MIT
//
// The rules spelled out for a tree (search/functional/joint_space.h) against lift.exh, on random
// trees under random rules.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "examples/lift/trees.h"
#include "functional/lift/judge.h"
#include "functional/lift/tree_file.h"
#include "search/exact/exact_count.h"
#include "search/functional/joint_space.h"
#include "tests/lift/brute_force.h"

namespace exh::tests {
namespace {

search::BigCount CountOf(const std::shared_ptr<const runtime::Instance>& instance) {
  if (instance->root_result() == runtime::Propagation::kDeadEnd) return 0;
  search::ExactCounter counter(instance, {});
  const search::ExactCount count = counter.Count(runtime::Candidate(instance));
  EXPECT_TRUE(count.complete);
  return count.count;
}

search::BigCount JointCount(const std::string& constraints, const std::vector<lift::Map>& maps,
                            const lift::Rules& rules) {
  try {
    return CountOf(search::FreezeJoint(constraints, lift::MakeProgram(maps, rules)));
  } catch (const UsageError&) {
    return 0;  // Nothing fulfils it.
  }
}

lift::Rules RandomRules(Random& random) {
  lift::Rules rules;
  rules.strict = random.Below(2) == 0;
  rules.through_fused = random.Below(2) == 0;
  rules.whole_nest = random.Below(2) == 0;
  for (const lift::LiftRule& rule : lift::kRules) rules.*rule.holds = random.Below(5) != 0;
  return rules;
}

TEST(JointCount, MappingsAreThoseOfLiftExh) {
  int some = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    const std::vector<lift::Map> maps =
        lift::ReadTree(Json(RandomTree(static_cast<int>(1 + seed % 6), random))).maps;
    const lift::Rules rules = seed % 3 == 0 ? lift::Rules() : RandomRules(random);
    const search::BigCount count = CountOf(lift::FreezeTree(maps, rules));
    EXPECT_EQ(JointCount("", maps, rules), count) << "seed " << seed;
    some += count > 0 ? 1 : 0;
  }
  EXPECT_GT(some, 40);
}

TEST(JointCount, MappingsAndParametersAreIndependent) {
  const std::vector<lift::Map> maps = lift::ReadTree(examples::ListingTree()).maps;
  const search::BigCount mappings = CountOf(lift::FreezeTree(maps, {}));
  const std::string constraints =
      "choice integer m(): 1 .. 6 end\nchoice integer n(): 1 .. 6 end\n"
      "require whole: m() % n() == 0\n";
  EXPECT_EQ(JointCount(constraints, maps, {}), 14 * mappings);
}

}  // namespace
}  // namespace exh::tests

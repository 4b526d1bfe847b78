// SPDX-License-Identifier: MIT
//
// What implementations consist of: in a real space, where communications may go through memory or
// not, and in one without triggers.
#include "search/near/structure.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "kernels/task.h"
#include "models/inventory/domains.h"
#include "search/descend/patient_descent.h"
#include "search/log/decisions.h"
#include "tests/search/small_matmul.h"
#include "tests/search/toy_space.h"

namespace exh::search {
namespace {

/// Which temporary arrays an implementation has.
std::string BlocksOf(const Problem& problem, const runtime::Candidate& implementation) {
  models::Domains domains;
  models::ReadDomains(*problem.task.function, problem.task.decisions, implementation, domains);
  std::string blocks;
  for (const models::MemDomain& block : domains.blocks) {
    blocks += block.presence == models::Presence::kCertain ? 'x' : '-';
  }
  return blocks;
}

TEST(Structure, IsWhatTriggersAddedAndNothingElse) {
  const Problem problem = SmallMatmul();
  const runtime::Candidate root = problem.root();
  const ChoiceOrder order = ChoiceOrder::Default(root.instance());
  const Structure structure(root);
  std::map<std::string, std::set<std::uint64_t>> numbers;
  std::set<std::string> vectors;
  Random random(1);
  Guide uniform;
  for (int number = 0; number < 200; ++number) {
    const PatientDescent descent =
        DescendPatiently(root, order, Patience(), random, uniform, [](const DeadEnd&) {});
    if (descent.result != DescentResult::kImplementation) continue;
    const runtime::Candidate& found = descent.descender.candidate();
    numbers[BlocksOf(problem, found)].insert(structure.Of(found));
    vectors.insert(VectorText(found));
  }
  // Arrays for both operands, for one of them, and none.
  ASSERT_EQ(numbers.size(), 4u);
  EXPECT_GT(vectors.size(), 150u);
  std::set<std::uint64_t> all;
  for (const auto& [blocks, of_blocks] : numbers) {
    EXPECT_EQ(of_blocks.size(), 1u) << blocks;
    all.insert(of_blocks.begin(), of_blocks.end());
  }
  EXPECT_EQ(all.size(), 4u);
  EXPECT_EQ(numbers["--"], std::set<std::uint64_t>{0});
}

TEST(KnownStructures, ConfineTheRootToOneOfThem) {
  const Problem problem = SmallMatmul();
  const runtime::Candidate root = problem.root();
  const ChoiceOrder order = ChoiceOrder::Default(root.instance());
  const Structure structure(root);
  KnownStructures known(root);
  Random random(1);
  Guide uniform;
  const auto find_below = [&](const runtime::Candidate& start) {
    const PatientDescent descent =
        DescendPatiently(start, order, Patience(), random, uniform, [](const DeadEnd&) {});
    EXPECT_EQ(descent.result, DescentResult::kImplementation);
    return descent.descender.candidate();
  };
  std::map<std::uint64_t, runtime::Candidate> one_of_each;
  for (int number = 0; number < 100; ++number) {
    const runtime::Candidate found = find_below(root);
    one_of_each.emplace(known.Add(found), found);
  }
  ASSERT_EQ(one_of_each.size(), 4u);
  for (const auto& [of, implementation] : one_of_each) {
    const runtime::Candidate confined = known.Confined(of);
    for (int number = 0; number < 20; ++number) {
      EXPECT_EQ(structure.Of(find_below(confined)), of);
    }
    // Nothing of the structure is lost: what was found below the root is there.
    for (runtime::DecisionId d = 0; d < root.instance().num_decisions(); ++d) {
      if (!implementation.IsLive(d)) continue;
      EXPECT_TRUE(confined.MayTake(d, implementation.FirstValue(d))) << of << " " << d;
    }
    // Of the other structures all is.
    for (const auto& [of_other, other] : one_of_each) {
      runtime::Candidate both = confined;
      const runtime::Propagation result = both.Restrict(structure.ActionsOf(other));
      EXPECT_EQ(result == runtime::Propagation::kFixpoint, of_other == of);
    }
  }
  EXPECT_EQ(VectorText(known.Confined(12345)), VectorText(root)) << "nobody has added that one";
}

TEST(Structure, IsOneWhereThereAreNoTriggers) {
  const runtime::Candidate root = ToyRoot();
  EXPECT_EQ(Structure(root).Of(root), 0u);
}

}  // namespace
}  // namespace exh::search

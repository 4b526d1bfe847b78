// SPDX-License-Identifier: MIT
//
// Node counts: against a plain enumeration on the toy space, and the paper's four kernels against
// golden/paper_sizes.txt, which additions to the space must leave alone under `--space paper`.
// EXH_UPDATE_GOLDENS=1 writes the golden file anew. Depth 10: ./exh bench size.
#include "search/count/size.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "search/subject/problem.h"
#include "tests/search/toy_space.h"
#include "tests/support/tree.h"

namespace exh::search {
namespace {

using runtime::Candidate;

/// Level by level, all nodes of a level at once.
std::vector<LevelCount> PlainCount(const Candidate& root, const ChoiceOrder& order, int depth,
                                   const Cut& cut = {}) {
  std::vector<LevelCount> levels(static_cast<std::size_t>(depth) + 1);
  std::vector<Candidate> nodes = {root};
  for (std::size_t level = 0; level < levels.size(); ++level) {
    std::vector<Candidate> next;
    for (const Candidate& node : nodes) {
      ++levels[level].nodes;
      const auto decision = order.Next(node);
      if (!decision) ++levels[level].implementations;
      if (!decision || level + 1 == levels.size()) continue;
      std::size_t failed = 0, values = 0;
      node.ForEachValue(*decision, [&](int value) {
        Candidate child = node;
        ++values;
        if (child.Take(*decision, value) != runtime::Propagation::kFixpoint) {
          ++levels[level + 1].dead_ends;
          ++failed;
        } else if (cut.Removes(child, static_cast<int>(level) + 1)) {
          ++levels[level + 1].cut;
        } else {
          next.push_back(child);
        }
      });
      if (failed == values) ++levels[level].childless;
    }
    nodes = next;
  }
  return levels;
}

TEST(CountLevels, AgreesWithAPlainEnumeration) {
  const Candidate root = ToyRoot();
  for (const char* text : {"", "mode", "color,mode", "order"}) {
    const ChoiceOrder order = ChoiceOrder::Parse(text, root.instance());
    const std::vector<LevelCount> expected = PlainCount(root, order, 9);
    EXPECT_GT(expected[4].nodes, 10u);
    for (const int jobs : {1, 4}) {
      EXPECT_EQ(CountLevels(root, order, 9, jobs), expected) << text << ", jobs " << jobs;
    }
    for (const int depth : {0, 1, 3}) {
      EXPECT_EQ(CountLevels(root, order, depth, 1), PlainCount(root, order, depth));
    }
  }
}

TEST(CountLevels, CountsDeadEndsApart) {
  const Candidate root = ToyRoot();
  const ChoiceOrder order = ChoiceOrder::Parse("mode,color", root.instance());
  const std::vector<LevelCount> levels = CountLevels(root, order, 2, 1);
  EXPECT_EQ(levels[1], (LevelCount{2, 0, 0, 1}));
  // LOOSE leaves three colours; TIGHT none: both of its colours are dead ends.
  EXPECT_EQ(levels[2], (LevelCount{3, 2, 0}));
}

TEST(CountLevels, TheCutRemovesChildren) {
  const Candidate root = ToyRoot();
  for (const char* text : {"", "mode,color", "color,size"}) {
    const ChoiceOrder order = ChoiceOrder::Parse(text, root.instance());
    for (const int depth : {0, 2, 9}) {
      const Cut cut = {SumOfSizes, 6, depth};
      for (const int jobs : {1, 3}) {
        EXPECT_EQ(CountLevels(root, order, 9, jobs, {}, cut), PlainCount(root, order, 9, cut))
            << text << ", cut to depth " << depth;
      }
    }
    const Cut everywhere = {SumOfSizes, 6};
    EXPECT_EQ(Total(CountLevels(root, order, 9, 1, {}, everywhere)).implementations,
              static_cast<std::uint64_t>(kToyImplementationsToSix));
    const Cut no_bound = {{}, 0};
    EXPECT_EQ(CountLevels(root, order, 9, 1, {}, no_bound), PlainCount(root, order, 9));
  }
}

TEST(CountTree, CountsToTheEndUnlessThereAreTooManyNodes) {
  const Candidate root = ToyRoot();
  const ChoiceOrder order = ChoiceOrder::Default(root.instance());
  for (const int jobs : {1, 4}) {
    const std::vector<LevelCount> levels = CountTree(root, order, 1'000'000, jobs);
    EXPECT_EQ(Total(levels).implementations, static_cast<std::uint64_t>(kToyImplementations));
    const std::uint64_t nodes = Total(levels).nodes;
    EXPECT_EQ(CountTree(root, order, nodes, jobs), levels);
    EXPECT_TRUE(CountTree(root, order, nodes - 1, jobs).empty());
    EXPECT_TRUE(CountTree(root, order, nodes, jobs, [] { return true; }).empty());
  }
}

TEST(CountLevels, StopsWhenAsked) {
  const Candidate root = ToyRoot();
  const ChoiceOrder order = ChoiceOrder::Default(root.instance());
  EXPECT_TRUE(CountLevels(root, order, 9, 2, [] { return true; }).empty());
}

std::string Line(const std::string& kernel, const std::string& size, int depth) {
  ProblemOptions options;
  options.kernel = kernel;
  options.size = size;
  options.device = "k4000";
  options.space = "paper";
  const Candidate root = MakeProblem(options).root();
  const ChoiceOrder order = ChoiceOrder::Parse("paper", root.instance());
  std::string text = fmt::format("{} {}:", kernel, size);
  for (const LevelCount& level : CountLevels(root, order, depth, 2)) {
    text += fmt::format(" {}", level.nodes);
    if (level.dead_ends > 0) text += fmt::format("(-{})", level.dead_ends);
  }
  return text + "\n";
}

TEST(CountLevels, PaperKernels) {
  const std::string text =
      "# Nodes per level (dead ends in parentheses), device k4000, --order paper.\n" +
      Line("axpy", "n=67108864,inner_tile=4", 7) +
      Line("matmul", "m=256,n=256,k=32,inner_tile=4", 6) +
      Line("matmul", "m=1024,n=1024,k=1024,inner_tile=4", 6) +
      Line("matmul", "m=1024,n=1024,k=1024,a_stride=32,inner_tile=4", 6);
  const std::string path = std::string(kSourceDir) + "/tests/search/golden/paper_sizes.txt";
  if (std::getenv("EXH_UPDATE_GOLDENS") != nullptr) std::ofstream(path) << text;
  std::ostringstream golden;
  golden << std::ifstream(path).rdbuf();
  EXPECT_EQ(text, golden.str());
}

}  // namespace
}  // namespace exh::search

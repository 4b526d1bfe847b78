// SPDX-License-Identifier: MIT
//
// fused.exh over operators: what is decided is what runs, and whatever it is, it is right.
#include "kernels/fused/space/mapping_space.h"

#include <gtest/gtest.h>

#include <set>

#include "base/random.h"
#include "kernels/fused/code/code.h"
#include "kernels/fused/lower.h"
#include "kernels/loops/threads.h"
#include "tests/kernels/fused/operator_text.h"
#include "tests/kernels/fused/program_run.h"

namespace exh::kernels::fused {
namespace {

using testing::GraphOf;
using testing::OperatorJson;

/// An operator with its space.
struct Scene {
  explicit Scene(const nlohmann::json& text)
      : graph(GraphOf(text)),
        program(ProgramOf(StatementsOf(graph))),
        schedules(program, poly::DependenceKind::kValue),
        space(schedules, 4) {}

  const Graph graph;
  const OperatorProgram program;
  const Schedules schedules;
  const MappingSpace space;
};

nlohmann::json Transpose() {
  return OperatorJson({"x: float32 [64, 32]"},
                      {{"Transpose", {"x"}, "t: float32 [32, 64]", {{"perm", {1, 0}}}},
                       {"Exp", {"t"}, "y: float32 [32, 64]"}},
                      {"y"});
}

nlohmann::json Rows() {
  return OperatorJson(
      {"x: float16 [16, 32]"},
      {{"Cast", {"x"}, "c: float32 [16, 32]", {{"dst_type", "float32"}}},
       {"ReduceMax", {"c"}, "m: float32 [16, 1]", {{"axis", 1}, {"keep_dims", true}}},
       {"Sub", {"c", "m"}, "d: float32 [16, 32]"},
       {"ReduceSum", {"d"}, "s: float32 [32]", {{"axis", 0}}}},
      {"d", "s"});
}

/// An implementation at random; nothing: a dead end.
std::optional<runtime::Candidate> Draw(const MappingSpace& space, Random& random) {
  runtime::Candidate candidate(space.instance());
  while (!candidate.IsImplementation()) {
    std::vector<runtime::DecisionId> open;
    for (runtime::DecisionId decision = 0; decision < space.instance()->num_decisions();
         ++decision) {
      if (candidate.IsOpen(decision)) open.push_back(decision);
    }
    if (open.empty()) return std::nullopt;
    const runtime::DecisionId decision = open[random.Below(open.size())];
    std::vector<int> values;
    candidate.ForEachValue(decision, [&](int value) { values.push_back(value); });
    const int value = values[random.Below(values.size())];
    if (candidate.Take(decision, value) == runtime::Propagation::kDeadEnd) return std::nullopt;
  }
  return candidate;
}

TEST(FusedSpace, WhateverIsDecidedIsRight) {
  const Scene scenes[] = {Scene(Transpose()), Scene(Rows())};
  Random random(5);
  std::vector<testing::CpuProgram> programs;
  std::set<std::string> texts;
  int drawn = 0, tiled = 0, wide = 0, threads = 0;
  for (const Scene& scene : scenes) {
    for (int i = 0; i < 40; ++i) {
      const auto candidate = Draw(scene.space, random);
      if (!candidate) continue;
      ++drawn;
      const std::vector<NestNode> nests = scene.space.NestsOf(*candidate);
      const std::string text = CpuText(scene.program, nests).text;
      if (!texts.insert(text).second) continue;
      tiled += text.find("0t") != std::string::npos || text.find("1t") != std::string::npos;
      wide += text.find("simd") != std::string::npos;
      threads += text.find("parallel for") != std::string::npos;
      programs.push_back({"draw " + std::to_string(i), &scene.graph, &scene.program, text});
    }
  }
  EXPECT_GT(drawn, 60);  // Dead ends are rare.
  EXPECT_GT(texts.size(), 20u);
  EXPECT_GT(tiled, 0);
  EXPECT_GT(wide, 0);
  EXPECT_GT(threads, 0);
  testing::ExpectRight(programs);
}

// Vectors of processors may be wider than any access of a GPU is.
TEST(FusedSpace, OnGpusVectorsAreNoWiderThanAccesses) {
  const Scene scenes[] = {Scene(Transpose()), Scene(Rows())};
  Random random(6);
  int wider = 0, wide = 0;
  for (const Scene& scene : scenes) {
    for (int i = 0; i < 60; ++i) {
      const auto candidate = Draw(scene.space, random);
      if (!candidate) continue;
      for (const NestNode& nest : scene.space.NestsOf(*candidate)) {
        for (const NestNode* loop : loops::LoopsOf(nest)) wider += loop->mapping.vector > 4;
        const NestNode of_threads = loops::ForThreads(nest);
        for (const NestNode* loop : loops::LoopsOf(of_threads)) {
          EXPECT_LE(loop->mapping.vector, loop->facts.widest);
          if (loop->mapping.vector == 1) continue;
          ++wide;
          EXPECT_EQ(loops::LoopsOf(*loop).size(), 1u) << "a vector has no loops in it";
        }
      }
    }
  }
  EXPECT_GT(wider, 0);
  EXPECT_GT(wide, 0);
}

TEST(FusedSpace, LoopsOfOtherSchedulesAreNothingToDecide) {
  const Scene scene(Transpose());
  ASSERT_GE(scene.space.mappings().leaves.size(), 2u);
  const runtime::Instance& instance = *scene.space.instance();
  runtime::Candidate candidate(scene.space.instance());
  for (runtime::DecisionId decision = 0; decision < instance.num_decisions(); ++decision) {
    if (instance.DecisionName(decision) != "leaf(op)") continue;
    ASSERT_EQ(candidate.Take(decision, 0), runtime::Propagation::kFixpoint);
  }
  int open = 0;
  for (runtime::DecisionId decision = 0; decision < instance.num_decisions(); ++decision) {
    if (!candidate.IsOpen(decision)) continue;
    ++open;
    EXPECT_NE(instance.DecisionName(decision).find("(s0_"), std::string::npos)
        << instance.DecisionName(decision);
  }
  EXPECT_GT(open, 0);
}

TEST(FusedSpace, RecipesNameItsDecisionsScheduleByScheduleInOrder) {
  const Scene scene(Rows());
  const runtime::Instance& instance = *scene.space.instance();
  std::set<std::string> names;
  for (runtime::DecisionId decision = 0; decision < instance.num_decisions(); ++decision) {
    names.insert(instance.DecisionName(decision));
  }
  const std::vector<Recipe> recipes = scene.space.Recipes();
  ASSERT_EQ(recipes.size(), scene.space.mappings().leaves.size());
  EXPECT_EQ(recipes.front().name, "influenced");
  EXPECT_EQ(recipes.back().name, "isl default");
  for (std::size_t i = 0; i < recipes.size(); ++i) {
    EXPECT_EQ(recipes[i].wishes.front().values, std::vector<std::string>{std::to_string(i)});
    for (const Wish& wish : recipes[i].wishes) {
      EXPECT_TRUE(names.contains(wish.decision)) << wish.decision;
    }
  }
}

}  // namespace
}  // namespace exh::kernels::fused

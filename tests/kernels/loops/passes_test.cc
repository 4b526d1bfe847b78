// SPDX-License-Identifier: MIT
//
// Passes over nests that no operator made: what they do to a nest as text, and, of nests that are
// drawn, that what is executed stays the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "kernels/loops/edges.h"
#include "kernels/loops/loop_text.h"
#include "kernels/loops/patches.h"
#include "kernels/loops/threads.h"
#include "kernels/loops/tiles.h"
#include "tests/kernels/loops/executions.h"

namespace exh::kernels::loops {
namespace {

using ir::Condition;
using ir::Index;
using ir::IndexVariable;
using ir::Relation;
using testing::ExecutionsOf;
using testing::SortedExecutionsOf;

IndexVariable Variable(int row, std::int64_t extent) {
  return IndexVariable::Of(2 * row, "c" + std::to_string(row), extent);
}

NestNode Parallel(const IndexVariable& variable, NestNode body) {
  NestNode loop = NestNode::Loop(LoopRange::Of(variable), std::move(body));
  loop.facts.is_parallel = loop.facts.is_independent = true;
  return loop;
}

NestNode Begin(int statement, std::vector<Index> arguments) {
  NestNode begin = NestNode::Call(statement, std::move(arguments));
  begin.is_begin = true;
  return begin;
}

// ---- edges ----

const IndexVariable kI = Variable(0, 8), kK = Variable(1, 16);

/// for i: for k: { if (k == 0 …) begin(i); take(i, k); if (k == 15) end(i) }
NestNode Sum(Condition begins = Condition::Is(kK, 0)) {
  return NestNode::Loop(
      LoopRange::Of(kI),
      NestNode::Loop(
          LoopRange::Of(kK),
          NestNode::Block({NestNode::If(std::move(begins), Begin(0, {Index(kI)})),
                           NestNode::Call(1, {Index(kI), Index(kK)}),
                           NestNode::If(Condition::Is(kK, 15), NestNode::Call(2, {Index(kI)}))})));
}

TEST(Edges, WhatBeginsAndEndsASumLeavesItsLoop) {
  const NestNode nest = WithoutEdges(Sum());
  EXPECT_EQ(ToText(nest),
            "loop c0:8\n"
            "  begin 0(c0)\n"
            "  loop c1:16\n"
            "    statement 1(c0, c1)\n"
            "  statement 2(c0)\n");
  EXPECT_EQ(ExecutionsOf(nest), ExecutionsOf(Sum()));
}

TEST(Edges, WhatElseAConditionSaysStays) {
  const Condition both =
      Condition::Is(kK, 0) && Condition(Index(kI), Relation::kAtLeast, Index(kK) + 2);
  const NestNode nest = WithoutEdges(Sum(both));
  EXPECT_EQ(ToText(nest),
            "loop c0:8\n"
            "  if c0 >= 2\n"
            "    begin 0(c0)\n"
            "  loop c1:16\n"
            "    statement 1(c0, c1)\n"
            "  statement 2(c0)\n");
  EXPECT_EQ(ExecutionsOf(nest), ExecutionsOf(Sum(both)));
}

TEST(Edges, NothingLeavesALoopThatMayNotRun) {
  NestNode nest = Sum();
  // From i on: as often as i says.
  NestNode& inner = nest.body();
  inner.range.first = Index(kI) * 3;
  inner.range.count.reset();
  const NestNode simpler = WithoutEdges(nest);
  EXPECT_EQ(ToText(simpler), ToText(nest));
  EXPECT_EQ(ExecutionsOf(simpler), ExecutionsOf(nest));
}

TEST(Edges, LoopsBetweenNumbersCountFromZero) {
  LoopRange range{.variable = {0, "c0", 3, 9},
                  .first = 3,
                  .condition = {Index(IndexVariable{0, "c0", 3, 9}), Relation::kAtMost, 9}};
  const NestNode nest = NestNode::Loop(range, NestNode::Call(0, {Index(range.variable)}));
  const NestNode simpler = WithoutEdges(nest);
  EXPECT_EQ(ToText(simpler), "loop c0:7\n  statement 0(c0 + 3)\n");
  EXPECT_EQ(ExecutionsOf(simpler), ExecutionsOf(nest));
}

// ---- tiles ----

TEST(Tiles, LoopsOverThemComeFirst) {
  const IndexVariable i = Variable(0, 32), j = Variable(1, 24);
  const NestNode nest = Parallel(i, Parallel(j, NestNode::Call(0, {Index(i), Index(j)})));
  EXPECT_EQ(MayBeTiled(nest), (std::vector<bool>{true, true}));
  const NestNode decided = Decided(nest, {{.tile = 8}, {.has_threads = true, .tile = 16}});
  EXPECT_EQ(ToText(decided),
            "loop c0t:4 from 0 while c0t < 32 step 8, parallel\n"
            "  loop c1t:2 from 0 while c1t < 24 step 16, parallel, threads\n"
            "    loop c0:8 from c0t while c0 < c0t + 8, parallel, in a tile\n"
            "      loop c1:16 from c1t while c1 < c1t + 16 && c1 < 24, parallel, in a tile\n"
            "        statement 0(c0, c1)\n");
  EXPECT_EQ(LoopsOf(decided).back()->range.end, 24);
  EXPECT_EQ(SortedExecutionsOf(decided), SortedExecutionsOf(nest));
}

TEST(Tiles, LoopsThatWaitForEachOtherHaveNone) {
  const IndexVariable i = Variable(0, 32), k = Variable(1, 24);
  const NestNode sum = NestNode::Loop(LoopRange::Of(k), NestNode::Call(0, {Index(i), Index(k)}));
  EXPECT_EQ(MayBeTiled(Parallel(i, sum)), (std::vector<bool>{false, false}));
}

// ---- patches ----

TEST(Patches, AreAlongTheTwoLoopsThatAccessesFollow) {
  const IndexVariable i = Variable(0, 64), j = Variable(1, 3), k = Variable(2, 64);
  NestNode inner = Parallel(k, NestNode::Call(0, {Index(i), Index(j), Index(k)}));
  inner.facts.near_writes = 150;  // The larger one stands behind.
  NestNode nest = Parallel(i, Parallel(j, inner));
  EXPECT_FALSE(WithPatches(nest, PatchSize::kWarps)) << "all accesses follow one loop";
  nest.facts.near_reads = 100;
  const auto patched = WithPatches(nest, PatchSize::kTiles);
  ASSERT_TRUE(patched);
  std::vector<std::string> names;
  for (const NestNode* loop : LoopsOf(*patched)) names.push_back(loop->range.variable.name);
  EXPECT_EQ(names, (std::vector<std::string>{"c0t", "c2t", "c0", "c1", "c2"}));
  EXPECT_EQ(SortedExecutionsOf(*patched), SortedExecutionsOf(nest));
}

// ---- threads ----

TEST(Threads, AreWorthManyExecutions) {
  for (const auto& [extent, is_worth] : {std::pair{16, false}, std::pair{4096, true}}) {
    const IndexVariable i = Variable(0, 16), j = Variable(1, extent);
    NestNode nest = Parallel(i, Parallel(j, NestNode::Call(0, {Index(i), Index(j)})));
    DivideAmongThreads(nest);
    EXPECT_EQ(nest.mapping.has_threads, is_worth) << extent;
    EXPECT_FALSE(nest.body().mapping.has_threads) << "threads are in no threads";
  }
}

TEST(Threads, IndependentLoopsComeFirstAndSumsBeginInFront) {
  const IndexVariable k = Variable(0, 8), i = Variable(1, 16);
  NestNode body = NestNode::Block({NestNode::If(Condition::Is(k, 0), Begin(0, {Index(i)})),
                                   NestNode::Call(1, {Index(i), Index(k)})});
  NestNode nest = NestNode::Loop(LoopRange::Of(k), Parallel(i, std::move(body)));
  nest.facts.is_reduction = true;
  const NestNode threads = ForThreads(nest);
  EXPECT_EQ(ToText(threads),
            "loop c1:16, parallel\n"
            "  begin 0(c1)\n"
            "  loop c0:8, sum\n"
            "    statement 1(c1, c0)\n");
  EXPECT_EQ(SortedExecutionsOf(threads), SortedExecutionsOf(nest));
}

// ---- drawn nests ----

/// Loops in loops, of which some are skewed or end early, with calls and conditions between them.
class Drawing {
 public:
  explicit Drawing(std::uint64_t seed) : random_(seed) {}

  NestNode Nest(std::vector<IndexVariable> around = {}) {
    std::vector<NestNode> children;
    const std::size_t size = 1 + random_.Below(3);
    for (std::size_t i = 0; i < size; ++i) children.push_back(Child(around));
    return children.size() == 1 ? std::move(children.front())
                                : NestNode::Block(std::move(children));
  }

 private:
  NestNode Child(const std::vector<IndexVariable>& around) {
    const std::size_t what = random_.Below(4);
    if (what == 0 && !around.empty()) {
      const IndexVariable& of = around[random_.Below(around.size())];
      const std::int64_t values[] = {0, of.max, 1};
      return NestNode::If(Condition::Is(of, values[random_.Below(3)]), Call(around));
    }
    if (what == 1 || around.size() == 4) return Call(around);
    return Loop(around);
  }

  NestNode Call(const std::vector<IndexVariable>& around) {
    NestNode call = NestNode::Call(next_statement_++, {});
    call.is_begin = random_.Below(3) == 0;
    for (const IndexVariable& of : around) call.arguments.emplace_back(of);
    return call;
  }

  NestNode Loop(std::vector<IndexVariable> around) {
    LoopRange range = LoopRange::Of(
        Variable(static_cast<int>(around.size()), 1 + static_cast<std::int64_t>(random_.Below(6))));
    const Index variable(range.variable);
    const std::size_t shape = random_.Below(5);
    if (shape == 0 && !around.empty()) {  // A triangle.
      range.condition =
          range.condition && Condition(variable, Relation::kAtMost, Index(around.back()));
      range.count.reset();
    } else if (shape == 1) {  // From 2 on.
      range.variable.min += 2;
      range.variable.max += 2;
      range.first = 2;
      range.condition = {Index(range.variable), Relation::kAtMost, range.variable.max};
      range.count.reset();
    }
    around.push_back(range.variable);
    NestNode loop = NestNode::Loop(range, Nest(around));
    loop.facts.is_parallel = random_.Below(3) > 0;
    loop.facts.is_reduction = !loop.facts.is_parallel;
    return loop;
  }

  Random random_;
  int next_statement_ = 0;
};

TEST(Passes, ExecuteTheSame) {
  int edges = 0, tiled = 0, skewed = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const NestNode nest = Drawing(seed).Nest();
    const auto all = SortedExecutionsOf(nest);
    const NestNode simpler = WithoutEdges(nest);
    ASSERT_EQ(SortedExecutionsOf(simpler), all) << "seed " << seed << "\n" << ToText(nest);
    edges += ToText(simpler) != ToText(nest);
    Random random(seed);
    std::vector<LoopDecision> decisions;
    const std::vector<bool> may = MayBeTiled(simpler);
    for (const bool tile : may) {
      decisions.push_back({.tile = tile ? 1 + static_cast<std::int64_t>(random.Below(4)) : 1});
      tiled += decisions.back().tile > 1;
    }
    const NestNode decided = Decided(simpler, decisions);
    ASSERT_EQ(SortedExecutionsOf(decided), all) << "seed " << seed << "\n" << ToText(decided);
    ASSERT_EQ(SortedExecutionsOf(ForThreads(decided)), all) << "seed " << seed << "\n"
                                                            << ToText(ForThreads(decided));
    for (const NestNode* loop : LoopsOf(nest)) skewed += !loop->range.count.has_value();
  }
  EXPECT_GT(edges, 50);
  EXPECT_GT(tiled, 50);
  EXPECT_GT(skewed, 100);
}

}  // namespace
}  // namespace exh::kernels::loops

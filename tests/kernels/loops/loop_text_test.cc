// SPDX-License-Identifier: MIT
#include "kernels/loops/loop_text.h"

#include <gtest/gtest.h>

namespace exh::kernels::loops {
namespace {

using ir::Condition;
using ir::Index;
using ir::IndexVariable;
using ir::Relation;

TEST(LoopText, LoopsOfOneStepCountUp) {
  EXPECT_EQ(ForText("long", "i", 0, 16), "for (long i = 0; i < 16; ++i)");
  EXPECT_EQ(ForText("int", "c1", "c0", "c1 < c0 + 8", "4"),
            "for (int c1 = c0; c1 < c0 + 8; c1 += 4)");
}

TEST(LoopText, DigitsHaveNoMoreThanTheyNeed) {
  EXPECT_EQ(DigitText("t", 16, 8, false), "t / 16 % 8");
  EXPECT_EQ(DigitText("t", 16, 8, true), "t / 16");
  EXPECT_EQ(DigitText("t", 1, 8, false), "t % 8");
  EXPECT_EQ(DigitText("t", 1, 8, true), "t");
}

TEST(LoopText, ANestIsALineForEachNode) {
  const IndexVariable c0 = IndexVariable::Of(0, "c0", 64), c1 = IndexVariable::Of(2, "c1", 32);
  NestNode begin = NestNode::Call(0, {Index(c0)});
  begin.is_begin = true;
  LoopRange skewed{.variable = c1,
                   .first = Index(c0),
                   .condition = {Index(c1), Relation::kLess, Index(c0) + 8},
                   .step = 2,
                   .count = 4};
  NestNode inner = NestNode::Loop(skewed, NestNode::Call(1, {Index(c0), Index(c1)}));
  inner.facts.is_reduction = true;
  inner.mapping.vector = 4;
  NestNode nest = NestNode::Loop(
      LoopRange::Of(c0),
      NestNode::Block({NestNode::If(Condition::Is(c0, 3), begin), std::move(inner)}));
  nest.facts.is_parallel = nest.mapping.has_threads = true;
  EXPECT_EQ(ToText(nest),
            "loop c0:64, parallel, threads\n"
            "  if c0 == 3\n"
            "    begin 0(c0)\n"
            "  loop c1:4 from c0 while c1 < c0 + 8 step 2, sum, vector of 4\n"
            "    statement 1(c0, c1)\n");
}

}  // namespace
}  // namespace exh::kernels::loops

// SPDX-License-Identifier: MIT
#include "kernels/codegen/plan/work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/codegen/print/gpu/printer.h"
#include "tests/kernels/codegen/hand_backbone.h"
#include "tests/kernels/codegen/random_matmul.h"

namespace exh::kernels::codegen::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const char kOuter[] = "load_x.n0 + load_y.n0 + mad.n0 + store.n0";
const char kMiddle[] = "load_x.n1 + load_y.n1 + mad.n1 + store.n1";
const char kInner[] = "load_x.n2 + load_y.n2 + mad.n2 + store.n2";

Items Nest(std::uint32_t outer, std::uint32_t middle, std::uint32_t inner) {
  return {Loop(
      kOuter, outer,
      {Loop(kMiddle, middle,
            {Loop(kInner, inner, {Exec("load_x"), Exec("load_y"), Exec("mad"), Exec("store")})})})};
}

TEST(Work, StepsAreMultipliedOut) {
  const ir::Function f = Axpy(24);
  const Schedule s = Draw(f, Nest(2, 3, 4));
  const LoweredCode code = LowerSchedule(f, s);
  ASSERT_EQ(code.error, "");
  EXPECT_EQ(StepsOfNodes(code.tree).front(), 24 * 4);
  // One thread of one block, about 100 steps: microseconds at most; a million times the blocks take
  // longer.
  EXPECT_LT(RoughTimeNs(code.tree, {1, 1, 0, 0}), 2e3);
  EXPECT_GT(RoughTimeNs(code.tree, {1 << 30, 1, 0, 0}), 1e6);
}

TEST(Work, ThreadsOfAProcessorShareTheBlocks) {
  const ir::Function f = Axpy(24);
  const Schedule s = Draw(
      f, {Block(kOuter, 2,
                {Loop(kMiddle, 3,
                      {Loop(kInner, 4,
                            {Exec("load_x"), Exec("load_y"), Exec("mad"), Exec("store")})})})});
  const LoweredCode code = LowerSchedule(f, s);
  ASSERT_EQ(code.error, "");
  EXPECT_EQ(RoughTimeNs(code.tree, 1), 2 * RoughTimeNs(code.tree, 2));
  EXPECT_EQ(RoughTimeNs(code.tree, 2), RoughTimeNs(code.tree, 8));
  EXPECT_EQ(RoughTimeNs(code.tree, 2), 12 * 4 / 4.0);
}

TEST(Work, RegistersAreThoseThatLiveThroughALoop) {
  const ir::Function f = Axpy(24);
  const Schedule none = Draw(f, Nest(2, 3, 4));
  const LoweredCode plain = LowerSchedule(f, none);
  EXPECT_EQ(LeastRegisters(f, plain.tree, plain.values), 0u);
  // x is there before the loop over n1 and used in it: one value for each of four n2 and three n1.
  const Schedule s =
      Draw(f, {Loop(kOuter, 2,
                    {Unroll("load_x.n1", 3, {Unroll("load_x.n2", 4, {Exec("load_x")})}),
                     Unroll("load_y.n1 + mad.n1 + store.n1", 3,
                            {Unroll("load_y.n2 + mad.n2 + store.n2", 4,
                                    {Exec("load_y"), Exec("mad"), Exec("store")})})})});
  const LoweredCode code = LowerSchedule(f, s);
  ASSERT_EQ(code.error, "");
  EXPECT_EQ(LeastRegisters(f, code.tree, code.values), 0u);  // Within an iteration of n0.
  Schedule ahead = s;
  for (const ir::Instruction& inst : f.insts) {
    if (inst.name() == "load_x") ahead.advance.Set(inst.id, Advance::ONE_AHEAD);
  }
  const LoweredCode early = LowerSchedule(f, ahead);
  ASSERT_EQ(early.error, "");
  ASSERT_EQ(early.values.ahead.size(), 1u);
  EXPECT_EQ(LeastRegisters(f, early.tree, early.values), 12u);
}

TEST(Work, WideValuesTakeTwoRegisters) {
  std::uint64_t sum = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    const auto narrow = MakeRandomMatmul(seed), wide = MakeRandomMatmul(seed, ir::Type::kF64);
    const LoweredCode a = LowerSchedule(narrow->function, narrow->schedule);
    const LoweredCode b = LowerSchedule(wide->function, wide->schedule);
    ASSERT_EQ(a.error + b.error, "");
    const std::uint64_t registers = LeastRegisters(narrow->function, a.tree, a.values);
    EXPECT_EQ(LeastRegisters(wide->function, b.tree, b.values), 2 * registers) << "seed " << seed;
    sum += registers;
  }
  EXPECT_GT(sum, 0u);
}

TEST(Work, OnlyLongLoopsLookAtTheClock) {
  const ir::Function f = Axpy(1 << 16);
  const Schedule s = Draw(f, Nest(16, 64, 64));
  const LoweredCode code = LowerSchedule(f, s);
  ASSERT_EQ(code.error, "");
  EXPECT_THAT(PrintGpu(code).source, Not(HasSubstr("exh_look")));
  const std::string careful = PrintGpu(code, {.gives_up = true}).source;
  std::size_t looks = 0;
  for (std::size_t at = 0; (at = careful.find("exh_look(exh_end);", at)) != careful.npos; ++at) {
    ++looks;
  }
  EXPECT_EQ(looks, 3u);  // At the start, and in two loops: 64 iterations of four steps are short.
}

}  // namespace
}  // namespace exh::kernels::codegen::testing

// SPDX-License-Identifier: MIT
#include "kernels/codegen/loops/loop_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/codegen/plan/lowered_code.h"
#include "kernels/codegen/print/gpu/printer.h"
#include "tests/kernels/codegen/hand_backbone.h"
#include "tests/kernels/codegen/reference_run.h"

namespace exh::kernels::codegen::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const char kN0[] = "load_x.n0 + load_y.n0 + mad.n0 + store.n0";
const char kN1[] = "load_x.n1 + load_y.n1 + mad.n1 + store.n1";
const char kN2[] = "load_x.n2 + load_y.n2 + mad.n2 + store.n2";
const Items kAll = {Exec("load_x"), Exec("load_y"), Exec("mad"), Exec("store")};

class LoopTreeTest : public ::testing::Test {
 protected:
  ir::DimId Dim(const std::string& name) const {
    for (const ir::Dimension& dim : f_.dims) {
      if (dim.name() == name) return dim.id;
    }
    return {};
  }
  ir::InstId Inst(const std::string& name) const {
    for (const ir::Instruction& inst : f_.insts) {
      if (inst.name() == name) return inst.id;
    }
    return {};
  }
  void SetOrder(Schedule& s, ir::StmtId a, ir::StmtId b, Order order) const {
    s.order.Set(a, b, order);
  }
  std::string Error(const Schedule& s) const { return LowerSchedule(f_, s).error; }
  std::string DrawError(const Items& items) const { return Error(Draw(f_, items)); }

  ir::Function f_ = Axpy(24);
};

TEST_F(LoopTreeTest, BandsOfThreadsFold) {
  const Schedule s =
      Draw(f_, {Block(kN0, 2,
                      {Thread(0, "load_x.n1", 3, {Thread(1, "load_x.n2", 4, {Exec("load_x")})}),
                       Thread(0, "load_y.n1 + mad.n1 + store.n1", 3,
                              {Thread(1, "load_y.n2 + mad.n2 + store.n2", 4,
                                      {Exec("load_y"), Exec("mad"), Exec("store")})})})});
  const LoopTreeResult result = BuildLoopTree(f_, s);
  ASSERT_EQ(result.error, "");
  EXPECT_EQ(ToText(f_, *result.tree),
            "root\n"
            "  block load_x.n0+load_y.n0+mad.n0+store.n0:2\n"
            "    threads load_x.n1:3 load_x.n2:4\n"
            "      exec load_x\n"
            "    threads load_y.n1+mad.n1+store.n1:3 load_y.n2+mad.n2+store.n2:4\n"
            "      exec load_y\n"
            "      exec mad\n"
            "      exec store\n");
  EXPECT_EQ(result.tree->num_threads, 12U);
  EXPECT_EQ(result.tree->axes.at(0).stride, 4U);
}

TEST_F(LoopTreeTest, CodeWithoutThreadsIsWrapped) {
  const Schedule s =
      Draw(f_, {Loop(kN0, 2,
                     {Loop("load_x.n1", 3, {Unroll("load_x.n2", 4, {Exec("load_x")})}),
                      Thread(0, "load_y.n1 + mad.n1 + store.n1", 3,
                             {Loop("load_y.n2 + mad.n2 + store.n2", 4,
                                   {Exec("load_y"), Exec("mad"), Exec("store")})})})});
  const LoopTreeResult result = BuildLoopTree(f_, s);
  ASSERT_EQ(result.error, "");
  EXPECT_THAT(ToText(f_, *result.tree), HasSubstr("    threads\n      loop load_x.n1:3\n"));
  // The tree is fine, but a value cannot go from a sequential loop to threads in registers.
  EXPECT_THAT(Error(s), HasSubstr("the value of load_x cannot reach mad from load_x.n1"));
}

Item Tile(const std::string& inst) {
  return Unroll(inst + ".m2", 2,
                {Unroll(inst + ".n1", 2, {Unroll(inst + ".n2", 2, {Exec(inst)})})});
}

/// The register tiles of the operands, then that of the sums.
Items Sums() {
  return {Unroll("load_a.m2", 2, {Exec("load_a")}),
          Unroll("load_b.n1", 2, {Unroll("load_b.n2", 2, {Exec("load_b")})}), Tile("mad")};
}

/// Two rows of threads with two slices of k each.
Schedule Sliced(const ir::Function& f, std::uint32_t slices) {
  return Draw(
      f, {Loop("init.m0 + mad.m0 + load_a.m0 + store.m0", 2,
               {Loop("init.n0 + mad.n0 + load_b.n0 + store.n0", 2,
                     {Thread(0, "init.m1", 2, {Tile("init")}),
                      Loop("mad.k0 + load_a.k0 + load_b.k0", 2,
                           {Thread(0, "mad.m1 + load_a.m1", 2,
                                   {Thread(1, "mad.k1 + load_a.k1 + load_b.k1", slices, Sums())})}),
                      Thread(0, "store.m1", 2, {Tile("store")})})})});
}

TEST(Slices, MeetWhereTheLoopsOfTheirSumEnd) {
  const ir::Function f = Matmul(8, 8, 4);
  const Schedule s = Sliced(f, 2);
  const LoweredCode code = LowerSchedule(f, s);
  ASSERT_EQ(code.error, "");
  EXPECT_THAT(ToText(f, code.tree), HasSubstr("              exec mad\n"
                                              "      combine mad\n"
                                              "      threads store.m1:2\n"));
  ASSERT_EQ(code.combines.combines.size(), 1U);
  const Combine& combine = code.combines.combines.front();
  EXPECT_EQ(combine.op, ir::Op::kAdd);
  EXPECT_EQ(BitsIn(combine.halved), std::vector<std::uint32_t>{1}) << "neighbours in a warp";
  EXPECT_EQ(combine.owned, 4U) << "of 8 sums";
  EXPECT_TRUE(combine.shuffled.empty());
  EXPECT_TRUE(combine.shared.empty());
  EXPECT_EQ(combine.shared_bytes, 0U);
}

TEST(Slices, ThatNoBitTellsApartMeetInSharedMemory) {
  const ir::Function f = Matmul(8, 8, 6);
  const Schedule s = Sliced(f, 3);
  const LoweredCode code = LowerSchedule(f, s);
  ASSERT_EQ(code.error, "");
  const Combine& combine = code.combines.combines.front();
  EXPECT_TRUE(combine.halved.empty());
  EXPECT_TRUE(combine.shuffled.empty());
  ASSERT_EQ(combine.shared.size(), 1U);
  EXPECT_EQ(combine.shared.front().size, 3U);
  EXPECT_EQ(combine.num_slots, 6U) << "of each of the 8 sums of 2 x 3 threads";
  EXPECT_EQ(combine.at_once, 8U);
  EXPECT_EQ(combine.shared_bytes, 8 * 6 * 4U);
}

/// Two blocks divide k between them, and in each of them two slices what is left of it. `rows`: of
/// what kind m0 is, and `tiles` its size.
Schedule Divided(const ir::Function& f, AcrossBlocks across, DimKind rows = DimKind::BLOCK,
                 std::uint32_t tiles = 2) {
  const Items body = {
      Thread(0, "init.m1", 2, {Tile("init")}),
      Thread(0, "mad.m1 + load_a.m1", 2, {Thread(1, "mad.k1 + load_a.k1 + load_b.k1", 2, Sums())}),
      Thread(0, "store.m1", 2, {Tile("store")})};
  Item m0 = Block("init.m0 + mad.m0 + load_a.m0 + store.m0", tiles, body);
  m0.kind = rows;
  return Draw(f,
              {Block("mad.k0 + load_a.k0 + load_b.k0", 2,
                     {Block("init.n0 + mad.n0 + load_b.n0 + store.n0", 2, {m0})})},
              {}, across);
}

const char kEndOfSums[] = "exec mad\n        combine mad\n        hand_over mad\n";

TEST(Splits, MeetInTheLastBlockBehindTheirSlices) {
  const ir::Function f = Matmul(8, 8, 4);
  const Schedule s = Divided(f, AcrossBlocks::LAST_BLOCK);
  const LoweredCode code = LowerSchedule(f, s);
  ASSERT_EQ(code.error, "");
  EXPECT_THAT(ToText(f, code.tree),
              HasSubstr(std::string(kEndOfSums) + "        last_block mad\n"
                                                  "        threads store.m1:2\n"));
  ASSERT_EQ(code.splits.reductions.size(), 1U);
  const SplitReduction& split = code.splits.reductions.front();
  EXPECT_EQ(split.splits, 2U);
  EXPECT_EQ(split.tiles, 4U);
  EXPECT_EQ(split.num_registers, 8U);
  EXPECT_EQ(split.num_slots, 2U) << "two rows of threads";
  ASSERT_EQ(split.sharers.size(), 1U);
  EXPECT_EQ(split.sharers.front().size, 2U);
  EXPECT_EQ(code.splits.ticket_bytes, 16U);
  EXPECT_EQ(code.splits.workspace_bytes, 16 + 4 * 2 * 8 * 2 * 4U);
  ASSERT_EQ(code.splits.groups.size(), 1U);
  EXPECT_TRUE(code.splits.groups.front().ends_the_others);
  EXPECT_EQ(code.splits.parts.size(), 1U);
}

TEST(Splits, AreExchangedByTheBlocksOfACluster) {
  const ir::Function f = Matmul(8, 8, 4, 1, ir::Type::kF32, 3);
  const Schedule s = Divided(f, AcrossBlocks::CLUSTER);
  const LoweredCode code = LowerSchedule(f, s);
  ASSERT_EQ(code.error, "");
  EXPECT_THAT(ToText(f, code.tree), HasSubstr("        combine mad\n"
                                              "        exchange mad\n"
                                              "        threads store.m1:2\n"));
  const SplitPlan& plan = code.splits;
  ASSERT_EQ(plan.reductions.size(), 1U);
  EXPECT_TRUE(plan.reductions.front().is_of_cluster());
  EXPECT_EQ(plan.reductions.front().splits, 2U);
  // What each of two blocks has of 8 sums of 2 rows of threads.
  EXPECT_EQ(plan.cluster_bytes, 2 * 8 * 2 * 4U);
  EXPECT_EQ(plan.workspace_bytes, 0U);
  EXPECT_TRUE(plan.groups.empty());
  EXPECT_EQ(plan.parts.size(), 1U);
  // Neighbours: the class is the fastest one of the grid, though its loop is the outermost.
  ASSERT_EQ(code.tree.block_classes.size(), 3U);
  EXPECT_EQ(code.tree.block_classes.back(), plan.cluster_class);
  for (const ir::Instruction& inst : f.insts) {
    const bool is_store = inst.op == ir::Op::kStore;
    EXPECT_EQ(plan.first_of[inst.id.index()],
              is_store ? std::vector<int>{plan.cluster_class} : std::vector<int>{})
        << inst.name();
  }
  EXPECT_EQ(PrintGpu(code, {}).launch.cluster, 2U);
  EXPECT_EQ(CheckByInterpreter(f, s, Fault::kNone, 1), "");
  EXPECT_NE(CheckByInterpreter(f, s, Fault::kWrongIdentity, 1), "") << "sums begin with 3";
}

TEST(Splits, GoToASecondLaunchFromInsideOfLoops) {
  const ir::Function f = Matmul(8, 8, 4);
  const Schedule s = Divided(f, AcrossBlocks::SECOND_LAUNCH, DimKind::LOOP);
  const LoweredCode code = LowerSchedule(f, s);
  ASSERT_EQ(code.error, "");
  const std::string text = ToText(f, code.tree);
  EXPECT_THAT(text, HasSubstr(std::string(kEndOfSums) + "        threads store.m1:2\n"));
  EXPECT_THAT(text, Not(HasSubstr("last_block")));
  EXPECT_EQ(code.splits.reductions.front().tiles, 4U) << "blocks and iterations";
  EXPECT_EQ(code.splits.ticket_bytes, 0U);
  ASSERT_EQ(code.splits.parts.size(), 2U);
  const Part& main = code.splits.parts[0];
  const Part& finish = code.splits.parts[1];
  for (const ir::Instruction& inst : f.insts) {
    const bool is_active = code.tree.node_of_inst[inst.id.index()] >= 0;
    const bool is_store = inst.op == ir::Op::kStore;
    EXPECT_EQ(main.insts[inst.id.index()], is_active && !is_store) << inst.name();
    EXPECT_EQ(finish.insts[inst.id.index()], is_active && is_store) << inst.name();
    EXPECT_EQ(finish.values[inst.id.index()], is_active && (is_store || inst.is_reduction()))
        << inst.name();
  }
}

/// All threads repeat sums that none of them is for, and what reads these. They meet in between.
TEST(Splits, AreHandedOverBeforeTheyAreRead) {
  const ir::Function f = Matmul(8, 8, 4);
  const auto tile = [](const std::string& inst) { return Unroll(inst + ".m1", 2, {Tile(inst)}); };
  const Items body = {
      tile("init"),
      Thread(0, "load_b.k1 + tmp.load_b.st.k1", 2,
             {Loop("load_b.n1 + tmp.load_b.st.n1", 2,
                   {Loop("load_b.n2 + tmp.load_b.st.n2", 2,
                         {Exec("load_b"), Exec("tmp.load_b.st")})})}),
      Loop("mad.k1 + load_a.k1 + tmp.load_b.ld.k1", 2,
           {Unroll("load_a.m1", 2, {Unroll("load_a.m2", 2, {Exec("load_a")})}),
            Unroll("tmp.load_b.ld.n1", 2, {Unroll("tmp.load_b.ld.n2", 2, {Exec("tmp.load_b.ld")})}),
            tile("mad")}),
      tile("store")};
  for (const AcrossBlocks way : {AcrossBlocks::LAST_BLOCK, AcrossBlocks::SECOND_LAUNCH}) {
    const Schedule s =
        Draw(f,
             {Block("mad.k0 + load_a.k0 + load_b.k0 + tmp.load_b.st.k0 + tmp.load_b.ld.k0", 2,
                    {Block("init.n0 + mad.n0 + load_b.n0 + tmp.load_b.st.n0 + tmp.load_b.ld.n0 + "
                           "store.n0",
                           2, {Block("init.m0 + mad.m0 + load_a.m0 + store.m0", 2, body)})})},
             {}, way);
    const LoweredCode code = LowerSchedule(f, s);
    ASSERT_EQ(code.error, "");
    // All threads meet before the last block goes on; a second launch needs no such place.
    EXPECT_THAT(ToText(f, code.tree),
                HasSubstr(way == AcrossBlocks::LAST_BLOCK ? "        hand_over mad\n"
                                                            "        last_block mad\n"
                                                            "        threads\n"
                                                            "          unroll store.m1:2\n"
                                                          : "          hand_over mad\n"
                                                            "          unroll store.m1:2\n"));
    EXPECT_EQ(CheckByInterpreter(f, s, Fault::kNone, 1), "");
  }
}

/// A thread goes through copies of its sums one after the other, and hands over each of them.
TEST(Splits, EndInsideOfUnrolledCopies) {
  const ir::Function f = Matmul(8, 8, 4, 1, ir::Type::kF32, 3);
  const Items copy = {Vector("init.n2", 2, {Exec("init")}),
                      Unroll("mad.k1 + load_a.k1 + load_b.k1", 2,
                             {Exec("load_a"), Vector("load_b.n2", 2, {Exec("load_b")}),
                              Vector("mad.n2", 2, {Exec("mad")})}),
                      Vector("store.n2", 2, {Exec("store")})};
  const Schedule s =
      Draw(f,
           {Block("mad.k0 + load_a.k0 + load_b.k0", 2,
                  {Block("init.m0 + mad.m0 + load_a.m0 + store.m0", 2,
                         {Loop("init.n0 + mad.n0 + load_b.n0 + store.n0", 2,
                               {Thread(0, "init.m1 + mad.m1 + load_a.m1 + store.m1", 2,
                                       {Unroll("init.m2 + mad.m2 + load_a.m2 + store.m2", 2,
                                               {Unroll("init.n1 + mad.n1 + load_b.n1 + store.n1", 2,
                                                       copy)})})})})})},
           {}, AcrossBlocks::SECOND_LAUNCH);
  const LoweredCode code = LowerSchedule(f, s);
  ASSERT_EQ(code.error, "");
  EXPECT_THAT(ToText(f, code.tree), HasSubstr("              hand_over mad\n"
                                              "              vector store.n2:2\n"));
  EXPECT_EQ(CheckByInterpreter(f, s, Fault::kNone, 1), "");
  EXPECT_EQ(CheckByCompiler(f, s), "");
}

TEST(Splits, OfAtomicSumsAreNoNodes) {
  const ir::Function f = Matmul(8, 8, 4);
  const Schedule s = Divided(f, AcrossBlocks::ATOMIC_RED);
  const LoweredCode code = LowerSchedule(f, s);
  ASSERT_EQ(code.error, "");
  EXPECT_THAT(ToText(f, code.tree), Not(HasSubstr("hand_over")));
  const SplitReduction& split = code.splits.reductions.front();
  EXPECT_EQ(f.inst(split.store).name(), "store");
  EXPECT_EQ(code.splits.of_store[split.store.index()], 0);
  EXPECT_EQ(code.splits.workspace_bytes, 0U);
}

/// The CUDA C++ of sums that are divided, for a GPU whose launches may overlap.
GpuText Overlapping(AcrossBlocks way, DimKind rows, bool gives_up = false,
                    std::uint32_t tiles = 16) {
  const ir::Function f = Matmul(4 * tiles, 8, 4);
  const Schedule s = Divided(f, way, rows, tiles);
  const LoweredCode code = LowerSchedule(f, s);
  EXPECT_EQ(code.error, "");
  return PrintGpu(code, {.gives_up = gives_up, .overlaps = true});
}

/// All of these stand in the text in this order.
void ExpectInOrder(const std::string& text, const std::vector<std::string>& parts) {
  std::size_t at = 0;
  for (const std::string& part : parts) {
    at = text.find(part, at);
    ASSERT_NE(at, text.npos) << part << " in:\n" << text;
    at += part.size();
  }
}

std::size_t Count(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != text.npos; at += part.size()) ++count;
  return count;
}

constexpr const char *kAwait = "exh_await_previous();", *kLet = "exh_let_next_begin();";

const std::string kStart = ") {\n  ";

TEST(Splits, AwaitTheKernelThatFillsBehindTheirLoops) {
  const GpuText text = Overlapping(AcrossBlocks::ATOMIC_RED, DimKind::BLOCK);
  EXPECT_TRUE(text.launch.overlaps);
  EXPECT_EQ(Count(text.source, kAwait), 1U);
  EXPECT_EQ(Count(text.source, kLet), 1U);
  ExpectInOrder(text.source, {"\nexh_fill(", kStart + kLet, "\nexh_kernel(", "fmaf(",
                              "__shfl_xor_sync(", kAwait, "atomicAdd("});
  const std::string behind = text.source.substr(text.source.find(kAwait));
  EXPECT_THAT(behind, Not(HasSubstr("fmaf(")));
  // Not in each iteration.
  const GpuText loop = Overlapping(AcrossBlocks::ATOMIC_RED, DimKind::LOOP);
  EXPECT_EQ(Count(loop.source, kAwait), 1U);
  ExpectInOrder(loop.source, {"\nexh_kernel(", kAwait, "for (int", "atomicAdd("});
}

TEST(Splits, AwaitPartialResultsAtTheStart) {
  const GpuText text = Overlapping(AcrossBlocks::SECOND_LAUNCH, DimKind::BLOCK);
  EXPECT_TRUE(text.launch.overlaps);
  EXPECT_EQ(Count(text.source, kAwait), 1U);
  EXPECT_EQ(Count(text.source, kLet), 1U);
  ExpectInOrder(text.source,
                {"\nexh_kernel(", kStart + kLet, "fmaf(", "\nexh_finish(", kStart + kAwait});
}

TEST(Splits, ThatGiveUpHaveWaitedBefore) {
  const GpuText text = Overlapping(AcrossBlocks::ATOMIC_RED, DimKind::BLOCK, true);
  ExpectInOrder(text.source, {"\nexh_kernel(", kStart + kAwait, "exh_look(exh_end);"});
  EXPECT_EQ(Count(text.source, kAwait), 1U);
}

TEST(Splits, OverlapOnlyWhereThatIsOfUse) {
  const auto expect_none = [](const GpuText& text) {
    EXPECT_FALSE(text.launch.overlaps);
    EXPECT_THAT(text.source, Not(HasSubstr("exh_await")));
    EXPECT_THAT(text.source, Not(HasSubstr("exh_let")));
  };
  expect_none(Overlapping(AcrossBlocks::LAST_BLOCK, DimKind::BLOCK));  // One launch.
  // One block fills 256 elements.
  EXPECT_TRUE(Overlapping(AcrossBlocks::ATOMIC_RED, DimKind::BLOCK, false, 16).launch.overlaps);
  expect_none(Overlapping(AcrossBlocks::ATOMIC_RED, DimKind::BLOCK, false, 8));
  const ir::Function f = Matmul(64, 8, 4);
  const Schedule s = Divided(f, AcrossBlocks::SECOND_LAUNCH, DimKind::BLOCK, 16);
  expect_none(PrintGpu(LowerSchedule(f, s)));
}

TEST(Splits, ThatCannotMeet) {
  const ir::Function f = Matmul(8, 8, 4);
  const Schedule never = Divided(f, AcrossBlocks::NOT_ACROSS);
  EXPECT_THAT(LowerSchedule(f, never).error, HasSubstr("mad is divided but NOT_ACROSS blocks"));
  const Schedule in_loop = Divided(f, AcrossBlocks::LAST_BLOCK, DimKind::LOOP);
  EXPECT_THAT(LowerSchedule(f, in_loop).error,
              HasSubstr("the last block of mad is known inside of a loop"));
}

TEST_F(LoopTreeTest, OrderThatIsNoForest) {
  Schedule s = Draw(f_, {Loop(kN0, 2, {Loop(kN1, 3, {Loop(kN2, 4, kAll)})})});
  EXPECT_EQ(Error(s), "");
  SetOrder(s, Inst("load_x"), Inst("load_y"), Order::AFTER);
  EXPECT_THAT(Error(s), HasSubstr("order(load_"));

  s = Draw(f_, {Loop(kN0, 2, {Loop(kN1, 3, {Loop(kN2, 4, kAll)})})});
  SetOrder(s, Dim("mad.n0"), Dim("mad.n1"), Order::INNER);
  SetOrder(s, Dim("mad.n1"), Dim("mad.n0"), Order::OUTER);
  EXPECT_THAT(Error(s), HasSubstr("order("));

  s = Draw(f_, {Loop(kN0, 2, {Loop(kN1, 3, {Loop(kN2, 4, kAll)})})});
  s.size.Set(Dim("mad.n1"), 2);
  EXPECT_THAT(Error(s), HasSubstr("their sizes differ"));
  s.size.Set(Dim("mad.n1"), 3);
  s.dim_kind.Set(Dim("mad.n1"), DimKind::UNROLL);
  EXPECT_THAT(Error(s), HasSubstr("their kinds differ"));
}

TEST_F(LoopTreeTest, KindsThatCannotNest) {
  EXPECT_THAT(DrawError({Loop(kN0, 2, {Block(kN1, 3, {Loop(kN2, 4, kAll)})})}),
              HasSubstr("BLOCK dim load_x.n1 is inside load_x.n0"));
  EXPECT_THAT(DrawError({Unroll(kN0, 2, {Loop(kN1, 3, {Loop(kN2, 4, kAll)})})}),
              HasSubstr("is inside UNROLL dim"));
  EXPECT_THAT(DrawError({Loop(kN0, 2, {Vector(kN1, 4, {Unroll(kN2, 3, kAll)})})}),
              HasSubstr("is inside VECTOR dim"));
  EXPECT_THAT(DrawError({Loop(kN0, 2, {Loop(kN1, 4, {Vector(kN2, 3, kAll)})})}),
              HasSubstr("VECTOR dim load_x.n2 has size 3"));
  EXPECT_THAT(DrawError({Thread(0, kN0, 2, {Loop(kN1, 3, {Thread(1, kN2, 4, kAll)})})}),
              HasSubstr("is between two THREAD dims"));
  EXPECT_THAT(DrawError({Thread(0, kN0, 2, {Thread(0, kN1, 2, {Loop(kN2, 6, kAll)})})}),
              HasSubstr("share the axis"));
  EXPECT_THAT(DrawError({Loop(kN0, 2, {Vector(kN1, 2, {Vector(kN2, 2, kAll)})})}),
              HasSubstr("has two VECTOR dims of its own"));
  EXPECT_THAT(
      DrawError(
          {Loop(kN0, 2,
                {Loop(kN1, 3,
                      {Loop("load_y.n2 + mad.n2 + store.n2", 4, {Loop("load_x.n2", 4, kAll)})})})}),
      HasSubstr("store must run once per point"));
}

TEST_F(LoopTreeTest, LanesThatAreNotAdjacent) {
  EXPECT_THAT(DrawError({Loop(kN0, 2, {Loop(kN2, 3, {Vector(kN1, 4, kAll)})})}),
              HasSubstr("the lanes of load_x.n1 are 3 elements apart"));
}

TEST_F(LoopTreeTest, ConsumerBeforeProducer) {
  EXPECT_THAT(
      DrawError({Loop(
          kN0, 2,
          {Loop(kN1, 3,
                {Loop(kN2, 4, {Exec("mad"), Exec("load_x"), Exec("load_y"), Exec("store")})})})}),
      HasSubstr("load_x does not run before mad"));
}

TEST_F(LoopTreeTest, ThreadMappingThatDoesNotOrder) {
  Schedule s = Draw(f_, {Thread(0, kN0, 2, {Thread(1, kN1, 3, {Loop(kN2, 4, kAll)})})});
  EXPECT_EQ(Error(s), "");
  s.thread_mapping = s.thread_mapping.Map<ThreadMapping>([](ThreadMapping mapping) {
    return mapping == ThreadMapping::MAPPED_OUT ? ThreadMapping::MAPPED_IN : mapping;
  });
  EXPECT_NE(Error(s), "");
}

TEST_F(LoopTreeTest, StoredAxisMustNotBeMerged) {
  Schedule s = Draw(
      f_,
      {Loop(
          kN0 + std::string(" + tmp.load_x.st.n0 + tmp.load_x.ld.n0"), 2,
          {Loop("load_x.n1 + tmp.load_x.st.n1", 3,
                {Loop("load_x.n2 + tmp.load_x.st.n2", 4, {Exec("load_x"), Exec("tmp.load_x.st")})}),
           Loop("tmp.load_x.ld.n1 + load_y.n1 + mad.n1 + store.n1", 3,
                {Loop("tmp.load_x.ld.n2 + load_y.n2 + mad.n2 + store.n2", 4,
                      {Exec("tmp.load_x.ld"), Exec("load_y"), Exec("mad"), Exec("store")})})})});
  EXPECT_EQ(Error(s), "");
  EXPECT_EQ(LowerSchedule(f_, s).memory.shared_bytes, 48U);
  const ir::MemBlock& block = f_.block(f_.comms[0].lowered->block);
  s.rank.Set(block.id, block.axes[0], 3);
  EXPECT_THAT(Error(s), HasSubstr("is stored though its dims are merged"));
  s.rank.Set(block.id, block.axes[0], 0);
  s.rank.Set(block.id, block.axes[1], 0);
  EXPECT_THAT(Error(s), HasSubstr("is not stored though its dims are not merged"));
}

}  // namespace
}  // namespace exh::kernels::codegen::testing

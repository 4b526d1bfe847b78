// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/codegen/print/cpu_printer.h"
#include "tests/kernels/codegen/hand_backbone.h"
#include "tests/kernels/codegen/reference_run.h"

namespace exh::kernels::codegen::testing {
namespace {

using ::testing::HasSubstr;

void ExpectCorrect(const ir::Function& f, const Schedule& s) {
  EXPECT_EQ(CheckByInterpreter(f, s), "");
  EXPECT_EQ(CheckByCompiler(f, s), "");
}

/// Loops of all levels of m and n, merged across all nests, around `body`.
Items MergedTiles(const std::string& m_insts, const std::string& n_insts, Items body,
                  std::uint32_t size) {
  const auto names = [](const std::string& insts, const std::string& level) {
    std::string text, word;
    for (const char c : insts + " ") {
      if (c != ' ') {
        word += c;
      } else if (!word.empty()) {
        text += (text.empty() ? "" : " + ") + word + "." + level;
        word.clear();
      }
    }
    return text;
  };
  for (const char* level : {"n2", "n1", "n0"}) body = {Loop(names(n_insts, level), size, body)};
  for (const char* level : {"m2", "m1", "m0"}) body = {Loop(names(m_insts, level), size, body)};
  return body;
}

TEST(Matmul, NaiveNest) {
  const ir::Function f = Matmul(8, 8, 6);
  const Items k = {Loop(
      "mad.k0 + load_a.k0 + load_b.k0", 3,
      {Loop("mad.k1 + load_a.k1 + load_b.k1", 2, {Exec("load_a"), Exec("load_b"), Exec("mad")})})};
  ExpectCorrect(f, Draw(f, MergedTiles("init mad store load_a", "init mad store load_b",
                                       {Exec("init"), k[0], Exec("store")}, 2)));
}

TEST(Matmul, StridedOperand) {
  const ir::Function f = Matmul(8, 8, 6, 3);
  const Items k = {Loop("mad.k0 + load_a.k0 + load_b.k0", 3,
                        {Unroll("mad.k1 + load_a.k1 + load_b.k1", 2,
                                {Exec("load_a"), Exec("load_b"), Exec("mad")})})};
  ExpectCorrect(f, Draw(f, MergedTiles("init mad store load_a", "init mad store load_b",
                                       {Exec("init"), k[0], Exec("store")}, 2)));
}

/// The classic: B packed through a SHARED tile, registers of 4 x (2 vectors of 8), blocks.
Schedule Blocked(const ir::Function& f, std::uint32_t m, std::uint32_t n, std::uint32_t k,
                 bool pack_b) {
  const std::string b = pack_b ? "tmp.load_b.ld" : "load_b";
  const std::string b_all =
      pack_b ? "load_b.n0 + tmp.load_b.st.n0 + tmp.load_b.ld.n0" : "load_b.n0";
  const std::string k_all =
      pack_b ? "load_b.k0 + tmp.load_b.st.k0 + tmp.load_b.ld.k0" : "load_b.k0";
  Items k_body;
  if (pack_b) {
    k_body = {Loop("load_b.k1 + tmp.load_b.st.k1", 4,
                   {Unroll("load_b.n1 + tmp.load_b.st.n1", 2,
                           {Vector("load_b.n2 + tmp.load_b.st.n2", 8,
                                   {Exec("load_b"), Exec("tmp.load_b.st")})})})};
  }
  k_body.push_back(Loop(
      "mad.k1 + load_a.k1 + " + b + ".k1", 4,
      {Unroll("load_a.m1", 2, {Unroll("load_a.m2", 2, {Exec("load_a")})}),
       Unroll(b + ".n1", 2, {Vector(b + ".n2", 8, {Exec(b)})}),
       Unroll(
           "mad.m1", 2,
           {Unroll("mad.m2", 2, {Unroll("mad.n1", 2, {Vector("mad.n2", 8, {Exec("mad")})})})})}));
  return Draw(
      f,
      {Block(
          "init.m0 + mad.m0 + store.m0 + load_a.m0", m / 4,
          {Block("init.n0 + mad.n0 + store.n0 + " + b_all, n / 16,
                 {Unroll("init.m1", 2,
                         {Unroll("init.m2", 2,
                                 {Unroll("init.n1", 2, {Vector("init.n2", 8, {Exec("init")})})})}),
                  Loop("mad.k0 + load_a.k0 + " + k_all, k / 4, k_body),
                  Unroll("store.m1", 2,
                         {Unroll("store.m2", 2,
                                 {Unroll("store.n1", 2,
                                         {Vector("store.n2", 8, {Exec("store")})})})})})})});
}

TEST(Matmul, BlockedAndVectorised) {
  const ir::Function f = Matmul(8, 32, 12);
  const Schedule s = Blocked(f, 8, 32, 12, false);
  ExpectCorrect(f, s);
  EXPECT_THAT(PrintCpu(f, s), HasSubstr("v_mad_1_1_1 = v_load_a_1_1 * v_load_b_1 + v_mad_1_1_1;"));
  EXPECT_THAT(PrintCpu(f, s), HasSubstr("v_mad_0_1_0 = splat8(0.0f);"));
}

TEST(Matmul, BlockedWithPackedOperand) {
  const ir::Function f = Matmul(8, 32, 12);
  ExpectCorrect(f, Blocked(f, 8, 32, 12, true));
}

/// Lanes of the init go to unrolled accumulators, and unrolled inits to one vector accumulator.
TEST(Matmul, InitCrossesBetweenLanesAndRegisters) {
  const ir::Function f = Matmul(8, 16, 4);
  const Items mad = {Loop(
      "mad.k0 + load_a.k0 + load_b.k0", 2,
      {Loop("mad.k1 + load_a.k1 + load_b.k1", 2,
            {Unroll("load_a.m2", 4, {Exec("load_a")}), Unroll("load_b.n2", 4, {Exec("load_b")}),
             Unroll("mad.m2", 4, {Vector("mad.n2", 4, {Exec("mad")})})})})};
  Items body = {Unroll("init.n2", 4, {Vector("init.m2", 4, {Exec("init")})}), mad[0],
                Unroll("store.m2", 4, {Unroll("store.n2", 4, {Exec("store")})})};
  body = {Loop("init.n1 + mad.n1 + store.n1 + load_b.n1", 2, body)};
  body = {Loop("init.m1 + mad.m1 + store.m1 + load_a.m1", 1, body)};
  body = {Loop("init.n0 + mad.n0 + store.n0 + load_b.n0", 2, body)};
  body = {Loop("init.m0 + mad.m0 + store.m0 + load_a.m0", 2, body)};
  const Schedule s = Draw(f, body);
  EXPECT_THAT(PrintCpu(f, s), HasSubstr("v_mad_3[2] = 0.0f;"));
  ExpectCorrect(f, s);
}

/// A scalar load in another instruction's VECTOR loop is made once and spread over the lanes.
TEST(Matmul, ScalarInsideAForeignVector) {
  const ir::Function f = Matmul(8, 16, 4);
  Items body = {
      Vector("init.n2", 4, {Exec("init")}),
      Loop(
          "mad.k0 + load_a.k0 + load_b.k0", 2,
          {Loop("mad.k1 + load_a.k1 + load_b.k1", 2,
                {Vector("mad.n2 + load_b.n2", 4, {Exec("load_a"), Exec("load_b"), Exec("mad")})})}),
      Vector("store.n2", 4, {Exec("store")})};
  body = {Loop("init.n1 + mad.n1 + store.n1 + load_b.n1", 2, body)};
  body = {Loop("init.n0 + mad.n0 + store.n0 + load_b.n0", 2, body)};
  for (const char* level : {"m2", "m1", "m0"}) {
    const std::string l = level;
    body = {Loop("init." + l + " + mad." + l + " + store." + l + " + load_a." + l, 2, body)};
  }
  const Schedule s = Draw(f, body);
  const std::string text = PrintCpu(f, s);
  EXPECT_THAT(text, HasSubstr("v_mad = v_load_a * v_load_b + v_mad;"));
  ExpectCorrect(f, s);
}

/// A tile of 2 x 2 sums in registers; `column` is the innermost loop of its copies.
Schedule RegisterTile(const ir::Function& f, const std::string& column) {
  const auto tile = [](const std::string& inst) {
    return Unroll(inst + ".m2", 2, {Unroll(inst + ".n2", 2, {Exec(inst)})});
  };
  const bool by_sums = column == "k1";
  const Items mad = {
      by_sums ? Unroll("mad.m2", 2, {Unroll("mad.n2", 2, {Unroll("mad.k1", 2, {Exec("mad")})})})
              : tile("mad")};
  const Item load_a = Unroll("load_a.m2", 2, {Exec("load_a")});
  const Item load_b = Unroll("load_b.n2", 2, {Exec("load_b")});
  Items sum = by_sums ? Items{Unroll("load_a.k1", 2, {load_a}), Unroll("load_b.k1", 2, {load_b})}
                      : Items{load_a, load_b};
  sum.insert(sum.end(), mad.begin(), mad.end());
  if (!by_sums) sum = {Loop("mad.k1 + load_a.k1 + load_b.k1", 2, sum)};
  Items body = {tile("init"), Loop("mad.k0 + load_a.k0 + load_b.k0", 3, sum), tile("store")};
  for (const std::string level : {"1", "0"}) {
    const auto dims = [&](const std::string& axis, const std::string& load) {
      const std::string name = axis + level;
      return "init." + name + " + mad." + name + " + store." + name + " + " + load + "." + name;
    };
    body = {Loop(dims("n", "load_b"), 2, body)};
    body = {Loop(dims("m", "load_a"), 2, body)};
  }
  Schedule s = Draw(f, body);
  for (const ir::Instruction& inst : f.insts) {
    if (inst.is_reduction()) s.walk.Set(inst.id, Walk::SERPENTINE);
  }
  return s;
}

/// Copies of the loop right around the reduction, in row `row` of them.
std::vector<std::uint32_t> CopiesInRow(const ir::Function& f, const Schedule& s, int row) {
  const LoopTree tree = *BuildLoopTree(f, s).tree;
  std::vector<std::uint32_t> copies;
  for (const ir::Instruction& inst : f.insts) {
    if (!inst.is_reduction()) continue;
    const LoopNode& node = tree.node(tree.node(tree.node_of_inst[inst.id.index()]).parent);
    ForEachCopy(
        tree, node, [&](int) { return row; }, [&](std::uint32_t copy) { copies.push_back(copy); });
  }
  return copies;
}

TEST(Matmul, SerpentineTurnsEveryOtherRow) {
  const ir::Function f = Matmul(8, 8, 6);
  Schedule s = RegisterTile(f, "n2");
  ExpectCorrect(f, s);
  EXPECT_THAT(CopiesInRow(f, s, 0), ::testing::ElementsAre(0, 1));
  EXPECT_THAT(CopiesInRow(f, s, 1), ::testing::ElementsAre(1, 0));
  const std::string turned = PrintCpu(f, s);
  s.walk = {};
  EXPECT_THAT(CopiesInRow(f, s, 1), ::testing::ElementsAre(0, 1));
  EXPECT_NE(PrintCpu(f, s), turned);
}

/// The copies of one sum depend on each other: they stay in order.
TEST(Matmul, SumsAreNotTurned) {
  const ir::Function f = Matmul(8, 8, 6);
  const Schedule s = RegisterTile(f, "k1");
  ExpectCorrect(f, s);
  EXPECT_THAT(CopiesInRow(f, s, 1), ::testing::ElementsAre(0, 1));
}

}  // namespace
}  // namespace exh::kernels::codegen::testing

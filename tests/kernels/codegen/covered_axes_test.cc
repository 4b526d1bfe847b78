// SPDX-License-Identifier: MIT
#include "kernels/codegen/memory/covered_axes.h"

#include <gtest/gtest.h>

#include <string>

#include "kernels/ir/builder.h"

namespace exh::kernels::codegen {
namespace {

using ir::Op;

/// The axes of a nest that are guarded, "m k".
std::string Guarded(const ir::Function& function, const std::string& name) {
  for (const ir::Instruction& inst : function.insts) {
    if (inst.name() != name) continue;
    std::string text;
    for (const ir::LogicalDimId axis : GuardedAxes(function, inst)) {
      const std::string& full = function.logical(axis).name;
      text += (text.empty() ? "" : " ") + full.substr(full.rfind('.') + 1);
    }
    return text;
  }
  return "nothing has that name";
}

/// Axes m = 10, covered by 12, k = 30, by 32, l = 8, not covered.
struct Parts {
  ir::Function function;
  ir::Builder b{function, true};
  ir::ArrayId a = b.InputArray("a", 10 * 30), w = b.InputArray("w", 30 * 8),
              x = b.InputArray("x", 8), y = b.OutputArray("y", 10);
  ir::AxisRef m = b.CoveredAxis("m", 10, 12, {}), k = b.CoveredAxis("k", 30, 32, {}),
              l = b.Axis("l", 8, {});
  ir::Value load_a = b.Load("load_a", a, {{m, 30}, {k, 1}});
  ir::Value load_w = b.Load("load_w", w, {{k, 8}, {l, 1}});
  ir::Value load_x = b.Load("load_x", x, {{l, 1}});
  ir::Value init = b.Compute("init", Op::kConst, {m}, {ir::Literal(0)});

  void Reduce(Op op, const std::vector<ir::AxisRef>& reduce, const std::vector<ir::Input>& inputs) {
    std::vector<ir::AxisRef> axes = reduce;
    axes.insert(axes.begin(), m);
    const ir::Value value = b.Reduce("red", op, axes, reduce, init, inputs);
    b.Store("store", y, {{m, 1}}, ir::InRegisters(value));
  }
};

TEST(CoveredAxes, LoadsAndStoresAreGuardedAlongTheirOwn) {
  Parts p;
  p.Reduce(Op::kAdd, {p.k}, {ir::MayStage(p.load_a)});
  EXPECT_EQ(Guarded(p.function, "load_a"), "m k");
  EXPECT_EQ(Guarded(p.function, "load_w"), "k");
  EXPECT_EQ(Guarded(p.function, "load_x"), "");
  EXPECT_EQ(Guarded(p.function, "init"), "");
  EXPECT_EQ(Guarded(p.function, "store"), "m");
}

TEST(CoveredAxes, SumsOfWhatReadsAs0NeedNoGuard) {
  Parts sum;
  sum.Reduce(Op::kAdd, {sum.k}, {ir::MayStage(sum.load_a)});
  EXPECT_EQ(Guarded(sum.function, "red"), "");
  Parts product;
  product.Reduce(Op::kMad, {product.k, product.l},
                 {ir::MayStage(product.load_a), ir::MayStage(product.load_w)});
  EXPECT_EQ(Guarded(product.function, "red"), "");
}

TEST(CoveredAxes, OtherStepsAreGuarded) {
  for (const Op op : {Op::kMax, Op::kMin, Op::kMul}) {
    Parts p;
    p.Reduce(op, {p.k}, {ir::MayStage(p.load_a)});
    EXPECT_EQ(Guarded(p.function, "red"), "k") << static_cast<int>(op);
  }
  // What does not move along the axis is not 0 beyond it, and 0 times infinity is none.
  Parts p;
  p.Reduce(Op::kMad, {p.k, p.l}, {ir::MayStage(p.load_a), ir::MayStage(p.load_x)});
  EXPECT_EQ(Guarded(p.function, "red"), "k");
  Parts scaled;
  scaled.Reduce(Op::kMad, {scaled.k}, {ir::MayStage(scaled.load_a), ir::Literal(2)});
  EXPECT_EQ(Guarded(scaled.function, "red"), "k");
  // Nor is what is computed of what reads as 0.
  Parts computed;
  const ir::Value exp = computed.b.Compute("exp", Op::kExp, {computed.m, computed.k},
                                           {ir::MayStage(computed.load_a)});
  computed.Reduce(Op::kAdd, {computed.k}, {ir::InRegisters(exp)});
  EXPECT_EQ(Guarded(computed.function, "red"), "k");
}

TEST(CoveredAxes, AxesThatAreNotCoveredNeedNone) {
  Parts p;
  p.Reduce(Op::kMax, {p.l}, {ir::MayStage(p.load_x)});
  EXPECT_EQ(Guarded(p.function, "red"), "");
}

}  // namespace
}  // namespace exh::kernels::codegen

// SPDX-License-Identifier: MIT
#include "kernels/ir/builder.h"

#include <gtest/gtest.h>

#include "kernels/ir/target.h"

namespace exh::kernels::ir {
namespace {

/// y = A x with m and k tiled once.
Target MatVec() {
  Target f;
  f.paper = true;
  Builder b(f, f.paper);
  const ArrayId a = b.InputArray("a", 96 * 60), x = b.InputArray("x", 60);
  const ArrayId y = b.OutputArray("y", 96);
  const AxisRef m = b.Axis("m", 96, {{2, 8}}), k = b.Axis("k", 60, {{2, 8}});
  const Value load_a = b.Load("load_a", a, {{m, 60}, {k, 1}});
  const Value load_x = b.Load("load_x", x, {{k, 1}});
  const Value init = b.Compute("init", Op::kConst, {m}, {Literal(0)});
  const Value mad =
      b.Reduce("mad", Op::kMad, {m, k}, {k}, init, {MayStage(load_a), MayStage(load_x)});
  b.Store("store", y, {{m, 1}}, InRegisters(mad));
  return f;
}

TEST(Builder, GivesEveryInstructionANestOfItsOwn) {
  const Target f = MatVec();
  ASSERT_EQ(f.insts.size(), 5u);
  EXPECT_EQ(f.dims.size(), 4u + 2 + 2 + 4 + 2);
  for (const Dimension& dim : f.dims) {
    EXPECT_TRUE(f.is_own(f.inst(dim.inst), dim)) << dim.name();
    std::uint32_t total = f.logical(dim.logical).total;
    for (const std::uint32_t size : dim.sizes) EXPECT_EQ(total % size, 0u) << dim.name();
  }
  EXPECT_EQ(f.dims[0].name(), "load_a.m0");
}

TEST(Builder, PairsTheAxesThatProducerAndConsumerShare) {
  const Target f = MatVec();
  ASSERT_EQ(f.comms.size(), 4u);
  const Communication& a = f.comms[0];
  EXPECT_EQ(a.name(), "load_a:mad");
  EXPECT_TRUE(a.may_lower);
  ASSERT_EQ(a.pairs.size(), 4u);
  EXPECT_EQ(f.dim(f.pair(a.pairs[3]).src).name(), "load_a.k1");
  EXPECT_EQ(f.dim(f.pair(a.pairs[3]).dst).name(), "mad.k1");
  const Communication& init = f.comms[2];
  EXPECT_TRUE(init.is_init);
  EXPECT_FALSE(init.may_lower);
  EXPECT_EQ(init.pairs.size(), 2u) << "init has no k";
  const Communication& store = f.comms[3];
  EXPECT_EQ(store.pairs.size(), 2u) << "a reduced axis is gone";
}

TEST(Builder, MarksReductionDims) {
  const Target f = MatVec();
  const Instruction& mad = f.insts[3];
  EXPECT_TRUE(mad.is_reduction());
  EXPECT_TRUE(mad.executes_once());
  ASSERT_EQ(mad.reduce_dims.size(), 2u);
  EXPECT_EQ(f.dim(mad.reduce_dims[0]).name(), "mad.k0");
  for (const Dimension& dim : f.dims) {
    EXPECT_EQ(dim.is_reduction, dim.name().substr(0, 5) == "mad.k") << dim.name();
  }
}

TEST(Builder, KnowsWhichDimsVectorAccessesMayRunAlong) {
  const Target f = MatVec();
  const auto legal = [&](std::size_t inst) {
    std::string names;
    for (const DimId dim : f.insts[inst].dims) {
      if (f.vectorizable(f.insts[inst], f.dim(dim))) names += f.dim(dim).name() + " ";
    }
    return names;
  };
  EXPECT_EQ(legal(0), "load_a.k1 ") << "the innermost level of the contiguous axis";
  EXPECT_EQ(legal(1), "load_x.k1 ");
  EXPECT_EQ(legal(4), "store.m1 ");
}

TEST(Builder, TellsTheSameValueReadTwiceApart) {
  Target f;
  f.paper = true;
  Builder b(f, f.paper);
  const ArrayId x = b.InputArray("x", 8), y = b.OutputArray("y", 8);
  const AxisRef n = b.Axis("n", 8, {});
  const Value load = b.Load("load", x, {{n, 1}});
  const Value square = b.Compute("square", Op::kMul, {n}, {MayStage(load), MayStage(load)});
  b.Store("store", y, {{n, 1}}, InRegisters(square));
  EXPECT_EQ(f.comms[0].name(), "load:square");
  EXPECT_EQ(f.comms[1].name(), "load:square.1");
}

/// y[i] = x[i] / z[i].
Target Quotients(std::uint32_t n, Type type, bool may_cover, bool& must_cover_nothing) {
  Target f;
  Builder b(f);
  if (!may_cover) b.CoverNothing();
  const ArrayId x = b.InputArray("x", n, type), z = b.InputArray("z", n, type);
  const ArrayId y = b.OutputArray("y", n, type);
  const AxisRef axis = b.Axis("n", n, {{2, 32}});
  const Value load_x = b.Load("load_x", x, {{axis, 1}}), load_z = b.Load("load_z", z, {{axis, 1}});
  const Value quotient =
      b.Compute("quotient", Op::kDiv, {axis}, {MayStage(load_x), MayStage(load_z)});
  b.Store("store", y, {{axis, 1}}, InRegisters(quotient));
  b.Finish();
  must_cover_nothing = b.must_cover_nothing();
  return f;
}

TEST(Builder, CoversAxesWithoutDivisorsAlike) {
  bool must_cover_nothing = true;
  const Target f = Quotients(1021, Type::kF32, true, must_cover_nothing);
  EXPECT_FALSE(must_cover_nothing) << "floats have infinities";
  for (const LogicalDim& axis : f.logical_dims) {
    EXPECT_EQ(axis.total, 1021u) << axis.name;
    EXPECT_EQ(axis.extent, 1024u) << axis.name;
    EXPECT_TRUE(axis.covers());
  }
  for (const Dimension& dim : f.dims) {
    for (const std::uint32_t size : dim.sizes) EXPECT_EQ(1024 % size, 0u) << dim.name();
  }
}

TEST(Builder, CoversNothingWhereIntegersAreDivided) {
  bool must_cover_nothing = false;
  const Target covered = Quotients(1021, Type::kI32, true, must_cover_nothing);
  EXPECT_TRUE(must_cover_nothing);
  const Target f = Quotients(1021, Type::kI32, false, must_cover_nothing);
  EXPECT_FALSE(must_cover_nothing);
  for (const LogicalDim& axis : f.logical_dims) EXPECT_FALSE(axis.covers()) << axis.name;
  Quotients(1024, Type::kI32, true, must_cover_nothing);
  EXPECT_FALSE(must_cover_nothing) << "nothing is covered";
}

TEST(Builder, AccessesAlongACoveredAxisAreAsWideAsDividesIt) {
  const auto widths = [](std::uint32_t n) {
    bool ignored = false;
    Target f = Quotients(n, Type::kF32, true, ignored);
    f.device.vector_arithmetic = false;
    f.device.vector_sizes = {2, 4};
    return f.vec_universe(f.insts[0]);
  };
  EXPECT_EQ(widths(1024), (std::vector<std::uint32_t>{1, 2, 4}));
  EXPECT_EQ(widths(1000), (std::vector<std::uint32_t>{1, 2, 4}));
  EXPECT_EQ(widths(1002), (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(widths(1021), (std::vector<std::uint32_t>{1}));
}

TEST(Builder, RefusesToCoverWithLess) {
  Target f;
  Builder b(f);
  EXPECT_THROW(b.CoveredAxis("n", 10, 9, {}), BackboneError);
}

}  // namespace
}  // namespace exh::kernels::ir

// SPDX-License-Identifier: MIT
//
// What an author of a kernel gets wrong is refused where it is written, and the message names it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>

#include "kernels/ir/builder.h"
#include "kernels/ir/lowering.h"
#include "kernels/ir/target.h"

namespace exh::kernels::ir {
namespace {

/// y = A x, right in every part: what a mistake is planted in.
struct Parts {
  Builder& b;
  ArrayId a, x, y;
  AxisRef m, k;
  Value load_a, load_x, init, mad;
};

/// What the builder says when `mistake` follows the parts; "" if nothing.
std::string Refusal(const std::function<void(Parts&)>& mistake) {
  Function f;
  Builder b(f);
  b.Scalar("alpha", 2);
  Parts p{b,
          b.InputArray("a", 96 * 60),
          b.InputArray("x", 60),
          b.OutputArray("y", 96),
          b.Axis("m", 96, {{2, 8}}),
          b.Axis("k", 60, {{2, 8}}),
          {},
          {},
          {},
          {}};
  p.load_a = b.Load("load_a", p.a, {{p.m, 60}, {p.k, 1}});
  p.load_x = b.Load("load_x", p.x, {{p.k, 1}});
  p.init = b.Compute("init", Op::kConst, {p.m}, {Literal(0)});
  p.mad = b.Reduce("mad", Op::kMad, {p.m, p.k}, {p.k}, p.init,
                   {MayStage(p.load_a), MayStage(p.load_x)});
  try {
    mistake(p);
  } catch (const BackboneError& error) {
    return error.what();
  }
  return "";
}

TEST(BuilderMistakes, NothingIsSaidOfWhatIsRight) {
  EXPECT_EQ(Refusal([](Parts& p) {
              p.b.Store("store", p.y, {{p.m, 1}}, InRegisters(p.mad));
              p.b.Finish();
            }),
            "");
}

TEST(BuilderMistakes, NumbersOfOperands) {
  EXPECT_EQ(Refusal([](Parts& p) { p.b.Compute("sum", Op::kAdd, {p.m}, {InRegisters(p.mad)}); }),
            "value 'sum': kAdd takes 2 operands, got 1");
  EXPECT_EQ(Refusal([](Parts& p) { p.b.Compute("c", Op::kConst, {p.m}, {}); }),
            "value 'c': kConst takes 1 operand, got 0");
  EXPECT_EQ(Refusal([](Parts& p) {
              p.b.Compute("c", Op::kMad, {p.m}, {Literal(1), InRegisters(p.mad)});
            }),
            "value 'c': kMad takes 3 operands, got 2");
  EXPECT_EQ(Refusal([](Parts& p) {
              p.b.Reduce("r", Op::kMad, {p.m, p.k}, {p.k}, p.init, {MayStage(p.load_a)});
            }),
            "value 'r': as a reduction, kMad takes 2 operands, got 1");
  EXPECT_THAT(Refusal([](Parts& p) { p.b.Compute("l", Op::kLoad, {p.m}, {Literal(1)}); }),
              testing::HasSubstr("value 'l': Compute() takes an operator"));
  EXPECT_EQ(Refusal([](Parts& p) {
              p.b.Reduce("r", Op::kDiv, {p.m, p.k}, {p.k}, p.init, {MayStage(p.load_a)});
            }),
            "value 'r': Reduce() takes kMad, kAdd, kMul, kMin or kMax, got kDiv");
}

TEST(BuilderMistakes, NamesThatAreMissingOrTaken) {
  EXPECT_EQ(
      Refusal([](Parts& p) {
        p.b.Compute("scaled", Op::kMul, {p.m}, {ScalarArg("beta"), InRegisters(p.mad)});
      }),
      "value 'scaled': there is no scalar 'beta'; Scalar(\"beta\", value) declares it, before "
      "it is used");
  EXPECT_EQ(Refusal([](Parts& p) { p.b.InputArray("x", 1); }),
            "array 'x': there is already an array of that name");
  EXPECT_EQ(Refusal([](Parts& p) { p.b.Scalar("x", 1); }),
            "scalar 'x': there is already an array of that name");
  EXPECT_EQ(Refusal([](Parts& p) { p.b.OutputArray("alpha", 1); }),
            "array 'alpha': there is already a scalar of that name");
  EXPECT_EQ(Refusal([](Parts& p) { p.b.Axis("m", 2, {}); }),
            "axis 'm': there is already an axis of that name");
  EXPECT_EQ(Refusal([](Parts& p) {
              p.b.Load("mad", p.x, {{p.k, 1}});
            }),
            "load 'mad': there is already a value of that name");
  for (const std::string name : {"", "a b", "1st", "a.b", "a,b", "a(b", "\xc3\xa4"}) {
    const std::string rule =
        "': a name is made of letters, digits and '_', and begins with no digit";
    EXPECT_EQ(Refusal([&](Parts& p) { p.b.InputArray(name, 1); }), "array '" + name + rule);
    EXPECT_EQ(Refusal([&](Parts& p) { p.b.Axis(name, 1, {}); }), "axis '" + name + rule);
    EXPECT_EQ(Refusal([&](Parts& p) { p.b.Scalar(name, 1); }), "scalar '" + name + rule);
    EXPECT_EQ(Refusal([&](Parts& p) { p.b.Load(name, p.x, {}); }), "value '" + name + rule);
  }
}

TEST(BuilderMistakes, SizesThatMakeNoSense) {
  EXPECT_EQ(Refusal([](Parts& p) { p.b.InputArray("e", 0); }), "array 'e': it has no elements");
  EXPECT_EQ(Refusal([](Parts& p) { p.b.Axis("e", 0, {}); }), "axis 'e': it has no iterations");
  EXPECT_EQ(Refusal([](Parts& p) { p.b.Axis("e", 2, Tiling(9)); }),
            "axis 'e': it has 9 tile levels, at most 8 are possible");
  EXPECT_EQ(Refusal([](Parts& p) { p.b.Scalar("e", std::numeric_limits<float>::infinity()); }),
            "scalar 'e': its value is inf; it must be finite");
}

TEST(BuilderMistakes, AccessesThatLeaveTheirArray) {
  EXPECT_EQ(
      Refusal([](Parts& p) {
        p.b.Load("l", p.x, {{p.m, 1}});
      }),
      "load 'l': it reaches element 95 in array 'x', which has elements 0 to 59 (axis m takes "
      "96 steps of 1)");
  EXPECT_EQ(
      Refusal([](Parts& p) {
        p.b.Load("l", p.x, {{p.k, 1}}, 1);
      }),
      "load 'l': it reaches element 60 in array 'x', which has elements 0 to 59 (axis k takes "
      "60 steps of 1, from element 1)");
  EXPECT_EQ(
      Refusal([](Parts& p) {
        p.b.Load("l", p.x, {{p.k, 1}, {p.m, 1}});
      }),
      "load 'l': it reaches element 154 in array 'x', which has elements 0 to 59 (axis k takes "
      "60 steps of 1, m takes 96 steps of 1)");
  EXPECT_EQ(
      Refusal([](Parts& p) {
        p.b.Load("l", p.x, {{p.k, -1}});
      }),
      "load 'l': it reaches element -59 in array 'x', which has elements 0 to 59 (axis k takes "
      "60 steps of -1)");
  static constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
  EXPECT_THAT(Refusal([](Parts& p) {
                p.b.Load("l", p.x, {{p.k, kHuge}});
              }),
              testing::HasSubstr("it reaches beyond 2^63 in array 'x'"));
  EXPECT_EQ(Refusal([](Parts& p) {
              p.b.Load("l", p.a, {{p.k, 1}, {p.k, 60}});
            }),
            "load 'l': axis k stands twice; for a diagonal, one axis with the sum of both strides");
  EXPECT_EQ(Refusal([](Parts& p) {
              p.b.Load("l", p.x, {{AxisRef(), 1}});
            }),
            "load 'l': its axis number 1 was not made by Axis() of this builder");
  EXPECT_THAT(Refusal([](Parts& p) {
                p.b.Load("l", ArrayId(), {{p.k, 1}});
              }),
              testing::HasSubstr("its array was not made by"));
  EXPECT_THAT(Refusal([](Parts& p) {
                p.b.Load("l", p.y, {{p.m, 1}});
              }),
              testing::HasSubstr("array 'y' is an output"));
  EXPECT_THAT(Refusal([](Parts& p) {
                p.b.Store("s", p.x, {{p.k, 1}}, InRegisters(p.load_x));
              }),
              testing::HasSubstr("array 'x' is an input"));
}

TEST(BuilderMistakes, StoresThatDoNotWriteEachElementOnce) {
  EXPECT_EQ(
      Refusal([](Parts& p) {
        const ArrayId z = p.b.OutputArray("z", 100);
        p.b.Store("s", z, {{p.m, 1}}, InRegisters(p.mad));
      }),
      "store 's': it writes 96 of the 100 elements of array 'z'; every element of an output is "
      "written");
  EXPECT_THAT(Refusal([](Parts& p) {
                p.b.Store("s", p.y, {{p.m, 1}, {p.k, 0}}, InRegisters(p.mad));
              }),
              testing::HasSubstr("store 's': it writes elements of array 'y' more than once"));
  EXPECT_THAT(Refusal([](Parts& p) {
                const ArrayId z = p.b.OutputArray("z", 96 * 60);
                p.b.Store("s", z, {{p.m, 1}, {p.k, 1}}, InRegisters(p.load_a));
              }),
              testing::HasSubstr("more than once"));
  EXPECT_EQ(Refusal([](Parts& p) {
              p.b.Store("s", p.y, {{p.m, 1}}, InRegisters(p.mad));
              p.b.Store("again", p.y, {{p.m, 1}}, InRegisters(p.init));
            }),
            "store 'again': array 'y' is already written by 's'");
  // Transposed: the digits of the index in another order.
  EXPECT_EQ(Refusal([](Parts& p) {
              const ArrayId z = p.b.OutputArray("z", 96 * 60);
              p.b.Store("s", z, {{p.m, 1}, {p.k, 96}}, InRegisters(p.load_a));
            }),
            "");
}

TEST(BuilderMistakes, AxesOfValues) {
  EXPECT_EQ(
      Refusal([](Parts& p) {
        p.b.Compute("c", Op::kMul, {p.m}, {Literal(2), MayStage(p.load_a)});
      }),
      "value 'c': it reads 'load_a', which has another value for each step of axis k; it must "
      "iterate over that axis, too (its axes: m)");
  EXPECT_THAT(Refusal([](Parts& p) {
                p.b.Store("s", p.y, {{p.m, 1}}, InRegisters(p.load_x));
              }),
              testing::HasSubstr("store 's': it reads 'load_x'"));
  EXPECT_EQ(Refusal([](Parts& p) {
              p.b.Reduce("r", Op::kAdd, {p.m, p.k}, {p.k}, p.load_x, {MayStage(p.load_a)});
            }),
            "value 'r': its initial value 'load_x' must have the axes that are not reduced (m), it "
            "has k");
  EXPECT_THAT(Refusal([](Parts& p) {
                p.b.Reduce("r", Op::kAdd, {p.m}, {p.k}, p.init, {MayStage(p.init)});
              }),
              testing::HasSubstr("it reduces over an axis that is not one of its axes (m)"));
  EXPECT_THAT(
      Refusal([](Parts& p) { p.b.Reduce("r", Op::kAdd, {p.m}, {}, p.init, {MayStage(p.init)}); }),
      testing::HasSubstr("it reduces over no axis"));
  EXPECT_THAT(
      Refusal([](Parts& p) { p.b.Compute("c", Op::kConst, {p.m}, {InRegisters(Value())}); }),
      testing::HasSubstr("a value that it reads was not made by this builder"));
  EXPECT_THAT(Refusal([](Parts& p) {
                p.b.Reduce("r", Op::kAdd, {p.m, p.k}, {p.k}, Value(), {MayStage(p.load_a)});
              }),
              testing::HasSubstr("a value that it reads was not made by this builder"));
  // A reduced axis is gone: what reads the sum need not have it.
  EXPECT_EQ(Refusal([](Parts& p) { p.b.Compute("c", Op::kConst, {p.m}, {InRegisters(p.mad)}); }),
            "");
}

TEST(BuilderMistakes, WhatIsLeftOpen) {
  EXPECT_EQ(Refusal([](Parts& p) { p.b.Finish(); }),
            "array 'y' is an output that no Store() writes");
  EXPECT_EQ(Refusal([](Parts& p) {
              p.b.Store("s", p.y, {{p.m, 1}}, InRegisters(p.mad));
              p.b.Load("unused", p.x, {{p.k, 1}});
              p.b.Finish();
            }),
            "value 'unused': nothing reads it");
  Function f;
  Builder b(f);
  b.InputArray("x", 1);
  EXPECT_THROW(b.Finish(), BackboneError);
}

TEST(BuilderMistakes, MoreObjectsThanIdsCanName) {
  EXPECT_THAT(Refusal([](Parts& p) {
                const ArrayId z = p.b.InputArray("z", 1);
                Strides strides;
                for (int axis = 0; axis < 20; ++axis) {
                  const std::string name = "axis" + std::to_string(axis);
                  strides.emplace_back(p.b.Axis(name, 1 << 12, {{2, 8}, {2, 8}}), 0);
                }
                for (int i = 0; i < 3000; ++i) p.b.Load("l" + std::to_string(i), z, strides);
              }),
              testing::HasSubstr("more than 65534 objects of one kind"));
}

/// y[n] = sum over k of x[n + k]: an access that moves by one element along two axes.
TEST(Builder, AnAccessMayOverlapItself) {
  Target f;
  f.device.vector_sizes = {2, 4};
  f.device.vector_arithmetic = false;
  Builder b(f);
  const ArrayId x = b.InputArray("x", 64 + 7), y = b.OutputArray("y", 64);
  const AxisRef n = b.Axis("n", 64, {}), k = b.Axis("k", 8, {});
  const Value load = b.Load("load", x, {{n, 1}, {k, 1}});
  const Value init = b.Compute("init", Op::kConst, {n}, {Literal(0)});
  const Value sum = b.Reduce("sum", Op::kAdd, {n, k}, {k}, init, {MayStage(load)});
  b.Store("store", y, {{n, 1}}, InRegisters(sum));
  b.Finish();
  const Instruction& inst = f.insts.front();
  std::string contiguous;
  for (const DimId dim : inst.dims) {
    if (f.is_contiguous(inst, f.dim(dim))) contiguous += f.dim(dim).name() + " ";
  }
  EXPECT_EQ(contiguous, f.contiguous_dim(inst).front().get().name() + " ") << "one and the same";
  EXPECT_THAT(f.vec_universe(inst), testing::ElementsAre(1))
      << "x[n + 1] is not aligned to more than an element";
}

/// What the caller promises of an address limits how wide accesses are.
TEST(Builder, AccessesAreAsWideAsArraysAreAligned) {
  Target f;
  f.device.vector_sizes = {2, 4};
  f.device.vector_arithmetic = false;
  Builder b(f);
  const ArrayId x = b.InputArray("x", 64, Type::kF32, 4), w = b.InputArray("w", 64, Type::kF16, 8);
  const ArrayId y = b.OutputArray("y", 64);
  const AxisRef n = b.Axis("n", 64, {});
  const Value of_x = b.Load("load_x", x, {{n, 1}}), of_w = b.Load("load_w", w, {{n, 1}});
  const Value mul = b.Compute("mul", Op::kMul, {n}, {MayStage(of_x), MayStage(of_w)});
  b.Store("store", y, {{n, 1}}, InRegisters(mul));
  EXPECT_THAT(f.vec_universe(f.insts[0]), testing::ElementsAre(1));
  EXPECT_THAT(f.vec_universe(f.insts[1]), testing::ElementsAre(1, 2, 4));
  EXPECT_THAT(f.vec_universe(f.insts.back()), testing::ElementsAre(1, 2, 4));
  EXPECT_THROW(b.InputArray("v", 64, Type::kF32, 2), BackboneError);
  EXPECT_THROW(b.InputArray("v", 64, Type::kF32, 12), BackboneError);
}

}  // namespace
}  // namespace exh::kernels::ir

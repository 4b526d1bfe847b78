// SPDX-License-Identifier: MIT
//
// References in other types than f32, against plain loops.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "kernels/derived/expression.h"
#include "kernels/ir/ops.h"
#include "tests/kernels/derived/computed.h"

namespace exh::kernels::derived {
namespace {

using ir::AxisRef;
using ir::Builder;
using ir::InRegisters;
using ir::Literal;
using ir::MayStage;
using ir::Op;
using ir::Type;
using ir::Value;
using testing::Computed;
using testing::kUnit;
using testing::Random;
using testing::Tolerance;

/// z = op(x, y) of one type.
Computed TypedPair(Op op, Type type, const std::vector<double>& x, const std::vector<double>& y) {
  return Computed(
      [&](Builder& b) {
        const auto in_x = b.InputArray("x", x.size(), type),
                   in_y = b.InputArray("y", x.size(), type);
        const AxisRef n = b.Axis("n", static_cast<std::uint32_t>(x.size()), {});
        const Value load_x = b.Load("load_x", in_x, {{n, 1}});
        const Value load_y = b.Load("load_y", in_y, {{n, 1}});
        const Value value = b.Compute("value", op, {n}, {MayStage(load_x), MayStage(load_y)});
        const auto out = b.OutputArray("z", x.size(), b.TypeOf(value));
        b.Store("store", out, {{n, 1}}, InRegisters(value));
      },
      {{"x", x}, {"y", y}});
}

/// y = x, computed by what `value` makes of it, and stored to a type.
Computed Stored(Type from, Type to, const std::vector<double>& x,
                const std::function<Value(Builder&, AxisRef, Value)>& value) {
  return Computed(
      [&](Builder& b) {
        const auto in = b.InputArray("x", x.size(), from), out = b.OutputArray("y", x.size(), to);
        const AxisRef n = b.Axis("n", static_cast<std::uint32_t>(x.size()), {});
        const Value load = b.Load("load", in, {{n, 1}});
        b.Store("store", out, {{n, 1}}, InRegisters(value(b, n, load)));
      },
      {{"x", x}});
}
Value Same(Builder&, AxisRef, Value value) {
  return value;
}
Value Squared(Builder& b, AxisRef n, Value value) {
  return b.Compute("square", Op::kMul, {n}, {MayStage(value), MayStage(value)});
}

TEST(Reference, DoublesErrInTheirOwnUnit) {
  const Computed c = TypedPair(Op::kAdd, Type::kF64, {1.0 / 3, 1e300, 0}, {2.0 / 3, 1e300, 0});
  EXPECT_EQ(c.reference("z"), (std::vector<double>{1.0 / 3 + 2.0 / 3, 2e300, 0}));
  EXPECT_DOUBLE_EQ(c.tolerance("z")[0], 2 * 0x1p-52);  // Twice the worst case, of two that err.
  EXPECT_EQ(c.tolerance("z")[2], 0);
  const Computed product = TypedPair(Op::kMul, Type::kF64, {1e-200}, {1e-200});
  EXPECT_EQ(product.reference("z")[0], 0);
  EXPECT_DOUBLE_EQ(c.data.at("z").rms_limit, RmsLimit(1, 3));
}

TEST(Reference, IntegersDoNotErr) {
  const std::vector<double> x = {7, -7, 2147483647, 6}, y = {2, 2, 1, -3};
  const std::map<Op, std::vector<double>> expected = {{Op::kAdd, {9, -5, -2147483648.0, 3}},
                                                      {Op::kMul, {14, -14, 2147483647, -18}},
                                                      {Op::kDiv, {3, -3, 2147483647, -2}},
                                                      {Op::kMin, {2, -7, 1, -3}},
                                                      {Op::kAnd, {2, 0, 1, 4}},
                                                      {Op::kOr, {7, -5, 2147483647, -1}},
                                                      {Op::kXor, {5, -5, 2147483646, -5}},
                                                      {Op::kLess, {0, 1, 0, 0}}};
  for (const auto& [op, values] : expected) {
    const Computed c = TypedPair(op, Type::kI32, x, y);
    EXPECT_EQ(c.reference("z"), values) << ir::InfoOf(op).name;
    EXPECT_EQ(c.tolerance("z"), std::vector<double>(4, 0)) << ir::InfoOf(op).name;
    EXPECT_EQ(c.data.at("z").rms_limit, 1);
  }
  const Computed c = TypedPair(Op::kSub, Type::kU32, {1, 5}, {2, 5});
  EXPECT_EQ(c.reference("z"), (std::vector<double>{4294967295.0, 0}));
  EXPECT_FALSE(std::signbit(c.reference("z")[1]));
}

TEST(Reference, Bools) {
  const std::vector<double> x = {0, 0, 1, 1}, y = {0, 1, 0, 1};
  EXPECT_EQ(TypedPair(Op::kAnd, Type::kBool, x, y).reference("z"),
            (std::vector<double>{0, 0, 0, 1}));
  EXPECT_EQ(TypedPair(Op::kMax, Type::kBool, x, y).reference("z"),
            (std::vector<double>{0, 1, 1, 1}));
  EXPECT_EQ(TypedPair(Op::kAdd, Type::kBool, x, y).reference("z"),
            (std::vector<double>{0, 1, 1, 2}));
  const Computed c = Stored(Type::kBool, Type::kBool, x, [](Builder& b, AxisRef n, Value value) {
    return b.Compute("not", Op::kNot, {n}, {MayStage(value)});
  });
  EXPECT_EQ(c.reference("y"), (std::vector<double>{1, 1, 0, 0}));
}

TEST(Reference, WhatIsOnlyMovedIsRoundedAndExact) {
  const std::vector<double> x = {1 + 0x1p-11, 1 + 3 * 0x1p-11, 70000, -1e-9, 0.1};
  for (const Type type : {Type::kF16, Type::kBf16, Type::kF32}) {
    const Computed c = Stored(Type::kF64, type, x, Same);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double wanted = ir::Rounded(type, ir::Rounded(Type::kF32, x[i]));
      EXPECT_EQ(c.reference("y")[i], wanted) << i;
      EXPECT_EQ(c.tolerance("y")[i], 0) << i;
    }
    EXPECT_EQ(c.data.at("y").rms_limit, 1);
  }
  const Computed c = Stored(Type::kF32, Type::kI8, {1.9, -1.9, 127.5, 0, 130}, Same);
  EXPECT_EQ(c.reference("y"), (std::vector<double>{1, -1, 127, 0, -126}));
  EXPECT_EQ(c.tolerance("y"), std::vector<double>(5, 0));
}

TEST(Reference, NarrowOutputsMayBeTheirNeighbours) {
  const std::vector<double> x = {0.3, -1.7, 0};
  for (const Type type : {Type::kF16, Type::kBf16}) {
    const Computed c = Stored(Type::kF32, type, x, Squared);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double single = ir::Rounded(Type::kF32, x[i]), square = single * single;
      EXPECT_EQ(c.reference("y")[i], ir::Rounded(type, square));
      const LastPlace last = LastPlaceOf(type);
      const double slack = square == 0 ? 0 : last.relative * square + last.absolute;
      EXPECT_DOUBLE_EQ(c.tolerance("y")[i], Tolerance(1, square * square) + slack);
    }
  }
}

TEST(Reference, IntegersOfWhatErrsMayBeOff) {
  // 3 is as near to the next integer as a product may be off; 2.25 is not.
  const Computed c = Stored(Type::kF32, Type::kI32, {std::sqrt(3.0), 1.5, 0}, Squared);
  const double root = ir::Rounded(Type::kF32, std::sqrt(3.0));
  EXPECT_EQ(c.reference("y"), (std::vector<double>{std::trunc(root * root), 2, 0}));
  EXPECT_EQ(c.tolerance("y"), (std::vector<double>{1, 0, 0}));
}

TEST(Reference, CastsOnTheWay) {
  // x * x as a half, and that plus x.
  const auto cast = [](Type type) {
    return [type](Builder& b, AxisRef n, Value value) {
      const Value half =
          b.Compute("cast", Op::kConst, {n}, {InRegisters(Squared(b, n, value))}, type);
      return b.Compute("sum", Op::kAdd, {n}, {InRegisters(half), MayStage(value)});
    };
  };
  const double x = ir::Rounded(Type::kF32, 0.3);
  const Computed c = Stored(Type::kF32, Type::kF32, {x, 0}, cast(Type::kF16));
  const double half = ir::Rounded(Type::kF16, x * x), sum = half + x;
  EXPECT_EQ(c.reference("y"), (std::vector<double>{sum, 0}));
  const LastPlace last = LastPlaceOf(Type::kF16);
  const double slack = (last.relative * x * x + last.absolute) / kUnit;
  EXPECT_DOUBLE_EQ(c.tolerance("y")[0], Tolerance(3, x * x * x * x + slack * slack + sum * sum));
  EXPECT_EQ(c.tolerance("y")[1], 0);
  EXPECT_EQ(c.data.at("y").rms_limit, 1);
  // What loses nothing adds nothing.
  const Computed wide =
      Stored(Type::kF16, Type::kF64, {0.5}, [](Builder& b, AxisRef n, Value value) {
        return b.Compute("cast", Op::kConst, {n}, {MayStage(value)}, Type::kF64);
      });
  EXPECT_EQ(wide.reference("y")[0], 0.5);
  EXPECT_EQ(wide.tolerance("y")[0], 0);
}

TEST(Reference, SumsOfOtherTypes) {
  for (const Type type : {Type::kI8, Type::kI32, Type::kF16, Type::kBf16, Type::kF64}) {
    const Type sums = ir::ComputeTypeOf(type);
    for (const std::uint32_t size : {3u, 40u}) {  // Term by term, and as a product of matrices.
      std::vector<double> a = Random(size * size, 5), b = Random(size * size, 6);
      for (std::vector<double>* const values : {&a, &b}) {
        for (double& value : *values) value = ir::Rounded(type, std::trunc(8 * value));
      }
      const Computed c(
          [&](Builder& w) {
            const auto in_a = w.InputArray("a", a.size(), type);
            const auto in_b = w.InputArray("b", b.size(), type);
            const auto out = w.OutputArray("c", a.size(), sums);
            const AxisRef m = w.Axis("m", size, {}), n = w.Axis("n", size, {});
            const AxisRef k = w.Axis("k", size, {});
            const Value x = w.Load("load_a", in_a, {{m, size}, {k, 1}});
            const Value y = w.Load("load_b", in_b, {{k, size}, {n, 1}});
            const Value init = w.Compute("init", Op::kConst, {m, n}, {Literal(0)}, sums);
            const Value sum =
                w.Reduce("sum", Op::kMad, {m, n, k}, {k}, init, {MayStage(x), MayStage(y)}, sums);
            w.Store("store", out, {{m, size}, {n, 1}}, InRegisters(sum));
          },
          {{"a", a}, {"b", b}});
      double largest = 0;
      for (std::uint32_t i = 0; i < size * size; ++i) {
        double sum = 0, squares = 0, total = 0;
        for (std::uint32_t k = 0; k < size; ++k) {
          const double term = a[i / size * size + k] * b[k * size + i % size];
          sum += term;
          squares += term * term;
          total += std::abs(term);
        }
        largest = std::max(largest, total);
        ASSERT_EQ(c.reference("c")[i], sum) << i;
        const double error = RoundingSquares(sums) * (squares + size * (squares + sum * sum));
        const double tolerance = ir::IsFloat(type) ? Tolerance(size + 1, error) : 0;
        ASSERT_NEAR(c.tolerance("c")[i], tolerance, 1e-9 * tolerance) << i;
      }
      EXPECT_GE(c.data.at("c").largest_sum, largest);
      EXPECT_LE(c.data.at("c").largest_sum, 4 * largest);
    }
  }
}

TEST(Reference, IntegerSumsWrap) {
  const Computed c = Computed(
      [](Builder& b) {
        const auto x = b.InputArray("x", 3, Type::kI32), y = b.OutputArray("y", 1, Type::kI32);
        const AxisRef k = b.Axis("k", 3, {});
        const Value load = b.Load("load", x, {{k, 1}});
        const Value init = b.Compute("init", Op::kConst, {}, {Literal(0)}, Type::kI32);
        b.Store("store", y, {},
                InRegisters(b.Reduce("sum", Op::kAdd, {k}, {k}, init, {MayStage(load)})));
      },
      {{"x", {2147483647, 2, 3}}});
  EXPECT_EQ(c.reference("y")[0], -2147483644.0);
  EXPECT_EQ(c.tolerance("y")[0], 0);
}

/// y = x of the point above, plus that of the next column but one; rows along either axis.
TEST(Reference, LoadsOutsideAreZero) {
  for (const auto& [rows, columns] : {std::pair(4, 6), {700, 3}, {3, 700}, {1, 1}}) {
    for (const bool is_transposed : {false, true}) {
      const std::int64_t down = is_transposed ? 1 : columns, right = is_transposed ? rows : 1;
      const std::vector<double> x = Random(static_cast<std::uint64_t>(rows * columns), 4);
      const Computed c(
          [&](Builder& b) {
            const auto in = b.InputArray("x", x.size()), out = b.OutputArray("y", x.size());
            const AxisRef m = b.Axis("m", static_cast<std::uint32_t>(rows), {});
            const AxisRef n = b.Axis("n", static_cast<std::uint32_t>(columns), {});
            const std::vector<ir::Guard> above = {{-1, {{m, 1}}, rows}};
            const std::vector<ir::Guard> beside = {{columns - 1 - 2, {{n, -1}}, columns}};
            const Value up = b.Load("up", in, {{m, down}, {n, right}}, -down, above);
            // From the other end: element 2 before the last is beside the first.
            const Value turned =
                b.Load("turned", in, {{m, down}, {n, -right}}, (columns - 3) * right, beside);
            const Value sum = b.Compute("sum", Op::kAdd, {m, n}, {MayStage(up), MayStage(turned)});
            b.Store("store", out, {{m, columns}, {n, 1}}, InRegisters(sum));
          },
          {{"x", x}});
      for (std::int64_t m = 0; m < rows; ++m) {
        for (std::int64_t n = 0; n < columns; ++n) {
          const auto at = [&](std::int64_t row, std::int64_t column) {
            if (row < 0 || column < 0 || column >= columns) return 0.0;
            return x[static_cast<std::size_t>(row * down + column * right)];
          };
          const double wanted = at(m - 1, n) + at(m, columns - 3 - n);
          ASSERT_EQ(c.reference("y")[static_cast<std::size_t>(m * columns + n)], wanted);
        }
      }
    }
  }
}

TEST(Reference, IndicesMaskATriangle) {
  const Computed c(
      [](Builder& b) {
        const auto x = b.InputArray("x", 20), y = b.OutputArray("y", 20);
        const auto z = b.OutputArray("z", 20, Type::kI64);
        const AxisRef m = b.Axis("m", 4, {}), n = b.Axis("n", 5, {});
        const Value load = b.Load("load", x, {{m, 5}, {n, 1}});
        const Value row = b.Index("row", {{m, 1}}), column = b.Index("column", {{n, 1}});
        const Value below =
            b.Compute("below", Op::kLess, {m, n}, {InRegisters(row), InRegisters(column)});
        const Value value = b.Compute("value", Op::kSelect, {m, n},
                                      {InRegisters(below), Literal(0), MayStage(load)});
        b.Store("store", y, {{m, 5}, {n, 1}}, InRegisters(value));
        const Value place = b.Index("place", {{m, 10}, {n, -2}}, 7);
        b.Store("store_z", z, {{m, 5}, {n, 1}}, InRegisters(place));
      },
      {{"x", Random(20, 1)}});
  const std::vector<double> x = Random(20, 1);
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(c.reference("y")[i], i / 5 < i % 5 ? 0 : x[i]);
    EXPECT_EQ(c.reference("z")[i], 10.0 * static_cast<double>(i / 5) - 2.0 * (i % 5) + 7);
  }
  EXPECT_EQ(c.tolerance("y"), std::vector<double>(20, 0));
  EXPECT_EQ(c.tolerance("z"), std::vector<double>(20, 0));
}

}  // namespace
}  // namespace exh::kernels::derived

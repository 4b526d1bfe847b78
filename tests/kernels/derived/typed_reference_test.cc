// SPDX-License-Identifier: MIT
//
// References in other types than f32, against plain loops.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <random>
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
using testing::Rounding;
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
  const Computed c = TypedPair(Op::kAdd, Type::kF64, {0.1, 1e300, 0}, {0.7, 1e300, 0});
  EXPECT_EQ(c.reference("z"), (std::vector<double>{0.1 + 0.7, 2e300, 0}));
  // Twice the worst case, of two that err.
  EXPECT_DOUBLE_EQ(c.tolerance("z")[0], 2 * 0x1p-52 * (0.1 + 0.7));
  EXPECT_EQ(c.tolerance("z")[1], 0);
  EXPECT_EQ(c.tolerance("z")[2], 0);
  const Computed product = TypedPair(Op::kMul, Type::kF64, {1e-200}, {1e-200});
  EXPECT_EQ(product.reference("z")[0], 0);
  const Computed three =
      TypedPair(Op::kMul, Type::kF64, {1.1e-100, 1.1e100, 1.1}, {1.3e-100, 1.3e100, 1.3});
  for (const double tolerance : three.tolerance("z")) EXPECT_GT(tolerance, 0);
  EXPECT_DOUBLE_EQ(three.data.at("z").rms_limit, RmsLimit(1, 3));
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
  for (const Type type : {Type::kF16, Type::kBf16, Type::kF8E4M3, Type::kF8E5M2, Type::kF32}) {
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
  for (const Type type : {Type::kF16, Type::kBf16, Type::kF8E4M3, Type::kF8E5M2}) {
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
  // A share of what may be lost, which few have.
  const double slack = 0.3 * (last.relative * x * x + last.absolute) / kUnit;
  EXPECT_DOUBLE_EQ(c.tolerance("y")[0], Tolerance(3, Rounding(x * x) + slack * slack + sum * sum));
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
  for (const Type type :
       {Type::kI8, Type::kI32, Type::kF16, Type::kBf16, Type::kF8E4M3, Type::kF8E5M2, Type::kF64}) {
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
        const double own = RoundingSquares(sums);
        const double additions = AdditionSquares(own, size, ir::IsF8(type) && sums == Type::kF32);
        const double error = own * squares + additions * (squares + sum * sum);
        // Of whole numbers, term by term, it is known that they are exact.
        const bool errs = ir::IsFloat(type) && size > 3;
        const double tolerance = errs ? Tolerance(size + 1, error) : 0;
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

/// Integers of 64 bits in arrays of the backbone, computed exactly.
class ComputedWhole {
 public:
  using Inputs = std::map<std::string, std::vector<std::int64_t>>;

  ComputedWhole(const std::function<void(Builder&)>& build, const Inputs& inputs) {
    Builder b(function);
    build(b);
    b.Finish();
    for (const ir::Array& array : function.arrays) data[array.name];
    for (const auto& [name, values] : inputs) {
      Elements elements(Type::kI64, values.size());
      std::ranges::copy(values, elements.As<std::int64_t>().begin());
      data.at(name).values = std::move(elements);
    }
    ComputeReference(function, data);
  }
  const std::vector<std::int64_t>& whole(const char* name) const { return data.at(name).whole; }

  ir::Function function;
  ProblemData data;
};

constexpr std::int64_t kBeyond = 9007199254740993;  // 2^53 + 1: no double is.
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

TEST(Reference, IntegersOf64BitsAreExactAndWrap) {
  const std::vector<std::int64_t> x = {kBeyond, kMost, kLeast, -kBeyond, kLeast + 1, 3, kMost - 1};
  const std::vector<std::int64_t> y = {1, 1, -1, kBeyond + 2, kBeyond, kMost, kMost};
  const auto wrapped = [](__int128 wide) { return static_cast<std::int64_t>(wide); };
  for (const Op op : {Op::kAdd, Op::kSub, Op::kMul, Op::kMin, Op::kMax, Op::kXor, Op::kDiv}) {
    const ComputedWhole c(
        [&](Builder& b) {
          const auto in_x = b.InputArray("x", x.size(), Type::kI64),
                     in_y = b.InputArray("y", x.size(), Type::kI64),
                     out = b.OutputArray("z", x.size(), Type::kI64);
          const AxisRef n = b.Axis("n", static_cast<std::uint32_t>(x.size()), {});
          const Value load_x = b.Load("load_x", in_x, {{n, 1}}),
                      load_y = b.Load("load_y", in_y, {{n, 1}});
          const Value value = b.Compute("value", op, {n}, {MayStage(load_x), MayStage(load_y)});
          // A literal and a scalar that no double holds.
          b.Scalar("s", kBeyond, Type::kI64);
          const Value more = b.Compute("more", Op::kMad, {n},
                                       {InRegisters(value), ir::ScalarArg("s"), Literal(kBeyond)});
          b.Store("store", out, {{n, 1}}, InRegisters(more));
        },
        {{"x", x}, {"y", y}});
    for (std::size_t i = 0; i < x.size(); ++i) {
      const __int128 a = x[i], b = y[i];
      const std::int64_t value = wrapped(op == Op::kAdd   ? a + b
                                         : op == Op::kSub ? a - b
                                         : op == Op::kMul ? a * b
                                         : op == Op::kMin ? std::min(a, b)
                                         : op == Op::kMax ? std::max(a, b)
                                         : op == Op::kXor ? (a ^ b)
                                                          : a / b);
      EXPECT_EQ(c.whole("z")[i], wrapped(__int128{value} * kBeyond + kBeyond))
          << ir::InfoOf(op).word << " of " << x[i] << " and " << y[i];
      EXPECT_EQ(c.data.at("z").tolerance[i], 0);
    }
  }
}

/// y = op(x == 2^53 + 1, x, other), and what becomes of x in other types.
TEST(Reference, IntegersOf64BitsBecomeOthersAtOnce) {
  // The nearest double of the last is between two floats, and it is not.
  const std::vector<std::int64_t> x = {kBeyond, kBeyond - 1, 0, (1ll << 62) + (1ll << 38) + 1};
  for (const Type to : {Type::kBool, Type::kI32, Type::kF32, Type::kF64}) {
    const ComputedWhole c(
        [&](Builder& b) {
          const auto in = b.InputArray("x", x.size(), Type::kI64),
                     out = b.OutputArray("y", x.size(), to),
                     is = b.OutputArray("is", x.size(), Type::kBool),
                     chosen = b.OutputArray("chosen", x.size(), Type::kI64);
          const AxisRef n = b.Axis("n", static_cast<std::uint32_t>(x.size()), {});
          const Value load = b.Load("load", in, {{n, 1}});
          const Value cast = b.Compute("cast", Op::kConst, {n}, {InRegisters(load)}, to);
          b.Store("store", out, {{n, 1}}, InRegisters(cast));
          const Value equal =
              b.Compute("equal", Op::kEqual, {n}, {InRegisters(load), Literal(kBeyond)});
          b.Store("store_is", is, {{n, 1}}, InRegisters(equal));
          // The condition is an i64 as well.
          const Value select =
              b.Compute("select", Op::kSelect, {n},
                        {InRegisters(load), InRegisters(load), Literal(kBeyond + 8)});
          b.Store("store_chosen", chosen, {{n, 1}}, InRegisters(select));
        },
        {{"x", x}});
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double expected = to == Type::kBool  ? x[i] != 0
                              : to == Type::kI32 ? static_cast<std::int32_t>(x[i])
                              : to == Type::kF32 ? static_cast<double>(static_cast<float>(x[i]))
                                                 : static_cast<double>(x[i]);
      EXPECT_EQ(c.data.at("y").reference[i], expected) << ir::WordOf(to) << " of " << x[i];
      EXPECT_EQ(c.data.at("is").reference[i], x[i] == kBeyond ? 1 : 0);
      EXPECT_EQ(c.whole("chosen")[i], x[i] != 0 ? x[i] : kBeyond + 8);
    }
  }
}

/// Sums of products of 64 and 32 bits: as products of matrices where doubles hold them, and else
/// term by term.
TEST(Reference, ProductsOfMatricesOfIntegersWrap) {
  constexpr std::uint32_t kSide = 24;
  for (const Type type : {Type::kI64, Type::kI32, Type::kU32}) {
    for (const bool is_large : {false, true}) {
      std::mt19937_64 random(7);
      const auto draw = [&] {
        std::vector<double> values(kSide * kSide);
        for (double& value : values) {
          const auto size = static_cast<double>(random() % (is_large ? 1u << 31 : 100u));
          value = ir::InfoOf(type).is_signed && random() % 2 == 1 ? -size : size;
        }
        return values;
      };
      const std::vector<double> a = draw(), b = draw();
      const Computed c(
          [&](Builder& builder) {
            const auto in_a = builder.InputArray("a", a.size(), type),
                       in_b = builder.InputArray("b", b.size(), type),
                       out = builder.OutputArray("c", a.size(), type);
            const AxisRef m = builder.Axis("m", kSide, {}), n = builder.Axis("n", kSide, {}),
                          k = builder.Axis("k", kSide, {});
            const Value load_a = builder.Load("load_a", in_a, {{m, kSide}, {k, 1}}),
                        load_b = builder.Load("load_b", in_b, {{k, kSide}, {n, 1}});
            const Value init = builder.Compute("init", Op::kConst, {m, n}, {Literal(5)}, type);
            const Value sum = builder.Reduce("sum", Op::kMad, {m, n, k}, {k}, init,
                                             {MayStage(load_a), MayStage(load_b)});
            builder.Store("store", out, {{m, kSide}, {n, 1}}, InRegisters(sum));
          },
          {{"a", a}, {"b", b}});
      for (std::uint32_t i = 0; i < kSide; ++i) {
        for (std::uint32_t j = 0; j < kSide; ++j) {
          __int128 sum = 5;
          for (std::uint32_t k = 0; k < kSide; ++k) {
            sum +=
                static_cast<__int128>(a[i * kSide + k]) * static_cast<__int128>(b[k * kSide + j]);
          }
          const double expected = type == Type::kI64   ? static_cast<double>(std::int64_t(sum))
                                  : type == Type::kI32 ? static_cast<double>(std::int32_t(sum))
                                                       : static_cast<double>(std::uint32_t(sum));
          ASSERT_EQ(c.reference("c")[i * kSide + j], expected) << ir::WordOf(type);
          if (type == Type::kI64) {
            ASSERT_EQ(c.data.at("c").whole[i * kSide + j], std::int64_t(sum));
          }
          ASSERT_EQ(c.tolerance("c")[i * kSide + j], 0);
        }
      }
    }
  }
}

/// What a product of many doubles may be off is a part of it, however small or large it is.
TEST(Reference, TolerancesOfDoublesAreRelative) {
  static constexpr std::uint32_t kTerms = 500, kRows = 3;
  std::vector<double> x(kRows * kTerms);
  // About 1e-200, 1, and 1e200.
  for (std::uint32_t row = 0; row < kRows; ++row) {
    const double factor = row == 0 ? 0.4 : row == 1 ? 1 : 2.5;
    for (std::uint32_t i = 0; i < kTerms; ++i) {
      x[row * kTerms + i] = factor * (1 + 0.001 * (i % 2 == 0 ? 1.0 : -1.0));
    }
  }
  const auto build = [&](bool is_scaled) {
    return [is_scaled](Builder& b) {
      const auto in = b.InputArray("x", kRows * kTerms, Type::kF64),
                 out = b.OutputArray("y", kRows, Type::kF64);
      const AxisRef m = b.Axis("m", kRows, {}), k = b.Axis("k", kTerms, {});
      const Value load = b.Load("load", in, {{m, kTerms}, {k, 1}});
      const Value init = b.Compute("init", Op::kConst, {m}, {Literal(1.0)}, Type::kF64);
      Value value = b.Reduce("prod", Op::kMul, {m, k}, {k}, init, {MayStage(load)});
      if (is_scaled) {
        value = b.Compute("half", Op::kMul, {m}, {InRegisters(value), Literal(0.5)});
        value = b.Compute("root", Op::kSqrt, {m}, {InRegisters(value)});
      }
      b.Store("store", out, {{m, 1}}, InRegisters(value));
    };
  };
  for (const bool is_scaled : {false, true}) {
    const Computed c(build(is_scaled), {{"x", x}});
    std::vector<double> relative;
    for (std::uint32_t row = 0; row < kRows; ++row) {
      relative.push_back(c.tolerance("y")[row] / std::abs(c.reference("y")[row]));
    }
    EXPECT_LT(std::abs(std::log10(c.reference("y")[0]) / (is_scaled ? 0.5 : 1) + 199), 2);
    // 26 roots of 500 roundings of 2^-53, twice: no more, and no less than any order may need.
    EXPECT_NEAR(relative[1], (is_scaled ? 0.5 : 1) * kErrorFactor * 0x1p-52 * std::sqrt(501.0),
                0.05 * relative[1]);
    EXPECT_NEAR(relative[0], relative[1], 1e-6 * relative[1]);
    EXPECT_NEAR(relative[2], relative[1], 1e-6 * relative[1]);
  }
  // Elements, too: squares of these are no doubles.
  for (const double size : {1e-200, 1e200}) {
    for (const Op op : {Op::kAdd, Op::kMul, Op::kDiv}) {
      const double y = op == Op::kAdd ? size / 3 : 3.1;
      const Computed c = TypedPair(op, Type::kF64, {size}, {y});
      EXPECT_NEAR(c.tolerance("z")[0] / c.reference("z")[0], 0x1p-51, 1e-3 * 0x1p-51);
    }
  }
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

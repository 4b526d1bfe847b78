// SPDX-License-Identifier: MIT
#include "kernels/derived/reference/reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "base/stop.h"
#include "kernels/derived/reference/product.h"
#include "kernels/derived/tolerance.h"
#include "kernels/ir/builder.h"
#include "tests/kernels/derived/computed.h"
#include "tests/kernels/oracle/kernels.h"

namespace exh::kernels::derived {
namespace {

using ir::AxisRef;
using ir::Builder;
using ir::InRegisters;
using ir::Literal;
using ir::MayStage;
using ir::Op;
using ir::ScalarArg;
using ir::Value;
using testing::Computed;
using testing::kUnit;
using testing::Random;
using testing::Rounding;
using testing::Tolerance;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

Value Zero(Builder& b, const std::string& name, const std::vector<AxisRef>& axes) {
  return b.Compute(name, Op::kConst, axes, {Literal(0)});
}

void Elementwise(Builder& b, Op op) {
  const auto x = b.InputArray("x", 4), y = b.InputArray("y", 4), z = b.OutputArray("z", 4);
  const AxisRef n = b.Axis("n", 4, {});
  const Value load_x = b.Load("load_x", x, {{n, 1}}), load_y = b.Load("load_y", y, {{n, 1}});
  const Value value = b.Compute("value", op, {n}, {InRegisters(load_x), InRegisters(load_y)});
  b.Store("store", z, {{n, 1}}, InRegisters(value));
}

TEST(Reference, RoundsASum) {
  const Computed c([](Builder& b) { Elementwise(b, Op::kAdd); },
                   {{"x", {1, 2, -0.0f, 0}}, {"y", {0x1p-24f, -2, -0.0f, -0.0f}}});
  EXPECT_EQ(c.reference("z"), (std::vector<double>{1 + 0x1p-24, 0, 0, 0}));
  EXPECT_TRUE(std::signbit(c.reference("z")[2]));
  EXPECT_FALSE(std::signbit(c.reference("z")[3]));
  const double squares = std::pow(1 + 0x1p-24, 2);
  EXPECT_EQ(c.tolerance("z"), (std::vector<double>{Tolerance(1, squares), 0, 0, 0}));
  EXPECT_EQ(c.data.at("z").largest_sum, 4);  // |2| + |-2|
  EXPECT_EQ(c.data.at("z").rms_limit, 1);    // Of one that errs.
  const Computed four([](Builder& b) { Elementwise(b, Op::kAdd); },
                      {{"x", {1, 2, 3, 4}}, {"y", {0x1p-30f, 0x1p-30f, 0x1p-30f, 0x1p-30f}}});
  EXPECT_DOUBLE_EQ(four.data.at("z").rms_limit, RmsLimit(1, 4));
}

TEST(Reference, WhatSinglePrecisionHoldsIsExact) {
  const Computed c([](Builder& b) { Elementwise(b, Op::kMul); },
                   {{"x", {3, 1.5, 1 + 0x1p-23f, 0}}, {"y", {7, 0.25, 1 + 0x1p-23f, -1}}});
  EXPECT_EQ(c.tolerance("z")[0], 0);
  EXPECT_EQ(c.tolerance("z")[1], 0);
  EXPECT_GT(c.tolerance("z")[2], 0);
  EXPECT_EQ(c.tolerance("z")[3], 0);
  // A sum is exact in any order or it is not.
  const auto sum = [](const std::vector<double>& x) {
    return Computed(
               [&](Builder& b) {
                 const auto count = static_cast<std::uint32_t>(x.size());
                 const auto in = b.InputArray("x", count), out = b.OutputArray("y", 1);
                 const AxisRef n = b.Axis("n", count, {});
                 const Value load = b.Load("load", in, {{n, 1}});
                 const Value all =
                     b.Reduce("sum", Op::kAdd, {n}, {n}, Zero(b, "zero", {}), {MayStage(load)});
                 b.Store("store", out, {}, InRegisters(all));
               },
               {{"x", x}})
        .tolerance("y")[0];
  };
  EXPECT_EQ(sum({1 << 22, -3, 7}), 0);
  EXPECT_EQ(sum({0.5, 0.25, -8}), 0);
  EXPECT_GT(sum({1 << 24, -3, 7}), 0);
  EXPECT_GT(sum({0x1p-30, -3, 7}), 0);
  EXPECT_EQ(sum(std::vector<double>(100000, 1)), 0);  // In parts.
  EXPECT_GT(sum(std::vector<double>(100000, 0.1F)), 0);
}

TEST(Reference, ReductionsOfWhatIsNotFiniteAreKnown) {
  for (const Op op : {Op::kMad, Op::kMul}) {
    for (const double special : {double{kInfinity}, double{kNan}}) {
      const Computed c(
          [op](Builder& b) {
            const auto x = b.InputArray("x", 3), y = b.OutputArray("y", 1);
            const AxisRef n = b.Axis("n", 3, {});
            const Value load = b.Load("load", x, {{n, 1}});
            const Value init = b.Compute("init", Op::kConst, {}, {Literal(op == Op::kMul ? 1 : 0)});
            const Value all = op == Op::kMul ? b.Reduce("all", op, {n}, {n}, init, {MayStage(load)})
                                             : b.Reduce("all", op, {n}, {n}, init,
                                                        {MayStage(load), MayStage(load)});
            b.Store("store", y, {}, InRegisters(all));
          },
          {{"x", {1.1F, special, 2.3F}}});
      EXPECT_FALSE(std::isfinite(c.reference("y")[0]));
      EXPECT_TRUE(c.data.at("y").is_known);
      EXPECT_EQ(c.tolerance("y")[0], 0);
    }
  }
}

TEST(Reference, RoundingsMayDecideWhatThereIs) {
  // (x * y - x * y) of products that err: 0 or next to 0, and 1 over it.
  const auto known = [](double x, double y) {
    return Computed(
               [](Builder& b) {
                 const auto in_x = b.InputArray("x", 1), in_y = b.InputArray("y", 1);
                 const auto out = b.OutputArray("z", 1);
                 const Value load_x = b.Load("load_x", in_x, {}),
                             load_y = b.Load("load_y", in_y, {});
                 const Value a = b.Compute("a", Op::kMul, {}, {MayStage(load_x), MayStage(load_y)});
                 const Value c = b.Compute("c", Op::kMul, {}, {MayStage(load_y), MayStage(load_x)});
                 const Value d = b.Compute("d", Op::kSub, {}, {InRegisters(a), InRegisters(c)});
                 const Value q = b.Compute("q", Op::kDiv, {}, {Literal(1), InRegisters(d)});
                 b.Store("store", out, {}, InRegisters(q));
               },
               {{"x", {x}}, {"y", {y}}})
        .data.at("z")
        .is_known;
  };
  EXPECT_FALSE(known(0.1F, 0.3F));
  EXPECT_TRUE(known(2, 3));  // 1 / 0, whatever the order.
}

TEST(Reference, ProductsOfWhatIsSpecialAreSpecial) {
  const Computed c([](Builder& b) { Elementwise(b, Op::kMul); },
                   {{"x", {kInfinity, kInfinity, kNan, -0.0f}}, {"y", {0, -2, 1, 3}}});
  const auto& z = c.reference("z");
  EXPECT_TRUE(std::isnan(z[0]));
  EXPECT_EQ(z[1], -kInfinity);
  EXPECT_TRUE(std::isnan(z[2]));
  EXPECT_EQ(z[3], 0);
  EXPECT_TRUE(std::signbit(z[3]));
  EXPECT_EQ(c.tolerance("z"), (std::vector<double>{0, 0, 0, 0}));
  EXPECT_EQ(c.data.at("z").largest_sum, 0);
}

TEST(Reference, KeepsDenormals) {
  const Computed c([](Builder& b) { Elementwise(b, Op::kMul); },
                   {{"x", {0x1p-149f, 0x1p-140f, 1, 1}}, {"y", {3, 0x1p-120f, 1, 1}}});
  EXPECT_EQ(c.reference("z")[0], 3 * 0x1p-149);
  EXPECT_EQ(c.reference("z")[1], 0);  // As single precision has it.
}

TEST(Reference, AnExtremeIsTheNanThatIsThere) {
  for (const Op op : {Op::kMax, Op::kMin}) {
    const Computed c([op](Builder& b) { Elementwise(b, op); },
                     {{"x", {1, kNan, 0, 3}}, {"y", {kNan, 1, -0.0f, 2}}});
    const auto& z = c.reference("z");
    EXPECT_TRUE(std::isnan(z[0]));
    EXPECT_TRUE(std::isnan(z[1]));
    EXPECT_EQ(z[2], 0);  // Of either sign.
    EXPECT_EQ(z[3], op == Op::kMax ? 3 : 2);
    EXPECT_EQ(c.data.at("z").rms_limit, 1);
  }
}

TEST(Reference, ErrorsGoThroughWhatFollows) {
  // (x + y) * (x * y) + 1, and x is read three times.
  const Computed c(
      [](Builder& b) {
        const auto x = b.InputArray("x", 1), y = b.InputArray("y", 1), z = b.OutputArray("z", 1);
        const AxisRef n = b.Axis("n", 1, {});
        const Value load_x = b.Load("load_x", x, {{n, 1}}), load_y = b.Load("load_y", y, {{n, 1}});
        const Value sum = b.Compute("sum", Op::kAdd, {n}, {MayStage(load_x), MayStage(load_y)});
        const Value product =
            b.Compute("product", Op::kMul, {n}, {MayStage(load_x), MayStage(load_y)});
        const Value mad =
            b.Compute("mad", Op::kMad, {n}, {InRegisters(sum), InRegisters(product), Literal(1)});
        b.Store("store", z, {{n, 1}}, InRegisters(mad));
      },
      {{"x", {0.1F}}, {"y", {0.7F}}});
  const double x = 0.1F, y = 0.7F, sum = x + y, product = x * y, z = sum * product + 1;
  EXPECT_EQ(c.reference("z")[0], z);
  const double both = product * product * Rounding(sum) + sum * sum * Rounding(product);
  EXPECT_GT(both, 0);
  EXPECT_DOUBLE_EQ(c.tolerance("z")[0], Tolerance(4, both + sum * product * sum * product + z * z));
  EXPECT_EQ(c.data.at("z").largest_sum, z);
}

TEST(Reference, OutputsWithoutAxes) {
  const Computed c(
      [](Builder& b) {
        const auto x = b.InputArray("x", 1), z = b.OutputArray("z", 1);
        const Value load = b.Load("load", x, {});
        const Value twice = b.Compute("twice", Op::kMul, {}, {Literal(2), MayStage(load)});
        b.Store("store", z, {}, InRegisters(twice));
      },
      {{"x", {3}}});
  EXPECT_EQ(c.reference("z")[0], 6);
}

TEST(Reference, AxesInAnyOrder) {
  // z[a][c][b] = x[a][b][c] * y[c], of which axes with one iteration, or neighbours, are like one.
  for (const std::vector<std::uint32_t>& sizes :
       {std::vector<std::uint32_t>{3, 4, 5}, {700, 1, 3}, {1, 2, 600}, {5, 700, 1}}) {
    const std::uint32_t p = sizes[0], q = sizes[1], r = sizes[2];
    const std::vector<double> x = Random(p * q * r, 1), y = Random(r, 2);
    const Computed c(
        [&](Builder& w) {
          const auto in_x = w.InputArray("x", p * q * r), in_y = w.InputArray("y", r);
          const auto out = w.OutputArray("z", p * q * r);
          const AxisRef a = w.Axis("a", p, {}), b = w.Axis("b", q, {}), k = w.Axis("c", r, {});
          const Value load_x = w.Load("load_x", in_x, {{a, q * r}, {b, r}, {k, 1}});
          const Value load_y = w.Load("load_y", in_y, {{k, 1}});
          const Value root = w.Compute("root", Op::kMul, {k}, {MayStage(load_y), MayStage(load_y)});
          const Value product =
              w.Compute("product", Op::kMul, {a, b, k}, {MayStage(load_x), MayStage(root)});
          w.Store("store", out, {{a, q * r}, {k, q}, {b, 1}}, InRegisters(product));
        },
        {{"x", x}, {"y", y}});
    for (std::uint32_t i = 0; i < x.size(); ++i) {
      const std::uint32_t a = i / (q * r), b = i / r % q, k = i % r, at = (a * r + k) * q + b;
      const double square = double{y[k]} * y[k], z = x[i] * square;
      ASSERT_EQ(c.reference("z")[at], z) << i;
      const double tolerance = Tolerance(2, double{x[i]} * x[i] * square * square + z * z);
      ASSERT_NEAR(c.tolerance("z")[at], tolerance, 1e-12 * tolerance) << i;
    }
  }
}

// ---- Reductions ----

/// y = op over k of x, beginning with the row's z, which lies two elements apart.
Computed RowReduction(Op op, std::uint32_t rows, std::uint32_t columns, std::vector<double> x,
                      std::vector<double> z, bool is_transposed = false) {
  return Computed(
      [&](Builder& b) {
        const auto in = b.InputArray("x", std::uint64_t{rows} * columns);
        const auto init = b.InputArray("z", 2 * rows), out = b.OutputArray("y", rows);
        const AxisRef m = b.Axis("m", rows, {}), k = b.Axis("k", columns, {});
        const Value load = is_transposed ? b.Load("load", in, {{k, rows}, {m, 1}})
                                         : b.Load("load", in, {{m, columns}, {k, 1}});
        const Value load_z = b.Load("load_z", init, {{m, 2}});
        const Value reduced = b.Reduce("reduced", op, {m, k}, {k}, load_z, {MayStage(load)});
        b.Store("store", out, {{m, 1}}, InRegisters(reduced));
      },
      {{"x", std::move(x)}, {"z", std::move(z)}});
}

TEST(Reference, SumsBeginWithTheirInit) {
  const Computed c =
      RowReduction(Op::kAdd, 2, 3, {1, 2, 3, -0.0f, -0.0f, -0.0f}, {10, 99, -0.0f, 99});
  EXPECT_EQ(c.reference("y"), (std::vector<double>{16, 0}));
  EXPECT_TRUE(std::signbit(c.reference("y")[1]));
  // Three roundings of partial sums, from 10 to 16, the terms of which have 1 + 4 + 9.
  EXPECT_DOUBLE_EQ(c.tolerance("y")[0], Tolerance(3, 3 * (100 + 256 + 14)));
  EXPECT_EQ(c.tolerance("y")[1], 0);
  EXPECT_DOUBLE_EQ(c.data.at("y").largest_sum, 10 + std::sqrt(3 * 14));
}

TEST(Reference, SumsOfWhatIsSpecial) {
  const Computed c =
      RowReduction(Op::kAdd, 4, 2, {kInfinity, -kInfinity, kInfinity, 1, kNan, 1, 1, 2},
                   {0, 0, 0, 0, 0, 0, -kInfinity, 0});
  const auto& y = c.reference("y");
  EXPECT_TRUE(std::isnan(y[0]));
  EXPECT_EQ(y[1], kInfinity);
  EXPECT_TRUE(std::isnan(y[2]));
  EXPECT_EQ(y[3], -kInfinity);
  EXPECT_EQ(c.tolerance("y"), (std::vector<double>{0, 0, 0, 0}));
}

TEST(Reference, MaximaAreTheNanOfTheirTermsOrOfTheirInit) {
  for (const bool is_transposed : {false, true}) {
    std::vector<double> x = {kNan, 3, -5, 1, 2, 3, -0.0f, 0, -1, -kInfinity, -kInfinity, kNan};
    if (is_transposed) {
      std::vector<double> y(12);
      for (std::size_t i = 0; i < 12; ++i) y[i % 3 * 4 + i / 3] = x[i];
      x = y;
    }
    const Computed c =
        RowReduction(Op::kMax, 4, 3, x, {-1, 0, kNan, 0, -1, 0, -kInfinity, 0}, is_transposed);
    const auto& y = c.reference("y");
    EXPECT_TRUE(std::isnan(y[0]));
    EXPECT_TRUE(std::isnan(y[1]));
    EXPECT_EQ(y[2], 0);
    EXPECT_TRUE(std::isnan(y[3]));
    EXPECT_EQ(c.tolerance("y"), (std::vector<double>{0, 0, 0, 0}));  // Nothing is rounded.
    EXPECT_EQ(c.data.at("y").rms_limit, 1);
  }
}

TEST(Reference, LongReductionsAreComputedInParts) {
  for (const Op op : {Op::kAdd, Op::kMax}) {
    for (const bool is_transposed : {false, true}) {
      const std::uint32_t rows = 2, columns = 200003;
      const std::vector<double> x = Random(rows * columns, 7);
      const Computed c = RowReduction(op, rows, columns, x, {0.5f, 0, -0.5f, 0}, is_transposed);
      for (std::uint32_t row = 0; row < rows; ++row) {
        double sum = row == 0 ? 0.5 : -0.5, squares = 0.25;
        for (std::uint32_t k = 0; k < columns; ++k) {
          const double term = x[is_transposed ? k * rows + row : row * columns + k];
          sum = op == Op::kMax ? std::max(sum, term) : sum + term;
          squares += term * term;
        }
        EXPECT_NEAR(c.reference("y")[row], sum, 1e-9);
        const double tolerance =
            op == Op::kMax ? 0 : Tolerance(columns, columns * (squares + sum * sum));
        EXPECT_NEAR(c.tolerance("y")[row], tolerance, 1e-9 * tolerance);
      }
    }
  }
}

/// s = sum of x * x, or of x.
Computed WholeSum(const std::vector<double>& x, bool of_squares) {
  return Computed(
      [&](Builder& b) {
        const auto in = b.InputArray("x", x.size()), out = b.OutputArray("s", 1);
        const AxisRef k = b.Axis("k", static_cast<std::uint32_t>(x.size()), {});
        const Value load = b.Load("load", in, {{k, 1}}), init = Zero(b, "init", {});
        const Value sum =
            of_squares ? b.Reduce("sum", Op::kMad, {k}, {k}, init, {MayStage(load), MayStage(load)})
                       : b.Reduce("sum", Op::kAdd, {k}, {k}, init, {MayStage(load)});
        b.Store("store", out, {}, InRegisters(sum));
      },
      {{"x", x}});
}

/// In single precision, one after the other.
float InOrder(const std::vector<float>& terms) {
  float sum = 0;
  for (const float term : terms) sum += term;
  return sum;
}

// Partial sums of terms of one sign do not walk: they are as large as the value.
TEST(Reference, LongSumsOfOneSignMayBeAddedInOrderButNothingMayBeMissing) {
  for (const std::uint32_t n : {1024u, 4096u, 16384u, 65536u, 1u << 20}) {
    for (const unsigned seed : {1u, 2u, 3u}) {
      for (const bool of_squares : {true, false}) {
        SCOPED_TRACE("n = " + std::to_string(n) + ", seed " + std::to_string(seed) +
                     (of_squares ? ", squares" : ""));
        std::vector<double> x = Random(n, seed);
        std::vector<float> terms;
        for (double& value : x) {
          if (!of_squares) value = std::abs(value);
          const auto single = static_cast<float>(value);
          terms.push_back(of_squares ? single * single : single);
        }
        const Computed c = WholeSum(x, of_squares);
        const double exact = c.reference("s")[0], tolerance = c.tolerance("s")[0];
        const auto ratio = [&](const std::vector<float>& of) {
          return std::abs(static_cast<double>(InOrder(of)) - exact) / tolerance;
        };
        EXPECT_LT(ratio(terms), 1);
        // No block of them may be left out, wherever it is, and of not too many no large one.
        for (std::uint32_t block = 0; block < 16; ++block) {
          std::vector<float> without = terms;
          std::fill_n(without.begin() + block * (n / 16), n / 16, 0.0f);
          EXPECT_GT(ratio(without), 1) << block;
        }
        if (n > 1024) continue;
        *std::ranges::max_element(terms) = 0;
        EXPECT_GT(ratio(terms), 1);
      }
    }
  }
}

// Beyond a million terms of one sign, one accumulator loses more than any other order would: terms
// are no more than some units of its last place, and most of them are rounded to the same side.
// Such an implementation is refused (docs/kernels.md). Several accumulators are within the bound.
TEST(Reference, SumsOfMillionsNeedMoreThanOneAccumulator) {
  const std::uint32_t n = 1 << 23;
  const std::vector<double> x = Random(n, 5);
  const Computed c = WholeSum(x, true);
  const double exact = c.reference("s")[0], tolerance = c.tolerance("s")[0];
  const auto ratio = [&](std::size_t accumulators) {
    std::vector<float> sums(accumulators);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto single = static_cast<float>(x[i]);
      sums[i % accumulators] += single * single;
    }
    return std::abs(static_cast<double>(InOrder(sums)) - exact) / tolerance;
  };
  EXPECT_GT(ratio(1), 1);
  for (const std::size_t accumulators : {8, 64, 1024}) EXPECT_LT(ratio(accumulators), 1);
}

TEST(Reference, ALoadReadTwice) {
  // sum of x * x over rows that lie apart, and over the columns.
  const Computed c(
      [](Builder& b) {
        const auto x = b.InputArray("x", 11), y = b.OutputArray("y", 1);
        const AxisRef m = b.Axis("m", 2, {}), k = b.Axis("k", 3, {});
        const Value load = b.Load("load", x, {{m, 6}, {k, 2}});
        const Value sum = b.Reduce("sum", Op::kMad, {m, k}, {m, k}, Zero(b, "init", {}),
                                   {MayStage(load), MayStage(load)});
        b.Store("store", y, {}, InRegisters(sum));
      },
      {{"x", {1.1F, 99, 2.1F, 99, 3.1F, 99, 4.1F, 99, 5.1F, 99, 6.1F}}});
  double sum = 0, squares = 0, errors = 0;
  for (const double x : {1.1F, 2.1F, 3.1F, 4.1F, 5.1F, 6.1F}) {
    sum += x * x;
    squares += x * x * x * x;
    errors += Rounding(x * x);
  }
  EXPECT_NEAR(c.reference("y")[0], sum, 1e-13);
  EXPECT_NEAR(c.tolerance("y")[0], Tolerance(7, errors + 6 * (squares + sum * sum)), 1e-15);
}

TEST(Reference, ReductionsInARow) {
  const std::uint32_t rows = 3, columns = 5;
  const std::vector<double> x = Random(rows * columns, 3);
  const Computed c(
      [&](Builder& b) {
        const auto in = b.InputArray("x", rows * columns), out = b.OutputArray("y", rows * columns);
        const AxisRef m = b.Axis("m", rows, {}), k = b.Axis("k", columns, {});
        const Value load = b.Load("load", in, {{m, columns}, {k, 1}});
        const Value low = b.Compute("low", Op::kConst, {m}, {Literal(-kInfinity)});
        const Value most = b.Reduce("most", Op::kMax, {m, k}, {k}, low, {MayStage(load)});
        const Value moved =
            b.Compute("moved", Op::kAdd, {m, k}, {MayStage(load), InRegisters(most)});
        const Value sum =
            b.Reduce("sum", Op::kAdd, {m, k}, {k}, Zero(b, "zero", {m}), {MayStage(moved)});
        const Value result =
            b.Compute("result", Op::kMul, {m, k}, {MayStage(moved), InRegisters(sum)});
        b.Store("store", out, {{m, columns}, {k, 1}}, InRegisters(result));
      },
      {{"x", x}});
  for (std::uint32_t row = 0; row < rows; ++row) {
    double most = -kInfinity, sum = 0, squares = 0, errors = 0;
    for (std::uint32_t k = 0; k < columns; ++k) most = std::max(most, double{x[row * columns + k]});
    for (std::uint32_t k = 0; k < columns; ++k) {
      sum += x[row * columns + k] + most;
      squares += std::pow(x[row * columns + k] + most, 2);
      errors += Rounding(x[row * columns + k] + most);
    }
    // Of the terms, and of their sum.
    const double error = errors + columns * (squares + sum * sum);
    for (std::uint32_t k = 0; k < columns; ++k) {
      const std::uint32_t i = row * columns + k;
      const double moved = x[i] + most, y = moved * sum;
      EXPECT_NEAR(c.reference("y")[i], y, 1e-14);
      const double tolerance = Tolerance(
          1 + (1 + columns) + 1, moved * moved * error + sum * sum * Rounding(moved) + Rounding(y));
      EXPECT_NEAR(c.tolerance("y")[i], tolerance, 1e-12 * tolerance);
    }
  }
  // The roundings of `moved` are in it twice, and so are no walk.
  EXPECT_EQ(c.data.at("y").rms_limit, 1);
}

// ---- Products of matrices ----

/// C = A B + D with D = a literal, or -0 where it is an input; A scaled and B scaled, or not.
struct MatrixCase {
  std::uint32_t batch = 1, m = 5, n = 6, k = 7;
  bool scale_a = false, scale_b = false, transpose_a = false, transpose_b = false;
  bool transpose_c = false;
};

Computed ProductOf(const MatrixCase& p, const std::vector<double>& a, const std::vector<double>& b,
                   const std::vector<double>& d) {
  return Computed(
      [&](Builder& w) {
        const auto in_a = w.InputArray("a", a.size()), in_b = w.InputArray("b", b.size());
        const auto in_d = w.InputArray("d", d.size()), out = w.OutputArray("c", d.size());
        const AxisRef batch = w.Axis("batch", p.batch, {}), m = w.Axis("m", p.m, {});
        const AxisRef n = w.Axis("n", p.n, {}), k = w.Axis("k", p.k, {});
        Value x = p.transpose_a ? w.Load("load_a", in_a, {{batch, p.m * p.k}, {k, p.m}, {m, 1}})
                                : w.Load("load_a", in_a, {{batch, p.m * p.k}, {m, p.k}, {k, 1}});
        Value y = p.transpose_b ? w.Load("load_b", in_b, {{batch, p.k * p.n}, {n, p.k}, {k, 1}})
                                : w.Load("load_b", in_b, {{batch, p.k * p.n}, {k, p.n}, {n, 1}});
        if (p.scale_a) {
          x = w.Compute("scale_a", Op::kMul, {batch, m, k}, {Literal(1.5f), MayStage(x)});
        }
        if (p.scale_b) {
          y = w.Compute("scale_b", Op::kMul, {batch, k, n}, {MayStage(y), Literal(-0.3f)});
        }
        const ir::Strides of_c = p.transpose_c ? ir::Strides{{batch, p.m * p.n}, {n, p.m}, {m, 1}}
                                               : ir::Strides{{batch, p.m * p.n}, {m, p.n}, {n, 1}};
        const Value init = w.Load("load_d", in_d, of_c);
        const Value mad =
            w.Reduce("mad", Op::kMad, {batch, m, n, k}, {k}, init, {MayStage(x), MayStage(y)});
        w.Store("store", out, of_c, InRegisters(mad));
      },
      {{"a", a}, {"b", b}, {"d", d}});
}

/// The same in plain loops.
void ExpectProduct(const MatrixCase& p, unsigned seed,
                   const std::function<void(std::vector<double>&)>& change = {}) {
  std::vector<double> a = Random(p.batch * p.m * p.k, seed);
  const std::vector<double> b = Random(p.batch * p.k * p.n, seed + 1);
  std::vector<double> d = Random(p.batch * p.m * p.n, seed + 2);
  if (change) change(a);
  const Computed c = ProductOf(p, a, b, d);
  double largest = 0;
  for (std::uint32_t i = 0; i < d.size(); ++i) {
    const std::uint32_t batch = i / (p.m * p.n), in = i % (p.m * p.n);
    const std::uint32_t row = p.transpose_c ? in % p.m : in / p.n;
    const std::uint32_t column = p.transpose_c ? in / p.m : in % p.n;
    double sum = d[i], squares = double{d[i]} * d[i], error = 0, total = std::abs(d[i]);
    for (std::uint32_t k = 0; k < p.k; ++k) {
      double x = a[batch * p.m * p.k + (p.transpose_a ? k * p.m + row : row * p.k + k)];
      double y = b[batch * p.k * p.n + (p.transpose_b ? column * p.k + k : k * p.n + column)];
      double error_x = 0, error_y = 0;
      if (p.scale_a) x *= 1.5f, error_x = Rounding(x);
      if (p.scale_b) y *= double{-0.3f}, error_y = Rounding(y);
      sum += x * y;
      total += std::abs(x * y);
      squares += x * y * x * y;
      error += x * x * error_y + y * y * error_x + x * y * x * y;
    }
    error += p.k * (squares + sum * sum);
    const double n = p.k + 1 + (p.scale_a ? 1 : 0) + (p.scale_b ? 1 : 0);
    if (!std::isfinite(sum)) {
      EXPECT_EQ(std::isnan(c.reference("c")[i]), std::isnan(sum)) << i;
      if (!std::isnan(sum)) {
        EXPECT_EQ(c.reference("c")[i], sum) << i;
      }
      EXPECT_EQ(c.tolerance("c")[i], 0) << i;
      continue;
    }
    largest = std::max(largest, total);
    ASSERT_NEAR(c.reference("c")[i], sum, 1e-12) << i << " seed " << seed;
    const double tolerance = Tolerance(n, error);
    ASSERT_NEAR(c.tolerance("c")[i], tolerance, 1e-9 * tolerance) << i << " seed " << seed;
  }
  EXPECT_GE(c.data.at("c").largest_sum, largest);
  EXPECT_LE(c.data.at("c").largest_sum, 4 * largest);
}

TEST(Reference, ProductsOfMatrices) {
  unsigned seed = 1;
  for (const MatrixCase& sizes :
       {MatrixCase{1, 5, 6, 7}, MatrixCase{3, 5, 6, 7}, MatrixCase{1, 3, 6, 7},
        MatrixCase{2, 1, 9, 1}, MatrixCase{1, 130, 90, 700}, MatrixCase{40, 20, 30, 4}}) {
    for (unsigned bits = 0; bits < 32; ++bits) {
      MatrixCase p = sizes;
      p.scale_a = (bits & 1) != 0;
      p.scale_b = (bits & 2) != 0;
      p.transpose_a = (bits & 4) != 0;
      p.transpose_b = (bits & 8) != 0;
      p.transpose_c = (bits & 16) != 0;
      ExpectProduct(p, seed++);
    }
  }
}

TEST(Reference, SpecialElementsOfMatricesReachTheirRows) {
  for (const bool scale : {false, true}) {
    MatrixCase p;
    p.scale_b = scale;
    ExpectProduct(p, 5, [&](std::vector<double>& a) {
      a[2] = kNan;
      a[p.k + 1] = kInfinity;
      a[2 * p.k] = kInfinity;
      a[2 * p.k + 1] = -kInfinity;
    });
  }
}

TEST(Reference, SumsOfNegativeZerosStayNegative) {
  const MatrixCase p;
  std::vector<double> a(p.m * p.k, 0.0f);
  a[0] = -0.0f;
  const std::vector<double> b(p.k * p.n, -1);
  const Computed c = ProductOf(p, a, b, std::vector<double>(p.m * p.n, -0.0f));
  for (std::size_t i = 0; i < p.m * p.n; ++i) {
    EXPECT_EQ(c.reference("c")[i], 0);
    EXPECT_EQ(std::signbit(c.reference("c")[i]), i >= p.n) << i;  // 0 * -1, and -0 * -1 once.
  }
}

TEST(Reference, AxesOfOneFactorThatAreSummedOver) {
  // y[m] = sum over n and k of A[m][k] * x[k], six times each term; and one of numbers alone.
  const Computed c(
      [](Builder& b) {
        const auto a = b.InputArray("a", 6), x = b.InputArray("x", 3), y = b.OutputArray("y", 2);
        const AxisRef m = b.Axis("m", 2, {}), n = b.Axis("n", 6, {}), k = b.Axis("k", 3, {});
        const Value load_a = b.Load("load_a", a, {{m, 3}, {k, 1}});
        const Value load_x = b.Load("load_x", x, {{k, 1}});
        const Value sum = b.Reduce("sum", Op::kMad, {m, n, k}, {n, k}, Zero(b, "init", {m}),
                                   {MayStage(load_a), MayStage(load_x)});
        const Value one = b.Reduce("one", Op::kMad, {m, n}, {n}, sum, {Literal(2), Literal(0.25f)});
        b.Store("store", y, {{m, 1}}, InRegisters(one));
      },
      {{"a", {1, 2, 3, 4, 5, 6}}, {"x", {1, 1, 2}}});
  EXPECT_EQ(c.reference("y"), (std::vector<double>{6 * 9 + 3, 6 * 21 + 3}));
}

TEST(Reference, TensorsLargerThanAllArraysAreComputedInStrips) {
  // E = (x y^T) z with long vectors: the outer product would have 10^8 elements.
  const std::uint32_t rows = 20000, columns = 5000;
  const std::vector<double> x = Random(rows, 1), y = Random(columns, 2), z = Random(columns, 3);
  const Computed c(
      [&](Builder& b) {
        const auto in_x = b.InputArray("x", rows), in_y = b.InputArray("y", columns);
        const auto in_z = b.InputArray("z", columns), out = b.OutputArray("e", rows);
        const AxisRef m = b.Axis("m", rows, {}), n = b.Axis("n", columns, {});
        const AxisRef k = b.Axis("k", 1, {});
        const Value load_x = b.Load("load_x", in_x, {{m, 1}, {k, 1}});
        const Value load_y = b.Load("load_y", in_y, {{n, 1}, {k, 1}});
        const Value load_z = b.Load("load_z", in_z, {{n, 1}});
        const Value outer = b.Reduce("outer", Op::kMad, {m, n, k}, {k}, Zero(b, "zero", {m, n}),
                                     {MayStage(load_x), MayStage(load_y)});
        const Value sum = b.Reduce("sum", Op::kMad, {m, n}, {n}, Zero(b, "init", {m}),
                                   {MayStage(outer), MayStage(load_z)});
        b.Store("store", out, {{m, 1}}, InRegisters(sum));
      },
      {{"x", x}, {"y", y}, {"z", z}});
  double dot = 0;
  for (std::uint32_t i = 0; i < columns; ++i) dot += double{y[i]} * z[i];
  for (std::uint32_t i = 0; i < rows; ++i) {
    ASSERT_NEAR(c.reference("e")[i], x[i] * dot, 1e-10);
    ASSERT_GT(c.tolerance("e")[i], 0);
  }
}

TEST(Reference, EndsEarly) {
  StopToken stop;
  stop.Stop();
  const StoppableProducts products(&stop);
  const Computed c([](Builder& b) { Elementwise(b, Op::kAdd); },
                   {{"x", {1, 2, 3, 4}}, {"y", {1, 2, 3, 4}}});
  EXPECT_TRUE(products.has_stopped());
}

// ---- What kernels said of themselves ----

struct KernelCase {
  std::unique_ptr<Kernel> (*make)();
  std::map<std::string, std::int64_t> sizes;
};

void ExpectAsByHand(const KernelCase& of, unsigned seed) {
  const std::unique_ptr<Kernel> kernel = of.make();
  Parameters sizes;
  std::string what{kernel->name()};
  for (const Parameter& parameter : kernel->parameters()) {
    sizes[parameter.name] = parameter.default_value;
  }
  for (const auto& [name, value] : of.sizes) {
    sizes.at(name) = value;
    what += " " + name + "=" + std::to_string(value);
  }
  SCOPED_TRACE(what + ", seed " + std::to_string(seed));
  ir::Function function;
  Builder b(function);
  kernel->Build(b, sizes);
  b.Finish();
  ProblemData by_hand;
  for (const ir::Array& array : function.arrays) {
    ArrayData& data = by_hand[array.name];
    if (array.role != ir::ArrayRole::kInput) continue;
    data.values = Elements(array.type, array.elements);
    const std::vector<double> values = Random(array.elements, seed++);
    for (std::size_t i = 0; i < values.size(); ++i) data.values.Set(i, values[i]);
  }
  ProblemData derived = by_hand;
  kernel->Reference(sizes, by_hand);
  ComputeReference(function, derived);
  for (const ir::Array& array : function.arrays) {
    if (array.role != ir::ArrayRole::kOutput) continue;
    const ArrayData &is = derived.at(array.name), &was = by_hand.at(array.name);
    ASSERT_EQ(is.reference.size(), was.reference.size());
    ASSERT_EQ(is.tolerance.size(), was.tolerance.size());
    double least = INFINITY, most = 0;
    for (std::size_t i = 0; i < is.reference.size(); ++i) {
      // As a part of what the terms are, of which a tolerance is at least 1e-7.
      const double scale = std::max(std::abs(was.reference[i]), was.tolerance[i] / kUnit / 26);
      ASSERT_NEAR(is.reference[i], was.reference[i], 1e-12 * scale) << i;
      if (is.tolerance[i] == 0) continue;  // What is said by hand does not know what is exact.
      const double ratio = is.tolerance[i] / was.tolerance[i];
      least = std::min(least, ratio);
      most = std::max(most, ratio);
    }
    // Of x + y, where one of both is rounded, not x^2 + y^2 counts but x^2 + (x + y)^2: 0.38 of it
    // at least.
    EXPECT_GE(least, kernel->name() == "axpy" ? 0.43 : 0.5);
    EXPECT_LE(most, 2);
    EXPECT_LE(is.rms_limit, 1.5 * was.rms_limit);
    EXPECT_GE(is.rms_limit, was.rms_limit / 1.5);
    EXPECT_LE(is.largest_sum, 1.001 * was.largest_sum);
  }
}

TEST(Reference, IsAsKernelsSaidByHand) {
  const std::vector<KernelCase> cases = {
      {MakeAxpy, {{"n", 1}}},
      {MakeAxpy, {{"n", 1000}}},
      {MakeAxpy, {{"n", 300001}}},
      {MakeMv, {{"m", 33}, {"n", 70}}},
      {MakeMv, {{"m", 1}, {"n", 100000}}},
      {MakeMv, {{"m", 3000}, {"n", 5}}},
      {MakeMatmul, {{"m", 16}, {"n", 24}, {"k", 40}}},
      {MakeMatmul, {{"m", 1}, {"n", 1}, {"k", 1}}},
      {MakeMatmul, {{"m", 64}, {"n", 2}, {"k", 30}}},
      {MakeMatmul, {{"m", 150}, {"n", 130}, {"k", 600}, {"transpose_a", 1}}},
      {MakeMatmul, {{"m", 60}, {"n", 70}, {"k", 80}, {"transpose_b", 1}, {"relu", 1}}},
      {MakeMatmul,
       {{"m", 60}, {"n", 70}, {"k", 80}, {"transpose_a", 1}, {"transpose_b", 1}, {"a_stride", 3}}},
      {MakeMatmul, {{"m", 60}, {"n", 70}, {"k", 80}, {"a_stride", 4}, {"relu", 1}}},
      {MakeGesummv, {{"m", 30}, {"n", 40}}},
      {MakeGesummv, {{"m", 200}, {"n", 1000}}},
      {MakeBatchedMatmul, {{"batch", 7}, {"m", 8}, {"n", 9}, {"k", 10}}},
      {MakeBatchedMatmul,
       {{"batch", 100}, {"m", 16}, {"n", 16}, {"k", 20}, {"transpose_a", 1}, {"transpose_b", 1}}},
      {MakeBatchedMatmul, {{"batch", 9}, {"m", 16}, {"n", 16}, {"k", 20}, {"reuse_b", 1}}},
      {MakeBatchedMatmul,
       {{"batch", 9}, {"m", 16}, {"n", 8}, {"k", 20}, {"reuse_b", 1}, {"transpose_a", 1}}},
      {MakeMatmul2, {{"m", 20}, {"n", 30}, {"k", 40}, {"p", 50}}},
      {MakeMatmul2, {{"m", 3000}, {"n", 3000}, {"k", 4}, {"p", 4}}},  // In strips.
      {MakeMatmul2, {{"m", 64}, {"n", 64}, {"k", 64}, {"p", 100}}},
  };
  unsigned seed = 100;
  for (const KernelCase& one : cases) ExpectAsByHand(one, seed += 10);
}

}  // namespace
}  // namespace exh::kernels::derived

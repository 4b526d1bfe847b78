// SPDX-License-Identifier: MIT
//
// What follows from scans but sources, against plain loops.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "kernels/derived/flops.h"
#include "kernels/derived/reference/sharing.h"
#include "kernels/whole_numbers.h"
#include "tests/kernels/derived/cases.h"
#include "tests/kernels/derived/computed.h"

namespace exh::kernels::derived {
namespace {

using ir::AxisRef, ir::Builder, ir::InRegisters, ir::Keeps, ir::Literal, ir::MayStage, ir::Op;
using ir::Type, ir::Value;
using testing::Case;
using testing::Computed;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::Random;
using testing::Tolerance;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

const Case& Find(const std::vector<Case>& cases, const std::string& name) {
  return *std::ranges::find(cases, name, &Case::name);
}

/// y = the scan of x, matrices of so many rows and columns, along rows (down) or along columns.
struct Matrix {
  Op op = Op::kAdd;
  Keeps keeps = Keeps::kEach;
  bool down = false;
  double init = 0;
  Type type = Type::kF32;
  std::uint32_t rows = 3, columns = 5;

  std::uint32_t size() const { return rows * columns; }

  Computed Of(const std::vector<double>& x) const {
    return Computed(
        [&](Builder& b) {
          const auto in = b.InputArray("x", size(), type);
          const auto out = b.OutputArray("y", size(), ir::ComputeTypeOf(type));
          const AxisRef m = b.Axis("m", rows, {}), n = b.Axis("n", columns, {});
          const Value load = b.Load("load", in, {{m, columns}, {n, 1}});
          const Value begin = b.Compute("begin", Op::kConst, {down ? n : m}, {Literal(init)},
                                        ir::ComputeTypeOf(type));
          const Value scan = b.Scan("scan", op, {m, n}, down ? m : n, keeps, begin, MayStage(load),
                                    ir::ComputeTypeOf(type));
          b.Store("store", out, {{m, columns}, {n, 1}}, InRegisters(scan));
        },
        {{"x", x}});
  }

  /// Calls `visit(element, before)` for each element: those that were accumulated when it was.
  void ForEach(
      const std::function<void(std::size_t, const std::vector<std::size_t>&)>& visit) const {
    const std::uint32_t lines = down ? columns : rows, steps = down ? rows : columns;
    for (std::uint32_t line = 0; line < lines; ++line) {
      std::vector<std::size_t> before;
      for (std::uint32_t step = 0; step < steps; ++step) {
        const std::size_t at = down ? step * columns + line : line * columns + step;
        if (keeps == Keeps::kEach) before.push_back(at);
        visit(at, before);
        if (keeps == Keeps::kBefore) before.push_back(at);
      }
    }
  }
};

double Accumulated(Op op, double a, double b) {
  switch (op) {
    case Op::kAdd:
      return a + b;
    case Op::kMul:
      return a * b;
    case Op::kMin:
      return std::min(a, b);
    default:
      return std::max(a, b);
  }
}

TEST(Scan, IsANodeAlongOneOfItsAxes) {
  const std::vector<Case> cases = testing::ScanCases();
  struct Wanted {
    const char* name;
    const char* along;
    Keeps keeps;
    const char* other;
  };
  for (const Wanted& wanted :
       {Wanted{"scan", "n", Keeps::kEach, "m"}, Wanted{"scan before", "n", Keeps::kBefore, "m"},
        Wanted{"scan down before", "m", Keeps::kBefore, "n"}}) {
    const Expression e = ExpressionOf(Find(cases, wanted.name).function);
    const auto found = std::ranges::find_if(e.nodes, &Expression::Node::is_scan);
    ASSERT_NE(found, e.nodes.end()) << wanted.name;
    EXPECT_EQ(found->op, Op::kAdd);
    EXPECT_FALSE(found->is_reduction());
    EXPECT_TRUE(found->accumulates());
    EXPECT_EQ(e.axis(found->along).name, wanted.along);
    EXPECT_EQ(found->keeps, wanted.keeps);
    EXPECT_THAT(found->reduced, IsEmpty());
    ASSERT_EQ(found->axes.size(), 2);
    EXPECT_EQ(e.axis(found->axes[0]).name, "m");
    EXPECT_EQ(e.axis(found->axes[1]).name, "n");
    EXPECT_EQ(found->inputs.size(), 1);
    ASSERT_EQ(e.node(found->init).axes.size(), 1);
    EXPECT_EQ(e.axis(e.node(found->init).axes[0]).name, wanted.other);
    EXPECT_EQ(e.axes.size(), 2);  // Its readers have the same.
    EXPECT_EQ(std::ranges::count_if(e.nodes, &Expression::Node::is_scan), 1);
  }
}

TEST(Scan, OfWholeNumbersIsExact) {
  for (const Op op : {Op::kAdd, Op::kMul, Op::kMin, Op::kMax}) {
    for (const Keeps keeps : {Keeps::kEach, Keeps::kBefore}) {
      for (const bool down : {false, true}) {
        for (const Type type : {Type::kF32, Type::kF64, Type::kF16, Type::kI32, Type::kI64}) {
          const Matrix matrix = {op, keeps, down, 3, type, 7, 9};
          std::vector<double> x = Random(matrix.size(), 1);
          for (double& value : x)
            value = op == Op::kMul ? (value < 0 ? -1 : 2) : std::trunc(9 * value);
          const Computed c = matrix.Of(x);
          matrix.ForEach([&](std::size_t at, const std::vector<std::size_t>& before) {
            double value = 3;
            for (const std::size_t other : before) value = Accumulated(op, value, x[other]);
            EXPECT_EQ(c.reference("y")[at], value) << at;
            EXPECT_EQ(c.tolerance("y")[at], 0) << at;
          });
        }
      }
    }
  }
}

TEST(Scan, HasTheErrorsOfTheStepsUntilThere) {
  for (const Keeps keeps : {Keeps::kEach, Keeps::kBefore}) {
    for (const bool down : {false, true}) {
      // Rows are taken in pieces.
      const Matrix matrix = {Op::kAdd, keeps, down, 0.3f, Type::kF32, 40, 600};
      const std::vector<double> x = Random(matrix.size(), 2);
      const Computed c = matrix.Of(x);
      const double steps = down ? matrix.rows : matrix.columns;
      double largest = 0;
      matrix.ForEach([&](std::size_t at, const std::vector<std::size_t>& before) {
        double value = double{0.3f}, squares = value * value, total = value;
        float single = 0.3f;
        for (const std::size_t other : before) {
          value += x[other];
          squares += x[other] * x[other];
          total += std::abs(x[other]);
          single += static_cast<float>(x[other]);
        }
        largest = std::max(largest, total);
        const double is = c.tolerance("y")[at];
        ASSERT_NEAR(c.reference("y")[at], value, 1e-12);
        ASSERT_LE(std::abs(static_cast<double>(single) - value), is);
        if (is == 0) {
          EXPECT_EQ(static_cast<double>(static_cast<float>(value)), value);
          return;
        }
        const auto count = static_cast<double>(before.size());
        const double tolerance = Tolerance(steps, count * (squares + value * value));
        ASSERT_NEAR(is, tolerance, 1e-9 * tolerance) << at;
      });
      EXPECT_GE(c.data.at("y").largest_sum, largest);
      EXPECT_LE(c.data.at("y").largest_sum, 4 * largest);
      // Only what lies across a scan errs on its own.
      const double lines = down ? matrix.columns : matrix.rows;
      EXPECT_DOUBLE_EQ(c.data.at("y").rms_limit, RmsLimit(steps, lines));
    }
  }
}

TEST(Scan, OfIntegersWrapsAround) {
  const Matrix matrix = {Op::kAdd, Keeps::kEach, false, 1, Type::kI32, 1, 4};
  EXPECT_THAT(matrix.Of({2147483647, 1, -1, -1}).reference("y"),
              ElementsAre(-2147483648.0, -2147483647.0, -2147483648.0, 2147483647.0));
  const Matrix wide = {Op::kMul, Keeps::kBefore, false, 3, Type::kI64, 1, 4};
  const Computed c = wide.Of({0x1p40, 0x1p21, 0x1p10, 1});
  EXPECT_THAT(c.data.at("y").whole,
              ElementsAre(3, std::int64_t{3} << 40, std::int64_t{3} << 61, 0));
}

TEST(Scan, SpecialValuesReachWhatFollows) {
  const Matrix sum = {Op::kAdd, Keeps::kEach, false, 0, Type::kF32, 2, 4};
  const Computed sums = sum.Of({1, kInfinity, 2, -kInfinity, 1, 2, kNan, 3});
  const std::vector<double>& y = sums.reference("y");
  EXPECT_THAT(std::vector<double>(y.begin(), y.begin() + 3), ElementsAre(1, kInfinity, kInfinity));
  EXPECT_TRUE(std::isnan(y[3]));
  EXPECT_EQ(y[5], 3);
  EXPECT_TRUE(std::isnan(y[6]) && std::isnan(y[7]));
  EXPECT_THAT(sums.tolerance("y"), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_TRUE(sums.data.at("y").is_known);
  const Matrix most = {Op::kMax, Keeps::kBefore, true, -kInfinity, Type::kF32, 4, 1};
  const Computed largest = most.Of({1, kNan, 2, 3});
  EXPECT_EQ(largest.reference("y")[0], -kInfinity);
  EXPECT_EQ(largest.reference("y")[1], 1);
  EXPECT_TRUE(std::isnan(largest.reference("y")[2]) && std::isnan(largest.reference("y")[3]));
  EXPECT_TRUE(largest.data.at("y").is_known);
}

TEST(Scan, ProductsRoundAtEachStep) {
  const Matrix matrix = {Op::kMul, Keeps::kEach, false, 1, Type::kF32, 1, 3};
  const std::vector<double> x = Random(3, 4);
  const Computed c = matrix.Of(x);
  const double two = x[0] * x[1], three = two * x[2];
  EXPECT_EQ(c.reference("y"), (std::vector<double>{x[0], two, three}));
  EXPECT_NEAR(c.tolerance("y")[1], Tolerance(3, 2 * two * two), 1e-15);
  EXPECT_NEAR(c.tolerance("y")[2], Tolerance(3, 3 * three * three), 1e-15);
}

TEST(Scan, SumsOfAScanHaveItsRoundingsManyTimes) {
  constexpr std::uint32_t kSteps = 200000;
  std::vector<double> x = Random(kSteps, 5);
  for (double& value : x) value = std::abs(value);
  const Computed c(
      [&](Builder& b) {
        const auto in = b.InputArray("x", kSteps), out = b.OutputArray("y", 1, Type::kF64);
        const AxisRef n = b.Axis("n", kSteps, {});
        const Value load = b.Load("load", in, {{n, 1}});
        const Value zero = b.Compute("zero", Op::kConst, {}, {Literal(0)});
        const Value wide = b.Compute("wide", Op::kConst, {}, {Literal(0)}, Type::kF64);
        const Value scan = b.Scan("scan", Op::kAdd, {n}, n, Keeps::kEach, zero, MayStage(load));
        const Value sum = b.Reduce("sum", Op::kAdd, {n}, {n}, wide, {MayStage(scan)}, Type::kF64);
        b.Store("store", out, {}, InRegisters(sum));
      },
      {{"x", x}});
  float single = 0;
  double sum = 0;
  for (const double value : x) {
    single += static_cast<float>(value);
    sum += static_cast<double>(single);
  }
  EXPECT_NE(sum, c.reference("y")[0]);
  EXPECT_LE(std::abs(sum - c.reference("y")[0]), c.tolerance("y")[0]);
  const Expression e = ExpressionOf(c.function);
  EXPECT_EQ(
      std::ranges::count_if(e.nodes, [&](const auto& node) { return e.AccumulatesRunning(node); }),
      1);
}

TEST(Scan, AgreesWithTheRecursion) {
  for (const Case& c : testing::ScanCases()) {
    const testing::Data data(c.function);
    ProblemData problem;
    for (const ir::Array& array : c.function.arrays) {
      ArrayData& of = problem[array.name];
      if (array.role == ir::ArrayRole::kInput) of.values = data.arrays[array.id.index()];
    }
    ComputeReference(c.function, problem);
    for (const auto& [array, results] : ExactResults(c.function, data)) {
      const ArrayData& is = problem.at(c.function.arrays[static_cast<std::size_t>(array)].name);
      for (std::size_t i = 0; i < results.size(); ++i) {
        ASSERT_NEAR(is.reference[i], results[i].value, 1e-12) << c.name << " " << i;
      }
    }
  }
}

TEST(Scan, CountsAsASum) {
  const std::vector<Case> cases = testing::ScanCases();
  const Expression e = ExpressionOf(Find(cases, "scan down").function);
  EXPECT_EQ(Flops(e), 35);
  EXPECT_EQ(SumsInARow(e), 1);
  const std::vector<InputShape> shapes = InputShapes(e);
  ASSERT_EQ(shapes[0].axes.size(), 2);
  EXPECT_TRUE(shapes[0].axes[0].is_summed);   // m
  EXPECT_FALSE(shapes[0].axes[1].is_summed);  // n
  EXPECT_TRUE(InputShapes(ExpressionOf(Find(cases, "scan from the end").function))[0].is_summed());
  EXPECT_EQ(SumsInARow(ExpressionOf(Find(cases, "sum of a scan").function)), 2);
  EXPECT_FALSE(MayLeaveNumbers(e));
  EXPECT_FALSE(MayLeaveNumbers(ExpressionOf(Find(cases, "largest so far").function)));
  EXPECT_TRUE(MayLeaveNumbers(ExpressionOf(Find(cases, "products so far").function)));
}

}  // namespace
}  // namespace exh::kernels::derived

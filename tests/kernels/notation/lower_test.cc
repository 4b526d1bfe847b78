// SPDX-License-Identifier: MIT
//
// What becomes of a text: instructions with their names, operands and axes, shared loads, tiles.
#include "kernels/notation/lower/lower.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/kernels/notation/texts.h"

namespace exh::kernels::notation {
namespace {

using testing::BackboneOf;
using testing::LevelsOf;
using testing::OutlineOf;

/// A kernel with some declarations, and `lines` of its own.
std::string KernelOf(const std::string& lines) {
  return "kernel a\n"
         "  size m = 8, n = 4, k = 16\n"
         "  option o = 0, p = 1 in 0..3\n"
         "  scalar alpha = 1.5, beta = -2\n" +
         lines + "end\n";
}

std::string OutlineOf(const std::string& lines, const Sizes& sizes = {}) {
  return testing::OutlineOf(BackboneOf(KernelOf(lines), sizes));
}

// ---- names

TEST(Names, OfOneSumAreShort) {
  EXPECT_EQ(OutlineOf("input a: f32[m, k]\ninput b: f32[k, n]\noutput c: f32[m, n]\n"
                      "c[i, j] = sum(p) a[i, p] * b[p, j]\n"),
            "load_a(i, p) = a[16 i + p]\n"
            "load_b(p, j) = b[4 p + j]\n"
            "init(i, j) = copy(0)\n"
            "mad(i, j, p: p) = mad(load_a*, load_b*) from init\n"
            "store_c(i, j) = mad -> c[4 i + j]\n");
}

TEST(Names, OfSeveralSumsHaveTheirStatementOrArray) {
  EXPECT_EQ(OutlineOf("input x: f32[n]\ninput w: f32[n]\noutput y: f32\noutput z: f32\n"
                      "y = sum(i) x[i]\nz = sum(i) w[i]\n"),
            "load_x(i) = x[i]\n"
            "init_y() = copy(0)\n"
            "sum_y(i: i) = add(load_x*) from init_y\n"
            "store_y() = sum_y -> y[]\n"
            "load_w(i) = w[i]\n"
            "init_z() = copy(0)\n"
            "sum_z(i: i) = add(load_w*) from init_z\n"
            "store_z() = sum_z -> z[]\n");
  EXPECT_EQ(OutlineOf("input x: f32[n]\ninput w: f32[n]\noutput y: f32\n"
                      "y = (sum(i) x[i]) * (max(i) w[i])\n"),
            "load_x(i) = x[i]\n"
            "init_x() = copy(0)\n"
            "sum_x(i: i) = add(load_x*) from init_x\n"
            "load_w(i) = w[i]\n"
            "init_w() = copy(-inf)\n"
            "max_w(i: i) = max(load_w*) from init_w\n"
            "mul() = mul(sum_x, max_w)\n"
            "store_y() = mul -> y[]\n");
}

TEST(Names, OfTheSameKindAreNumbered) {
  EXPECT_EQ(OutlineOf("input x: f32[n]\noutput y: f32[n]\noutput z: f32[n]\n"
                      "y[i] = exp(x[i]) + exp(-x[i])\nz[i] = 2 * x[i]\n"),
            "load_x(i) = x[i]\n"
            "exp(i) = exp(load_x)\n"
            "neg(i) = neg(load_x)\n"
            "exp_2(i) = exp(neg)\n"
            "add(i) = add(exp, exp_2)\n"
            "store_y(i) = add -> y[i]\n"
            "load_x_2(i) = x[i]\n"
            "scale(i) = mul(2, load_x_2)\n"
            "store_z(i) = scale -> z[i]\n");
}

// ---- operators

TEST(Operators, AreOneInstructionEach) {
  const auto value = [](const std::string& expression) {
    const std::string outline =
        OutlineOf("input x: f32[n]\noutput y: f32[n]\ny[i] = " + expression + "\n");
    const std::string first = "load_x(i) = x[i]\n";
    EXPECT_TRUE(outline.starts_with(first)) << outline;
    return outline.substr(first.size(), outline.rfind("store_y") - first.size());
  };
  EXPECT_EQ(value("x[i] - 1"), "sub(i) = sub(load_x*, 1)\n");
  EXPECT_EQ(value("1 / x[i]"), "div(i) = div(1, load_x*)\n");
  EXPECT_EQ(value("alpha * x[i]"), "scale(i) = mul(alpha, load_x*)\n");
  EXPECT_EQ(value("x[i] * x[i]"), "mul(i) = mul(load_x*, load_x*)\n");
  EXPECT_EQ(value("max(0, x[i])"), "relu(i) = max(0, load_x*)\n");
  EXPECT_EQ(value("max(x[i], 1)"), "max(i) = max(load_x*, 1)\n");
  EXPECT_EQ(value("min(x[i], 1)"), "min(i) = min(load_x*, 1)\n");
  for (const char* const word : {"abs", "sqrt", "rsqrt", "exp", "log", "tanh", "erf"}) {
    EXPECT_EQ(value(fmt::format("{}(x[i])", word)), fmt::format("{0}(i) = {0}(load_x*)\n", word));
  }
  EXPECT_EQ(value("pow(x[i], 3)"), "pow(i) = pow(load_x*, 3)\n");
  EXPECT_EQ(value("x[i] < 1"), "less(i) = less(load_x*, 1)\n");
  EXPECT_EQ(value("x[i] > 1"), "less(i) = less(1, load_x*)\n");
  EXPECT_EQ(value("x[i] == 1"), "equal(i) = equal(load_x*, 1)\n");
  EXPECT_EQ(value("x[i] != 1"), "equal(i) = equal(load_x*, 1)\nnot(i) = not(equal)\n");
  EXPECT_EQ(value("x[i] > 0 ? x[i] : alpha"),
            "less(i) = less(0, load_x*)\nselect(i) = select(less, load_x*, alpha)\n");
  EXPECT_EQ(value("select(x[i] == 1, 1, 2)"),
            "equal(i) = equal(load_x*, 1)\nselect(i) = select(equal, 1, 2)\n");
  const std::string both = "less(i) = less(load_x*, 1)\nequal(i) = equal(load_x*, 1)\n";
  EXPECT_EQ(value("x[i] <= 1"), both + "or(i) = or(less, equal)\n");
  EXPECT_EQ(value("x[i] < 1 and x[i] == 1"), both + "and(i) = and(less, equal)\n");
  EXPECT_EQ(value("x[i] < 1 or x[i] == 1"), both + "or(i) = or(less, equal)\n");
  EXPECT_EQ(value("x[i] < 1 xor x[i] == 1"), both + "xor(i) = xor(less, equal)\n");
}

// One rounding less, and one instruction.
TEST(Operators, OfAProductAndASumAreOneMultiplyAdd) {
  const std::string arrays = "input x: f32[n]\ninput z: f32[n]\noutput y: f32[n]\ny[i] = ";
  EXPECT_NE(
      OutlineOf(arrays + "alpha * x[i] + z[i]\n").find("mad(i) = mad(alpha, load_x*, load_z*)"),
      std::string::npos);
  EXPECT_NE(
      OutlineOf(arrays + "z[i] + alpha * x[i]\n").find("mad(i) = mad(alpha, load_x*, load_z*)"),
      std::string::npos);
  EXPECT_NE(
      OutlineOf(arrays + "2 * x[i] + 3 * z[i]\n")
          .find("scale(i) = mul(2, load_x*)\nload_z(i) = z[i]\nmad(i) = mad(3, load_z*, scale)"),
      std::string::npos);
}

TEST(Operators, OfNumbersAreComputedBefore) {
  const auto value = [](const std::string& expression, const Sizes& sizes = {}) {
    return OutlineOf("output y: f32[n]\ny[i] = " + expression + "\n", sizes);
  };
  const std::string end = "store_y(i) = copy -> y[i]\n";
  EXPECT_EQ(value("2 * 3 + 4 * 5"), "copy(i) = copy(26)\n" + end);
  EXPECT_EQ(value("1 / 4 - max(1, 2)"), "copy(i) = copy(-1.75)\n" + end);
  EXPECT_EQ(value("m / 16 + k % 3"), "copy(i) = copy(1.5)\n" + end) << "sizes are numbers";
  EXPECT_EQ(value("m / 16", {{"m", 4}}), "copy(i) = copy(0.25)\n" + end);
  EXPECT_EQ(value("not (1 < 2) or 3 >= 3"), "copy(i) = copy(1)\n" + end);
  EXPECT_EQ(value("alpha"), "copy(i) = copy(alpha)\n" + end);
}

TEST(Operators, BetweenLoadsOfOnePlaceShareTheLoad) {
  EXPECT_EQ(OutlineOf("input a: f32[n, n]\noutput y: f32[n, n]\n"
                      "y[i, j] = a[i, j] * a[i, j] + a[j, i]\n"),
            "load_a(i, j) = a[4 i + j]\n"
            "load_a_2(j, i) = a[4 j + i]\n"
            "mad(i, j) = mad(load_a, load_a, load_a_2*)\n"
            "store_y(i, j) = mad -> y[4 i + j]\n");
}

// ---- options

TEST(Options, ChooseWhatIsComputed) {
  const std::string lines =
      "input x: f32[n]\ninput z: f32[n]\noutput y: f32[n]\n"
      "y[i] = o == 1 ? x[i] : o == 2 and p == 1 ? x[i] * z[i] : o == 3 ? z[i] : x[i] + z[i]\n";
  EXPECT_EQ(OutlineOf(lines, {{"o", 1}}), "load_x(i) = x[i]\nstore_y(i) = load_x* -> y[i]\n");
  EXPECT_EQ(OutlineOf(lines, {{"o", 2}}),
            "load_x(i) = x[i]\nload_z(i) = z[i]\nmul(i) = mul(load_x*, load_z*)\n"
            "store_y(i) = mul -> y[i]\n");
  EXPECT_EQ(OutlineOf(lines, {{"o", 3}}), "load_z(i) = z[i]\nstore_y(i) = load_z* -> y[i]\n");
  EXPECT_EQ(OutlineOf(lines, {{"o", 2}, {"p", 0}}),
            "load_x(i) = x[i]\nload_z(i) = z[i]\nadd(i) = add(load_x*, load_z*)\n"
            "store_y(i) = add -> y[i]\n");
}

TEST(Options, LeaveOutTheValuesThatNothingNeeds) {
  const std::string lines =
      "input x: f32[n]\noutput y: f32\ns = sum(i) x[i]\nr = sqrt(s)\nt = max(i) x[i]\n"
      "y = o ? r : t\n";
  EXPECT_EQ(OutlineOf(lines, {{"o", 1}}),
            "load_x(i) = x[i]\ninit() = copy(0)\nsum(i: i) = add(load_x*) from init\n"
            "sqrt() = sqrt(sum)\nstore_y() = sqrt -> y[]\n");
  EXPECT_EQ(OutlineOf(lines, {{"o", 0}}),
            "load_x(i) = x[i]\ninit() = copy(-inf)\nmax(i: i) = max(load_x*) from init\n"
            "store_y() = max -> y[]\n");
}

TEST(Options, ChooseStridesAndIndexMaps) {
  const std::string lines =
      "input a: f32[m, k] strides (o ? 1 : k, o ? m : 1)\ninput x: f32[m + 3]\noutput y: f32[m]\n"
      "y[i] = x[i + p] * sum(j) a[i, j]\n";
  EXPECT_NE(OutlineOf(lines).find("load_a(i, j) = a[16 i + j]"), std::string::npos);
  EXPECT_NE(OutlineOf(lines, {{"o", 1}}).find("load_a(i, j) = a[i + 8 j]"), std::string::npos);
  EXPECT_NE(OutlineOf(lines, {{"p", 3}}).find("load_x(i) = x[i + 3]"), std::string::npos);
}

// ---- sums

TEST(Sums, BeginWithWhatIsAddedToThem) {
  const std::string arrays =
      "input a: f32[m, k]\ninput x: f32[k]\ninput z: f32[m]\noutput y: f32[m]\n";
  const std::string wanted =
      "load_a(i, j) = a[16 i + j]\n"
      "load_x(j) = x[j]\n"
      "load_z(i) = z[i]\n"
      "init(i) = mul(beta, load_z)\n"
      "mad(i, j: j) = mad(load_a*, load_x*) from init\n"
      "store_y(i) = mad -> y[i]\n";
  EXPECT_EQ(OutlineOf(arrays + "y[i] = beta * z[i] + sum(j) a[i, j] * x[j]\n"), wanted);
  EXPECT_EQ(OutlineOf(arrays + "y[i] = sum(j) a[i, j] * x[j] + beta * z[i]\n"), wanted);
  EXPECT_NE(
      OutlineOf(arrays + "y[i] = z[i] + sum(j) a[i, j] * x[j]\n").find("init(i) = copy(load_z)"),
      std::string::npos);
  EXPECT_NE(OutlineOf(arrays + "y[i] = z[i] + beta + sum(j) a[i, j] * x[j]\n")
                .find("init(i) = add(load_z, beta)"),
            std::string::npos);
  EXPECT_NE(OutlineOf(arrays + "y[i] = z[i] + 1 + sum(j) a[i, j] * x[j]\n").find(") from init"),
            std::string::npos);
}

// z has an axis that the sum lacks.
TEST(Sums, DoNotBeginWithWhatHasMoreAxes) {
  EXPECT_EQ(OutlineOf("input x: f32[k]\ninput z: f32[m]\noutput y: f32[m]\n"
                      "y[i] = z[i] + sum(j) x[j]\n"),
            "load_x(j) = x[j]\n"
            "load_z(i) = z[i]\n"
            "init() = copy(0)\n"
            "sum(j: j) = add(load_x*) from init\n"
            "add(i) = add(load_z, sum*)\n"
            "store_y(i) = add -> y[i]\n");
}

TEST(Sums, OfAllKindsHaveTheirIdentity) {
  const auto value = [](const std::string& expression) {
    return OutlineOf("input x: f32[n]\noutput y: f32\ny = " + expression + "\n");
  };
  const std::string load = "load_x(i) = x[i]\n";
  EXPECT_EQ(value("prod(i) x[i]"), load +
                                       "init() = copy(1)\n"
                                       "prod(i: i) = mul(load_x*) from init\n"
                                       "store_y() = prod -> y[]\n");
  EXPECT_EQ(value("min(i) x[i]"), load +
                                      "init() = copy(inf)\n"
                                      "min(i: i) = min(load_x*) from init\n"
                                      "store_y() = min -> y[]\n");
  EXPECT_EQ(value("any(i) (x[i] < 0)"), load +
                                            "less(i) = less(load_x*, 0)\n"
                                            "init() = copy(0)\n"
                                            "max(i: i) = max(less) from init\n"
                                            "store_y() = max -> y[]\n");
  EXPECT_EQ(value("all(i) (x[i] < 0)"), load +
                                            "less(i) = less(load_x*, 0)\n"
                                            "init() = copy(1)\n"
                                            "min(i: i) = min(less) from init\n"
                                            "store_y() = min -> y[]\n");
}

// ---- axes

TEST(Axes, AreSharedByStatements) {
  EXPECT_EQ(OutlineOf("input a: f32[m, n]\noutput y: f32[m, n]\n"
                      "big[i] = max(j) a[i, j]\nall[r] = sum(j) exp(a[r, j] - big[r])\n"
                      "y[s, j] = exp(a[s, j] - big[s]) / all[s]\n"),
            "load_a(i, j) = a[4 i + j]\n"
            "init_big(i) = copy(-inf)\n"
            "max_big(i, j: j) = max(load_a*) from init_big\n"
            "load_a_2(i, j) = a[4 i + j]\n"
            "sub(i, j) = sub(load_a_2*, max_big*)\n"
            "exp(i, j) = exp(sub)\n"
            "init_all(i) = copy(0)\n"
            "sum_all(i, j: j) = add(exp) from init_all\n"
            "load_a_3(i, j) = a[4 i + j]\n"
            "sub_2(i, j) = sub(load_a_3, max_big*)\n"
            "exp_2(i, j) = exp(sub_2)\n"
            "div(i, j) = div(exp_2, sum_all*)\n"
            "store_y(i, j) = div -> y[4 i + j]\n");
}

// The same name with another extent, and a value that is read the other way round.
TEST(Axes, AreApartWhereTheyMustBe) {
  EXPECT_EQ(OutlineOf("input x: f32[m]\ninput z: f32[n]\noutput u: f32[m]\noutput v: f32[n]\n"
                      "u[i] = x[i]\nv[i] = z[i]\n"),
            "load_x(i) = x[i]\nstore_u(i) = load_x* -> u[i]\n"
            "load_z(i_2) = z[i_2]\nstore_v(i_2) = load_z* -> v[i_2]\n");
  EXPECT_EQ(OutlineOf("input a: f32[m, n]\noutput y: f32[n, m]\n"
                      "t[i, j] = 2 * a[i, j]\ny[i, j] = t[j, i] + 1\n"),
            "load_a(i, j) = a[4 i + j]\n"
            "scale(i, j) = mul(2, load_a*)\n"
            "add(j, i) = add(scale, 1)\n"
            "store_y(j, i) = add -> y[8 j + i]\n");
}

TEST(Axes, OfIndexMapsHaveTheirSizeOrArray) {
  EXPECT_EQ(
      OutlineOf("size r = 3\ninput x: f32[2 * (m - 1) + r]\ninput w: f32[r]\noutput y: f32[m]\n"
                "y[i] = sum(r) w[r] * x[2 * i + r]\n"),
      "load_w(r) = w[r]\n"
      "load_x(i, r) = x[2 i + r]\n"
      "init(i) = copy(0)\n"
      "mad(i, r: r) = mad(load_w*, load_x*) from init\n"
      "store_y(i) = mad -> y[i]\n");
  EXPECT_EQ(OutlineOf("input x: f32[n]\noutput y: f32[n]\ny[i] = x[n - 1 - i]\n"),
            "load_x(i) = x[-1 i + 3]\nstore_y(i) = load_x* -> y[i]\n");
  EXPECT_EQ(OutlineOf("input a: f32[n, n]\noutput y: f32[n]\ny[i] = a[i, i]\n"),
            "load_a(i) = a[5 i]\nstore_y(i) = load_a* -> y[i]\n");
}

// x[i] beside x[i + 1] does not say that i runs over all of x.
TEST(Axes, OfStencilsHaveTheExtentOfTheOutput) {
  EXPECT_EQ(OutlineOf("input x: f32[n + 2]\noutput y: f32[n]\n"
                      "y[i] = x[i] + alpha * x[i + 1] + x[i + 2]\n"),
            "load_x(i) = x[i]\n"
            "load_x_2(i) = x[i + 1]\n"
            "mad(i) = mad(alpha, load_x_2, load_x)\n"
            "load_x_3(i) = x[i + 2]\n"
            "add(i) = add(mad, load_x_3)\n"
            "store_y(i) = add -> y[i]\n");
}

TEST(Axes, OfAStrideOfZeroAreNotOfTheLoad) {
  EXPECT_EQ(OutlineOf("input x: f32[m, n] strides (0, 1)\noutput y: f32[m, n]\n"
                      "y[i, j] = x[i, j]\n"),
            "load_x(j) = x[j]\ncopy(i, j) = copy(load_x*)\nstore_y(i, j) = copy -> y[4 i + j]\n");
}

TEST(Sums, OverIndicesThatMoveNothingHaveAsManyTerms) {
  EXPECT_EQ(OutlineOf("input x: f32[m, n] strides (0, 1)\noutput y: f32[n]\n"
                      "y[j] = sum(i) x[i, j]\n"),
            "load_x(j) = x[j]\ninit(j) = copy(0)\nsum(j, i: i) = add(load_x*) from init\n"
            "store_y(j) = sum -> y[j]\n");
  // Both strides make up for each other.
  EXPECT_EQ(OutlineOf("input x: f32[n, n] strides (1, 1)\noutput y: f32\n"
                      "y = sum(i) x[i, n - 1 - i]\n"),
            "load_x() = x[3]\ninit() = copy(0)\nsum(i: i) = add(load_x*) from init\n"
            "store_y() = sum -> y[]\n");
}

// ---- tiles

TEST(Tiles, AreThoseOfTheText) {
  const auto levels = [](const std::string& tile, const std::string& axis) {
    return LevelsOf(BackboneOf("kernel a\nsize m = 64, n = 64\noption t = 4 in 1..64\n"
                               "input a: f32[m, n]\noutput y: f32[m]\n"
                               "y[i] = sum(j) a[i, j]\n" +
                                   tile + "\nend\n",
                               {}, true),
                    "sum." + axis);
  };
  EXPECT_EQ(levels("tile i: 8", "i"), "8 16 32 | 2 4 8");
  EXPECT_EQ(levels("tile i: 8, t", "i"), "2 4 8 16 | 2 4 8 | 2 4");
  EXPECT_EQ(levels("tile j, i: 16", "i"), "4 8 16 32 | 2 4 8 16");
  EXPECT_EQ(levels("tile j, i: 16", "j"), "4 8 16 32 | 2 4 8 16");
  EXPECT_EQ(levels("tile i: 1", "i"), "64") << "a tile of 1 is none";
  EXPECT_EQ(levels("tile i: t / 4", "i"), "64");
}

// With one name for an axis that has several.
TEST(Tiles, AreOfTheAxisUnderAnyOfItsNames) {
  const auto levels = [](const std::string& name) {
    return LevelsOf(BackboneOf("kernel a\nsize n = 64\ninput x: f32[n]\noutput y: f32[n]\n"
                               "t[i] = exp(x[i])\ny[r] = t[r] + 1\ntile " +
                                   name + ": 2\nend\n",
                               {}, true),
                    "exp.i");
  };
  EXPECT_EQ(levels("i"), "32 | 2");
  EXPECT_EQ(levels("r"), "32 | 2");
}

TEST(Tiles, OfATextWithoutFitItsShape) {
  const auto largest = [](const std::string& lines, const std::string& axis) {
    const ir::Function function =
        BackboneOf("kernel a\nsize n = 65536, m = 4096\n" + lines + "end\n", {}, true);
    std::vector<std::uint32_t> all;
    for (const ir::LogicalDim& logical : function.logical_dims) {
      if (logical.name != axis) continue;
      for (std::size_t i = 1; i < logical.dims.size(); ++i) {
        all.push_back(function.dim(logical.dims[i]).sizes.back());
      }
    }
    return fmt::format("{}", fmt::join(all, " "));
  };
  EXPECT_EQ(largest("input x: f32[n]\noutput y: f32[n]\ny[i] = exp(x[i])\n", "exp.i"), "1024 16");
  const std::string rows = "input a: f32[m, n]\noutput y: f32[m]\ny[i] = sum(j) a[i, j]\n";
  EXPECT_EQ(largest(rows, "sum.i"), "128 16");
  EXPECT_EQ(largest(rows, "sum.j"), "128 16");
  // No neighbours along the sum.
  const std::string columns = "input a: f32[n, m]\noutput y: f32[m]\ny[i] = sum(j) a[j, i]\n";
  EXPECT_EQ(largest(columns, "sum.j"), "128");
  const std::string product =
      "input a: f32[m, m]\ninput b: f32[m, m]\noutput c: f32[m, m]\n"
      "c[i, j] = sum(k) a[i, k] * b[k, j]\n";
  EXPECT_EQ(largest(product, "mad.i"), "32 16");
  EXPECT_EQ(largest(product, "mad.j"), "32 16");
  EXPECT_EQ(largest(product, "mad.k"), "32");
  const std::string cube =
      "input x: f32[m, m, m]\noutput y: f32[m, m, m]\ny[i, j, k] = exp(x[i, j, k])\n";
  EXPECT_EQ(largest(cube, "exp.j"), "64");
  EXPECT_EQ(largest(cube, "exp.k"), "32 16") << "neighbours in memory";
  const std::string products =
      "input a: f32[m, m, m]\ninput b: f32[m, m, m]\noutput c: f32[m, m, m]\n"
      "c[t, i, j] = sum(k) a[t, i, k] * b[t, k, j]\n";
  EXPECT_EQ(largest(products, "mad.t"), "64");
  EXPECT_EQ(largest(products, "mad.i"), "64");
  EXPECT_EQ(largest(products, "mad.j"), "32 16");
  EXPECT_EQ(largest(products, "mad.k"), "32 16") << "a is read along its rows";
}

// ---- types

std::string TypesOf(const std::string& lines, const Sizes& sizes = {}) {
  return testing::TypesOf(BackboneOf(KernelOf(lines), sizes));
}

TEST(Types, OfOperandsMeet) {
  const auto types = [](const std::string& expression, const std::string& type = "f64") {
    return TypesOf(
        "input h: f16[n]\ninput x: f32[n]\ninput d: f64[n]\ninput b: i8[n]\n"
        "input l: i64[n]\ninput t: bool[n]\nscalar g: f64 = 0.1\noutput all: f64[n]\n"
        "output y: " +
        type + "[n]\nall[i] = h[i] + x[i] + d[i] + cast(f64, b[i] + l[i]) + t[i]\ny[i] = " +
        expression + "\n");
  };
  const auto last = [&](const std::string& expression, const std::string& type = "f64") {
    const std::string all = types(expression, type);
    const std::size_t begin =
        all.rfind("store_all: f64, ") + std::string("store_all: f64, ").size();
    return all.substr(begin, all.rfind(", store_y") - begin);
  };
  EXPECT_EQ(last("h[i] + h[i]"), "load_h_2: f16, add_6: f32") << "halves are computed in f32";
  EXPECT_EQ(last("h[i] * d[i]"), "load_h_2: f16, load_d_2: f64, mul: f64");
  EXPECT_EQ(last("0.1 * d[i]"), "load_d_2: f64, scale: f64");
  EXPECT_EQ(last("g * x[i]"), "load_x_2: f32, scale: f64");
  EXPECT_EQ(last("b[i] + 1", "i8"), "load_b_2: i8, add_6: i32");
  EXPECT_EQ(last("b[i] - l[i]", "i32"), "load_b_2: i8, load_l_2: i64, sub: i64");
  EXPECT_EQ(last("t[i] * x[i]"), "load_t_2: bool, load_x_2: f32, mul: f32");
  EXPECT_EQ(last("max(t[i], x[i] < d[i])"),
            "load_t_2: bool, load_x_2: f32, load_d_2: f64, less: bool of f64, max: bool");
  EXPECT_EQ(last("b[i] < 3", "f32"), "load_b_2: i8, less: bool of i32");
  EXPECT_EQ(last("b[i] and l[i]", "i64"), "load_b_2: i8, load_l_2: i64, and: i64");
  EXPECT_EQ(last("not b[i]", "i64"), "load_b_2: i8, not: i32");
  EXPECT_EQ(last("t[i] ? h[i] : 0.5"), "load_t_2: bool, load_h_2: f16, select: f32");
  EXPECT_EQ(last("b[i] ? t[i] : x[i] < 1", "bool"),
            "load_b_2: i8, load_t_2: bool, load_x_2: f32, less: bool of f32, select: bool");
  EXPECT_EQ(last("h[i]", "f16"), "load_h_2: f16") << "copied as it is";
}

TEST(Types, AreSaidByOptions) {
  const std::string lines =
      "option t = f32 in (f32, f16, i32, bool)\nscalar s: t = 1\n"
      "input x: t[n]\noutput y: (t == bool ? i32 : t)\n"
      "y = t == bool ? sum(i) (x[i] != s) : t == i32 ? sum(i: t) x[i] : cast(t, sqrt(x[0] * s))\n";
  const auto types = [&](std::int64_t type) { return TypesOf(lines, {{"t", type}}); };
  EXPECT_EQ(types(0), "load_x: f32, scale: f32, sqrt: f32, store_y: f32");
  EXPECT_EQ(types(1), "load_x: f16, scale: f32, sqrt: f32, cast: f16, store_y: f16");
  EXPECT_EQ(types(2), "load_x: i32, init: i32, sum: i32, store_y: i32");
  EXPECT_EQ(types(3),
            "load_x: bool, equal: bool of i32, not: bool, init: i32, sum: i32, store_y: i32");
}

TEST(Types, OfNumbersAreThoseOfWhatTheyMeet) {
  const auto outline = [](const std::string& lines) {
    return OutlineOf("input x: f32[n]\ninput b: i32[n]\n" + lines + "\n");
  };
  EXPECT_EQ(TypesOf("output y: f64[n]\ny[i] = 0.1\n"), "copy: f64, store_y: f64");
  EXPECT_EQ(TypesOf("output y: i8[n]\ny[i] = 7\n"), "copy: i32, store_y: i8");
  EXPECT_EQ(TypesOf("output y: f64[n]\nt: f32 = 2\ny[i] = t\n"), "copy: f32, store_y: f64");
  // What has a type is no literal.
  EXPECT_EQ(TypesOf("input x: f32[n]\noutput y: f64[n]\nt: f64 = 2\ny[i] = t * x[i]\n"),
            "load_x: f32, cast: f64, scale: f64, store_y: f64");
  EXPECT_NE(outline("output y: i32[n]\noutput z: f32[n]\nt: i32 = 7\ny[i] = t / 2 + b[i]\n"
                    "z[i] = x[i]")
                .find("add(i) = add(3, load_b*)"),
            std::string::npos)
      << "integers are divided as integers";
}

// They were f32 before there were types: what is made of them becomes what it meets.
TEST(Types, OfComparisonsBecomeWhatTheyMeet) {
  const auto types = [](const std::string& expression) {
    const std::string all =
        TypesOf("input x: f32[n]\noutput y: f32[n]\ny[i] = " + expression + "\n");
    return all.substr(all.find("of f32, ") + std::string("of f32, ").size());
  };
  EXPECT_EQ(types("x[i] < 0"), "store_y: f32");
  EXPECT_EQ(types("2 * (x[i] < 0)"), "scale: i32, store_y: f32");
  EXPECT_EQ(types("2 * (x[i] < 0) + x[i]"), "mad: f32, store_y: f32");
  EXPECT_EQ(types("2 * (x[i] < 0) - x[i]"), "scale: i32, cast: f32, sub: f32, store_y: f32");
  EXPECT_EQ(types("0.5 * (x[i] < 0)"), "cast: f32, scale: f32, store_y: f32");
  EXPECT_EQ(types("max(5, x[i] < 0)"), "cast: i32, max: i32, store_y: f32");
  EXPECT_EQ(types("max(0, x[i] < 0)"), "relu: bool, store_y: f32");
  EXPECT_EQ(types("x[i] < 0 ? 1 : 0"), "select: f32, store_y: f32");
  EXPECT_EQ(types("1 - (x[i] < 0)"), "sub: i32, store_y: f32");
  EXPECT_EQ(TypesOf("input b: i8[n]\noutput y: i8[n]\ny[i] = (b[i] < 0 ? 1 : 2) * b[i]\n"),
            "load_b: i8, less: bool of i32, select: f32, cast: i8, mul: i32, store_y: i8");
}

TEST(Types, OfCastsAreSaid) {
  EXPECT_EQ(OutlineOf("input x: f32[n]\noutput y: i32[n]\noutput z: f32[n]\n"
                      "t: f16[i] = x[i] * 2\ny[i] = cast(i32, x[i]) + cast(i32, x[i] / 2)\n"
                      "z[i] = t[i] + cast(f32, x[i])\n"),
            "load_x(i) = x[i]\n"
            "scale(i) = mul(load_x, 2)\n"
            "cast_t(i) = copy(scale)\n"
            "load_x_2(i) = x[i]\n"
            "cast_x(i) = copy(load_x_2)\n"
            "div(i) = div(load_x_2, 2)\n"
            "cast(i) = copy(div)\n"
            "add(i) = add(cast_x, cast)\n"
            "store_y(i) = add -> y[i]\n"
            "load_x_3(i) = x[i]\n"
            "add_2(i) = add(cast_t, load_x_3)\n"
            "store_z(i) = add_2 -> z[i]\n");
  EXPECT_EQ(TypesOf("input x: f32[n]\noutput y: f32[n]\nt: bf16[i] = x[i]\ny[i] = t[i]\n"),
            "load_x: f32, cast_t: bf16, store_y: f32");
}

TEST(Types, OfSumsAreWhatTheyAccumulateIn) {
  const auto sum = [](const std::string& type, const std::string& value,
                      const std::string& to = "f64") {
    const std::string all = TypesOf("input a: " + type + "[m, k]\ninput x: " + type +
                                    "[k]\noutput y: " + to + "[m]\ny[i] = " + value + "\n");
    return all.substr(0, all.rfind(", store_y"));
  };
  const std::string product = "sum(j) a[i, j] * x[j]", in_f64 = "sum(j: f64) a[i, j] * x[j]";
  EXPECT_EQ(sum("f16", product), "load_a: f16, load_x: f16, init: f32, mad: f32");
  EXPECT_EQ(sum("i8", product, "i8"), "load_a: i8, load_x: i8, init: i32, mad: i32");
  EXPECT_EQ(sum("f32", in_f64), "load_a: f32, load_x: f32, init: f64, mad: f64");
  EXPECT_EQ(sum("bool", "sum(j) (a[i, j] and x[j])", "i64"),
            "load_a: bool, load_x: bool, and: bool, init: i32, sum: i32");
  EXPECT_EQ(sum("bool", "sum(j: f32) (a[i, j] and x[j])"),
            "load_a: bool, load_x: bool, and: bool, init: f32, sum: f32");
  EXPECT_EQ(sum("f64", "sum(j: f32) a[i, j] * x[j]"),
            "load_a: f64, load_x: f64, init: f32, cast: f32, cast_2: f32, mad: f32");
  EXPECT_EQ(sum("f32", "sum(j: f64) a[i, j] * x[j] * x[j]"),
            "load_a: f32, load_x: f32, cast: f64, mul: f64, init: f64, mad: f64");
  EXPECT_EQ(sum("i8", "max(j) a[i, j] * x[j]", "i32"),
            "load_a: i8, load_x: i8, mul: i32, init: i32, max: i32");
  EXPECT_EQ(sum("f16", "x[0] * max(j) a[i, j]"),
            "load_x: f16, load_a: f16, init: f32, max: f32, mul: f32");
  EXPECT_EQ(sum("bool", "all(j) (a[i, j] or x[j])", "bool"),
            "load_a: bool, load_x: bool, or: bool, init: bool, min: bool");
}

// A wider one is added behind the sum.
TEST(Types, OfWhatASumBeginsWithBecomeThatOfTheSum) {
  const auto types = [](const std::string& type, const std::string& value) {
    const std::string all =
        TypesOf("input x: f32[k]\ninput z: " + type + "\noutput y: f64\ny = " + value + "\n");
    return all.substr(0, all.rfind(", store_y"));
  };
  EXPECT_EQ(types("f16", "z + sum(j) x[j]"), "load_x: f32, load_z: f16, init: f32, sum: f32");
  EXPECT_EQ(types("f32", "2 * z + sum(j: f64) x[j]"),
            "load_x: f32, load_z: f32, scale: f32, init: f64, sum: f64");
  EXPECT_EQ(types("f64", "2 * z + sum(j) x[j]"),
            "load_x: f32, load_z: f64, scale: f64, init: f32, sum: f32, add: f64");
}

// A product that is narrower than the sum is rounded before.
TEST(Types, OfProductsThatAreAddedStayTheirs) {
  EXPECT_EQ(TypesOf("input x: f32[n]\ninput z: f64[n]\noutput y: f64[n]\n"
                    "y[i] = x[i] * x[i] + z[i]\n"),
            "load_x: f32, load_z: f64, mul: f32, add: f64, store_y: f64");
}

// ---- indices as numbers

TEST(Indices, HaveAValue) {
  EXPECT_EQ(OutlineOf("input x: f32[n, n]\noutput y: f32[n, n]\ny[i, j] = j <= i ? x[i, j] : 0\n"),
            "index(j) = j\n"
            "index_2(i) = i\n"
            "less(i, j) = less(index, index_2)\n"
            "equal(i, j) = equal(index, index_2)\n"
            "or(i, j) = or(less, equal)\n"
            "load_x(i, j) = x[4 i + j]\n"
            "select(i, j) = select(or, load_x*, 0)\n"
            "store_y(i, j) = select -> y[4 i + j]\n");
  EXPECT_EQ(OutlineOf("output y: f32[n]\ny[i] = cast(f32, i) * 0.25\n"),
            "index(i) = i\ncast_i(i) = copy(index)\nscale(i) = mul(cast_i, 0.25)\n"
            "store_y(i) = scale -> y[i]\n");
  EXPECT_EQ(TypesOf("output y: i64[n]\ny[i] = 2 * i + 1\n"), "index: i32, mad: i32, store_y: i64");
}

// In the statement of an index; elsewhere the name is that of the size.
TEST(Indices, HideSizesOfTheirName) {
  EXPECT_EQ(
      OutlineOf("output y: i32[n]\noutput z: i32\ny[n] = n\nz = n\n"),
      "index(n) = n\nstore_y(n) = index -> y[n]\ncopy() = copy(4)\nstore_z() = copy -> z[]\n");
}

TEST(Indices, OfTheLargestAreFound) {
  EXPECT_EQ(OutlineOf("input x: f16[m, k]\noutput y: i32[m]\ny[i] = argmax(j) x[i, j]\n"),
            "load_x(i, j) = x[16 i + j]\n"
            "load_x_2(i, j) = x[16 i + j]\n"
            "init(i) = copy(-inf)\n"
            "max(i, j: j) = max(load_x*) from init\n"
            "equal(i, j) = equal(load_x_2*, max*)\n"
            "index(j) = j\n"
            "select(i, j) = select(equal, index, 16)\n"
            "init_2(i) = copy(2147483647)\n"
            "argmax(i, j: j) = min(select) from init_2\n"
            "store_y(i) = argmax -> y[i]\n");
  EXPECT_EQ(TypesOf("input x: i8[k]\noutput y: i64\nt[j] = x[j] * x[j]\ny = argmin(j) t[j]\n"),
            "load_x: i8, mul: i32, init: i32, min: i32, equal: bool of i32, index: i32, "
            "select: i32, init_2: i32, argmin: i32, store_y: i64");
}

// ---- outside

TEST(Outside, IsGuardedWhereItIsReached) {
  EXPECT_EQ(OutlineOf("input x: f32[m, n] outside zero\noutput y: f32[m, n]\n"
                      "y[i, j] = x[i - 1, j] + x[i, j + p]\n"),
            "load_x(i, j) = x[4 i + j + -4] if i + -1 in 8\n"
            "load_x_2(i, j) = x[4 i + j + 1] if j + 1 in 4\n"
            "add(i, j) = add(load_x*, load_x_2*)\n"
            "store_y(i, j) = add -> y[4 i + j]\n");
  EXPECT_EQ(OutlineOf("input x: f32[n] outside zero\noutput y: f32[n]\ny[i] = x[i]\n"),
            "load_x(i) = x[i]\nstore_y(i) = load_x* -> y[i]\n");
  EXPECT_EQ(OutlineOf("size r = 3\ninput x: f32[m] outside zero\ninput w: f32[r]\noutput y: "
                      "f32[m]\ny[i] = sum(r) w[r] * x[2 * i + r - 1]\n"),
            "load_w(r) = w[r]\n"
            "load_x(i, r) = x[2 i + r + -1] if 2 i + r + -1 in 8\n"
            "init(i) = copy(0)\n"
            "mad(i, r: r) = mad(load_w*, load_x*) from init\n"
            "store_y(i) = mad -> y[i]\n");
}

TEST(Outside, IsANumber) {
  const auto outline = [](const std::string& outside) {
    return OutlineOf("option op = max in (sum, max)\ninput x: f32[n] outside " + outside +
                     "\noutput y: f32[n]\ny[i] = x[i - 1]\n");
  };
  const auto with = [](const std::string& number) {
    return "load_x(i) = x[i + -1] if i + -1 in 4" + number + "\nstore_y(i) = load_x* -> y[i]\n";
  };
  EXPECT_EQ(outline("-inf"), with(" else -inf"));
  EXPECT_EQ(outline("1.5"), with(" else 1.5"));
  EXPECT_EQ(outline("--2"), with(" else 2"));
  EXPECT_EQ(outline("(op == max ? -inf : 0)"), with(" else -inf"));
  EXPECT_EQ(outline("(op == sum ? never : -1)"), with(" else -1"));
  EXPECT_EQ(outline("0"), with(""));
}

// Of rows that all are one, it is still the row that is inside or not.
TEST(Outside, IsAskedOfIndicesThatMoveNothing) {
  EXPECT_EQ(OutlineOf("input x: f32[m, n] strides (0, 1) outside zero\noutput y: f32[m, n]\n"
                      "y[i, j] = x[i - 1, j] + x[i + 1, j]\n"),
            "load_x(j, i) = x[j + 0 i] if i + -1 in 8\n"
            "load_x_2(j, i) = x[j + 0 i] if i + 1 in 8\n"
            "add(i, j) = add(load_x*, load_x_2*)\n"
            "store_y(i, j) = add -> y[4 i + j]\n");
}

// The reader of a sum that has more axes than it, and what a sum reads of a sum.
TEST(Sums, OfSumsMayGoThroughATemporaryArray) {
  const std::string lines =
      "input a: f32[m, k]\ninput b: f32[k, n]\noutput y: f32[m]\n"
      "t[i, j] = sum(p) a[i, p] * b[p, j]\ny[i] = sum(j) t[i, j]\n";
  EXPECT_NE(OutlineOf(lines).find("sum_y(i, j: j) = add(mad_t) from init_y"), std::string::npos)
      << OutlineOf(lines);
}

}  // namespace
}  // namespace exh::kernels::notation

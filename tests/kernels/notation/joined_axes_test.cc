// SPDX-License-Identifier: MIT
#include "kernels/notation/axes/joined_axes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "kernels/ir/builder.h"
#include "kernels/library/text_kernel.h"
#include "tests/kernels/notation/texts.h"

namespace exh::kernels::notation {
namespace {

using ::testing::HasSubstr;

std::string Outline(const std::string& lines, bool paper = false) {
  const TextKernel kernel("kernel.kernel",
                          "kernel k\n  size m = 4, n = 6, p = 8\n" + lines + "end\n");
  ir::Function function;
  ir::Builder builder(function, paper);
  Parameters sizes;
  for (const Parameter& size : kernel.parameters()) sizes[size.name] = size.default_value;
  kernel.Build(builder, sizes);
  return testing::OutlineOf(function);
}

TEST(JoinedAxes, OfAllElementsAreOne) {
  EXPECT_EQ(Outline("input x: f32[m, n, p]\noutput y: f32[m, n, p]\ny[i, j, k] = 2 * x[i, j, k]\n"),
            "load_x(i_j_k) = x[i_j_k]\n"
            "scale(i_j_k) = mul(2, load_x*)\n"
            "store_y(i_j_k) = scale -> y[i_j_k]\n");
}

TEST(JoinedAxes, AreThoseThatAReductionHasTogether) {
  EXPECT_EQ(Outline("input x: f32[m, n, p]\noutput y: f32[n]\ny[j] = sum(i, k) x[i, j, k]\n"),
            "load_x(i, j, k) = x[48 i + 8 j + k]\n"
            "init(j) = copy(0)\n"
            "sum(j, i, k: i, k) = add(load_x*) from init\n"
            "store_y(j) = sum -> y[j]\n")
      << "j is between i and k";
  EXPECT_EQ(Outline("input x: f32[m, n, p]\noutput y: f32[m]\ny[i] = sum(j, k) x[i, j, k]\n"),
            "load_x(i, j_k) = x[48 i + j_k]\n"
            "init(i) = copy(0)\n"
            "sum(i, j_k: j_k) = add(load_x*) from init\n"
            "store_y(i) = sum -> y[i]\n");
  EXPECT_THAT(Outline("input x: f32[m, n]\noutput y: f32\ny = max(i, j) x[i, j]\n"),
              HasSubstr("max(i_j: i_j)"));
}

TEST(JoinedAxes, AreNotThoseThatMeetAThirdOne) {
  EXPECT_THAT(Outline("input w: f32[3, n]\ninput x: f32[m + 2, n]\noutput y: f32[m]\n"
                      "y[i] = sum(r, j) w[r, j] * x[i + r, j]\n"),
              HasSubstr("mad(i, r, j: r, j)"));
  // Windows that do not overlap, and end where the next one begins.
  EXPECT_THAT(Outline("input w: f32[3, n]\ninput x: f32[3 * m, n]\noutput y: f32[m]\n"
                      "y[i] = sum(r, j) w[r, j] * x[3 * i + r, j]\n"),
              HasSubstr("mad(i, r_j: r_j)"));
  EXPECT_THAT(Outline("input w: f32[3, n]\ninput x: f32[2 * m + 1, n]\noutput y: f32[m]\n"
                      "y[i] = sum(r, j) w[r, j] * x[2 * i + r, j]\n"),
              HasSubstr("mad(i, r, j: r, j)"));
}

TEST(JoinedAxes, MeetInValuesToo) {
  EXPECT_EQ(Outline("input x: f32[m, n, p]\noutput y: f32[m, n, p]\n"
                    "t[i, j] = max(k) x[i, j, k]\ny[i, j, k] = x[i, j, k] - t[i, j]\n"),
            "load_x(i_j, k) = x[8 i_j + k]\n"
            "init(i_j) = copy(-inf)\n"
            "max(i_j, k: k) = max(load_x*) from init\n"
            "load_x_2(i_j, k) = x[8 i_j + k]\n"
            "sub(i_j, k) = sub(load_x_2, max*)\n"
            "store_y(i_j, k) = sub -> y[8 i_j + k]\n");
}

TEST(JoinedAxes, StayApartWhereOneMovesAlone) {
  const auto is_apart = [](const std::string& lines) {
    return Outline(lines).find("i_j") == std::string::npos;
  };
  EXPECT_TRUE(is_apart("input x: f32[n, m]\noutput y: f32[m, n]\ny[i, j] = x[j, i]\n"));
  EXPECT_TRUE(
      is_apart("input x: f32[m, n]\ninput b: f32[n]\noutput y: f32[m, n]\n"
               "y[i, j] = x[i, j] + b[j]\n"));
  EXPECT_TRUE(is_apart("input x: f32[m, n + 2]\noutput y: f32[m, n]\ny[i, j] = x[i, j + 1]\n"));
  EXPECT_TRUE(
      is_apart("input x: f32[m, n] strides (2 * n, 2)\noutput y: f32[m, n]\n"
               "y[i, j] = x[i, j] + cast(f32, j)\n"))
      << "an index that is a number";
  EXPECT_TRUE(
      is_apart("input x: f32[m, n] outside zero\noutput y: f32[m, n]\n"
               "y[i, j] = x[i, j] + x[i, j - 1]\n"));
  EXPECT_TRUE(
      is_apart("input x: f32[m, n]\noutput y: f32[m, n]\ny[i, j] = 2 * x[i, j]\ntile i: 4\n"));
  EXPECT_FALSE(
      is_apart("input x: f32[m, n] strides (2 * n, 2)\noutput y: f32[m, n]\n"
               "y[i, j] = x[i, j]\n"))
      << "every second element is a row, too";
  EXPECT_FALSE(is_apart("input x: f32[m + 1, n]\noutput y: f32[m, n]\ny[i, j] = x[i + 1, j]\n"));
}

TEST(JoinedAxes, OfOneIterationGo) {
  EXPECT_EQ(
      Outline("size one = 1\ninput x: f32[one, n]\noutput y: f32[n, one]\ny[j, i] = 2 * x[i, j]\n"),
      "load_x(j) = x[j]\n"
      "scale(j) = mul(2, load_x*)\n"
      "store_y(j) = scale -> y[j]\n");
  EXPECT_THAT(
      Outline("size one = 1\ninput x: f32[one, n]\noutput y: f32[n]\ny[j] = sum(i) x[i, j]\n"),
      HasSubstr("sum(j, i: i)"))
      << "a reduction keeps its axis";
  EXPECT_EQ(Outline("size one = 1\ninput x: f32[one]\noutput y: f32[one]\ny[i] = 2 * x[i]\n"),
            "load_x() = x[]\nscale() = mul(2, load_x*)\nstore_y() = scale -> y[]\n");
}

TEST(JoinedAxes, AreThoseOfTheTextInThePapersSpace) {
  EXPECT_THAT(Outline("input x: f32[m, n]\noutput y: f32[m, n]\ny[i, j] = 2 * x[i, j]\n", true),
              HasSubstr("scale(i, j)"));
}

}  // namespace
}  // namespace exh::kernels::notation

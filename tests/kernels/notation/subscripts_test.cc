// SPDX-License-Identifier: MIT
//
// Computed subscripts, several of a read, and what is known of them and of conditions at given
// sizes.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernels/ir/builder.h"
#include "kernels/library/text_kernel.h"
#include "tests/kernels/notation/texts.h"

namespace exh::kernels::notation {
namespace {

std::string KernelOf(const std::string& lines) {
  return "kernel a\n  size m = 8, n = 4\n  option stride = 2 in 1..3\n" + lines + "end\n";
}
std::string OutlineOf(const std::string& lines, const Sizes& sizes = {}) {
  return testing::OutlineOf(testing::BackboneOf(KernelOf(lines), sizes));
}

/// Notes of the kernel, but for those of its tiles.
std::string NotesOf(const std::string& lines) {
  const TextKernel kernel("a.kernel", KernelOf(lines));
  Parameters sizes;
  for (const Parameter& size : kernel.parameters()) sizes[size.name] = size.default_value;
  ir::Function function;
  ir::Builder builder(function);
  kernel.Build(builder, sizes);
  std::vector<std::string> notes;
  for (const std::string& note : builder.notes()) {
    if (!note.starts_with("axis ")) notes.push_back(note);
  }
  return fmt::format("{}", fmt::join(notes, "\n"));
}

TEST(Subscripts, SeveralOfARead) {
  EXPECT_EQ(OutlineOf("input p: i32[m]\ninput q: i32[m]\ninput x: f32[n, n]\noutput y: f32[m]\n"
                      "y[i] = x[p[i], q[i]]\n"),
            "load_p(i) = p[i]\n"
            "scale(i) = mul(load_p, 4)\n"
            "load_q(i) = q[i]\n"
            "add(i) = add(scale, load_q)\n"
            "gather_x(i) = add + x[0 i]\n"
            "store_y(i) = gather_x* -> y[i]\n");
}

// What is outside of one dimension is nowhere in the array.
TEST(Subscripts, AreHeldAgainstTheirDimension) {
  EXPECT_EQ(OutlineOf("input p: i32[m]\ninput x: f32[n, m] outside 1\noutput y: f32[m]\n"
                      "y[i] = x[p[i], i]\n"),
            "load_p(i) = p[i]\n"
            "less(i) = less(-1, load_p)\n"
            "less_2(i) = less(load_p, 4)\n"
            "and(i) = and(less, less_2)\n"
            "scale(i) = mul(load_p, 8)\n"
            "select(i) = select(and, scale, -32)\n"
            "gather_x(i) = select + x[i]\n"
            "store_y(i) = gather_x* -> y[i]\n");
}

// i - r is one instruction, whose quotient is needed twice and computed once. Where it is not
// exact, the remainder leads out of the array, and a guard keeps the quotient inside.
TEST(Subscripts, MayBeExactQuotients) {
  const std::string lines =
      "size r = 3\ninput x: f32[n] outside zero\ninput w: f32[r]\noutput y: f32[2 * n - 1]\n"
      "y[i] = sum(r) w[r] * x[stride == 1 ? i - r : (i - r) % stride == 0 ? (i - r) / stride : "
      "-1]\n";
  EXPECT_EQ(OutlineOf(lines),
            "load_w(r) = w[r]\n"
            "index(i, r) = i + -1 r\n"
            "div(i, r) = div(index, 2)\n"
            "add(i, r) = mad(div, -2, index)\n"
            "add_2(i, r) = mad(add, 4, div)\n"
            "gather_x(i, r) = add_2 + x[0 i + 0 r] if i + -1 r in 8\n"
            "init(i) = copy(0)\n"
            "mad(i, r: r) = mad(load_w*, gather_x*) from init\n"
            "store_y(i) = mad -> y[i]\n");
  // The side that an option has chosen is alone there.
  EXPECT_EQ(OutlineOf(lines, {{"stride", 1}}),
            "load_w(r) = w[r]\n"
            "load_x(i, r) = x[i + -1 r] if i + -1 r in 4\n"
            "init(i) = copy(0)\n"
            "mad(i, r: r) = mad(load_w*, load_x*) from init\n"
            "store_y(i) = mad -> y[i]\n");
}

// What is never outside of its dimension is not asked, and a condition is no second choice.
TEST(Subscripts, OfIndicesHaveARange) {
  EXPECT_EQ(OutlineOf("input x: f32[n, m] outside 2\noutput y: f32[m, m]\n"
                      "y[i, j] = x[i / 2, j < 5 ? max(j - 1, 0) : -1]\n"),
            "index(i) = i\n"
            "div(i) = div(index, 2)\n"
            "scale(i) = mul(div, 8)\n"
            "index_2(j) = j + -1\n"
            "relu(j) = max(index_2, 0)\n"
            "index_3(j) = j\n"
            "less(j) = less(index_3, 5)\n"
            "add(i, j) = add(scale*, relu*)\n"
            "select(i, j) = select(less*, add, -32)\n"
            "gather_x(i, j) = select + x[0 i + 0 j]\n"
            "store_y(i, j) = gather_x* -> y[8 i + j]\n");
}

TEST(Subscripts, OfAValueRunAsFarAsItsReaders) {
  const std::string outline = OutlineOf(
      "size r = 3\ninput x: f32[m]\ninput w: f32[r]\noutput y: f32[m - 2]\n"
      "t[i] = sum(r) w[r] * x[i + r]\nu[j] = t[j] * 2\ny[k] = u[k]\n");
  EXPECT_EQ(outline,
            "load_w(r) = w[r]\n"
            "load_x(i, r) = x[i + r]\n"
            "init(i) = copy(0)\n"
            "mad(i, r: r) = mad(load_w*, load_x*) from init\n"
            "scale(i) = mul(mad, 2)\n"
            "store_y(i) = scale -> y[i]\n");
}

TEST(Conditions, ThatHoldNowhereAreNoted) {
  const std::string start = "input x: f32[m, n]\noutput y: f32[m]\ny[i] = ";
  EXPECT_EQ(NotesOf(start + "sum(j < 0) x[i, j]\n"),
            "'j < 0' in line 6 holds at no step at these sizes: nothing is taken there");
  EXPECT_EQ(NotesOf(start + "max(j > i + n) x[i, j]\n"),
            "'j > i + n' in line 6 holds at no step at these sizes: nothing is taken there");
  EXPECT_EQ(NotesOf(start + "sum(j) (j == 4 or not j >= 0 ? x[i, j] : 0)\n"),
            "'j == 4 or not j >= 0' in line 6 holds at no step at these sizes: nothing is taken "
            "there");
  EXPECT_EQ(NotesOf(start + "sum(j <= 0) x[i, j]\n"), "");
  EXPECT_EQ(NotesOf(start + "sum(j >= i and j < 3) x[i, j]\n"), "");
  EXPECT_EQ(NotesOf(start + "sum(j) (x[i, j] < 0 and j < 9 ? x[i, j] : 0)\n"), "");
  EXPECT_EQ(NotesOf(start + "sum(j) (j < 9 ? x[i, j] : 0)\n"), "") << "all steps may be meant";
}

}  // namespace
}  // namespace exh::kernels::notation

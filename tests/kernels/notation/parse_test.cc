// SPDX-License-Identifier: MIT
//
// What is written: lines, comments, documentation, ranges, precedence.
#include "kernels/notation/syntax/parse.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "tests/kernels/notation/texts.h"

namespace exh::kernels::notation {
namespace {

/// An expression with all of its brackets.
std::string TextOf(const Expr& expr) {
  std::vector<std::string> args;
  for (const Expr& arg : expr.args) args.push_back(TextOf(arg));
  std::vector<std::string> indices;
  for (const Name& index : expr.indices) indices.push_back(index.text);
  switch (expr.kind) {
    case Expr::Kind::kNumber:
      return fmt::format("{}", expr.number);
    case Expr::Kind::kName:
      return expr.text;
    case Expr::Kind::kRead:
      return fmt::format("{}[{}]", expr.text, fmt::join(args, ", "));
    case Expr::Kind::kCall:
      return fmt::format("{}({})", expr.text, fmt::join(args, ", "));
    case Expr::Kind::kCast:
      return fmt::format("{}<{}>({})", expr.text, expr.type.text, args.front());
    case Expr::Kind::kReduce:
      return fmt::format("{}<{}{}>({})", expr.text, fmt::join(indices, ", "),
                         expr.type.text.empty() ? "" : ": " + expr.type.text, args.front());
  }
  return "";
}

/// The statements between `kernel a` and `end`.
std::vector<std::string> StatementsOf(const std::string& lines) {
  std::vector<std::string> texts;
  for (const Statement& statement : testing::Parsed("kernel a\n" + lines + "\nend\n").statements) {
    std::vector<std::string> indices;
    for (const Expr& index : statement.indices) indices.push_back(TextOf(index));
    texts.push_back(fmt::format("{}[{}] = {}", statement.target.text, fmt::join(indices, ", "),
                                TextOf(statement.value)));
  }
  return texts;
}

using Texts = std::vector<std::string>;

TEST(Restated, ValuesThatAreReadWithTwoIndices) {
  EXPECT_EQ(StatementsOf("t[i] = 2 * x[i]\ny[i, j] = t[i] * t[j]"),
            (Texts{"t[i] = *(2, x[i])", "t_2[i] = *(2, x[i])", "y[i, j] = *(t[i], t_2[j])"}));
  // With what they read along that axis, and not along others; names that are taken are not taken.
  EXPECT_EQ(StatementsOf("input t_2: f32[n]\ns[i] = x[i]\nm[k] = x[k]\n"
                         "t[i, k] = m[k] * s[i]\ny[i, j] = sum(k) t[i, k] * t[j, k]"),
            (Texts{"s[i] = x[i]", "s_2[i] = x[i]", "m[k] = x[k]", "t[i, k] = *(m[k], s[i])",
                   "t_3[i, k] = *(m[k], s_2[i])", "y[i, j] = sum<k>(*(t[i, k], t_3[j, k]))"}));
  // Not where nothing is under both, nor by way of a value for each.
  const std::string apart = "t[i] = x[i]\ny = sum(i) t[i] + sum(j) t[j]";
  EXPECT_EQ(StatementsOf(apart).size(), 2U);
  EXPECT_EQ(StatementsOf("t[i] = x[i]\nu[j] = -t[j]\ny[i, j] = t[i] * u[j]"),
            (Texts{"t[i] = x[i]", "t_2[i] = x[i]", "u[j] = neg(t[j])", "u_2[j] = neg(t_2[j])",
                   "y[i, j] = *(t[i], u_2[j])"}));
  // Three of them.
  EXPECT_EQ(StatementsOf("t[i] = x[i]\ny[i, j, k] = t[i] * t[j] * t[k]").back(),
            "y[i, j, k] = *(*(t[i], t_2[j]), t_3[k])");
  // Along a diagonal there is nothing to tell apart.
  EXPECT_EQ(StatementsOf("t[p, q] = x[p, q]\ny[i] = t[i, i]").size(), 2U);
}

std::string ValueOf(const std::string& expression) {
  const Texts texts = StatementsOf("y = " + expression);
  return texts.size() == 1 ? texts.front().substr(std::string("y[] = ").size()) : "";
}

TEST(Precedence, IsThatOfC) {
  EXPECT_EQ(ValueOf("a + b * c - d / e % f"), "-(+(a, *(b, c)), %(/(d, e), f))");
  EXPECT_EQ(ValueOf("a - b - c"), "-(-(a, b), c)");
  EXPECT_EQ(ValueOf("a / b / c"), "/(/(a, b), c)");
  EXPECT_EQ(ValueOf("(a - (b - c))"), "-(a, -(b, c))");
  EXPECT_EQ(ValueOf("-a * -b"), "*(neg(a), neg(b))");
  EXPECT_EQ(ValueOf("--a"), "neg(neg(a))");
  EXPECT_EQ(ValueOf("a + 1 < b * 2"), "<(+(a, 1), *(b, 2))");
  EXPECT_EQ(ValueOf("a < b and c >= d or e != f"), "or(and(<(a, b), >=(c, d)), !=(e, f))");
  EXPECT_EQ(ValueOf("not a == b"), "not(==(a, b))");
  EXPECT_EQ(ValueOf("not not a and b"), "and(not(not(a)), b)");
  EXPECT_EQ(ValueOf("a ? b : c ? d : e"), "?(a, b, ?(c, d, e))");
  EXPECT_EQ(ValueOf("a ? b ? c : d : e"), "?(a, ?(b, c, d), e)");
  EXPECT_EQ(ValueOf("a or b ? c + d : e"), "?(or(a, b), +(c, d), e)");
}

// A reduction reaches over products and quotients, and ends before a sum.
TEST(Precedence, OfReductionsIsThatOfProducts) {
  EXPECT_EQ(ValueOf("sum(k) a[k] * b[k] + c"), "+(sum<k>(*(a[k], b[k])), c)");
  EXPECT_EQ(ValueOf("c + sum(k) a[k] * b[k]"), "+(c, sum<k>(*(a[k], b[k])))");
  EXPECT_EQ(ValueOf("sum(k) a[k] / b[k] / n"), "sum<k>(/(/(a[k], b[k]), n))");
  EXPECT_EQ(ValueOf("(sum(k) a[k]) / n"), "/(sum<k>(a[k]), n)");
  EXPECT_EQ(ValueOf("2 * sum(k) a[k] * 3"), "*(2, sum<k>(*(a[k], 3)))");
  EXPECT_EQ(ValueOf("sum(k) (a[k] + b[k])"), "sum<k>(+(a[k], b[k]))");
  EXPECT_EQ(ValueOf("sum(k) a[k] * -b[k]"), "sum<k>(*(a[k], neg(b[k])))");
  EXPECT_EQ(ValueOf("sum(i, j) max(k) a[i, j, k]"), "sum<i, j>(max<k>(a[i, j, k]))");
  EXPECT_EQ(ValueOf("-sum(k) a[k]"), "neg(sum<k>(a[k]))");
  EXPECT_EQ(ValueOf("max(k) a[k] < max(a, b)"), "<(max<k>(a[k]), max(a, b))");
  EXPECT_EQ(ValueOf("sum(k) - a[k]"), "-(sum(k), a[k])");
}

TEST(Precedence, OfXorIsThatOfOr) {
  EXPECT_EQ(ValueOf("a xor b or c xor d and e"), "xor(or(xor(a, b), c), and(d, e))");
}

// A name alone before the comma is the type; all else is for the checks of names.
TEST(Types, OfCastsAndReductionsAreWords) {
  EXPECT_EQ(ValueOf("cast(f16, a + 1) * 2"), "*(cast<f16>(+(a, 1)), 2)");
  EXPECT_EQ(ValueOf("sum(k: f64) a[k] * b[k] + c"), "+(sum<k: f64>(*(a[k], b[k])), c)");
  EXPECT_EQ(ValueOf("sum(i, j: i64) a[i, j]"), "sum<i, j: i64>(a[i, j])");
  EXPECT_EQ(ValueOf("argmax(k) a[k]"), "argmax<k>(a[k])");
  EXPECT_EQ(ValueOf("cast(f32)"), "cast(f32)");
  EXPECT_EQ(ValueOf("cast(1, a)"), "cast(1, a)");
  EXPECT_EQ(ValueOf("cast[i]"), "cast[i]") << "no reserved word";
  EXPECT_EQ(ValueOf("max(a ? b : c, d)"), "max(?(a, b, c), d)");
}

TEST(Numbers, AreRealOnesAndWholeOnes) {
  const auto number = [](const std::string& text) {
    return testing::Parsed("kernel a\ny = " + text + "\nend").statements.front().value;
  };
  EXPECT_EQ(number("12").integer, 12);
  EXPECT_EQ(number("12").number, 12);
  EXPECT_EQ(number("9223372036854775807").integer, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(number("9223372036854775808").integer, std::nullopt);
  EXPECT_EQ(number("0.25").number, 0.25);
  EXPECT_EQ(number("0.25").integer, std::nullopt);
  EXPECT_EQ(number("1e3").number, 1000);
  EXPECT_EQ(number("1e3").integer, std::nullopt);
  EXPECT_EQ(number("25E-2").number, 0.25);
  EXPECT_EQ(number("1e-999").number, 0);
  EXPECT_EQ(number("1e+999").number, std::numeric_limits<double>::infinity());
}

// ---- lines

TEST(Lines, GoOnWhileABracketIsOpen) {
  EXPECT_EQ(StatementsOf("y[\ni\n,\nj\n] = max(\na[i, j],\n\n  b\n)\nz = 1"),
            (Texts{"y[i, j] = max(a[i, j], b)", "z[] = 1"}));
}

TEST(Lines, GoOnBehindAnOperatorAndBeforeOne) {
  for (const char* const sign :
       {"+", "-", "*", "/", "%", "<", "<=", ">", ">=", "==", "!=", "and", "or", "xor"}) {
    const Texts wanted = {fmt::format("y[] = {}(a, b)", sign), "z[] = 1"};
    EXPECT_EQ(StatementsOf(fmt::format("y = a {}\n  b\nz = 1", sign)), wanted);
    EXPECT_EQ(StatementsOf(fmt::format("y = a\n  {} b\nz = 1", sign)), wanted);
    EXPECT_EQ(StatementsOf(fmt::format("y = a\n\n  {}\n\n b\n\nz = 1", sign)), wanted);
  }
  EXPECT_EQ(StatementsOf("y = a\n  ? b\n  : c\nz\n=\n1"), (Texts{"y[] = ?(a, b, c)", "z[] = 1"}));
  EXPECT_EQ(StatementsOf("y = a // one\n  + b // two\n  // three\n  + c\nz = 1"),
            (Texts{"y[] = +(+(a, b), c)", "z[] = 1"}));
}

TEST(Lines, EndAtSemicolonsAndLineBreaks) {
  EXPECT_EQ(StatementsOf("y = a; z = b;; w = c;"), (Texts{"y[] = a", "z[] = b", "w[] = c"}));
  EXPECT_EQ(StatementsOf("y = a\r\nz = b\r\n"), (Texts{"y[] = a", "z[] = b"}));
  EXPECT_EQ(StatementsOf("\n\n  y = a  // comment; z = b\n\t\n"), (Texts{"y[] = a"}));
}

TEST(Lines, GoOnBehindACommaInDeclarations) {
  const Kernel kernel = testing::Parsed(
      "kernel a\nsize m = 1,\n  n = 2\n  , k = 3 in 1..\n  4\nscalar s = 1,\n t: f32 = -2e1\n"
      "input x:\n f32[m,\n n]\ntile i,\n j: 4,\n 2\nend\n");
  ASSERT_EQ(kernel.sizes.size(), 3U);
  EXPECT_EQ(kernel.sizes[2].max, 4);
  ASSERT_EQ(kernel.scalars.size(), 2U);
  EXPECT_EQ(kernel.scalars[0].type.text, "");
  EXPECT_EQ(kernel.scalars[1].type.text, "f32");
  EXPECT_EQ(kernel.scalars[1].value, -20);
  ASSERT_EQ(kernel.arrays.size(), 1U);
  EXPECT_EQ(kernel.arrays[0].extents.size(), 2U);
  ASSERT_EQ(kernel.tiles.size(), 1U);
  EXPECT_EQ(kernel.tiles[0].indices.size(), 2U);
  EXPECT_EQ(kernel.tiles[0].largest.size(), 2U);
}

// ---- declarations

TEST(Sizes, OfALineHaveItsLastRange) {
  const Kernel kernel = testing::Parsed(
      "kernel a\nsize m, n = 7 in 2..9, k = 3 in 1..4\noption o = -1 in -2..3, p in 5..6\n"
      "size q\noption r = 1\noption s = -7\nend\n");
  const auto text = [&](std::size_t i) {
    const SizeDecl& size = kernel.sizes.at(i);
    const auto number = [](const std::optional<std::int64_t>& value) {
      return value ? std::to_string(*value) : "none";
    };
    return fmt::format("{}{} = {} in {}..{}", size.is_option ? "option " : "", size.name.text,
                       number(size.default_value), number(size.min), number(size.max));
  };
  EXPECT_EQ(text(0), "m = none in 1..4");
  EXPECT_EQ(text(1), "n = 7 in 2..9");
  EXPECT_EQ(text(2), "k = 3 in 1..4");
  EXPECT_EQ(text(3), "option o = -1 in -2..3");
  EXPECT_EQ(text(4), "option p = none in 5..6");
  EXPECT_EQ(text(5), "q = none in none..none");
  EXPECT_EQ(text(6), "option r = 1 in 0..none") << "an option may be 0";
  EXPECT_EQ(text(7), "option s = -7 in -7..none");
}

TEST(Options, HaveWordsForNumbers) {
  const Kernel kernel = testing::Parsed(
      "kernel a\noption op = max in (sum, max), t in (f32, i8, f16), u, v = b in (a, b)\n"
      "/// n is\n/// even\nrequire op == max or n % 2 == 0\n"
      "output y: (max != op ? i32 : t)[n]\ny[i] = op == sum ? a : max\nend\n");
  const auto text = [&](std::size_t i) {
    const SizeDecl& option = kernel.sizes.at(i);
    return fmt::format("{} = {} in {}..{}, {} words", option.name.text,
                       option.default_value.value_or(-1), option.min.value_or(-1),
                       option.max.value_or(-1), option.words.size());
  };
  EXPECT_EQ(text(0), "op = 1 in 0..1, 2 words");
  EXPECT_EQ(text(1), "t = 0 in 0..2, 3 words");
  EXPECT_EQ(text(2), "u = 0 in 0..1, 2 words") << "those of the last";
  EXPECT_EQ(text(3), "v = 1 in 0..1, 2 words");
  ASSERT_EQ(kernel.requirements.size(), 1U);
  EXPECT_EQ(TextOf(kernel.requirements[0].condition), "or(==(op, 1), ==(%(n, 2), 0))");
  EXPECT_EQ(kernel.requirements[0].doc, "n is even");
  EXPECT_EQ(TextOf(kernel.arrays.at(0).type), "?(!=(1, op), i32, t)");
  EXPECT_EQ(TextOf(kernel.statements.at(0).value), "?(==(op, 0), a, max)")
      << "a word is one beside its option alone";
}

TEST(Sizes, OfALineShareItsDocumentation) {
  const Kernel kernel = testing::Parsed(
      "/// C = A B\nkernel a\n"
      "/// rows of C; columns of C;\n///   length\nsize m, n, k\n"
      "/// one for all\nsize p, q\n"
      "/// too few; of them\nsize r, s, t\n"
      "// no documentation\nsize u\n"
      "  ///   two lines  \n\n  ///of one\n  option v\nend\n");
  Texts docs;
  for (const SizeDecl& size : kernel.sizes) docs.push_back(size.doc);
  EXPECT_EQ(docs, (Texts{"rows of C", "columns of C", "length", "one for all", "one for all",
                         "too few; of them", "too few; of them", "too few; of them", "",
                         "two lines of one"}));
  EXPECT_EQ(kernel.doc, "C = A B");
}

TEST(Arrays, HaveExtentsStridesAndDocumentation) {
  const Kernel kernel = testing::Parsed(
      "kernel a\n/// the matrix\ninput a: f32[m, 2 * k] strides (o ? 1 : k, 3) outside zero\n"
      "output s: f64\nend\n");
  ASSERT_EQ(kernel.arrays.size(), 2U);
  const ArrayDecl& a = kernel.arrays[0];
  EXPECT_FALSE(a.is_output);
  EXPECT_EQ(a.doc, "the matrix");
  ASSERT_EQ(a.extents.size(), 2U);
  EXPECT_EQ(TextOf(a.extents[1]), "*(2, k)");
  ASSERT_EQ(a.strides.size(), 2U);
  EXPECT_EQ(TextOf(a.strides[0]), "?(o, 1, k)");
  ASSERT_TRUE(a.outside.has_value());
  EXPECT_EQ(TextOf(*a.outside), "zero");
  EXPECT_FALSE(kernel.arrays[1].outside.has_value());
  EXPECT_TRUE(kernel.arrays[1].is_output);
  EXPECT_EQ(kernel.arrays[1].type.text, "f64");
  EXPECT_TRUE(kernel.arrays[1].extents.empty());
}

TEST(Statements, HaveTypesAndDocumentation) {
  const Kernel kernel = testing::Parsed("kernel a\n/// what it is\nt: f32[i] = x[i]\ny = 1\nend\n");
  ASSERT_EQ(kernel.statements.size(), 2U);
  EXPECT_EQ(kernel.statements[0].type.text, "f32");
  EXPECT_EQ(kernel.statements[0].target.text, "t");
  EXPECT_EQ(kernel.statements[1].type.text, "");
}

TEST(Comments, AreNoWords) {
  EXPECT_EQ(StatementsOf("// y = a\ny = a//\n//\nz = b // ; w = c"), (Texts{"y[] = a", "z[] = b"}));
}

}  // namespace
}  // namespace exh::kernels::notation

// SPDX-License-Identifier: MIT
//
// What is inferred of programs, and what is said of mistakes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "dsl/diagnostics/render.h"
#include "tests/functional/programs.h"

namespace exh::functional {
namespace {

using testing::HasSubstr;

/// A kernel that copies `view` of x, an array of n floats.
std::string Copy(const std::string& view, const std::string& before = "") {
  return before + "size n = 12\ninput x: [float]n\nkernel copy = map(part -> map(id, part), " +
         view + ")\n";
}

TEST(Constraints, OfASplitAreTheDivisorsOfItsLength) {
  EXPECT_EQ(ConstraintsOf(Copy("split(m, x)", "param m\n")),
            "choice integer m(): 1 .. 4 | 6 | 12 end\nrequire split_m: 12 % m() == 0\n");
  EXPECT_EQ(ConstraintsOf(Copy("split(m, x)", "param m in 2 .. 5\n")),
            "choice integer m(): 2 .. 5 end\nrequire split_m: 12 % m() == 0\n");
  EXPECT_EQ(CountOf(Copy("split(m, x)", "param m in 2 .. 5\n")), "3");
}

TEST(Constraints, OfASplitOfASplit) {
  const std::string text = Copy("split(k, join(split(m, x)))", "param m\nparam k\n");
  // join undoes split: k divides 12, whatever m is.
  EXPECT_EQ(ConstraintsOf(text),
            "choice integer m(): 1 .. 4 | 6 | 12 end\nchoice integer k(): 1 .. 4 | 6 | 12 end\n"
            "require split_m: 12 % m() == 0\nrequire split_k: 12 % k() == 0\n");
  EXPECT_EQ(CountOf(text), "36");
  const std::string outer =
      "param m\nparam k\nsize n = 12\ninput x: [float]n\n"
      "kernel copy = map(a -> map(b -> map(id, b), a), "
      "split(k, split(m, x)))\n";
  EXPECT_THAT(ConstraintsOf(outer), HasSubstr("require split_k: 12 % (m() * k()) == 0\n"));
  // Pairs (m, k) with m * k dividing 12.
  EXPECT_EQ(CountOf(outer), "18");
}

TEST(Constraints, OfWindows) {
  EXPECT_EQ(ConstraintsOf(Copy("slide(w, s, x)", "param w in 1 .. 20\nparam s in 1 .. 3\n")),
            "choice integer w(): 1 .. 20 end\nchoice integer s(): 1 .. 3 end\n"
            "require window: w() <= 12\n");
  EXPECT_EQ(ConstraintsOf(Copy("slideStrict(w, s, x)", "param w in 1 .. 20\nparam s in 0 .. 3\n")),
            "choice integer w(): 1 .. 20 end\nchoice integer s(): 0 .. 3 end\n"
            "require slidestrict: s() >= 1\nrequire window: w() <= 12\n"
            "require windows_cover_s: (12 - w()) % s() == 0\n");
}

TEST(Constraints, OfVectorsAndLimits) {
  const std::string text = R"(
limit threads = 8
limit private = 64
limit local = 100
limit buffer = 1000
param v in 1 | 2 | 4
param m
input x: [float]48
kernel sums =
  mapWrg(0, part ->
    let copied = toLocal(mapLcl(0, id, part)) in
    mapLcl(0, e -> toGlobal(id(reduce(toPrivate(id(0.0)), (s, y) -> s + dot(y, y), e))),
           split(2, asVector(v, copied))),
    split(m, x))
)";
  EXPECT_EQ(ConstraintsOf(text),
            "choice integer v(): 1 | 2 | 4 end\n"
            "choice integer m(): 1 .. 4 | 6 | 8 | 12 | 16 | 24 | 48 end\n"
            "require split_m: 48 % m() == 0\n"
            "require vector_v: m() % v() == 0\n"
            "require split: m() % (v() * 2) == 0\n"
            "require threads_0_of_sums: m() <= 8\n"
            "require threads_0_of_sums_2: m() div (v() * 2) <= 8\n"
            "require local_of_sums: 4 * m() <= 100\n");
  // m is at most 8, and 2 * v divides it: 2, 4, 6, 8; 4, 8; 8.
  EXPECT_EQ(CountOf(text), "7");
}

TEST(Constraints, AreRequiredWhereLengthsMayAgree) {
  const std::string text = R"(
param m
param k in 1 .. 12
input x: [float]12
input y: [float]k
kernel sum = map(part -> map((a, b) -> a + b, zip(part, y)), split(m, x))
)";
  EXPECT_THAT(ConstraintsOf(text), HasSubstr("require lengths: m() == k()\n"));
  EXPECT_EQ(CountOf(text), "6");
}

TEST(Constraints, NameTheirPlaces) {
  dsl::DiagnosticSink sink;
  const auto program = ReadText("p.fun",
                                "param m\ndef parts(y) =\n  split(m, y)\n"
                                "input x: [float]12\nkernel k = map(p -> map(id, p),\n"
                                "  parts(x))\n",
                                {}, sink);
  ASSERT_TRUE(program) << dsl::RenderText(sink);
  EXPECT_THAT(ExhText(*program, sink.sources()),
              HasSubstr("/// p.fun:3:3: split(m) of 12, applied at p.fun:6:3\nrequire split_m:"));
}

/// Words of `.exh`, two requirements with one label, and a label that another gets by counting.
TEST(Constraints, HaveLabelsOfTheirOwn) {
  const std::string text = Copy("split(m, x)",
                                "param m in 1 .. 9\nrequire quotient: m <= 8\n"
                                "require _a: m <= 7\nrequire Same: m <= 6\n"
                                "require same: m <= 5\nrequire same_2: m != 3\n");
  EXPECT_EQ(ConstraintsOf(text),
            "choice integer m(): 1 .. 9 end\nrequire said_quotient: m() <= 8\n"
            "require said__a: m() <= 7\nrequire same: m() <= 6\nrequire same_2: m() <= 5\n"
            "require same_2_2: m() != 3\nrequire split_m: 12 % m() == 0\n");
  EXPECT_EQ(CountOf(text), "3");
}

TEST(Constraints, TakeGivenValues) {
  const std::string text = Copy("split(m, x)", "param m in 2 .. 6\n");
  EXPECT_EQ(ConstraintsOf(text, {{"n", 10}, {"m", 5}}),
            "choice integer m(): 5 end\nrequire split_m: 10 % m() == 0\n");
  EXPECT_THAT(MessagesOf(text, {{"m", 7}}), HasSubstr("it is none of the parameter's values"));
  EXPECT_THAT(MessagesOf(text, {{"mm", 7}}), HasSubstr("did you mean 'm'?"));
}

TEST(Types, FollowDataThroughViews) {
  const auto type_of = [](const std::string& view) {
    const std::string said =
        MessagesOf("input x: [[float]3]8\nkernel k: [int]24 = map(id, " + view + ")\n");
    return said.substr(0, said.find(" [E"));
  };
  EXPECT_THAT(type_of("join(x)"), HasSubstr("float and int"));
  const auto elements = [](const std::string& view) {
    return MessagesOf("input x: [[float]3]8\nkernel k = map(e -> e + 1.0, " + view + ")\n");
  };
  EXPECT_THAT(elements("x"), HasSubstr("'+' calculates with scalars, not with [float]3"));
  EXPECT_THAT(elements("transpose(x)"), HasSubstr("not with [float]8"));
  EXPECT_THAT(elements("split(4, x)"), HasSubstr("not with [[float]3]4"));
  EXPECT_THAT(elements("slide(3, 2, x)"), HasSubstr("not with [[float]3]3"));
  EXPECT_THAT(elements("zip(x, x)"), HasSubstr("not with ([float]3, [float]3)"));
  EXPECT_EQ(elements("asVector(4, join(x))"), "");  // By element of the vector.
}

/// Text, and what must be said of it: place, message.
TEST(Mistakes, AreToldWithTheirPlace) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"input x: [float]\n", "p.fun:2:1: error: expected an expression, got the end of the file"},
      {"inputs x: [float]2\n",
       "p.fun:1:1: error: expected a statement (size, param, limit, require, def, user, input or "
       "kernel), got 'inputs'; did you mean 'input'?"},
      {"size n = 2\nsizes m = 2\n",
       "p.fun:2:1: error: expected the next statement, got 'sizes'; did you mean 'size'?"},
      {"size n = 2 3\n", "p.fun:1:12: error: expected the next statement, got '3'"},
      {"size n\n", "p.fun:2:1: error: expected '=', got the end of the file"},
      {"size n =\nsize m = 2\n", "p.fun:2:1: error: expected an expression, got 'size'"},
      {"size in = 2\n",
       "p.fun:1:6: error: expected a name, got 'in' ('in' is a reserved word and cannot be a "
       "name)"},
      {"size n = -\n", "p.fun:2:1: error: expected an expression, got the end of the file"},
      {"param m 3\n", "p.fun:1:9: error: expected the next statement or 'in', got '3'"},
      {"require a: 1 + 2\n",
       "p.fun:2:1: error: expected a comparison (<, <=, ==, !=, >=, >), got the end"},
      {"input x: 3\n",
       "p.fun:1:10: error: expected a type: float, vector(float, 4), [float]n, (float, int), got "
       "'3'"},
      {"input x: vector\n", "p.fun:1:10: error: a vector has a type and a length"},
      {"input x: float(int, 2)\n", "p.fun:1:10: error: a vector has a type and a length"},
      {"def f() = 1\n", "p.fun:1:7: error: expected a name or a tuple of names, got ')'"},
      {"user f float): float\n", "p.fun:1:8: error: expected '(', got 'float'"},
      {"def f(a, b = a\n", "p.fun:1:12: error: expected ',' or ')', got '='"},
      {"kernel k = map(f x)\n", "p.fun:1:18: error: expected ',' or ')', got 'x'"},
      {"kernel k = map(, x)\n", "p.fun:1:16: error: expected an expression or ')', got ','"},
      {"kernel k = let a = 1 a\n", "p.fun:1:22: error: expected 'in', got 'a'"},
      {"kernel k = map(a + b -> a, x)\n",
       "p.fun:1:16: error: expected a name or a tuple of names before '->', got 'a + b'"},
      {"kernel k = map((a, 3) -> a, x)\n",
       "p.fun:1:20: error: expected a name or a tuple of names before '->', got '3'"},
      {"size n = 2 $ 3\n", "p.fun:1:12: error: '$' has no meaning in a program"},
      {"size n = 2 \xC2\xA0\n",
       "p.fun:1:12: error: U+00A0 (a no-break space) has no meaning in a program"},
      {"size n = 2x\n", "p.fun:1:10: error: a number ends before a letter"},
      {"size n = 2147483649\n", "p.fun:1:10: error: the number is too large"},
      {"size n = m\nsize m = 2\n", "p.fun:1:10: error: 'm' is stated below"},
      {"size n = n\n", "p.fun:1:10: error: 'n' uses itself"},
      {"size map = 2\n", "p.fun:1:6: error: 'map' is a function of the language"},
      {"param Tile in 1 .. 2\n", "p.fun:1:7: error: parameters become choices of .exh"},
      {"param value in 1 .. 2\n", "p.fun:1:7: error: 'value' is a word of .exh"},
      {"param m in 4 .. 2\n", "p.fun:1:17: error: values of a parameter ascend"},
      {"limit thread = 2\n", "p.fun:1:7: error: unknown limit 'thread'; did you mean 'threads'?"},
      {"input x: flot\n", "p.fun:1:10: error: there is no type 'flot'"},
      {Copy("splitt(3, x)"),
       "p.fun:3:42: error: nothing is called 'splitt'; did you mean 'split'?"},
      {Copy("split(5, x)"), "p.fun:3:42: error: split(5) of 12: 12 is no multiple of 5"},
      {Copy("split(0, x)"), "p.fun:3:42: error: the size of a part of 'split': 0 >= 1 cannot hold"},
      {Copy("split(x, 3)"), "p.fun:3:42: error: the size of a part of 'split' is a number over"},
      {Copy("split(3)"),
       "p.fun:3:42: error: 'split' is written split(m, x); here it has 1 argument"},
      {Copy("slide(13, 1, x)"), "error: slide(13, 1) over 12: 13 <= 12 cannot hold"},
      {Copy("slideStrict(5, 2, x)"), "error: slideStrict(5, 2) over 12, without a rest: 7 is no"},
      {Copy("asVector(4, split(3, x))"), "error: vectors are made of scalars, not of [float]3"},
      {Copy("zip(x, split(3, x))"), "error: arrays that are zipped have one length: 12 == 4"},
      {Copy("x"), "p.fun:3:27: error: 'map' takes an array, not float"},
      {Copy("12"), "p.fun:3:15: error: 'map' takes an array, not float"},
      {"input x: [float]4\nkernel k = map(3, x)\n",
       "p.fun:2:12: error: the function of 'map' comes first, map(f, x); here it is the number 3"},
      {"input x: [float]4\nkernel k = mapLcl(3, id, x)\n",
       "p.fun:2:12: error: the dimension of 'mapLcl' is 0, 1 or 2, not 3"},
      {"input x: [[float]4]4\nkernel k = mapSeq(transpose, split(2, x))\n",
       "p.fun:2:12: error: 'mapSeq' runs nothing"},
      {"input x: [float]4\nkernel k = map(e -> toLocal(e), x)\n",
       "p.fun:2:21: error: nothing here is written to local memory: a view writes nothing"},
      {"input x: [float]4\nkernel k = toGlobal(reduce(toPrivate(id(0.0)), (a, b) -> a + b, x))\n",
       "p.fun:2:12: error: nothing here is written to global memory: a reduction lies where"},
      {"input x: [float]4\nkernel k = reduce(0.0, (a, b) -> a + b, x)\n",
       "p.fun:2:8: error: what kernel 'k' yields must lie in global memory"},
      {"input x: [float]4\nkernel k = map((a, b) -> a + b, x)\n",
       "p.fun:2:17: error: a tuple of 2 must come here, not float"},
      {"input x: [float]4\nkernel k = map(e -> e(1), x)\n",
       "p.fun:2:21: error: a function must stand before '(', not float"},
      {"user f(float): float\ninput x: [int]4\nkernel k = map(f, x)\n",
       "p.fun:3:12: error: argument 1 of 'f': int and float"},
      {"param a\nparam b\ninput x: [float]8\nkernel k = map(p -> map(q -> map(id, q), p),\n"
       "  split(a, split(b, x)))\nrequire c: a <= b\n",
       ""},
      {"input x: [float]4\nkernel k = map(id, x)\nkernel k = map(id, x)\n",
       "p.fun:3:8: error: there is already a 'k'"},
      {"param t in 1 .. 4\nlimit private = 8\ninput x: [float]4\n"
       "kernel k = map(id, toPrivate(map(id, fill(4, 0.0))))\n",
       "p.fun:4:30: error: bytes of [float]4 in private memory: 16 is above the limit of 8"},
  };
  for (const auto& [text, said] : cases) {
    if (said.empty()) {
      EXPECT_EQ(MessagesOf(text), "") << text;
    } else {
      EXPECT_THAT(MessagesOf(text), HasSubstr(said)) << text;
    }
  }
}

std::string Repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

/// A program whose only kernel is `value`, an expression of the scalar x.
std::string KernelOf(const std::string& value) {
  return "input x: float\nkernel k = " + value + "\n";
}

TEST(Mistakes, NestedTooDeeplyAreOneMistakeWhateverTheirSize) {
  for (const char* piece : {"(", "-", "x(", "x + x * (", "a -> ", "let a = ", "let a = x in ",
                            "((a, b), c) -> ", "(a -> "}) {
    for (const int times : {201, 20000}) {
      const std::string said = MessagesOf(KernelOf(Repeated(piece, times) + "x"));
      EXPECT_THAT(said, HasSubstr("p.fun:2:")) << piece;
      EXPECT_THAT(said, HasSubstr("error: more than 200 expressions within each other: name parts "
                                  "of it with 'def' [E1302]"))
          << piece;
      EXPECT_EQ(said.find("error", said.find("error") + 1), std::string::npos) << piece;
    }
  }
  EXPECT_THAT(MessagesOf("input x: " + Repeated("[", 201) + "float"), HasSubstr("E1302"));
  EXPECT_THAT(MessagesOf("def f(" + Repeated("(", 201)), HasSubstr("E1302"));
  EXPECT_THAT(MessagesOf(KernelOf("x" + Repeated(" + x", 200))), HasSubstr("E1302"));
}

TEST(Mistakes, AreNoneWhereNothingIsTooDeep) {
  const std::string head = "input x: [float]4\nkernel k = ";
  EXPECT_EQ(MessagesOf(head + Repeated("(", 198) + "map(id, x)" + Repeated(")", 198) + "\n"), "");
  // One after the other is not one within the other.
  EXPECT_EQ(MessagesOf(head + "map(e -> e" + Repeated(" + (e + e)", 190) + ", x)\n"), "");
}

/// Each part of a program has a message of its own; one ends where a line begins with its word.
TEST(Mistakes, AreOneForEachStatement) {
  const std::string said = MessagesOf("size n = \nsize m == 3\nsize $ = $ 2\nsize o = 4 +\n  )\n");
  for (const char* place : {"p.fun:2:1: ", "p.fun:2:8: ", "p.fun:3:6: ", "p.fun:5:3: "}) {
    EXPECT_THAT(said, HasSubstr(place));
  }
  EXPECT_THAT(said, HasSubstr("'$' has no meaning"));
}

TEST(Mistakes, HaveACaretAndWhereTheyAreApplied) {
  EXPECT_EQ(MessagesOf("size n = 10\ninput x: [float]n\ndef parts(y) = split(4, y)\n"
                       "kernel k = map(p -> map(id, p), parts(x))\n"),
            "p.fun:3:16: error: split(4) of 10: 10 is no multiple of 4 [E1323]\n"
            "    3 | def parts(y) = split(4, y)\n"
            "      |                ^~~~~\n"
            "p.fun:4:33: note: in what is applied here\n");
}

TEST(Universes, AreRefusedWhereTheyAreTooLarge) {
  EXPECT_THAT(
      MessagesOf("param a in 1 .. 9000\ninput x: [float]a\nkernel k = map(id, x)\n"),
      HasSubstr("p.fun:1:7: error: parameter 'a': it has 9000 values that may be; 1 to 4096"));
  EXPECT_THAT(MessagesOf("param a\ninput x: [float]a\nkernel k = map(id, x)\n"),
              HasSubstr("no split divides a length by it alone"));
  EXPECT_THAT(MessagesOf("param a\nparam b\ninput x: [float](a * b)\n"
                         "kernel k = map(p -> map(id, p), split(a, x))\n"),
              HasSubstr("parameter 'a': no split divides"));
  // Of many values those that divide are few.
  EXPECT_EQ(ConstraintsOf(Copy("split(m, x)", "param m in 1 .. 9000\n")),
            "choice integer m(): 1 .. 4 | 6 | 12 end\nrequire split_m: 12 % m() == 0\n");
}

}  // namespace
}  // namespace exh::functional

// SPDX-License-Identifier: MIT
//
// Texts that are too deep, too large, or no text.
#include <gtest/gtest.h>

#include <string>

#include "dsl/dsl.h"
#include "tests/dsl/verify.h"

namespace exh::dsl {
namespace {

std::string Repeated(const std::string& piece, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += piece;
  return text;
}

/// The messages, one a line, each with its place.
std::string Said(const std::string& text) {
  DiagnosticSink sink;
  CompileText("a.exh", text, {}, sink);
  std::string said;
  for (const Diagnostic& d : sink.Sorted()) {
    const LineColumn at = Locate(text, d.range.begin);
    said += std::to_string(at.line) + ":" + std::to_string(at.column) + ": " + d.message + " [" +
            CodeOf(d.diag) + "]\n";
  }
  return said;
}

TEST(Nesting, AHundredIsFine) {
  EXPECT_EQ(Said("require a: " + Repeated("not ", 100) + "true"), "");
  EXPECT_EQ(Said("require a: " + Repeated("true => ", 100) + "true"), "");
  EXPECT_EQ(Said("require a: " + Repeated("(", 100) + "true" + Repeated(")", 100)), "");
}

TEST(Nesting, MoreIsOneMistakeWhateverItsSize) {
  for (const int times : {101, 10000}) {
    EXPECT_EQ(
        Said("require a: " + Repeated("not ", times) + "true"),
        "1:412: 'not' stands more than 100 times in one formula; name a part of it with 'let' "
        "[E0205]\n");
    EXPECT_EQ(Said("require a: " + Repeated("true => ", times) + "true"),
              "1:817: '=>' stands more than 100 times in one formula; name a part of it with 'let' "
              "[E0205]\n");
    EXPECT_EQ(Said("require a: " + Repeated("(", times) + "true" + Repeated(")", times)),
              "1:112: '(' is open more than 100 times in one formula; name a part of it with 'let' "
              "[E0205]\n");
  }
}

TEST(Nesting, CountsInOneFormula) {
  EXPECT_EQ(Said("require a: " + Repeated("true => true\n", 300)), "");
  EXPECT_EQ(Said("require a: " + Repeated("(true => true) && ", 150) + "true"), "");
  EXPECT_EQ(Said("choice enum f(): value A: " + Repeated("requires true => true\n", 300) + "end"),
            "");
}

TEST(Text, AByteOrderMarkAtTheStartIsNoMistake) {
  EXPECT_EQ(Said("\xEF\xBB\xBFrequire a: true"), "");
  EXPECT_EQ(Said("\xEF\xBB\xBFrequire a: ?"), "1:13: invalid token '?' [E0101]\n");
  EXPECT_EQ(Said("require a: true\n\xEF\xBB\xBFrequire b: true"),
            "2:1: invalid token U+FEFF (a byte order mark) [E0101]\n");
}

TEST(Text, BytesThatNobodySeesAreNamed) {
  EXPECT_EQ(Said("require\xC2\xA0"
                 "a: true"),
            "1:8: invalid token U+00A0 (a no-break space) [E0101]\n");
  EXPECT_EQ(Said("require \x01 a: true"), "1:9: invalid token U+0001 [E0101]\n");
  EXPECT_EQ(Said("require \xFF a: true"), "1:9: invalid token the byte 0xff (no UTF-8) [E0101]\n");
}

TEST(Text, SnippetsAndDocsAreText) {
  using std::string_literals::operator""s;
  EXPECT_EQ(Said("require a: \"x\0y()\""s), "1:14: code holds U+0000 (a NUL) [E0109]\n");
  EXPECT_EQ(Said("require a: \"x\xC0\x80y()\""),
            "1:14: code holds the byte 0xc0 (no UTF-8) [E0109]\n");
  EXPECT_EQ(Said("/// \xE9t\xE9\nrequire a: true"),
            "1:5: a doc comment holds the byte 0xe9 (no UTF-8) [E0109]\n");
  EXPECT_EQ(Said("/// été\nrequire a: \"f(\\\"é\\\")\"\nrequire b: \"\xF0\x9F\x98\x80()\""), "");
}

TEST(Text, HasABoundedSize) {
  const std::string large = Repeated("require true || true\n", 220000);
  ASSERT_GT(large.size(), kLargestText);
  EXPECT_EQ(Said(large), "1:1: cannot read 'a.exh': it has " + std::to_string(large.size()) +
                             " bytes, more than the 4194304 that are read [E0104]\n");
}

TEST(Text, IncludesHaveABoundedSizeTogether) {
  DiagnosticSink sink;
  sink.sources().AddInMemory("b.exh", "//" + std::string(kLargestText / 2 - 100, ' ') + "\n");
  CompileText("a.exh", "include \"b.exh\"\ninclude \"b.exh\"\ninclude \"b.exh\"\n", {}, sink);
  ASSERT_EQ(sink.Sorted().size(), 1U) << RenderText(sink);
  EXPECT_EQ(sink.Sorted()[0].diag, Diag::kTooManyIncludes);
}

TEST(Hints, AVariableIsSuggestedWithItsSign) {
  const std::string sets =
      "set Ax: item_type = \"A\" id_type = \"I\" item_getter = \"$id\" id_getter = \"$item\" "
      "iterator = \"$fun\" new_objs = \"$objs\" end\n"
      "set Bx($a in Ax) subsetof Ax: iterator = \"$fun\" from_superset = \"$item\" end\n";
  EXPECT_EQ(Said(sets + "require forall $outer in Ax: forall $b in Bx($outr): \"$b\""),
            "3:46: unknown variable '$outr': a parameter must be declared before its use; did you "
            "mean '$outer'? [E0303]\n");
}

}  // namespace
}  // namespace exh::dsl

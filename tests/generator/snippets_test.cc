// SPDX-License-Identifier: MIT
#include "generator/emit/snippets.h"

#include <gtest/gtest.h>

namespace exh::generator {
namespace {

/// The snippet between the first two quotes of `source`; `text` is what it means.
std::string Printed(const std::string& source, const std::string& text) {
  dsl::Spec spec;
  spec.files.push_back({"a.exh", source});
  dsl::Snippet snippet;
  snippet.text = text;
  snippet.range.begin = static_cast<std::uint32_t>(source.find('"') + 1);
  Options options;
  options.space = "a";
  options.prefix = "out/a.exh";
  const SpacePlan plan = MakePlan(spec, options);
  CodeWriter out;
  PrintSnippet(out, plan, snippet);
  return out.text();
}

TEST(Snippets, KeepLineAndColumn) {
  EXPECT_EQ(Printed("// x\nrequire \"$d.f($dd)\"", "$d.f($dd)"),
            "#line 2 \"a.exh\"\n          d.f( dd)\n#line 4 \"out/a.exh.cc\"\n");
}

TEST(Snippets, AContinuedLineKeepsItsSecondLineInPlace) {
  EXPECT_EQ(Printed("\"a && \\\n   b\"", "a && b"),
            "#line 1 \"a.exh\"\n a &&  \n   b\n#line 5 \"out/a.exh.cc\"\n");
}

TEST(Snippets, ASeamThatSplitsAWordIsNotSpread) {
  EXPECT_EQ(Printed("\"ab\" \"cd\"", "abcd"),
            "#line 1 \"a.exh\"\n abcd\n#line 4 \"out/a.exh.cc\"\n");
}

TEST(Snippets, TheSeamOfTwoLiteralsIsBlank) {
  EXPECT_EQ(Printed("\"a +\" \" b\"", "a + b"),
            "#line 1 \"a.exh\"\n a +    b\n#line 4 \"out/a.exh.cc\"\n");
}

TEST(Snippets, AKeywordAsAVariableGetsAnUnderscore) {
  dsl::Snippet snippet;
  snippet.text = "$new.x + $news";
  EXPECT_EQ(SnippetText(snippet), " new_.x +  news");
}

}  // namespace
}  // namespace exh::generator

// SPDX-License-Identifier: MIT
#include "dsl/meaning/snippet.h"

#include <gtest/gtest.h>

namespace exh::dsl {
namespace {

TEST(Snippet, VariablesAreWholeWords) {
  const auto found = FindVariables("$a + $ab.c($a_1)$0 $ $$x cost$");
  ASSERT_EQ(found.size(), 5U);
  EXPECT_EQ(found[0].name, "a");
  EXPECT_EQ(found[0].offset, 0U);
  EXPECT_EQ(found[0].length, 2U);
  EXPECT_EQ(found[1].name, "ab");
  EXPECT_EQ(found[1].offset, 5U);
  EXPECT_EQ(found[2].name, "a_1");
  EXPECT_EQ(found[3].name, "0");
  EXPECT_EQ(found[4].name, "x");
  EXPECT_EQ(found[4].offset, 22U);
}

TEST(Snippet, NamesAreResolvedInScopeAndWordsAreNot) {
  DiagnosticSink sink;
  const ast::Code code{"$fun.f($b, $a)", SourceRange{0, 1, 15}, {{0, SourceRange{0, 1, 15}}}};
  const Snippet snippet = ResolveSnippet(code, {"fun"}, {{"a", {}, {}}, {"b", {}, {}}}, sink);
  ASSERT_EQ(snippet.variables.size(), 3U);
  EXPECT_EQ(snippet.variables[0].variable, -1);
  EXPECT_EQ(snippet.variables[1].variable, 1);
  EXPECT_EQ(snippet.variables[2].variable, 0);
  EXPECT_FALSE(sink.has_errors());
}

}  // namespace
}  // namespace exh::dsl

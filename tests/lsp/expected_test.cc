// SPDX-License-Identifier: MIT
//
// What is offered at a place is held against what people wrote there: each word of the files of the
// tree is taken away with all that is behind it, and must be offered.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/editing/expected.h"
#include "lsp/languages/language.h"
#include "tests/lsp/tree_files.h"

namespace exh::lsp {
namespace {

bool Has(const std::vector<std::string>& list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

/// Every so many words, beginning with another one in each file: all of them would take minutes.
constexpr std::size_t kStep = 23;

/// How many words were held.
int HoldWords(const Language& language, const std::string& path, std::size_t first) {
  const std::string text = ReadWhole(path);
  int held = 0;
  const std::vector<dsl::SourceRange> words = language.KeywordsOf(text);
  for (std::size_t i = first % kStep; i < words.size(); i += kStep) {
    const std::string word = text.substr(words[i].begin, words[i].end - words[i].begin);
    const dsl::Expected expected =
        language.ExpectedBehind(std::string_view(text).substr(0, words[i].begin));
    EXPECT_TRUE(Has(expected.words, word)) << path << ": '" << word << "' at " << words[i].begin;
    ++held;
  }
  return held;
}

bool IsExpected(const Symbol& symbol, const Analysis& analysis, const std::string& word,
                const dsl::Expected& expected) {
  if (expected.names) return true;
  switch (symbol.kind) {
    case SymbolKind::kSet:
      return expected.sets;
    case SymbolKind::kChoice:
    case SymbolKind::kFunction:
      return expected.choices;
    case SymbolKind::kConstant:
      return expected.choices || expected.constants;
    case SymbolKind::kVariable:
      return Has(expected.variables, word);
    case SymbolKind::kValue: {
      const std::string& choice = analysis.symbols()[static_cast<std::size_t>(symbol.parent)].name;
      return expected.values && (expected.tested.empty() || expected.tested == choice);
    }
    default:
      return false;
  }
}

int HoldNames(const Language& language, const std::string& path, std::size_t first) {
  const std::string text = ReadWhole(path);
  const std::string root = language.RootsOf(path, {}).front();
  const Analysis analysis = language.Analyse(root, {});
  const auto file = analysis.FileOf(path);
  if (!file) return 0;
  int held = 0;
  for (std::size_t i = first % kStep; i < analysis.uses().size(); i += kStep) {
    const dsl::NameUse& use = analysis.uses()[i];
    const Symbol* const symbol = analysis.Declared(use.declared);
    if (use.range.file != *file || use.range == use.declared || symbol == nullptr) continue;
    const std::string word = text.substr(use.range.begin, use.range.end - use.range.begin);
    const dsl::Expected expected =
        language.ExpectedBehind(std::string_view(text).substr(0, use.range.begin));
    EXPECT_TRUE(IsExpected(*symbol, analysis, word, expected))
        << path << ": '" << word << "' at " << use.range.begin;
    ++held;
  }
  return held;
}

TEST(Expected, OffersTheWordsOfTheTree) {
  for (const auto& language : Languages()) {
    int words = 0, names = 0;
    std::size_t first = 0;
    for (const std::string& path : FilesOfTheTree(language->suffix())) {
      words += HoldWords(*language, path, ++first);
      names += HoldNames(*language, path, first);
    }
    EXPECT_GT(words, 5) << language->id();
    EXPECT_GT(names, 10) << language->id();
  }
}

TEST(Expected, NothingWhereACommentIsWritten) {
  for (const auto& language : Languages()) {
    const dsl::Expected expected = language->ExpectedBehind("// so ");
    EXPECT_TRUE(expected.words.empty() && !expected.names) << language->id();
  }
  EXPECT_TRUE(dsl::ExpectedBehind("/* so ").words.empty());
  EXPECT_TRUE(dsl::ExpectedBehind("/// so ").words.empty());
  EXPECT_FALSE(dsl::ExpectedBehind("/// so\n").words.empty());
  EXPECT_FALSE(dsl::ExpectedBehind("").words.empty());
}

TEST(Expected, TheLastWordIsLeftOut) {
  EXPECT_EQ(dsl::WithoutLastWord("require $ab"), "require ");
  EXPECT_EQ(dsl::WithoutLastWord("require "), "require ");
  EXPECT_EQ(dsl::WithoutLastWord("$"), "");
  EXPECT_EQ(dsl::WithoutLastWord("é1"), "é");
}

}  // namespace
}  // namespace exh::lsp

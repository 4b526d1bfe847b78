// SPDX-License-Identifier: MIT
//
// One mistake is told in few words: files of the tree with one token deleted, doubled, exchanged or
// with one quote missing give at most three diagnostics, whatever depends on what was meant.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <regex>
#include <string>
#include <vector>

#include "dsl/dsl.h"
#include "tests/dsl/verify.h"
#include "tests/support/tree.h"

namespace exh::dsl {
namespace {

constexpr std::size_t kMost = 3;

struct Piece {
  std::size_t begin = 0;
  std::string text;
};

/// Everything but blanks and comments.
std::vector<Piece> Tokens(const std::string& text) {
  static const std::regex token(
      R"re(///?[^\n]*|"(?:[^"\\]|\\[^])*"|\$?[A-Za-z0-9_]+|&&|\|\||=>|->|[<>=!]=|[^\s])re");
  std::vector<Piece> tokens;
  for (std::sregex_iterator it(text.begin(), text.end(), token), end; it != end; ++it) {
    if (it->str().starts_with("//")) continue;
    tokens.push_back({static_cast<std::size_t>(it->position()), it->str()});
  }
  return tokens;
}

/// What was done, and the text after it.
struct Mistake {
  std::string what;
  std::string text;
};

Mistake MakeMistake(const std::string& text, std::mt19937_64& random) {
  const std::vector<Piece> tokens = Tokens(text);
  const Piece& token = tokens[random() % tokens.size()];
  const std::string line = std::to_string(
      1 + std::count(text.begin(), text.begin() + static_cast<int>(token.begin), '\n'));
  Mistake mistake{"", text};
  const auto replace = [&](const std::string& with) {
    mistake.text.replace(token.begin, token.text.size(), with);
  };
  switch (random() % 4) {
    case 0:
      mistake.what = "deleted " + token.text + " in line " + line;
      replace("");
      break;
    case 1:
      mistake.what = "doubled " + token.text + " in line " + line;
      replace(token.text + " " + token.text);
      break;
    case 2: {
      const std::string& other = tokens[random() % tokens.size()].text;
      mistake.what = "wrote " + other + " for " + token.text + " in line " + line;
      replace(other);
      break;
    }
    default:
      mistake.what = "removed a quote of " + token.text + " in line " + line;
      replace(token.text[0] != '"' ? ""
              : random() % 2 == 0  ? token.text.substr(1)
                                   : token.text.substr(0, token.text.size() - 1));
  }
  return mistake;
}

/// Mutates `file`, compiles `root`.
void MakeMistakes(const std::string& root, const std::string& file, int count) {
  const std::string folder = std::string(kSourceDir) + "/";
  const std::string text = ReadFile(folder + file);
  for (int seed = 1; seed <= count; ++seed) {
    std::mt19937_64 random(static_cast<std::uint64_t>(seed));
    const Mistake mistake = MakeMistake(text, random);
    DiagnosticSink sink;
    sink.sources().AddInMemory(folder + file, mistake.text);
    CompileOptions options;
    options.root = kSourceDir;
    Compile(folder + root, options, sink);
    const std::vector<Diagnostic> told = sink.Sorted();
    EXPECT_LE(told.size(), kMost) << file << ", seed " << seed << ": " << mistake.what << "\n"
                                  << RenderText(sink);
  }
}

TEST(Cascades, OneMistakeInTheSpaceOfLinearAlgebra) {
  std::vector<std::string> files = ExhFiles("kernels/spaces");
  for (const std::string& path : files) {
    const std::string name = path.substr(path.rfind('/') + 1);
    MakeMistakes("kernels/spaces/linalg.exh", "kernels/spaces/" + name, 5);
  }
}

TEST(Cascades, OneMistakeAmongAllConstructs) {
  MakeMistakes("tests/dsl/valid/every_construct.exh", "tests/dsl/valid/every_construct.exh", 100);
  MakeMistakes("tests/dsl/valid/every_construct.exh", "tests/dsl/valid/parts/sets.exh", 40);
  MakeMistakes("tests/dsl/valid/data.exh", "tests/dsl/valid/data.exh", 100);
}

/// What is said of linalg.exh with a text of one of its files replaced.
std::string With(const std::string& file, const std::string& from, const std::string& to) {
  const std::string path = std::string(kSourceDir) + "/kernels/spaces/" + file;
  std::string text = ReadFile(path);
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  DiagnosticSink sink;
  sink.sources().AddInMemory(path, text);
  Compile(std::string(kSourceDir) + "/kernels/spaces/linalg.exh", {}, sink);
  std::string told;
  for (const Diagnostic& d : sink.Sorted()) told += d.message + "\n";
  return told;
}

TEST(Cascades, AMisspeltFirstWordIsOneMistake) {
  EXPECT_EQ(With("dims.exh", "choice enum dim_kind", "defin enum dim_kind"),
            "expected a statement, got name 'defin'; did you mean 'define'?\n");
}

TEST(Cascades, ASetWithANameOfTheWrongClassIsOneMistake) {
  const std::string sets =
      "set statement: item_type = \"A\" end\n"
      "set Dims subsetof statement: end\n"
      "choice enum kind($a in statement): value A: value B: end\n"
      "require forall $a in statement: kind($a) is A\n"
      "require forall $a in statement: forall $b in statement: kind($a) == kind($b)\n";
  DiagnosticSink sink;
  CompileText("a.exh", sets, {}, sink);
  ASSERT_EQ(sink.Sorted().size(), 1U) << RenderText(sink);
  EXPECT_NE(sink.Sorted()[0].message.find("expected a set name, got name 'statement'"),
            std::string::npos);
}

TEST(Cascades, AnOpenQuoteIsToldWhereItStands) {
  const std::string text =
      "set Items:\n"
      "  item_type = \"demo::Item\"\n"
      "  id_type = \"demo::ItemId\n"
      "  item_getter = \"$fun.item($id)\"\n"
      "  id_getter = \"$item.id\"\n"
      "  iterator = \"$fun.items()\"\n"
      "  new_objs = \"$objs.items\"\n"
      "end\n"
      "choice enum kind($a in Items): value A: value B: end\n"
      "require forall $a in Items: kind($a) is A\n";
  DiagnosticSink sink;
  CompileText("a.exh", text, {}, sink);
  ASSERT_EQ(sink.Sorted().size(), 1U) << RenderText(sink);
  const Diagnostic told = sink.Sorted()[0];
  EXPECT_EQ(told.diag, Diag::kOpenCode);
  EXPECT_EQ(Locate(text, told.range.begin), (LineColumn{3, 13}));
}

}  // namespace
}  // namespace exh::dsl

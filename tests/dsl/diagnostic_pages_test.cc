// SPDX-License-Identifier: MIT
//
// Every code has a page in docs/diagnostics, every page a code. A page shows a mistake in its first
// ```exh block and how it should read in the second; both are compiled after the text of
// prelude.exh, or by themselves when the block starts with ```exh alone. What the pages about
// kernels as text show is checked by tests/kernels/notation/pages_test.cc, of functional programs
// by tests/functional/pages_test.cc.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

#include "dsl/diagnostics/diagnostic_pages.h"
#include "dsl/dsl.h"
#include "dsl/syntax/format.h"
#include "tests/dsl/verify.h"
#include "tests/support/tree.h"

namespace exh::dsl {
namespace {

const std::string kFolder = std::string(kSourceDir) + "/docs/diagnostics/";

/// Kinds that no text of a page can show: what the machine does, or what only `exhc build` reports.
const std::set<Diag> kWithoutExample = {Diag::kTooManyIncludes,  Diag::kParserFailed,
                                        Diag::kBuildWithoutHost, Diag::kBuildWithoutValues,
                                        Diag::kNotText,          Diag::kNeedsBackbone,
                                        Diag::kNeedsData,        Diag::kNotGiven};

/// Kinds from here on are about kernels as text.
constexpr int kFirstOfKernels = 1001;

bool IsOfKernels(Diag diag) {
  return static_cast<int>(diag) >= kFirstOfKernels;
}

struct Page {
  std::string heading;
  std::vector<std::string> blocks;
};

Page ParsePage(const std::string& text, const std::string& prelude) {
  Page page;
  std::istringstream in(text);
  std::string line;
  std::getline(in, page.heading);
  bool inside = false;
  while (std::getline(in, line)) {
    if (inside && line == "```") {
      inside = false;
    } else if (inside) {
      page.blocks.back() += line + "\n";
    } else if (line.starts_with("```exh")) {
      inside = true;
      page.blocks.push_back(line == "```exh alone" ? "" : prelude);
    }
  }
  return page;
}

std::vector<Diagnostic> DiagnosticsOf(const std::string& text, bool lints = true) {
  DiagnosticSink sink;
  CompileOptions options;
  options.lints = lints;
  CompileText("page.exh", text, options, sink);
  return sink.Sorted();
}

class DiagnosticPages : public testing::TestWithParam<DiagInfo> {};

TEST_P(DiagnosticPages, ShowTheMistakeAndHowItShouldRead) {
  const DiagInfo info = GetParam();
  const std::string code = CodeOf(info.diag);
  const std::string text = ReadFile(kFolder + code + ".md");
  const std::string prelude = ReadFile(kFolder + "prelude.exh");
  const Page page = ParsePage(text, prelude);
  EXPECT_EQ(page.heading, fmt::format("# {}: {}", code, info.title));
  EXPECT_EQ(DiagnosticPage(info.diag), text) << "the page that is compiled in";
  if (kWithoutExample.contains(info.diag) || IsOfKernels(info.diag)) return;
  ASSERT_EQ(page.blocks.size(), 2U);
  const auto wrong = DiagnosticsOf(page.blocks[0]);
  EXPECT_GT(std::ranges::count(wrong, info.diag, &Diagnostic::diag), 0);
  for (const Diagnostic& d : wrong) {
    EXPECT_TRUE(d.diag == info.diag || d.severity() == Severity::kWarning)
        << CodeOf(d.diag) << ": " << d.message;
  }
  for (const Diagnostic& d : DiagnosticsOf(page.blocks[1])) {
    // What a page does not speak about may be unused in its example.
    const bool unused = d.diag == Diag::kUnusedSet || d.diag == Diag::kUnusedChoice;
    const bool own = d.diag == info.diag && d.range.begin >= prelude.size();
    EXPECT_TRUE(unused && !own) << CodeOf(d.diag) << ": " << d.message;
  }
}

INSTANTIATE_TEST_SUITE_P(Dsl, DiagnosticPages,
                         testing::ValuesIn(AllDiags().begin(), AllDiags().end()),
                         [](const auto& kind) { return CodeOf(kind.param.diag); });

// `exhc fmt` does not touch those with mistakes of syntax.
TEST(DiagnosticPages, ShowExamplesInTheStyleOfFmt) {
  for (const DiagInfo& info : AllDiags()) {
    const std::string code = CodeOf(info.diag);
    for (const std::string& block : ParsePage(ReadFile(kFolder + code + ".md"), "").blocks) {
      DiagnosticSink sink;
      if (!CheckSyntax("page.exh", block, sink)) continue;
      FormatError error;
      EXPECT_EQ(FormatText(block, &error), block) << code;
    }
  }
}

TEST(DiagnosticPages, AreOnlyThoseOfTheTable) {
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().extension() != ".md" || entry.path().stem() == "README") continue;
    EXPECT_TRUE(DiagOfCode(entry.path().stem().string())) << entry.path();
  }
}

TEST(DiagnosticPages, TheirReadmeNamesTheWarningsThatOnlyCheckGives) {
  std::set<std::string> lints;
  const std::string prelude = ReadFile(kFolder + "prelude.exh");
  for (const DiagInfo& info : AllDiags()) {
    if (info.severity != Severity::kWarning) continue;
    const std::string code = CodeOf(info.diag);
    const auto without =
        DiagnosticsOf(ParsePage(ReadFile(kFolder + code + ".md"), prelude).blocks.at(0), false);
    if (std::ranges::count(without, info.diag, &Diagnostic::diag) == 0) lints.insert(code);
  }
  std::string text = ReadFile(kFolder + "README.md");
  text.resize(text.find("\n## "));
  std::set<std::string> named;
  const std::regex pattern("W[0-9]{4}");
  for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it) {
    named.insert(it->str());
  }
  EXPECT_EQ(named, lints);
}

TEST(UnusedAlias, IsOneThatNoConditionAndNoOtherAliasMentions) {
  const std::string text = R"(choice enum colour():
  alias WARM = RED | PINK:
  alias COLD = BLUE | ICY:
  alias ICY = CYAN | WHITE:
  alias OTHER = ICY | COLD:
  value RED: value PINK: value BLUE: value CYAN: value WHITE:
end
require colour() is OTHER
)";
  std::vector<std::string> unused;
  for (const Diagnostic& d : DiagnosticsOf(text)) {
    if (d.diag == Diag::kUnusedAlias) unused.push_back(d.message);
  }
  EXPECT_EQ(unused, std::vector<std::string>{"the alias 'WARM' is not used"});
}

TEST(DiagnosticCodes, AreReadInEitherCaseAndOnlyWithTheirOwnLetter) {
  EXPECT_EQ(CodeOf(Diag::kRepeatedChoice), "E0312");
  EXPECT_EQ(DiagOfCode("E0312"), Diag::kRepeatedChoice);
  EXPECT_EQ(DiagOfCode("e0312"), Diag::kRepeatedChoice);
  EXPECT_EQ(DiagOfCode("w0521"), Diag::kNoValues);
  EXPECT_FALSE(DiagOfCode("W0312"));
  EXPECT_FALSE(DiagOfCode("E312"));
  EXPECT_FALSE(DiagOfCode("E9999"));
}

}  // namespace
}  // namespace exh::dsl

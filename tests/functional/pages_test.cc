// SPDX-License-Identifier: MIT
//
// Every code of functional programs has a page in docs/diagnostics. A page shows a mistake in its
// first ```fun block and how it should read in the second: the first causes that code and no other,
// the second nothing. And docs/functional.md shows programs without mistakes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "dsl/diagnostics/render.h"
#include "tests/dsl/expectations.h"
#include "tests/functional/programs.h"

namespace exh::functional {
namespace {

using dsl::DiagInfo;

std::vector<DiagInfo> OurDiags() {
  std::vector<DiagInfo> ours;
  for (const DiagInfo& info : dsl::AllDiags()) {
    if (static_cast<int>(info.diag) >= 1301) ours.push_back(info);
  }
  return ours;
}

class ProgramPages : public ::testing::TestWithParam<DiagInfo> {};

TEST_P(ProgramPages, ShowTheMistakeAndHowItShouldRead) {
  const DiagInfo info = GetParam();
  const std::string code = dsl::CodeOf(info.diag);
  const std::string page = FileText("docs/diagnostics/" + code + ".md");
  EXPECT_EQ(page.substr(0, page.find('\n')), fmt::format("# {}: {}", code, info.title));
  const auto blocks = dsl::FencedBlocks(page, "fun");
  ASSERT_EQ(blocks.size(), 2U);
  dsl::DiagnosticSink sink;
  ReadText("page.fun", blocks[0].text, {}, sink);
  EXPECT_FALSE(sink.Sorted().empty());
  for (const dsl::Diagnostic& each : sink.Sorted()) EXPECT_EQ(each.diag, info.diag);
  EXPECT_EQ(MessagesOf(blocks[1].text), "");
}

INSTANTIATE_TEST_SUITE_P(Functional, ProgramPages, ::testing::ValuesIn(OurDiags()),
                         [](const auto& kind) { return dsl::CodeOf(kind.param.diag); });

TEST(ProgramPages, TheProgramsOfTheManualHaveNoMistakes) {
  const auto blocks = dsl::FencedBlocks(FileText("docs/functional.md"), "fun");
  EXPECT_GE(blocks.size(), 1U);
  for (const auto& block : blocks) EXPECT_EQ(MessagesOf(block.text), "") << block.line;
}

}  // namespace
}  // namespace exh::functional

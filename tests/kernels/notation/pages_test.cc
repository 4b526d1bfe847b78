// SPDX-License-Identifier: MIT
//
// Every code of kernels as text has a page in docs/diagnostics, every such page a code. A page
// shows a mistake in its first ```kernel block and how it should read in the second: the first
// causes that code and no other, the second nothing. Blocks of ```compute are statements alone.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "dsl/diagnostics/render.h"
#include "kernels/notation/compute.h"
#include "tests/dsl/expectations.h"
#include "tests/kernels/notation/texts.h"
#include "tests/support/tree.h"

namespace exh::kernels::notation {
namespace {

using dsl::Diag;
using dsl::DiagInfo;

const std::string kFolder = std::string(kSourceDir) + "/docs/diagnostics/";
constexpr int kFirst = 1001, kFirstOfPrograms = 1301;

bool IsOurs(Diag diag) {
  return static_cast<int>(diag) >= kFirst && static_cast<int>(diag) < kFirstOfPrograms;
}

std::vector<DiagInfo> OurDiags() {
  std::vector<DiagInfo> ours;
  for (const DiagInfo& info : dsl::AllDiags()) {
    if (IsOurs(info.diag)) ours.push_back(info);
  }
  return ours;
}

void CheckStatements(const std::string& text, dsl::DiagnosticSink& sink) {
  sink.sources().AddInMemory("page", text);
  std::string error;
  const auto file = sink.sources().Open("page", std::nullopt, &error);
  ASSERT_TRUE(file) << error;
  KernelOfStatements(*file, "compute", "f32", {{"i", 8}}, sink);
}

class KernelPages : public ::testing::TestWithParam<DiagInfo> {};

TEST_P(KernelPages, ShowTheMistakeAndHowItShouldRead) {
  const DiagInfo info = GetParam();
  const std::string code = dsl::CodeOf(info.diag);
  const std::string page = dsl::ReadFile(kFolder + code + ".md");
  EXPECT_EQ(page.substr(0, page.find('\n')), fmt::format("# {}: {}", code, info.title));
  const auto kernels = dsl::FencedBlocks(page, "kernel");
  const auto statements = dsl::FencedBlocks(page, "compute");
  ASSERT_EQ(kernels.size() + statements.size(), 2U);
  for (const std::size_t i : {0, 1}) {
    dsl::DiagnosticSink sink;
    if (statements.empty()) {
      testing::CheckKernel("page", kernels[i].text, sink);
    } else {
      CheckStatements(statements[i].text, sink);
    }
    EXPECT_EQ(sink.has_errors(), i == 0) << dsl::RenderText(sink);
    for (const dsl::Diagnostic& d : sink.Sorted()) {
      EXPECT_EQ(dsl::CodeOf(d.diag), code) << d.message;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Notation, KernelPages, ::testing::ValuesIn(OurDiags()),
                         [](const auto& kind) { return dsl::CodeOf(kind.param.diag); });

TEST(KernelPages, AreOnlyThoseOfTheTable) {
  std::size_t pages = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (dsl::FencedBlocks(dsl::ReadFile(entry.path()), "kernel").empty()) continue;
    const auto diag = dsl::DiagOfCode(entry.path().stem().string());
    EXPECT_TRUE(diag && IsOurs(*diag)) << entry.path();
    ++pages;
  }
  EXPECT_GE(pages, 30U);
}

// Whoever looks a code up finds it in the list of all of them.
TEST(KernelPages, AreInTheirReadme) {
  const std::string readme = dsl::ReadFile(kFolder + "README.md");
  for (const DiagInfo& info : OurDiags()) {
    const std::string line =
        fmt::format("| [{0}]({0}.md) | {1} |\n", dsl::CodeOf(info.diag), info.title);
    EXPECT_NE(readme.find(line), std::string::npos) << line;
  }
}

}  // namespace
}  // namespace exh::kernels::notation

// SPDX-License-Identifier: MIT
//
// Every ```kernel block of docs/kernels.md is a kernel without mistakes, and so is every
// computation that a command of the page has, at sizes of 8.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "dsl/diagnostics/render.h"
#include "kernels/notation/compute.h"
#include "tests/dsl/expectations.h"
#include "tests/kernels/notation/texts.h"
#include "tests/support/tree.h"

namespace exh::kernels::notation {
namespace {

std::string Page() {
  return dsl::ReadFile(std::string(kSourceDir) + "/docs/kernels.md");
}

TEST(KernelDocs, EveryKernelIsWithoutMistakes) {
  const auto blocks = dsl::FencedBlocks(Page(), "kernel");
  EXPECT_GE(blocks.size(), 10U);
  for (const dsl::FencedBlock& block : blocks) {
    dsl::DiagnosticSink sink;
    testing::CheckKernel("kernels.md", block.text, sink);
    EXPECT_EQ(dsl::RenderText(sink), "") << "the block at line " << block.line;
  }
}

TEST(KernelDocs, EveryComputationIsWithoutMistakes) {
  const std::string page = Page();
  const std::string option = "--compute '";
  int count = 0;
  for (std::size_t at = page.find(option); at != std::string::npos; at = page.find(option, at)) {
    at += option.size();
    const std::string text = page.substr(at, page.find('\'', at) - at);
    dsl::DiagnosticSink sink;
    sink.sources().AddInMemory("--compute", text);
    std::string error;
    const auto file = sink.sources().Open("--compute", std::nullopt, &error);
    ASSERT_TRUE(file) << error;
    Sizes sizes;
    for (const char name : std::string("ijkr")) sizes[std::string(1, name)] = 8;
    const auto kernel = KernelOfStatements(*file, "compute", "f32", sizes, sink);
    EXPECT_EQ(dsl::RenderText(sink), "") << text;
    if (kernel) testing::BackboneOf(*kernel);
    ++count;
  }
  EXPECT_GE(count, 3);
}

}  // namespace
}  // namespace exh::kernels::notation

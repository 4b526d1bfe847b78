// SPDX-License-Identifier: MIT
//
// Every ```exh block of docs/dsl.md is a program that compiles without a warning. A block may build
// on another: `// after: sets` puts the block that says `// snippet: sets` before it. A block that
// says
// `// file: a.exh` can be included by that name.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "dsl/dsl.h"
#include "tests/dsl/verify.h"
#include "tests/support/tree.h"

namespace exh::dsl {
namespace {

// What follows `mark` on the line of the text that starts with it, or nothing.
std::string Marked(const std::string& text, const std::string& mark) {
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(mark)) return line.substr(mark.size());
  }
  return "";
}

TEST(Docs, EverySnippetCompiles) {
  const auto blocks = FencedBlocks(ReadFile(std::string(kSourceDir) + "/docs/dsl.md"), "exh");
  EXPECT_GE(blocks.size(), 10U);
  std::map<std::string, std::string> named;
  std::map<std::string, std::string> files;
  for (const FencedBlock& block : blocks) {
    std::string text = block.text;
    if (const std::string base = Marked(text, "// after: "); !base.empty()) {
      ASSERT_TRUE(named.contains(base)) << "line " << block.line << ": no snippet '" << base << "'";
      text = named[base] + text;
    }
    if (const std::string name = Marked(block.text, "// snippet: "); !name.empty()) {
      named[name] = text;
    }
    if (const std::string name = Marked(block.text, "// file: "); !name.empty()) files[name] = text;
    DiagnosticSink sink;
    for (const auto& [name, content] : files) sink.sources().AddInMemory(name, content);
    const auto spec = CompileText("dsl.md", text, {}, sink);
    EXPECT_TRUE(spec.has_value()) << "the block at line " << block.line;
    EXPECT_EQ(RenderText(sink), "") << "the block at line " << block.line;
  }
}

// What a block says is a file of examples/spaces is that file: both begin with the same line.
TEST(Docs, ExamplesAreTheFiles) {
  const std::string root = kSourceDir;
  const auto blocks = FencedBlocks(ReadFile(root + "/docs/dsl.md"), "exh");
  for (const char* const name : {"queens", "colouring", "job_shop", "knapsack", "tiling"}) {
    const std::string file = ReadFile(root + "/examples/spaces/" + name + ".exh");
    EXPECT_EQ(std::ranges::count(blocks, file, &FencedBlock::text), 1) << name;
  }
}

}  // namespace
}  // namespace exh::dsl

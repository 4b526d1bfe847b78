// SPDX-License-Identifier: MIT
//
// The exact text of a few diagnostics. Contents are checked where the mistakes are (invalid/); here
// only the form counts. EXH_UPDATE_GOLDENS=1 writes the files anew; look at the difference.
#include "dsl/diagnostics/render.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "dsl/dsl.h"
#include "tests/dsl/verify.h"
#include "tests/support/tree.h"

namespace exh::dsl {
namespace {

void CompareGolden(const std::string& path, const std::string& actual) {
  if (std::getenv("EXH_UPDATE_GOLDENS") != nullptr) std::ofstream(path) << actual;
  EXPECT_EQ(ReadFile(path), actual) << path;
}

class RenderGolden : public testing::TestWithParam<std::string> {};

TEST_P(RenderGolden, TextIsExact) {
  DiagnosticSink sink;
  Compile(GetParam(), {kSourceDir, {}}, sink);
  CompareGolden(std::filesystem::path(GetParam()).replace_extension(".err"), RenderText(sink));
}

INSTANTIATE_TEST_SUITE_P(Dsl, RenderGolden, testing::ValuesIn(ExhFiles("tests/dsl/render")),
                         [](const auto& file) {
                           return std::filesystem::path(file.param).stem().string();
                         });

TEST(Render, JsonIsExact) {
  const std::string path = std::string(kSourceDir) + "/tests/dsl/render/include_stack.exh";
  DiagnosticSink sink;
  Compile(path, {kSourceDir, {}}, sink);
  CompareGolden(std::filesystem::path(path).replace_extension(".json"), RenderJson(sink));
}

TEST(Render, NothingIsNothing) {
  DiagnosticSink sink;
  EXPECT_EQ(RenderText(sink), "");
  EXPECT_EQ(RenderJson(sink), "[]\n");
}

TEST(Render, BytesThatAreNotUtf8DoNotStopJson) {
  DiagnosticSink sink;
  CompileText("bad.exh", "include \"\xff\"", {}, sink);
  EXPECT_TRUE(sink.has_errors());
  EXPECT_NE(RenderJson(sink).find("\"line\": 1"), std::string::npos);
}

}  // namespace
}  // namespace exh::dsl

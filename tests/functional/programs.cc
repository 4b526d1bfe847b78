// SPDX-License-Identifier: MIT
#include "tests/functional/programs.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "dsl/diagnostics/render.h"
#include "load/load.h"
#include "search/exact/exact_count.h"
#include "tests/support/tree.h"

namespace exh::functional {
namespace {

std::string ExhOf(const std::string& text, const Given& given) {
  dsl::DiagnosticSink sink;
  const auto program = ReadText("p.fun", text, given, sink);
  EXPECT_TRUE(program != nullptr) << dsl::RenderText(sink);
  return program == nullptr ? "" : ExhText(*program, sink.sources());
}

}  // namespace

std::string MessagesOf(const std::string& text, const Given& given) {
  dsl::DiagnosticSink sink;
  const auto program = ReadText("p.fun", text, given, sink);
  EXPECT_EQ(program == nullptr, sink.has_errors());
  return dsl::RenderText(sink);
}

std::string ConstraintsOf(const std::string& text, const Given& given) {
  std::istringstream lines(ExhOf(text, given));
  std::string all;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.starts_with("//")) continue;
    const bool goes_on = line.starts_with("  ");
    if (goes_on) line.erase(0, 1);
    all += (goes_on || all.empty() ? "" : "\n") + line;
  }
  return all + "\n";
}

std::shared_ptr<const runtime::Instance> FrozenProgram(const std::string& text,
                                                       const Given& given) {
  dsl::DiagnosticSink sink;
  const auto loaded = load::LoadText("p.exh", ExhOf(text, given), sink);
  EXPECT_TRUE(loaded) << dsl::RenderText(sink);
  return load::Freeze(*loaded);
}

std::string CountOf(const std::string& text, const Given& given) {
  const auto instance = FrozenProgram(text, given);
  if (instance->root_result() == runtime::Propagation::kDeadEnd) return "0";
  search::ExactCounter counter(instance, {});
  const search::ExactCount count = counter.Count(runtime::Candidate(instance));
  EXPECT_TRUE(count.complete);
  return search::Digits(count.count);
}

std::string FileText(const std::string& path) {
  std::ifstream file(std::string(kSourceDir) + "/" + path, std::ios::binary);
  EXPECT_TRUE(file.is_open()) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace exh::functional

// SPDX-License-Identifier: MIT
#include "tests/dsl/expectations.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <utility>

#include "dsl/diagnostics/source.h"
#include "tests/support/tree.h"

namespace exh::dsl {
namespace {

struct Expectation {
  std::string kind;
  int line = 0;
  std::string text;
  bool met = false;
};

std::vector<Expectation> ParseExpectations(const std::string& text) {
  static const std::regex kPattern(R"(expected-(error|warning|note)(@([+-]\d+))? \{\{(.*?)\}\})");
  std::vector<Expectation> expectations;
  std::istringstream in(text);
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    for (std::sregex_iterator it(line.begin(), line.end(), kPattern), end; it != end; ++it) {
      const std::string shift = (*it)[3];
      expectations.push_back({(*it)[1], number + (shift.empty() ? 0 : std::stoi(shift)), (*it)[4]});
    }
  }
  return expectations;
}

}  // namespace

std::vector<std::string> VerifyDiagnostics(
    const std::string& path, const std::string& text,
    const std::function<void(DiagnosticSink& sink)>& compile) {
  DiagnosticSink sink;
  compile(sink);
  std::vector<Expectation> expectations = ParseExpectations(text);
  std::vector<std::string> deviations;
  const auto match = [&](const std::string& kind, SourceRange range, const std::string& message) {
    const SourceFile& file = sink.sources().file(range.file);
    const int line = Locate(file.text, range.begin).line;
    for (Expectation& e : expectations) {
      if (e.met || range.file != 0 || e.kind != kind || e.line != line) continue;
      if (message.find(e.text) == std::string::npos) continue;
      e.met = true;
      return;
    }
    // Notes into included files cannot be annotated where they point.
    if (kind == "note" && range.file != 0) return;
    deviations.push_back(
        fmt::format("{}:{}: unexpected {}: {}", file.display, line, kind, message));
  };
  for (const Diagnostic& d : sink.Sorted()) {
    match(d.severity() == Severity::kError ? "error" : "warning", d.range, d.message);
    for (const Note& note : d.notes) match("note", note.range, note.message);
  }
  for (const Expectation& e : expectations) {
    if (e.met) continue;
    deviations.push_back(fmt::format("{}:{}: missing {}: {}", path, e.line, e.kind, e.text));
  }
  return deviations;
}

std::vector<std::string> SplitCases(const std::string& text) {
  std::vector<std::string> cases(1);
  std::istringstream in(text);
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    if (line == "// -----") {
      cases.emplace_back(number, '\n');
    } else {
      cases.back() += line + "\n";
    }
  }
  return cases;
}

std::vector<FencedBlock> FencedBlocks(const std::string& markdown, const std::string& language) {
  std::vector<FencedBlock> blocks;
  std::istringstream in(markdown);
  std::string line;
  bool inside = false;
  for (int number = 1; std::getline(in, line); ++number) {
    if (inside && line == "```") {
      inside = false;
    } else if (inside) {
      blocks.back().text += line + "\n";
    } else if (line == "```" + language) {
      inside = true;
      blocks.push_back({number, ""});
    }
  }
  EXPECT_FALSE(inside) << "a block without an end";
  return blocks;
}

std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in.is_open()) << path;
  std::ostringstream all;
  all << in.rdbuf();
  return std::move(all).str();
}

std::vector<std::string> FilesIn(const std::string& folder, const std::string& extension) {
  std::vector<std::string> files;
  const std::filesystem::path root = std::filesystem::path(kSourceDir) / folder;
  for (const auto& entry : std::filesystem::directory_iterator(root)) {
    if (entry.path().extension() == extension) files.push_back(entry.path().string());
  }
  std::ranges::sort(files);
  EXPECT_FALSE(files.empty()) << root;
  return files;
}

}  // namespace exh::dsl

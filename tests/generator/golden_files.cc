// SPDX-License-Identifier: MIT
#include "tests/generator/golden_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "base/hash.h"
#include "dsl/dsl.h"
#include "tests/support/tree.h"

namespace exh::tests {

namespace fs = std::filesystem;

std::vector<std::string> GoldenFeatures() {
  std::vector<std::string> features;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(std::string(kSourceDir) + "/tests/generator/golden")) {
    if (entry.is_directory()) features.push_back(entry.path().filename().string());
  }
  std::sort(features.begin(), features.end());
  return features;
}

std::string GoldenFolder(const std::string& feature) {
  return std::string(kSourceDir) + "/tests/generator/golden/" + feature;
}

namespace {

std::vector<generator::GeneratedFile> GenerateFrom(const std::string& path,
                                                   generator::Options options) {
  dsl::DiagnosticSink sink;
  dsl::CompileOptions compile_options;
  compile_options.root = kSourceDir;
  const auto spec = dsl::Compile(path, compile_options, sink);
  if (!spec) {
    std::cerr << dsl::RenderText(sink);
    std::abort();
  }
  options.prefix = "generated/spaces/" + options.space + ".exh";
  return generator::Generate(*spec, options).files;
}

}  // namespace

std::vector<generator::GeneratedFile> GenerateGolden(const std::string& feature,
                                                     bool line_directives) {
  generator::Options options;
  options.space = feature;
  options.line_directives = line_directives;
  options.emit.ir = fs::exists(GoldenFolder(feature) + "/expected.exh.ir.json");
  options.emit.tables = options.emit.ir;
  return GenerateFrom(GoldenFolder(feature) + "/space.exh", options);
}

std::vector<generator::GeneratedFile> GenerateLinalg() {
  generator::Options options;
  options.space = "linalg";
  options.emit = {true, true, true, true};
  return GenerateFrom(std::string(kSourceDir) + "/kernels/spaces/linalg.exh", options);
}

std::string DigestText(const std::vector<generator::GeneratedFile>& files) {
  std::string text;
  for (const generator::GeneratedFile& file : files) {
    text += fmt::format("{:016x} {:7} linalg.exh{}\n", Fnv1a64(file.text), file.text.size(),
                        file.suffix);
  }
  return text;
}

std::string LinalgDigestPath() {
  return std::string(kSourceDir) + "/tests/generator/linalg_digests.txt";
}

std::string ExpectedPath(const std::string& feature, const generator::GeneratedFile& file) {
  return GoldenFolder(feature) + "/expected.exh" + file.suffix;
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

}  // namespace exh::tests

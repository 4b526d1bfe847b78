// SPDX-License-Identifier: MIT
#include "tests/generator/golden_files.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "dsl/dsl.h"

namespace exh::tests {

namespace fs = std::filesystem;

std::vector<std::string> GoldenFeatures() {
  std::vector<std::string> features;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(std::string(EXH_SOURCE_DIR) + "/tests/generator/golden")) {
    if (entry.is_directory()) features.push_back(entry.path().filename().string());
  }
  std::sort(features.begin(), features.end());
  return features;
}

std::string GoldenFolder(const std::string& feature) {
  return std::string(EXH_SOURCE_DIR) + "/tests/generator/golden/" + feature;
}

std::vector<generator::GeneratedFile> GenerateGolden(const std::string& feature,
                                                     bool line_directives) {
  dsl::DiagnosticSink sink;
  dsl::CompileOptions compile_options;
  compile_options.root = EXH_SOURCE_DIR;
  const auto spec = dsl::Compile(GoldenFolder(feature) + "/space.exh", compile_options, sink);
  if (!spec) {
    std::cerr << dsl::RenderText(sink);
    std::abort();
  }
  generator::Options options;
  options.space = feature;
  options.prefix = "generated/spaces/" + feature + ".exh";
  options.line_directives = line_directives;
  return generator::Generate(*spec, options).files;
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

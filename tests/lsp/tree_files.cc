// SPDX-License-Identifier: MIT
#include "tests/lsp/tree_files.h"
#include "tests/support/tree.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace exh::lsp {

std::vector<std::string> FilesOfTheTree(std::string_view suffix) {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  for (const char* folder :
       {"examples", "functional", "kernels", "tests/dsl/valid", "tests/fuzz"}) {
    const fs::path root = fs::path(kSourceDir) / folder;
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
      if (entry.path().extension() == suffix) files.push_back(entry.path().string());
    }
  }
  std::ranges::sort(files);
  return files;
}

std::string ReadWhole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace exh::lsp

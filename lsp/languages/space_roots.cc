// SPDX-License-Identifier: MIT
//
//   linalg.exh ── includes ─► order.exh ── includes ─► dims.exh
//
// Of dims.exh the space is linalg.exh: from the file up, along who includes it, to those that
// nobody includes. Each file is met once, so that files which include each other end.
#include "lsp/languages/space_roots.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>

#include "base/system/user_file.h"
#include "dsl/diagnostics/source.h"
#include "dsl/syntax/parse.h"
#include "lsp/text/documents.h"

namespace exh::lsp {
namespace {

namespace fs = std::filesystem;

/// More files than a folder of spaces has; in others nobody is looked for.
constexpr std::size_t kMostFiles = 200;

std::string TextOf(const std::string& path, const OpenTexts& texts) {
  const auto open = texts.find(path);
  if (open != texts.end()) return open->second;
  std::string error;
  return ReadFile(path, &error, dsl::kLargestText).value_or("");
}

/// The `.exh` files beside this one, itself among them.
std::set<std::string> FilesBeside(const std::string& path) {
  std::set<std::string> files;
  std::error_code error;
  for (auto it = fs::directory_iterator(fs::path(path).parent_path(), error);
       !error && it != fs::directory_iterator(); it.increment(error)) {
    if (it->path().extension() == ".exh") files.insert(it->path().string());
    if (files.size() > kMostFiles) return {};
  }
  return files;
}

}  // namespace

std::vector<std::string> SpacesOf(const std::string& path, const OpenTexts& texts) {
  std::map<std::string, std::vector<std::string>> includers;
  for (const std::string& file : FilesBeside(path)) {
    for (const std::string& included : dsl::IncludesOf(TextOf(file, texts))) {
      const std::string full = RealPath((fs::path(file).parent_path() / included).string());
      if (full != file) includers[full].push_back(file);
    }
  }
  std::vector<std::string> open = {path}, roots;
  std::set<std::string> seen = {path};
  while (!open.empty()) {
    const std::string file = open.back();
    open.pop_back();
    const auto above = includers.find(file);
    if (above == includers.end()) {
      roots.push_back(file);
      continue;
    }
    for (const std::string& includer : above->second) {
      if (seen.insert(includer).second) open.push_back(includer);
    }
  }
  if (roots.empty()) roots.push_back(path);  // They include each other, which is said of each.
  std::ranges::sort(roots);
  return roots;
}

}  // namespace exh::lsp

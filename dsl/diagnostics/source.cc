// SPDX-License-Identifier: MIT
#include "dsl/diagnostics/source.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/system/user_file.h"

namespace exh::dsl {
namespace fs = std::filesystem;

LineColumn Locate(std::string_view text, std::uint32_t offset) {
  const std::string_view before = text.substr(0, std::min<std::size_t>(offset, text.size()));
  LineColumn place;
  for (const char c : before) {
    if (c == '\n') {
      ++place.line;
      place.column = 1;
    } else if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) {
      ++place.column;
    }
  }
  return place;
}

std::string_view LineAt(std::string_view text, std::uint32_t offset) {
  const std::size_t at = std::min<std::size_t>(offset, text.size());
  const std::size_t newline = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
  std::string_view line = text.substr(begin, text.find('\n', at) - begin);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

// Two spellings of one file must be one file, or a cycle of includes would go unnoticed.
std::string SourceSet::Normal(const std::string& path) const {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  if (memory_only_) return (error ? fs::path(path) : absolute).lexically_normal().string();
  const fs::path full = fs::weakly_canonical(absolute, error);
  return error ? fs::path(path).lexically_normal().string() : full.string();
}

void SourceSet::set_memory_only() {
  memory_only_ = true;
  in_memory_.clear();
}

void SourceSet::AddInMemory(const std::string& path, std::string text) {
  in_memory_[Normal(path)] = std::move(text);
}

bool SourceSet::Exists(const std::string& path) const {
  std::error_code error;
  return in_memory_.contains(Normal(path)) || (!memory_only_ && fs::is_regular_file(path, error));
}

std::optional<std::uint32_t> SourceSet::Open(const std::string& path,
                                             std::optional<SourceRange> from, std::string* error) {
  const std::string key = Normal(path);
  if (const auto known = by_path_.find(key); known != by_path_.end()) return known->second;
  std::string text;
  if (const auto memory = in_memory_.find(key); memory != in_memory_.end()) {
    text = memory->second;
  } else if (memory_only_) {
    *error = "it is not among the files that are given";
    return std::nullopt;
  } else {
    auto read = ReadFile(path, error, kLargestText);
    if (!read) return std::nullopt;
    text = std::move(*read);
  }
  if (text.size() > kLargestText) {
    *error = "it has " + std::to_string(text.size()) + " bytes, more than the " +
             std::to_string(kLargestText) + " that are read";
    return std::nullopt;
  }
  const auto index = static_cast<std::uint32_t>(files_.size());
  files_.push_back({Display(path), path, std::move(text), from, /*is_unreadable=*/false});
  by_path_.emplace(key, index);
  return index;
}

std::uint32_t SourceSet::AddUnreadable(const std::string& path) {
  files_.push_back({Display(path), path, "", std::nullopt, /*is_unreadable=*/true});
  return static_cast<std::uint32_t>(files_.size() - 1);
}

std::string_view SourceSet::Text(SourceRange range) const {
  const std::string_view text = files_[range.file].text;
  const std::size_t begin = std::min<std::size_t>(range.begin, text.size());
  return text.substr(begin, std::max(range.begin, range.end) - range.begin);
}

std::string SourceSet::Display(const std::string& path) const {
  std::error_code error;
  const fs::path root = root_.empty() ? fs::current_path(error) : fs::path(root_);
  const fs::path relative = fs::path(Normal(path)).lexically_relative(Normal(root.string()));
  if (relative.empty() || *relative.begin() == "..") return fs::path(path).lexically_normal();
  return relative.string();
}

}  // namespace exh::dsl

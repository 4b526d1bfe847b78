// SPDX-License-Identifier: MIT
//
// The text of every file of one compilation. Positions are byte offsets; lines and columns are
// computed when a person has to read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/source_range.h"

namespace exh::dsl {

/// A place as people count: both numbers start at 1; a column is one UTF-8 character.
struct LineColumn {
  int line = 1;
  int column = 1;

  friend bool operator==(const LineColumn&, const LineColumn&) = default;
};

/// The place of byte `offset` of `text`. Linear in the offset; an offset past the end is the end.
LineColumn Locate(std::string_view text, std::uint32_t offset);

/// The line of `text` that holds byte `offset`, without its newline.
std::string_view LineAt(std::string_view text, std::uint32_t offset);

/// Bytes that a file, and all files of a space together with each as often as it is included, may
/// have: a hundred times what the largest space of ours has. Memory is bounded by it.
inline constexpr std::size_t kLargestText = std::size_t{4} << 20;

/// One file, read once whatever the number of times it is included.
struct SourceFile {
  std::string display;  ///< The path as it is printed: relative to the root when it lies below it.
  std::string path;     ///< The path that was opened.
  std::string text;
  /// Where the file was first included; nothing for the file that is compiled.
  std::optional<SourceRange> included_from;
  /// There is no text: what is said of the file has no line.
  bool is_unreadable = false;
};

/// The files of a compilation, numbered in the order in which they were first opened.
class SourceSet {
 public:
  /// Paths are printed relative to `root`; empty: the working directory.
  void set_root(std::string root) { root_ = std::move(root); }

  /// From now on nothing is read from the disk; what is in memory already is forgotten.
  void set_memory_only();

  /// Makes `path` readable without touching the disk; for tests and for text from elsewhere.
  void AddInMemory(const std::string& path, std::string text);

  /// Whether `path` can be opened (in memory or a regular file on disk).
  bool Exists(const std::string& path) const;

  /// Index of the file at `path`, which is read unless it is known already. On failure the result
  /// is empty and `error` says why, in the words of the operating system.
  std::optional<std::uint32_t> Open(const std::string& path, std::optional<SourceRange> from,
                                    std::string* error);

  /// Index of a file with no text that stands for one that could not be read.
  std::uint32_t AddUnreadable(const std::string& path);

  const SourceFile& file(std::uint32_t index) const { return files_[index]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(files_.size()); }

  /// The bytes that `range` covers.
  std::string_view Text(SourceRange range) const;

 private:
  std::string Display(const std::string& path) const;
  std::string Normal(const std::string& path) const;

  std::string root_;
  bool memory_only_ = false;
  std::deque<SourceFile> files_;  // A deque: texts must not move when a file is added.
  std::map<std::string, std::uint32_t> by_path_;
  std::map<std::string, std::string> in_memory_;
};

}  // namespace exh::dsl

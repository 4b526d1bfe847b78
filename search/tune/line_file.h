// SPDX-License-Identifier: MIT
//
// LineFile: a file of JSON lines that one process appends to and any number read. It is locked as
// long as it lives, and the lock ends with the process, however that ends. A line is there whole or
// not at all: where half a line was written the rest is taken back, and where a process was killed
// within one, the next process begins a new line.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/system/descriptor.h"

namespace exh::search {

class LineFile {
 public:
  /// Opens or makes it. Throws UsageError when another process writes to it, Error when it cannot
  /// be written.
  explicit LineFile(std::string path);

  const std::string& path() const { return path_; }
  /// Is there a line already?
  bool is_new() const { return is_new_; }
  /// Throws Error ("…: No space left on device"); the lines before it stay whole. Not from two
  /// threads at once.
  void Append(const nlohmann::ordered_json& line);

 private:
  std::string path_;
  Descriptor file_;
  bool is_new_ = true;
};

/// A line that is JSON; `number` counts from 1.
struct ReadLine {
  int number = 0;
  nlohmann::ordered_json json;
};
/// The lines of such a file that are JSON objects; what is not, such as half a line at the end, is
/// left out. Empty where there is no file.
std::vector<ReadLine> ReadLines(const std::string& path);

/// Does a process write to it?
bool IsWritten(const std::string& path);

/// Takes a lock on an open file, its own alone or one of many (`shared`). Waits a moment for those
/// who only look. False: another process has it. A file system without locks has them all.
bool LockFile(const Descriptor& file, bool shared);

}  // namespace exh::search

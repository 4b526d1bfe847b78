// SPDX-License-Identifier: MIT
//
// EventLog: appends records to log.jsonl, one line each, handed to the system before the call
// returns. The only copy of what a run found; docs/log.md is its format. As long as it lives the
// file is locked (flock): nobody else writes to the run. The lock ends with the process, however
// that ends.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "search/log_json.h"

namespace exh::search {

/// `{…,"crc":"<crc32c of the bytes before the comma>"}` without the line's end.
std::string SealLine(const Json& record);

class EventLog {
 public:
  /// Creates the file. Throws Error when it cannot, or when it already exists.
  explicit EventLog(std::string path);
  /// Opens the file of a run that goes on, and changes nothing yet. Throws UsageError when another
  /// process writes to it, Error when it cannot be written.
  static EventLog Reopen(std::string path) { return {std::move(path), 0}; }
  ~EventLog();
  EventLog(const EventLog&) = delete;
  EventLog& operator=(const EventLog&) = delete;

  const std::string& path() const { return path_; }

  /// Keeps the first `size` bytes, which are whole lines but perhaps for the end of the last one:
  /// half a line goes, and an end that is missing is added. Throws Error.
  void Keep(std::size_t size, bool ends_line);

  /// Appends one record. Throws Error ("…/log.jsonl: No space left on device"); the lines before it
  /// stay whole. May be called from several threads at once.
  template <typename Record>
  void Write(const Record& record) {
    Append(SealLine(ToJson(record)) + "\n");
  }

 private:
  /// With these flags besides what every log is opened with.
  EventLog(std::string path, int flags);
  void Append(std::string_view line);

  std::string path_;
  std::mutex mutex_;  ///< Of everything below.
  int file_ = -1;
  std::size_t size_ = 0;  ///< Of the whole lines.
  bool broken_ = false;   ///< Ends with half a line that could not be taken back.
};

}  // namespace exh::search

// SPDX-License-Identifier: MIT
//
// EventLog: appends records to log.jsonl, one line each, handed to the system before the call
// returns, and to the disk when the log is durable and the record an evaluation. The only copy of
// what a run found; docs/log.md is its format. As long as it lives the
// file is locked (flock): nobody else writes to the run. The lock ends with the process, however
// that ends.
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "search/log/log_json.h"
#include "search/log/log_line.h"

namespace exh::search {

class EventLog {
 public:
  /// Creates the file. Throws Error when it cannot, or when there is one already.
  explicit EventLog(std::string path);
  /// Opens the file of a run that goes on, and changes nothing yet. Throws UsageError when another
  /// process writes to it, Error when it cannot be written.
  static EventLog Reopen(std::string path) { return {std::move(path), 0}; }
  ~EventLog();
  EventLog(const EventLog&) = delete;
  EventLog& operator=(const EventLog&) = delete;

  const std::string& path() const { return path_; }

  /// Goes on behind `tail`, where the reader saw the log end: half a line behind it goes, and an
  /// end of a line that is missing is added. Throws Error.
  void Keep(const LogTail& tail);

  /// From now on an evaluation, a best or an end is on the disk when Write() returns. Throws Error
  /// when the file system cannot promise that.
  void MakeDurable();

  /// Appends one record. Throws Error ("…/log.jsonl: No space left on device"); the lines before it
  /// stay whole. May be called from several threads at once.
  template <typename Record>
  void Write(const Record& record) {
    constexpr bool kMatters = std::is_same_v<Record, EvalRecord> ||
                              std::is_same_v<Record, BestRecord> ||
                              std::is_same_v<Record, EndRecord>;
    Append(RecordText(ToJson(record)), kMatters);
  }

 private:
  /// With these flags besides what every log is opened with.
  EventLog(std::string path, int flags);
  void Append(std::string record_text, bool matters);
  /// With the lock held: all of it, or nothing and an Error.
  void WriteBytes(std::string_view bytes);
  void Sync();

  std::string path_;
  std::mutex mutex_;  ///< Of everything below.
  int file_ = -1;
  LogTail tail_;         ///< Of the whole lines.
  bool broken_ = false;  ///< Ends with half a line that could not be taken back.
  bool durable_ = false;
};

}  // namespace exh::search

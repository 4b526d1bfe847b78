// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/system/descriptor.h"
#include "search/log/log_line.h"
#include "search/log/log_records.h"

namespace exh::search {

/// What a log says, whatever state its file is in.
struct Log {
  std::optional<RunRecord> run;
  std::vector<ChoiceRecord> choices;  ///< By index; holes have index -1.
  std::vector<EvalRecord> evals;      ///< In the order written.
  std::vector<BestRecord> bests;
  std::vector<DeadRecord> deads;
  std::vector<SelectRecord> selects;
  std::vector<ResultRecord> results;
  std::vector<ViolationRecord> violations;
  std::vector<FailedCheckRecord> checks;
  std::vector<ReferenceRecord> references;
  std::optional<RatesRecord> rates;
  std::vector<ResumeRecord> resumes;
  /// Of the last part of the run; nothing when that did not end by itself. The yardsticks and rates
  /// are of that part, too.
  std::optional<EndRecord> end;
  /// The end before, when the run went on after it.
  std::optional<EndRecord> earlier_end;
  std::vector<RepairRecord> repairs;
  bool cut_off = false;  ///< The last line is incomplete: the run was killed while it wrote.
  LogTail tail;          ///< Where it ends, without a last line that is cut off.
  double last_dt = 0;    ///< The latest `dt` of all records.
  /// What is damaged: "line 17: its checksum does not match", "line 18 is missing", …
  std::vector<std::string> problems;

  /// The evaluation with this number, or null.
  const EvalRecord* Find(std::uint64_t n) const;
  /// The evaluation of the last `best` record, or null.
  const EvalRecord* Best() const;
  /// Time of the last `best` record; 0 without one.
  double BestTime() const { return bests.empty() ? 0 : bests.back().ns; }
};

/// Reads the text of a log. Never fails: lines that are damaged, and those that stand twice, are
/// left out and reported; lines that are missing or in another order are reported.
Log ParseLog(std::string_view text);

/// Reads `run`/log.jsonl, or `run` itself when it is a file. Throws UsageError when there is none,
/// when it cannot be read, or when it holds no run header.
Log ReadLog(const std::string& run);

/// The same, and says on the standard error what is damaged: the rest can be used.
Log ReadLogAloud(const std::string& run);

/// The text of that file. Throws UsageError when there is none, or when it cannot be read.
std::string ReadLogText(const std::string& run);

/// Throws Json::exception for a record of a known type whose fields are none of it.
void CheckRecord(const Json& record);

/// What a record says, behind those that a log has already. Throws as CheckRecord().
void AddRecord(const Json& record, Log& log);

/// The file of a log, to be read. Throws UsageError when there is none, or when it cannot be read.
Descriptor OpenLog(const std::string& path);

/// The path of the log that ReadLog() would read.
std::string LogPath(const std::string& run);

}  // namespace exh::search

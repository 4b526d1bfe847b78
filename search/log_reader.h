// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "search/log_records.h"

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
  std::vector<ReferenceRecord> references;
  std::optional<RatesRecord> rates;
  std::vector<ResumeRecord> resumes;
  /// Of the last part of the run; nothing when that did not end by itself. The yardsticks and rates
  /// are of that part, too.
  std::optional<EndRecord> end;
  /// The end before, when the run went on after it.
  std::optional<EndRecord> earlier_end;
  bool cut_off = false;         ///< The last line is incomplete: the run was killed while it wrote.
  std::size_t whole_bytes = 0;  ///< Of the file, without a last line that is cut off.
  bool ends_line = true;        ///< The last of these bytes is the end of a line.
  double last_dt = 0;           ///< The latest `dt` of all records.
  std::vector<std::string> problems;  ///< "line 17: checksum does not match", …

  /// The evaluation with this number, or null.
  const EvalRecord* Find(std::uint64_t n) const;
  /// The evaluation of the last `best` record, or null.
  const EvalRecord* Best() const;
  /// Time of the last `best` record; 0 without one.
  double BestTime() const { return bests.empty() ? 0 : bests.back().ns; }
};

/// Reads the text of a log. Never fails: lines that are damaged are left out and reported.
Log ParseLog(std::string_view text);

/// Reads `run`/log.jsonl, or `run` itself when it is a file. Throws UsageError when there is none,
/// or when it holds no run header.
Log ReadLog(const std::string& run);

/// The path of the log that ReadLog() would read.
std::string LogPath(const std::string& run);

}  // namespace exh::search

// SPDX-License-Identifier: MIT
//
// What a subject that is no kernel of the library replays: a record of a run, or a list of
// decisions in a file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runtime/candidate.h"
#include "search/log/log_reader.h"
#include "search/log/log_records.h"
#include "search/subject/decision_file.h"

namespace exh::search {

class ReplaySource {
 public:
  /// `source`: a run, of which `record` is meant (nothing: the best), or a file. `device`: where
  /// the file names none. Throws UsageError.
  ReplaySource(const std::string& source, std::optional<std::uint64_t> record,
               const std::string& device);

  /// What makes the root candidate.
  const RunRecord& run() const { return run_; }
  /// From a root to the implementation. Throws UsageError when that is of another space, or when
  /// something is left open.
  void Decide(runtime::Candidate& candidate) const;

 private:
  std::string source_;
  RunRecord run_;
  std::optional<Log> log_;  ///< Otherwise there is a file.
  std::uint64_t record_ = 0;
  DecisionFile file_;
};

}  // namespace exh::search

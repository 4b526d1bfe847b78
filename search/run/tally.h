// SPDX-License-Identifier: MIT
//
// Tally: what happened in a run, counted: evaluations by verdict, dead ends by label, failures by
// reason, times below their bound. It decides nothing.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "search/descend/descent.h"
#include "search/log/log_reader.h"
#include "search/log/memory/front.h"
#include "search/report/progress.h"
#include "search/report/report.h"

namespace exh::search {

/// Is this a mistake of the model: below its bound when it was measured again, and right in a full
/// check?
bool IsViolation(const EvalRecord& record);

class RunTally {
 public:
  /// Counts as they stand in the `end` record; `why` and what a tree says are not among them.
  const EndRecord& counts() const { return counts_; }
  std::uint64_t evaluations() const { return counts_.evaluations; }
  std::uint64_t dead_ends() const { return num_dead_ends_; }
  const VerdictCounts& verdicts() const { return verdicts_; }
  std::uint64_t violations() const { return violations_; }
  /// The first violations.
  const std::vector<ViolationRecord>& examples() const { return examples_; }
  /// Broken evaluations since the last one that was not.
  int broken_in_a_row() const { return broken_in_a_row_; }
  /// The fastest that was measured of what was correct; 0: nothing was.
  double fastest_ns() const { return fastest_ns_; }
  /// Of what was correct, what nothing beats in both time and memory.
  const Front& front() const { return front_; }
  /// What was not correct, most frequent first.
  std::vector<Failure> Failures() const;

  /// A new evaluation: its number.
  std::uint64_t NextEvaluation() { return ++counts_.evaluations; }
  /// What came of it.
  void Count(const EvalRecord& record);
  void Count(const DeadEnd& dead_end);
  void Count(const ViolationRecord& violation);
  void CountDescent() { ++counts_.descents; }
  void CountDuplicate() { ++counts_.duplicates; }

  /// What a log counts, but for descents and duplicates, which a frontier knows of.
  void Restore(const Log& log);
  /// For Frontier::Restore().
  EndRecord& restored_counts() { return counts_; }

 private:
  void CountVerdict(const EvalRecord& record);

  EndRecord counts_;
  VerdictCounts verdicts_;
  std::uint64_t num_dead_ends_ = 0, violations_ = 0;
  std::vector<ViolationRecord> examples_;
  std::map<std::string, Failure> failures_;  ///< By verdict and reason without its numbers.
  Front front_;
  double fastest_ns_ = 0;
  int broken_in_a_row_ = 0;
};

}  // namespace exh::search

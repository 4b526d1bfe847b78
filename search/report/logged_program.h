// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "search/log/log_reader.h"
#include "search/report/comparison.h"
#include "search/subject/problem.h"

namespace exh::search {

/// A correct implementation of a log, built again: what leaves the program.
struct LoggedProgram {
  std::string run;  ///< As it was called.
  Log log;
  EvalRecord eval;
  Problem problem;
  kernels::Source source;
  std::string decisions;  ///< A file for `search replay`.
  /// What the log says of the finals, with this record as the one that the others are compared
  /// with; no records when it was not among them.
  Comparison finals;

  /// In its finals, where it has a median there; otherwise as it was evaluated.
  double time_ns() const;
};

/// The record of the run, or its best. Throws UsageError when the run has none, when it is not
/// correct, when the log is damaged where it is needed, or is of another space or version.
LoggedProgram ReadProgram(const std::string& run, std::optional<std::uint64_t> record);

}  // namespace exh::search

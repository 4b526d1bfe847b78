// SPDX-License-Identifier: MIT
//
// The log of `search fused --batch`: a line of JSON for the run, then one for each operator. It is
// written as the run goes on, so one that was ended goes on behind its last whole line.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "kernels/fused/run/rows.h"

namespace exh::search {

struct LoggedOperator {
  std::size_t line = 0;  ///< In the file of operators.
  std::string network, place, op;
  kernels::fused::OperatorRows rows;
};

/// What a run is, and with what it runs, as the first line has it: two runs with the same one can
/// be one.
std::string HeaderLine(const std::string& operators, const kernels::fused::RowOptions& options,
                       const std::string& conditions);

std::string ToLine(const LoggedOperator& logged);
/// Nothing: the line is no such line, or not whole.
std::optional<LoggedOperator> LoggedOf(const std::string& line);

/// Counts, sums of times, geometric means, the worst case, what scheduling took: a table with a
/// line for each network and one for all of them, and what went wrong.
class RowsSummary {
 public:
  void Add(const LoggedOperator& logged);
  /// `baseline`: the row that the influenced one is compared with: "isl default".
  std::string Text(const std::string& baseline) const;

 private:
  std::map<std::size_t, LoggedOperator> operators_;  ///< By line.
};

}  // namespace exh::search

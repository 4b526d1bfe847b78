// SPDX-License-Identifier: MIT
//
// The second opinion on dependences and schedules: every execution of a small scop, one by one,
// without isl.
#pragma once

#include <set>
#include <utility>
#include <vector>

#include "poly/schedule.h"
#include "poly/scop.h"

namespace exh::poly {

struct Execution {
  int statement = 0;
  std::vector<std::int64_t> point;

  friend auto operator<=>(const Execution&, const Execution&) = default;
};

/// All executions, in the order of the program.
std::vector<Execution> ExecutionsOf(const Scop& scop);

using Pairs = std::set<std::pair<Execution, Execution>>;

/// All pairs that touch one cell, at least one writing, the first of them earlier.
Pairs PairsOf(const Scop& scop);

/// The same, less than can be told apart: of each cell the last write before an access, and the
/// reads since the last write before a write.
Pairs LastPairsOf(const Scop& scop);

/// The date of an execution.
std::vector<std::int64_t> DateOf(const Scop& scop, const Schedule& schedule,
                                 const Execution& execution);

}  // namespace exh::poly

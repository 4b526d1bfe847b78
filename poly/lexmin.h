// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace exh::poly {

/// sum of coefficient * variable, plus a constant, is >= 0, or == 0. A variable occurs at most
/// once.
struct LinearRow {
  std::vector<std::pair<int, std::int64_t>> terms;  // Variable, coefficient (not 0).
  std::int64_t constant = 0;
  bool is_equality = false;
};

/// Whole-numbered variables between bounds, and rows that must hold. The order of the variables is
/// that of the comparison. Bounds and coefficients are such that no sum of a row leaves 64 bits.
struct LexProblem {
  std::vector<std::int64_t> lower, upper;
  std::vector<LinearRow> rows;

  int AddVariable(std::int64_t least, std::int64_t most);
};

struct LexResult {
  enum class Status { kFound, kNone, kLimit };
  Status status = Status::kNone;
  std::vector<std::int64_t> values;  // Where one was found: one for each variable.
  std::uint64_t num_nodes = 0;       // Decisions of the search.
};

/// The solution that is smallest in lexicographic order; kNone if there is no solution; kLimit if
/// neither was known after `max_nodes` decisions.
LexResult LexMin(const LexProblem& problem, std::uint64_t max_nodes);

}  // namespace exh::poly

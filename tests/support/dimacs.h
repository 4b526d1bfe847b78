// SPDX-License-Identifier: MIT
//
// Instances without counters as sets of clauses, for solvers that learn clauses (Debian: clasp).
#pragma once

#include <cstdint>
#include <string>

#include "runtime/ground.h"

namespace exh::tests {

/// The ground form in DIMACS: a literal for each value that the root leaves a variable, of which
/// exactly one is true. Models are implementations, one for one, where every decision is live.
/// The form has no counters.
std::string ToDimacs(const runtime::GroundForm& form);

/// Empty when `clasp` is on PATH; otherwise one line that says what is not.
std::string MissingClasp();

struct ClaspRate {
  std::uint64_t solutions = 0;
  double start_seconds = 0;         ///< From the start of clasp to its first solution.
  double seconds = 0;               ///< Between the first and the last solution.
  double solutions_per_second = 0;  ///< (solutions - 1) / seconds.
  bool all = false;                 ///< There are no others.
  std::string error;
};

/// Different solutions from one process of clasp, until there are `solutions` of them (0: all) or
/// `timeout_s` seconds have passed. Each begins anew and takes values at random for variables that
/// its heuristic chooses (with variables at random it hardly finds any); what was learned from
/// conflicts stays, and so do clauses against the solutions before.
ClaspRate MeasureClasp(const std::string& dimacs, std::uint64_t solutions, int timeout_s = 120,
                       std::uint64_t seed = 1);

}  // namespace exh::tests

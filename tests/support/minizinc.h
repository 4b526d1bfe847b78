// SPDX-License-Identifier: MIT
//
// Exported models given to MiniZinc and Gecode (Debian: minizinc, flatzinc): how many solutions
// there are, and how fast Gecode descends to one after the other.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/candidate.h"

namespace exh::tests {

/// Empty when `minizinc` and `fzn-gecode` are on PATH; otherwise one line that says what is not.
std::string MissingMiniZinc();

struct SolutionCount {
  std::uint64_t solutions = 0;
  std::string error;  ///< What MiniZinc or Gecode said when they failed; empty otherwise.
};

/// All solutions of a model, counted by Gecode. Gives up after `timeout_s` seconds with an error.
SolutionCount CountSolutions(const std::string& model, int timeout_s = 120);

struct GecodeRate {
  std::uint64_t solutions = 0;
  double flatten_seconds = 0;      ///< MiniZinc to FlatZinc; no part of the rate.
  double start_seconds = 0;        ///< From the start of fzn-gecode to its first solution.
  double seconds = 0;              ///< Between the first and the last solution.
  double descents_per_second = 0;  ///< (solutions - 1) / seconds.
  std::string error;
};

/// Descents of Gecode: one process, each solution from the root again (`-restart constant
/// -restart-scale 1000000`), until there are `solutions` of them or `timeout_s` seconds have passed
/// since the start. The model says how it branches (runtime::MiniZincOptions). Without `restarts`
/// it is one depth-first search instead: another task, whose next solution is near the last one.
GecodeRate MeasureGecode(const std::string& model, std::uint64_t solutions, int timeout_s = 300,
                         std::uint64_t seed = 1, bool restarts = true);

/// All implementations below a candidate, counted by our own engine; stops above `limit`.
std::uint64_t CountImplementations(const runtime::Candidate& candidate, std::uint64_t limit);

}  // namespace exh::tests

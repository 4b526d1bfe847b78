// SPDX-License-Identifier: MIT
//
// What a freeze takes, before it has begun: most of it is for clauses over several objects, which
// are looked at by the row. A clause over objects x, y, z takes as many rows as there are pairs of
// two of them, and a row as many words as 64 fit into the number of the third; that is done for
// each of the three that can be the lane. Snippets and what the root rules out change that by
// factors, not by orders.
#include <algorithm>
#include <cmath>

#include "runtime/internal/freeze/freezer.h"

namespace exh::runtime::internal {

double Freezer::ExpectedWords() const {
  double words = 0;
  for (const Clause& clause : space_.clauses) {
    if (IsUnary(clause) || clause.variables.size() > kMaxVariables) continue;
    const Scope scope(space_, objects_, clause.variables);
    for (std::size_t lane = 0; lane < scope.size(); ++lane) {
      const double objects = scope.NumObjects(lane);
      if (objects > 0) words += scope.NumTuples() / objects * std::ceil(objects / kLanes);
    }
  }
  return words;
}

/// On a usual core.
double Freezer::SecondsOf(double words) {
  // From 240 to 780 ns for kernels of 40 to 230 statements, on two devices.
  constexpr double kSecondsPerWord = 450e-9;
  return kSecondsPerWord * words;
}

}  // namespace exh::runtime::internal

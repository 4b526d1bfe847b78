// SPDX-License-Identifier: MIT
//
// What a freeze takes, before it has begun: part of it is for clauses over several objects, which
// are looked at by the row. A clause over objects x, y, z takes as many rows as there are pairs of
// two of them, and a row as many words as 64 fit into the number of the third; that is done for
// each of the three that can be the lane. Snippets and what the root rules out change that by
// factors, not by orders. What is uniform takes nothing, and what goes tuple by tuple little. The
// rest is for decisions: their domains, what hangs on them, and what follows when the root is
// propagated.
#include <algorithm>
#include <cmath>

#include "runtime/internal/freeze/clause_lanes.h"
#include "runtime/internal/freeze/uniform_finder.h"

namespace exh::runtime::internal {

double Freezer::ExpectedWords() {
  double words = 0;
  for (const Clause& clause : space_.clauses) {
    if (IsUnary(clause) || clause.variables.size() > kMaxVariables) continue;
    if (uniform_ && uniform_->KindOf(clause) != UniformFinder::Kind::kNone) continue;
    if (!lanes_.is_on() || !ClauseLanes(*this, clause, false).IsByLanes()) continue;
    const Scope scope(space_, objects_, clause.variables);
    for (std::size_t lane = 0; lane < scope.size(); ++lane) {
      const double objects = scope.NumObjects(lane);
      if (objects > 0) words += scope.NumTuples() / objects * std::ceil(objects / kLanes);
    }
  }
  return words;
}

/// On a usual core.
double Freezer::ExpectedSeconds(double words) const {
  constexpr double kSecondsPerWord = 450e-9, kSecondsPerDecision = 15e-6;
  return kSecondsPerWord * words +
         kSecondsPerDecision * static_cast<double>(instance_->decision_choice_.size());
}

}  // namespace exh::runtime::internal

// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "poly/influence.h"
#include "poly/scenarios.h"
#include "poly/scop.h"

namespace exh::poly {

/// An influence tree for people: a line for each node, children further to the right, with what is
/// asked of its dimension: "dimension 1: X.i = 0, X.k = Y.k". Leaves have their labels. The tree
/// must be right (ProblemOf).
std::string TreeText(const Scop& scop, const InfluenceTree& tree);

/// Scenarios for people: a line for each, with its cost and what it reserves: "X: i, k by 4" has k
/// innermost, in vectors of 4.
std::string ScenariosText(const Scop& scop, const std::vector<Scenario>& scenarios);

}  // namespace exh::poly

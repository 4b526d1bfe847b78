// SPDX-License-Identifier: MIT
//
// Any frozen instance as a MiniZinc model: a second solver can read what our engine runs.
#pragma once

#include <string>
#include <vector>

#include "runtime/action.h"
#include "runtime/instance.h"

namespace exh::runtime {

struct MiniZincOptions {
  /// Decisions in the order in which the search item branches on them; decisions that are left out
  /// follow in the order of their numbers.
  std::vector<DecisionId> order;
  /// "indomain_min", "indomain_random", ….
  std::string value_choice = "indomain_min";
  /// For Gecode only: tables as its own domain-consistent propagator, also where they depend on the
  /// presence of planned objects. Otherwise the model is plain MiniZinc: such tables are clauses.
  bool gecode_tables = false;
};

/// The model. It has one variable per decision: an enum's is the number of the value in the order
/// of the `.exh`, an integer's is the number itself. A decision that is not live has the first
/// value of its root domain. So the model has as many solutions as the instance has
/// implementations; where the space has an objective, the model asks for the best of them. Counters
/// stop counting above every number that they are compared with. Throws
/// exh::Error when a counter needs numbers of 2^30 or more: solvers work with 32 bits.
std::string ExportMiniZinc(const Instance& instance, const MiniZincOptions& options = {});

}  // namespace exh::runtime

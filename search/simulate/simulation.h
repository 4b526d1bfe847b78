// SPDX-License-Identifier: MIT
//
// Simulations: what a policy would have done with the implementations of a record. Nothing is
// compiled or measured. The tree, the policies and the cut are those of a search; the space is what
// the record holds, so that a rollout goes on over children that still lead to something that was
// not evaluated, and every evaluation answers what was measured when the record was made.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "search/simulate/recorded_space.h"
#include "search/simulate/traces.h"
#include "search/tree/policy.h"
#include "search/tree/tree.h"

namespace exh::search {

/// A policy to be simulated.
struct SimulatedPolicy {
  std::string name;  ///< As it was asked for: "tag,bound=off".
  /// Null: implementations are drawn uniformly, none of them twice.
  std::shared_ptr<const Policy> policy;
  bool has_bound = true;  ///< The lower bound cuts, and draws rollouts.
  TreeOptions tree;
};

/// `tag`, `uct`, `bound`, `uniform` or `random`, and after commas what is to be different:
/// `bound=off`, `topk=20`, `delta=0.5`, `epsilon=5%`. Throws UsageError with what is legal.
SimulatedPolicy ParseSimulatedPolicy(const std::string& text);

/// The leaves of the record in the order in which the policy evaluates them. They are not all of
/// them where the bound cuts some off.
std::vector<std::uint32_t> Simulate(const Record& record, const SimulatedPolicy& policy,
                                    std::uint64_t seed);

/// How good the best was, the more was evaluated.
struct Curve {
  std::vector<double> x;                  ///< Evaluations, or seconds of the record.
  std::vector<double> low, median, high;  ///< Quartiles over seeds, ns; infinity: nothing yet.
};

/// What came of one policy with several seeds.
struct SimulationResult {
  std::string policy;
  double ended = 0;  ///< Evaluations until all was evaluated or cut, median.
  Curve by_evaluations, by_seconds;
  std::vector<Reached> reached;  ///< 10, 5 and 1 %.
};

/// Simulates with `seeds` seeds from `first` on. `seeds` is 1 or more.
SimulationResult SimulateAll(const Record& record, const SimulatedPolicy& policy,
                             std::uint64_t first, int seeds);

/// The median of a curve at the last of its points up to `x`; infinity before the first.
double MedianAt(const Curve& curve, double x);

}  // namespace exh::search

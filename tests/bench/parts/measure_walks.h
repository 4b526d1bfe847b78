// SPDX-License-Identifier: MIT
//
// Walks from implementation to neighbour, without a cost model. What a search does most of all.
#pragma once

#include <cstdint>

#include "runtime/candidate.h"
#include "search/descend/patient_descent.h"
#include "search/near/local_search.h"
#include "search/near/structure.h"
#include "search/near/walker.h"
#include "search/propose/screen.h"
#include "tests/bench/parts/measure_descents.h"

namespace exh::tests {

struct WalkRate {
  /// Steps of a walk, as many as a search makes.
  static constexpr int kSteps = 64;
  /// Neighbourhoods of these after which the walk goes on from a neighbour: the better ones are
  /// few.
  static constexpr int kMoves = 16;
  double per_second = 0;  ///< Looks, those in vain as well.
  double found = 0;       ///< Share of looks that found a neighbour.
  double dead_ends = 0;   ///< For each look.
};

/// Each walk begins at a random implementation, below the root confined to its structure, as walks
/// of a search do. Finding where to begin is not measured.
inline WalkRate MeasureWalks(const runtime::Candidate& root, double seconds) {
  const search::ChoiceOrder order = search::ChoiceOrder::ForRepair(root.instance());
  search::KnownStructures structures(root);
  const search::BoundFunction no_bound;
  search::Guide uniform;
  Random random(1);
  std::uint64_t looks = 0, found = 0, dead_ends = 0;
  double walking = 0;
  const auto note = [&](const search::DeadEnd&) { ++dead_ends; };
  const search::Trades trades(root.instance());
  const auto start = Clock::now();
  while (walking < seconds && Since(start) < 10 * seconds) {
    const search::PatientDescent first = search::DescendPatiently(
        root, order, search::Patience{}, random, uniform, [](const search::DeadEnd&) {});
    if (first.result != search::DescentResult::kImplementation) continue;
    const auto begun = Clock::now();
    const runtime::Candidate& implementation = first.descender.candidate();
    const runtime::Candidate top = structures.Confined(structures.Add(implementation));
    search::Walker walker(top, order);
    walker.BeginAt(implementation);
    for (int step = 0; step < WalkRate::kSteps; ++step) {
      const search::Neighbourhood near =
          search::LocalSearch::Around(walker.candidate(), walker.path(), trades, random);
      const bool is_opened = near.first.empty() && walker.Open(near);
      const int inside = is_opened ? search::ScreenOptions{}.inside : 1;
      bool is_there = false;
      for (int look = 0; look < inside; ++look) {
        search::NearGuide guide(near, no_bound, 0);
        is_there = is_opened ? walker.LookInside(guide, random, note)
                             : walker.Look(near, guide, random, note);
        ++looks;
        found += is_there;
      }
      if (is_there && random.Below(WalkRate::kSteps / WalkRate::kMoves) == 0) walker.Go();
    }
    walking += Since(begun);
  }
  const double n = static_cast<double>(std::max<std::uint64_t>(1, looks));
  return {.per_second = static_cast<double>(looks) / walking,
          .found = static_cast<double>(found) / n,
          .dead_ends = static_cast<double>(dead_ends) / n};
}

}  // namespace exh::tests

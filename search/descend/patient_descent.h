// SPDX-License-Identifier: MIT
#pragma once

#include "search/descend/descent.h"

namespace exh::search {

/// A descent with restarts: after a few dead ends it begins again at the top.
struct PatientDescent {
  Descender descender;
  DescentResult result = DescentResult::kGaveUp;
  /// It backed out of a dead end, so some decisions may follow from a value that was removed there
  /// and not from the path alone.
  bool backed_out = false;
  int pruned = 0;  ///< Children, in all tries together.
};

/// When a descent restarts, and when it gives up.
struct Patience {
  /// So many tries, each until it has met so many dead ends. A wrong decision near the top is not
  /// repaired further down and a descent is short, so many short tries beat a few long ones.
  int tries = 25, dead_ends = 8;
  /// Dead ends of one more try after these. If all of them failed, bad luck near the top is not the
  /// reason, and only a long try may help.
  int last_dead_ends = 200;
};

/// A rollout gives up sooner: the prefix may have no implementation, and the tree has others.
inline constexpr Patience kRolloutPatience = {6, 8, 8};

/// Local search has one try: a neighbour is a small step away, or there is none.
inline constexpr Patience kLocalPatience = {1, 16, 16};

/// Descends from `start` until it has an implementation or gives up. `note` is called for every
/// dead end of every try.
PatientDescent DescendPatiently(const runtime::Candidate& start, const ChoiceOrder& order,
                                const Patience& patience, Random& random, Guide& guide,
                                const Descender::OnDeadEnd& note);

}  // namespace exh::search

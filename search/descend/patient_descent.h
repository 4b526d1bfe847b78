// SPDX-License-Identifier: MIT
#pragma once

#include "search/descend/descent.h"

namespace exh::search {

/// A descent that starts anew after a few dead ends.
struct PatientDescent {
  Descender descender;
  DescentResult result = DescentResult::kGaveUp;
  /// It went back, so that its path may owe something to values that were removed.
  bool backed_out = false;
  int pruned = 0;  ///< Children, all tries together.
};

/// How often, and after how many dead ends, a descent gives up.
struct Patience {
  int tries = 25, dead_ends = 8;  ///< What went wrong high up is not mended below, and the way down
                                  ///< is short: many tries with little patience.
  int last_dead_ends = 200;       ///< Where they all fail, all ways are hard: of one try more.
};

/// A tree gives up sooner: below a prefix without a way out all tries fail, and there are others.
inline constexpr Patience kRolloutPatience = {6, 8, 8};

/// And what is near an implementation is one small step away, or not at all.
inline constexpr Patience kLocalPatience = {1, 16, 16};

/// Descends from `start` until that yields something or patience ends. `note` hears of the dead
/// ends of all tries.
PatientDescent DescendPatiently(const runtime::Candidate& start, const ChoiceOrder& order,
                                const Patience& patience, Random& random, Guide& guide,
                                const Descender::OnDeadEnd& note);

}  // namespace exh::search

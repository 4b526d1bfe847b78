// SPDX-License-Identifier: MIT
//
// Random choice guided by lower bounds: a child is drawn with a probability proportional to how far
// its bound lies below the cut, that is, how much faster than the incumbent something below it
// could be (the paper, section 5.1).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/random.h"

namespace exh::search {

/// A weight per child: max(cut - bound, 0). While there is no cut (infinity), 1 / bound; or the
/// same weight for all when some bound is 0, which stands for "nothing is known".
std::vector<double> BoundWeights(std::span<const double> bounds, double cut);

/// An index with a probability proportional to its weight; uniform when all weights are 0.
/// `weights` is not empty, and none is negative.
std::size_t DrawWeighted(std::span<const double> weights, Random& random);

}  // namespace exh::search

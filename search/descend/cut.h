// SPDX-License-Identifier: MIT
//
// A cut of the search tree: without the children whose lower bound says that nothing below them is
// fast enough. Whoever counts or samples the tree takes one, and brings the bound. (The paper,
// section 5.4, cuts the first 10 levels.)
#pragma once

#include <limits>

#include "search/descend/bound_function.h"

namespace exh::search {

struct Cut {
  BoundFunction bound;  ///< Empty: nothing is cut.
  double cut_ns = std::numeric_limits<double>::infinity();
  int max_cut_depth = std::numeric_limits<int>::max();  ///< The last level that loses nodes.

  /// Is the child, a node of level `depth`, cut off?
  bool Removes(const runtime::Candidate& child, int depth) const {
    return bound && depth <= max_cut_depth && bound(child) > cut_ns;
  }
};

}  // namespace exh::search

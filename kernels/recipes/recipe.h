// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace exh::kernels {

/// A wish: the first of `values` that is still possible, if any is.
struct Wish {
  /// One decision, "dim_kind(mad.m1)", or all that are open of a choice, "cache".
  std::string decision;
  std::vector<std::string> values;  ///< Best first.
};

/// An implementation by wishes, in the order in which they are taken.
struct Recipe {
  std::string name;
  std::vector<Wish> wishes;
  /// If one of its wishes cannot be taken, the result is not what the name says.
  bool is_exact = false;
};

}  // namespace exh::kernels

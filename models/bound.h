// SPDX-License-Identifier: MIT
//
// Bound: a lower bound with everything that led to it. Made on request only; what a search compares
// is a number (lower_bound.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace exh::models {

/// What one object of the backbone adds to a term.
struct BoundPart {
  std::string what;  ///< "mad", "load_a for mad", "c".
  double amount = 0;
};

/// One resource: no implementation takes less time than `amount` / `rate`, and `ends_ns` besides.
struct BoundTerm {
  std::string_view resource;  ///< "arithmetic".
  double amount = 0;          ///< Of the busiest unit, or of the whole kernel: `unit` says which.
  std::string unit;           ///< "lanes of a unit".
  double rate = 0;            ///< Amount per nanosecond.
  std::string rate_text;      ///< "128 per clock at 1.99 GHz".
  double ends_ns = 0;         ///< Between launches, before the amount and after it.
  double ns = 0;
  std::vector<BoundPart> parts;  ///< They sum to the amount. Empty: nothing to tell apart.
};

struct Bound {
  double ns = 0;                             ///< The largest of the terms.
  std::string_view bottleneck;               ///< Its resource.
  double least_blocks = 1, most_blocks = 1;  ///< Both 0: blocks are not known.
  std::vector<BoundTerm> terms;  ///< Those that the device has rates for; longest time first.
  /// What is open and was taken at its best, one line each. Empty: nothing that matters here.
  std::vector<std::string> assumed;
};

/// For people; ends with a newline.
std::string BoundText(const Bound& bound);
/// The same as one JSON object.
std::string BoundJson(const Bound& bound);

}  // namespace exh::models

// SPDX-License-Identifier: MIT
//
// Products of decisions alone, as an instance has them: integer decisions that a counter
// multiplies, two or more, under no condition and with nothing else. The levels of a tiled axis are
// one. Where the product must have one value, a factor grows where another one shrinks.
#pragma once

#include <vector>

#include "runtime/instance.h"
#include "runtime/interval.h"

namespace exh::runtime {

struct Product {
  std::vector<DecisionId> factors;  ///< In the order of the set that the counter runs over.
  Interval root;                    ///< What the root of the instance leaves of it.
};

/// Those of an instance, in the order of its counters.
std::vector<Product> ProductsOf(const Instance& instance);

}  // namespace exh::runtime

// SPDX-License-Identifier: MIT
//
// What kernels/spaces/operands.exh asks: how the tile levels of a communication stand to each
// other.
#include <algorithm>

#include "kernels/ir/target.h"

namespace exh::kernels::ir {

bool Target::level_around_pair(const DimPair& outer, const DimPair& inner) const {
  const Dimension &a = dim(outer.src), &b = dim(inner.src);
  return outer.comm == inner.comm && a.logical == b.logical && a.level + 1 == b.level;
}

bool Target::stays_around(const DimPair& other, const DimPair& pair) const {
  const Dimension &a = dim(other.src), &b = dim(pair.src);
  return other.comm == pair.comm && (a.logical != b.logical || a.level < b.level);
}

bool Target::has_level_around(const DimPair& inner) const {
  return std::ranges::any_of(pairs,
                             [&](const DimPair& outer) { return level_around_pair(outer, inner); });
}

}  // namespace exh::kernels::ir

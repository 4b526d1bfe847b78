// SPDX-License-Identifier: MIT
#pragma once

#include <iterator>
#include <utility>

namespace exh::kernels::derived {

/// Of problems drawn from several ranges of whole numbers, the largest range first: the one with
/// the largest share of results that are exact; of equal ones the first, for it shows the most.
/// `draw(range)` yields an optional, empty where the problem is of no use; `share(problem)` is
/// from 0 to 1. Empty: none is of use.
template <typename Ranges, typename Draw, typename Share>
auto MostExact(const Ranges& ranges, const Draw& draw, const Share& share) {
  decltype(draw(*std::begin(ranges))) best;
  double most = -1;
  for (const auto& range : ranges) {
    auto one = draw(range);
    if (!one) continue;
    const double exact = share(*one);
    if (exact > most) {
      best = std::move(one);
      most = exact;
    }
    if (most == 1) break;
  }
  return best;
}

}  // namespace exh::kernels::derived

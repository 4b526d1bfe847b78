// SPDX-License-Identifier: MIT
//
// Which order of choices loses the fewest descents: the share of uniform random descents that die
// (DeadEndStudy) is measured for one order after the other.
//
// From a first order on, place by place: each of the choices behind a place is tried at it, the
// others keeping their order, and the one with which the fewest descents die stays there if its
// share is lower beyond doubt. The order that is kept is never worse than the first one by what was
// measured.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "search/descend/descent.h"

namespace exh::search {

/// An order that was measured.
struct MeasuredOrder {
  std::vector<std::string> names;  ///< Of the choices, first decided first.
  DeadEndShare share;
};

struct OrderStudyOptions {
  std::uint64_t descents = 200;  ///< For each order.
  std::uint64_t seed = 1;
  int places = 4;        ///< That are filled anew, from the front.
  double enough = 0.01;  ///< A share that needs no improvement.
  std::function<bool()> stopped = [] { return false; };
  /// Told of the first order, and of each that is kept.
  std::function<void(const MeasuredOrder&)> kept = [](const MeasuredOrder&) {};
};

/// The best order that was found, beginning with `first` (names of all choices that are decided).
MeasuredOrder StudyOrders(const runtime::Candidate& root, const std::vector<std::string>& first,
                          const OrderStudyOptions& options);

}  // namespace exh::search

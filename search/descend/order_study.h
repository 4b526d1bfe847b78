// SPDX-License-Identifier: MIT
//
// Which order of choices meets the fewest dead ends: a greedy search over orders, each judged by
// the share of uniform random descents that end in a dead end (DeadEndStudy).
//
// It fills one place after the other, from the front of a first order. Every choice behind the
// place is tried there, the others keeping their order. The one with the lowest share stays if its
// interval lies below that of the order so far. So the result is never measured worse than the
// first order.
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

// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tests/maps/table.h"

namespace exh::maps {

/// The pairwise `order` of statements with its triangle rules, on hash maps and by hand: what the
/// engine generated from tests/bench/order.exh is measured against.
class HandWrittenOrder {
 public:
  HandWrittenOrder(int instructions, int dims);

  Bits Get(Object a, Object b) const;
  bool Restrict(Object a, Object b, Bits values);
  struct Map {
    std::vector<Key> keys;
    std::vector<std::uint8_t> values;
  };
  Map Save() const { return domains_; }
  void Restore(const Map& snapshot) { domains_ = snapshot; }
  std::uint64_t events() const { return events_; }

 private:
  static std::size_t PlaceOf(const Map& map, Key key) {
    const std::size_t mask = map.keys.size() - 1;
    std::size_t i = HashOf<2>(key) & mask;
    while (map.keys[i] != key && map.keys[i] != kNoKey) i = (i + 1) & mask;
    return i;
  }
  std::uint8_t Domain(Object a, Object b) const {
    return a > b ? inverse_[domains_.values[PlaceOf(domains_, KeyOf(b, a))]]
                 : domains_.values[PlaceOf(domains_, KeyOf(a, b))];
  }
  /// The values of order(a, c) for domains of order(a, b) and order(b, c), value by value of the
  /// first.
  std::uint8_t Filter(std::uint8_t ab, std::uint8_t bc) const {
    std::uint8_t allowed = 0;
    for (int v = 0; v < 5; ++v) {
      if (ab & (1 << v)) allowed |= composed_[v][bc];
    }
    return allowed;
  }
  bool Shrink(Object a, Object b, std::uint8_t values);
  bool Propagate();

  int statements_;
  std::uint8_t inverse_[32] = {};
  std::uint8_t composed_[5][32] = {};
  Map domains_, waiting_;
  std::vector<std::pair<Object, Object>> changes_;
  std::uint64_t events_ = 0;
};

}  // namespace exh::maps

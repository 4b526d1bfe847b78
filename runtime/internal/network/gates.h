// SPDX-License-Identifier: MIT
//
// The gates of a freeze. A gate stands for a set of memberships and is open when all of them are
// TRUE; what is about planned objects rests behind one. Equal sets are the same gate, so
// constraints over the same planned objects open together.
//
// All clauses over the planned objects p and q rest behind the gate {p, q}. One over p alone rests
// behind {p}, which is open whenever {p, q} is (IsPartOf).
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/state.h"

namespace exh::runtime::internal {

/// The gates of a freeze: sets of memberships, each a number. 0 has none and is always open.
class Gates {
 public:
  Gates() : slots_(1) { ids_.emplace(std::vector<Slot>{}, 0); }

  /// Number of the gate of these memberships, in any order.
  std::uint32_t Intern(std::vector<Slot> slots) {
    std::ranges::sort(slots);
    slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
    const auto [it, is_new] =
        ids_.try_emplace(std::move(slots), static_cast<std::uint32_t>(slots_.size()));
    if (is_new) slots_.push_back(it->first);
    return it->second;
  }
  std::optional<std::uint32_t> Find(const std::vector<Slot>& ascending) const {
    const auto known = ids_.find(ascending);
    if (known == ids_.end()) return std::nullopt;
    return known->second;
  }
  /// Ascending.
  const std::vector<Slot>& slots(std::uint32_t gate) const { return slots_[gate]; }
  std::size_t size() const { return slots_.size(); }
  /// Is it open whenever the other one is?
  bool IsPartOf(std::uint32_t gate, std::uint32_t larger) const {
    return std::ranges::includes(slots_[larger], slots_[gate]);
  }

 private:
  std::vector<std::vector<Slot>> slots_;
  std::map<std::vector<Slot>, std::uint32_t> ids_;
};

}  // namespace exh::runtime::internal

// SPDX-License-Identifier: MIT
//
// RowPlaces: which objects a decision reads, and in which row its cell stands when one of them is
// the lane. All that is done by rows, from grounding to runs, asks here.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/instance.h"
#include "runtime/internal/network/network.h"

namespace exh::runtime::internal {

/// An object of a root set.
struct RootObject {
  int root = -1;
  Object object = 0;
  friend auto operator<=>(const RootObject&, const RootObject&) = default;
};

/// A row of cells, a block of lanes of it.
struct RowPlace {
  std::uint32_t row = 0;  ///< Its first cell.
  bool mirrored = false;  ///< The cell in the row is the mirror of the slot.
};

class RowPlaces {
 public:
  /// Needs the cells of the instance: after Freezer::AssignSlots().
  RowPlaces(const Instance& instance, const Network& network);

  bool IsDecision(Slot slot) const {
    return slot < decision_of_.size() && decision_of_[slot] != kNoDecision;
  }
  /// Of the decision; empty when it is none.
  std::span<const RootObject> ObjectsOf(Slot slot) const {
    if (slot >= decision_of_.size()) return {};
    return {objects_.data() + objects_begin_[slot], objects_.data() + objects_begin_[slot + 1]};
  }
  bool Reads(Slot slot, RootObject object) const {
    for (const RootObject& other : ObjectsOf(slot)) {
      if (other == object) return true;
    }
    return false;
  }
  /// Where the cell stands when that object is the lane; nothing when the slot does not read it, or
  /// where no lane can be.
  std::optional<RowPlace> InRow(Slot slot, RootObject lane) const;

  /// The membership that decides whether an object of a root set is there; kAlwaysThere: it is.
  static constexpr Slot kAlwaysThere = 0xFFFFFFFF;
  struct Needed {
    std::uint64_t lanes = 0;
    Slot membership = kAlwaysThere;
  };
  Slot MembershipOf(RootObject object) const {
    return memberships_[static_cast<std::size_t>(object.root)].empty()
               ? kAlwaysThere
               : memberships_[static_cast<std::size_t>(object.root)][object.object];
  }
  /// The lanes of a block that begins with that object, by the membership of their objects.
  std::span<const Needed> NeededIn(int root, std::uint32_t first) const {
    return needed_[static_cast<std::size_t>(root)][first / kLanes];
  }

  /// Objects that can be the lane of constraints over these slots: every slot that reads one has
  /// it in a row.
  static constexpr int kMaxSlots = 8;
  struct Lanes {
    std::array<RootObject, 2 * kMaxSlots> objects{};
    int size = 0;
    std::span<const RootObject> all() const {
      return {objects.data(), static_cast<std::size_t>(size)};
    }
  };
  Lanes LanesOf(std::span<const Slot> slots) const;

  /// The object in which the lanes of a run that hangs on slot number `from` differ: of those that
  /// the slot does not read the one that the fewest others read, and of such the last. `also`: the
  /// other ones of such.
  std::optional<RootObject> PickLane(std::span<const Slot> slots, std::size_t from,
                                     const Lanes& lanes, Lanes* also = nullptr) const;

 private:
  const Network& network_;
  std::vector<DecisionId> decision_of_;
  std::vector<std::uint32_t> objects_begin_;  // By slot.
  std::vector<RootObject> objects_;
  std::vector<bool> in_rows_;                             // By slot.
  std::vector<std::vector<Slot>> memberships_;            // By root set and object.
  std::vector<std::vector<std::vector<Needed>>> needed_;  // By root set and block.
};

/// Lanes of the block that begins with object `first` whose objects come after `object`.
inline std::uint64_t LanesAfter(RootObject object, int root, std::uint32_t first) {
  if (object.root != root) return object.root < root ? ~std::uint64_t{0} : 0;
  if (object.object < first) return ~std::uint64_t{0};
  const std::uint32_t lane = object.object - first;
  return lane >= kLanes - 1 ? 0 : ~std::uint64_t{0} << (lane + 1);
}

}  // namespace exh::runtime::internal

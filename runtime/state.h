// SPDX-License-Identifier: MIT
//
// State: the third layer, one flat block of bytes. Copy is memcpy, comparison is memcmp; there is
// no pointer inside. The Instance knows what lies where.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <vector>

#include "runtime/interval.h"
#include "runtime/space.h"

namespace exh::runtime {

/// Number of a domain in the State. Domains of up to 8 values take one byte, a *cell*, and their
/// slot is the number of that byte; wider domains follow after the last cell, a word each. A
/// *long* domain, of more than 64 values, has one slot a word, side by side; a word of it may be 0.
///
/// Cells come in rows: the decisions c(x, …, z) of a choice with the same objects but the last lie
/// side by side, at the number of z in its root set, in blocks of kLanes. Rows of different choices
/// over the same objects therefore match lane by lane, and one vector instruction propagates a
/// constraint for all z (docs/design.md, "Rows"). A pair of a (anti)symmetric choice has two cells,
/// (x, y) and (y, x), kept consistent; its slot is the one of the smaller object first. Cells that
/// no decision owns are 0.
using Slot = std::uint32_t;

/// Cells of a block: the bits of a lane mask.
inline constexpr std::uint32_t kLanes = 64;

/// Where things lie in a State: cells, wide domains, counters, bit rows, open gates.
struct StateLayout {
  std::uint32_t num_narrow = 0;  ///< Cells; a multiple of kLanes.
  std::uint32_t num_wide = 0;    ///< The slots after those: eight bytes each, …
  std::uint32_t num_long = 0;    ///< … the last of which are words of long decisions.
  std::uint32_t num_counters = 0;
  std::uint32_t num_gates = 0;
  std::uint32_t num_presences = 1;  ///< Words of presence bits; the first is all ones.
  std::uint32_t wide_word = 0;      ///< First word of the wide domains.
  std::uint32_t counter_word = 0;   ///< First word of the counters (min, max).
  std::uint32_t live_word = 0;      ///< One bit a cell: its decision is live (stored cells only).
  std::uint32_t presence_word = 0;  ///< One bit an object that may be absent, in blocks of kLanes.
  std::uint32_t gate_byte = 0;      ///< First byte of the gates.
  std::uint32_t num_words = 0;

  /// Sets the positions from the numbers.
  void Place();
  std::uint32_t num_slots() const { return num_narrow + num_wide; }
  /// The first slot of long decisions, of which each has as many as it has words.
  std::uint32_t first_long() const { return num_slots() - num_long; }
};

/// Storage whose rows start at cache lines.
template <typename T>
struct CacheLineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kAlignment{64};
  CacheLineAllocator() = default;
  template <typename U>
  explicit CacheLineAllocator(const CacheLineAllocator<U>&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), kAlignment)); }
  void deallocate(T* p, std::size_t) { ::operator delete(p, kAlignment); }
  friend bool operator==(const CacheLineAllocator&, const CacheLineAllocator&) { return true; }
};

class State {
 public:
  State() = default;
  explicit State(const StateLayout& layout) : words_(layout.num_words, 0) {}

  Bits domain(const StateLayout& layout, Slot slot) const {
    return slot < layout.num_narrow ? bytes()[slot]
                                    : words_[layout.wide_word + (slot - layout.num_narrow)];
  }
  void set_domain(const StateLayout& layout, Slot slot, Bits values) {
    if (slot < layout.num_narrow) {
      bytes()[slot] = static_cast<std::uint8_t>(values);
    } else {
      words_[layout.wide_word + (slot - layout.num_narrow)] = values;
    }
  }
  Interval counter(const StateLayout& layout, std::uint32_t counter) const {
    const std::uint64_t* bounds = &words_[layout.counter_word + 2 * counter];
    return {bounds[0], bounds[1]};
  }
  void set_counter(const StateLayout& layout, std::uint32_t counter, Interval interval) {
    std::uint64_t* bounds = &words_[layout.counter_word + 2 * counter];
    bounds[0] = interval.min;
    bounds[1] = interval.max;
  }
  std::uint64_t& live(const StateLayout& layout, std::uint32_t block) {
    return words_[layout.live_word + block];
  }
  std::uint64_t live(const StateLayout& layout, std::uint32_t block) const {
    return words_[layout.live_word + block];
  }
  std::uint64_t& presence(const StateLayout& layout, std::uint32_t word) {
    return words_[layout.presence_word + word];
  }
  std::uint64_t presence(const StateLayout& layout, std::uint32_t word) const {
    return words_[layout.presence_word + word];
  }
  /// A gate is open when all memberships it stands for are certain.
  bool gate(const StateLayout& layout, std::uint32_t gate) const {
    return bytes()[layout.gate_byte + gate] != 0;
  }
  void open_gate(const StateLayout& layout, std::uint32_t gate) {
    bytes()[layout.gate_byte + gate] = 1;
  }

  std::uint8_t* bytes() { return reinterpret_cast<std::uint8_t*>(words_.data()); }
  const std::uint8_t* bytes() const { return reinterpret_cast<const std::uint8_t*>(words_.data()); }
  std::size_t num_bytes() const { return words_.size() * sizeof(std::uint64_t); }
  std::uint64_t Hash() const;
  friend bool operator==(const State&, const State&) = default;

 private:
  std::vector<std::uint64_t, CacheLineAllocator<std::uint64_t>> words_;
};

}  // namespace exh::runtime

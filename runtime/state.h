// SPDX-License-Identifier: MIT
//
// State: the third layer, one flat block of bytes. Copy is memcpy, comparison is memcmp; there is
// no pointer inside. The Instance knows what lies where.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "runtime/interval.h"
#include "runtime/space.h"

namespace exh::runtime {

/// Number of a domain in the State. Domains of up to 8 values take one byte and come first.
using Slot = std::uint32_t;

/// Where things lie in a State, in bytes: narrow domains, wide domains, counters, open gates.
struct StateLayout {
  std::uint32_t num_narrow = 0;  ///< Slots 0 … num_narrow - 1: one byte each, at their number.
  std::uint32_t num_wide = 0;    ///< The slots after those: eight bytes each.
  std::uint32_t num_counters = 0;
  std::uint32_t num_gates = 0;
  std::uint32_t wide_word = 0;     ///< First word of the wide domains.
  std::uint32_t counter_word = 0;  ///< First word of the counters (min, max).
  std::uint32_t gate_byte = 0;     ///< First byte of the gates.
  std::uint32_t num_words = 0;

  /// Sets the positions from the numbers.
  void Place();
  std::uint32_t num_slots() const { return num_narrow + num_wide; }
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
  std::vector<std::uint64_t> words_;
};

}  // namespace exh::runtime

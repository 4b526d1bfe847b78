// SPDX-License-Identifier: MIT
#include "runtime/state.h"

namespace exh::runtime {

void StateLayout::Place() {
  constexpr std::uint32_t kWord = sizeof(std::uint64_t);
  const auto words = [](std::uint32_t bytes) { return (bytes + kWord - 1) / kWord; };
  wide_word = words(num_narrow);
  counter_word = wide_word + num_wide;
  live_word = counter_word + 2 * num_counters;
  presence_word = live_word + num_narrow / kLanes;
  gate_byte = (presence_word + num_presences) * kWord;
  num_words = gate_byte / kWord + words(num_gates) + 1;
}

std::uint64_t State::Hash() const {
  std::uint64_t hash = 0x9E3779B97F4A7C15u;
  for (const std::uint64_t word : words_) {
    hash = (hash ^ word) * 0xD6E8FEB86659FD93u;
    hash ^= hash >> 32;
  }
  return hash;
}

}  // namespace exh::runtime

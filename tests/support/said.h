// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/instance.h"

namespace exh::tests {

/// All that a state says but for the gates: runs rest behind some that single constraints do not
/// have. The bytes of cells, the wide domains, the counters, and what lives and is present.
inline std::vector<std::uint64_t> Said(const runtime::Instance& instance,
                                       const runtime::State& state) {
  const runtime::StateLayout& layout = instance.layout();
  std::vector<std::uint64_t> said(state.bytes(), state.bytes() + layout.num_narrow);
  for (runtime::Slot slot = layout.num_narrow; slot < layout.num_slots(); ++slot) {
    said.push_back(state.domain(layout, slot));
  }
  for (std::uint32_t id = 0; id < layout.num_counters; ++id) {
    said.push_back(state.counter(layout, id).min);
    said.push_back(state.counter(layout, id).max);
  }
  for (std::uint32_t block = 0; block < layout.num_narrow / runtime::kLanes; ++block) {
    said.push_back(state.live(layout, block));
  }
  for (std::uint32_t word = 0; word < layout.num_presences; ++word) {
    said.push_back(state.presence(layout, word));
  }
  return said;
}

}  // namespace exh::tests

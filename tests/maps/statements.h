// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

namespace exh::tests {

/// The backbone of tests/bench/order.exh.
struct Statements {
  std::vector<std::uint16_t> all;  ///< 0, 1, 2, …
  std::uint16_t num_insts = 0;     ///< The first ones.

  Statements(int instructions, int dims) : num_insts(static_cast<std::uint16_t>(instructions)) {
    for (int i = 0; i < instructions + dims; ++i) all.push_back(static_cast<std::uint16_t>(i));
  }
  std::vector<std::uint16_t> insts() const { return {all.begin(), all.begin() + num_insts}; }
};

}  // namespace exh::tests

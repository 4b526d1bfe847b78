// SPDX-License-Identifier: MIT
//
// The backbone of queens.exh: a board.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

namespace exh::examples {

struct Row {
  int number = 0;
};

struct Board {
  std::int64_t size = 8;

  Row row(int number) const { return {number}; }
  std::vector<Row> rows() const {
    std::vector<Row> all;
    for (int number = 0; number < size; ++number) all.push_back({number});
    return all;
  }
  /// From 0 on.
  std::vector<std::uint32_t> columns() const {
    std::vector<std::uint32_t> all(static_cast<std::size_t>(size));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
};

}  // namespace exh::examples

// SPDX-License-Identifier: MIT
//
// VectorColumns: an implementation as a row of bytes for regression trees. The row has the value of
// each decision, how often each value of each choice occurs, and numbers that say what the
// implementation takes of the device. Of all these it knows the order alone, and so works for every
// space. Of a long decision with more than 255 values neighbours have one number, as do those of
// all long decisions where values are counted: 64 groups of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/instance.h"

namespace exh::search {

class VectorColumns {
 public:
  /// `num_amounts`: of each implementation.
  VectorColumns(const runtime::Instance& instance, std::size_t num_amounts);

  /// How many columns there are.
  std::size_t size() const { return size_; }
  /// The first of them, as many as the space has decisions; their counts and the amounts follow.
  std::size_t num_decisions() const { return counts_of_.size(); }

  /// Of an implementation by its vector (VectorText()) and its amounts, 0 or more each. `row` has
  /// size() places. From any thread.
  void Fill(std::string_view vector, std::span<const double> amounts,
            std::span<std::uint8_t> row) const;

 private:
  /// Of each decision: the column that counts its first value. The counts follow the decisions, and
  /// the amounts come last.
  std::vector<std::uint32_t> counts_of_;
  std::vector<int> num_long_values_;  ///< Of each decision, 0 unless it is long; empty: none is.
  std::size_t num_amounts_ = 0, size_ = 0;
};

}  // namespace exh::search

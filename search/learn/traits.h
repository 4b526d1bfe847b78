// SPDX-License-Identifier: MIT
//
// Traits: an implementation in columns that mean the same in the space of every kernel and size, so
// that what was learned in one says something in another. Raw decisions are none: the third tile of
// a product is nobody else's. Of each choice it has what share of its decisions has each value, and
// how many; of a choice of numbers their mean and their largest; and of what the bound counts each
// kind, summed over all nests and operands, as it is and against the bound. Of a choice with long
// decisions it has mean and largest alone: few implementations share one of so many values.
//
// Columns have names, "dim_kind=THREAD", "size most", "amount 3 of bound", "waves of blocks": a
// file can say which it means, and another space finds those that it has.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/instance.h"
#include "search/descend/bound_function.h"

namespace exh::search {

class Traits {
 public:
  Traits(const runtime::Instance& instance, const AmountsFunction& amounts);

  /// Of the columns.
  const std::vector<std::string>& names() const { return names_; }

  /// Of an implementation by its vector (VectorText()), its amounts and its bound in nanoseconds.
  /// `row` has a place for each column. From any thread.
  void Fill(std::string_view vector, std::span<const double> amounts, double bound_ns,
            std::span<std::uint8_t> row) const;

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;

  /// Of one choice.
  struct Choice {
    std::uint32_t first_value = 0;  ///< Column of the share of its first value.
    std::uint32_t num_values = 0;   ///< Shares of all, then counts of all.
    std::uint32_t mean = kNone;  ///< Column of the mean of numbers, and then that of the largest.
    std::uint32_t end = 0;       ///< Of its decisions.
  };

  std::vector<std::string> names_;
  std::vector<Choice> choices_;          ///< In the order of their decisions.
  std::vector<std::uint32_t> begin_;     ///< Of the decisions of each of them.
  std::vector<std::uint32_t> value_of_;  ///< Where those of each decision begin in the next two.
  std::vector<std::uint16_t> values_;    ///< Number of a value among those of its choice.
  std::vector<std::uint8_t> levels_;     ///< Of a number.
  std::vector<std::uint16_t> kinds_;     ///< Of the amounts.
  std::uint32_t num_kinds_ = 0, first_kind_ = 0;
};

}  // namespace exh::search

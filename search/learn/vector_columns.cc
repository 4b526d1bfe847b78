// SPDX-License-Identifier: MIT
#include "search/learn/vector_columns.h"

#include <algorithm>
#include <map>

#include "base/check.h"
#include "search/learn/levels.h"
#include "search/log/decisions.h"

namespace exh::search {
namespace {

constexpr std::uint32_t kValues = 64;  // A choice's, of which each has its count.

}  // namespace

VectorColumns::VectorColumns(const runtime::Instance& instance, std::size_t num_amounts)
    : num_amounts_(num_amounts) {
  const std::size_t decisions = instance.num_decisions();
  // How often a choice has a value: all its decisions together.
  std::map<int, std::uint32_t> first;
  size_ = decisions;
  for (runtime::DecisionId decision = 0; decision < decisions; ++decision) {
    const int choice = instance.choice(decision);
    const auto [place, is_new] = first.try_emplace(choice, static_cast<std::uint32_t>(size_));
    if (is_new) size_ += kValues;
    counts_of_.push_back(place->second);
    if (!instance.IsLong(decision)) continue;
    num_long_values_.resize(decisions);
    num_long_values_[decision] = instance.num_values(decision);
  }
  size_ += num_amounts;
}

void VectorColumns::Fill(std::string_view vector, std::span<const double> amounts,
                         std::span<std::uint8_t> row) const {
  EXH_CHECK(amounts.size() == num_amounts_ && row.size() == size_);
  std::ranges::fill(row, std::uint8_t{0});
  ForEachVectorValue(vector, [&](std::size_t decision, int value) {
    if (decision >= counts_of_.size()) return;
    const int values = num_long_values_.empty() ? 0 : num_long_values_[decision];
    // Of many values several that follow one another have the same number.
    constexpr int kBytes = 255;
    row[decision] =
        static_cast<std::uint8_t>(1 + (values > kBytes ? value * kBytes / values : value));
    const int counted = values > 0 ? value * static_cast<int>(kValues) / values : value;
    std::uint8_t& count = row[counts_of_[decision] + static_cast<std::size_t>(counted)];
    if (count < kLargestByte) ++count;
  });
  std::ranges::transform(amounts, row.last(num_amounts_).begin(), LevelOf);
}

}  // namespace exh::search

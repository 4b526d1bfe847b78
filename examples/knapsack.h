// SPDX-License-Identifier: MIT
//
// The backbone of knapsack.exh: items, and what the knapsack can carry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace exh::examples {

struct Item {
  std::size_t id = 0;
  std::string name_;
  std::uint32_t weight = 0, worth = 0;
  const std::string& name() const { return name_; }
};

struct Knapsack {
  std::vector<Item> items;
  std::uint32_t capacity = 0, least_worth = 0;
};

}  // namespace exh::examples

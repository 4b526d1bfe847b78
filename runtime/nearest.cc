// SPDX-License-Identifier: MIT
#include "runtime/nearest.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace exh::runtime {
namespace {

std::size_t EditDistance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::size_t replaced = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, replaced});
    }
  }
  return row.back();
}

}  // namespace

std::string NearestName(std::string_view name, std::span<const std::string> names) {
  const auto nearest = std::ranges::min_element(
      names, {}, [&](const std::string& other) { return EditDistance(name, other); });
  return nearest == names.end() ? "" : *nearest;
}

}  // namespace exh::runtime

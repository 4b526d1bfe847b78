// SPDX-License-Identifier: MIT
#include "search/simulate/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace exh::search {

std::string TableText(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows) {
    for (std::size_t column = 0; column < row.size(); ++column) {
      widths[column] = std::max(widths[column], row[column].size());
    }
  }
  std::string text;
  for (const auto& row : rows) {
    text += fmt::format("{:<{}}", row.front(), widths.front());
    for (std::size_t column = 1; column < row.size(); ++column) {
      text += fmt::format("  {:>{}}", row[column], widths[column]);
    }
    text += "\n";
  }
  return text;
}

std::string CountText(double count) {
  return std::isfinite(count) ? fmt::format("{:.6g}", count) : "-";
}

std::string ReachedText(const Reached& reached) {
  return fmt::format("{} ({}-{})", CountText(reached.median), CountText(reached.least),
                     CountText(reached.most));
}

Json NumberJson(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

Json NumbersJson(const std::vector<double>& values) {
  Json array = Json::array();
  for (const double value : values) array.push_back(NumberJson(value));
  return array;
}

Json ReachedJson(const std::vector<Reached>& all) {
  Json array = Json::array();
  for (const Reached& reached : all) {
    array.push_back({{"percent", reached.percent},
                     {"least", NumberJson(reached.least)},
                     {"median", NumberJson(reached.median)},
                     {"most", NumberJson(reached.most)}});
  }
  return array;
}

}  // namespace exh::search

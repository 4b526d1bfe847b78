// SPDX-License-Identifier: MIT
#include "dsl/spelling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace exh::dsl {

int EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::vector<int>> cost(a.size() + 1, std::vector<int>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        cost[i][j] = static_cast<int>(i + j);
        continue;
      }
      const int replace = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

std::string DidYouMean(std::string_view name, const std::vector<std::string>& candidates) {
  constexpr std::size_t kLongest = 64;  // Nobody mistypes a name that long; a fuzzer does.
  if (name.size() > kLongest) return "";
  const auto lower = [](std::string_view text) {
    std::string result(text);
    for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return result;
  };
  int best = std::max(1, static_cast<int>(name.size()) / 3) + 1;
  const std::string* nearest = nullptr;
  for (const std::string& candidate : candidates) {
    if (candidate == name || candidate.size() > kLongest) continue;
    const auto longer = std::max(candidate.size(), name.size());
    const auto shorter = std::min(candidate.size(), name.size());
    if (static_cast<int>(longer - shorter) >= best) continue;  // At least that many insertions.
    // A difference in case only is always near.
    const int distance = lower(name) == lower(candidate) ? 0 : EditDistance(name, candidate);
    if (distance < best) {
      best = distance;
      nearest = &candidate;
    }
  }
  return nearest == nullptr ? "" : fmt::format("; did you mean '{}'?", *nearest);
}

}  // namespace exh::dsl

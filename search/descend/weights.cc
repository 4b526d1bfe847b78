// SPDX-License-Identifier: MIT
#include "search/descend/weights.h"

#include <algorithm>
#include <cmath>

namespace exh::search {

std::vector<double> BoundWeights(std::span<const double> bounds, double cut) {
  std::vector<double> weights(bounds.begin(), bounds.end());
  const bool is_blind = std::ranges::any_of(bounds, [](double bound) { return bound <= 0; });
  for (double& weight : weights) {
    if (std::isfinite(cut)) {
      weight = std::max(cut - weight, 0.0);
    } else {
      weight = is_blind ? 1 : 1 / weight;
    }
  }
  return weights;
}

std::size_t DrawWeighted(std::span<const double> weights, Random& random) {
  double sum = 0;
  for (const double weight : weights) sum += weight;
  if (sum <= 0) return random.Below(weights.size());
  double left = random.Real() * sum;
  std::size_t last = 0;  // Rounding may leave something over after the last one.
  for (std::size_t index = 0; index < weights.size(); ++index) {
    if (weights[index] <= 0) continue;
    last = index;
    left -= weights[index];
    if (left < 0) break;
  }
  return last;
}

}  // namespace exh::search

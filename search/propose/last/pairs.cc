// SPDX-License-Identifier: MIT
#include "search/propose/last/pairs.h"

#include <algorithm>

#include "search/near/related.h"

namespace exh::search {

void PairsOfSteps::FindFirsts(double worst) {
  has_begun_ = true;
  for (std::size_t step = 0; step < steps_.size(); ++step) {
    if (expected_[step] && *expected_[step] <= worst) firsts_.push_back(step);
  }
  std::ranges::stable_sort(firsts_, {}, [&](std::size_t step) { return *expected_[step]; });
  ranks_.assign(steps_.size(), firsts_.size());
  for (std::size_t rank = 0; rank < firsts_.size(); ++rank) ranks_[firsts_[rank]] = rank;
}

bool PairsOfSteps::IsPair(const runtime::Instance& instance, std::size_t first,
                          std::size_t second) const {
  const int a = steps_[first].decision, b = steps_[second].decision;
  // With the other one as its first step the pair was there before.
  if (a == b || ranks_[second] < ranks_[first]) return false;
  return ShareObject(instance, static_cast<runtime::DecisionId>(a),
                     static_cast<runtime::DecisionId>(b));
}

std::optional<std::pair<PathStep, PathStep>> PairsOfSteps::Next(const runtime::Instance& instance,
                                                                double worst) {
  if (!has_begun_) FindFirsts(worst);
  for (; rank_ < firsts_.size(); ++rank_, second_ = 0) {
    while (second_ < steps_.size()) {
      const std::size_t first = firsts_[rank_], second = second_++;
      if (IsPair(instance, first, second)) return std::pair(steps_[first], steps_[second]);
    }
  }
  return std::nullopt;
}

}  // namespace exh::search

// SPDX-License-Identifier: MIT
//
// UCT: upper confidence bounds. The score of a child is its best speed plus an exploration term
// that is larger the fewer visits it has.
#pragma once

#include <span>
#include <vector>

#include "search/tree/policy.h"

namespace exh::search {

/// best / best of the child + sqrt(2 ln N / n): speed relative to the fastest of the `children`, 0
/// for a child without a time; N visits of all, n of the child. Every child has a visit.
std::vector<double> UctScores(std::span<const ChildStatistics> children);

class UctPolicy final : public Policy {
 public:
  std::string_view name() const override { return "uct"; }

 private:
  std::size_t ChooseVisited(std::span<const ChildStatistics> children, double cut,
                            Random& random) const override;
};

}  // namespace exh::search

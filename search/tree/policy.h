// SPDX-License-Identifier: MIT
//
// Policy: which child a selection goes to. It sees the statistics of the live children of one node
// and nothing of the tree; pruning is not its business, so no policy can lose the optimum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/random.h"

namespace exh::search {

/// A live child as a policy sees it.
struct ChildStatistics {
  /// Selections that went through it. Those in flight count as if they had failed (virtual loss),
  /// so that threads spread out.
  std::uint32_t visits = 0;
  double bound = 0;               ///< Nanoseconds; nothing below is faster.
  std::span<const double> times;  ///< Its best evaluations in nanoseconds, fastest first.
};

class Policy {
 public:
  virtual ~Policy() = default;
  virtual std::string_view name() const = 0;

  /// The index of a child; there is at least one. Children without a visit come first, drawn with
  /// the weights of BoundWeights() (weights.h). `cut` is infinity while there is no incumbent.
  std::size_t Choose(std::span<const ChildStatistics> children, double cut, Random& random) const;

 private:
  /// The same when every child has a visit.
  virtual std::size_t ChooseVisited(std::span<const ChildStatistics> children, double cut,
                                    Random& random) const = 0;
};

/// Draws a child with the weights of BoundWeights() (weights.h).
std::size_t DrawByBound(std::span<const ChildStatistics> children, double cut, Random& random);

/// The first of the highest scores.
std::size_t Highest(std::span<const double> scores);

struct PolicyOptions {
  int topk = 10;     ///< TAG: evaluations that count as good, at a node and below.
  double delta = 1;  ///< TAG: larger explores less.
};

/// `tag`, `uct`, `bound` or `uniform`; null for `random`, which keeps no tree. Throws UsageError
/// with the nearest name.
std::unique_ptr<const Policy> MakePolicy(std::string_view name, const PolicyOptions& options);

}  // namespace exh::search

// SPDX-License-Identifier: MIT
//
// Ablator: an implementation with one decision changed, and everything else kept as far as it
// agrees.
//
// Most decisions of an implementation hold others in place: a loop that is no longer a vector has
// another size, and what shares its axis follows. So a change is a way from the root: the change
// first, then what the implementation decided, one decision after the other, wherever propagation
// leaves its value; what is ruled out is drawn. Several such ways are tried, and the one on which
// the fewest decisions had to follow counts: it says the most of the change alone.
//
// An example: size(m1)=8, size(m2)=4 of an axis of 32. With size(m1)=16 instead, size(m2)=4 is
// ruled out and becomes 2: one decision follows.
//
// Invariants: what is returned has all changes; the same seed and the same calls give the same
// implementations.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/random.h"
#include "runtime/candidate.h"
#include "search/descend/choice_order.h"
#include "search/log/log_records.h"
#include "search/near/walker.h"

namespace exh::search {

/// What came of changes.
struct Ablation {
  Path changes;  ///< Decisions with the values that they have now.
  runtime::Candidate implementation;
  int follows = 0;  ///< So many other decisions of the implementation could not be kept.
};

class Ablator {
 public:
  /// Of `implementation`, which lies below `root`.
  Ablator(const runtime::Candidate& root, const runtime::Candidate& implementation,
          std::uint64_t seed);

  /// The decisions that lead to the implementation; what follows from them is not among them.
  const Path& decisions() const { return decisions_; }

  /// Other values of a decision that the root allows, at most kMostValues, the nearest first: of
  /// more those next to its own, and the least and the greatest.
  static constexpr std::size_t kMostValues = 4;
  std::vector<PathStep> Others(const PathStep& decision) const;

  /// The implementation with these changes. Nothing: none was found.
  std::optional<Ablation> With(std::span<const PathStep> changes);

 private:
  /// What had to follow: how many decisions, and by how many values they moved in all.
  struct Following {
    int count = 0, distance = 0;
    friend auto operator<=>(const Following&, const Following&) = default;
  };
  Following FollowingOf(std::span<const PathStep> changes, const runtime::Candidate& changed) const;

  const runtime::Candidate root_, implementation_;
  const ChoiceOrder order_;
  Walker walker_;
  Path decisions_;
  Random random_;
};

}  // namespace exh::search

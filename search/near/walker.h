// SPDX-License-Identifier: MIT
//
// Walker: the state of a walk, an implementation and the neighbour that is looked at. It keeps the
// candidate before each decision, so that a neighbour costs what comes after its first open
// decision; and of that, what the implementation decided as well is taken in a leap.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "search/descend/choice_order.h"
#include "search/descend/descent.h"
#include "search/near/leap.h"
#include "search/near/local_search.h"

namespace exh::search {

class Walker {
 public:
  /// Root and order outlive the walker. It has no implementation yet.
  Walker(const runtime::Candidate& root, const ChoiceOrder& order);

  /// Begins at an implementation that a descent from the root finds. False: it found none.
  bool Begin(Guide& guide, Random& random, const Descender::OnDeadEnd& note);

  /// Begins at a neighbour, which `guide` draws. False: it found none.
  bool BeginNear(const Neighbourhood& near, Guide& guide, Random& random,
                 const Descender::OnDeadEnd& note);

  /// Begins at an implementation below the root.
  void BeginAt(const runtime::Candidate& implementation);

  /// The implementation, and decisions that lead there from the root by propagation alone (nothing
  /// in the path depends on values that were removed in dead ends).
  const runtime::Candidate& candidate() const { return here_.candidate(); }
  const Path& path() const { return path_; }

  /// Looks at a neighbour, which `guide` draws. False: there is none.
  bool Look(const Neighbourhood& near, Guide& guide, Random& random,
            const Descender::OnDeadEnd& note);
  /// The neighbour that Look() found; valid until the next Look() or Go().
  const runtime::Candidate& neighbour() const { return there_.candidate(); }
  /// The neighbour becomes the implementation.
  void Go();

 private:
  /// From `start_` by a leap along `known`, `depth` decisions below the root, to `there_`.
  bool GoFromStart(std::span<const PathStep> known, std::size_t depth, const Neighbourhood& near,
                   Guide& guide, Random& random, const Descender::OnDeadEnd& note);

  const runtime::Candidate& root_;
  Descender here_, there_;
  Leap leap_;
  runtime::Candidate start_;  ///< Where the descent to the neighbour begins.
  Path path_;                 ///< Of `here_`.
  std::size_t shared_ = 0;    ///< So many first decisions of `here_` are those of `there_` as well.
};

}  // namespace exh::search

// SPDX-License-Identifier: MIT
//
// Walker: the state of a walk, an implementation and the neighbour that is looked at. It keeps the
// candidate before each decision, so that a neighbour costs a descent from its first open decision
// on, not from the root.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "search/descend/choice_order.h"
#include "search/descend/descent.h"
#include "search/near/local_search.h"

namespace exh::search {

class Walker {
 public:
  /// Root and order outlive the walker. It has no implementation yet.
  Walker(const runtime::Candidate& root, const ChoiceOrder& order);

  /// Begins at an implementation that a descent from the root finds; `first`, if any, is its first
  /// decision. False: it found none.
  bool Begin(const std::optional<PathStep>& first, Guide& guide, Random& random,
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
  /// The same for a neighbour that decides something before anything else.
  bool LookFrom(const Neighbourhood& near, Guide& guide, Random& random,
                const Descender::OnDeadEnd& note);

  const runtime::Candidate& root_;
  const ChoiceOrder& order_;
  Descender here_, there_;
  Path path_;               ///< Of `here_`.
  std::size_t shared_ = 0;  ///< So many first decisions of `here_` are those of `there_` as well.
  bool is_exact_ = true;    ///< The path of `there_` leads there by its decisions alone.
};

}  // namespace exh::search

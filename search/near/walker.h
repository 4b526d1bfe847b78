// SPDX-License-Identifier: MIT
//
// Walker: an implementation, and neighbours of it that it may go to. It keeps the candidate before
// each decision, so that a neighbour costs the decisions from the first open one on and not those
// from the root.
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
  /// Root and order outlive the walker. It stands nowhere yet.
  Walker(const runtime::Candidate& root, const ChoiceOrder& order);

  /// Begins at what a descent from the root finds that decides `first`, if anything, before
  /// everything else. False: it found nothing.
  bool Begin(const std::optional<PathStep>& first, Guide& guide, Random& random,
             const Descender::OnDeadEnd& note);

  /// Begins at an implementation below the root.
  void BeginAt(const runtime::Candidate& implementation);

  /// Where it stands, and its path from the root: without what was removed on the way out of dead
  /// ends, the decisions lead there.
  const runtime::Candidate& candidate() const { return here_.candidate(); }
  const Path& path() const { return path_; }

  /// Looks at a neighbour, which `guide` draws. False: there is none.
  bool Look(const Neighbourhood& near, Guide& guide, Random& random,
            const Descender::OnDeadEnd& note);
  /// What Look() found; until the next Look() or Go().
  const runtime::Candidate& neighbour() const { return there_.candidate(); }
  /// Goes there.
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

// SPDX-License-Identifier: MIT
//
// Walker: the state of a walk, an implementation and the neighbour that is looked at. It keeps the
// candidate before each decision, so that a neighbour costs what comes after its first open
// decision; and of that, what the implementation decided as well is taken in a leap.
//
// There are two ways to neighbours.
//
//   Look()                 changes the open decisions first and keeps of the others what agrees
//   with
//                          that: anything may follow, and most of the candidate is made anew.
//   Open(), LookInside()   keeps all other decisions, at once, and then draws the open ones:
//   several
//                          neighbours for one propagation of what they have in common. What is kept
//                          holds together, as the implementation has it, so nothing is a dead end
//                          before the open decisions are drawn.
//
// An example: a path of 60 decisions, of which "size(m1)" and "size(m2)" are open. Look() draws
// size(m1), which is the fifth, and takes the 55 others one after the other as far as they agree.
// Open() takes the 58 others together; each LookInside() behind it draws the two sizes, and what is
// left open by them.
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
  /// Opens the decisions of a neighbourhood, which has some, and keeps all others. False: nothing
  /// but the implementation itself is left.
  bool Open(const Neighbourhood& near);
  /// Looks at one of the neighbours that Open() left, which `guide` draws. False: there is none.
  /// Again and again, until something else is called.
  bool LookInside(Guide& guide, Random& random, const Descender::OnDeadEnd& note);
  /// The neighbour that was found last; valid until another one is looked for, or gone to.
  const runtime::Candidate& neighbour() const { return there_.candidate(); }
  /// The neighbour becomes the implementation.
  void Go() { GoTo(there_.candidate()); }
  /// A neighbour that was found since the last Look() or Open() becomes the implementation.
  void GoTo(const runtime::Candidate& neighbour);

 private:
  /// `shared_` up to the first open decision, and `start_` there.
  void BeginAtFirstOpen(const Neighbourhood& near);
  /// From `start_` by a leap along `known`, `depth` decisions below the root, to `there_`.
  bool GoFromStart(std::span<const PathStep> known, std::size_t depth, const Neighbourhood& near,
                   Guide& guide, Random& random, const Descender::OnDeadEnd& note);

  const runtime::Candidate& root_;
  Descender here_, there_;
  Leap leap_;
  runtime::Candidate start_;  ///< Where the descent to the neighbour begins.
  Path path_;                 ///< Of `here_`.
  std::size_t shared_ = 0;    ///< So many first decisions of `here_` are those of `there_` as well.
  std::vector<runtime::Action> kept_;  ///< By Open(); kept for its room.
};

}  // namespace exh::search

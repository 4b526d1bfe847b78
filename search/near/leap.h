// SPDX-License-Identifier: MIT
//
// Leap: from a partially specified candidate towards a known implementation, many decisions at
// once.
//
// A descent propagates after each decision. Most decisions of a neighbour are those of the
// implementation that it is a neighbour of, and most of these hold together: restricting them at
// once costs one propagation instead of dozens. The fixpoint is that of one after the other, as it
// depends on the set of decisions alone.
//
//   1. Collect some steps of the known path, or those until one has to be drawn: it is open in the
//      neighbourhood, or its value is ruled out, or its decision is not live yet.
//   2. Take them all. When that is a dead end, bisect for the first one that is to blame, take
//   those
//      before it, draw that one, and go on behind it.
//   3. Draw what ended the collection, as the guide says.
//
// What is left open at the end (decisions that the known path has not) is for a descent.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/random.h"
#include "runtime/candidate.h"
#include "search/descend/descent.h"
#include "search/near/local_search.h"

namespace exh::search {

class Leap {
 public:
  /// Makes all leaps of one thread; what it needs is kept from one to the next.
  explicit Leap(const runtime::Candidate& root) : before_(root), base_(root) {}

  /// Takes `known`, steps of a path to `near.elite`, from `state` on, a fixpoint. `depth` of the
  /// first step is what dead ends are told with. False: a dead end that no value of a decision
  /// gets out of, or too many of them; `state` is of no more use.
  bool Run(runtime::Candidate& state, std::span<const PathStep> known, std::size_t depth,
           const Neighbourhood& near, Guide& guide, Random& random,
           const Descender::OnDeadEnd& note);

 private:
  /// Takes steps [begin, end) of `known`, all or those before the first that is to blame. Returns
  /// that one, or `end`.
  std::size_t TakeTogether(runtime::Candidate& state, std::span<const PathStep> known,
                           std::size_t begin, std::size_t end);
  [[nodiscard]] runtime::Propagation Take(runtime::Candidate& state,
                                          std::span<const PathStep> steps);

  runtime::Candidate before_, base_;  ///< Copying into them is one memcpy.
  std::vector<runtime::Action> actions_;
};

}  // namespace exh::search

// SPDX-License-Identifier: MIT
//
// Descents near the elite set: they keep most decisions of a fast implementation and change a few
// (local_search.h).
//
// Until the cost model is ready, random neighbours of elites are proposed. From then on walks on
// the model (screen.h) are. A walk begins
//
//   on an island (islands.h)      at an elite of the island; when it has none yet, where the island
//                                 begins, or anywhere
//   else, in a structure drawn    mostly at an elite of the structure, sometimes anywhere in it
//
// and stays in the structure in which it began: it is made below the root *confined* to that
// structure (structure.h). Now and then its first step, away from an elite, is made below the root
// itself, and may lead to another structure. When even the best that it saw promises little, a
// second walk is made: that costs less than a compilation.
#pragma once

#include <memory>
#include <optional>

#include "search/near/islands.h"
#include "search/near/local_search.h"
#include "search/near/walker.h"
#include "search/propose/frontier/frontier.h"
#include "search/propose/proposer.h"
#include "search/propose/screen.h"

namespace exh::search {

struct NearElitesOptions {
  /// Random neighbours that are looked at, as long as there is no model, until one is new: many
  /// are known, cut or dead ends, and looking again costs far less than compiling. With a model so
  /// many are drawn until there is one that a walk can begin at.
  int tries = 4;
  double on_islands = 0.5;  ///< The share of walks on islands.
  /// Of the other walks, the share that starts at a random implementation.
  double from_anywhere = 0.1;
  /// Of the walks that begin near an elite, the share whose first step may lead to another
  /// structure.
  double across = 0.25;
  /// Another walk is made when the score of the best is slower than the cut by more than this
  /// factor, up to `walks` in all.
  double worthwhile = 2;
  int walks = 2;
  LocalSearchOptions elites = {};
  IslandOptions islands = {};
};

class NearElites final : public Proposer {
 public:
  /// References outlive it. `screen` is taught by another proposer.
  NearElites(const EntryMaker& entries, Frontier& frontier, std::shared_ptr<Screen> screen,
             const NearElitesOptions& options);

  /// False: nothing new was found. Children that are pruned here are not counted.
  bool Propose(Random& random, Attempt& attempt) override;
  bool learns() const override { return true; }
  void Learn(Lesson& lesson) override;

  /// The elite sets. As long as this lives.
  const LocalSearch& elites() const { return local_; }
  /// How decisions are ordered in their paths.
  const ChoiceOrder& order() const { return near_order_; }

 private:
  /// Without a model: random neighbours of elites.
  bool LookAround(Random& random, Attempt& attempt);
  /// A walk, with the island that it was made for.
  std::optional<Prospect> WalkFromSomewhere(Random& random, Attempt& attempt);

  // Where a walk begins. False: no start was found.
  bool BeginNear(const LocalSearch& local, std::uint64_t structure, Walker& walker, Random& random,
                 Attempt& attempt) const;
  bool BeginAnywhere(Walker& walker, Random& random, Attempt& attempt) const;
  /// An implementation near an elite of the structure, but maybe of another one.
  std::optional<runtime::Candidate> StepAcross(const LocalSearch& local, std::uint64_t structure,
                                               Random& random, Attempt& attempt) const;

  const EntryMaker& entries_;
  Frontier& frontier_;
  std::shared_ptr<Screen> screen_;
  NearElitesOptions options_;
  /// The tree decides first what lower bounds depend on. Descents near an elite decide last what
  /// propagation can repair easily. Each is far better with its own order.
  ChoiceOrder near_order_;
  KnownStructures structures_;
  LocalSearch local_;
  Islands islands_;  ///< Start at the first Draw().
};

}  // namespace exh::search

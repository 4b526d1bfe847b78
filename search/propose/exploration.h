// SPDX-License-Identifier: MIT
//
// How a space is explored: a frontier, and the proposer that finds what it takes.
#pragma once

#include <cstdint>
#include <memory>

#include "search/descend/bound_function.h"
#include "search/propose/frontier/frontier.h"
#include "search/propose/last/last_neighbours.h"
#include "search/propose/near_elites.h"
#include "search/propose/proposer.h"
#include "search/propose/random_descents.h"
#include "search/propose/screen.h"
#include "search/propose/tree_rollouts.h"
#include "search/tree/policy.h"

namespace exh::search {

/// Without a tree only `check` and `random` are looked at.
struct ProposerOptions {
  /// The share of descents near the elite set, 0 to 1; the others are rollouts of the tree.
  double local_share = 0;
  /// ScreenOptions::steps: implementations of which the cost model picks one.
  int screen = 1;
  BoundFunction bound = {};      ///< Cuts the tree and what is proposed.
  BoundFunction check = {};      ///< Instead of `bound`: cuts nothing, is only logged and checked.
  AmountsFunction amounts = {};  ///< What the cost model learns from, beside the decisions.
  /// Exploration weights of walks are drawn from 0 up to this.
  double most_exploration = ScreenOptions().most_exploration;
  int inside = ScreenOptions().inside;  ///< Of each neighbourhood (ScreenOptions).
  double best_weight = ScreenOptions().best_weight;
  double likeness_weight = ScreenOptions().likeness_weight;
  std::shared_ptr<const PriorOfSpace> prior = {};  ///< What the model begins with; null: nothing.
  /// Learn beside who judges (LearnsBeside): when several threads propose.
  bool learns_beside = false;
  RandomDescentsOptions random = {};
  TreeRolloutsOptions rollouts = {};
  NearElitesOptions near = {};
  /// `looks` 0: as many as `screen`.
  LastNeighboursOptions last = {.looks = 0};
};

struct Exploration {
  std::unique_ptr<Frontier> frontier;
  std::unique_ptr<Proposer> proposer;  ///< Goes before the frontier.
};

/// `policy` null: random descents, and no tree. References outlive what is returned. After
/// `max_duplicates` in a row random descents find nothing new.
Exploration MakeExploration(const EntryMaker& entries, std::shared_ptr<const Policy> policy,
                            const TreeOptions& tree, const ProposerOptions& options,
                            std::uint64_t seed, int max_duplicates, EventLog& log);

}  // namespace exh::search

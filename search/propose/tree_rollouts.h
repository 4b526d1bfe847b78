// SPDX-License-Identifier: MIT
//
// Rollouts of the tree, the search of the paper: the policy selects a prefix, and a descent that
// bounds guide completes it. Where the cost model is ready, a walk goes on from what the rollout
// found. It changes only what lies below the prefix, so that what was selected stays.
#pragma once

#include <memory>

#include "search/propose/frontier/tree_frontier.h"
#include "search/propose/proposer.h"
#include "search/propose/screen.h"

namespace exh::search {

struct TreeRolloutsOptions {
  int weighted_depth = 8;                ///< Decisions of a rollout that are drawn by bounds.
  Patience patience = kRolloutPatience;  ///< When a rollout restarts, and when it gives up.
};

class TreeRollouts final : public Proposer {
 public:
  /// References outlive it. It teaches `screen`, which others may use as well.
  TreeRollouts(const EntryMaker& entries, TreeFrontier& frontier, std::shared_ptr<Screen> screen,
               const TreeRolloutsOptions& options);

  /// Never false: where the tree has nothing to select, the attempt is idle.
  bool Propose(Random& random, Attempt& attempt) override;
  bool learns() const override { return screen_->learns(); }
  void Learn(Lesson& lesson) override { screen_->Learn(lesson); }

 private:
  /// Descends from the end of the selection, and walks on from there.
  void RollOut(const runtime::Candidate& start, Random& random, Attempt& attempt) const;

  const EntryMaker& entries_;
  TreeFrontier& frontier_;
  std::shared_ptr<Screen> screen_;
  TreeRolloutsOptions options_;
  ChoiceOrder near_order_;  ///< Of the steps of a walk.
};

}  // namespace exh::search

// SPDX-License-Identifier: MIT
#include "search/propose/tree_rollouts.h"

#include <algorithm>
#include <utility>

#include "search/descend/rollout.h"

namespace exh::search {

TreeRollouts::TreeRollouts(const EntryMaker& entries, TreeFrontier& frontier,
                           std::shared_ptr<Screen> screen, const TreeRolloutsOptions& options)
    : entries_(entries),
      frontier_(frontier),
      screen_(std::move(screen)),
      options_(options),
      near_order_(ChoiceOrder::ForRepair(entries.root().instance())) {}

bool TreeRollouts::Propose(Random& /*random*/, Attempt& attempt) {
  TreeSearch& tree = frontier_.tree();
  attempt.selection = tree.Select();
  attempt.is_idle = !attempt.selection;
  if (attempt.is_idle) return true;
  // By the number of the selection, so that a log gives the same tree again.
  Random random = tree.RandomOf(*attempt.selection);
  const runtime::Candidate start = tree.CandidateOf(*attempt.selection);
  if (!entries_.Guard(start, [&] { RollOut(start, random, attempt); })) attempt.GiveUp();
  return true;
}

void TreeRollouts::RollOut(const runtime::Candidate& start, Random& random,
                           Attempt& attempt) const {
  const Selection& selection = *attempt.selection;
  BoundGuide guide(entries_.bound(), selection.cut, options_.weighted_depth);
  const auto note = NoteIn(attempt);
  const PatientDescent descent =
      DescendPatiently(start, entries_.order(), options_.patience, random, guide, note);
  attempt.pruned = descent.pruned;
  attempt.result = descent.result;
  if (descent.result != DescentResult::kImplementation) return;
  const runtime::Candidate& found = descent.descender.candidate();
  std::optional<Prospect> prospect;
  if (screen_->is_ready()) {
    Walker walker(start, near_order_);
    walker.BeginAt(found);
    prospect = screen_->Walk(walker, selection.cut, random, note);
  }
  Entry entry = prospect ? std::move(prospect->entry) : entries_.Make(found);
  if (prospect) {
    entries_.AddPath(entry);
  } else {
    entry.path = entries_.PathOf(descent, selection.path);
  }
  entry.selection = selection;
  if (entries_.bound()) entry.bound = std::max(entry.bound, selection.bound);
  screen_->NoteProposed(entry);
  attempt.entry = std::move(entry);
}

}  // namespace exh::search

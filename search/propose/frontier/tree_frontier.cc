// SPDX-License-Identifier: MIT
#include "search/propose/frontier/tree_frontier.h"

#include <algorithm>
#include <utility>

namespace exh::search {

TreeFrontier::TreeFrontier(const EntryMaker& entries, std::shared_ptr<const Policy> policy,
                           const TreeOptions& options, std::uint64_t seed, EventLog& log)
    : entries_(entries),
      epsilon_(options.epsilon),
      tree_(entries.root(), entries.order(), entries.bound(), std::move(policy), options, seed,
            log) {}

bool TreeFrontier::Admit(Entry entry, ChosenBy chosen_by, Attempt& attempt) {
  if (tree_.IsKnown(entry.code_hash)) return false;
  if (!entries_.Guard(entry.candidate, [&] { entries_.AddPath(entry); })) return false;
  attempt.selection = tree_.SelectTo(entry.path, chosen_by);
  if (!attempt.selection) return false;
  entry.selection = attempt.selection;
  entry.bound = std::max(entry.bound, attempt.selection->bound);
  attempt.result = DescentResult::kImplementation;
  attempt.entry = std::move(entry);
  return true;
}

Intake TreeFrontier::Take(const Attempt& attempt) {
  Intake intake;
  rollouts_cut_ += static_cast<std::uint64_t>(attempt.pruned);
  if (attempt.is_idle) {
    if (tree_.exhausted()) intake.end = "exhausted";
    return intake;
  }
  const Selection& selection = *attempt.selection;
  if (attempt.result == DescentResult::kExhausted) {
    tree_.BackUp(selection, Backup::Kind::kEmpty);
  } else if (attempt.result == DescentResult::kGaveUp) {
    tree_.BackUp(selection, Backup::Kind::kLost);
    // Near a proof nearly all is pruned; the tree then grows until it knows.
    if (attempt.pruned == 0) ++given_up_in_a_row_;
    if (given_up_in_a_row_ >= kMaxGivenUp) intake.end = "stuck";
  } else {
    given_up_in_a_row_ = 0;
    const Entry& entry = *attempt.entry;
    // A best that came up after its selection may have cut it.
    if (entries_.bound() && entry.bound >= tree_.cut()) {
      ++rollouts_cut_;
      tree_.BackUp(selection, Backup::Kind::kFailed);
    } else {
      intake.is_new = tree_.Claim(entry.code_hash, selection);
      intake.is_duplicate = !intake.is_new;
    }
  }
  return intake;
}

void TreeFrontier::Write(const Entry& entry, EvalRecord& record) {
  tree_.BackUp(*entry.selection, entry.code_hash, record);
}

std::optional<Proven> TreeFrontier::Prove() const {
  Proven proven;
  // What the environment failed to evaluate is not known to be of no use.
  proven.exhausted = !tree_.is_spoilt() && tree_.exhausted();
  proven.bound_ns = tree_.LowerBound();
  proven.epsilon = epsilon_;
  proven.tree = tree_.tree().Digest();
  return proven;
}

void TreeFrontier::Restore(const Log& log, EndRecord& counts) {
  tree_.Restore(log);
  for (const SelectRecord& select : log.selects) counts.descents += select.is_closed ? 0 : 1;
  for (const ResultRecord& result : log.results) {
    counts.duplicates += result.what == "known" ? 1 : 0;
    // What a rollout pruned has no line of its own. A selection that yielded nothing may be due to
    // that, and then not every implementation was evaluated.
    const bool may_be_cut = result.what == "empty" || result.what == "failed";
    if (entries_.bound() && may_be_cut) ++rollouts_cut_;
  }
}

}  // namespace exh::search

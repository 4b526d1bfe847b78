// SPDX-License-Identifier: MIT
//
// The frontier of a search with a tree (search/tree): it knows when nothing is left, because every
// attempt makes the tree grow, or one of its leaves die.
#pragma once

#include <cstdint>
#include <memory>

#include "search/propose/frontier/frontier.h"
#include "search/tree/policy.h"

namespace exh::search {

class TreeFrontier final : public Frontier {
 public:
  /// References outlive it.
  TreeFrontier(const EntryMaker& entries, std::shared_ptr<const Policy> policy,
               const TreeOptions& options, std::uint64_t seed, EventLog& log);

  /// For proposers that select.
  TreeSearch& tree() { return tree_; }

  bool learns() const override { return true; }
  bool IsKnown(std::uint64_t code) const override { return tree_.IsKnown(code); }
  double cut() const override { return tree_.cut(); }
  bool Admit(Entry entry, ChosenBy chosen_by, Attempt& attempt) override;
  Intake Take(const Attempt& attempt) override;
  void Write(const Entry& entry, EvalRecord& record) override;
  void Write(BestRecord& record) override { tree_.SetBest(record); }
  double LowerBound() const override { return tree_.LowerBound(); }
  std::uint64_t num_pruned() const override { return tree_.num_cut() + rollouts_cut_; }
  std::optional<Proven> Prove() const override;
  void Restore(const Log& log, EndRecord& counts) override;
  void GiveUpOpen() override { tree_.GiveUpOpen(); }

 private:
  const EntryMaker& entries_;
  double epsilon_;
  TreeSearch tree_;
  int given_up_in_a_row_ = 0;
  std::uint64_t rollouts_cut_ = 0;  ///< Children that rollouts found pruned.
};

}  // namespace exh::search

// SPDX-License-Identifier: MIT
//
// TreeSearch: the tree as the threads of a search share it. Every event gets the next sequence
// number and its line in the log under one lock, so that the log holds the events in the order in
// which the tree took them, and tree_replay.h makes the same tree of it.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "search/log/event_log.h"
#include "search/log/log_reader.h"
#include "search/tree/policy.h"
#include "search/tree/tree.h"

namespace exh::search {

/// Who found an implementation beside the tree.
enum class ChosenBy {
  kLocal,  ///< Local search.
  kFirst,  ///< A recipe that the run begins with (first.h).
  kLast,   ///< One decision away from one of the best, when the run ends.
};

class TreeSearch {
 public:
  /// All references outlive it.
  TreeSearch(const runtime::Candidate& root, const ChoiceOrder& order, const BoundFunction& bound,
             std::shared_ptr<const Policy> policy, const TreeOptions& options, std::uint64_t seed,
             EventLog& log);

  /// Goes on where a log ends: its tree, its programs, its numbers. Only before anything else.
  /// Throws Error when the log is not of such a tree.
  void Restore(const Log& log);
  /// Tells tree and log that what was under way at the end of the restored log is lost.
  void GiveUpOpen();

  /// Where to roll out next. Nothing when exhausted(), or when all that is left is being evaluated.
  std::optional<Selection> Select();
  /// Selects the path of an implementation that was found beside the tree. Nothing when it need not
  /// be evaluated: it was already, or it is cut.
  std::optional<Selection> SelectTo(const Path& path, ChosenBy chosen_by = ChosenBy::kLocal);
  /// The random numbers for the rollout of a selection: they depend on the seed and on its sequence
  /// number alone.
  Random RandomOf(const Selection& selection) const;
  /// The candidate at the end of its path.
  runtime::Candidate CandidateOf(const Selection& selection) const {
    return space_.CandidateOf(selection.path);
  }

  /// Has a program with this hash of its code been seen?
  bool IsKnown(std::uint64_t code) const;
  /// True: the program that a selection led to is new, and the caller evaluates it. False: it is
  /// known, and the selection gets its result, at once or as soon as there is one.
  bool Claim(std::uint64_t code, const Selection& selection);

  /// A selection that yielded nothing to evaluate. kTimed is not among the kinds.
  void BackUp(const Selection& selection, Backup::Kind kind);
  /// The evaluation of a program that was claimed. Fills in the numbers of the record and logs it.
  /// One that is broken teaches the tree nothing: its selection, and all others that come to the
  /// same program, stay open, so that nothing of it is tried again in this run. A run that goes on
  /// finds them open, and free.
  void BackUp(const Selection& selection, std::uint64_t code, EvalRecord& record);
  /// A new best; fills in the number of its record and logs it.
  void SetBest(BestRecord& record);

  double cut() const;
  /// Nothing is left to select, now or later.
  bool exhausted() const;
  /// Are there implementations without a result because the environment failed to evaluate them?
  bool is_spoilt() const;
  /// Nothing of the space is faster; 0 when nothing is known.
  double LowerBound() const;
  std::uint64_t num_cut() const;
  /// For when no other thread is at work.
  const Tree& tree() const { return tree_; }

 private:
  /// A program that was seen.
  struct Program {
    std::optional<Backup> result;
    std::vector<Selection> waiting;  ///< For the result.
    bool is_spoilt = false;          ///< Its evaluation was broken.
  };

  // All of them with the lock held.
  std::uint64_t NextSequence() { return ++sequence_; }
  void WriteSelection(Selection& selection, std::string_view chosen_by);
  void WriteResult(const Selection& selection, const Backup& backup);
  void KeepOpen(std::uint64_t selections = 1);

  std::shared_ptr<const Policy> policy_;
  std::uint64_t seed_;
  EventLog& log_;
  CandidateSpace space_;
  mutable std::mutex mutex_;  ///< Of everything below.
  Tree tree_;
  std::uint64_t sequence_ = 0;
  std::unordered_map<std::uint64_t, Program> programs_;  ///< By the hash of their code.
  std::vector<Selection> open_;                          ///< Of the restored log, without a result.
  std::uint64_t in_flight_ = 0;                          ///< Selections that will have a result.
  std::uint64_t num_spoilt_ = 0;                         ///< Selections that stay open.
};

/// What the tree takes from a record. Throws Error for a result that it does not know.
Backup BackupOf(const EvalRecord& record);
Backup BackupOf(const ResultRecord& record);

}  // namespace exh::search

// SPDX-License-Identifier: MIT
//
// What proposers find: an implementation on its way through the phases of a run, and what looking
// for one came to.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/evaluation.h"
#include "search/descend/bound_function.h"
#include "search/descend/choice_order.h"
#include "search/descend/dropped/dropped.h"
#include "search/descend/patient_descent.h"
#include "search/measure/evaluator.h"
#include "search/tree/tree.h"

namespace exh::search {

/// What a proposer wants to see again with the result of what it proposed. Whose it is, and what is
/// in it, that proposer alone knows.
struct EntryOrigin {
  virtual ~EntryOrigin() = default;
};

/// An implementation on its way through the phases.
struct Entry {
  runtime::Candidate candidate;
  Path path = {};  ///< In the order of the run.
  kernels::Source source = {};
  std::string vector = {}, code = {};
  std::uint64_t code_hash = 0;
  std::optional<Selection> selection = {};  ///< With a tree.
  double bound = 0;                         ///< Nothing of the kind is faster; 0: unknown.
  std::shared_ptr<const EntryOrigin> origin = {};
  kernels::Compiled compiled = {};
  /// What says that it was dropped is `compiled`, before anything is compiled.
  bool is_dropped() const { return compiled.verdict != kernels::Verdict::kCorrect; }
  bool ready = false;     ///< Phase 2 came to it before the run was stopped.
  bool is_trial = false;  ///< Only its trial is compiled.
  bool is_known = false;  ///< What `compiled` says was found by another search.
};

/// The result of looking for an implementation.
struct Attempt {
  DescentResult result = DescentResult::kGaveUp;
  bool is_idle = false;  ///< There was nothing to select.
  std::optional<Selection> selection;
  int pruned = 0;  ///< Children that a rollout found pruned.
  std::vector<DeadEnd> dead_ends;
  std::optional<Entry> entry;

  /// What was found is not to be looked at; what was selected is still there.
  void GiveUp() {
    result = DescentResult::kGaveUp;
    entry.reset();
  }
};

/// Adds dead ends to those of an attempt, which outlives what is returned.
Descender::OnDeadEnd NoteIn(Attempt& attempt);

/// Makes entries of implementations of one space. Any number of threads may use one.
class EntryMaker {
 public:
  /// All references outlive it. `bound` cuts; `check`, where there is no `bound`, only stands
  /// beside the times. Both may be empty.
  EntryMaker(const runtime::Candidate& root, const ChoiceOrder& order, Evaluator& evaluator,
             BoundFunction bound, BoundFunction check);

  const runtime::Candidate& root() const { return root_; }
  const ChoiceOrder& order() const { return order_; }
  /// The bound that cuts; empty when nothing does.
  const BoundFunction& bound() const { return bound_; }
  /// By either bound; 0 without one.
  double BoundOf(const runtime::Candidate& candidate) const;
  /// Those on candidates that are no evaluations: of bounds, of descents, of what a model asks.
  FailedChecks& failed_checks() const { return failed_checks_; }
  /// Does what looks for something near a candidate. False: a check of ours failed meanwhile, which
  /// is noted, and nothing was found.
  template <typename Look>
  bool Guard(const runtime::Candidate& candidate, const Look& look) const {
    const auto dropped = DroppedBy(look);
    if (dropped) failed_checks_.Note(dropped->why, candidate);
    return !dropped;
  }

  /// With its source, and without its path. Where it has none (Dropped) the entry says why.
  Entry Make(const runtime::Candidate& implementation) const;
  /// One that was dropped before it had a source.
  Entry Make(const runtime::Candidate& implementation, const Dropped& dropped) const;
  /// The path of what a descent from the end of `start` found, in the order of the run.
  Path PathOf(const PatientDescent& descent, const Path& start) const;
  /// Gives an entry without a path one.
  void AddPath(Entry& entry) const { CompletePath(root_, entry.candidate, order_, entry.path); }

 private:
  const runtime::Candidate& root_;
  const ChoiceOrder& order_;
  Evaluator& evaluator_;
  mutable FailedChecks failed_checks_;
  BoundFunction unguarded_;      ///< Of both that there is.
  BoundFunction bound_, check_;  ///< Guarded.
};

}  // namespace exh::search

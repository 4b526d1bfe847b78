// SPDX-License-Identifier: MIT
//
// The last part of a search: all neighbours of the fastest of each structure that differ in one
// decision (and in what follows from it) are looked at. Chance may have left out the one step that
// is missing.
//
// When none of them is left, those are looked at that differ in a pair of decisions that share an
// object (pairs.h).
//
// What is cheap is done for many first: some neighbours are found, and the cost model ranks all
// that were found until then and are not evaluated. Those of the fastest come first, and a new best
// brings its own. When none is left, the search goes on as before.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

#include "search/near/local_search.h"
#include "search/propose/frontier/frontier.h"
#include "search/propose/last/pairs.h"
#include "search/propose/proposer.h"
#include "search/propose/screen.h"

namespace exh::search {

struct LastNeighboursOptions {
  std::size_t fastest = 3;  ///< Of each structure.
  int looks = 64;           ///< Neighbours that are found for each that is proposed.
  /// A step is part of pairs when the model expects what it leads to by itself to be slower than
  /// where it begins by no more than this factor.
  double first_of_pair = 1.25;
  double share = 0.1;  ///< Of the run, by its time or by its evaluations: its end.
};

class LastNeighbours final : public Proposer {
 public:
  /// Proposes what `before` does until the end begins. References outlive it; `elites` and `order`,
  /// that of their paths, may be parts of `before`. `screen` is taught by `before`.
  LastNeighbours(std::unique_ptr<Proposer> before, const EntryMaker& entries, Frontier& frontier,
                 std::shared_ptr<Screen> screen, const LocalSearch& elites,
                 const ChoiceOrder& order, const LastNeighboursOptions& options);

  bool Propose(Random& random, Attempt& attempt) override;
  bool learns() const override { return before_->learns(); }
  void Learn(Lesson& lesson) override { before_->Learn(lesson); }
  void BeginEnd() override { is_ending_ = true; }

 private:
  /// One whose neighbours are looked at.
  struct Base {
    runtime::Candidate candidate;
    double ns = 0;
    std::uint64_t hash = 0;
    Path path;                         ///< Leads to it, in the order of these descents.
    PairsOfSteps pairs;                ///< Of the steps that lead to a neighbour each.
    std::size_t next = 0;              ///< Of these steps.
    std::optional<double> worst = {};  ///< Of first steps of pairs; nothing: not known yet.
  };
  /// A step from a base, or two.
  struct Task {
    std::shared_ptr<Base> base;
    std::vector<PathStep> steps;
    std::size_t single = 0;    ///< Number of a step that is alone.
    std::uint64_t number = 0;  ///< Decides what is random.
  };

  bool ProposeNeighbour(Attempt& attempt);
  /// Nothing: no neighbour is left.
  std::optional<Task> NextTask();
  // With the lock held:
  /// Takes in what became one of the fastest since.
  void FindBases();
  std::optional<Task> NextPair();
  const Task& Deal(const std::shared_ptr<Base>& base, std::vector<PathStep> steps,
                   std::size_t single);
  // Without it:
  /// Finds out where a task leads, and what the model expects of it.
  void LookAt(const Task& task, const Descender::OnDeadEnd& note);

  /// The neighbour; nothing when there is none. The same whenever it is called.
  std::optional<runtime::Candidate> Take(const Task& task, const Descender::OnDeadEnd& note) const;
  /// The same; nothing where a check of ours fails.
  std::optional<runtime::Candidate> TakeGuarded(const Task& task,
                                                const Descender::OnDeadEnd& note) const;
  /// Finds some neighbours. False: none is left to find.
  bool Look(Attempt& attempt);
  std::optional<Task> TakeBest();

  std::unique_ptr<Proposer> before_;
  const EntryMaker& entries_;
  Frontier& frontier_;
  std::shared_ptr<Screen> screen_;
  const LocalSearch& elites_;
  const ChoiceOrder& order_;
  LastNeighboursOptions options_;
  std::atomic<bool> is_ending_ = false;

  std::mutex mutex_;                           ///< Of what follows.
  std::vector<std::shared_ptr<Base>> bases_;   ///< The fastest first.
  std::optional<std::uint64_t> version_;       ///< Of the elite sets, when bases were last taken.
  std::vector<Task> tasks_;                    ///< That were dealt out, by number.
  std::unordered_set<std::uint64_t> vectors_;  ///< Hashes of bases and of neighbours.
  /// Found and not yet proposed, by what the model expected, then by number.
  std::set<std::pair<double, std::uint64_t>> found_;
};

}  // namespace exh::search

// SPDX-License-Identifier: MIT
//
// Screen: many implementations are found for each one that is compiled, because finding takes far
// less time, and a cost model, which learns from every result, chooses among them.
//
// A *walk* is a hill climb on the model. It looks at random neighbours of where it stands and goes
// there whenever the model scores them better. Where a neighbourhood is a few open decisions, some
// neighbours are drawn of it and the best of them counts: what they have in common is propagated
// once. Of all implementations that the walk looked at, the one with the best score whose program
// is new is its prospect.
//
// The score is a lower confidence bound of the logarithm of the time: the model's mean minus the
// exploration weight times its uncertainty. The weight is drawn anew for each walk: some walks
// trust the mean, others prefer what the model is uncertain about. Two terms may be added. One is
// what a classifier says against its being one of the best (cost_model.h). The other is how alike
// it is to what is in flight (in_flight.h): what a batch has in common is learned from one of them.
//
// What code generation refuses when the model asks what it costs is the prospect of its walk: it
// takes no compiler, and stands in the log like everything that was looked for in vain.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "search/learn/cost_model.h"
#include "search/near/trade.h"
#include "search/near/walker.h"
#include "search/propose/frontier/frontier.h"
#include "search/propose/in_flight.h"
#include "search/propose/proposer.h"

namespace exh::search {

struct ScreenOptions {
  /// Steps of a walk, each a descent of which the cost model sees what it found; 1: no walk and no
  /// model.
  int steps = 1;
  /// So many neighbours are looked at of each neighbourhood that has several.
  int inside = 8;
  /// Exploration weights are drawn from 0 up to this.
  double most_exploration = 2;
  /// Of the logarithm of the probability that something is one of the best tenth; 0: not asked.
  double best_weight = 0;
  /// Of the share of decisions that are those of something in flight; 0: not asked.
  double likeness_weight = 0;
  std::shared_ptr<const PriorOfSpace> prior = {};  ///< What the model begins with; null: nothing.
};

/// What a walk led to.
struct Prospect {
  Entry entry;       ///< Without its path.
  double score = 0;  ///< Smaller is better.
};

class Screen {
 public:
  /// References outlive it.
  Screen(const EntryMaker& entries, const Frontier& frontier, const AmountsFunction& amounts,
         const ScreenOptions& options, std::uint64_t seed);

  /// Is there a model, and has it seen enough? From any thread, as all but Learn().
  bool is_ready() const { return learns() && model_.is_ready(); }
  bool learns() const { return options_.steps > 1; }

  /// Walks from where `walker` stands, staying out of what reaches `cut`. Nothing when the program
  /// of all that it saw is known.
  std::optional<Prospect> Walk(Walker& walker, double cut, Random& random,
                               const Descender::OnDeadEnd& note) const;

  /// What the model expects of an implementation; 0 as long as there is none. Smaller is better; of
  /// one that is to be dropped it is less than of any other.
  double Expected(const runtime::Candidate& candidate) const;

  /// Something is on its way to an evaluation.
  void NoteProposed(const Entry& entry);

  /// By one thread alone.
  void Learn(const Lesson& lesson);

 private:
  /// What a walk looks for.
  struct Taste {
    double exploration = 0;
    Likeness in_flight = {};  ///< What is alike is less liked.
  };
  /// Of a candidate with this vector (VectorText()). Smaller is better. Nothing: it is dropped.
  std::optional<double> Score(const runtime::Candidate& candidate, const std::string& vector,
                              double bound, const Taste& taste, Dropped& why) const;
  /// What the device says of it; until the thread asks again. Nothing: it is dropped.
  std::optional<std::span<const double>> AmountsOf(const runtime::Candidate& candidate,
                                                   Dropped& why) const;

  const EntryMaker& entries_;
  const Frontier& frontier_;
  AmountsFunction amounts_;
  ScreenOptions options_;
  Trades trades_;
  CostModel model_;
  InFlight in_flight_;
};

}  // namespace exh::search

// SPDX-License-Identifier: MIT
//
// Screen: many implementations are found for each one that is compiled, because finding takes far
// less time, and a cost model, which learns from every result, chooses among them.
//
// A *walk* is a hill climb on the model. It looks at random neighbours of where it stands and goes
// there whenever the model scores them better. Of all implementations that it looked at, the one
// with the best score whose program is new is its prospect.
//
// The score is a lower confidence bound of the logarithm of the time: the model's mean minus the
// exploration weight times its uncertainty. The weight is drawn anew for each walk: some walks
// trust the mean, others prefer what the model is uncertain about.
//
// What code generation refuses when the model asks what it costs is the prospect of its walk: it
// takes no compiler, and stands in the log like everything that was looked for in vain.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "search/learn/cost_model.h"
#include "search/near/walker.h"
#include "search/propose/frontier/frontier.h"
#include "search/propose/proposer.h"

namespace exh::search {

struct ScreenOptions {
  /// Steps of a walk, each a descent of which the cost model sees what it found; 1: no walk and no
  /// model.
  int steps = 1;
  /// Exploration weights are drawn from 0 up to this.
  double most_exploration = 2;
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

  /// By one thread alone.
  void Learn(const Lesson& lesson);

 private:
  /// Smaller is better. Nothing: the candidate is dropped.
  std::optional<double> Score(const runtime::Candidate& candidate, double bound, double exploration,
                              Dropped& why) const;
  /// What the device says of it; until the thread asks again. Nothing: it is dropped.
  std::optional<std::span<const double>> AmountsOf(const runtime::Candidate& candidate,
                                                   Dropped& why) const;

  const EntryMaker& entries_;
  const Frontier& frontier_;
  AmountsFunction amounts_;
  ScreenOptions options_;
  CostModel model_;
};

}  // namespace exh::search

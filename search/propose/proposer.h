// SPDX-License-Identifier: MIT
//
// Proposer: phase 1 of a run, what to evaluate next. Each way to find an implementation is a
// proposer of its own: random descents, rollouts of a tree, descents near the elite set. A mix of
// them is a proposer, too. A new one is a file here and a line in exploration.cc.
#pragma once

#include <memory>
#include <string>

#include "base/random.h"
#include "search/log/log_reader.h"
#include "search/propose/entry.h"

namespace exh::search {

/// What an evaluation taught.
struct Lesson {
  const runtime::Candidate& implementation;
  const std::string& vector;
  const Path& path;                     ///< In the order of the run.
  double ns = 0;                        ///< As LearnedTime(); 0: it did not work, or not in time.
  const EntryOrigin* origin = nullptr;  ///< Of its entry; null when that is not known any more.
  /// The decisions in the order of descents near the elite set (ChoiceOrder::ForRepair()): filled
  /// in by a proposer that needed it, for those that learn after it.
  Path near_path = {};
};

class Proposer {
 public:
  virtual ~Proposer() = default;

  /// Looks for an implementation that is new. True: `attempt` says what came of it, be it nothing.
  /// False: it has nothing to propose, and another proposer may go on with the same attempt; only
  /// dead ends were added to it. From any thread when each has its own source of chance; what is
  /// random depends on that, or on the number of a selection.
  virtual bool Propose(Random& random, Attempt& attempt) = 0;

  /// Does Learn() change anything?
  virtual bool learns() const { return false; }
  /// One thread alone may teach, also while others propose.
  virtual void Learn(Lesson& /*lesson*/) {}

  /// The last part of the search begins. Once or more often, by the thread that teaches.
  virtual void BeginEnd() {}
};

/// Teaches the evaluations of a log in their order, so that what is known is the same as in a run
/// that was not stopped. Throws Error when the log is not of this root.
void LearnFrom(const Log& log, const runtime::Candidate& root, Proposer& proposer);

}  // namespace exh::search

// SPDX-License-Identifier: MIT
//
// Proposer: phase 1 of a run, what to evaluate next. Each way to find an implementation is a
// proposer of its own: random descents, rollouts of a tree, descents near the elite set. A mix of
// them is a proposer, too. A new one is a file here and a line in exploration.cc.
#pragma once

#include <memory>
#include <string>

#include "base/beside.h"
#include "base/random.h"
#include "search/log/log_reader.h"
#include "search/propose/entry.h"

namespace exh::search {

/// What an evaluation taught.
struct Lesson {
  const runtime::Candidate& implementation;
  const std::string& vector;
  const Path& path;  ///< In the order of the run.
  double ns = 0;     ///< As LearnedTime(); 0: it did not work, or not in time.
  std::shared_ptr<const EntryOrigin> origin =
      {};  ///< Of its entry; null: it is not known any more.
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

  /// Waits until all that was taught is learned.
  virtual void AwaitLearned() {}

  /// The last part of the search begins. Once or more often, also while others propose or teach.
  virtual void BeginEnd() {}
};

/// A proposer that learns beside who teaches it: what an evaluation taught is known a little later,
/// and who judges goes on at once. To work out what follows from an implementation takes longer
/// than to measure one where spaces are large.
class LearnsBeside final : public Proposer {
 public:
  explicit LearnsBeside(std::unique_ptr<Proposer> proposer);

  bool Propose(Random& random, Attempt& attempt) override {
    return proposer_->Propose(random, attempt);
  }
  bool learns() const override { return proposer_->learns(); }
  void Learn(Lesson& lesson) override;
  void AwaitLearned() override { beside_.Await(); }
  void BeginEnd() override { proposer_->BeginEnd(); }

 private:
  /// A lesson with all that it refers to.
  struct Kept {
    runtime::Candidate implementation;
    std::string vector;
    Path path;
    double ns;
    std::shared_ptr<const EntryOrigin> origin;
  };

  void Teach(Kept& kept);

  std::unique_ptr<Proposer> proposer_;
  Beside<Kept> beside_;  ///< The last one: it ends before what it works with.
};

/// Teaches the evaluations of a log in their order, so that what is known is the same as in a run
/// that was not stopped. Throws Error when the log is not of this root.
void LearnFrom(const Log& log, const runtime::Candidate& root, Proposer& proposer);

}  // namespace exh::search

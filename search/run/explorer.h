// SPDX-License-Identifier: MIT
//
// Explorer: a run of a search. It puts together
//
//   * what is left of the space and what is proposed of it (propose/),
//   * how far the run is (run_state.h),
//   * what becomes of a candidate: measured, confirmed, recorded (judge.h),
//   * what happens at once and what in turn (pipeline/),
//
// and goes through the phases, which those files number:
//
//   0. Begin     With implementations that are known to be decent (first.h), one by one until one
//                of them is correct. Only where something is learned from them.
//   1. Descend   A proposer finds an implementation. One that was seen before (the same decision
//                vector, or the same source without comments) is dropped. One of which there is no
//                code, or on which a check of our own fails, has its verdict
//                (descend/dropped/dropped.h).
//   2. Compile   Unless its instructions alone would take far too long (idle_limit.h).
//   3. Measure   One at a time. Every verdict is logged as it comes.
//   4. Confirm   What may beat the incumbent is measured again, in turn with it.
//
// Phases 1 to 4 repeat until a stopper says so, or nothing new is found.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/activity.h"
#include "base/clock.h"
#include "search/log/event_log.h"
#include "search/log/log_reader.h"
#include "search/log/memory/front.h"
#include "search/measure/evaluator.h"
#include "search/propose/exploration.h"
#include "search/report/progress.h"
#include "search/report/proof.h"
#include "search/report/report.h"
#include "search/run/explorer_options.h"
#include "search/run/judge.h"
#include "search/run/pipeline/pipeline.h"
#include "search/run/run_state.h"
#include "search/run/stopper.h"
#include "search/run/winners.h"

namespace exh::search {

struct Outcome {
  EndRecord end;
  std::optional<Winner> winner;
  /// The best by their first measurement, best first, the winner among them; empty when
  /// ExplorerOptions::finalists is 1.
  std::vector<Winner> finalists;
  Proof proof;
  /// What was not correct, most frequent first.
  std::vector<Failure> failures;
  /// Checks of our own that failed on what is no evaluation.
  std::vector<FailedCheckRecord> failed_checks;
  Front front;  ///< Of time and memory.
  /// Not empty: the environment failed (`end.why` is "broken"), and this is what it said.
  std::string broken;
};

class Explorer {
 public:
  /// All references outlive the explorer. `root` is a fixpoint.
  Explorer(const runtime::Candidate& root, const ChoiceOrder& order, Evaluator& evaluator,
           const Stopper& stopper, EventLog& log, ProgressReporter& reporter, Clock clock,
           const ExplorerOptions& options);

  /// Goes on where the log of a run ends: what it evaluated is known and not evaluated again, and
  /// counts, best and tree are those of its last complete line. Random numbers are others than any
  /// before. Only before Run(), with the root, order, bound and options of that run. Throws Error
  /// when the log does not fit them. Writes nothing.
  void Restore(const Log& log);

  /// Searches until the stopper says so or nothing new is found. The caller writes the `end` record
  /// after whatever it wants to log before it. An environment that fails (a full disk) ends the
  /// run; what was found until then is in the outcome.
  Outcome Run();

 private:
  /// What the restored run was about to write when it was killed.
  void TakeUp();
  Outcome Conclude();

  ExplorerOptions options_;
  EntryMaker entries_;
  Exploration exploration_;
  Evaluator& evaluator_;
  RunState state_;
  Judge judge_;
  double before_ = 0;                             ///< Seconds of a restored run.
  ActivitySeconds began_at_{};                    ///< What the process had done before this run.
  std::vector<FailedCheckRecord> failed_before_;  ///< Of a restored run.
  std::optional<Winner> unwritten_;  ///< Of a restored run: a best whose line it did not write.
  /// Compilers of it that nobody waits for any more end with the explorer.
  std::unique_ptr<Pipeline> pipeline_;
};

}  // namespace exh::search

// SPDX-License-Identifier: MIT
//
// RunState: how far a run is. It takes in what was proposed, keeps the incumbent, counts, and says
// when the run is over and why. The phases (judge.h, pipeline/) report to it and ask it.
//
//   * `why` is set once, by the first reason to end; whoever sees Stopped() begins nothing new.
//   * However short the time, one candidate is measured: until then a time that is over is no
//     reason. Whatever is in flight kGrace seconds after the end is ended by a token.
//   * The incumbent and the line of the log that says so change together.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.h"
#include "search/descend/dropped/dropped.h"
#include "search/log/event_log.h"
#include "search/report/progress.h"
#include "search/run/explorer_options.h"
#include "search/run/idle_limit.h"
#include "search/run/objective.h"
#include "search/run/stopper.h"
#include "search/run/tally.h"
#include "search/run/winners.h"

namespace exh::search {

class RunState {
 public:
  /// All references outlive it.
  RunState(Frontier& frontier, Evaluator& evaluator, const Stopper& stopper,
           FailedChecks& failed_checks, EventLog& log, ProgressReporter& reporter, Clock clock,
           const ExplorerOptions& options);

  RunTally& tally() { return tally_; }
  Winners& winners() { return winners_; }
  IdleLimit& idle_limit() { return idle_limit_; }
  const WorkspaceLimit& workspace_limit() const { return workspace_limit_; }
  EventLog& log() { return log_; }
  ProgressReporter& reporter() { return reporter_; }

  // ---- Time -----------------------------------------------------------------------------------

  /// The run begins, or goes on after so many seconds.
  void Begin(double before);
  /// Seconds since the start of the run.
  double Elapsed() const { return clock_() - start_; }
  double now() const { return clock_(); }
  /// Of the time budget.
  double SecondsLeft() const { return stopper_.SecondsLeft(); }
  /// What is in flight from now on may take all that is left of the last call, or less: see
  /// ExplorerOptions::stop.
  void AwaitLastCall();

  // ---- The end --------------------------------------------------------------------------------

  /// Is it over? Sets the reason the first time that there is one.
  bool Stopped();
  /// Why it should end now, if it should. From any thread.
  std::optional<std::string> StopReason() const;
  /// What the stopper says, even before anything was measured.
  std::optional<std::string> StopperReason() const { return stopper_.Reason(progress()); }
  /// Is this the last part (LastNeighboursOptions::share) of the time, or of the evaluations, that
  /// the search had?
  bool IsEnding() const;
  /// Has a signal ended it?
  bool Interrupted() { return Stopped() && why_ == "signal"; }
  /// Empty: it goes on.
  const std::string& why() const { return why_; }
  void End(std::string_view why) { why_ = why; }
  void GoOn() { why_.clear(); }
  /// The environment failed, and this is what it said.
  void Break(std::string text);
  const std::string& broken() const { return broken_; }
  /// Before a stopper ends the run; nothing when none counts them.
  std::optional<std::uint64_t> EvaluationsLeft() const;

  // ---- What happens ---------------------------------------------------------------------------

  /// Takes what a proposer came to. True: its entry is new, and to be evaluated.
  bool Accept(const Attempt& attempt);
  /// Attempts that were taken.
  std::uint64_t attempts() const { return attempts_; }
  /// A new incumbent.
  void Promote(Winner winner);
  /// The incumbent took so long, as it was measured, which is not what was known.
  void Correct(double ns);
  /// What is known now decides what is not worth a compiler.
  void SetLimits();
  /// Logs checks that failed for the first time.
  void WriteFailedChecks();
  /// `news`: a plain reader wants to see it at once.
  void ShowStatus(bool news);

 private:
  Progress progress() const;
  /// Of the time budget, without what is for what follows the search.
  double SearchSecondsLeft() const { return stopper_.SecondsLeft() - options_.reserve; }
  void SetDeadline();
  void WriteBest();
  /// Is all worse that is slower than the incumbent?
  bool CutsByTime() const;

  Frontier& frontier_;
  Evaluator& evaluator_;
  const Stopper& stopper_;
  FailedChecks& failed_checks_;
  EventLog& log_;
  ProgressReporter& reporter_;
  Clock clock_;
  const ExplorerOptions& options_;
  RunTally tally_;
  Winners winners_;
  IdleLimit idle_limit_;
  WorkspaceLimit workspace_limit_;
  double start_ = 0;
  double last_call_ = 0;            ///< By the clock: when everything has to be over.
  std::uint64_t before_evals_ = 0;  ///< Evaluations of a restored run.
  double all_seconds_ = 0;          ///< Of the search, where it has an end.
  double all_evaluations_ = 0;      ///< That it may make, where they are counted.
  std::uint64_t attempts_ = 0;
  std::string why_, broken_;
};

}  // namespace exh::search

// SPDX-License-Identifier: MIT
#include "search/run/run_state.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/trace/trace.h"
#include "search/log/decisions.h"

namespace exh::search {

RunState::RunState(Frontier& frontier, Evaluator& evaluator, const Stopper& stopper,
                   FailedChecks& failed_checks, EventLog& log, ProgressReporter& reporter,
                   Clock clock, const ExplorerOptions& options)
    : frontier_(frontier),
      evaluator_(evaluator),
      stopper_(stopper),
      failed_checks_(failed_checks),
      log_(log),
      reporter_(reporter),
      clock_(std::move(clock)),
      options_(options),
      winners_(evaluator, options.finalists, options.objective),
      idle_limit_(options.idle_factor),
      workspace_limit_(options.objective) {}

// ---- Time -------------------------------------------------------------------------------------

void RunState::Begin(double before) {
  start_ = options_.start.value_or(clock_()) - before;
  last_call_ = stopper_.SecondsLeft() + kGrace + clock_();
  before_evals_ = tally_.evaluations();
  all_seconds_ = SearchSecondsLeft();
  all_evaluations_ = static_cast<double>(EvaluationsLeft().value_or(0));
  SetDeadline();
}

void RunState::AwaitLastCall() {
  if (options_.stop != nullptr) options_.stop->StopIn(std::max(0.0, last_call_ - clock_()));
}

void RunState::SetDeadline() {
  if (options_.stop == nullptr) return;
  if (!winners_.has_incumbent()) return AwaitLastCall();
  // Where compilers run ahead, processes that are killed have to be made anew for the end.
  const double reserve = options_.reserve * (evaluator_.compiles_while_measuring() ? 0.5 : 1);
  options_.stop->StopIn(std::max(0.0, stopper_.SecondsLeft() - reserve));
}

// ---- The end ----------------------------------------------------------------------------------

bool RunState::Stopped() {
  if (!why_.empty()) return true;
  const auto reason = StopReason();
  if (reason) why_ = *reason;
  return reason.has_value();
}

std::optional<std::string> RunState::StopReason() const {
  std::optional<std::string> reason = StopperReason();
  if (!reason && options_.reserve > 0 && SearchSecondsLeft() <= 0) {
    reason = kTimeIsOver;
  }
  // However short the time, one candidate is measured.
  const bool has_measured = tally_.evaluations() > before_evals_;
  const bool may_wait = !has_measured && !IsStopped(options_.stop);
  if (reason == kTimeIsOver && may_wait) return std::nullopt;
  return reason;
}

bool RunState::IsEnding() const {
  const double part = options_.proposer.last.share;
  if (std::isfinite(all_seconds_) && SearchSecondsLeft() <= part * all_seconds_) return true;
  const auto left = EvaluationsLeft();
  return left && static_cast<double>(*left) <= part * all_evaluations_;
}

void RunState::Break(std::string text) {
  why_ = "broken";
  broken_ = std::move(text);
}

std::optional<std::uint64_t> RunState::EvaluationsLeft() const {
  return stopper_.EvaluationsLeft({tally_.evaluations()});
}

Progress RunState::progress() const {
  Progress progress;
  progress.evaluations = tally_.evaluations();
  progress.stale = tally_.evaluations() - winners_.incumbent_number();
  progress.best_ns = winners_.incumbent_ns();
  progress.bound_ns = frontier_.LowerBound();
  return progress;
}

// ---- What happens -----------------------------------------------------------------------------

bool RunState::Accept(const Attempt& attempt) {
  ++attempts_;
  if (!attempt.is_idle) tally_.CountDescent();
  for (const DeadEnd& dead_end : attempt.dead_ends) {
    tally_.Count(dead_end);
    DeadRecord record;
    record.dt = Elapsed();
    record.label = dead_end.label;
    record.depth = dead_end.depth;
    record.step = dead_end.step;
    log_.Write(record);
  }
  WriteFailedChecks();
  const Intake intake = frontier_.Take(attempt);
  if (intake.is_duplicate) tally_.CountDuplicate();
  if (!intake.end.empty()) End(intake.end);
  return intake.is_new;
}

void RunState::WriteFailedChecks() {
  for (FailedCheckRecord& check : failed_checks_.TakeNew()) {
    check.dt = Elapsed();
    log_.Write(check);
  }
}

void RunState::Promote(Winner winner) {
  const bool is_first = !winners_.has_incumbent();
  winners_.Promote(std::move(winner));
  WriteBest();
  SetLimits();
  if (is_first) SetDeadline();
  ShowStatus(true);
}

void RunState::Correct(double ns) {
  winners_.Correct(ns);
  WriteBest();
}

void RunState::WriteBest() {
  const Winner& winner = winners_.incumbent();
  BestRecord best;
  best.n = winner.n;
  best.dt = Elapsed();
  best.ns = winner.ns;
  if (winner.compared_ns != winner.ns) best.quiet_ns = winner.compared_ns;
  best.hash = HashText(winner.vector);
  best.no_cut = !CutsByTime();
  frontier_.Write(best);
  constexpr double kNsPerUs = 1e3;
  TraceCounter("best, us", best.ns / kNsPerUs);
}

bool RunState::CutsByTime() const {
  return search::CutsByTime(options_.objective, winners_.incumbent().workspace_bytes);
}

void RunState::SetLimits() {
  const bool is_known = winners_.has_incumbent();
  if (is_known) workspace_limit_.Set(winners_.incumbent().workspace_bytes);
  if (!frontier_.learns()) return;  // Random descents show the space as it is.
  if (!is_known || !CutsByTime()) return idle_limit_.Set(0);
  idle_limit_.Set(winners_.incumbent_ns(), winners_.incumbent().compiled.source.size());
}

void RunState::ShowStatus(bool news) {
  Status status;
  status.elapsed = Elapsed();
  status.best_ns = winners_.incumbent_ns();
  status.bound_ns = frontier_.LowerBound();
  status.flops = options_.flops;
  status.evaluations = tally_.evaluations();
  status.dead_ends = tally_.dead_ends();
  status.pruned = frontier_.num_pruned();
  status.violations = tally_.violations();
  status.verdicts = tally_.verdicts();
  reporter_.Show(status, news);
}

}  // namespace exh::search

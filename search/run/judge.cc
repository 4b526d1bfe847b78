// SPDX-License-Identifier: MIT
#include "search/run/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/activity.h"
#include "base/numbers.h"
#include "search/log/decisions.h"
#include "search/measure/timed.h"

namespace exh::search {

using kernels::Measurement;
using kernels::Verdict;

namespace {

EvalRecord RecordOf(const Measurement& measurement) {
  EvalRecord record;
  record.verdict = measurement.verdict;
  record.why = measurement.why;
  record.check_ms = measurement.check_ms;
  record.runtimes_ns = measurement.runtimes_ns;
  record.best_ns = measurement.best_ns;
  record.max_error = measurement.max_error;
  record.error_ratio = measurement.max_error_ratio;
  record.blocks_per_sm = measurement.blocks_per_sm;
  record.estimate_ns = measurement.estimate_ns;
  record.estimate_blocks = measurement.estimate_blocks;
  for (const double clock : measurement.clocks_mhz) {
    record.clock_mhz = record.clock_mhz == 0 ? clock : std::min(record.clock_mhz, clock);
  }
  return record;
}

void AddAgain(const Measurement& again, EvalRecord& record) {
  if (again.verdict != Verdict::kCorrect) {
    record.verdict = again.verdict;
    record.why = fmt::format("when measured again: {}", again.why);
  }
  record.again_ns = again.best_ns;
  record.check_ms += again.check_ms;
  record.runtimes_ns.insert(record.runtimes_ns.end(), again.runtimes_ns.begin(),
                            again.runtimes_ns.end());
  record.max_error = std::max(record.max_error, again.max_error);
  record.error_ratio = std::max(record.error_ratio, again.max_error_ratio);
}

}  // namespace

// ---- 3. Measure -------------------------------------------------------------------------------

void Judge::Evaluate(Entry& entry, Effort effort) {
  Measure(entry, effort);
  state_.winners().Release(entry.vector, entry.compiled);
}

bool Judge::Try(Entry& entry) {
  began_ = TraceNow();
  const Measurement measurement =
      Timed([&] { return evaluator_.Try(entry.compiled, CapNow(entry)); });
  evaluator_.Discard(entry.compiled);
  if (measurement.verdict == Verdict::kCorrect) return true;
  Take(entry, measurement);
  return false;
}

bool Judge::HasRival(const Entry& entry) const {
  const Winners& winners = state_.winners();
  return winners.has_incumbent() && !TakesLess(options_.objective, entry.source.workspace_bytes,
                                               winners.incumbent().workspace_bytes);
}

Cap Judge::CapNow(const Entry& entry, const AtLane& lane) const {
  const double best_ns = HasRival(entry) ? state_.winners().compared_ns() * SlowdownOf(lane) : 0;
  if (best_ns > 0) return {best_ns * options_.slow_factor, best_ns};
  return {opening_cap_.ns(frontier_.LowerBound(), state_.SecondsLeft()), 0};
}

bool Judge::AwaitEvaluator() {
  constexpr double kLook = 0.1;  // Seconds between two looks.
  for (bool is_first = true; !is_ready_; is_first = false) {
    is_ready_ = evaluator_.IsReady(kLook);
    if (is_ready_) break;
    if (state_.Stopped()) return false;
    if (is_first) state_.reporter().Say("computing what results are compared with");
    state_.ShowStatus(false);
  }
  return true;
}

Measurement Judge::MeasureNow(const kernels::Compiled& program, const Cap& cap, Effort effort) {
  return Timed([&] { return evaluator_.Measure(program, cap, effort); });
}

void Judge::Measure(Entry& entry, Effort effort) {
  began_ = TraceNow();
  Measurement measurement;
  if (entry.compiled.verdict == Verdict::kCorrect) {
    if (!AwaitEvaluator()) return;
    measurement = MeasureNow(entry.compiled, CapNow(entry), effort);
  } else {
    measurement.verdict = entry.compiled.verdict;
    measurement.why = entry.compiled.why;
  }
  Take(entry, measurement);
}

bool Judge::IsVerdict(const Measurement& measurement) {
  // It was stopped before it was known. And a signal may reach the processes of the candidate as
  // well: what they say then is no verdict.
  if (measurement.verdict == Verdict::kStopped) return false;
  return measurement.verdict == Verdict::kCorrect || !state_.Interrupted();
}

void Judge::Take(Entry& entry, const Measurement& measurement) {
  if (!IsVerdict(measurement)) return;
  SecondLook look = Doubt(entry, measurement);
  LookAgain(
      entry.compiled,
      [this](const kernels::Compiled& program, Effort effort) {
        return MeasureNow(program, {}, effort);
      },
      look);
  Record(entry, measurement, look);
}

void Judge::Record(Entry& entry, const Measurement& measurement, const SecondLook& look,
                   const AtLane& lane) {
  EvalRecord record = RecordOf(measurement);
  record.bound_ns = entry.bound;
  record.lane = lane.name;
  const bool is_below = measurement.best_ns < entry.bound;
  bool is_best = false;
  if (look.kind != SecondLook::Kind::kNone) {
    const Confirmation confirmation = look.kind == SecondLook::Kind::kInTurn
                                          ? AfterDuel(look, record, lane)
                                          : AfterAlone(entry, look, record);
    const bool is_unknown = is_below && record.again_ns == 0;  // There was no time to look again.
    if (confirmation.verdict == Verdict::kStopped) return;
    if (confirmation.verdict == Verdict::kCorrect && is_unknown) return;
    if (confirmation.verdict != Verdict::kCorrect && state_.Interrupted()) return;
    is_best = confirmation.is_best;
    if (record.verdict == Verdict::kCorrect && record.again_ns > 0 &&
        record.again_ns < entry.bound) {
      is_best = false;
      record.verdict = Verdict::kImpossible;
      record.quiet_ns = 0;
      record.best_ns = std::min(measurement.best_ns, record.again_ns);
      record.why = fmt::format("{:.4g} ns, twice, and its bound is {:.4g} ns",
                               std::max(measurement.best_ns, record.again_ns), entry.bound);
    } else if (record.verdict == Verdict::kCorrect && is_below) {
      record.best_ns = record.again_ns;  // What took less than it can was an accident.
    }
  }
  if (record.verdict == Verdict::kSlow && !HasRival(entry)) opening_cap_.NoteSlow();
  record.n = state_.tally().NextEvaluation();
  record.dt = state_.Elapsed();
  record.compile_ms = entry.compiled.compile_ms;
  if (entry.compiled.gpu) record.registers = entry.compiled.gpu->registers;
  record.path = entry.path;
  record.vector = entry.vector;
  record.hash = HashText(entry.vector);
  record.code = entry.code;
  record.known = entry.is_known;
  record.across = entry.source.across;
  record.bits_vary = entry.source.bits_vary;
  record.memory_bytes = entry.source.memory_bytes();
  record.workspace_bytes = entry.source.workspace_bytes;
  frontier_.Write(entry, record);
  Trace(record, lane);
  CheckBound(entry.candidate, record);
  state_.tally().Count(record);
  if (state_.tally().broken_in_a_row() >= options_.max_broken) state_.Break(record.why);
  TellOthers(entry, record);
  const bool is_correct = record.verdict == Verdict::kCorrect;
  if (is_correct) {
    state_.winners().Offer(WinnerOf(entry, record));
    state_.idle_limit().NoteTime(LearnedTime(record), entry.source.guess_ns);
  }
  if (record.verdict != Verdict::kBroken) {
    Lesson lesson{entry.candidate, entry.vector, entry.path, LearnedTime(record), entry.origin};
    const Doing learn(Activity::kLearn);
    proposer_.Learn(lesson);
  }
  if (!is_best) return;
  state_.Promote(WinnerOf(entry, record));
  if (record.quiet_ns > 0) {
    slowdown_[lane.number] = std::min(record.best_ns / record.quiet_ns, kMostSlowdown);
  }
}

void Judge::Trace(const EvalRecord& record, const AtLane& lane) const {
  if (!IsTraced()) return;
  const std::string name = fmt::format("evaluation {}", record.n);
  const TraceArgs args = {{"n", record.n},
                          {"verdict", kernels::VerdictName(record.verdict)},
                          {"ns", record.best_ns},
                          {"bound_ns", record.bound_ns},
                          {"compile_ms", record.compile_ms},
                          {"check_ms", record.check_ms},
                          {"code", std::string_view(record.code)},
                          {"why", std::string_view(record.why)}};
  if (lane.name.empty() || lane.began == TraceTime()) {
    TraceSpan(name, began_, args);
  } else {
    TraceSpanIn(lane.name, name, lane.began, args);
  }
}

void Judge::TellOthers(const Entry& entry, const EvalRecord& record) const {
  // What was dropped before it was a program has no text.
  if (options_.verdicts == nullptr || record.known || entry.source.text.empty()) return;
  const bool is_kept_elsewhere =
      record.verdict == Verdict::kCompileError && evaluator_.keeps_compilations();
  if (is_kept_elsewhere) return;
  options_.verdicts->Keep(WithoutComments(entry.source.text), {record.verdict, record.why});
}

void Judge::CheckBound(const runtime::Candidate& candidate, const EvalRecord& record) {
  if (!IsViolation(record)) return;
  ViolationRecord violation;
  violation.n = record.n;
  violation.dt = record.dt;
  violation.ns = record.best_ns;
  violation.bound_ns = record.bound_ns;
  if (options_.resource) {
    const auto dropped = DroppedBy([&] { violation.resource = options_.resource(candidate); });
    if (dropped) violation.resource = dropped->why;
  }
  state_.log().Write(violation);
  state_.tally().Count(violation);
}

// ---- 4. Confirm -------------------------------------------------------------------------------

bool Judge::IsBest(const Entry& entry, double ns, double slowdown) const {
  const Winners& winners = state_.winners();
  if (!winners.has_incumbent()) return true;
  const Merit known{winners.incumbent().workspace_bytes, winners.compared_ns() * slowdown};
  return IsBetter(options_.objective, {entry.source.workspace_bytes, ns}, known);
}

SecondLook Judge::Doubt(const Entry& entry, const Measurement& measurement, const AtLane& lane) {
  SecondLook look;
  if (measurement.verdict != Verdict::kCorrect) return look;
  const bool is_below = measurement.best_ns < entry.bound;
  if (!is_below && !IsBest(entry, measurement.best_ns, SlowdownOf(lane))) return look;
  look.kind = SecondLook::Kind::kAlone;
  Winners& winners = state_.winners();
  if (is_below || !HasRival(entry) || !winners.CompileIncumbent()) return look;
  const Winner& incumbent = winners.incumbent();
  look.kind = SecondLook::Kind::kInTurn;
  look.against = incumbent.n;
  look.known_ns = incumbent.compared_ns;
  look.bound_ns = incumbent.bound;
  look.vector = incumbent.vector;
  look.incumbent = incumbent.compiled;
  return look;
}

bool Judge::IsOutdated(const Entry& entry, const SecondLook& look) const {
  if (look.kind == SecondLook::Kind::kNone || look.verdict() != Verdict::kCorrect) return false;
  if (state_.winners().incumbent_number() == look.against || !HasRival(entry)) return false;
  if (look.kind == SecondLook::Kind::kInTurn) return look.duel.is_won;
  return look.alone.best_ns >= entry.bound;
}

Judge::Confirmation Judge::AfterDuel(const SecondLook& look, EvalRecord& record,
                                     const AtLane& lane) {
  const Duel& duel = look.duel;
  // What a lane found out of an incumbent that another one has beaten meanwhile is of no use.
  const bool is_incumbent = state_.winners().incumbent_number() == look.against;
  if (duel.measurement.verdict == Verdict::kStopped) return {Verdict::kStopped};
  AddAgain(duel.measurement, record);
  record.against = look.against;
  record.pairs = duel.rounds;
  if (duel.measurement.verdict != Verdict::kCorrect) return {duel.measurement.verdict};
  record.best_ns = duel.ns;
  if (duel.quiet_ns < record.bound_ns && duel.slowdown > 1) {
    // Nothing is that fast: what else runs does not slow both alike, and earlier duels may have
    // divided by too much. From here on times are again what was measured.
    NoteSlowdown(1, lane);
    if (duel.best_measured_ns > 0 && is_incumbent) state_.Correct(duel.best_measured_ns);
    return {Verdict::kCorrect, duel.has_won_rounds && is_incumbent};
  }
  NoteSlowdown(duel.slowdown, lane);
  const double compared = Compared(duel, look.known_ns);
  if (compared != duel.ns) record.quiet_ns = compared;
  // A time of the incumbent below its bound is an accident, too.
  if (duel.improved_ns > 0 && duel.improved_ns >= look.bound_ns && is_incumbent) {
    state_.Correct(duel.improved_ns);
  }
  return {Verdict::kCorrect, duel.is_won && is_incumbent};
}

double Judge::Compared(const Duel& duel, double known_ns) const {
  if (!duel.is_won || duel.slowdown == 1) return duel.quiet_ns;
  const double least = state_.tally().fastest_ns();
  return std::min(std::max(duel.quiet_ns, least), std::nextafter(known_ns, 0));
}

Judge::Confirmation Judge::AfterAlone(const Entry& entry, const SecondLook& look,
                                      EvalRecord& record) const {
  const Winners& winners = state_.winners();
  const Measurement& again = look.alone;
  if (again.verdict == Verdict::kStopped && !winners.has_incumbent()) {
    return {Verdict::kCorrect, true};  // Correct once; there is no time for more.
  }
  if (again.verdict == Verdict::kStopped) return {Verdict::kStopped};
  AddAgain(again, record);
  if (again.verdict != Verdict::kCorrect) return {again.verdict};
  record.best_ns = std::max(record.best_ns, again.best_ns);
  return {Verdict::kCorrect, IsBest(entry, record.best_ns, 1)};
}

// ---- A busy machine ---------------------------------------------------------------------------

void Judge::WatchMachine() {
  constexpr std::uint64_t kEvery = 8;
  const Winners& winners = state_.winners();
  const bool can_watch = winners.has_incumbent() && !winners.incumbent().is_restored;
  if (!can_watch || state_.Stopped()) return;
  const std::uint64_t evaluations = state_.tally().evaluations();
  if (evaluations < watched_ + kEvery) return;
  watched_ = evaluations;
  const Measurement now = MeasureNow(winners.incumbent().compiled, {}, Effort::kQuick);
  if (now.verdict != Verdict::kCorrect) return;
  const double slowdown = now.best_ns / winners.compared_ns();
  NoteSlowdown(slowdown > kLeastSlowdown ? slowdown : 1);
}

double Judge::SlowdownOf(const AtLane& lane) const {
  const auto known = slowdown_.find(lane.number);
  return known == slowdown_.end() ? 1 : known->second;
}

void Judge::NoteSlowdown(double slowdown, const AtLane& lane) {
  slowdown_[lane.number] =
      std::min(slowdown, kMostSlowdown);  // What is slower is not looked at more closely.
  if (slowdown < kBusyFactor || has_said_busy_) return;
  has_said_busy_ = true;
  state_.reporter().Say(
      fmt::format("note: the machine is busy: the best takes {:.1f} times as long as before. What "
                  "may be faster is measured in turn with it",
                  slowdown));
}

}  // namespace exh::search

// SPDX-License-Identifier: MIT
#include "search/run/explorer.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <utility>

#include "base/ahead.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/numbers.h"
#include "base/parallel.h"
#include "search/log/decisions.h"

namespace exh::search {
namespace {

using kernels::Measurement;
using kernels::Verdict;

/// Descents in a row that run out of patience before the run ends.
constexpr int kMaxGivenUp = 500;
/// Of the time that is left, for a run of one of them.
constexpr double kFirstShare = 0.02;

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

/// The first line of a reason, with # for its numbers: what fails in the same way has the same.
std::string KindOf(const EvalRecord& record) {
  std::string kind(kernels::VerdictName(record.verdict));
  kind += ": ";
  for (const char c : record.why) {
    if (c == '\n') break;
    const bool is_number = (c >= '0' && c <= '9') || (c == '.' && kind.back() == '#');
    if (!is_number) {
      kind += c;
    } else if (kind.back() != '#') {
      kind += '#';
    }
  }
  return kind;
}

}  // namespace

bool IsViolation(const EvalRecord& record) {
  return record.verdict == Verdict::kImpossible && record.again_ns > 0 &&
         record.again_ns < record.bound_ns;
}

Explorer::Explorer(const runtime::Candidate& root, const ChoiceOrder& order, Evaluator& evaluator,
                   const Stopper& stopper, EventLog& log, ProgressReporter& reporter, Clock clock,
                   const ExplorerOptions& options)
    : root_(root),
      order_(order),
      evaluator_(evaluator),
      stopper_(stopper),
      log_(log),
      reporter_(reporter),
      clock_(std::move(clock)),
      options_(options),
      random_(options_.seed),
      tree_(options_.policy
                ? std::make_unique<TreeSearch>(root, order, options_.proposer.bound,
                                               options_.policy, options_.tree, options_.seed, log)
                : nullptr),
      proposer_(root, order, evaluator, tree_.get(), options_.proposer, options_.seed) {
  status_.flops = options.flops;
}

Outcome Explorer::Run() {
  start_ = options_.start.value_or(clock_()) - before_;
  last_call_ = stopper_.SecondsLeft() + kGrace + clock_();
  before_evals_ = outcome_.end.evaluations;
  SetDeadline();
  try {
    TakeUp();
    is_ready_ = evaluator_.IsReady(0);  // What takes long begins now, beside compilers.
    SetIdleLimit();
    TryFirst();
    if (evaluator_.compiles_while_measuring()) {
      RunAhead();
    } else {
      while (!Stopped()) Iterate();
    }
    if (options_.stop != nullptr) options_.stop->StopIn(std::max(0.0, last_call_ - clock_()));
    if (outcome_.end.why != "signal") CompileRestored();
  } catch (const Error& error) {
    // The log, a file of the compiler: what was found so far still counts.
    outcome_.end.why = "broken";
    outcome_.broken = error.what();
  }
  reporter_.Clear();
  outcome_.end.dt = Elapsed();
  outcome_.end.best = outcome_.winner ? outcome_.winner->n : 0;
  if (tree_) Prove();
  for (auto& [kind, failure] : failures_) outcome_.failures.push_back(std::move(failure));
  std::ranges::stable_sort(outcome_.failures, std::greater<>(), &Failure::count);
  return std::move(outcome_);
}

void Explorer::SetDeadline() {
  if (options_.stop == nullptr) return;
  if (!outcome_.winner) return options_.stop->StopIn(std::max(0.0, last_call_ - clock_()));
  // Where compilers run ahead, processes that are killed have to be made anew for the end.
  const double reserve = options_.reserve * (evaluator_.compiles_while_measuring() ? 0.5 : 1);
  options_.stop->StopIn(std::max(0.0, stopper_.SecondsLeft() - reserve));
}

void Explorer::TryFirst() {
  if (!tree_) return;
  for (const runtime::Candidate& implementation : options_.first) {
    if (outcome_.winner || Stopped()) return;
    std::optional<Attempt> attempt = proposer_.MakeFirst(implementation);
    if (!attempt || !Accept(*attempt)) continue;
    Entry& entry = *attempt->entry;
    ShowStatus(false);
    // What takes a good part of the time that is left by its instructions alone is no beginning.
    const double left = stopper_.SecondsLeft();
    idle_above_ns_ = options_.idle_factor > 0 && std::isfinite(left) ? kFirstShare * left * 1e9 : 0;
    if (idle_above_ns_ > 0 && entry.source.rough_ns > idle_above_ns_) {
      CompileOne(entry);  // Which leaves it aside.
      Measure(entry);
      Release(entry.vector, entry.compiled);
      continue;
    }
    naive_rough_ns_ = std::max(naive_rough_ns_, entry.source.rough_ns);
    if (evaluator_.compiles_while_measuring()) {
      TryFirstAhead(std::move(entry));
      continue;
    }
    entry.compiled = evaluator_.Compile(entry.source);
    if (!Stopped()) Measure(entry);
    Release(entry.vector, entry.compiled);
    ShowStatus(false);
  }
  SetIdleLimit();
}

/// A compiler may take minutes for one of the first implementations: the next one does not wait for
/// it, and it is measured when it is there.
void Explorer::TryFirstAhead(Entry entry) {
  auto compiled = std::async(std::launch::async,
                             [this, source = entry.source] { return evaluator_.Compile(source); });
  const double end = clock_() + options_.first_patience_s;
  bool ready = false;
  while (!ready && !Stopped() && clock_() < end) {
    ready = compiled.wait_for(std::chrono::milliseconds(20)) == std::future_status::ready;
  }
  tried_.push_back({0, std::move(entry), std::move(compiled)});
  // A GPU stops what is slow early when it knows nothing yet (Evaluator::Measure).
  if (ready && !Stopped()) MeasureTried(std::prev(tried_.end()), Effort::kFinal);
}

void Explorer::Iterate() {
  std::vector<Entry> batch;
  if (tree_) {
    batch = DescendAndCompile();
  } else {
    batch = Descend();  // 1. Descend
    Compile(batch);     // 2. Compile
  }
  WatchMachine();
  for (Entry& entry : batch) {  // 3. Measure, 4. Confirm
    if (!entry.ready) continue;
    if (!Stopped()) Measure(entry);
    Release(entry.vector, entry.compiled);
    ShowStatus(false);
  }
}

/// 1. Descend and 2. Compile in many threads: descent number i draws from a stream of its own, so
/// that what comes out of random descents does not depend on how many threads there are.
void Explorer::RunAhead() {
  const auto make = [this](std::uint64_t number) {
    Random random(SeedOf(number));
    Attempt attempt = proposer_.Make(random);
    if (!attempt.entry || (tree_ && tree_->IsKnown(attempt.entry->code_hash))) return attempt;
    CompileOne(*attempt.entry);
    return attempt;
  };
  // What random descents yield is measured in their order. A tree learns from every result, so that
  // it looks less far ahead and takes what is there.
  const int jobs = std::max(1, options_.jobs);
  const auto window = static_cast<std::uint64_t>(tree_ ? 2 * jobs : std::max(1, options_.batch));
  Ahead<Attempt> attempts(jobs, window, tree_ ? HandOut::kAsMade : HandOut::kInOrder, make);
  while (!Stopped()) {
    const auto tried = NextTried();
    if (tried != tried_.end()) {
      MeasureTried(tried);
      continue;
    }
    Attempt attempt = attempts.Next();
    ShowStatus(false);
    if (!Accept(attempt)) continue;
    Entry& entry = *attempt.entry;
    if (entry.is_trial && entry.compiled.verdict == Verdict::kCorrect) {
      Try(entry, attempts_ + window);
    } else {
      Measure(entry);  // 3. Measure, 4. Confirm
      Release(entry.vector, entry.compiled);
    }
    ShowStatus(false);
  }
  // Where nothing new is found, what was tried is still worth its evaluation.
  const std::string why = outcome_.end.why;
  if (why != "exhausted" && why != "stuck") return;
  outcome_.end.why.clear();
  while (!tried_.empty() && !Stopped()) MeasureTried(tried_.begin());
  if (outcome_.end.why.empty()) outcome_.end.why = why;
}

/// Runs a trial: one that ended in time is compiled as it is, by a compiler that runs ahead like
/// the others.
void Explorer::Try(Entry& entry, std::uint64_t due) {
  const Measurement measurement = evaluator_.Try(entry.compiled, Cap());
  evaluator_.Discard(entry.compiled);
  if (measurement.verdict != Verdict::kCorrect) return Record(entry, measurement);
  auto compiled = std::async(std::launch::async,
                             [this, source = entry.source] { return evaluator_.Compile(source); });
  tried_.push_back({due, std::move(entry), std::move(compiled)});
}

/// The candidate whose trial ended in time that is measured now, if any: when its turn comes, or
/// with a tree when it is compiled and when there are many of them.
std::deque<Explorer::Tried>::iterator Explorer::NextTried() {
  if (tried_.empty()) return tried_.end();
  if (!tree_) return tried_.front().due <= attempts_ ? tried_.begin() : tried_.end();
  const auto ready = std::ranges::find_if(tried_, [](const Tried& tried) {
    return tried.compiled.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  });
  const auto most = static_cast<std::size_t>(4 * std::max(1, options_.jobs));
  return ready == tried_.end() && tried_.size() >= most ? tried_.begin() : ready;
}

void Explorer::MeasureTried(std::deque<Tried>::iterator which, Effort effort) {
  Tried tried = std::move(*which);
  tried_.erase(which);
  const double trial_ms = tried.entry.compiled.compile_ms;
  tried.entry.compiled = tried.compiled.get();
  tried.entry.compiled.compile_ms += trial_ms;
  Measure(tried.entry, effort);
  Release(tried.entry.vector, tried.entry.compiled);
  ShowStatus(false);
}

/// Whether a descent yielded something new; a search that finds nothing any more ends.
bool Explorer::Accept(const Attempt& attempt) {
  ++attempts_;
  if (!attempt.is_idle) ++outcome_.end.descents;
  for (const DeadEnd& dead_end : attempt.dead_ends) NoteDeadEnd(dead_end);
  if (tree_) return AcceptFromTree(attempt);
  if (attempt.result == DescentResult::kExhausted) outcome_.end.why = "exhausted";
  if (attempt.result == DescentResult::kGaveUp && ++given_up_in_a_row_ >= kMaxGivenUp) {
    outcome_.end.why = "stuck";
  }
  if (attempt.result != DescentResult::kImplementation) return false;
  given_up_in_a_row_ = 0;
  const bool is_new = seen_vectors_.insert(Fnv1a64(attempt.entry->vector)).second &&
                      seen_codes_.insert(attempt.entry->code_hash).second;
  if (is_new) {
    duplicates_in_a_row_ = 0;
    return true;
  }
  ++outcome_.end.duplicates;
  if (++duplicates_in_a_row_ >= options_.max_duplicates) outcome_.end.why = "exhausted";
  return false;
}

/// The same with a tree, which knows when nothing is left: every attempt makes it grow, or one of
/// its leaves die.
bool Explorer::AcceptFromTree(const Attempt& attempt) {
  rollouts_cut_ += static_cast<std::uint64_t>(attempt.pruned);
  if (attempt.is_idle) {
    if (tree_->exhausted()) outcome_.end.why = "exhausted";
    return false;
  }
  if (attempt.result == DescentResult::kExhausted) {
    tree_->BackUp(*attempt.selection, Backup::Kind::kEmpty);
  } else if (attempt.result == DescentResult::kGaveUp) {
    tree_->BackUp(*attempt.selection, Backup::Kind::kLost);
    // Near a proof nearly all is pruned; the tree then grows until it knows.
    if (attempt.pruned == 0) ++given_up_in_a_row_;
    if (given_up_in_a_row_ >= kMaxGivenUp) outcome_.end.why = "stuck";
  } else {
    given_up_in_a_row_ = 0;
    const Entry& entry = *attempt.entry;
    // A best that came up after its selection may have cut it.
    if (options_.proposer.bound && entry.bound >= tree_->cut()) {
      ++rollouts_cut_;
      tree_->BackUp(*attempt.selection, Backup::Kind::kFailed);
    } else if (tree_->Claim(entry.code_hash, *attempt.selection)) {
      return true;
    } else {
      ++outcome_.end.duplicates;
    }
  }
  return false;
}

/// Sets the reason of the end the first time that there is one.
bool Explorer::Stopped() {
  if (!outcome_.end.why.empty()) return true;
  const auto reason = StopReason();
  if (reason) outcome_.end.why = *reason;
  return reason.has_value();
}

std::optional<std::string> Explorer::StopReason() const {
  std::optional<std::string> reason = stopper_.Reason(progress());
  if (!reason && options_.reserve > 0 && stopper_.SecondsLeft() <= options_.reserve) {
    reason = kTimeIsOver;
  }
  // However short the time, one candidate is measured.
  const bool has_measured = outcome_.end.evaluations > before_evals_;
  const bool may_wait = !has_measured && !IsStopped(options_.stop);
  if (reason == kTimeIsOver && may_wait) return std::nullopt;
  return reason;
}

Progress Explorer::progress() const {
  Progress progress;
  progress.evaluations = outcome_.end.evaluations;
  progress.stale = outcome_.end.evaluations - (outcome_.winner ? outcome_.winner->n : 0);
  progress.best_ns = outcome_.winner ? outcome_.winner->ns : 0;
  if (tree_) progress.bound_ns = tree_->LowerBound();
  return progress;
}

bool Explorer::Interrupted() {
  return Stopped() && outcome_.end.why == "signal";
}

// ---- 1. Descend -------------------------------------------------------------------------------

std::uint64_t Explorer::BatchSize() const {
  const auto size = static_cast<std::uint64_t>(std::max(1, options_.batch));
  const auto left = stopper_.EvaluationsLeft({outcome_.end.evaluations});
  return left ? std::min(size, *left) : size;
}

/// What is in the batch when nothing new is found is still worth its evaluation.
void Explorer::TakeBackEnd(const std::vector<Entry>& batch) {
  const bool nothing_new = outcome_.end.why == "exhausted" || outcome_.end.why == "stuck";
  if (nothing_new && !batch.empty()) outcome_.end.why.clear();
}

std::vector<Entry> Explorer::Descend() {
  const std::uint64_t size = BatchSize();
  std::vector<Entry> batch;
  while (batch.size() < size && !Stopped()) {
    Attempt attempt = proposer_.Make(random_);
    if (Accept(attempt)) batch.push_back(*std::move(attempt.entry));
    ShowStatus(false);
  }
  TakeBackEnd(batch);
  return batch;
}

/// Phases 1 and 2 together: to find what is worth a compilation may take as long as to compile it,
/// and a tree takes descents from several threads.
std::vector<Entry> Explorer::DescendAndCompile() {
  const std::uint64_t size = BatchSize();
  std::vector<std::optional<Attempt>> attempts(size);
  RunInParallel(attempts.size(), options_.jobs, [&](std::size_t index) {
    if (StopReason()) return false;
    Random random(SeedOf(proposed_ + index));
    Attempt attempt = proposer_.Make(random);
    if (attempt.entry && !tree_->IsKnown(attempt.entry->code_hash)) {
      CompileOne(*attempt.entry);
      attempt.entry->ready = true;
    }
    attempts[index] = std::move(attempt);
    return true;
  });
  proposed_ += attempts.size();
  std::vector<Entry> batch;
  for (std::optional<Attempt>& attempt : attempts) {
    if (!attempt) continue;
    if (Accept(*attempt)) {
      batch.push_back(*std::move(attempt->entry));
    } else if (attempt->entry && attempt->entry->ready) {
      evaluator_.Discard(attempt->entry->compiled);  // Another of the batch has the same source.
    }
  }
  ShowStatus(false);
  TakeBackEnd(batch);
  return batch;
}

std::uint64_t Explorer::SeedOf(std::uint64_t number) const {
  return options_.seed + number * 0x9e3779b97f4a7c15ULL;
}

void Explorer::NoteDeadEnd(const DeadEnd& dead_end) {
  ++outcome_.end.dead_ends[dead_end.label];
  ++status_.dead_ends;
  DeadRecord record;
  record.dt = Elapsed();
  record.label = dead_end.label;
  record.depth = dead_end.depth;
  record.step = dead_end.step;
  log_.Write(record);
}

// ---- 2. Compile -------------------------------------------------------------------------------

void Explorer::Compile(std::vector<Entry>& batch) {
  RunInParallel(batch.size(), options_.jobs, [&](std::size_t index) {
    if (StopReason() || (index > 0 && stopper_.Reason(progress()))) return false;
    CompileOne(batch[index]);
    batch[index].ready = true;
    return true;
  });
}

void Explorer::CompileOne(Entry& entry) {
  const double most_ns = idle_above_ns_;
  if (most_ns > 0 && entry.source.rough_ns > most_ns) {
    entry.compiled.verdict = Verdict::kIdle;
    entry.compiled.why =
        fmt::format("its instructions alone take about {}", FormatTime(entry.source.rough_ns));
    return;
  }
  entry.is_trial = evaluator_.compiles_while_measuring() && !entry.source.careful.empty();
  entry.compiled =
      entry.is_trial ? evaluator_.CompileTrial(entry.source) : evaluator_.Compile(entry.source);
}

/// What is known of the time that a candidate may take: the best so far, and what a naive loop nest
/// would take as long as there is none.
void Explorer::SetIdleLimit() {
  if (!tree_) return;  // Random descents show the space as it is.
  constexpr double kNaiveFactor = 5;
  idle_above_ns_ = outcome_.winner            ? options_.idle_factor * outcome_.winner->ns
                   : options_.idle_factor > 0 ? kNaiveFactor * naive_rough_ns_
                                              : 0;
}

// ---- 3. Measure -------------------------------------------------------------------------------

/// Above this a candidate is slow; 0: nothing is.
double Explorer::Cap() const {
  return outcome_.winner ? outcome_.winner->ns * options_.slow_factor * slowdown_ : 0;
}

bool Explorer::AwaitEvaluator() {
  constexpr double kLook = 0.1;  // Seconds between two looks.
  for (bool is_first = true; !is_ready_; is_first = false) {
    is_ready_ = evaluator_.IsReady(kLook);
    if (is_ready_) break;
    if (Stopped()) return false;
    if (is_first) reporter_.Say("computing what results are compared with");
    ShowStatus(false);
  }
  return true;
}

void Explorer::Measure(Entry& entry, Effort effort) {
  Measurement measurement;
  if (entry.compiled.verdict == Verdict::kCorrect) {
    if (!AwaitEvaluator()) return;
    measurement = evaluator_.Measure(entry.compiled, Cap(), effort);
  } else {
    measurement.verdict = entry.compiled.verdict;
    measurement.why = entry.compiled.why;
  }
  Record(entry, measurement);
}

void Explorer::Record(Entry& entry, const Measurement& measurement) {
  // It was stopped before it was known. And a signal may reach the processes of the candidate as
  // well: what they say then is no verdict.
  if (measurement.verdict == Verdict::kStopped) return;
  if (measurement.verdict != Verdict::kCorrect && Interrupted()) return;

  Verdict verdict = measurement.verdict;
  EvalRecord record = RecordOf(measurement);
  const bool is_below = measurement.best_ns < entry.bound;
  bool is_best = false;
  if (verdict == Verdict::kCorrect && (is_below || MayBeBest(record.best_ns))) {
    const Confirmation confirmation =  // 4. Confirm
        is_below ? ConfirmAlone(entry, record) : Confirm(entry, record);
    const bool is_unknown = is_below && record.again_ns == 0;  // There was no time to look again.
    if (confirmation.verdict == Verdict::kStopped) return;
    if (confirmation.verdict == Verdict::kCorrect && is_unknown) return;
    if (confirmation.verdict != Verdict::kCorrect && Interrupted()) return;
    verdict = confirmation.verdict;
    is_best = confirmation.is_best;
    if (verdict == Verdict::kCorrect && record.again_ns > 0 && record.again_ns < entry.bound) {
      is_best = false;
      verdict = Verdict::kImpossible;
      record.verdict = verdict;
      record.best_ns = std::min(measurement.best_ns, record.again_ns);
      record.why = fmt::format("{:.4g} ns, twice, and its bound is {:.4g} ns",
                               std::max(measurement.best_ns, record.again_ns), entry.bound);
    } else if (verdict == Verdict::kCorrect) {
      // What took less than it can was an accident.
      record.best_ns = std::max(is_below ? record.again_ns : record.best_ns, entry.bound);
    }
  }
  record.n = ++outcome_.end.evaluations;
  record.dt = Elapsed();
  record.compile_ms = entry.compiled.compile_ms;
  if (entry.compiled.gpu) record.registers = entry.compiled.gpu->registers;
  record.path = entry.path;
  record.vector = entry.vector;
  record.hash = HashText(entry.vector);
  record.code = entry.code;
  record.bound_ns = entry.bound;
  if (tree_) {
    tree_->BackUp(*entry.selection, entry.code_hash, record);
  } else {
    log_.Write(record);
  }
  CheckBound(entry.candidate, record);
  ++outcome_.end.verdicts[std::string(kernels::VerdictName(record.verdict))];
  ++status_.verdicts[verdict];
  NoteBroken(record, verdict);
  NoteFailure(record);
  if (verdict == Verdict::kCorrect) AddFinalist(WinnerOf(entry, record.n, record.best_ns));
  if (verdict != Verdict::kBroken) {
    proposer_.Learn(entry, verdict == Verdict::kCorrect ? record.best_ns : 0);
  }
  if (is_best) Promote(WinnerOf(entry, record.n, record.best_ns));
}

void Explorer::CheckBound(const runtime::Candidate& candidate, const EvalRecord& record) {
  if (!IsViolation(record)) return;
  ViolationRecord violation;
  violation.n = record.n;
  violation.dt = record.dt;
  violation.ns = record.best_ns;
  violation.bound_ns = record.bound_ns;
  if (options_.resource) violation.resource = options_.resource(candidate);
  log_.Write(violation);
  NoteViolation(violation);
}

void Explorer::NoteViolation(const ViolationRecord& violation) {
  constexpr std::size_t kExamples = 3;
  ++outcome_.proof.violations;
  if (outcome_.proof.examples.size() < kExamples) outcome_.proof.examples.push_back(violation);
}

void Explorer::NoteBroken(const EvalRecord& record, Verdict verdict) {
  broken_in_a_row_ = verdict == Verdict::kBroken ? broken_in_a_row_ + 1 : 0;
  if (broken_in_a_row_ < options_.max_broken) return;
  outcome_.end.why = "broken";
  outcome_.broken = record.why;
}

// ---- 4. Confirm -------------------------------------------------------------------------------

bool Explorer::MayBeBest(double ns) const {
  return !outcome_.winner || ns < outcome_.winner->ns * slowdown_;
}

Explorer::Confirmation Explorer::Confirm(const Entry& entry, EvalRecord& record) {
  if (!outcome_.winner || !HasLibrary(*outcome_.winner)) return ConfirmAlone(entry, record);
  Winner& best = *outcome_.winner;
  const auto measure = [this](const kernels::Compiled& compiled) {
    return evaluator_.Measure(compiled, 0, Effort::kFinal);
  };
  const Duel duel = RunDuel([&] { return measure(entry.compiled); },
                            [&] { return measure(best.compiled); }, best.ns);
  if (duel.measurement.verdict == Verdict::kStopped) return {Verdict::kStopped};
  AddAgain(duel.measurement, record);
  record.against = best.n;
  record.pairs = duel.rounds;
  if (duel.measurement.verdict != Verdict::kCorrect) return {duel.measurement.verdict};
  NoteSlowdown(duel.slowdown);
  // A time of the best below its bound is an accident, too.
  if (duel.improved_ns > 0 && duel.improved_ns >= best.bound) Improve(duel.improved_ns);
  record.best_ns = duel.ns;
  return {Verdict::kCorrect, duel.is_won};
}

/// When there is nothing to measure it in turn with, or it has to show first that it is possible.
Explorer::Confirmation Explorer::ConfirmAlone(const Entry& entry, EvalRecord& record) {
  const Measurement again = evaluator_.Measure(entry.compiled, 0, Effort::kFinal);
  if (again.verdict == Verdict::kStopped && !outcome_.winner) {
    return {Verdict::kCorrect, true};  // Correct once; there is no time for more.
  }
  if (again.verdict == Verdict::kStopped) return {Verdict::kStopped};
  AddAgain(again, record);
  if (again.verdict != Verdict::kCorrect) return {again.verdict};
  record.best_ns = std::max(record.best_ns, again.best_ns);
  return {Verdict::kCorrect, !outcome_.winner || record.best_ns < outcome_.winner->ns};
}

bool Explorer::HasLibrary(Winner& winner) {
  if (winner.is_restored) {
    winner.compiled = evaluator_.Compile(evaluator_.Emit(winner.candidate));
    winner.is_restored = false;
  }
  return winner.compiled.verdict == Verdict::kCorrect;
}

void Explorer::Promote(Winner winner) {
  const std::optional<Winner> last = std::exchange(outcome_.winner, std::move(winner));
  if (last) Release(last->vector, last->compiled);
  WriteBest();
  SetIdleLimit();
  if (!last) SetDeadline();
  ShowStatus(true);
}

void Explorer::Improve(double ns) {
  outcome_.winner->ns = ns;
  WriteBest();
}

void Explorer::WriteBest() {
  const Winner& winner = *outcome_.winner;
  BestRecord best;
  best.n = winner.n;
  best.dt = Elapsed();
  best.ns = winner.ns;
  best.hash = HashText(winner.vector);
  if (tree_) {
    tree_->SetBest(best);
  } else {
    log_.Write(best);
  }
}

void Explorer::WatchMachine() {
  constexpr std::uint64_t kEvery = 8;
  if (!outcome_.winner || outcome_.winner->is_restored || Stopped()) return;
  if (outcome_.end.evaluations < watched_ + kEvery) return;
  watched_ = outcome_.end.evaluations;
  const Measurement now = evaluator_.Measure(outcome_.winner->compiled, 0, Effort::kQuick);
  if (now.verdict != Verdict::kCorrect) return;
  const double slowdown = now.best_ns / outcome_.winner->ns;
  NoteSlowdown(slowdown > kLeastSlowdown ? slowdown : 1);
}

void Explorer::NoteSlowdown(double slowdown) {
  constexpr double kMost = 10;  // What is slower than that is not looked at more closely.
  slowdown_ = std::min(slowdown, kMost);
  if (slowdown < kBusyFactor || has_said_busy_) return;
  has_said_busy_ = true;
  reporter_.Say(
      fmt::format("note: the machine is busy: the best takes {:.1f} times as long as before. What "
                  "may be faster is measured in turn with it",
                  slowdown));
}

void Explorer::NoteFailure(const EvalRecord& record) {
  const bool has_time = record.verdict == Verdict::kCorrect || record.verdict == Verdict::kSlow;
  if (has_time) return;
  Failure& failure = failures_[KindOf(record)];
  if (failure.count++ > 0) return;
  failure.verdict = record.verdict;
  failure.why = record.why.substr(0, record.why.find('\n'));
}

void Explorer::AddFinalist(Winner finalist) {
  if (options_.finalists < 2) return;
  std::vector<Winner>& best = outcome_.finalists;
  const auto place = std::upper_bound(best.begin(), best.end(), finalist.ns,
                                      [](double time, const Winner& w) { return time < w.ns; });
  const auto most = static_cast<std::size_t>(options_.finalists);
  if (place == best.end() && best.size() >= most) return;
  best.insert(place, std::move(finalist));
  if (best.size() <= most) return;
  const Winner last = std::move(best.back());
  best.pop_back();
  Release(last.vector, last.compiled);
}

void Explorer::Release(const std::string& vector, const kernels::Compiled& compiled) {
  if (outcome_.winner && outcome_.winner->vector == vector) return;
  const auto is_it = [&](const Winner& finalist) { return finalist.vector == vector; };
  if (std::ranges::any_of(outcome_.finalists, is_it)) return;
  evaluator_.Discard(compiled);
}

void Explorer::ShowStatus(bool news) {
  status_.elapsed = Elapsed();
  status_.best_ns = outcome_.winner ? outcome_.winner->ns : 0;
  status_.evaluations = outcome_.end.evaluations;
  status_.violations = outcome_.proof.violations;
  if (tree_) {
    status_.bound_ns = tree_->LowerBound();
    status_.pruned = tree_->num_cut() + rollouts_cut_;
  }
  reporter_.Show(status_, news);
}

/// What the tree says at the end, when no thread is at work on it any more.
void Explorer::Prove() {
  Proof& proof = outcome_.proof;
  // What the environment failed to evaluate is not known to be of no use.
  proof.exhausted = !tree_->is_spoilt() && tree_->exhausted();
  proof.bound_ns = tree_->LowerBound();
  proof.epsilon = options_.tree.epsilon;
  for (const auto& [verdict, count] : outcome_.end.verdicts) {
    const bool has_time = verdict == kernels::VerdictName(Verdict::kCorrect) ||
                          verdict == kernels::VerdictName(Verdict::kSlow);
    if (!has_time) proof.unmeasured[verdict] = count;
  }
  proof.pruned = tree_->num_cut() + rollouts_cut_;
  outcome_.end.tree = tree_->tree().Digest();
  outcome_.end.bound_ns = proof.bound_ns;
  outcome_.end.pruned = proof.pruned;
  outcome_.end.violations = proof.violations;
}

}  // namespace exh::search

// SPDX-License-Identifier: MIT
#include "search/explorer.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "search/ahead.h"
#include "search/crc32c.h"
#include "search/decisions.h"
#include "search/error.h"
#include "search/parallel.h"

namespace exh::search {
namespace {

using kernels::Measurement;
using kernels::Verdict;

/// Descents in a row that run out of patience before the run ends.
constexpr int kMaxGivenUp = 500;

EvalRecord RecordOf(const Measurement& measurement) {
  EvalRecord record;
  record.verdict = kernels::VerdictName(measurement.verdict);
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

}  // namespace

bool IsViolation(const EvalRecord& record) {
  return record.verdict == kernels::VerdictName(Verdict::kImpossible) && record.again_ns > 0 &&
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
  start_ = clock_() - before_;
  try {
    TakeUp();
    if (evaluator_.compiles_while_measuring()) {
      RunAhead();
    } else {
      while (!Stopped()) Iterate();
    }
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
  return std::move(outcome_);
}

void Explorer::Iterate() {
  std::vector<Entry> batch = Descend();  // 1. Descend
  Compile(batch);                        // 2. Compile
  for (Entry& entry : batch) {           // 3. Measure, 4. Confirm
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
    Random random(options_.seed + number * 0x9e3779b97f4a7c15ULL);
    Attempt attempt = proposer_.Make(random);
    if (!attempt.entry || (tree_ && tree_->IsKnown(attempt.entry->code_hash))) return attempt;
    Entry& entry = *attempt.entry;
    entry.is_trial = !entry.source.careful.empty();
    entry.compiled =
        entry.is_trial ? evaluator_.CompileTrial(entry.source) : evaluator_.Compile(entry.source);
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

void Explorer::MeasureTried(std::deque<Tried>::iterator which) {
  Tried tried = std::move(*which);
  tried_.erase(which);
  const double trial_ms = tried.entry.compiled.compile_ms;
  tried.entry.compiled = tried.compiled.get();
  tried.entry.compiled.compile_ms += trial_ms;
  Measure(tried.entry);
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
  const auto reason = stopper_.Reason(progress());
  if (reason) outcome_.end.why = *reason;
  return reason.has_value();
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

std::vector<Entry> Explorer::Descend() {
  auto size = static_cast<std::uint64_t>(std::max(1, options_.batch));
  if (const auto left = stopper_.EvaluationsLeft({outcome_.end.evaluations})) {
    size = std::min(size, *left);
  }
  std::vector<Entry> batch;
  while (batch.size() < size && !Stopped()) {
    Attempt attempt = proposer_.Make(random_);
    if (Accept(attempt)) batch.push_back(*std::move(attempt.entry));
    ShowStatus(false);
    if (attempt.is_idle) break;  // What is in the batch holds the tree up.
  }
  // What is in the batch when nothing new is found is still worth its evaluation.
  const bool nothing_new = outcome_.end.why == "exhausted" || outcome_.end.why == "stuck";
  if (nothing_new && !batch.empty()) outcome_.end.why.clear();
  return batch;
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
    if (stopper_.Reason({outcome_.end.evaluations})) return false;
    batch[index].compiled = evaluator_.Compile(batch[index].source);
    batch[index].ready = true;
    return true;
  });
}

// ---- 3. Measure -------------------------------------------------------------------------------

/// Above this a candidate is slow; 0: nothing is.
double Explorer::Cap() const {
  return outcome_.winner ? outcome_.winner->ns * options_.slow_factor : 0;
}

void Explorer::Measure(Entry& entry) {
  Measurement measurement;
  if (entry.compiled.verdict == Verdict::kCorrect) {
    measurement = evaluator_.Measure(entry.compiled, Cap(), Effort::kQuick);
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
  double confirmed = 0;
  const double best = outcome_.winner ? outcome_.winner->ns : 0;
  const bool is_below = measurement.best_ns < entry.bound;
  if (verdict == Verdict::kCorrect && (is_below || best == 0 || measurement.best_ns < best)) {
    const Measurement again = Confirm(entry, record);  // 4. Confirm
    if (again.verdict == Verdict::kStopped) return;
    if (again.verdict != Verdict::kCorrect && Interrupted()) return;
    verdict = again.verdict;
    confirmed = std::max(measurement.best_ns, again.best_ns);
    if (verdict == Verdict::kCorrect && again.best_ns < entry.bound) {
      verdict = Verdict::kImpossible;
      record.verdict = kernels::VerdictName(verdict);
      record.why = fmt::format("{:.4g} ns, twice, and its bound is {:.4g} ns",
                               std::max(again.best_ns, record.best_ns), entry.bound);
    } else if (is_below) {
      record.best_ns = again.best_ns;  // What took less than it can was an accident.
    }
  }
  record.n = ++outcome_.end.evaluations;
  record.dt = Elapsed();
  record.compile_ms = entry.compiled.compile_ms;
  record.registers = entry.compiled.registers;
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
  ++outcome_.end.verdicts[record.verdict];
  ++status_.verdicts[verdict];
  NoteBroken(record, verdict);
  if (verdict == Verdict::kCorrect) AddFinalist(WinnerOf(entry, record.n, record.best_ns));
  if (verdict != Verdict::kBroken) {
    proposer_.Learn(entry, verdict == Verdict::kCorrect ? record.best_ns : 0);
  }
  if (verdict == Verdict::kCorrect && confirmed > 0 && (best == 0 || confirmed < best)) {
    Promote(WinnerOf(entry, record.n, confirmed));
  }
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

Measurement Explorer::Confirm(const Entry& entry, EvalRecord& record) {
  Measurement again = evaluator_.Measure(entry.compiled, 0, Effort::kFinal);
  if (again.verdict != Verdict::kCorrect) {
    record.verdict = kernels::VerdictName(again.verdict);
    record.why = fmt::format("when measured again: {}", again.why);
  }
  record.again_ns = again.best_ns;
  record.check_ms += again.check_ms;
  record.runtimes_ns.insert(record.runtimes_ns.end(), again.runtimes_ns.begin(),
                            again.runtimes_ns.end());
  record.max_error = std::max(record.max_error, again.max_error);
  record.error_ratio = std::max(record.error_ratio, again.max_error_ratio);
  return again;
}

void Explorer::Promote(Winner winner) {
  BestRecord best;
  best.n = winner.n;
  best.dt = Elapsed();
  best.ns = winner.ns;
  best.hash = HashText(winner.vector);
  const std::optional<Winner> last = std::exchange(outcome_.winner, std::move(winner));
  if (last) Release(last->vector, last->compiled);
  if (tree_) {
    tree_->SetBest(best);
  } else {
    log_.Write(best);
  }
  ShowStatus(true);
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
    if (!has_time) proof.unmeasured += count;
  }
  proof.pruned = tree_->num_cut() + rollouts_cut_;
  outcome_.end.tree = tree_->tree().Digest();
  outcome_.end.bound_ns = proof.bound_ns;
  outcome_.end.pruned = proof.pruned;
  outcome_.end.violations = proof.violations;
}

}  // namespace exh::search

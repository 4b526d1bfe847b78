// SPDX-License-Identifier: MIT
#include "search/explorer.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <future>
#include <utility>

#include "search/crc32c.h"
#include "search/decisions.h"
#include "search/error.h"
#include "search/parallel.h"

namespace exh::search {
namespace {

using kernels::Measurement;
using kernels::Verdict;

/// Dead ends after which a descent starts anew: what went wrong high up is not mended below.
constexpr int kPatience = 200;
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
  return record;
}

}  // namespace

Explorer::Explorer(const runtime::Candidate& root, const ChoiceOrder& order, Evaluator& evaluator,
                   const Stopper& stopper, EventLog& log, ProgressReporter& progress, Clock clock,
                   const ExplorerOptions& options)
    : root_(root),
      order_(order),
      evaluator_(evaluator),
      stopper_(stopper),
      log_(log),
      progress_(progress),
      clock_(std::move(clock)),
      options_(options),
      random_(options.seed),
      descender_(order, kPatience) {
  status_.flops = options.flops;
}

Outcome Explorer::Run() {
  start_ = clock_();
  try {
    if (evaluator_.compiles_while_measuring()) {
      RunAhead();
    } else {
      while (!Stopped()) Iterate();
    }
  } catch (const Error& error) {
    // The log, a file of the compiler: what was found so far still counts.
    outcome_.end.why = "broken";
    outcome_.broken = error.what();
  }
  progress_.Clear();
  outcome_.end.dt = Elapsed();
  outcome_.end.best = outcome_.winner ? outcome_.winner->n : 0;
  return std::move(outcome_);
}

void Explorer::Iterate() {
  std::vector<Entry> batch = Descend();  // 1. Descend
  Compile(batch);                        // 2. Compile
  for (Entry& entry : batch) {           // 3. Measure, 4. Confirm
    if (!entry.ready) continue;
    if (!Stopped()) Measure(entry);
    const bool is_best = outcome_.winner && outcome_.winner->vector == entry.vector;
    if (!is_best) evaluator_.Discard(entry.compiled);
    ShowStatus(false);
  }
}

void Explorer::RunAhead() {
  struct Ahead {
    Entry entry;
    std::future<kernels::Compiled> compiled;
  };
  std::deque<Ahead> queue;
  const auto depth = static_cast<std::size_t>(std::max(1, options_.batch));
  const auto is_ready = [&] {
    return queue.front().compiled.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  };
  while (!Stopped() || !queue.empty()) {
    // 1. Descend, 2. Compile: until the queue is full, or the oldest can be measured and every
    // compiler has work.
    const auto jobs = static_cast<std::size_t>(options_.jobs);
    while (queue.size() < depth && !Stopped() && !(queue.size() > jobs && is_ready())) {
      const auto left = stopper_.EvaluationsLeft({outcome_.end.evaluations});
      if (left && *left <= queue.size()) break;
      std::optional<Entry> entry = DescendOnce();
      ShowStatus(false);
      if (!entry) continue;
      queue.push_back({*std::move(entry), {}});
      queue.back().compiled = std::async(
          std::launch::async,
          [this, source = queue.back().entry.source] { return evaluator_.Compile(source); });
    }
    if (queue.empty()) continue;
    // What is in the queue when nothing new is found is still worth its evaluation.
    const std::string end = outcome_.end.why;
    const bool nothing_new = end == "exhausted" || end == "stuck";
    if (nothing_new) outcome_.end.why.clear();
    Entry entry = std::move(queue.front().entry);
    entry.compiled = queue.front().compiled.get();
    queue.pop_front();
    if (!Stopped()) Measure(entry);  // 3. Measure, 4. Confirm
    if (nothing_new && outcome_.end.why.empty()) outcome_.end.why = end;
    const bool is_best = outcome_.winner && outcome_.winner->vector == entry.vector;
    if (!is_best) evaluator_.Discard(entry.compiled);
    ShowStatus(false);
  }
}

/// Sets the reason of the end the first time that there is one.
bool Explorer::Stopped() {
  if (!outcome_.end.why.empty()) return true;
  const auto reason = stopper_.Reason({outcome_.end.evaluations});
  if (reason) outcome_.end.why = *reason;
  return reason.has_value();
}

bool Explorer::Interrupted() {
  return Stopped() && outcome_.end.why == "signal";
}

// ---- 1. Descend -------------------------------------------------------------------------------

std::vector<Explorer::Entry> Explorer::Descend() {
  auto size = static_cast<std::uint64_t>(std::max(1, options_.batch));
  if (const auto left = stopper_.EvaluationsLeft({outcome_.end.evaluations})) {
    size = std::min(size, *left);
  }
  std::vector<Entry> batch;
  while (batch.size() < size && !Stopped()) {
    if (auto entry = DescendOnce()) batch.push_back(*std::move(entry));
    ShowStatus(false);
  }
  // What is in the batch when nothing new is found is still worth its evaluation.
  const bool nothing_new = outcome_.end.why == "exhausted" || outcome_.end.why == "stuck";
  if (nothing_new && !batch.empty()) outcome_.end.why.clear();
  return batch;
}

std::optional<Explorer::Entry> Explorer::DescendOnce() {
  ++outcome_.end.descents;
  bool backed_out = false;
  const DescentResult result = descender_.Run(root_, random_, [&](const DeadEnd& dead_end) {
    backed_out = true;
    NoteDeadEnd(dead_end);
  });
  if (result == DescentResult::kExhausted) {
    outcome_.end.why = "exhausted";
    return std::nullopt;
  }
  if (result == DescentResult::kGaveUp) {
    if (++given_up_in_a_row_ >= kMaxGivenUp) outcome_.end.why = "stuck";
    return std::nullopt;
  }
  given_up_in_a_row_ = 0;
  Entry entry{.candidate = descender_.candidate(), .path = descender_.path()};
  if (backed_out) CompletePath(root_, entry.candidate, order_, entry.path);
  entry.vector = VectorText(entry.candidate);
  bool is_new = seen_vectors_.insert(Fnv1a64(entry.vector)).second;
  if (is_new) {
    entry.source = evaluator_.Emit(entry.candidate);
    const std::string code = WithoutComments(entry.source.text);
    entry.code = HashText(code);
    is_new = seen_codes_.insert(Fnv1a64(code)).second;
  }
  if (!is_new) {
    ++outcome_.end.duplicates;
    if (++duplicates_in_a_row_ >= options_.max_duplicates) outcome_.end.why = "exhausted";
    return std::nullopt;
  }
  duplicates_in_a_row_ = 0;
  return entry;
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

void Explorer::Measure(Entry& entry) {
  Measurement measurement;
  if (entry.compiled.verdict == Verdict::kCorrect) {
    const double cap = outcome_.winner ? outcome_.winner->ns * options_.slow_factor : 0;
    measurement = evaluator_.Measure(entry.compiled, cap, Effort::kQuick);
  } else {
    measurement.verdict = entry.compiled.verdict;
    measurement.why = entry.compiled.why;
  }
  // A signal reaches the processes of the candidate as well: what they say then is no verdict.
  if (measurement.verdict != Verdict::kCorrect && Interrupted()) return;

  Verdict verdict = measurement.verdict;
  EvalRecord record = RecordOf(measurement);
  double confirmed = 0;
  const double best = outcome_.winner ? outcome_.winner->ns : 0;
  if (verdict == Verdict::kCorrect && (best == 0 || measurement.best_ns < best)) {
    const Measurement again = Confirm(entry, record);  // 4. Confirm
    if (again.verdict != Verdict::kCorrect && Interrupted()) return;
    verdict = again.verdict;
    confirmed = std::max(measurement.best_ns, again.best_ns);
  }
  record.n = ++outcome_.end.evaluations;
  record.dt = Elapsed();
  record.compile_ms = entry.compiled.compile_ms;
  record.path = entry.path;
  record.vector = entry.vector;
  record.hash = HashText(entry.vector);
  record.code = entry.code;
  log_.Write(record);
  ++outcome_.end.verdicts[record.verdict];
  ++status_.verdicts[verdict];
  NoteBroken(record, verdict);
  if (verdict == Verdict::kCorrect && confirmed > 0 && (best == 0 || confirmed < best)) {
    Promote(entry, record, confirmed);
  }
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
  record.check_ms += again.check_ms;
  record.runtimes_ns.insert(record.runtimes_ns.end(), again.runtimes_ns.begin(),
                            again.runtimes_ns.end());
  record.max_error = std::max(record.max_error, again.max_error);
  record.error_ratio = std::max(record.error_ratio, again.max_error_ratio);
  return again;
}

void Explorer::Promote(Entry& entry, const EvalRecord& record, double ns) {
  if (outcome_.winner) evaluator_.Discard(outcome_.winner->compiled);
  outcome_.winner.reset();
  outcome_.winner.emplace(
      Winner{record.n, ns, entry.candidate, entry.path, entry.vector, entry.compiled});
  BestRecord best;
  best.n = record.n;
  best.dt = Elapsed();
  best.ns = ns;
  best.hash = record.hash;
  log_.Write(best);
  ShowStatus(true);
}

void Explorer::ShowStatus(bool news) {
  status_.elapsed = Elapsed();
  status_.best_ns = outcome_.winner ? outcome_.winner->ns : 0;
  status_.evaluations = outcome_.end.evaluations;
  progress_.Show(status_, news);
}

}  // namespace exh::search

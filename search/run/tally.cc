// SPDX-License-Identifier: MIT
#include "search/run/tally.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace exh::search {

using kernels::Verdict;

namespace {

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

std::vector<Failure> RunTally::Failures() const {
  std::vector<Failure> failures;
  for (const auto& [kind, failure] : failures_) failures.push_back(failure);
  std::ranges::stable_sort(failures, std::greater<>(), &Failure::count);
  return failures;
}

void RunTally::Count(const EvalRecord& record) {
  CountVerdict(record);
  broken_in_a_row_ = record.verdict == Verdict::kBroken ? broken_in_a_row_ + 1 : 0;
}

void RunTally::CountVerdict(const EvalRecord& record) {
  ++counts_.verdicts[std::string(kernels::VerdictName(record.verdict))];
  ++verdicts_[record.verdict];
  front_.Add(record);
  const bool is_correct = record.verdict == Verdict::kCorrect;
  if (is_correct && (fastest_ns_ == 0 || record.best_ns < fastest_ns_)) {
    fastest_ns_ = record.best_ns;
  }
  const bool has_time = record.verdict == Verdict::kCorrect || record.verdict == Verdict::kSlow;
  if (has_time) return;
  Failure& failure = failures_[KindOf(record)];
  if (failure.count++ > 0) return;
  failure.verdict = record.verdict;
  failure.n = record.n;
  failure.is_known = record.known;
  failure.why = record.why.substr(0, record.why.find('\n'));
}

void RunTally::Count(const DeadEnd& dead_end) {
  ++counts_.dead_ends[dead_end.label];
  ++num_dead_ends_;
}

void RunTally::Count(const ViolationRecord& violation) {
  constexpr std::size_t kExamples = 3;
  ++violations_;
  if (examples_.size() < kExamples) examples_.push_back(violation);
}

void RunTally::Restore(const Log& log) {
  for (const EvalRecord& eval : log.evals) {
    counts_.evaluations = std::max(counts_.evaluations, eval.n);
    CountVerdict(eval);
  }
  for (const DeadRecord& dead : log.deads) ++counts_.dead_ends[dead.label];
  num_dead_ends_ = log.deads.size();
  for (const ViolationRecord& violation : log.violations) Count(violation);
  // The very last evaluation may have been below its bound, and the line that says so not written.
  if (log.evals.empty() || !IsViolation(log.evals.back())) return;
  const EvalRecord& last = log.evals.back();
  if (!log.violations.empty() && log.violations.back().n == last.n) return;
  Count(ViolationRecord{.n = last.n, .ns = last.best_ns, .bound_ns = last.bound_ns});
}

}  // namespace exh::search

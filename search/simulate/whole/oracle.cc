// SPDX-License-Identifier: MIT
#include "search/simulate/whole/oracle.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "base/hash.h"
#include "base/parallel.h"
#include "search/learn/levels.h"
#include "search/learn/prior.h"
#include "search/log/replay.h"

namespace exh::search {
namespace {

using kernels::Verdict;

constexpr std::uint64_t kRatioSeed = 0x6f7261636c65, kTimeSeed = 0x74696d65,
                        kFailureSeed = 0x6661696c;

/// The source of chance of one implementation.
Random RandomFor(const std::string& vector) {
  return Random(Fnv1a64(vector));
}

/// Does this verdict say that the implementation is of no use, whatever it is up against?
bool IsFailure(Verdict verdict) {
  switch (verdict) {
    case Verdict::kWrong:
    case Verdict::kCompileError:
    case Verdict::kCompileTimeout:
    case Verdict::kSpills:
    case Verdict::kCrash:
    case Verdict::kTimeout:
      return true;
    default:
      return false;
  }
}

/// Can it be answered again? What a search decides before it compiles, it decides again.
bool IsAnswer(const RecordedLeaf& leaf) {
  const Verdict verdict = leaf.eval->verdict;
  return leaf.ns > 0 || verdict == Verdict::kSlow || verdict == Verdict::kImpossible ||
         IsFailure(verdict);
}

}  // namespace

Oracle::Oracle(const runtime::Candidate& root, std::span<const RecordedLeaf> leaves,
               const SearchBound& bound, double slow_factor, int jobs, bool is_complete)
    : bound_(bound),
      columns_(root.instance(), bound.amounts.count),
      traits_(root.instance(), bound.amounts),
      leaves_(leaves.begin(), leaves.end()) {
  for (std::size_t number = 0; number < leaves_.size(); ++number) {
    const RecordedLeaf& leaf = leaves_[number];
    if (!IsAnswer(leaf)) continue;
    recorded_.emplace(leaf.vector, number);
    codes_.emplace(leaf.eval->code, number);
    if (IsFailure(leaf.eval->verdict)) failed_.push_back(number);
    if (leaf.ns <= 0) continue;
    ++num_timed_;
    best_ns_ = best_ns_ > 0 ? std::min(best_ns_, leaf.ns) : leaf.ns;
  }
  if (num_timed_ == 0) throw UsageError("nothing that was recorded is correct");
  if (is_complete) return;
  const std::vector<Example> examples = Examples(root, leaves, slow_factor, jobs);
  quality_ = QualityOf(examples, jobs);
  std::vector<std::size_t> all(examples.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  learned_.emplace(Learn(examples, all, jobs));
}

std::optional<Dropped> Oracle::Look(const runtime::Candidate& candidate, const std::string& vector,
                                    Seen& seen) const {
  thread_local std::vector<double> amounts;
  amounts.assign(bound_.amounts.count, 0);
  auto dropped = DroppedBy([&] {
    if (bound_.amounts.fill) bound_.amounts.fill(candidate, amounts);
    seen.bound = bound_.bound ? bound_.bound(candidate) : 0;
  });
  if (dropped) return dropped;
  const std::optional<std::size_t> guess = bound_.amounts.guess;
  seen.base = LogOfBound(guess ? amounts[*guess] : seen.bound);
  seen.row.resize(columns_.size() + traits_.names().size());
  const std::span<std::uint8_t> row(seen.row);
  columns_.Fill(vector, amounts, row.first(columns_.size()));
  traits_.Fill(vector, amounts, seen.bound, row.subspan(columns_.size()));
  return std::nullopt;
}

std::vector<Oracle::Example> Oracle::Examples(const runtime::Candidate& root,
                                              std::span<const RecordedLeaf> leaves,
                                              double slow_factor, int jobs) const {
  // The best of each run before its evaluations: that is what slow ones were compared with.
  std::vector<double> best_before(leaves.size());
  double best = 0;
  for (std::size_t number = 0; number < leaves.size(); ++number) {
    const RecordedLeaf& leaf = leaves[number];
    if (number == 0 || leaf.log != leaves[number - 1].log) best = 0;
    best_before[number] = best;
    if (leaf.ns > 0 && (best == 0 || leaf.ns < best)) best = leaf.ns;
  }
  std::vector<std::optional<Example>> found(leaves.size());
  RunInParallel(leaves.size(), jobs, [&](std::size_t number) {
    const RecordedLeaf& leaf = leaves[number];
    const Verdict verdict = leaf.eval->verdict;
    Example example;
    example.fails = IsFailure(verdict);
    example.is_timed = leaf.ns > 0;
    double ns = leaf.ns;
    if (verdict == Verdict::kSlow) {
      ns = LearnedTime(*leaf.eval);
      if (ns == 0) ns = slow_factor * best_before[number];
    }
    if (ns <= 0 && !example.fails) return true;  // Nothing is known of it.
    runtime::Candidate candidate = root;
    ReplayRecord(*leaf.log, *leaf.eval, candidate);
    if (Look(candidate, leaf.vector, example.seen)) return true;
    example.ns = ns;
    found[number] = std::move(example);
    return true;
  });
  std::vector<Example> examples;
  for (std::optional<Example>& example : found) {
    if (example) examples.push_back(*std::move(example));
  }
  return examples;
}

Oracle::Regressions Oracle::Learn(const std::vector<Example>& examples,
                                  const std::vector<std::size_t>& numbers, int jobs) {
  std::vector<const ForestRow*> timed, all;
  std::vector<float> ratios, times, failures;
  for (const std::size_t number : numbers) {
    const Example& example = examples[number];
    all.push_back(&example.seen.row);
    failures.push_back(example.fails ? 1.0F : 0.0F);
    if (example.ns <= 0) continue;
    timed.push_back(&example.seen.row);
    ratios.push_back(static_cast<float>(example.ratio()));
    times.push_back(static_cast<float>(std::log(example.ns)));
  }
  return {DrawnForest(timed, std::move(ratios), kRatioSeed, jobs),
          DrawnForest(timed, std::move(times), kTimeSeed, jobs),
          DrawnForest(all, std::move(failures), kFailureSeed, jobs)};
}

double Oracle::Example::ratio() const {
  return std::log(ns) - seen.base;
}

double Oracle::Regressions::Draw(const Seen& seen, double least, Random& random) const {
  double ns = std::exp(seen.base + ratios.Draw(seen.row, random));
  if (ns < least) ns = std::exp(times.Draw(seen.row, random));
  return std::max({ns, least, seen.bound});
}

OracleQuality Oracle::QualityOf(const std::vector<Example>& examples, int jobs) const {
  OracleQuality quality;
  std::vector<double> times, means, answers, factors;
  double failures = 0, answered = 0;
  for (const std::size_t half : {0, 1}) {
    std::vector<std::size_t> taught;
    for (std::size_t number = half; number < examples.size(); number += 2) taught.push_back(number);
    const Regressions learned = Learn(examples, taught, jobs);
    if (learned.ratios.empty()) continue;
    for (std::size_t number = 1 - half; number < examples.size(); number += 2) {
      const Example& example = examples[number];
      Random random(number);
      failures += example.fails ? 1 : 0;
      answered += learned.failures.Draw(example.seen.row, random);
      if (!example.is_timed) continue;
      times.push_back(std::log(example.ns));
      means.push_back(learned.ratios.Mean(example.seen.row) + example.seen.base);
      answers.push_back(std::log(learned.Draw(example.seen, best_ns_, random)));
      factors.push_back(std::abs(answers.back() - times.back()));
    }
  }
  if (examples.empty() || times.empty()) return quality;
  quality.mean = RankCorrelation(means, times);
  quality.answer = RankCorrelation(answers, times);
  const auto middle = factors.begin() + static_cast<std::ptrdiff_t>(factors.size() / 2);
  std::ranges::nth_element(factors, middle);
  quality.factor = std::exp(*middle);
  quality.failures = failures / static_cast<double>(examples.size());
  quality.answered_failures = answered / static_cast<double>(examples.size());
  return quality;
}

Trace Oracle::FirstRun() const {
  Trace trace;
  double best = std::numeric_limits<double>::infinity();
  for (const RecordedLeaf& leaf : leaves_) {
    if (leaf.log != leaves_.front().log) break;
    if (leaf.ns > 0) best = std::min(best, leaf.ns);
    trace.best.push_back(best);
  }
  return trace;
}

OracleAnswer Oracle::Recorded(const RecordedLeaf& leaf) {
  OracleAnswer answer{leaf.eval->verdict, leaf.eval->why, leaf.ns};
  answer.is_recorded = true;
  if (answer.verdict == Verdict::kSlow) answer.estimate_ns = leaf.eval->estimate_ns;
  if (answer.verdict == Verdict::kImpossible) {  // Whoever knows the bound says so again.
    answer.verdict = Verdict::kCorrect;
    answer.ns = leaf.first_ns;
  }
  return answer;
}

OracleAnswer Oracle::Of(const runtime::Candidate& implementation, const std::string& vector,
                        const std::string& code) const {
  if (const auto same = recorded_.find(vector); same != recorded_.end()) {
    return Recorded(leaves_[same->second]);
  }
  if (const auto same = codes_.find(code); same != codes_.end()) {
    return Recorded(leaves_[same->second]);
  }
  OracleAnswer answer;
  if (!learned_) {
    answer.verdict = Verdict::kCompileError;
    answer.why = "it is not recorded";
    return answer;
  }
  Seen seen;
  if (std::optional<Dropped> dropped = Look(implementation, vector, seen)) {
    answer.verdict = dropped->verdict;
    answer.why = std::move(dropped->why);
    return answer;
  }
  Random random = RandomFor(vector);
  const double failing = learned_->failures.Draw(seen.row, random);
  if (random.Real() < failing) {
    const EvalRecord& failed = *leaves_[failed_[random.Below(failed_.size())]].eval;
    answer.verdict = failed.verdict;
    answer.why = failed.why;
    return answer;
  }
  answer.ns = learned_->Draw(seen, best_ns_, random);
  return answer;
}

}  // namespace exh::search

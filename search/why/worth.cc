// SPDX-License-Identifier: MIT
#include "search/why/worth.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <utility>

#include "base/error.h"
#include "base/parallel.h"
#include "search/descend/dropped/dropped.h"
#include "search/why/ablation.h"

namespace exh::search {
namespace {

using kernels::Compiled;
using kernels::Effort;
using kernels::Measurement;
using kernels::Source;
using kernels::Verdict;

/// Rounds in which a changed implementation and the unchanged one are measured in turn; one that is
/// clearly slower in the first needs no more.
constexpr int kRounds = 3;
constexpr double kClearly = 1.3;
constexpr int kNoiseRounds = 7;
/// What takes more times as long is stopped: how much more says nothing.
constexpr double kSlowest = 30;
/// Of the time, for single changes. The rest is for changes together.
constexpr double kForSingles = 0.75;

double Median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// A changed implementation on its way.
struct Trial {
  std::size_t decision = 0;  ///< Number of the decision it is a change of.
  Ablation ablation;
  Source source = {};
  std::string text = {};  ///< Of the source, without comments; empty: there is none.
  Compiled compiled = {.verdict = Verdict::kStopped};
  Ratio time = {};
};

class Measurer {
 public:
  Measurer(Evaluator& evaluator, const runtime::Candidate& root,
           const runtime::Candidate& implementation, const WorthOptions& options)
      : evaluator_(evaluator),
        implementation_(implementation),
        ablator_(root, implementation, options.seed),
        options_(options),
        begin_(std::chrono::steady_clock::now()) {}

  Worths Run() {
    result_.is_beside_other = !options_.only.empty();
    BeginWithBest();
    Singles();
    Together();
    std::ranges::stable_sort(result_.decisions, std::ranges::greater(), &Worth::worth);
    evaluator_.Discard(best_);
    result_.seconds = Seconds();
    return std::move(result_);
  }

 private:
  double Seconds() const {
    const std::chrono::duration<double> since = std::chrono::steady_clock::now() - begin_;
    return since.count();
  }
  bool IsOver(double part) const {
    return IsStopped(options_.stop) || Seconds() > part * options_.seconds;
  }

  void BeginWithBest();
  void Singles();
  void Together();
  std::vector<PathStep> OthersOf(const PathStep& decision) const;
  std::vector<Trial> Plan();
  void Emit(Trial& trial);
  void Compile(std::span<Trial> trials);
  Ratio InTurn(const Compiled& compiled, int rounds);
  void Take(Trial& trial);
  void Drop(const Compiled& compiled);

  Evaluator& evaluator_;
  const runtime::Candidate& implementation_;
  Ablator ablator_;
  const WorthOptions& options_;
  std::chrono::steady_clock::time_point begin_;
  Compiled best_;
  std::string best_text_;
  /// What programs took that were measured, by their text without comments.
  std::map<std::string, Ratio> known_;
  Worths result_;
};

void Measurer::BeginWithBest() {
  const Source source = evaluator_.Emit(implementation_);
  best_text_ = kernels::WithoutComments(source.text);
  best_ = evaluator_.CompileOf(source, implementation_);
  const Measurement first = best_.verdict == Verdict::kCorrect
                                ? evaluator_.Measure(best_, {}, Effort::kFinal)
                                : Measurement{.verdict = best_.verdict, .why = best_.why};
  const bool is_fit = first.verdict == Verdict::kCorrect || first.verdict == Verdict::kUnchecked;
  if (!is_fit || first.best_ns <= 0) {
    throw Error(fmt::format("the implementation itself does not run here: {}: {}",
                            kernels::VerdictName(first.verdict), first.why));
  }
  result_.best_ns = first.best_ns;
  const Ratio self = InTurn(best_, kNoiseRounds);
  if (self.is_timed()) result_.noise = std::max(self.hi - 1, 1 - self.lo);
  known_[best_text_] = {.verdict = first.verdict, .ratio = 1, .lo = 1, .hi = 1, .is_same = true};
}

/// Measures `compiled` in turn with the unchanged implementation.
Ratio Measurer::InTurn(const Compiled& compiled, int rounds) {
  Ratio time;
  if (compiled.verdict != Verdict::kCorrect) {
    time.verdict = compiled.verdict;
    time.why = compiled.why;
    return time;
  }
  const kernels::Cap cap{kSlowest * result_.best_ns, result_.best_ns};
  std::vector<double> ratios;
  for (int round = 0; round < rounds; ++round) {
    const Measurement own = evaluator_.Measure(compiled, cap, Effort::kQuick);
    time.verdict = own.verdict;
    time.why = own.why;
    const bool is_fit = own.verdict == Verdict::kCorrect || own.verdict == Verdict::kUnchecked;
    if (!is_fit || own.best_ns <= 0) return time;
    const Measurement other = evaluator_.Measure(best_, {}, Effort::kAgain);
    if (other.best_ns <= 0) {  // That says nothing of the changed one.
      time.verdict = Verdict::kBroken;
      time.why = fmt::format("the unchanged implementation failed: {}", other.why);
      return time;
    }
    ratios.push_back(own.best_ns / other.best_ns);
    if (IsStopped(options_.stop) || (round == 0 && ratios.front() > kClearly && rounds <= kRounds))
      break;
  }
  time.ratio = Median(ratios);
  time.lo = *std::ranges::min_element(ratios);
  time.hi = *std::ranges::max_element(ratios);
  return time;
}

void Measurer::Emit(Trial& trial) {
  const auto dropped =
      DroppedBy([&] { trial.source = evaluator_.Emit(trial.ablation.implementation); });
  if (dropped) {
    trial.compiled.verdict = dropped->verdict;
    trial.compiled.why = dropped->why;
  } else {
    trial.text = kernels::WithoutComments(trial.source.text);
  }
}

/// Compiles what has a source that was not measured yet.
void Measurer::Compile(std::span<Trial> trials) {
  RunInParallel(trials.size(), options_.jobs, [&](std::size_t index) {
    Trial& trial = trials[index];
    if (IsStopped(options_.stop)) return false;
    if (trial.text.empty() || known_.contains(trial.text)) return true;
    auto refused = NotCompiled(trial.source);
    trial.compiled = refused ? std::move(*refused)
                             : evaluator_.CompileOf(trial.source, trial.ablation.implementation);
    return true;
  });
}

/// Measures a trial, unless the same program was measured before.
void Measurer::Take(Trial& trial) {
  if (const auto known = known_.find(trial.text); known != known_.end()) {
    trial.time = known->second;
    return;
  }
  trial.time = InTurn(trial.compiled, kRounds);
  if (!trial.text.empty() && trial.time.verdict != Verdict::kStopped) {
    known_[trial.text] = trial.time;
  }
}

void Measurer::Drop(const Compiled& compiled) {
  if (compiled.verdict == Verdict::kCorrect) evaluator_.Discard(compiled);
}

/// The other values of a decision that are looked at.
std::vector<PathStep> Measurer::OthersOf(const PathStep& decision) const {
  if (options_.only.empty()) return ablator_.Others(decision);
  std::vector<PathStep> others;
  std::ranges::copy_if(options_.only, std::back_inserter(others), [&](const PathStep& other) {
    return other.decision == decision.decision && other.value != decision.value;
  });
  return others;
}

/// All changes of single decisions, the first of each decision before the second of any: so that
/// with little time every decision had its turn.
std::vector<Trial> Measurer::Plan() {
  std::vector<std::vector<PathStep>> others;
  std::size_t most = 0;
  for (const PathStep& decision : ablator_.decisions()) {
    std::vector<PathStep> values = OthersOf(decision);
    if (values.empty() && !options_.only.empty()) continue;
    most = std::max(most, values.size());
    others.push_back(std::move(values));
    Worth worth;
    worth.decision = decision;
    result_.decisions.push_back(std::move(worth));
  }
  std::vector<Trial> plan;
  for (std::size_t rank = 0; rank < most; ++rank) {
    for (std::size_t at = 0; at < others.size(); ++at) {
      if (rank >= others[at].size()) continue;
      Worth& worth = result_.decisions[at];
      if (IsOver(kForSingles / 2)) {  // Spaces of which an implementation takes seconds.
        ++worth.num_left;
        result_.is_whole = false;
      } else if (auto ablation = ablator_.With(std::span(&others[at][rank], 1))) {
        plan.push_back({.decision = at, .ablation = std::move(*ablation)});
      } else {
        ++worth.num_impossible;
      }
    }
  }
  return plan;
}

void Measurer::Singles() {
  std::vector<Trial> plan = Plan();
  const std::size_t batch = 4 * static_cast<std::size_t>(std::max(options_.jobs, 1));
  std::size_t done = 0;
  for (std::size_t begin = 0; begin < plan.size(); begin += batch) {
    const std::span<Trial> trials =
        std::span(plan).subspan(begin, std::min(batch, plan.size() - begin));
    const bool is_over = IsOver(kForSingles);
    if (!is_over) {
      for (Trial& trial : trials) Emit(trial);
      Compile(trials);
    }
    for (Trial& trial : trials) {
      Worth& worth = result_.decisions[trial.decision];
      if (is_over || IsOver(kForSingles)) {
        ++worth.num_left;
        result_.is_whole = false;
        Drop(trial.compiled);
        continue;
      }
      Take(trial);
      Drop(trial.compiled);
      worth.others.push_back(
          {trial.ablation.changes.front(), trial.ablation.follows, std::move(trial.time)});
    }
    done += trials.size();
    if (options_.progress) options_.progress(done, plan.size());
  }
}

void Measurer::Together() {
  std::vector<const Worth*> most;
  for (const Worth& worth : result_.decisions) {
    if (worth.worth() > 1 + result_.noise) most.push_back(&worth);
  }
  std::ranges::stable_sort(most, std::ranges::greater(), &Worth::worth);
  Path changes;
  Compiled last{.verdict = Verdict::kStopped};
  for (const Worth* worth : most) {
    if (result_.steps.size() == options_.most_steps) break;
    if (IsOver(1)) {
      result_.is_whole = false;
      break;
    }
    Path with = changes;
    with.push_back(worth->fastest()->change);
    auto ablation = ablator_.With(with);
    if (!ablation) continue;  // Beside the others this value is not there.
    Trial trial{.ablation = std::move(*ablation)};
    Emit(trial);
    known_.clear();  // Programs that were measured before are gone.
    Compile({&trial, 1});
    const Ratio time = InTurn(trial.compiled, kRounds);
    if (!time.is_timed()) {
      Drop(trial.compiled);
      continue;
    }
    result_.steps.push_back({with.back(), trial.ablation.follows, time});
    changes = std::move(with);
    Drop(last);
    last = std::move(trial.compiled);
  }
  if (!result_.steps.empty()) result_.again = InTurn(last, kNoiseRounds);
  Drop(last);
}

}  // namespace

const OtherValue* Worth::fastest() const {
  const OtherValue* best = nullptr;
  for (const OtherValue& other : others) {
    if (other.time.is_timed() && (best == nullptr || other.time.ratio < best->time.ratio)) {
      best = &other;
    }
  }
  return best;
}

std::size_t Worths::NumWorth() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      decisions, [&](const Worth& worth) { return worth.worth() > 1 + noise; }));
}

Worths MeasureWorths(Evaluator& evaluator, const runtime::Candidate& root,
                     const runtime::Candidate& implementation, const WorthOptions& options) {
  return Measurer(evaluator, root, implementation, options).Run();
}

}  // namespace exh::search

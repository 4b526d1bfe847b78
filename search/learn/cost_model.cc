// SPDX-License-Identifier: MIT
#include "search/learn/cost_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "search/learn/levels.h"

namespace exh::search {
namespace {

/// A tree is renewed whenever one in so many samples is new: all of them several times while the
/// samples double.
constexpr std::size_t kNewOf = 4 * CostModel::kTrees;

}  // namespace

CostModel::CostModel(const runtime::Instance& instance, std::size_t num_amounts, std::uint64_t seed,
                     std::shared_ptr<const PriorOfSpace> prior, std::optional<std::size_t> guess,
                     bool classifies)
    : prior_(std::move(prior)),
      guess_(guess),
      classifies_(classifies),
      columns_(instance, num_amounts),
      random_(seed) {
  samples_.columns.resize(columns_.size());
  is_used_.resize(columns_.size());
  // Counts and amounts matter everywhere; of decisions those that something ever decided.
  for (std::size_t column = columns_.num_decisions(); column < columns_.size(); ++column) {
    is_used_[column] = true;
  }
}

CostModel::Row CostModel::RowOf(std::string_view vector, std::span<const double> amounts) const {
  Row row(columns_.size());
  columns_.Fill(vector, amounts, row);
  return row;
}

float CostModel::Target(double ns, double known) const {
  const double worst = kWorst * fastest_;
  return static_cast<float>(std::log(ns > 0 ? std::min(ns, worst) : worst) - known);
}

double CostModel::Known(std::string_view vector, std::span<const double> amounts,
                        double bound_ns) const {
  const double base = LogOfBound(guess_ ? amounts[*guess_] : bound_ns);
  if (!prior_) return base;
  const double foretold = prior_->Predict(vector, amounts, bound_ns);
  // A prior over bounds and a guess know different things: their mean is nearer than either.
  return guess_ && !prior_->is_over_guess() ? (base + foretold) / 2 : foretold;
}

void CostModel::Add(std::string_view vector, std::span<const double> amounts, double bound_ns,
                    const Path& path, const Path& other_path, double ns) {
  const Row row = RowOf(vector, amounts);
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    samples_.columns[column].push_back(row[column]);
  }
  for (const Path* steps : {&path, &other_path}) {
    for (const PathStep& step : *steps) is_used_[static_cast<std::size_t>(step.decision)] = true;
  }
  ns_.push_back(ns);
  known_.push_back(Known(vector, amounts, bound_ns));
  if (ns > 0 && (fastest_ == 0 || ns < fastest_)) fastest_ = ns;
  ++added_;
  if (ns_.size() < kLeast || fastest_ == 0) return;
  if (trees_.empty()) {
    while (trees_.size() < kTrees) Renew();
  } else if (added_ > ns_.size() / kNewOf) {
    Renew();
  }
}

void CostModel::LabelSamples() {
  std::vector<double> times;
  for (const double ns : ns_) {
    times.push_back(ns > 0 ? ns : std::numeric_limits<double>::infinity());
  }
  std::vector<double> sorted = times;
  const auto last =
      sorted.begin() + static_cast<std::ptrdiff_t>(kBest * static_cast<double>(sorted.size() - 1));
  std::ranges::nth_element(sorted, last);
  samples_.targets.clear();
  for (const double ns : times) {
    samples_.targets.push_back(std::isfinite(ns) && ns <= *last ? 1.0F : 0.0F);
  }
}

void CostModel::Renew() {
  added_ = 0;
  samples_.targets.clear();
  for (std::size_t sample = 0; sample < ns_.size(); ++sample) {
    samples_.targets.push_back(Target(ns_[sample], known_[sample]));
  }
  used_.clear();
  for (std::uint32_t column = 0; column < columns_.size(); ++column) {
    if (!is_used_[column]) continue;
    const std::vector<std::uint8_t>& values = samples_.columns[column];
    const bool varies =
        std::ranges::any_of(values, [&](std::uint8_t v) { return v != values.front(); });
    if (varies) used_.push_back(column);
  }
  Trees trees{std::make_shared<const RegressionTree>(samples_, used_, random_), nullptr};
  if (classifies_) {
    LabelSamples();
    trees.best = std::make_shared<const RegressionTree>(samples_, used_, random_);
  }
  const std::lock_guard lock(mutex_);
  if (trees_.size() < kTrees) {
    trees_.push_back(std::move(trees));
  } else {
    trees_[next_] = std::move(trees);
    next_ = (next_ + 1) % kTrees;
  }
}

bool CostModel::is_ready() const {
  const std::lock_guard lock(mutex_);
  return prior_ || guess_ || trees_.size() == kTrees;
}

std::optional<Guess> CostModel::Ask(std::string_view vector, std::span<const double> amounts,
                                    double bound_ns) const {
  std::vector<Trees> trees;
  {
    const std::lock_guard lock(mutex_);
    if (trees_.size() == kTrees) trees = trees_;
  }
  if (trees.empty() && !prior_ && !guess_) return std::nullopt;
  const double known = Known(vector, amounts, bound_ns);
  constexpr double kDeviationOfGuess = 1;  // A factor of e: nothing of it was measured here.
  if (trees.empty()) return Guess{known, prior_ ? prior_->deviation() : kDeviationOfGuess};
  const Row row = RowOf(vector, amounts);
  double sum = 0, squares = 0, best = 0;
  for (const Trees& tree : trees) {
    const double value = tree.time->Predict(row);
    sum += value;
    squares += value * value;
    if (tree.best) best += tree.best->Predict(row);
  }
  const double n = static_cast<double>(trees.size());
  Guess guess;
  const double mean = sum / n;
  guess.mean = mean + known;
  guess.deviation = std::sqrt(std::max(0.0, squares / n - mean * mean));
  // What no tree takes for one of the best is so with half a tree's vote.
  if (classifies_) guess.log_best = std::log((best + 0.5) / (n + 1));
  return guess;
}

}  // namespace exh::search

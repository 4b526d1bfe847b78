// SPDX-License-Identifier: MIT
#include "search/learn/prior.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "base/check.h"
#include "search/learn/levels.h"

namespace exh::search {
namespace {

constexpr int kRounds = 160;
constexpr double kRate = 0.12;
constexpr TreeLimits kLimits = {.depth = 6, .least = 6};

/// Trees whose columns have other numbers: new_number[i] for i.
std::vector<RegressionTree> Renumbered(std::span<const RegressionTree> trees,
                                       std::span<const std::uint32_t> new_number) {
  std::vector<RegressionTree> renumbered;
  for (const RegressionTree& tree : trees) {
    std::vector<RegressionTree::Node> nodes = tree.nodes();
    for (RegressionTree::Node& node : nodes) {
      if (node.right != 0) node.column = new_number[node.column];
    }
    renumbered.emplace_back(std::move(nodes));
  }
  return renumbered;
}

/// Of each of `names` its index in `columns`; where it is missing, that behind the last one.
std::vector<std::uint32_t> FindColumns(std::span<const std::string> names,
                                       std::span<const std::string> columns) {
  std::map<std::string_view, std::uint32_t> known;
  for (std::uint32_t column = 0; column < columns.size(); ++column) known[columns[column]] = column;
  std::vector<std::uint32_t> found;
  for (const std::string& name : names) {
    const auto place = known.find(name);
    found.push_back(place == known.end() ? static_cast<std::uint32_t>(columns.size())
                                         : place->second);
  }
  return found;
}

double Sum(std::span<const RegressionTree> trees, std::span<const std::uint8_t> row) {
  double sum = 0;
  for (const RegressionTree& tree : trees) sum += static_cast<double>(tree.Predict(row));
  return sum;
}

/// The place of each number among all, the mean place where several are equal.
std::vector<double> Ranks(std::span<const double> numbers) {
  std::vector<std::size_t> order(numbers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return numbers[i]; });
  std::vector<double> ranks(numbers.size());
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && numbers[order[end]] == numbers[order[begin]]) ++end;
    const double rank = 0.5 * static_cast<double>(begin + end - 1);
    for (std::size_t place = begin; place < end; ++place) ranks[order[place]] = rank;
  }
  return ranks;
}

/// Leaves only the columns that trees look at.
void Shrink(Prior& prior) {
  std::set<std::uint32_t> used;
  for (const RegressionTree& tree : prior.trees) {
    for (const RegressionTree::Node& node : tree.nodes()) {
      if (node.right != 0) used.insert(node.column);
    }
  }
  std::vector<std::uint32_t> new_number(prior.columns.size());
  std::vector<std::string> columns;
  for (const std::uint32_t column : used) {
    new_number[column] = static_cast<std::uint32_t>(columns.size());
    columns.push_back(prior.columns[column]);
  }
  prior.trees = Renumbered(prior.trees, new_number);
  prior.columns = std::move(columns);
}

}  // namespace

Prior LearnPrior(std::span<const PriorRun> runs, Random& random) {
  std::set<std::string> names;
  for (const PriorRun& run : runs) names.insert(run.names.begin(), run.names.end());
  Prior prior;
  prior.columns.assign(names.begin(), names.end());
  Samples samples{.columns = std::vector<std::vector<std::uint8_t>>(prior.columns.size()),
                  .targets = {}};
  double offsets = 0;
  prior.is_over_guess = runs.front().has_guesses;
  for (const PriorRun& run : runs) {
    EXH_CHECK(run.has_guesses == prior.is_over_guess);
    const std::vector<std::uint32_t> place = FindColumns(prior.columns, run.names);
    for (const std::vector<std::uint8_t>& row : run.rows) {
      for (std::size_t column = 0; column < place.size(); ++column) {
        samples.columns[column].push_back(place[column] < row.size() ? row[place[column]] : 0);
      }
    }
    samples.targets.insert(samples.targets.end(), run.targets.begin(), run.targets.end());
    offsets += run.offset;
    prior.made_of.push_back(run.source);
  }
  EXH_CHECK(!samples.targets.empty());
  const auto count = static_cast<double>(samples.targets.size());
  const double mean = std::accumulate(samples.targets.begin(), samples.targets.end(), 0.0) / count;
  prior.offset = offsets / static_cast<double>(runs.size()) + mean;
  for (float& target : samples.targets) target -= static_cast<float>(mean);

  std::vector<std::uint32_t> used;
  for (std::uint32_t column = 0; column < prior.columns.size(); ++column) {
    const std::vector<std::uint8_t>& values = samples.columns[column];
    const auto is_other = [&](std::uint8_t value) { return value != values.front(); };
    if (std::ranges::any_of(values, is_other)) used.push_back(column);
  }
  std::vector<std::uint8_t> row(prior.columns.size());
  for (int round = 0; round < kRounds && !used.empty(); ++round) {
    std::vector<RegressionTree::Node> nodes =
        RegressionTree(samples, used, random, kLimits).nodes();
    for (RegressionTree::Node& node : nodes) node.value *= static_cast<float>(kRate);
    const RegressionTree tree(std::move(nodes));
    for (std::size_t sample = 0; sample < samples.targets.size(); ++sample) {
      for (const std::uint32_t column : used) row[column] = samples.columns[column][sample];
      samples.targets[sample] -= tree.Predict(row);
    }
    prior.trees.push_back(tree);
  }
  double squares = 0;
  for (const float target : samples.targets) squares += static_cast<double>(target * target);
  prior.deviation = std::sqrt(squares / count);
  Shrink(prior);
  return prior;
}

double RankCorrelation(std::span<const double> a, std::span<const double> b) {
  EXH_CHECK(a.size() == b.size());
  if (a.size() < 2) return 0;
  const std::vector<double> x = Ranks(a), y = Ranks(b);
  const double middle = 0.5 * static_cast<double>(x.size() - 1);
  double xy = 0, xx = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - middle) * (y[i] - middle);
    xx += (x[i] - middle) * (x[i] - middle);
    yy += (y[i] - middle) * (y[i] - middle);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

double RankCorrelation(const Prior& prior, const PriorRun& run) {
  const std::vector<std::uint32_t> place = FindColumns(prior.columns, run.names);
  std::vector<std::uint8_t> row(prior.columns.size());
  std::vector<double> predicted, measured;
  for (std::size_t sample = 0; sample < run.rows.size(); ++sample) {
    if (!run.is_timed[sample]) continue;
    const std::vector<std::uint8_t>& own = run.rows[sample];
    for (std::size_t column = 0; column < place.size(); ++column) {
      row[column] = place[column] < own.size() ? own[place[column]] : 0;
    }
    const auto base = static_cast<double>(run.bases[sample]);
    predicted.push_back(Sum(prior.trees, row) + base);
    measured.push_back(static_cast<double>(run.targets[sample]) + base);
  }
  return RankCorrelation(predicted, measured);
}

PriorOfSpace::PriorOfSpace(const Prior& prior, const runtime::Instance& instance,
                           const AmountsFunction& amounts)
    : traits_(instance, amounts),
      guess_(prior.is_over_guess ? amounts.guess : std::nullopt),
      offset_(prior.offset),
      deviation_(prior.deviation),
      trees_(Renumbered(prior.trees, FindColumns(prior.columns, traits_.names()))) {}

double PriorOfSpace::Predict(std::string_view vector, std::span<const double> amounts,
                             double bound_ns) const {
  thread_local std::vector<std::uint8_t> row;
  const std::size_t columns = traits_.names().size();
  row.assign(columns + 1, 0);  // The last one is that of what the space lacks.
  traits_.Fill(vector, amounts, bound_ns, std::span(row).first(columns));
  return LogOfBound(guess_ ? amounts[*guess_] : bound_ns) + offset_ + Sum(trees_, row);
}

}  // namespace exh::search

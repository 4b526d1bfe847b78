// SPDX-License-Identifier: MIT
#include "search/simulate/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "base/error.h"
#include "base/numbers.h"
#include "base/random.h"
#include "search/descend/weights.h"
#include "search/propose/tree_rollouts.h"

namespace exh::search {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr const char* kLegal =
    "legal after the name: bound=on, bound=off, topk=10, delta=1, epsilon=1%";

/// One search over a record.
class Simulation {
 public:
  Simulation(const Record& record, const SimulatedPolicy& policy, std::uint64_t seed)
      : record_(record),
        policy_(policy),
        space_(record, policy.has_bound),
        tree_(space_, policy.tree),
        random_(seed),
        left_(record.vertices().size()) {
    for (std::size_t vertex = left_.size(); vertex-- > 0;) {
      if (record.vertices()[vertex].leaf != Record::kNone) left_[vertex] = 1;
      if (vertex > 0) left_[record.vertices()[vertex].parent] += left_[vertex];
    }
  }

  std::vector<std::uint32_t> Run() {
    while (const auto selection = tree_.Select(*policy_.policy, random_)) {
      if (selection->is_closed) continue;
      const std::uint32_t start = record_.Find(selection->path);
      const std::uint32_t end = RollOut(start, 0);
      if (end == Record::kNone) {
        tree_.BackUp(selection->edge, {.kind = Backup::Kind::kEmpty});
        continue;
      }
      Evaluate(*selection, end);
      // A space of a few hundred implementations is soon used up somewhere; a whole one is not. No
      // visit is to be wasted on that.
      if (left_[start] == 0) tree_.BackUp(selection->edge, {.kind = Backup::Kind::kEmpty});
    }
    return std::move(evaluated_);
  }

 private:
  /// Down to a vertex with one implementation that is left and not cut; kNone: there is none.
  std::uint32_t RollOut(std::uint32_t vertex, int depth) {
    const Record::Vertex& here = record_.vertices()[vertex];
    if (here.leaf != Record::kNone) {
      const bool is_cut = policy_.has_bound && record_.leaves()[here.leaf].bound >= tree_.cut();
      return left_[vertex] == 0 || is_cut ? Record::kNone : vertex;
    }
    std::vector<std::uint32_t> children;
    std::vector<double> bounds;
    for (std::uint32_t child = here.first_child; child < here.first_child + here.num_children;
         ++child) {
      const double bound = policy_.has_bound ? record_.vertices()[child].bound : 0;
      if (left_[child] == 0 || bound >= tree_.cut()) continue;
      children.push_back(child);
      bounds.push_back(bound);
    }
    while (!children.empty()) {
      const bool is_weighted = policy_.has_bound && depth < TreeRolloutsOptions().weighted_depth;
      const std::size_t place = is_weighted
                                    ? DrawWeighted(BoundWeights(bounds, tree_.cut()), random_)
                                    : random_.Below(children.size());
      const std::uint32_t end = RollOut(children[place], depth + 1);
      if (end != Record::kNone) return end;
      children.erase(children.begin() + static_cast<std::ptrdiff_t>(place));
      bounds.erase(bounds.begin() + static_cast<std::ptrdiff_t>(place));
    }
    return Record::kNone;
  }

  void Evaluate(const Selection& selection, std::uint32_t vertex) {
    const std::uint32_t number = record_.vertices()[vertex].leaf;
    const RecordedLeaf& leaf = record_.leaves()[number];
    evaluated_.push_back(number);
    for (std::uint32_t up = vertex; up != Record::kNone; up = record_.vertices()[up].parent) {
      --left_[up];
    }
    const auto kind = leaf.ns > 0 ? Backup::Kind::kTimed : Backup::Kind::kFailed;
    tree_.BackUp(selection.edge, {.kind = kind, .ns = leaf.first_ns});
    if (leaf.ns <= 0 || (best_ > 0 && leaf.ns >= best_)) return;
    best_ = leaf.ns;
    tree_.SetBest(leaf.ns);
  }

  const Record& record_;
  const SimulatedPolicy& policy_;
  RecordedSpace space_;
  Tree tree_;
  Random random_;
  std::vector<std::uint32_t> left_;  ///< By vertex: implementations below, not yet evaluated.
  std::vector<std::uint32_t> evaluated_;
  double best_ = 0;
};

/// About sixteen points for each doubling, from the first to the last.
std::vector<double> Grid(double first, double last, bool is_whole) {
  std::vector<double> grid;
  for (double x = first; x < last; x *= std::exp2(1.0 / 16)) {
    const double point = is_whole ? std::round(x) : x;
    if (grid.empty() || point > grid.back()) grid.push_back(point);
  }
  if (grid.empty() || grid.back() < last) grid.push_back(last);
  return grid;
}

Trace TraceOf(const Record& record, const std::vector<std::uint32_t>& order) {
  Trace trace;
  double best = kInfinity, seconds = 0;
  for (const std::uint32_t leaf : order) {
    const RecordedLeaf& evaluation = record.leaves()[leaf];
    if (evaluation.ns > 0) best = std::min(best, evaluation.ns);
    seconds += evaluation.seconds;
    trace.best.push_back(best);
    trace.seconds.push_back(seconds);
  }
  return trace;
}

/// Quartiles of `at(trace, x)` over all traces.
template <typename At>
Curve CurveOf(const std::vector<Trace>& traces, const std::vector<double>& grid, const At& at) {
  Curve curve;
  curve.x = grid;
  std::vector<double> values(traces.size());
  for (const double x : grid) {
    for (std::size_t seed = 0; seed < traces.size(); ++seed) values[seed] = at(traces[seed], x);
    std::ranges::sort(values);
    curve.low.push_back(Quantile(values, 0.25));
    curve.median.push_back(Quantile(values, 0.5));
    curve.high.push_back(Quantile(values, 0.75));
  }
  return curve;
}

}  // namespace

SimulatedPolicy ParseSimulatedPolicy(const std::string& text) {
  SimulatedPolicy simulated;
  simulated.name = text;
  PolicyOptions options;
  const auto parts = Split(text, ',');
  const std::string name(parts.empty() ? "" : parts.front());
  const auto refuse = [&](std::string_view part) {
    throw UsageError(fmt::format("bad --policy '{}': '{}'; {}", text, part, kLegal));
  };
  for (std::size_t index = 1; index < parts.size(); ++index) {
    const std::string_view part = parts[index];
    const std::size_t equals = std::min(part.find('='), part.size());
    const std::string_view key = part.substr(0, equals);
    std::string_view value = part.substr(std::min(equals + 1, part.size()));
    if (part == "bound=on" || part == "bound=off") {
      simulated.has_bound = value == "on";
      continue;
    }
    if (key == "epsilon" && value.ends_with('%')) value.remove_suffix(1);
    const auto number = ParseReal(value);
    if (!number || *number < 0) refuse(part);
    if (key == "topk" && *number >= 1 && *number <= 1000 && *number == std::floor(*number)) {
      options.topk = static_cast<int>(*number);
    } else if (key == "delta" && *number > 0) {
      options.delta = *number;
    } else if (key == "epsilon" && part.ends_with('%') && *number < 100) {
      simulated.tree.epsilon = *number / 100;
    } else {
      refuse(part);
    }
  }
  simulated.policy = MakePolicy(name, options);
  simulated.tree.topk = options.topk;
  if (!simulated.policy && parts.size() > 1) {
    throw UsageError(fmt::format("bad --policy '{}': random has no options", text));
  }
  return simulated;
}

std::vector<std::uint32_t> Simulate(const Record& record, const SimulatedPolicy& policy,
                                    std::uint64_t seed) {
  if (policy.policy) return Simulation(record, policy, seed).Run();
  std::vector<std::uint32_t> order(record.leaves().size());
  std::iota(order.begin(), order.end(), 0u);
  Random random(seed);
  for (std::size_t left = order.size(); left > 1; --left) {
    std::swap(order[left - 1], order[random.Below(left)]);
  }
  return order;
}

SimulationResult SimulateAll(const Record& record, const SimulatedPolicy& policy,
                             std::uint64_t first, int seeds) {
  SimulationResult result;
  result.policy = policy.name;
  std::vector<Trace> traces;
  std::vector<double> ends;
  for (int seed = 0; seed < seeds; ++seed) {
    traces.push_back(
        TraceOf(record, Simulate(record, policy, first + static_cast<std::uint64_t>(seed))));
    ends.push_back(static_cast<double>(traces.back().best.size()));
  }
  std::ranges::sort(ends);
  result.ended = Quantile(ends, 0.5);
  const double most = static_cast<double>(record.leaves().size());
  result.by_evaluations =
      CurveOf(traces, Grid(1, most, true),
              [](const Trace& trace, double evaluations) { return trace.BestAfter(evaluations); });
  double seconds = 0;
  for (const RecordedLeaf& leaf : record.leaves()) seconds += leaf.seconds;
  if (seconds > 0) {
    const auto at = [](const Trace& trace, double x) {
      const auto after = std::ranges::upper_bound(trace.seconds, x) - trace.seconds.begin();
      return after == 0 ? kInfinity : trace.best[static_cast<std::size_t>(after) - 1];
    };
    result.by_seconds = CurveOf(traces, Grid(seconds / most, seconds, false), at);
  }
  for (const double percent : {10.0, 5.0, 1.0}) {
    result.reached.push_back(ReachedOf(traces, record.best_ns(), percent));
  }
  return result;
}

double MedianAt(const Curve& curve, double x) {
  const auto after = std::ranges::upper_bound(curve.x, x) - curve.x.begin();
  return after == 0 ? kInfinity : curve.median[static_cast<std::size_t>(after) - 1];
}

}  // namespace exh::search

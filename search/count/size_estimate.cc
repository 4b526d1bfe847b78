// SPDX-License-Identifier: MIT
#include "search/count/size_estimate.h"

#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>

#include "base/parallel.h"
#include "base/random.h"

namespace exh::search {
namespace {

using runtime::Candidate;
using runtime::DecisionId;
using runtime::Instance;
using runtime::Propagation;

/// By number of choice.
using Branching = std::vector<ChoiceBranching>;

/// What one sweep found; `choices` are sums over implementations.
struct Sample {
  std::vector<LevelEstimate> levels;
  Branching choices;
  bool cut = false;
};

/// One node for all that are like it.
struct Stratum {
  Candidate node;
  long double weight = 0;
  Branching above;  ///< Of the decisions that lead to the node.
};

/// Within a level; the level itself is part of every stratum.
using StratumKey = std::pair<int, int>;

class Sweep {
 public:
  Sweep(const ChoiceOrder& order, const Instance& instance, Strata strata, const Cut& cut,
        std::uint64_t seed)
      : strata_(strata), order_(order), cut_(cut), random_(seed) {
    if (strata == Strata::kChen) decisions_ = order.Decisions(instance);
    sample_.choices.resize(instance.space().choices.size());
  }

  /// Nothing when `cancelled`, which is asked now and then, said so.
  std::optional<Sample> Run(const Candidate& root, const std::function<bool()>& cancelled) {
    std::map<StratumKey, Stratum> level;
    level.emplace(StratumKey{}, Stratum{root, 1, sample_.choices});
    constexpr int kExpandedPerLook = 64;
    int expanded = 0;
    for (int depth = 0; !level.empty(); ++depth) {
      sample_.levels.emplace_back();
      for (auto& [key, stratum] : level) {
        if (++expanded % kExpandedPerLook == 0 && cancelled()) return std::nullopt;
        Expand(stratum, depth);
      }
      level = std::exchange(next_, {});
    }
    return std::move(sample_);
  }

 private:
  void Expand(Stratum& stratum, int depth) {
    LevelEstimate& level = sample_.levels.back();
    level.nodes += stratum.weight;
    const auto decision = order_.Next(stratum.node);
    if (!decision) {
      level.implementations += stratum.weight;
      for (std::size_t choice = 0; choice < sample_.choices.size(); ++choice) {
        const ChoiceBranching& above = stratum.above[choice];
        sample_.choices[choice].decisions += stratum.weight * above.decisions;
        sample_.choices[choice].log10_children += stratum.weight * above.log10_children;
      }
      return;
    }
    std::size_t children = 0;
    int cut = 0;
    stratum.node.ForEachValue(*decision, [&](int value) {
      if (children == children_.size()) {
        children_.push_back(stratum.node);
      } else {
        children_[children] = stratum.node;
      }
      Candidate& child = children_[children];
      if (child.Take(*decision, value) != Propagation::kFixpoint) return;
      if (cut_.Removes(child, depth + 1)) {
        ++cut;
      } else {
        ++children;
      }
    });
    level.cut += stratum.weight * cut;
    if (cut > 0) sample_.cut = true;
    if (children == 0 && cut == 0) level.dead_ends += stratum.weight;
    if (children == 0) return;
    ChoiceBranching& branching =
        stratum.above[static_cast<std::size_t>(stratum.node.instance().choice(*decision))];
    branching.decisions += 1;
    branching.log10_children += std::log10(static_cast<double>(children));
    for (std::size_t child = 0; child < children; ++child) Add(children_[child], stratum);
  }

  /// A child goes to its stratum, where one of the nodes is kept.
  void Add(const Candidate& child, const Stratum& parent) {
    const StratumKey key = Key(child);
    const auto found = next_.find(key);
    if (found == next_.end()) {
      next_.emplace(key, Stratum{child, parent.weight, parent.above});
      return;
    }
    Stratum& stratum = found->second;
    stratum.weight += parent.weight;
    if (Unit() * stratum.weight >= parent.weight) return;
    stratum.node = child;
    stratum.above = parent.above;
  }

  StratumKey Key(const Candidate& node) const {
    if (strata_ == Strata::kKnuth) return {};
    double log2_values = 0;
    for (const DecisionId decision : decisions_) {
      if (node.IsOpen(decision)) log2_values += std::log2(node.CountValues(decision));
    }
    const auto next = order_.Next(node);
    return {static_cast<int>(log2_values / 2), next ? node.instance().choice(*next) : -1};
  }

  /// Uniform in [0, 1).
  double Unit() { return static_cast<double>(random_.Below(std::size_t{1} << 53)) * 0x1p-53; }

  const Strata strata_;
  const ChoiceOrder& order_;
  const Cut& cut_;
  Random random_;
  std::vector<DecisionId> decisions_;
  std::vector<Candidate> children_;  ///< Of the node that is looked at; kept from one to the next.
  std::map<StratumKey, Stratum> next_;
  Sample sample_;
};

/// Adds samples in the order of their numbers, for sums of floating point depend on it.
class Sum {
 public:
  explicit Sum(SizeEstimate& estimate) : estimate_(estimate) {}

  void Add(std::size_t number, Sample sample) {
    waiting_.emplace(number, std::move(sample));
    while (!waiting_.empty() && waiting_.begin()->first == estimate_.samples()) {
      Add(waiting_.begin()->second);
      waiting_.erase(waiting_.begin());
    }
  }

  const Branching& choices() const { return choices_; }

 private:
  void Add(const Sample& sample) {
    long double implementations = 0, dead_ends = 0;
    auto& levels = estimate_.levels;
    if (levels.size() < sample.levels.size()) levels.resize(sample.levels.size());
    for (std::size_t depth = 0; depth < sample.levels.size(); ++depth) {
      const LevelEstimate& level = sample.levels[depth];
      levels[depth].nodes += level.nodes;
      levels[depth].dead_ends += level.dead_ends;
      levels[depth].implementations += level.implementations;
      levels[depth].cut += level.cut;
      implementations += level.implementations;
      dead_ends += level.dead_ends;
    }
    choices_.resize(sample.choices.size());
    for (std::size_t choice = 0; choice < choices_.size(); ++choice) {
      choices_[choice].decisions += sample.choices[choice].decisions;
      choices_[choice].log10_children += sample.choices[choice].log10_children;
    }
    estimate_.implementations.Add(implementations);
    estimate_.dead_ends.Add(dead_ends);
    ++estimate_.descents.descents;
    if (implementations == 0 && !sample.cut) ++estimate_.descents.dead;
  }

  SizeEstimate& estimate_;
  Branching choices_;
  std::map<std::size_t, Sample> waiting_;  ///< Those whose predecessors are not complete.
};

/// From sums to means.
void Divide(SizeEstimate& estimate, const Branching& choices, const runtime::Space& space) {
  const auto samples = static_cast<long double>(estimate.samples());
  if (samples == 0) return;
  for (LevelEstimate& level : estimate.levels) {
    level.nodes /= samples;
    level.dead_ends /= samples;
    level.implementations /= samples;
    level.cut /= samples;
  }
  const long double leaves = estimate.implementations.mean() * samples;
  for (std::size_t choice = 0; choice < choices.size(); ++choice) {
    if (choices[choice].decisions == 0) continue;
    estimate.choices[space.choices[choice].name] = {choices[choice].decisions / leaves,
                                                    choices[choice].log10_children / leaves};
  }
}

}  // namespace

const char* StrataName(Strata strata) {
  return strata == Strata::kKnuth ? "knuth" : "chen";
}

long double SizeEstimate::relative_error() const {
  if (implementations.mean() == 0) return std::numeric_limits<long double>::infinity();
  return implementations.half_width() / implementations.mean();
}

long double SizeEstimate::dead_leaves() const {
  const long double leaves = implementations.mean() + dead_ends.mean();
  return leaves == 0 ? 0 : dead_ends.mean() / leaves;
}

SizeEstimate EstimateSize(const Candidate& root, const ChoiceOrder& order, Strata strata,
                          const SampleOptions& options, const Cut& cut) {
  SizeEstimate estimate;
  estimate.strata = strata;
  Sum sum(estimate);
  std::mutex mutex;
  RunInParallel(options.samples, options.jobs, [&](std::size_t number) {
    if (number >= 2) {
      const std::lock_guard<std::mutex> lock(mutex);
      if (options.enough && options.enough()) return false;
    }
    // As the descents of a search: each sample has a stream of its own.
    Sweep sweep(order, root.instance(), strata, cut, options.seed + number * 0x9e3779b97f4a7c15ULL);
    std::optional<Sample> sample = sweep.Run(root, [&] {
      const std::lock_guard<std::mutex> lock(mutex);
      if (options.progress) options.progress(estimate);
      return options.cancelled && options.cancelled();
    });
    if (!sample) return false;
    const std::lock_guard<std::mutex> lock(mutex);
    sum.Add(number, *std::move(sample));
    if (options.progress) options.progress(estimate);
    return true;
  });
  Divide(estimate, sum.choices(), root.instance().space());
  return estimate;
}

}  // namespace exh::search

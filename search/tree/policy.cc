// SPDX-License-Identifier: MIT
#include "search/tree/policy.h"

#include <algorithm>

#include "base/error.h"
#include "base/spelling.h"
#include "search/descend/weights.h"
#include "search/tree/tag.h"
#include "search/tree/uct.h"

namespace exh::search {
namespace {

/// All children alike.
class UniformPolicy final : public Policy {
 public:
  std::string_view name() const override { return "uniform"; }

 private:
  std::size_t ChooseVisited(std::span<const ChildStatistics> children, double,
                            Random& random) const override {
    return random.Below(children.size());
  }
};

/// Draws as rollouts do, by bounds alone, whatever was measured.
class BoundPolicy final : public Policy {
 public:
  std::string_view name() const override { return "bound"; }

 private:
  std::size_t ChooseVisited(std::span<const ChildStatistics> children, double cut,
                            Random& random) const override {
    return DrawByBound(children, cut, random);
  }
};

}  // namespace

std::size_t Policy::Choose(std::span<const ChildStatistics> children, double cut,
                           Random& random) const {
  std::vector<std::size_t> places;
  std::vector<ChildStatistics> unvisited;
  for (std::size_t index = 0; index < children.size(); ++index) {
    if (children[index].visits > 0) continue;
    places.push_back(index);
    unvisited.push_back(children[index]);
  }
  if (unvisited.empty()) return ChooseVisited(children, cut, random);
  return places[DrawByBound(unvisited, cut, random)];
}

std::size_t DrawByBound(std::span<const ChildStatistics> children, double cut, Random& random) {
  std::vector<double> bounds;
  for (const ChildStatistics& child : children) bounds.push_back(child.bound);
  return DrawWeighted(BoundWeights(bounds, cut), random);
}

std::size_t Highest(std::span<const double> scores) {
  return static_cast<std::size_t>(std::ranges::max_element(scores) - scores.begin());
}

std::unique_ptr<const Policy> MakePolicy(std::string_view name, const PolicyOptions& options) {
  if (name == "tag") return std::make_unique<TagPolicy>(options.topk, options.delta);
  if (name == "uct") return std::make_unique<UctPolicy>();
  if (name == "bound") return std::make_unique<BoundPolicy>();
  if (name == "uniform") return std::make_unique<UniformPolicy>();
  if (name == "random") return nullptr;
  throw UsageError(UnknownName("policy", name, {"tag", "uct", "bound", "uniform", "random"}));
}

}  // namespace exh::search

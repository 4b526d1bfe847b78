// SPDX-License-Identifier: MIT
#include "search/exact/exact_count.h"

#include <bit>
#include <optional>
#include <utility>

#include "base/check.h"

namespace exh::search {
namespace {

using runtime::Candidate;
using runtime::DecisionId;
using runtime::Propagation;

/// Nodes between two questions whether to stop.
constexpr std::uint64_t kNodesPerLook = 16;

/// The one variable of a component that nothing restricts.
DecisionId FreeDecision(const Candidate& node, const Component& component) {
  const DecisionId decision = component.variables.front();
  // What is no decision, or follows from others, is never free.
  EXH_CHECK(decision < node.instance().num_decisions() && node.IsOpen(decision) &&
            !node.instance().IsDerived(decision));
  return decision;
}

}  // namespace

ExactCounter::ExactCounter(std::shared_ptr<const runtime::Instance> instance, ExactOptions options)
    : options_(std::move(options)),
      finder_(std::move(instance)),
      cache_(options_.max_cache_bytes) {}

ExactCount ExactCounter::Count(const Candidate& from) {
  stopped_ = false;
  ExactCount result;
  const auto parts = finder_.Split(from);
  if (parts) result.count = CountParts(from, *parts);
  result.complete = !stopped_;
  return result;
}

bool ExactCounter::Take(Candidate& node, DecisionId decision, int value) {
  if (++status_.nodes % kNodesPerLook == 0 && options_.stop) {
    status_.cached = cache_.size();
    status_.cache_bytes = cache_.bytes();
    status_.forgotten = cache_.forgotten();
    stopped_ = stopped_ || options_.stop(status_);
  }
  if (node.Take(decision, value) == Propagation::kFixpoint) return true;
  ++status_.dead_ends;
  return false;
}

BigCount ExactCounter::CountParts(const Candidate& node, const std::vector<Component>& parts) {
  BigCount product = 1;
  for (const Component& part : parts) {
    // Of what was not begun nothing is known, not even that there is one.
    if (stopped_) return 0;
    product *= CountComponent(node, part);
    if (product == 0) break;
  }
  return product;
}

BigCount ExactCounter::CountComponent(const Candidate& node, const Component& component) {
  if (component.decision == runtime::kNoDecision) {
    return node.CountValues(FreeDecision(node, component));
  }
  if (const BigCount* const known = cache_.Find(component.key)) {
    ++status_.known;
    return *known;
  }
  BigCount sum = 0;
  Candidate child = node;
  node.ForEachValue(component.decision, [&](int value) {
    if (stopped_) return;
    child = node;
    if (!Take(child, component.decision, value)) return;
    const auto parts = finder_.Split(child, component);
    if (parts) sum += CountParts(child, *parts);
  });
  if (!stopped_) cache_.Add(component.key, sum);
  return sum;
}

std::optional<Candidate> ExactCounter::Draw(const Candidate& from, Random& random) {
  Candidate node = from;
  const auto parts = finder_.Split(from);
  EXH_CHECK(parts);
  DrawParts(node, *parts, random);
  if (stopped_) return std::nullopt;
  EXH_CHECK(node.IsImplementation());
  return node;
}

void ExactCounter::DrawParts(Candidate& node, const std::vector<Component>& parts, Random& random) {
  for (const Component& part : parts) {
    if (!stopped_) DrawComponent(node, part, random);
  }
}

/// Decides all of a component, which leaves the others as they are.
void ExactCounter::DrawComponent(Candidate& node, const Component& component, Random& random) {
  if (component.decision == runtime::kNoDecision) {
    const DecisionId decision = FreeDecision(node, component);
    std::size_t rest = random.Below(static_cast<std::size_t>(node.CountValues(decision)));
    std::optional<int> drawn;
    node.ForEachValue(decision, [&](int value) {
      if (rest-- == 0) drawn = value;
    });
    EXH_CHECK(Take(node, decision, *drawn));
    return;
  }
  const BigCount all = CountComponent(node, component);
  if (stopped_) return;
  EXH_CHECK(all > 0);
  BigCount rest = Below(all, random);
  std::optional<Candidate> found;
  std::vector<Component> found_parts;
  node.ForEachValue(component.decision, [&](int value) {
    if (found || stopped_) return;
    Candidate child = node;
    if (!Take(child, component.decision, value)) return;
    std::optional<std::vector<Component>> parts = finder_.Split(child, component);
    if (!parts) return;
    rest -= CountParts(child, *parts);
    if (rest >= 0) return;
    found = std::move(child);
    found_parts = std::move(*parts);
  });
  if (stopped_) return;
  node = std::move(*found);
  DrawParts(node, found_parts, random);
}

}  // namespace exh::search

// SPDX-License-Identifier: MIT
#include "search/near/trade.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace exh::search {
namespace {

using runtime::Candidate;
using runtime::DecisionId;
using runtime::Instance;

/// Pairs of factors that are tried until two of them trade.
constexpr int kTries = 16;

bool MayTakeAtRoot(const Instance& instance, DecisionId decision, int value) {
  const auto slot =
      static_cast<runtime::Slot>(instance.slot(decision) + static_cast<runtime::Slot>(value / 64));
  return (instance.root().domain(instance.layout(), slot) >> value % 64 & 1) != 0;
}

std::uint32_t NumberOf(const Candidate& candidate, DecisionId decision) {
  return candidate.instance().universe(
      decision)[static_cast<std::size_t>(candidate.FirstValue(decision))];
}

/// Takes the number where the decision can be that.
std::optional<PathStep> StepTo(const Instance& instance, DecisionId decision,
                               std::uint64_t number) {
  const std::span<const std::uint32_t> universe = instance.universe(decision);
  const auto place = std::ranges::lower_bound(universe, number);
  if (place == universe.end() || *place != number) return std::nullopt;
  const int value = static_cast<int>(place - universe.begin());
  if (!MayTakeAtRoot(instance, decision, value)) return std::nullopt;
  return PathStep{static_cast<int>(decision), value};
}

/// `grows` takes a factor from `shrinks`, a small one more often than a large one.
std::vector<PathStep> TradeOf(const Candidate& candidate, DecisionId grows, DecisionId shrinks,
                              Random& random) {
  if (!candidate.IsLive(grows) || !candidate.IsLive(shrinks)) return {};
  const std::uint64_t more = NumberOf(candidate, grows), less = NumberOf(candidate, shrinks);
  std::vector<PathStep> steps;
  for (const std::uint64_t number : candidate.instance().universe(grows)) {
    if (more == 0 || number <= more || number % more != 0) continue;
    const std::uint64_t factor = number / more;
    if (less % factor != 0) continue;
    const auto up = StepTo(candidate.instance(), grows, number);
    const auto down = StepTo(candidate.instance(), shrinks, less / factor);
    if (!up || !down) continue;
    steps = {*up, *down};
    if (random.Below(2) == 0) break;
  }
  return steps;
}

}  // namespace

bool Trades::IsFactor(DecisionId decision) const {
  return std::ranges::any_of(products_, [&](const runtime::Product& product) {
    return std::ranges::find(product.factors, decision) != product.factors.end();
  });
}

/// One of the numbers of the path that are in no product, to a number next to it.
std::optional<PathStep> Trades::DrawMove(const Candidate& candidate, const Path& path,
                                         Random& random) const {
  const Instance& instance = candidate.instance();
  std::vector<PathStep> moves;
  for (const PathStep& step : path) {
    const auto decision = static_cast<DecisionId>(step.decision);
    if (instance.universe(decision).empty() || IsFactor(decision)) continue;
    for (const int value : {step.value - 1, step.value + 1}) {
      const bool is_there = value >= 0 && value < instance.num_values(decision);
      if (is_there && MayTakeAtRoot(instance, decision, value)) {
        moves.push_back({step.decision, value});
      }
    }
  }
  if (moves.empty()) return std::nullopt;
  return moves[random.Below(moves.size())];
}

std::vector<PathStep> Trades::Draw(const Candidate& implementation, const Path& path,
                                   Random& random) const {
  if (!are_there()) return {};
  for (int number = 0; number < kTries; ++number) {
    const std::vector<DecisionId>& product = products_[random.Below(products_.size())].factors;
    const DecisionId grows = product[random.Below(product.size())];
    const DecisionId shrinks = product[random.Below(product.size())];
    if (grows == shrinks) continue;
    std::vector<PathStep> steps = TradeOf(implementation, grows, shrinks, random);
    if (steps.empty()) continue;
    constexpr std::size_t kWithMove = 4;
    if (random.Below(kWithMove) == 0) {
      if (const auto move = DrawMove(implementation, path, random)) steps.push_back(*move);
    }
    return steps;
  }
  return {};
}

}  // namespace exh::search

// SPDX-License-Identifier: MIT
#include "search/solve/separable.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "base/check.h"

namespace exh::search {
namespace {

using runtime::Action;
using runtime::Bits;
using runtime::Candidate;
using runtime::DecisionId;
using runtime::kNoDecision;

/// Prices at a node are those of the nodes before, so a few tries are enough.
constexpr int kTriesAtNode = 4;
constexpr int kTriesAtRoot = 60, kSweepsAtRoot = 4;
/// Numbers times the scale stay below it, with room for sums of two.
constexpr std::int64_t kLargestScaled = std::int64_t{1} << 58;

std::int64_t FloorOfScaled(std::int64_t number, std::int64_t by) {
  return number / by - (number % by < 0 ? 1 : 0);
}

}  // namespace

std::int64_t SeparableBound::RoomOf(const Candidate& node, const Row& row) const {
  std::int64_t limit = row.limit;
  if (row.counter >= 0) {
    const runtime::Interval shown =
        node.state().counter(instance_.layout(), static_cast<std::uint32_t>(row.counter));
    const std::uint64_t bound = row.is_negated ? shown.min : shown.max;
    const auto number = static_cast<std::int64_t>(
        std::min<std::uint64_t>(bound, std::numeric_limits<std::int64_t>::max() / 2));
    limit = std::min(limit, row.is_negated ? -number : number);
  }
  return limit - row.fixed;
}

std::int64_t SeparableBound::Evaluate(const Candidate& node) {
  std::int64_t bound = scale_ * fixed_;
  for (Row& row : rows_) {
    row.used = 0;
    bound += row.price * row.room;
  }
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const Column& column = columns_[c];
    std::int64_t best = std::numeric_limits<std::int64_t>::min();
    std::size_t taken = column.begin;
    for (Bits rest = node.domain(column.decision); rest != 0; rest &= rest - 1) {
      const std::size_t at = column.begin + static_cast<std::size_t>(std::countr_zero(rest));
      std::int64_t score = scale_ * gains_[at];
      for (const Row& row : rows_) score -= row.price * row.uses[at];
      scores_[at] = score;
      if (score > best) {
        best = score;
        taken = at;
      }
    }
    best_[c] = best;
    bound += best;
    for (Row& row : rows_) row.used += row.uses[taken];
  }
  return bound;
}

std::int64_t SeparableBound::Improve(const Candidate& node, int tries, std::int64_t enough) {
  for (Row& row : rows_) row.room = RoomOf(node, row);
  std::int64_t bound = Evaluate(node);
  bool is_last = true;  // The last evaluation was at the present prices.
  for (Row& row : rows_) {
    // A price that may be paid for all without an overflow.
    const std::int64_t dearest = (std::int64_t{1} << 58) / std::max<std::int64_t>(1, row.most_used);
    std::int64_t step = 0;
    for (int i = 0; i < tries && bound > enough; ++i) {
      if (!is_last) Evaluate(node);
      is_last = true;
      if (row.used == row.room) break;
      const bool is_up = row.used > row.room;
      if (!is_up && row.price == 0) break;
      if (step == 0)
        step = std::max<std::int64_t>(1, is_up && row.price == 0 ? scale_ : row.price / 8);
      const std::int64_t before = row.price;
      row.price = std::clamp<std::int64_t>(is_up ? before + step : before - step, 0, dearest);
      if (row.price == before) break;
      const std::int64_t there = Evaluate(node);
      if (there < bound) {
        bound = there;
        step *= 2;
        continue;
      }
      row.price = before;
      is_last = false;
      if (step == 1) break;
      step = std::max<std::int64_t>(1, step / 4);
    }
  }
  if (!is_last) Evaluate(node);
  return bound;
}

void SeparableBound::Begin(const Candidate& root) {
  for (Row& row : rows_) row.price = 0;
  for (int i = 0; i < kSweepsAtRoot; ++i) {
    Improve(root, kTriesAtRoot, std::numeric_limits<std::int64_t>::min());
  }
}

std::int64_t SeparableBound::Most(const Candidate& node) {
  return FloorOfScaled(Improve(node, kTriesAtNode, std::numeric_limits<std::int64_t>::min()),
                       scale_);
}

bool SeparableBound::Narrow(const Candidate& node, std::int64_t wanted,
                            std::vector<Action>* actions) {
  if (wanted > kLargestScaled / scale_) return false;
  if (wanted < -kLargestScaled / scale_) return true;
  const std::int64_t least = wanted * scale_;
  const std::int64_t bound = Improve(node, kTriesAtNode, least - 1);
  if (bound < least) return false;
  const std::int64_t spare = bound - least;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const Column& column = columns_[c];
    const Bits before = node.domain(column.decision);
    if ((before & (before - 1)) == 0) continue;
    Bits kept = 0;
    for (Bits rest = before; rest != 0; rest &= rest - 1) {
      const std::size_t at = column.begin + static_cast<std::size_t>(std::countr_zero(rest));
      if (best_[c] - scores_[at] <= spare) kept |= rest & (~rest + 1);
    }
    if (kept != before) actions->emplace_back(column.decision, kept);
  }
  return true;
}

std::int64_t SeparableBound::Difference(const Candidate& node, const Column& column) const {
  std::int64_t best = std::numeric_limits<std::int64_t>::min(), next = best;
  for (Bits rest = node.domain(column.decision); rest != 0; rest &= rest - 1) {
    const std::int64_t score =
        scores_[column.begin + static_cast<std::size_t>(std::countr_zero(rest))];
    next = std::max(next, std::min(best, score));
    best = std::max(best, score);
  }
  return best - next;
}

DecisionId SeparableBound::Closest(const Candidate& node,
                                   const std::vector<DecisionId>& open) const {
  DecisionId closest = kNoDecision;
  std::int64_t least = 0;
  for (const DecisionId decision : open) {
    const int column = column_of_[decision];
    if (column < 0) continue;
    const std::int64_t difference = Difference(node, columns_[static_cast<std::size_t>(column)]);
    if (closest != kNoDecision && difference >= least) continue;
    closest = decision;
    least = difference;
  }
  return closest;
}

int SeparableBound::BestValue(const Candidate& node, DecisionId decision) const {
  const int column = column_of_[decision];
  if (column < 0) return -1;
  const std::size_t begin = columns_[static_cast<std::size_t>(column)].begin;
  int best = -1;
  for (Bits rest = node.domain(decision); rest != 0; rest &= rest - 1) {
    const int value = std::countr_zero(rest);
    const auto at = begin + static_cast<std::size_t>(value);
    if (best < 0 || scores_[at] > scores_[begin + static_cast<std::size_t>(best)]) best = value;
  }
  return best;
}

}  // namespace exh::search

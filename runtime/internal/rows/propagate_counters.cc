// SPDX-License-Identifier: MIT
//
// Counters: what the increments say of the interval, and what bounds on the interval say of them.
// When one runs, Workspace::contributions holds each increment that counts or may, with the least
// and the most that it adds (or multiplies by).
//
//   bounds   computed from the contributions, cut by what was imposed on the counter before
//            (SetInterval); only where that cut something off, or left a product one value, can
//            anything follow for increments
//   a sum    an increment must not count when the rest with it exceeds the maximum, and must count
//            when the rest without it stays below the minimum; of one that counts, the value is
//            bounded by what the others leave
//   product  the same, with what the others multiply to computed from both sides, without dividing;
//            and when a single value is left, each factor must be completed to it by the others
//            (ReachProduct)
//
// A sum of 2, which counts, and of 3 and 4, which may, so of [2, 9]. Its bounds become [5, 5]:
//
//   4    2 + 4 > 5: it must not count. The counter is queued again, with [2, 5]
//   3    5 - 3 < 5: without it the rest stays below. It must count
//
// A product of a in {1, 2, 4} and b in {2, 3} must be 4: 3 does not divide 4, so b is 2, and a
// must complete it: a is 2.
//
// All arithmetic saturates; a saturated maximum is "not known" and proves nothing. Intervals only
// shrink, and a narrower contribution never yields a wider interval, so the fixpoint does not
// depend on the order.
#include <algorithm>
#include <bit>

#include "runtime/internal/network/literal.h"
#include "runtime/internal/rows/propagator.h"

namespace exh::runtime::internal {
Truth Propagator::Counts(const Increment& increment) const {
  Truth counts = Truth::kTrue;
  for (std::uint32_t l = increment.literal_begin; l < increment.literal_end; ++l) {
    counts = std::min(counts, LiteralStatus(network_, *this, network_.increment_literals[l]));
    if (counts == Truth::kFalse) break;
  }
  return counts;
}

Contribution Propagator::Contribute(std::uint32_t id, Truth counts) const {
  const Increment& increment = network_.increments[id];
  Contribution contribution{&increment, counts, increment.value, increment.value};
  if (increment.weight == Increment::Weight::kSlot) {
    const std::vector<std::uint32_t>& universe = network_.universes[increment.universe];
    if (universe.size() > 64) {
      const auto words = static_cast<std::uint32_t>((universe.size() + 63) / 64);
      const auto [first, last] = EndsOf(*this, TermLeaf{increment.source, 0, words});
      contribution.min = universe[first];
      contribution.max = universe[last];
      return contribution;
    }
    const Bits values = domain(increment.source);
    contribution.min = universe[std::countr_zero(values)];
    contribution.max = universe[63 - std::countl_zero(values)];
  } else if (increment.weight == Increment::Weight::kTerm) {
    const TermRange<Whole> range = TermRangeOf(TermOf(network_, increment.source), *this);
    contribution.unknown = range.IsEmpty() || range.may_fail || range.min.sign() < 0;
    const Interval weight = contribution.unknown ? Interval{} : WeightOf(range);
    contribution.min = weight.min;
    contribution.max = weight.max;
  } else if (increment.weight == Increment::Weight::kCounter) {
    const Interval interval = counter(increment.source);
    contribution.min = interval.min;
    contribution.max = interval.max;
  }
  return contribution;
}

void Propagator::ReadIncrements(const Counter& record) {
  for (std::uint32_t i = record.increment_begin; i < record.increment_end; ++i) {
    const Truth counts = Counts(network_.increments[i]);
    if (counts != Truth::kFalse) work_.contributions.push_back(Contribute(i, counts));
  }
}

bool Propagator::SetInterval(std::uint32_t id, Interval computed, Origin origin,
                             Interval* effective) {
  const Interval before = counter(id);
  *effective = before & computed;
  if (effective->IsEmpty()) return Fail(origin);
  if (*effective != before) {
    state_.set_counter(layout_, id, *effective);
    WakeCounter(id);
  }
  return true;
}

/// Of a half counter the minimum alone is tracked; the maximum shows once nothing is open.
Interval Propagator::Shown(const Counter& record, Interval computed) {
  if (record.half && computed.min != computed.max) computed.max = kSaturated;
  return computed;
}

bool Propagator::Include(const Increment& increment, Origin origin) {
  for (std::uint32_t l = increment.literal_begin; l < increment.literal_end; ++l) {
    if (!MakeTrue(network_.increment_literals[l], origin)) return false;
  }
  return true;
}

/// A conjunction is false when one literal is: that can be told only when all others are certain.
bool Propagator::Exclude(const Increment& increment, Origin origin) {
  const Literal* open = nullptr;
  for (std::uint32_t l = increment.literal_begin; l < increment.literal_end; ++l) {
    const Literal& literal = network_.increment_literals[l];
    const Truth status = LiteralStatus(network_, *this, literal);
    if (status == Truth::kFalse) return true;
    if (status == Truth::kTrue) continue;
    if (open != nullptr) return true;
    open = &literal;
  }
  return open != nullptr ? MakeFalse(*open, origin) : Fail(origin);
}

bool Propagator::KeepWeight(const Increment& increment, Interval allowed, Origin origin) {
  if (increment.weight == Increment::Weight::kCounter) {
    return KeepCounter(increment.source, allowed, origin);
  }
  if (increment.weight == Increment::Weight::kConstant) {
    return allowed.Contains(increment.value) || Fail(origin);
  }
  if (increment.weight == Increment::Weight::kTerm) {
    return KeepTerm(increment.source, allowed, origin);
  }
  const std::vector<std::uint32_t>& universe = network_.universes[increment.universe];
  if (universe.size() > 64) {
    return KeepNumbersWithin(increment.source, universe, allowed, origin);
  }
  Bits kept = 0;
  for (Bits rest = domain(increment.source); rest != 0; rest &= rest - 1) {
    if (allowed.Contains(universe[std::countr_zero(rest)])) kept |= rest & (~rest + 1);
  }
  return Keep(increment.source, kept, origin);
}

bool Propagator::RunSum(std::uint32_t id) {
  const Counter& record = network_.counters[id];
  const Origin origin = network_.origins[record.origin];
  const std::vector<Contribution>& contributions = work_.contributions;
  Interval sum{record.base, record.base};
  std::uint64_t most = 0;  // What a single increment may add to the minimum.
  for (const Contribution& c : contributions) {
    if (c.unknown) return true;
    if (c.counts == Truth::kTrue) sum.min = SaturatingAdd(sum.min, c.min);
    sum.max = SaturatingAdd(sum.max, c.max);
    if (c.counts == Truth::kMaybe) {
      most = std::max(most, c.max);
    } else {
      most = std::max(most, c.max - c.min);
    }
  }
  Interval bounds;
  if (!SetInterval(id, Shown(record, sum), origin, &bounds)) return false;
  if (bounds == sum) return true;  // Nothing beyond what the increments say: nothing to push back.
  if (bounds.min == sum.min && SaturatingAdd(sum.min, most) <= bounds.max) return true;
  const bool max_known = sum.max != kSaturated;
  for (std::size_t i = 0; i < contributions.size(); ++i) {
    const Contribution c = contributions[i];
    const Increment& increment = *c.increment;
    if (c.counts == Truth::kMaybe) {
      if (SaturatingAdd(sum.min, c.min) > bounds.max) {
        if (!Exclude(increment, origin)) return false;
      } else if (max_known && sum.max - c.max < bounds.min) {
        if (!Include(increment, origin)) return false;
      }
      continue;
    }
    if (increment.weight == Increment::Weight::kConstant) continue;
    Interval allowed;
    if (bounds.max != kSaturated && sum.min != kSaturated) {
      allowed.max = bounds.max - (sum.min - c.min);
    }
    if (max_known && bounds.min > sum.max - c.max) allowed.min = bounds.min - (sum.max - c.max);
    if (!KeepWeight(increment, allowed, origin)) return false;
  }
  return true;
}

bool Propagator::RunProduct(std::uint32_t id) {
  const Counter& record = network_.counters[id];
  const Origin origin = network_.origins[record.origin];
  const std::vector<Contribution>& contributions = work_.contributions;
  const std::size_t size = contributions.size();
  // Products of all factors before and after each: what the others are, without dividing.
  const auto min_factor = [&](const Contribution& c) {
    return c.counts == Truth::kTrue ? c.min : std::min<std::uint64_t>(1, c.min);
  };
  const auto max_factor = [&](const Contribution& c) {
    return c.counts == Truth::kTrue ? c.max : std::max<std::uint64_t>(1, c.max);
  };
  Interval product{record.base, record.base};
  std::uint64_t largest = 1;  // By what a single increment may multiply the minimum.
  for (const Contribution& c : contributions) {
    if (c.unknown) return true;
    product.min = SaturatingMul(product.min, min_factor(c));
    product.max = SaturatingMul(product.max, max_factor(c));
    const std::uint64_t least = std::max<std::uint64_t>(1, min_factor(c));
    if (c.max > largest) largest = std::max(largest, c.max / least + (c.max % least != 0));
  }
  Interval bounds;
  if (!SetInterval(id, Shown(record, product), origin, &bounds)) return false;
  if (bounds == product && !bounds.IsConstrained()) return true;
  if (product.min != 0 && bounds.min == product.min &&
      SaturatingMul(product.min, largest) <= bounds.max) {
    return true;  // Slack for the largest step.
  }
  for (auto* products :
       {&work_.min_before, &work_.max_before, &work_.min_after, &work_.max_after}) {
    products->resize(size + 1);
  }
  work_.min_before[0] = work_.max_before[0] = record.base;
  work_.min_after[size] = work_.max_after[size] = 1;
  for (std::size_t i = 0; i < size; ++i) {
    work_.min_before[i + 1] = SaturatingMul(work_.min_before[i], min_factor(contributions[i]));
    work_.max_before[i + 1] = SaturatingMul(work_.max_before[i], max_factor(contributions[i]));
  }
  for (std::size_t i = size; i-- > 0;) {
    work_.min_after[i] = SaturatingMul(work_.min_after[i + 1], min_factor(contributions[i]));
    work_.max_after[i] = SaturatingMul(work_.max_after[i + 1], max_factor(contributions[i]));
  }
  for (std::size_t i = 0; i < size; ++i) {
    const Contribution c = contributions[i];
    const Increment& increment = *c.increment;
    const std::uint64_t others_min = SaturatingMul(work_.min_before[i], work_.min_after[i + 1]);
    const std::uint64_t others_max = SaturatingMul(work_.max_before[i], work_.max_after[i + 1]);
    if (c.counts == Truth::kMaybe) {
      const bool may_count = SaturatingMul(others_min, c.min) <= bounds.max &&
                             SaturatingMul(others_max, c.max) >= bounds.min;
      const bool may_not_count = others_min <= bounds.max && others_max >= bounds.min;
      if (!may_count && !may_not_count) return Fail(origin);
      if (!may_count && !Exclude(increment, origin)) return false;
      if (!may_not_count && !Include(increment, origin)) return false;
      continue;
    }
    if (increment.weight == Increment::Weight::kConstant) continue;
    Interval allowed;
    if (bounds.max != kSaturated && others_min != 0) allowed.max = bounds.max / others_min;
    if (bounds.min != 0 && others_max != kSaturated) {
      if (others_max == 0) return Fail(origin);
      allowed.min = (bounds.min - 1) / others_max + 1;
    }
    if (!KeepWeight(increment, allowed, origin)) return false;
  }
  if (bounds.IsConstrained() && !product.IsConstrained() && bounds.min != 0 &&
      bounds.min != kSaturated) {
    return ReachProduct(record, bounds.min, origin);
  }
  return true;
}

namespace {

/// Appends the distinct products of reached[first … last) with `factor` that divide `target`.
void Extend(std::vector<std::uint64_t>* reached, std::size_t first, std::size_t last,
            std::uint64_t factor, std::uint64_t target) {
  if (factor == 0 || target % factor != 0) return;
  for (std::size_t i = first; i < last; ++i) {
    const std::uint64_t partial = (*reached)[i];
    if (target / partial % factor == 0) reached->push_back(partial * factor);
  }
}

void SortFrom(std::vector<std::uint64_t>* reached, std::size_t first) {
  std::sort(reached->begin() + static_cast<std::ptrdiff_t>(first), reached->end());
  reached->erase(std::unique(reached->begin() + static_cast<std::ptrdiff_t>(first), reached->end()),
                 reached->end());
}

}  // namespace

/// The product is exact: a value of a factor stays only if values of all others complete it. Sets
/// of partial products that divide it are kept before and after every factor. They shrink with the
/// domains, so giving up on large ones keeps the filter monotone.
bool Propagator::ReachProduct(const Counter& record, std::uint64_t product, Origin origin) {
  const std::size_t size = work_.contributions.size();
  // Its factors are the values of a decision; of any other a single one is left here.
  const auto is_listed = [&](const Increment& increment) {
    return increment.weight == Increment::Weight::kSlot &&
           network_.universes[increment.universe].size() <= 64;
  };
  const auto for_each_factor = [&](std::size_t i, const auto& visit) {
    const Contribution c = work_.contributions[i];
    const Increment& increment = *c.increment;
    if (c.counts != Truth::kTrue) visit(1);
    if (!is_listed(increment)) {
      visit(c.min);
      return;
    }
    const std::vector<std::uint32_t>& universe = network_.universes[increment.universe];
    for (Bits rest = domain(increment.source); rest != 0; rest &= rest - 1) {
      visit(universe[std::countr_zero(rest)]);
    }
  };
  for (std::size_t i = 0; i < size; ++i) {
    const Contribution& c = work_.contributions[i];
    const Increment& increment = *c.increment;
    if (increment.weight != Increment::Weight::kConstant && !is_listed(increment) &&
        c.min != c.max) {
      return true;  // A factor that is itself an interval: bounds are all we have.
    }
  }
  if (record.base == 0 || product % record.base != 0) return Fail(origin);

  std::vector<std::uint64_t>&before = work_.reached_before, &after = work_.reached_after;
  work_.before_begin.assign(1, 0);
  before.assign(1, record.base);
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t first = work_.before_begin[i], last = before.size();
    for_each_factor(i, [&](std::uint64_t f) { Extend(&before, first, last, f, product); });
    SortFrom(&before, last);
    work_.before_begin.push_back(static_cast<std::uint32_t>(last));
    if (before.size() - last > Workspace::kMaxReached) return true;
  }
  // after_begin[k] belongs to the factors size - k … size - 1.
  work_.after_begin.assign(1, 0);
  after.assign(1, 1);
  for (std::size_t k = 0; k < size; ++k) {
    const std::size_t first = work_.after_begin[k], last = after.size();
    for_each_factor(size - 1 - k,
                    [&](std::uint64_t f) { Extend(&after, first, last, f, product); });
    SortFrom(&after, last);
    work_.after_begin.push_back(static_cast<std::uint32_t>(last));
    if (after.size() - last > Workspace::kMaxReached) return true;
  }

  const auto completes = [&](std::size_t i, std::uint64_t factor) {
    if (factor == 0) return false;
    const std::size_t k = size - 1 - i;  // The set of the factors after i.
    const auto after_first = after.begin() + work_.after_begin[k];
    const auto after_last = after.begin() + work_.after_begin[k + 1];
    for (std::size_t b = work_.before_begin[i]; b < work_.before_begin[i + 1]; ++b) {
      const std::uint64_t rest = product / before[b];
      if (rest % factor == 0 && std::binary_search(after_first, after_last, rest / factor)) {
        return true;
      }
    }
    return false;
  };
  for (std::size_t i = 0; i < size; ++i) {
    const Contribution c = work_.contributions[i];
    const Increment& increment = *c.increment;
    Bits kept = 0;
    bool may_count = false;
    if (is_listed(increment)) {
      const std::vector<std::uint32_t>& universe = network_.universes[increment.universe];
      for (Bits rest = domain(increment.source); rest != 0; rest &= rest - 1) {
        if (completes(i, universe[std::countr_zero(rest)])) kept |= rest & (~rest + 1);
      }
      may_count = kept != 0;
    } else {
      may_count = completes(i, c.min);
    }
    if (c.counts == Truth::kTrue) {
      if (!may_count) return Fail(origin);
      if (kept != 0 && !Keep(increment.source, kept, origin)) return false;
      continue;
    }
    const bool may_not_count = completes(i, 1);
    if (!may_count && !may_not_count) return Fail(origin);
    if (!may_count && !Exclude(increment, origin)) return false;
    if (!may_not_count && !Include(increment, origin)) return false;
  }
  return true;
}

}  // namespace exh::runtime::internal

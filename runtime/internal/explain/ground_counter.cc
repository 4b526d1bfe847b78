// SPDX-License-Identifier: MIT
//
// The filter of one counter, for sums and products alike, for explanations. For each increment the
// interval of all others is known from what comes before and after it. A contribution is possible
// when together with that it meets the bounds of the counter; an increment that cannot count, or
// cannot fail to count, is decided, and the value that it adds is bounded. A product that is known
// exactly must also be completed by factors that divide it.
//
// A sum of 2, which counts, and of 3 and 4, which may, must be 5. Without 4 the others are [2, 5],
// and with it that is [6, 9]: 4 cannot count.
#include <algorithm>
#include <bit>
#include <set>

#include "runtime/internal/explain/ground_filter.h"

namespace exh::runtime::internal {
namespace {

using Numbers = std::set<std::uint64_t>;

constexpr std::size_t kMostProducts = 4096;

class CounterFilter {
 public:
  CounterFilter(const GroundForm& form, std::uint32_t counter, const GroundDomains& domains,
                std::vector<Narrowing>* out)
      : form_(form), id_(counter), counter_(form.counters[counter]), domains_(domains), out_(out) {}

  void Run() {
    for (const GroundIncrement& increment : counter_.increments) {
      Truth counts = Truth::kTrue;
      for (const GroundLiteral& literal : increment.literals) {
        counts = std::min(counts, Status(form_, domains_, literal));
      }
      counts_.push_back(counts);
      weights_.push_back(Weight(increment));
    }
    const std::size_t size = counts_.size();
    // What comes before and after each increment contributes.
    before_.assign(size + 1, {counter_.base, counter_.base});
    after_.assign(size + 1, {neutral(), neutral()});
    for (std::size_t i = 0; i < size; ++i) before_[i + 1] = Combine(before_[i], Contribution(i));
    for (std::size_t i = size; i-- > 0;) after_[i] = Combine(after_[i + 1], Contribution(i));
    bounds_ = domains_.counters[id_] & before_[size];
    out_->push_back({{true, id_}, 0, before_[size], bounds_.IsEmpty()});
    if (bounds_.IsEmpty()) return;
    for (std::size_t i = 0; i < size; ++i) Push(i);
    if (counter_.product && bounds_.IsConstrained() && bounds_.min != 0 &&
        bounds_.min != kSaturated) {
      Complete(bounds_.min);
    }
  }

 private:
  std::uint64_t neutral() const { return counter_.product ? 1 : 0; }
  std::uint64_t Combine(std::uint64_t a, std::uint64_t b) const {
    return counter_.product ? SaturatingMul(a, b) : SaturatingAdd(a, b);
  }
  Interval Combine(Interval a, Interval b) const {
    return {Combine(a.min, b.min), Combine(a.max, b.max)};
  }

  Interval Weight(const GroundIncrement& increment) const {
    if (increment.weight == GroundIncrement::Weight::kConstant) {
      return {increment.value, increment.value};
    }
    if (increment.weight == GroundIncrement::Weight::kCounter) {
      return domains_.counters[increment.source];
    }
    if (increment.weight == GroundIncrement::Weight::kTerm) {
      return WeightOf(TermRangeOf(TermOf(form_, increment.source), domains_));
    }
    const Bits values = domains_.variables[increment.source];
    return {increment.numbers[std::countr_zero(values)],
            increment.numbers[63 - std::countl_zero(values)]};
  }

  Interval Contribution(std::size_t i) const {
    if (counts_[i] == Truth::kTrue) return weights_[i];
    if (counts_[i] == Truth::kFalse) return {neutral(), neutral()};
    return {std::min(neutral(), weights_[i].min), std::max(neutral(), weights_[i].max)};
  }

  /// Whether the counter can be within its bounds when increment i contributes this interval.
  bool Reaches(std::size_t i, Interval contribution) const {
    return Combine(Combine(before_[i], after_[i + 1]), contribution).Intersects(bounds_);
  }

  void Fail() { out_->push_back({.failed = true}); }

  void Include(std::size_t i) {
    for (const GroundLiteral& literal : counter_.increments[i].literals) {
      MakeTrue(form_, domains_, literal, out_);
    }
  }

  /// A conjunction can be made false only when all literals but one are certain.
  void Exclude(std::size_t i) {
    const GroundLiteral* open = nullptr;
    for (const GroundLiteral& literal : counter_.increments[i].literals) {
      if (Status(form_, domains_, literal) == Truth::kTrue) continue;
      if (open != nullptr) return;
      open = &literal;
    }
    if (open == nullptr) return Fail();
    MakeFalse(form_, domains_, *open, out_);
  }

  void Decide(std::size_t i, bool may_count, bool may_not_count) {
    if (!may_count && !may_not_count) return Fail();
    if (!may_count) Exclude(i);
    if (!may_not_count) Include(i);
  }

  void Push(std::size_t i) {
    const GroundIncrement& increment = counter_.increments[i];
    if (counts_[i] == Truth::kFalse) return;
    if (counts_[i] == Truth::kMaybe) {
      return Decide(i, Reaches(i, weights_[i]), Reaches(i, {neutral(), neutral()}));
    }
    if (increment.weight == GroundIncrement::Weight::kConstant) return;
    if (increment.weight == GroundIncrement::Weight::kVariable) {
      Bits kept = 0;
      for (Bits rest = domains_.variables[increment.source]; rest != 0; rest &= rest - 1) {
        const std::uint64_t number = increment.numbers[std::countr_zero(rest)];
        if (Reaches(i, {number, number})) kept |= rest & (~rest + 1);
      }
      out_->push_back({{false, increment.source}, kept, {}, false});
      return;
    }
    const Interval others = Combine(before_[i], after_[i + 1]);
    Interval allowed;
    if (counter_.product) {
      if (bounds_.max != kSaturated && others.min != 0) allowed.max = bounds_.max / others.min;
      if (bounds_.min != 0 && others.max != kSaturated) {
        if (others.max == 0) return Fail();
        allowed.min = (bounds_.min - 1) / others.max + 1;
      }
    } else {
      if (bounds_.max != kSaturated && others.min <= bounds_.max) {
        allowed.max = bounds_.max - others.min;
      }
      if (others.max != kSaturated && bounds_.min > others.max) {
        allowed.min = bounds_.min - others.max;
      }
    }
    if (increment.weight == GroundIncrement::Weight::kTerm) {
      if (allowed.IsEmpty()) return Fail();
      return KeepTerm(form_, domains_, increment.source, allowed, out_);
    }
    out_->push_back({{true, increment.source}, 0, allowed, allowed.IsEmpty()});
  }

  /// The factors that increment i may contribute.
  Numbers Factors(std::size_t i) const {
    Numbers factors;
    if (counts_[i] != Truth::kTrue) factors.insert(1);
    if (counts_[i] == Truth::kFalse) return factors;
    const GroundIncrement& increment = counter_.increments[i];
    if (increment.weight != GroundIncrement::Weight::kVariable) {
      factors.insert(weights_[i].min);
      return factors;
    }
    for (Bits rest = domains_.variables[increment.source]; rest != 0; rest &= rest - 1) {
      factors.insert(increment.numbers[std::countr_zero(rest)]);
    }
    return factors;
  }

  /// The products with the factors that divide the target.
  static Numbers Extend(const Numbers& products, const Numbers& factors, std::uint64_t target) {
    Numbers extended;
    for (const std::uint64_t product : products) {
      for (const std::uint64_t factor : factors) {
        if (factor != 0 && target / product % factor == 0) extended.insert(product * factor);
      }
    }
    return extended;
  }

  /// The product is known: a factor stays only if the others complete it.
  void Complete(std::uint64_t target) {
    const std::size_t size = counts_.size();
    for (std::size_t i = 0; i < size; ++i) {
      const GroundIncrement::Weight weight = counter_.increments[i].weight;
      const bool is_interval =
          weight == GroundIncrement::Weight::kCounter || weight == GroundIncrement::Weight::kTerm;
      if (is_interval && counts_[i] != Truth::kFalse && !weights_[i].IsConstrained()) return;
    }
    if (counter_.base == 0 || target % counter_.base != 0) return Fail();
    std::vector<Numbers> before = {{counter_.base}}, after(size + 1);
    after[size] = {1};
    for (std::size_t i = 0; i < size; ++i) {
      before.push_back(Extend(before[i], Factors(i), target));
      if (before.back().size() > kMostProducts) return;
    }
    for (std::size_t i = size; i-- > 0;) {
      after[i] = Extend(after[i + 1], Factors(i), target);
      if (after[i].size() > kMostProducts) return;
    }
    const auto completes = [&](std::size_t i, std::uint64_t factor) {
      return factor != 0 && std::ranges::any_of(before[i], [&](std::uint64_t product) {
               const std::uint64_t rest = target / product;
               return rest % factor == 0 && after[i + 1].contains(rest / factor);
             });
    };
    for (std::size_t i = 0; i < size; ++i) {
      if (counts_[i] == Truth::kFalse) continue;
      const GroundIncrement& increment = counter_.increments[i];
      const bool is_variable = increment.weight == GroundIncrement::Weight::kVariable;
      Bits kept = 0;
      if (is_variable) {
        for (Bits rest = domains_.variables[increment.source]; rest != 0; rest &= rest - 1) {
          if (completes(i, increment.numbers[std::countr_zero(rest)])) kept |= rest & (~rest + 1);
        }
      }
      const bool may_count = is_variable ? kept != 0 : completes(i, weights_[i].min);
      if (counts_[i] == Truth::kMaybe) {
        Decide(i, may_count, completes(i, 1));
      } else if (!may_count) {
        Fail();
      } else if (is_variable) {
        out_->push_back({{false, increment.source}, kept, {}, false});
      }
    }
  }

  const GroundForm& form_;
  const std::uint32_t id_;
  const GroundCounter& counter_;
  const GroundDomains& domains_;
  std::vector<Narrowing>* const out_;
  std::vector<Truth> counts_;
  std::vector<Interval> weights_, before_, after_;
  Interval bounds_;
};

}  // namespace

void FilterCounter(const GroundForm& form, std::uint32_t counter, const GroundDomains& domains,
                   std::vector<Narrowing>* out) {
  CounterFilter(form, counter, domains, out).Run();
}

}  // namespace exh::runtime::internal

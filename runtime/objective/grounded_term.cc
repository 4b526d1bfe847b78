// SPDX-License-Identifier: MIT
#include "runtime/objective/grounded_term.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/check.h"
#include "base/error.h"
#include "runtime/internal/network/network.h"
#include "runtime/internal/network/term_filter.h"
#include "runtime/internal/network/term_ranges.h"

namespace exh::runtime {
namespace {

using Op = GroundTermNode::Op;
using internal::Fraction;
using internal::TermRange;
using internal::TermRanges;
using internal::TermView;
using internal::Whole;

struct StateView {
  const StateLayout& layout;
  const State& state;
  Bits domain(Slot slot) const { return state.domain(layout, slot); }
  Interval counter(std::uint32_t number) const { return state.counter(layout, number); }
};

template <typename N>
TermRange<N> RangeIn(const TermTables& tables, const internal::Universes& universes,
                     const Instance& instance, const State& state) {
  const TermView term{tables, universes, tables.tests.front()};
  TermRanges<N> ranges;
  ForwardsFrom(term, StateView{instance.layout(), state}, &ranges);
  return ranges[term.test.left];
}

/// Where Backwards puts what it finds: as restrictions of the candidate.
class RestrictionSink {
 public:
  RestrictionSink(const Instance& instance, const internal::Universes& universes,
                  const std::vector<DecisionId>& decisions, const State& state,
                  std::vector<Action>* actions)
      : instance_(instance),
        universes_(universes),
        decisions_(decisions),
        state_(state),
        actions_(*actions) {}

  static bool Fail() { return false; }

  bool KeepNumbers(const TermLeaf& leaf, Whole min, Whole max) {
    if (max < min || max.sign() < 0) return false;
    const std::vector<std::uint32_t>& universe = universes_[leaf.universe];
    const DecisionId decision = decisions_[leaf.universe];
    bool any = false;
    for (std::uint32_t word = 0; word < leaf.words; ++word) {
      const Bits before = state_.domain(instance_.layout(), leaf.slot + word);
      Bits kept = 0;
      for (Bits rest = before; rest != 0; rest &= rest - 1) {
        const Whole number{
            universe[64 * word + static_cast<std::uint32_t>(std::countr_zero(rest))]};
        if (!(number < min) && !(max < number)) kept |= rest & (~rest + 1);
      }
      any |= kept != 0;
      if (kept == before) continue;
      actions_.emplace_back(decision, kept, static_cast<std::uint16_t>(word), true);
    }
    return any;
  }

  /// What a counter adds up is no concern of the term: its bound would be forgotten.
  bool KeepCounter(std::uint32_t counter, Whole min, Whole max, std::int64_t offset) {
    const Whole low = Sum(min, Whole{-offset}, true), high = Sum(max, Whole{-offset}, false);
    if (high < low || high.sign() < 0) return false;
    const Interval allowed{low.sign() < 0 ? 0 : static_cast<std::uint64_t>(low.value),
                           high.IsInfinite() ? kSaturated : static_cast<std::uint64_t>(high.value)};
    return !(state_.counter(instance_.layout(), counter) & allowed).IsEmpty();
  }

 private:
  const Instance& instance_;
  const internal::Universes& universes_;
  const std::vector<DecisionId>& decisions_;
  const State& state_;
  std::vector<Action>& actions_;
};

double RealOf(Fraction number) {
  if (number.IsInfinite()) return number.sign() < 0 ? -HUGE_VAL : HUGE_VAL;
  return static_cast<double>(number.over) / static_cast<double>(number.under);
}

std::int64_t Limited(Whole number) {
  if (!number.IsInfinite()) return number.value;
  return number.sign() < 0 ? std::numeric_limits<std::int64_t>::min()
                           : std::numeric_limits<std::int64_t>::max();
}

std::int64_t Rounded(double number, bool up) {
  const double whole = up ? std::ceil(number) : std::floor(number);
  constexpr auto kMost = static_cast<double>(kLargestTerm);
  if (whole < -kMost) return std::numeric_limits<std::int64_t>::min();
  if (whole > kMost) return std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(whole);
}

}  // namespace

GroundTermNode::Op GroundOpOf(TermNode::Kind kind) {
  switch (kind) {
    case TermNode::Kind::kNumber:
    case TermNode::Kind::kCode:
      return Op::kNumber;
    case TermNode::Kind::kChoice:
      return Op::kDecision;
    case TermNode::Kind::kNegate:
      return Op::kNegate;
    case TermNode::Kind::kAdd:
      return Op::kAdd;
    case TermNode::Kind::kSubtract:
      return Op::kSubtract;
    case TermNode::Kind::kMultiply:
      return Op::kMultiply;
    case TermNode::Kind::kDivide:
      return Op::kDivide;
    case TermNode::Kind::kDiv:
      return Op::kDiv;
    case TermNode::Kind::kMod:
      return Op::kMod;
    case TermNode::Kind::kMin:
      return Op::kMin;
    case TermNode::Kind::kMax:
      return Op::kMax;
  }
  EXH_UNREACHABLE();
}

GroundedTerm::GroundedTerm(const Instance& instance, const Term& term, const std::string& text)
    : instance_(instance) {
  if (term.size() > kMostTermNodes) {
    throw Error("'" + text + "': has more than " + std::to_string(kMostTermNodes) +
                " numbers and operations; name parts of it by counters");
  }
  tables_.tests.emplace_back();
  std::vector<std::uint32_t> operands;
  for (const TermNode& node : term) Add(node, &operands);
  EXH_CHECK(operands.size() == 1);
  TermTest& test = tables_.tests.front();
  test.left = operands.front();
  test.node_end = static_cast<std::uint32_t>(tables_.nodes.size());
  test.leaf_end = static_cast<std::uint32_t>(tables_.leaves.size());
  if (tables_.nodes.size() > 1) decision_ = kNoDecision;
  CheckRoot(text);
}

void GroundedTerm::Add(const TermNode& node, std::vector<std::uint32_t>* operands) {
  GroundTermNode ground;
  EXH_CHECK(node.kind != TermNode::Kind::kCode);  // A freeze puts numbers in its place.
  ground.op = GroundOpOf(node.kind);
  const auto take = [&] {
    const std::uint32_t operand = operands->back();
    operands->pop_back();
    return operand;
  };
  if (node.kind == TermNode::Kind::kNumber) {
    ground.number = node.number;
  } else if (node.kind == TermNode::Kind::kChoice) {
    Read(node.use, &ground);
  } else {
    if (node.kind != TermNode::Kind::kNegate) ground.right = take();
    ground.left = take();
    tables_.tests.front().fractions |= ground.op == Op::kDivide;
  }
  operands->push_back(static_cast<std::uint32_t>(tables_.nodes.size()));
  tables_.nodes.push_back(ground);
}

void GroundedTerm::Read(const ChoiceUse& use, GroundTermNode* node) {
  if (instance_.space().choices[static_cast<std::size_t>(use.choice)].kind ==
      ChoiceKind::kCounter) {
    const int counter = instance_.FindCounter(use.choice, {});
    EXH_CHECK(counter >= 0);
    node->op = Op::kCounter;
    node->left = static_cast<std::uint32_t>(counter);
    node->number = instance_.network().counters[static_cast<std::size_t>(counter)].offset;
    tables_.tests.front().counters = true;
    return;
  }
  const auto found = instance_.FindDecision(use.choice, {});
  EXH_CHECK(found.has_value());
  decision_ = found->id;
  node->left = static_cast<std::uint32_t>(tables_.leaves.size());
  tables_.leaves.push_back({instance_.slot(found->id),
                            static_cast<std::uint32_t>(universes_.size()),
                            static_cast<std::uint32_t>(instance_.num_words(found->id))});
  const auto universe = instance_.universe(found->id);
  universes_.emplace_back(universe.begin(), universe.end());
  decisions_.push_back(found->id);
}

void GroundedTerm::CheckRoot(const std::string& text) const {
  const TermTest& test = tables_.tests.front();
  const State& root = instance_.root();
  bool may_fail = false, is_large = false;
  if (test.fractions) {
    const auto range = RangeIn<Fraction>(tables_, universes_, instance_, root);
    may_fail = range.IsEmpty() || range.may_fail;
    is_large = range.min.IsInfinite() || range.max.IsInfinite();
  } else {
    const auto range = RangeIn<Whole>(tables_, universes_, instance_, root);
    may_fail = range.IsEmpty() || range.may_fail;
    is_large = range.min.IsInfinite() || range.max.IsInfinite() ||
               range.min.value < -kLargestTerm || range.max.value > kLargestTerm;
  }
  if (may_fail) throw Error("'" + text + "': may divide by 0");
  if (is_large) {
    throw Error("'" + text +
                "': may exceed 2^61, up to which terms are calculated: list smaller numbers");
  }
}

TermInterval GroundedTerm::Over(const Candidate& candidate) const {
  if (tables_.tests.front().fractions) {
    const auto range = RangeIn<Fraction>(tables_, universes_, instance_, candidate.state());
    return {Rounded(RealOf(range.min), false), Rounded(RealOf(range.max), true)};
  }
  const auto range = RangeIn<Whole>(tables_, universes_, instance_, candidate.state());
  return {Limited(range.min), Limited(range.max)};
}

template <typename N>
bool GroundedTerm::NarrowAs(const Candidate& candidate, N min, N max,
                            std::vector<Action>* actions) const {
  const TermView term{tables_, universes_, tables_.tests.front()};
  TermRanges<N> ranges;
  ForwardsFrom(term, StateView{instance_.layout(), candidate.state()}, &ranges);
  internal::TermRange<N>& top = ranges[term.test.left];
  top.min = std::max(top.min, min);
  top.max = std::min(top.max, max);
  RestrictionSink sink(instance_, universes_, decisions_, candidate.state(), actions);
  return internal::Backwards<N, RestrictionSink>(term, &ranges, &sink).Run();
}

bool GroundedTerm::Narrow(const Candidate& candidate, TermInterval within,
                          std::vector<Action>* actions) const {
  using Limits = std::numeric_limits<std::int64_t>;
  const Whole min = within.min == Limits::min() ? Whole::Infinite(true) : Whole{within.min};
  const Whole max = within.max == Limits::max() ? Whole::Infinite(false) : Whole{within.max};
  if (!tables_.tests.front().fractions) {
    return NarrowAs<Whole>(candidate, min, max, actions);
  }
  const auto as = [](Whole number) {
    return number.IsInfinite() ? Fraction::Infinite(number.sign() < 0) : Fraction{number.value, 1};
  };
  return NarrowAs<Fraction>(candidate, as(min), as(max), actions);
}

double GroundedTerm::LeastOver(const Candidate& candidate) const {
  return RealOf(RangeIn<Fraction>(tables_, universes_, instance_, candidate.state()).min);
}

}  // namespace exh::runtime

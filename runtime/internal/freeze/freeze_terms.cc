// SPDX-License-Identifier: MIT
//
// Integer terms whose variables are bound. A comparison that reads one decision is a test of its
// values, one that reads two short ones a relation between both: rows, tables and clauses know what
// to do with these. What reads more, a long decision beside another one, or a counter, stays a
// comparison of ranges (internal/network/term_ranges.h).
//
// Where size(a) and size(b) have the numbers {1, 2, 4, 8}:
//
//   size(a) * 2 < 8                       a test: size(a) is one of {1, 2}
//   size(a) + size(b) <= 4                a relation: {1, 2} with {1, 2}
//   size(a) * size(b) * size(c) <= 64     a comparison of ranges
//
// Terms are exact as long as nothing exceeds kLargestTerm. While the root is propagated, ranges
// beyond that are rounded outwards (term_numbers.h), so that nothing false follows from them. Then
// the freeze looks at the ranges of all parts of a term that are left, and refuses what could still
// be larger: below the root every term is exact. The same goes for weights that could be negative,
// and for counters that are compared and could both saturate.
#include <algorithm>
#include <bit>
#include <cstdio>
#include <functional>
#include <optional>

#include "base/check.h"
#include "base/error.h"
#include "base/spelling.h"
#include "runtime/internal/freeze/freezer.h"
#include "runtime/internal/network/literal.h"
#include "runtime/objective/grounded_term.h"

namespace exh::runtime::internal {
namespace {

using Op = GroundTermNode::Op;

/// One value for each of a few decisions.
struct Point {
  std::span<const TermLeaf> leaves;
  std::array<std::uint32_t, 2> values{};

  Bits domain(Slot slot) const {
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      const TermLeaf& leaf = leaves[i];
      if (slot < leaf.slot || slot >= leaf.slot + leaf.words) continue;
      const bool here = values[i] / 64 == slot - leaf.slot;
      return here ? Bits{1} << values[i] % 64 : 0;
    }
    return 0;
  }
  static Interval counter(std::uint32_t) { return {}; }
};

/// The largest that a number between the ends can be, whatever its sign; infinite: not known.
template <typename N>
long double Magnitude(const TermRange<N>& range) {
  const auto of = [](N number) -> long double {
    if constexpr (N::kIsWhole) {
      return std::abs(static_cast<long double>(number.value));
    } else {
      return std::abs(static_cast<long double>(number.over)) /
             static_cast<long double>(number.under);
    }
  };
  return std::max(of(range.min), of(range.max));
}

/// A part of a term that can be larger than what is calculated exactly.
struct Excess {
  Op op;
  long double size;  ///< About, of its numerator or denominator.
};

/// The first part of the term whose numerator or denominator can exceed kLargestTerm.
template <typename N, typename View>
std::optional<Excess> FindExcess(const TermView& term, const View& view) {
  constexpr auto kMost = static_cast<long double>(kLargestTerm);
  TermRanges<N> ranges;
  ForwardsFrom(term, view, &ranges);
  std::vector<long double> under(term.num_nodes(), 1);
  for (std::uint32_t i = 0; i < term.num_nodes(); ++i) {
    if (ranges[i].IsEmpty()) continue;
    const GroundTermNode& node = term.node(i);
    // What the part itself was rounded from, of operands that were not.
    long double size = Magnitude(ranges[i]);
    switch (node.op) {
      case Op::kNegate:
        under[i] = under[node.left];
        break;
      case Op::kAdd:
      case Op::kSubtract:
        under[i] = under[node.left] * under[node.right];
        if (size > kMost) size = Magnitude(ranges[node.left]) + Magnitude(ranges[node.right]);
        break;
      case Op::kMultiply:
        under[i] = under[node.left] * under[node.right];
        if (size > kMost) size = Magnitude(ranges[node.left]) * Magnitude(ranges[node.right]);
        break;
      case Op::kDivide:
        under[i] = under[node.left] * std::max(1.0L, Magnitude(ranges[node.right]));
        break;
      case Op::kMin:
      case Op::kMax:
        under[i] = std::max(under[node.left], under[node.right]);
        break;
      default:
        break;
    }
    const long double largest = under[i] * std::max(1.0L, size);
    if (largest > kMost) return Excess{node.op, largest};
  }
  return std::nullopt;
}

template <typename View>
std::optional<Excess> ExcessOf(const TermView& term, const View& view) {
  return term.test.fractions ? FindExcess<Fraction>(term, view) : FindExcess<Whole>(term, view);
}

std::string PartText(Op op) {
  switch (op) {
    case Op::kAdd:
      return "a sum";
    case Op::kSubtract:
      return "a difference";
    case Op::kMultiply:
      return "a product";
    case Op::kDivide:
      return "a fraction";
    case Op::kCounter:
      return "a counter";
    default:
      return "a number";
  }
}

[[noreturn]] void Refuse(const std::string& term, const Excess& excess) {
  char size[32];
  std::snprintf(size, sizeof size, "%.3Lg", excess.size);
  throw Error(term + ": " + PartText(excess.op) + " in it may be " + size +
              (excess.op == Op::kCounter ? " or more" : "") +
              ", and terms are calculated up to 2^61: list smaller numbers, or divide before "
              "multiplying");
}

}  // namespace

/// Appends one comparison, or one weight, to the tables of the network.
class Freezer::TermGrounder {
 public:
  TermGrounder(Freezer& freezer, const Object* objects, std::size_t num_objects)
      : freezer_(freezer),
        tables_(freezer.network_.terms),
        objects_(objects),
        num_objects_(num_objects) {
    test_.node_begin = static_cast<std::uint32_t>(tables_.nodes.size());
    test_.leaf_begin = static_cast<std::uint32_t>(tables_.leaves.size());
  }

  /// False: a decision that it reads does not exist.
  bool Add(const Term& term, std::uint32_t* top) {
    std::vector<std::uint32_t> operands;
    for (const TermNode& node : term) {
      GroundTermNode ground;
      ground.op = GroundOpOf(node.kind);
      switch (node.kind) {
        case TermNode::Kind::kNumber:
        case TermNode::Kind::kCode:
          ground.number = freezer_.IntegerOf(node, objects_, num_objects_);
          break;
        case TermNode::Kind::kChoice:
          if (!Read(node.use, &ground)) return false;
          break;
        case TermNode::Kind::kNegate:
          ground.left = operands.back();
          operands.pop_back();
          break;
        default:
          ground.right = operands.back();
          operands.pop_back();
          ground.left = operands.back();
          operands.pop_back();
          test_.fractions |= ground.op == Op::kDivide;
          CheckWhole(ground);
      }
      is_fraction_.push_back(ground.op == Op::kDivide ||
                             (IsOperation(ground.op) && is_fraction_[ground.left]) ||
                             (IsBinary(ground.op) && is_fraction_[ground.right]));
      operands.push_back(static_cast<std::uint32_t>(tables_.nodes.size()) - test_.node_begin);
      tables_.nodes.push_back(ground);
    }
    EXH_CHECK(operands.size() == 1);
    *top = operands.front();
    return true;
  }

  TermTest& test() { return test_; }

  void Finish(const std::string& text) {
    test_.node_end = static_cast<std::uint32_t>(tables_.nodes.size());
    test_.leaf_end = static_cast<std::uint32_t>(tables_.leaves.size());
    constexpr std::size_t kLongestText = 300;
    const std::string place = "'" + Shortened(text, kLongestText) + "' in " + freezer_.place_;
    if (test_.node_end - test_.node_begin > kMostTermNodes) {
      Drop();
      throw Error(place + ": has more than " + std::to_string(kMostTermNodes) +
                  " numbers and operations; name parts of it by counters");
    }
    const auto [known, is_new] =
        freezer_.term_texts_.try_emplace(place, static_cast<std::uint32_t>(tables_.texts.size()));
    if (is_new) tables_.texts.push_back(place);
    test_.text = known->second;
  }

  TermView View() const { return {tables_, freezer_.network_.universes, test_}; }

  std::uint32_t Keep() {
    tables_.tests.push_back(test_);
    return static_cast<std::uint32_t>(tables_.tests.size()) - 1;
  }
  /// What was appended is not needed.
  void Drop() {
    tables_.nodes.resize(test_.node_begin);
    tables_.leaves.resize(test_.leaf_begin);
  }

 private:
  static bool IsOperation(Op op) {
    return op != Op::kNumber && op != Op::kDecision && op != Op::kCounter;
  }
  static bool IsBinary(Op op) { return IsOperation(op) && op != Op::kNegate; }

  void CheckWhole(const GroundTermNode& node) const {
    const bool of_wholes = node.op == Op::kDiv || node.op == Op::kMod;
    if ((of_wholes && is_fraction_[node.left]) ||
        ((of_wholes || node.op == Op::kDivide) && is_fraction_[node.right])) {
      throw Error("a term in " + freezer_.place_ +
                  ": 'div' and '%' take whole numbers, and '/' a whole divisor");
    }
  }

  bool Read(const ChoiceUse& use, GroundTermNode* node) {
    bool swapped = false;
    const int found = freezer_.Find(use, objects_, &swapped);
    if (found < 0) return false;
    if (freezer_.space_.choices[use.choice].kind == ChoiceKind::kCounter) {
      node->op = Op::kCounter;
      node->left = static_cast<std::uint32_t>(found);
      node->number = freezer_.network_.counters[found].offset;
      test_.counters = true;
      return true;
    }
    const auto decision = static_cast<DecisionId>(found);
    const TermLeaf leaf{freezer_.instance_->slots_[decision],
                        freezer_.instance_->universe_of_[decision],
                        static_cast<std::uint32_t>(freezer_.instance_->num_words(decision))};
    std::uint32_t position = test_.leaf_begin;
    while (position < tables_.leaves.size() && tables_.leaves[position].slot != leaf.slot) {
      ++position;
    }
    if (position == tables_.leaves.size()) tables_.leaves.push_back(leaf);
    node->left = position - test_.leaf_begin;
    return true;
  }

  Freezer& freezer_;
  TermTables& tables_;
  const Object* const objects_;
  const std::size_t num_objects_;
  TermTest test_;
  std::vector<bool> is_fraction_;  ///< By node.
};

std::int64_t Freezer::IntegerOf(const TermNode& node, const Object* objects,
                                std::size_t num_objects) {
  if (node.kind == TermNode::Kind::kNumber) return node.number;
  if (!node.external) return host_.Integer(node.code, {objects, num_objects});
  std::vector<Object> tuple;
  for (const int argument : node.use.arguments) tuple.push_back(objects[argument]);
  const auto [known, is_new] = integers_[node.code].try_emplace(std::move(tuple), 0);
  if (is_new) known->second = host_.Integer(node.code, known->first);
  return known->second;
}

void Freezer::FixTerms() {
  const auto fix = [&](Term* term) {
    for (TermNode& node : *term) {
      if (node.kind != TermNode::Kind::kCode) continue;
      node.number = IntegerOf(node, nullptr, 0);
      node.kind = TermNode::Kind::kNumber;
    }
  };
  Space& space = instance_->space_;
  if (space.objective) fix(&space.objective->term);
  if (space.lower_bound) fix(&space.lower_bound->term);
  if (instance_->root_result_ == Propagation::kDeadEnd) return;
  // What cannot be calculated is refused.
  if (space.objective) GroundedTerm(*instance_, space.objective->term, space.objective->text);
  if (space.lower_bound) GroundedTerm(*instance_, space.lower_bound->term, space.lower_bound->text);
}

Literal Freezer::LongLiteral(DecisionId decision, const std::vector<bool>& values) {
  const auto words = static_cast<std::uint32_t>(instance_->num_words(decision));
  const Literal literal{Literal::Kind::kLong,       {}, instance_->slots_[decision], words,
                        network_.long_masks.size(), 0};
  network_.long_masks.resize(network_.long_masks.size() + words, 0);
  for (std::size_t value = 0; value < values.size(); ++value) {
    if (values[value]) network_.long_masks[literal.x + value / 64] |= Bits{1} << value % 64;
  }
  return literal;
}

Freezer::Outcome Freezer::GroundTerms(const Condition& condition, const Object* objects,
                                      std::size_t num_objects, Literal* literal) {
  TermGrounder grounder(*this, objects, num_objects);
  TermTest& test = grounder.test();
  test.op = condition.op;
  if (!grounder.Add(condition.left, &test.left) || !grounder.Add(condition.right, &test.right)) {
    grounder.Drop();
    return Outcome::kUndefined;
  }
  grounder.Finish(condition.text);
  const TermView term = grounder.View();
  const std::uint32_t num_leaves = term.num_leaves();
  const bool is_short = num_leaves == 2 && term.leaf(0).words == 1 && term.leaf(1).words == 1;
  if (test.counters || num_leaves > 2 || (num_leaves == 2 && !is_short)) {
    *literal = {Literal::Kind::kTerm, {}, 0, 0, grounder.Keep(), condition.negated ? 1u : 0u};
    return Outcome::kOpen;
  }
  const std::vector<TermLeaf> leaves(network_.terms.leaves.begin() + test.leaf_begin,
                                     network_.terms.leaves.begin() + test.leaf_end);
  struct AllValues {
    std::span<const TermLeaf> leaves;
    const Universes& universes;
    Bits domain(Slot slot) const {
      for (const TermLeaf& leaf : leaves) {
        if (slot < leaf.slot || slot >= leaf.slot + leaf.words) continue;
        const std::size_t left = universes[leaf.universe].size() - 64 * (slot - leaf.slot);
        return left >= 64 ? ~Bits{0} : (Bits{1} << left) - 1;
      }
      return 0;
    }
    static Interval counter(std::uint32_t) { return {}; }
  };
  if (const auto excess = ExcessOf(term, AllValues{leaves, network_.universes})) {
    Refuse(network_.terms.texts[test.text], *excess);
  }
  Point point{leaves};
  const auto holds = [&] { return TermStatus(term, point, condition.negated) == Truth::kTrue; };
  if (num_leaves == 0) {
    const bool result = holds();
    grounder.Drop();
    return result ? Outcome::kTrue : Outcome::kFalse;
  }
  const auto size_of = [&](std::size_t leaf) {
    return static_cast<std::uint32_t>(network_.universes[leaves[leaf].universe].size());
  };
  if (num_leaves == 1) {
    std::vector<bool> values;
    for (point.values[0] = 0; point.values[0] < size_of(0); ++point.values[0]) {
      values.push_back(holds());
    }
    grounder.Drop();
    if (leaves[0].words > 1) {
      DecisionId decision = 0;
      while (instance_->slots_[decision] != leaves[0].slot) ++decision;
      *literal = LongLiteral(decision, values);
      return Outcome::kOpen;
    }
    Bits bits = 0;
    for (std::size_t value = 0; value < values.size(); ++value) {
      if (values[value]) bits |= Bits{1} << value;
    }
    *literal = {Literal::Kind::kIn, {}, leaves[0].slot, 0, bits, 0};
    return Outcome::kOpen;
  }
  std::vector<std::int64_t> key = {static_cast<std::int64_t>(condition.op),
                                   condition.negated,
                                   leaves[0].universe,
                                   leaves[1].universe,
                                   test.left,
                                   test.right};
  for (std::uint32_t i = 0; i < term.num_nodes(); ++i) {
    const GroundTermNode& node = term.node(i);
    key.insert(key.end(), {static_cast<std::int64_t>(node.op), node.left, node.right, node.number});
  }
  const auto [known, is_new] = term_pairs_.try_emplace(std::move(key));
  if (is_new) {
    std::vector<Bits> rows(size_of(0), 0);
    for (point.values[0] = 0; point.values[0] < size_of(0); ++point.values[0]) {
      for (point.values[1] = 0; point.values[1] < size_of(1); ++point.values[1]) {
        if (holds()) rows[point.values[0]] |= Bits{1} << point.values[1];
      }
    }
    known->second = relations_.InternPairs(std::move(rows), static_cast<int>(size_of(1)));
  }
  grounder.Drop();
  *literal = {Literal::Kind::kPair, {}, leaves[0].slot, leaves[1].slot, known->second.first,
              known->second.second};
  return Outcome::kOpen;
}

bool Freezer::GroundWeight(const Term& weight, const std::string& text, const Object* objects,
                           std::size_t num_objects, Increment* increment) {
  TermGrounder grounder(*this, objects, num_objects);
  TermTest& test = grounder.test();
  if (!grounder.Add(weight, &test.left)) {
    grounder.Drop();
    return false;
  }
  grounder.Finish(text);
  const TermView term = grounder.View();
  if (term.num_leaves() == 0 && !test.counters) {
    const std::string place = network_.terms.texts[test.text];
    if (const auto excess = ExcessOf(term, Point{})) Refuse(place, *excess);
    const TermRange<Whole> value = TermRangeOf(term, Point{});
    grounder.Drop();
    if (value.may_fail || value.min.sign() < 0) {
      throw Error(place + ": is no number of 0 to 2^61");
    }
    increment->value = static_cast<std::uint64_t>(value.min.value);
    return true;
  }
  increment->weight = Increment::Weight::kTerm;
  increment->source = grounder.Keep();
  return true;
}

namespace {

/// The weight of a counter is a number from 0 on.
template <typename View>
void CheckWeight(const TermView& term, const std::string& text, const View& view) {
  const TermRange<Whole> range = TermRangeOf(term, view);
  if (range.min.sign() >= 0 && !range.may_fail) return;
  throw Error(text + (range.may_fail ? ": may divide by 0"
                                     : ": may be negative, and a counter counts from 0 on"));
}

}  // namespace

void Freezer::CheckTerms() {
  const TermTables& terms = network_.terms;
  const State& root = instance_->root_;
  const StateLayout& layout = instance_->layout_;
  struct View {
    const StateLayout& layout;
    const State& root;
    Bits domain(Slot slot) const { return root.domain(layout, slot); }
    Interval counter(std::uint32_t number) const { return root.counter(layout, number); }
  } view{layout, root};
  for (const TermTest& test : terms.tests) {
    const TermView term{terms, network_.universes, test};
    if (const auto excess = ExcessOf(term, view)) Refuse(terms.texts[test.text], *excess);
    if (test.right == TermTest::kNoRight) CheckWeight(term, terms.texts[test.text], view);
  }
  CheckCounterPairs(view);
}

void Freezer::CheckWeights() {
  struct View {
    const RootDomains& domains;
    Bits domain(Slot slot) const { return domains.slots[slot]; }
    Interval counter(std::uint32_t number) const { return domains.counters[number]; }
  } view{domains_};
  for (const TermTest& test : network_.terms.tests) {
    if (test.right != TermTest::kNoRight) continue;
    CheckWeight({network_.terms, network_.universes, test}, network_.terms.texts[test.text], view);
  }
}

/// Counters that are compared as they are, not as terms, are exact up to kSaturated.
template <typename View>
void Freezer::CheckCounterPairs(const View& view) {
  std::vector<std::optional<std::uint64_t>> most(network_.counters.size());
  const std::function<std::uint64_t(std::uint32_t)> most_of = [&](std::uint32_t id) {
    if (most[id]) return *most[id];
    const Counter& counter = network_.counters[id];
    std::uint64_t total = counter.base;
    for (std::uint32_t i = counter.increment_begin; i < counter.increment_end; ++i) {
      const Increment& increment = network_.increments[i];
      bool may_count = true;
      for (std::uint32_t l = increment.literal_begin; l < increment.literal_end; ++l) {
        may_count = may_count &&
                    LiteralStatus(network_, view, network_.increment_literals[l]) != Truth::kFalse;
      }
      if (!may_count) continue;
      std::uint64_t weight = increment.value;
      if (increment.weight == Increment::Weight::kSlot) {
        weight = network_.universes[increment.universe].back();
      } else if (increment.weight == Increment::Weight::kCounter) {
        weight = most_of(increment.source);
      } else if (increment.weight == Increment::Weight::kTerm) {
        weight = WeightOf(TermRangeOf(TermOf(network_, increment.source), view)).max;
      }
      total = counter.product ? SaturatingMul(total, std::max<std::uint64_t>(1, weight))
                              : SaturatingAdd(total, weight);
    }
    most[id] = std::min(total, view.counter(id).max);
    return *most[id];
  };
  const auto check = [&](const Literal& literal, std::uint32_t origin) {
    if (literal.kind != Literal::Kind::kCounterPair || most_of(literal.a) != kSaturated ||
        most_of(literal.b) != kSaturated) {
      return;
    }
    throw Error("a comparison of two counters in " + OriginText(space_, network_.origins[origin]) +
                ": both may exceed 2^64, the most that counters count to: list smaller numbers");
  };
  for (const Constraint& constraint : network_.constraints) {
    if (constraint.kind != Constraint::Kind::kClause) continue;
    for (std::uint32_t l = constraint.literal_begin; l < constraint.literal_end; ++l) {
      check(network_.literals[l], constraint.origin);
    }
  }
  for (const Counter& counter : network_.counters) {
    for (std::uint32_t i = counter.increment_begin; i < counter.increment_end; ++i) {
      const Increment& increment = network_.increments[i];
      for (std::uint32_t l = increment.literal_begin; l < increment.literal_end; ++l) {
        check(network_.increment_literals[l], counter.origin);
      }
    }
  }
}

}  // namespace exh::runtime::internal

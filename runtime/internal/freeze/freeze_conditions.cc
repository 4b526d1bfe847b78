// SPDX-License-Identifier: MIT
//
// Conditions to literals. A condition of the space speaks of variables; here its variables are
// bound. What comes out is one of four: it holds or fails whatever is decided, it is a literal on a
// slot or a counter (kOpen), or a decision that it reads does not exist for these objects
// (kUndefined), and then the whole tuple says nothing. A pair of a symmetric choice is stored once,
// so that a use from the other side turns the values round (Oriented).
//
// With $a bound to object 3 and $b to object 1, and order a choice of pairs (BEFORE, AFTER):
//
//   mode($a) is NOW            the slot of mode(3), values {NOW}
//   order($a, $b) is BEFORE    the slot of order(1, 3), values {AFTER}
//   "$a.is_large"              a snippet: it holds or fails at once
#include <algorithm>
#include <bit>

#include "base/check.h"
#include "base/error.h"
#include "runtime/int_domain.h"
#include "runtime/internal/freeze/freezer.h"

namespace exh::runtime::internal {

int Freezer::Find(const ChoiceUse& use, const Object* objects, bool* swapped) const {
  std::array<Object, kMaxVariables> tuple{};
  EXH_CHECK(use.arguments.size() <= tuple.size());
  for (std::size_t i = 0; i < use.arguments.size(); ++i) tuple[i] = objects[use.arguments[i]];
  const ChoiceTable& table = objects_.choices[use.choice];
  const std::int32_t found = table.lookup[table.Index(tuple.data())];
  *swapped = (found & 1) != 0;
  return found < 0 ? -1 : found >> 1;
}

Bits Freezer::Oriented(int choice, bool swapped, Bits values) const {
  return swapped ? instance_->Invert(choice, values) : values;
}

std::uint64_t Freezer::NumberOf(DecisionId decision, bool swapped, int value) const {
  const Choice& choice = space_.choices[instance_->choice(decision)];
  if (choice.kind == ChoiceKind::kInteger) {
    return objects_.universes[instance_->universe_of_[decision]][value];
  }
  const bool inverts = swapped && choice.symmetry == Symmetry::kAntisymmetric;
  return static_cast<std::uint64_t>(inverts ? choice.inverse[value] : value);
}

Freezer::Outcome Freezer::GroundIs(const Condition& condition, const Object* objects,
                                   Literal* literal) const {
  bool swapped = false;
  const int decision = Find(condition.lhs, objects, &swapped);
  if (decision < 0) return Outcome::kUndefined;
  *literal = {Literal::Kind::kIn,
              {},
              instance_->slots_[decision],
              0,
              Oriented(condition.lhs.choice, swapped, condition.values),
              0};
  return Outcome::kOpen;
}

Freezer::Outcome Freezer::GroundCompareCode(const Condition& condition, const Object* objects,
                                            std::size_t num_objects, Literal* literal) {
  bool swapped = false;
  const int found = Find(condition.lhs, objects, &swapped);
  if (found < 0) return Outcome::kUndefined;
  const std::vector<std::uint32_t> numbers = NumbersOf(condition, objects, num_objects);
  if (numbers.empty()) return Outcome::kFalse;
  if (space_.choices[condition.lhs.choice].kind == ChoiceKind::kInteger) {
    const auto decision = static_cast<DecisionId>(found);
    if (instance_->IsLong(decision)) {
      std::vector<bool> holds;
      for (const std::uint32_t value : instance_->universe(decision)) {
        holds.push_back(HoldsForSome(condition.op, value, numbers));
      }
      *literal = LongLiteral(decision, holds);
      return Outcome::kOpen;
    }
    const Bits values =
        ValuesThat(instance_->universe(static_cast<DecisionId>(found)), condition.op, numbers);
    *literal = {Literal::Kind::kIn, {}, instance_->slots_[found], 0, values, 0};
    return Outcome::kOpen;
  }
  // A counter compares with the hull of a list.
  const auto counter = static_cast<std::uint32_t>(found);
  const auto above_base = static_cast<std::uint64_t>(-network_.counters[counter].offset);
  const std::uint64_t first = numbers.front() + above_base, last = numbers.back() + above_base;
  const auto within = [&](std::uint64_t low, std::uint64_t high) {
    *literal = {Literal::Kind::kCounterIn, {}, counter, 0, low, high};
    return Outcome::kOpen;
  };
  switch (condition.op) {
    case CompareOp::kLt:
      return last == 0 ? Outcome::kFalse : within(0, last - 1);
    case CompareOp::kLe:
      return within(0, last);
    case CompareOp::kGt:
      return within(first + 1, kSaturated);
    case CompareOp::kGe:
      return within(first, kSaturated);
    case CompareOp::kEq:
      return within(first, last);
    case CompareOp::kNe:
      if (first != last) return Outcome::kTrue;
      *literal = {Literal::Kind::kCounterNot, {}, counter, 0, first, 0};
      return Outcome::kOpen;
  }
  EXH_UNREACHABLE();
}

namespace {

bool ReadsDecisions(const Condition& condition) {
  const auto is_choice = [](const TermNode& node) { return node.kind == TermNode::Kind::kChoice; };
  return std::ranges::any_of(condition.left, is_choice) ||
         std::ranges::any_of(condition.right, is_choice);
}

std::vector<Object> TupleOf(const std::vector<int>& arguments, const Object* objects) {
  std::vector<Object> tuple;
  for (const int argument : arguments) tuple.push_back(objects[argument]);
  return tuple;
}

}  // namespace

bool Freezer::IsKnown(const Condition& condition) {
  return condition.kind == Condition::Kind::kCode ||
         condition.kind == Condition::Kind::kAscending ||
         condition.kind == Condition::Kind::kConstant ||
         (condition.kind == Condition::Kind::kTerms && !ReadsDecisions(condition));
}

bool Freezer::Holds(const Condition& condition, const Object* objects, std::size_t num_objects) {
  if (condition.kind == Condition::Kind::kConstant) return condition.constant;
  const std::vector<int>& arguments = condition.lhs.arguments;
  if (condition.kind == Condition::Kind::kAscending) {
    return (objects[arguments[0]] < objects[arguments[1]]) != condition.negated;
  }
  if (++asked_ % kAskedPerLook == 0) ticker_.Look();
  if (condition.kind == Condition::Kind::kTerms) {
    Literal none;
    return GroundTerms(condition, objects, num_objects, &none) == Outcome::kTrue;
  }
  if (!condition.external) {
    return host_.Test(condition.code, {objects, num_objects}) != condition.negated;
  }
  const auto [answer, is_new] =
      predicates_[condition.code].try_emplace(TupleOf(arguments, objects), false);
  if (is_new) answer->second = host_.Test(condition.code, answer->first);
  return answer->second != condition.negated;
}

std::vector<std::uint32_t> Freezer::NumbersOf(const Condition& condition, const Object* objects,
                                              std::size_t num_objects) {
  if (condition.code < 0) return condition.numbers;
  std::vector<std::uint32_t> numbers;
  if (condition.external) {
    const auto [known, is_new] =
        constants_[condition.code].try_emplace(TupleOf(condition.rhs.arguments, objects));
    if (is_new) known->second = host_.Numbers(condition.code, known->first);
    numbers = known->second;
  } else {
    numbers = host_.Numbers(condition.code, {objects, num_objects});
  }
  if (condition.single && numbers.size() != 1) {
    throw Error("a comparison of " + space_.choices[condition.lhs.choice].name +
                " stands after 'not' and is one with " + std::to_string(numbers.size()) +
                " numbers: it must be one number");
  }
  return numbers;
}

Freezer::Outcome Freezer::GroundPresent(const Condition& condition, const Object* objects,
                                        Literal* literal) {
  const Object object = host_.FindObject(condition.code, TupleOf(condition.lhs.arguments, objects));
  const SetTable& set = objects_.sets[condition.set.set];
  const Object parameter =
      condition.set.parameter < 0 ? kNoObject : objects[condition.set.parameter];
  const int membership = object < set.num_objects ? set.at(parameter, object) : kNotMember;
  if (membership < 0) {
    return (membership == kPermanent) != condition.negated ? Outcome::kTrue : Outcome::kFalse;
  }
  *literal = GroundClauses::MemberLiteral(static_cast<Slot>(membership), !condition.negated);
  return Outcome::kOpen;
}

Freezer::Outcome Freezer::GroundCompare(const Condition& condition, const Object* objects,
                                        Literal* literal) {
  bool left_swapped = false, right_swapped = false;
  const int left = Find(condition.lhs, objects, &left_swapped);
  const int right = Find(condition.rhs, objects, &right_swapped);
  if (left < 0 || right < 0) return Outcome::kUndefined;
  const bool counters = space_.choices[condition.lhs.choice].kind == ChoiceKind::kCounter;
  const bool as_terms = counters ? network_.counters[left].offset != network_.counters[right].offset
                                 : instance_->IsLong(static_cast<DecisionId>(left)) ||
                                       instance_->IsLong(static_cast<DecisionId>(right));
  if (as_terms) {
    Condition compared;
    compared.kind = Condition::Kind::kTerms;
    compared.op = condition.op;
    for (auto [term, use] :
         {std::pair{&compared.left, &condition.lhs}, std::pair{&compared.right, &condition.rhs}}) {
      TermNode& node = term->emplace_back();
      node.kind = TermNode::Kind::kChoice;
      node.use = *use;
    }
    return GroundTerms(compared, objects, 0, literal);
  }
  if (counters) {
    if (left == right) return Compare(condition.op, 0, 0) ? Outcome::kTrue : Outcome::kFalse;
    *literal = {Literal::Kind::kCounterPair,
                condition.op,
                static_cast<std::uint32_t>(left),
                static_cast<std::uint32_t>(right),
                0,
                0};
    return Outcome::kOpen;
  }
  const auto l = static_cast<DecisionId>(left), r = static_cast<DecisionId>(right);
  const int num_left = std::popcount(instance_->all_values_[l]);
  if (l == r) {  // c(a, b) against c(b, a), which are stored once.
    Bits values = 0;
    for (int v = 0; v < num_left; ++v) {
      if (Compare(condition.op, NumberOf(l, left_swapped, v), NumberOf(r, right_swapped, v))) {
        values |= Bits{1} << v;
      }
    }
    *literal = {Literal::Kind::kIn, {}, instance_->slots_[l], 0, values, 0};
    return Outcome::kOpen;
  }
  const auto [pairs, complement] = InternComparison(condition, l, left_swapped, r, right_swapped);
  *literal = {Literal::Kind::kPair, {},    instance_->slots_[l],
              instance_->slots_[r], pairs, complement};
  return Outcome::kOpen;
}

std::pair<std::uint32_t, std::uint32_t> Freezer::InternComparison(const Condition& condition,
                                                                  DecisionId left,
                                                                  bool left_swapped,
                                                                  DecisionId right,
                                                                  bool right_swapped) {
  const std::array<std::uint32_t, 5> key = {
      static_cast<std::uint32_t>(condition.lhs.choice), static_cast<std::uint32_t>(condition.op),
      instance_->universe_of_[left], instance_->universe_of_[right],
      static_cast<std::uint32_t>(2 * left_swapped + right_swapped)};
  const auto [known, is_new] = comparisons_.try_emplace(key);
  if (is_new) {
    const int num_left = std::popcount(instance_->all_values_[left]);
    const int num_right = std::popcount(instance_->all_values_[right]);
    std::vector<Bits> rows(num_left, 0);
    for (int v = 0; v < num_left; ++v) {
      for (int w = 0; w < num_right; ++w) {
        if (Compare(condition.op, NumberOf(left, left_swapped, v),
                    NumberOf(right, right_swapped, w))) {
          rows[v] |= Bits{1} << w;
        }
      }
    }
    known->second = relations_.InternPairs(std::move(rows), num_right);
  }
  return known->second;
}

Freezer::Outcome Freezer::Ground(const Condition& condition, const Object* objects,
                                 std::size_t num_objects, Literal* literal) {
  switch (condition.kind) {
    case Condition::Kind::kConstant:
    case Condition::Kind::kCode:
    case Condition::Kind::kAscending:
      return Holds(condition, objects, num_objects) ? Outcome::kTrue : Outcome::kFalse;
    case Condition::Kind::kPresent:
      return GroundPresent(condition, objects, literal);
    case Condition::Kind::kIs:
      return GroundIs(condition, objects, literal);
    case Condition::Kind::kCompare:
      return GroundCompare(condition, objects, literal);
    case Condition::Kind::kCompareCode:
      return GroundCompareCode(condition, objects, num_objects, literal);
    case Condition::Kind::kTerms:
      return GroundTerms(condition, objects, num_objects, literal);
  }
  EXH_UNREACHABLE();
}

Freezer::Outcome Freezer::GroundAll(std::span<const Condition> conditions, const Object* objects,
                                    std::size_t num_objects, std::vector<Literal>* literals) {
  bool open = false;
  // Host code last: it is the dear part, and often not needed.
  for (const bool code : {false, true}) {
    for (const Condition& condition : conditions) {
      if ((condition.kind == Condition::Kind::kCode) != code) continue;
      Literal literal;
      Outcome outcome = Ground(condition, objects, num_objects, &literal);
      if (outcome == Outcome::kOpen) {
        const Truth status = clauses_.Status(literal);
        if (status == Truth::kFalse) outcome = Outcome::kFalse;
        if (status == Truth::kTrue) outcome = Outcome::kTrue;
      }
      if (outcome == Outcome::kFalse || outcome == Outcome::kUndefined) return outcome;
      if (outcome == Outcome::kTrue) continue;
      literals->push_back(literal);
      open = true;
    }
  }
  return open ? Outcome::kOpen : Outcome::kTrue;
}

}  // namespace exh::runtime::internal

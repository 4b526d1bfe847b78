// SPDX-License-Identifier: MIT
#include "tests/support/oracle.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace exh::tests {

using runtime::Choice;
using runtime::ChoiceKind;
using runtime::ChoiceUse;
using runtime::CompareOp;
using runtime::Condition;
using runtime::Host;
using runtime::kNoObject;
using runtime::Symmetry;
using runtime::TermNode;
using runtime::Variable;

namespace {

bool Holds(CompareOp op, const Rational& a, const Rational& b) {
  switch (op) {
    case CompareOp::kLt:
      return a < b;
    case CompareOp::kGt:
      return b < a;
    case CompareOp::kLe:
      return !(b < a);
    case CompareOp::kGe:
      return !(a < b);
    case CompareOp::kEq:
      return a == b;
    case CompareOp::kNe:
      return !(a == b);
  }
  return false;
}

std::vector<Variable> CountedVariables(const Choice& counter) {
  std::vector<Variable> variables = counter.arguments;
  variables.insert(variables.end(), counter.over.begin(), counter.over.end());
  return variables;
}

constexpr Oracle::Count kLargest = std::numeric_limits<std::int64_t>::max() / 4;

Oracle::Count SaturatedSum(Oracle::Count a, Oracle::Count b) {
  return std::clamp(a + b, -kLargest, kLargest);
}

Oracle::Count SaturatedProduct(Oracle::Count a, Oracle::Count b) {
  return b != 0 && a > kLargest / b ? kLargest : a * b;
}

}  // namespace

Oracle::Oracle(const runtime::Space& space, const Host& host) : space_(space), host_(host) {
  for (std::size_t s = 0; s < space.sets.size(); ++s) {
    if (!space.sets[s].is_quotient) {
      listed_.push_back(host.Members(static_cast<int>(s)));
      continue;
    }
    listed_.emplace_back();
    for (const runtime::Quotient& quotient : space.quotients) {
      if (quotient.set != static_cast<int>(s)) continue;
      for (const Tuple& tuple : Tuples(quotient.variables, {})) {
        listed_[s].push_back({tuple.size() > 1 ? tuple.front() : kNoObject, tuple.back()});
      }
    }
  }
  for (std::size_t c = 0; c < space.choices.size(); ++c) {
    const Choice& choice = space.choices[c];
    if (choice.kind == ChoiceKind::kCounter) {
      for (const Tuple& tuple : Tuples(choice.arguments, {})) {
        counters_.insert({static_cast<int>(c), tuple});
      }
      continue;
    }
    int flag_of = -1;
    for (std::size_t q = 0; q < space.quotients.size(); ++q) {
      if (space.quotients[q].flag == static_cast<int>(c)) flag_of = static_cast<int>(q);
    }
    for (const Tuple& tuple : Tuples(choice.arguments, {})) {
      if (choice.symmetry != Symmetry::kNone && tuple[0] > tuple[1]) continue;
      Decision decision{static_cast<int>(c), tuple, static_cast<int>(choice.values.size()), {}};
      if (choice.kind == ChoiceKind::kInteger) {
        decision.universe =
            choice.universe < 0 ? choice.numbers : host.Numbers(choice.universe, tuple);
        decision.num_values = static_cast<int>(decision.universe.size());
      }
      decision_ids_[{static_cast<int>(c), tuple}] = static_cast<int>(decisions_.size());
      decisions_.push_back(std::move(decision));
      quotient_of_.push_back(flag_of);
    }
  }
  for (std::size_t t = 0; t < space.triggers.size(); ++t) {
    for (const Tuple& tuple : Tuples(space.triggers[t].variables, {})) {
      const bool asked = std::ranges::all_of(space.triggers[t].when, [&](const Condition& c) {
        const bool known = c.kind == Condition::Kind::kConstant ||
                           c.kind == Condition::Kind::kCode ||
                           c.kind == Condition::Kind::kAscending;
        return !known || Evaluate(c, tuple) == Value::kTrue;
      });
      if (!asked) continue;
      const int fired = static_cast<int>(fired_.size());
      fired_.emplace_back(static_cast<int>(t), tuple);
      for (const Host::Planned& planned : host.Plan(static_cast<int>(t), tuple)) {
        adders_[{planned.set, planned.member}].insert(fired);
      }
    }
  }
  for (const runtime::Clause& clause : space.clauses) {
    clause_tuples_.push_back(Tuples(clause.variables, {}));
  }
  for (std::size_t c = 0; c < space.choices.size(); ++c) {
    const Choice& choice = space.choices[c];
    if (choice.kind != ChoiceKind::kCounter || choice.visibility != runtime::Visibility::kFull) {
      continue;
    }
    for (const Tuple& tuple : Tuples(CountedVariables(choice), {})) {
      if (AppearsLater(static_cast<int>(c), tuple)) later_.emplace_back(static_cast<int>(c), tuple);
    }
  }
}

// ---- Sets.

std::vector<int> Oracle::Ancestors(int set) const {
  std::vector<int> chain;
  for (; set >= 0; set = space_.sets[set].superset) chain.push_back(set);
  return chain;
}

std::vector<runtime::Object> Oracle::Listed(const runtime::SetRef& ref, const Tuple& scope) const {
  std::vector<Object> objects;
  for (const Host::Member& member : listed_[ref.set]) {
    if (ref.parameter < 0 || member.parameter == scope[ref.parameter]) {
      objects.push_back(member.object);
    }
  }
  return objects;
}

/// Whether objects of these sets are compared where variables must be distinct (docs/dsl.md,
/// "require"): by the closest common superset; never through a promise of disjointness.
bool Oracle::Differ(const runtime::SetRef& a, const runtime::SetRef& b) const {
  const std::vector<int> up_a = Ancestors(a.set), up_b = Ancestors(b.set);
  for (std::size_t i = 0; i < up_a.size(); ++i) {
    for (std::size_t j = 0; j < up_b.size(); ++j) {
      if (up_a[i] != up_b[j]) continue;
      const bool parametric = space_.sets[up_a[i]].parameter_set >= 0;
      if (parametric && a.parameter != b.parameter) continue;  // Meet further up.
      for (std::size_t x = 0; x < i; ++x) {
        for (std::size_t y = 0; y < j; ++y) {
          if (std::ranges::count(space_.sets[up_a[x]].disjoint, up_b[y]) != 0 ||
              std::ranges::count(space_.sets[up_b[y]].disjoint, up_a[x]) != 0) {
            return false;
          }
        }
      }
      return true;
    }
  }
  return false;
}

std::vector<Oracle::Tuple> Oracle::Tuples(const std::vector<Variable>& variables,
                                          Tuple prefix) const {
  if (prefix.size() == variables.size()) return {prefix};
  const std::size_t next = prefix.size();
  std::vector<Tuple> tuples;
  for (const Object object : Listed(variables[next].set, prefix)) {
    bool distinct = true;
    for (std::size_t v = 0; v < next; ++v) {
      if (prefix[v] == object && Differ(variables[v].set, variables[next].set)) distinct = false;
    }
    if (!distinct) continue;
    Tuple longer = prefix;
    longer.push_back(object);
    for (Tuple& tuple : Tuples(variables, longer)) tuples.push_back(std::move(tuple));
  }
  return tuples;
}

bool Oracle::HasFired(int fired) {
  const auto it = has_fired_.find(fired);
  if (it != has_fired_.end()) return it->second.value_or(false);
  has_fired_[fired] = std::nullopt;
  const auto& [trigger, tuple] = fired_[fired];
  const bool result = AllMembers(space_.triggers[trigger].variables, tuple) &&
                      AllHold(space_.triggers[trigger].when, tuple);
  has_fired_[fired] = result;
  return result;
}

bool Oracle::IsMember(int set, Object parameter, Object object) {
  for (; set >= 0; set = space_.sets[set].superset) {
    const bool parametric = space_.sets[set].parameter_set >= 0;
    const Host::Member member{parametric ? parameter : kNoObject, object};
    if (std::ranges::count(listed_[set], member) == 0) return false;
    if (space_.sets[set].is_quotient) {
      for (const runtime::Quotient& quotient : space_.quotients) {
        if (quotient.set != set) continue;
        const Tuple tuple = parametric ? Tuple{parameter, object} : Tuple{object};
        if (FlagValue(decision_ids_.at({quotient.flag, tuple})) != 1) return false;
      }
    }
    const auto adders = adders_.find({set, member});
    if (adders == adders_.end()) continue;
    if (std::ranges::none_of(adders->second, [&](int fired) { return HasFired(fired); })) {
      return false;
    }
  }
  return true;
}

bool Oracle::AllMembers(const std::vector<Variable>& variables, const Tuple& tuple) {
  for (std::size_t v = 0; v < variables.size(); ++v) {
    const runtime::SetRef& ref = variables[v].set;
    const Object parameter = ref.parameter < 0 ? kNoObject : tuple[ref.parameter];
    if (!IsMember(ref.set, parameter, tuple[v])) return false;
  }
  return true;
}

// ---- Values.

int Oracle::FindDecision(const ChoiceUse& use, const Tuple& scope, bool* swapped) const {
  Tuple tuple;
  for (const int argument : use.arguments) tuple.push_back(scope[argument]);
  *swapped = false;
  if (space_.choices[use.choice].symmetry != Symmetry::kNone && tuple[0] > tuple[1]) {
    std::swap(tuple[0], tuple[1]);
    *swapped = true;
  }
  const auto it = decision_ids_.find({use.choice, tuple});
  return it == decision_ids_.end() ? -1 : it->second;
}

std::optional<int> Oracle::ValueOf(const ChoiceUse& use, const Tuple& scope) {
  bool swapped = false;
  const int decision = FindDecision(use, scope, &swapped);
  if (decision < 0) return std::nullopt;
  const Choice& choice = space_.choices[use.choice];
  const int value = quotient_of_[decision] >= 0 ? FlagValue(decision) : values_[decision];
  return swapped && choice.symmetry == Symmetry::kAntisymmetric ? choice.inverse[value] : value;
}

/// What a comparison reads: the number of an integer, the value number of an enum, a counter.
std::optional<Oracle::Count> Oracle::NumberOf(const ChoiceUse& use, const Tuple& scope) {
  if (space_.choices[use.choice].kind == ChoiceKind::kCounter) {
    Tuple arguments;
    for (const int argument : use.arguments) arguments.push_back(scope[argument]);
    if (!counters_.contains({use.choice, arguments})) return std::nullopt;
    return CounterValue(use.choice, arguments);
  }
  const std::optional<int> value = ValueOf(use, scope);
  if (!value) return std::nullopt;
  if (space_.choices[use.choice].kind == ChoiceKind::kEnum) return *value;
  bool swapped = false;
  return decisions_[FindDecision(use, scope, &swapped)].universe[*value];
}

bool Oracle::IsDefined(const runtime::Term& term, const Tuple& scope) {
  return std::ranges::all_of(term, [&](const TermNode& node) {
    return node.kind != TermNode::Kind::kChoice || NumberOf(node.use, scope).has_value();
  });
}

std::optional<Rational> Oracle::ValueOf(const runtime::Term& term, const Tuple& scope) {
  return TermValue(term, [&](const TermNode& node) -> Rational {
    if (node.kind == TermNode::Kind::kNumber) return node.number;
    if (node.kind == TermNode::Kind::kChoice) return NumberOf(node.use, scope).value();
    return node.external ? host_.Numbers(node.code, {}).front() : host_.Integer(node.code, scope);
  });
}

/// The representative is the smallest eligible member of its class.
int Oracle::FlagValue(int decision) {
  const auto it = flags_.find(decision);
  if (it != flags_.end()) {
    if (!it->second) throw std::logic_error("a quotient set that depends on itself");
    return *it->second;
  }
  flags_[decision] = std::nullopt;
  const runtime::Quotient& quotient = space_.quotients[quotient_of_[decision]];
  const Tuple& tuple = decisions_[decision].objects;
  const auto eligible = [&](const Tuple& t) {
    return AllMembers(quotient.variables, t) && AllHold(quotient.dividend, t);
  };
  bool elected = eligible(tuple);
  for (const Tuple& other : Tuples(quotient.variables, {})) {
    if (!elected) break;
    const bool same_parameter = tuple.size() == 1 || other.front() == tuple.front();
    if (!same_parameter || other.back() >= tuple.back()) continue;
    const std::optional<int> relation =
        ValueOf({quotient.equivalence, {0, 1}}, {tuple.back(), other.back()});
    if (relation && (quotient.equivalence_values >> *relation & 1) != 0 && eligible(other)) {
      elected = false;
    }
  }
  flags_[decision] = elected ? 1 : 0;
  return elected ? 1 : 0;
}

Oracle::Tuple Oracle::Bound(const Condition& condition, const Tuple& scope) {
  Tuple tuple;
  for (const int argument : condition.lhs.arguments) tuple.push_back(scope[argument]);
  return tuple;
}

Oracle::Value Oracle::Evaluate(const Condition& condition, const Tuple& scope) {
  const auto truth = [](bool value) { return value ? Value::kTrue : Value::kFalse; };
  switch (condition.kind) {
    case Condition::Kind::kConstant:
      return truth(condition.constant);
    case Condition::Kind::kCode: {
      const bool holds =
          host_.Test(condition.code, condition.external ? Bound(condition, scope) : scope);
      return truth(holds != condition.negated);
    }
    case Condition::Kind::kAscending: {
      const Tuple pair = Bound(condition, scope);
      return truth((pair[0] < pair[1]) != condition.negated);
    }
    case Condition::Kind::kPresent: {
      const Object object = host_.FindObject(condition.code, Bound(condition, scope));
      const int parameter = condition.set.parameter;
      const bool present =
          object != kNoObject &&
          IsMember(condition.set.set, parameter < 0 ? kNoObject : scope[parameter], object);
      return truth(present != condition.negated);
    }
    case Condition::Kind::kIs: {
      const std::optional<int> value = ValueOf(condition.lhs, scope);
      return value ? truth((condition.values >> *value & 1) != 0) : Value::kUndefined;
    }
    case Condition::Kind::kCompare: {
      const auto left = NumberOf(condition.lhs, scope), right = NumberOf(condition.rhs, scope);
      return left && right ? truth(Holds(condition.op, *left, *right)) : Value::kUndefined;
    }
    case Condition::Kind::kTerms: {
      if (!IsDefined(condition.left, scope) || !IsDefined(condition.right, scope)) {
        return Value::kUndefined;
      }
      const auto left = ValueOf(condition.left, scope), right = ValueOf(condition.right, scope);
      const bool holds = left && right && Holds(condition.op, *left, *right);
      return truth(holds != condition.negated);
    }
    case Condition::Kind::kCompareCode: {
      const std::optional<Count> value = NumberOf(condition.lhs, scope);
      if (!value) return Value::kUndefined;
      const std::vector<std::uint32_t> numbers = condition.code < 0 ? condition.numbers
                                                 : condition.external
                                                     ? host_.Numbers(condition.code, {})
                                                     : host_.Numbers(condition.code, scope);
      if (space_.choices[condition.lhs.choice].kind == ChoiceKind::kCounter && !numbers.empty() &&
          condition.op == CompareOp::kEq) {
        return truth(numbers.front() <= *value && *value <= numbers.back());
      }
      return truth(std::ranges::any_of(
          numbers, [&](Count number) { return Holds(condition.op, *value, number); }));
    }
  }
  return Value::kUndefined;
}

bool Oracle::AllHold(const std::vector<Condition>& conditions, const Tuple& scope) {
  return std::ranges::all_of(
      conditions, [&](const Condition& c) { return Evaluate(c, scope) == Value::kTrue; });
}

void Oracle::AppendAdders(const std::vector<Variable>& variables, const Tuple& tuple,
                          std::size_t first, std::size_t last, std::set<FiredSet>* adders) const {
  for (std::size_t v = first; v < last; ++v) {
    const runtime::SetRef& ref = variables[v].set;
    for (const int set : Ancestors(ref.set)) {
      const bool parametric = space_.sets[set].parameter_set >= 0;
      const auto it =
          adders_.find({set, {parametric ? tuple[ref.parameter] : kNoObject, tuple[v]}});
      if (it != adders_.end()) adders->insert(it->second);
    }
  }
}

bool Oracle::AppearsLater(int number, const Tuple& tuple) const {
  const Choice& choice = space_.choices[number];
  const std::vector<Variable> variables = CountedVariables(choice);
  std::set<FiredSet> own, needed;
  AppendAdders(variables, tuple, 0, choice.arguments.size(), &own);
  AppendAdders(variables, tuple, choice.arguments.size(), tuple.size(), &needed);
  return std::ranges::any_of(needed, [&](const FiredSet& f) { return own.count(f) == 0; });
}

std::optional<Oracle::Count> Oracle::Weight(const Choice& counter, const Tuple& tuple) {
  if (counter.weight_term.empty()) {
    if (counter.weight.choice >= 0) return NumberOf(counter.weight, tuple);
    return host_.Numbers(counter.weight_code, tuple).front();
  }
  if (!IsDefined(counter.weight_term, tuple)) return std::nullopt;
  const std::optional<Rational> weight = ValueOf(counter.weight_term, tuple);
  if (!weight || !weight->IsWhole() || weight->numerator() < 0) {
    throw std::logic_error("what " + counter.name + " counts is no number from 0 on");
  }
  return weight->numerator();
}

const std::vector<Oracle::Tuple>& Oracle::Counted(int number, const Tuple& arguments) {
  const auto [known, is_new] = counted_.try_emplace({number, arguments});
  if (is_new) {
    const Choice& choice = space_.choices[number];
    known->second = Tuples(CountedVariables(choice), arguments);
    if (choice.visibility == runtime::Visibility::kFull) {
      std::erase_if(known->second, [&](const Tuple& t) { return AppearsLater(number, t); });
    }
  }
  return known->second;
}

Oracle::Count Oracle::Base(int number, const Tuple& arguments) const {
  const Choice& choice = space_.choices[number];
  if (choice.base >= 0) return host_.Integer(choice.base, arguments);
  return choice.has_base_number ? choice.base_number : choice.product ? 1 : 0;
}

Oracle::Count Oracle::CounterValue(int number, const Tuple& arguments) {
  const Choice& choice = space_.choices[number];
  const std::vector<Variable> variables = CountedVariables(choice);
  Count value = Base(number, arguments);
  for (const Tuple& tuple : Counted(number, arguments)) {
    if (!AllMembers(variables, tuple) || !AllHold(choice.when, tuple)) continue;
    const std::optional<Count> weight = Weight(choice, tuple);
    if (!weight) continue;
    value = choice.product ? SaturatedProduct(value, *weight) : SaturatedSum(value, *weight);
  }
  return value;
}

// ---- Assignments.

/// Decisions that are not live take value 0, so that each implementation is met once.
bool Oracle::IsCanonical() {
  for (std::size_t d = 0; d < decisions_.size(); ++d) {
    if (quotient_of_[d] >= 0 || values_[d] == 0) continue;
    if (!AllMembers(space_.choices[decisions_[d].choice].arguments, decisions_[d].objects)) {
      return false;
    }
  }
  return true;
}

bool Oracle::IsLegal() {
  for (std::size_t c = 0; c < space_.clauses.size(); ++c) {
    const runtime::Clause& clause = space_.clauses[c];
    for (const Tuple& tuple : clause_tuples_[c]) {
      if (!AllMembers(clause.variables, tuple)) continue;
      bool holds = false;
      for (const Condition& condition : clause.conditions) {
        holds |= Evaluate(condition, tuple) != Value::kFalse;  // Undefined: no such tuple.
      }
      if (!holds) return false;
    }
  }
  return std::ranges::none_of(later_, [&](const std::pair<int, Tuple>& later) {
    const Choice& choice = space_.choices[later.first];
    return AllMembers(CountedVariables(choice), later.second) && AllHold(choice.when, later.second);
  });
}

Oracle::Solution Oracle::Describe() {
  Solution solution;
  for (std::size_t d = 0; d < decisions_.size(); ++d) {
    const Decision& decision = decisions_[d];
    const bool live = AllMembers(space_.choices[decision.choice].arguments, decision.objects);
    const int value = quotient_of_[d] >= 0 ? FlagValue(static_cast<int>(d)) : values_[d];
    solution.values.push_back(live ? value : kAbsent);
  }
  for (std::size_t s = 0; s < space_.sets.size(); ++s) {
    for (const Host::Member& member : listed_[s]) {
      solution.members[{static_cast<int>(s), member}] =
          IsMember(static_cast<int>(s), member.parameter, member.object);
    }
  }
  for (const auto& counter : counters_) {
    const auto& [number, tuple] = counter;
    if (!AllMembers(space_.choices[number].arguments, tuple)) continue;
    solution.counters[counter] = CounterValue(number, tuple);
  }
  return solution;
}

std::uint64_t Oracle::NumAssignments(std::uint64_t limit) const {
  std::uint64_t product = 1;
  for (std::size_t d = 0; d < decisions_.size() && product <= limit; ++d) {
    if (quotient_of_[d] < 0) product *= static_cast<std::uint64_t>(decisions_[d].num_values);
  }
  return product;
}

std::vector<Oracle::Solution> Oracle::Solve() {
  std::vector<Solution> solutions;
  values_.assign(decisions_.size(), 0);
  while (true) {
    flags_.clear();
    has_fired_.clear();
    if (IsCanonical() && IsLegal()) solutions.push_back(Describe());
    std::size_t d = 0;
    for (; d < decisions_.size(); ++d) {
      if (quotient_of_[d] >= 0) continue;
      if (++values_[d] < decisions_[d].num_values) break;
      values_[d] = 0;
    }
    if (d == decisions_.size()) return solutions;
  }
}

}  // namespace exh::tests

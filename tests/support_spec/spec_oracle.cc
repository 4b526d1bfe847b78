// SPDX-License-Identifier: MIT
#include "tests/support_spec/spec_oracle.h"

#include <algorithm>
#include <stdexcept>

namespace exh::tests {

using dsl::ChoiceKind;
using dsl::CompareOp;
using dsl::Condition;
using dsl::Symmetry;
using dsl::Variable;

namespace {

bool Compares(CompareOp op, const Rational& a, const Rational& b) {
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

std::vector<Variable> Joined(std::vector<Variable> a, const std::vector<Variable>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

template <typename Map>
const typename Map::mapped_type& Given(const Map& map, const std::string& key) {
  const auto found = map.find(key);
  if (found == map.end()) throw std::logic_error("the test does not say what this is: " + key);
  return found->second;
}

}  // namespace

SpecOracle::SpecOracle(const dsl::Spec& spec, const SpecWorld& world) : spec_(spec), world_(world) {
  for (std::size_t t = 0; t < spec.triggers.size(); ++t) {
    const dsl::Trigger& trigger = spec.triggers[t];
    for (const Tuple& tuple : Tuples(trigger.variables)) {
      for (const auto& [name, members] :
           Given(world.plans, trigger.label)(Bind(trigger.variables, tuple))) {
        const auto set = std::ranges::find(spec.sets, name, &dsl::Set::name) - spec.sets.begin();
        for (const SpecMember& member : members) {
          adders_[{static_cast<int>(set), member}].insert({static_cast<int>(t), tuple});
        }
      }
    }
  }
  for (std::size_t c = 0; c < spec.choices.size(); ++c) {
    const dsl::Choice& choice = spec.choices[c];
    if (choice.kind == ChoiceKind::kCounter) continue;
    for (const Tuple& tuple : Tuples(choice.arguments)) {
      if (choice.symmetry != Symmetry::kNone && tuple[0] > tuple[1]) continue;
      Decision decision{static_cast<int>(c), tuple, static_cast<int>(choice.values.size()), {}};
      if (choice.kind == ChoiceKind::kInteger) {
        decision.universe = !choice.numbers.empty()
                                ? choice.numbers
                                : Numbers(choice.universe, choice.arguments, tuple);
        decision.num_values = static_cast<int>(decision.universe.size());
      }
      ids_[{static_cast<int>(c), tuple}] = static_cast<int>(decisions_.size());
      decisions_.push_back(decision);
    }
  }
}

Bindings SpecOracle::Bind(const std::vector<Variable>& scope, const Tuple& tuple) const {
  Bindings bindings;
  for (std::size_t i = 0; i < tuple.size(); ++i) bindings[scope[i].name] = tuple[i];
  return bindings;
}

std::vector<std::uint32_t> SpecOracle::Numbers(const dsl::Snippet& snippet,
                                               const std::vector<Variable>& scope,
                                               const Tuple& tuple) const {
  return Given(world_.numbers, snippet.text)(Bind(scope, tuple));
}

std::int64_t SpecOracle::Integer(const dsl::Snippet& snippet, const std::vector<Variable>& scope,
                                 const Tuple& tuple) const {
  const auto found = world_.integers.find(snippet.text);
  if (found != world_.integers.end()) return found->second(Bind(scope, tuple));
  return Numbers(snippet, scope, tuple).at(0);
}

/// Objects of one root are distinct whichever sets they are taken from; the test spaces make no
/// promises of disjointness.
std::vector<SpecOracle::Tuple> SpecOracle::Tuples(const std::vector<Variable>& variables,
                                                  Tuple prefix) const {
  if (prefix.size() == variables.size()) return {prefix};
  const dsl::SetRef& ref = variables[prefix.size()].set;
  int listed = ref.set;
  while (spec_.sets[listed].is_quotient) listed = spec_.sets[listed].superset->set;
  std::vector<Tuple> tuples;
  for (const SpecMember& member : Given(world_.members, spec_.sets[listed].name)) {
    if (member.parameter >= 0 && member.parameter != prefix[ref.parameter]) continue;
    bool distinct = true;
    for (std::size_t i = 0; i < prefix.size(); ++i) {
      const bool same_root = spec_.sets[variables[i].set.set].root == spec_.sets[ref.set].root;
      distinct = distinct && !(same_root && prefix[i] == member.object);
    }
    if (!distinct) continue;
    Tuple longer = prefix;
    longer.push_back(member.object);
    for (Tuple& tuple : Tuples(variables, longer)) tuples.push_back(std::move(tuple));
  }
  return tuples;
}

const dsl::Quotient* SpecOracle::QuotientOf(int flag) const {
  for (const dsl::Quotient& quotient : spec_.quotients) {
    if (quotient.flag == flag) return &quotient;
  }
  return nullptr;
}

bool SpecOracle::IsMember(int set, SpecMember member) {
  for (; set >= 0; set = spec_.sets[set].superset ? spec_.sets[set].superset->set : -1) {
    const bool parametric = spec_.sets[set].parameter.has_value();
    const SpecMember here{parametric ? member.parameter : -1, member.object};
    if (spec_.sets[set].is_quotient) {
      for (const dsl::Quotient& quotient : spec_.quotients) {
        if (quotient.set != set) continue;
        const Tuple tuple = parametric ? Tuple{here.parameter, here.object} : Tuple{here.object};
        if (Flag(quotient, tuple) == 0) return false;
      }
    }
    const auto adders = adders_.find({set, here});
    if (adders == adders_.end()) continue;
    if (std::ranges::none_of(adders->second, [&](const auto& f) { return fired_.contains(f); })) {
      return false;
    }
  }
  return true;
}

bool SpecOracle::AreMembers(const std::vector<Variable>& variables, const Tuple& tuple) {
  for (std::size_t i = 0; i < tuple.size(); ++i) {
    const dsl::SetRef& ref = variables[i].set;
    if (!IsMember(ref.set, {ref.parameter < 0 ? -1 : tuple[ref.parameter], tuple[i]})) return false;
  }
  return true;
}

/// Triggers fire until nothing more does.
void SpecOracle::Fire() {
  fired_.clear();
  for (bool again = true; again;) {
    again = false;
    for (std::size_t t = 0; t < spec_.triggers.size(); ++t) {
      const dsl::Trigger& trigger = spec_.triggers[t];
      for (const Tuple& tuple : Tuples(trigger.variables)) {
        const std::pair<int, Tuple> key(static_cast<int>(t), tuple);
        if (fired_.contains(key) || !AreMembers(trigger.variables, tuple)) continue;
        if (AllHold(trigger.when, trigger.variables, tuple)) again = fired_.insert(key).second;
      }
    }
  }
}

/// TRUE for the smallest eligible item of each class.
int SpecOracle::Flag(const dsl::Quotient& quotient, const Tuple& tuple) {
  const auto eligible = [&](const Tuple& item) {
    return AreMembers(quotient.variables, item) &&
           AllHold(quotient.dividend, quotient.variables, item);
  };
  if (!eligible(tuple)) return 0;
  for (const Tuple& other : Tuples(quotient.variables)) {
    const bool same_parameter = tuple.size() == 1 || other[0] == tuple[0];
    if (!same_parameter || other.back() >= tuple.back() || !eligible(other)) continue;
    dsl::Instance pair;
    pair.choice = quotient.equivalence;
    pair.arguments = {0, 1};
    if ((quotient.equivalence_values >> Value(pair, {tuple.back(), other.back()})) & 1) return 0;
  }
  return 1;
}

int SpecOracle::Value(const dsl::Instance& instance, const Tuple& tuple) {
  const dsl::Choice& choice = spec_.choices[instance.choice];
  Tuple objects;
  for (const int argument : instance.arguments) objects.push_back(tuple[argument]);
  if (const dsl::Quotient* quotient = QuotientOf(instance.choice)) return Flag(*quotient, objects);
  const bool swapped = choice.symmetry != Symmetry::kNone && objects[0] > objects[1];
  if (swapped) std::swap(objects[0], objects[1]);
  const int value = values_[ids_.at({instance.choice, objects})];
  return swapped && choice.symmetry == Symmetry::kAntisymmetric ? choice.inverse[value] : value;
}

std::int64_t SpecOracle::Number(const dsl::Instance& instance, const Tuple& tuple) {
  Tuple objects;
  for (const int argument : instance.arguments) objects.push_back(tuple[argument]);
  switch (spec_.choices[instance.choice].kind) {
    case ChoiceKind::kEnum:
      return Value(instance, tuple);
    case ChoiceKind::kInteger:
      return decisions_[ids_.at({instance.choice, objects})].universe[Value(instance, tuple)];
    case ChoiceKind::kCounter:
      return CounterValue(instance.choice, objects);
  }
  return 0;
}

std::optional<Rational> SpecOracle::Value(const dsl::Term& term, const std::vector<Variable>& scope,
                                          const Tuple& tuple) {
  using NodeKind = dsl::TermNode::Kind;
  return TermValue(term, [&](const dsl::TermNode& node) -> Rational {
    if (node.kind == NodeKind::kNumber) return node.number;
    if (node.kind == NodeKind::kInstance) return Number(node.instance, tuple);
    if (node.external >= 0) return Integer(spec_.externals[node.external].code, {}, {});
    return Integer(node.code, scope, tuple);
  });
}

SpecOracle::Tuple SpecOracle::BoundTo(const Condition& condition, const Tuple& tuple) {
  Tuple bound;
  for (const int argument : condition.lhs.arguments) bound.push_back(tuple[argument]);
  return bound;
}

bool SpecOracle::Holds(const Condition& condition, const std::vector<Variable>& scope,
                       const Tuple& tuple) {
  switch (condition.kind) {
    case Condition::Kind::kConstant:
      return condition.constant;
    case Condition::Kind::kCode: {
      if (condition.external < 0) {
        return Given(world_.tests, condition.code.text)(Bind(scope, tuple)) != condition.negated;
      }
      const dsl::External& external = spec_.externals[condition.external];
      const Tuple bound = BoundTo(condition, tuple);
      return Given(world_.tests, external.code.text)(Bind(external.arguments, bound)) !=
             condition.negated;
    }
    case Condition::Kind::kAscending: {
      const Tuple bound = BoundTo(condition, tuple);
      return (bound[0] < bound[1]) != condition.negated;
    }
    case Condition::Kind::kPresent:
      break;  // The worlds of these tests have no planned objects.
    case Condition::Kind::kIs:
      return (condition.values >> Value(condition.lhs, tuple)) & 1;
    case Condition::Kind::kCompare:
      return Compares(condition.op, Number(condition.lhs, tuple), Number(condition.rhs, tuple));
    case Condition::Kind::kTerms: {
      const auto left = Value(condition.left, scope, tuple);
      const auto right = Value(condition.right, scope, tuple);
      const bool holds = left && right && Compares(condition.op, *left, *right);
      return holds != condition.negated;
    }
    case Condition::Kind::kCompareCode: {
      const std::int64_t value = Number(condition.lhs, tuple);
      const std::vector<std::uint32_t> numbers =
          !condition.numbers.empty() ? condition.numbers
          : condition.external >= 0  ? Numbers(spec_.externals[condition.external].code, {}, {})
                                     : Numbers(condition.code, scope, tuple);
      return std::ranges::any_of(
          numbers, [&](std::int64_t number) { return Compares(condition.op, value, number); });
    }
  }
  return false;
}

bool SpecOracle::AllHold(const std::vector<Condition>& conditions,
                         const std::vector<Variable>& scope, const Tuple& tuple) {
  return std::ranges::all_of(conditions,
                             [&](const Condition& each) { return Holds(each, scope, tuple); });
}

std::int64_t SpecOracle::Base(int number, const Tuple& arguments) const {
  const dsl::Choice& choice = spec_.choices[number];
  if (choice.base) return Integer(*choice.base, choice.arguments, arguments);
  return choice.base_number.value_or(choice.product ? 1 : 0);
}

std::int64_t SpecOracle::CounterValue(int number, const Tuple& arguments) {
  const dsl::Choice& choice = spec_.choices[number];
  const std::vector<Variable> scope = Joined(choice.arguments, choice.over);
  std::int64_t value = Base(number, arguments);
  for (const Tuple& tuple : Tuples(scope, arguments)) {
    if (!AreMembers(scope, tuple) || !AllHold(choice.when, scope, tuple)) continue;
    std::int64_t weight = 0;
    if (!choice.weight_term.empty()) {
      const auto counted = Value(choice.weight_term, scope, tuple);
      if (!counted || !counted->IsWhole() || counted->numerator() < 0) {
        throw std::logic_error("what " + choice.name + " counts is no number from 0 on");
      }
      weight = counted->numerator();
    } else {
      weight = choice.weight ? Number(*choice.weight, tuple)
                             : Numbers(*choice.weight_code, scope, tuple)[0];
    }
    value = choice.product ? value * weight : value + weight;
  }
  return value;
}

bool SpecOracle::IsLegal() {
  for (const dsl::Requirement& requirement : spec_.requirements) {
    for (const Tuple& tuple : Tuples(requirement.variables)) {
      if (!AreMembers(requirement.variables, tuple)) continue;
      for (const std::vector<Condition>& clause : requirement.clauses) {
        const bool holds = std::ranges::any_of(clause, [&](const Condition& condition) {
          return Holds(condition, requirement.variables, tuple);
        });
        if (!holds) return false;
      }
    }
  }
  return true;
}

std::vector<SpecOracle::Solution> SpecOracle::Solve() {
  std::set<Solution> solutions;
  values_.assign(decisions_.size(), 0);
  while (true) {
    Fire();
    Solution solution = values_;
    for (std::size_t d = 0; d < decisions_.size(); ++d) {
      const Decision& decision = decisions_[d];
      if (const dsl::Quotient* quotient = QuotientOf(decision.choice)) {
        solution[d] = Flag(*quotient, decision.objects);
      }
      if (!AreMembers(spec_.choices[decision.choice].arguments, decision.objects)) {
        solution[d] = kAbsent;
      }
    }
    if (IsLegal()) solutions.insert(solution);
    std::size_t d = 0;
    for (; d < decisions_.size(); ++d) {
      if (QuotientOf(decisions_[d].choice) != nullptr) continue;
      if (++values_[d] < decisions_[d].num_values) break;
      values_[d] = 0;
    }
    if (d == decisions_.size()) return {solutions.begin(), solutions.end()};
  }
}

std::int64_t SpecOracle::Counter(const Solution& solution, int choice, const Tuple& arguments) {
  values_ = solution;
  for (int& value : values_) value = std::max(value, 0);
  Fire();
  return CounterValue(choice, arguments);
}

bool SpecOracle::AreMembers(const Solution& solution, const std::vector<Variable>& variables,
                            const Tuple& tuple) {
  values_ = solution;
  for (int& value : values_) value = std::max(value, 0);
  Fire();
  return AreMembers(variables, tuple);
}

}  // namespace exh::tests

// SPDX-License-Identifier: MIT
#include "tests/support/space_builder.h"

#include <algorithm>
#include <set>

namespace exh::tests {

using runtime::Bits;
using runtime::Choice;
using runtime::ChoiceKind;
using runtime::CompareOp;
using runtime::Condition;
using runtime::Host;
using runtime::kNoObject;
using runtime::Variable;

TestSpace SpaceBuilder::Build() {
  AddSets();
  AddChoices();
  if (Chance(35)) AddQuotient();
  if (Chance(60)) AddCounters();
  if (planned_ != kNoObject) AddTriggers();
  AddRequirements();
  return std::move(test_);
}

void SpaceBuilder::AddRequirements() {
  const int requirements = 1 + Below(4);
  for (int i = 0; i < requirements; ++i) AddRequirement();
}

Bits SpaceBuilder::SomeValues(int num_values) {
  const Bits all = (Bits{1} << num_values) - 1;
  Bits values = 0;
  while (values == 0 || values == all) values = random_() & all;
  return values;
}

Condition SpaceBuilder::RandomCode(int percent) {
  const std::uint64_t salt = random_();
  return test_.Code([salt, percent](TableHost::Tuple tuple) {
    std::uint64_t hash = salt;
    for (const Object object : tuple) hash = (hash ^ object) * 0x9E3779B97F4A7C15u;
    return (hash >> 33) % 100 < static_cast<std::uint64_t>(percent);
  });
}

void SpaceBuilder::AddSets() {
  const int size = num_items_ > 0 ? num_items_ : 2 + Below(3);
  items_ = test_.AddRoot("Items", size);
  sets_.push_back(items_);
  if (Chance(45)) planned_ = static_cast<Object>(size - 1);
  if (Chance(60)) {
    std::vector<Object> objects;
    for (int object = 0; object < size; ++object) {
      if (Chance(60)) objects.push_back(static_cast<Object>(object));
    }
    subset_ = test_.AddSubset("Sub", items_, objects);
    sets_.push_back(subset_);
  }
  if (Chance(30)) {
    std::vector<Object> objects;
    for (int object = 0; object < size; ++object) {
      if (Chance(50)) objects.push_back(static_cast<Object>(object));
    }
    const int other = test_.AddSubset("Other", items_, objects);
    if (subset_ >= 0 && Chance(50)) test_.space.sets[other].disjoint.push_back(subset_);
    sets_.push_back(other);
  }
  if (Chance(40)) {
    owners_ = test_.AddRoot("Owners", 1 + Below(2));
    sets_.push_back(owners_);
  }
  if (Chance(35)) {
    const int parameter = owners_ >= 0 ? owners_ : items_;
    std::vector<Host::Member> members;
    for (const Host::Member& owner : test_.host.set_members[parameter]) {
      for (int object = 0; object < size; ++object) {
        if (Chance(50)) members.push_back({owner.object, static_cast<Object>(object)});
      }
    }
    parametric_ = test_.AddParametric("Parts", parameter, items_, std::move(members));
  }
}

std::vector<Variable> SpaceBuilder::RandomVariables(int count) {
  std::vector<Variable> variables;
  while (static_cast<int>(variables.size()) < count) {
    if (parametric_ >= 0 && Chance(25)) {
      const int parameter_set = test_.space.sets[parametric_].parameter_set;
      int parameter = -1;
      for (std::size_t v = 0; v < variables.size(); ++v) {
        if (variables[v].set.set == parameter_set) parameter = static_cast<int>(v);
      }
      if (parameter < 0) {
        parameter = static_cast<int>(variables.size());
        variables.push_back(Var(parameter_set));
      }
      variables.push_back(Var(parametric_, parameter));
    } else {
      variables.push_back(Var(sets_[Below(static_cast<int>(sets_.size()))]));
    }
  }
  return variables;
}

void SpaceBuilder::AddChoices() {
  const int count = 1 + Below(3);
  for (int i = 0; i < count; ++i) AddRandomChoice("c" + std::to_string(i));
}

void SpaceBuilder::AddRandomChoice(const std::string& name) {
  const int kind = Below(10);
  if (kind < 3) {
    test_.AddEnum(name, RandomVariables(1), NumValues());
  } else if (kind < 4) {
    test_.AddEnum(name, RandomVariables(2), 2);
  } else if (kind < 5) {
    test_.AddSymmetric(name, items_, NumValues());
  } else if (kind < 7) {
    if (num_items_ > 0 && Chance(50)) {
      test_.AddAntisymmetric(name, items_, {1, 0, 3, 2, 4});
    } else if (Chance(50)) {
      test_.AddAntisymmetric(name, items_, {1, 0});
    } else {
      test_.AddAntisymmetric(name, items_, {1, 0, 2});
    }
  } else {
    std::vector<std::vector<std::uint32_t>> universes;
    for (int object = 0; object < std::max(4, num_items_); ++object) {
      std::set<std::uint32_t> numbers;
      const int size = 2 + Below(2);
      while (static_cast<int>(numbers.size()) < size) numbers.insert(1 + Below(6));
      universes.emplace_back(numbers.begin(), numbers.end());
    }
    test_.AddInteger(name, {Var(Chance(70) ? items_ : sets_.back())},
                     [universes](TableHost::Tuple tuple) { return universes[tuple[0]]; });
  }
}

bool SpaceBuilder::IsSubset(int set, int superset) const {
  for (; set >= 0; set = test_.space.sets[set].superset) {
    if (set == superset) return true;
  }
  return false;
}

std::vector<int> SpaceBuilder::Arguments(int choice, const std::vector<Variable>& scope) {
  const std::vector<Variable>& formal = test_.space.choices[choice].arguments;
  std::vector<int> order(scope.size()), actual;
  for (std::size_t v = 0; v < scope.size(); ++v) order[v] = static_cast<int>(v);
  std::shuffle(order.begin(), order.end(), random_);
  for (const Variable& argument : formal) {
    int found = -1;
    for (const int v : order) {
      const bool used = std::ranges::count(actual, v) != 0;
      if (used || !IsSubset(scope[v].set.set, argument.set.set)) continue;
      if (argument.set.parameter >= 0 && scope[v].set.parameter != actual[argument.set.parameter]) {
        continue;
      }
      found = v;
      break;
    }
    if (found < 0) return {};
    actual.push_back(found);
  }
  return actual;
}

bool SpaceBuilder::RandomCondition(const std::vector<Variable>& scope, bool counters,
                                   Condition* condition) {
  if (Chance(8)) {
    *condition = RandomCode(50);
    return true;
  }
  const int number = Below(static_cast<int>(test_.space.choices.size()));
  const Choice& choice = test_.space.choices[number];
  if (choice.kind == ChoiceKind::kCounter && !counters) return false;
  const std::vector<int> arguments = Arguments(number, scope);
  if (arguments.size() != choice.arguments.size()) return false;
  const auto op = static_cast<CompareOp>(Below(6));
  if (Chance(25) && !choice.arguments.empty()) {
    std::vector<int> other = Arguments(number, scope);
    if (other.size() != arguments.size()) return false;
    const bool enumeration = choice.kind == ChoiceKind::kEnum;
    *condition = Compares(number, arguments,
                          enumeration ? (Chance(50) ? CompareOp::kEq : CompareOp::kNe) : op,
                          std::move(other));
    return condition->rhs.arguments != arguments;
  }
  if (choice.kind == ChoiceKind::kEnum) {
    *condition = Is(number, arguments, SomeValues(static_cast<int>(choice.values.size())));
    return true;
  }
  std::set<std::uint32_t> numbers = {static_cast<std::uint32_t>(Below(7))};
  if (choice.kind == ChoiceKind::kCounter && Chance(60)) {
    numbers = {static_cast<std::uint32_t>(Below(choice.product ? 20 : 8))};
  }
  while (Chance(30)) numbers.insert(Below(8));
  *condition = test_.ComparesCode(number, arguments, op, {numbers.begin(), numbers.end()});
  return true;
}

void SpaceBuilder::AddQuotient() {
  int equivalence = -1;
  for (std::size_t c = 0; c < test_.space.choices.size(); ++c) {
    if (test_.space.choices[c].symmetry != runtime::Symmetry::kNone) {
      equivalence = static_cast<int>(c);
    }
  }
  if (equivalence < 0) equivalence = test_.AddSymmetric("same", items_, 2);
  const Choice& choice = test_.space.choices[equivalence];
  // Closed under inversion: of three antisymmetric values the last is its own image.
  const Bits values = choice.symmetry == runtime::Symmetry::kSymmetric ? Bits{1}
                      : choice.inverse.size() == 3                     ? Bits{4}
                                                                       : Bits{3};
  const int parameter_set = owners_ >= 0 && Chance(50) ? owners_ : -1;
  std::vector<Variable> scope;
  if (parameter_set >= 0) scope.push_back(Var(parameter_set));
  scope.push_back(Var(items_));
  std::vector<Condition> dividend;
  for (int i = Below(3); i > 0; --i) {
    Condition condition;
    if (RandomCondition(scope, false, &condition)) dividend.push_back(condition);
  }
  const int set =
      test_.AddQuotient("Leads", items_, parameter_set, std::move(dividend), equivalence, values);
  if (parameter_set < 0) sets_.push_back(set);
}

void SpaceBuilder::AddCounters() {
  for (int i = 1 + Below(2); i > 0; --i) {
    const std::string name = "n" + std::to_string(i);
    const std::vector<Variable> arguments = RandomVariables(Below(2));
    std::vector<Variable> scope = arguments;
    std::vector<Variable> over;
    if (Chance(85)) {
      const bool use_parametric =
          parametric_ >= 0 && arguments.size() == 1 &&
          arguments[0].set.set == test_.space.sets[parametric_].parameter_set;
      over.push_back(use_parametric && Chance(50)
                         ? Var(parametric_, 0)
                         : Var(sets_[Below(static_cast<int>(sets_.size()))]));
      if (Chance(20)) over.push_back(Var(items_));
    }
    scope.insert(scope.end(), over.begin(), over.end());
    std::vector<Condition> when;
    for (int tries = Below(4); tries > 0; --tries) {
      Condition condition;
      if (RandomCondition(scope, false, &condition)) when.push_back(condition);
    }
    // The value counted: a number, an integer decision or an earlier counter.
    runtime::ChoiceUse weight;
    for (std::size_t c = 0; c < test_.space.choices.size(); ++c) {
      if (test_.space.choices[c].kind == ChoiceKind::kEnum || !Chance(60)) continue;
      if (!MayBeCounted(test_.space.choices[c])) continue;
      const std::vector<int> actual = Arguments(static_cast<int>(c), scope);
      if (actual.size() == test_.space.choices[c].arguments.size()) {
        weight = {static_cast<int>(c), actual};
      }
    }
    const runtime::CodeId weight_code = test_.Number(Below(4));
    const runtime::CodeId base = Chance(50) ? test_.Number(Below(3)) : -1;
    const auto visibility = static_cast<runtime::Visibility>(Below(3));
    Choice& counter = test_.AddCounter(name, arguments, Chance(40), visibility);
    counter.over = std::move(over);
    counter.when = std::move(when);
    counter.weight = weight;
    if (weight.choice < 0) counter.weight_code = weight_code;
    counter.base = base;
    VaryCounter(scope, &counter);
  }
}

void SpaceBuilder::AddTriggers() {
  // The planned object joins Items, and every set that lists it: all or only some of them.
  std::vector<Host::Planned> planned = {{items_, {kNoObject, planned_}}};
  for (std::size_t set = 0; set < test_.space.sets.size(); ++set) {
    if (test_.space.sets[set].is_quotient || test_.space.sets[set].root != items_) continue;
    for (const Host::Member& member : test_.host.set_members[set]) {
      if (member.object == planned_ && static_cast<int>(set) != items_ && Chance(70)) {
        planned.push_back({static_cast<int>(set), member});
      }
    }
  }
  for (int i = 1 + Below(2); i > 0; --i) {
    std::vector<Variable> scope = {Var(items_)};
    if (Chance(40)) scope.push_back(Var(items_));
    std::vector<Condition> when;
    for (int tries = 0; tries < 4 && (when.empty() || Chance(40)); ++tries) {
      Condition condition;
      if (!RandomCondition(scope, false, &condition)) continue;
      if (ReadsQuotient(condition)) continue;  // Objects and classes must not need each other.
      when.push_back(condition);
    }
    const Object object = planned_;
    test_.AddTrigger(scope, std::move(when), [planned, object](TableHost::Tuple tuple) {
      const bool self = std::ranges::count(tuple, object) != 0;
      return self ? std::vector<Host::Planned>{} : planned;
    });
  }
}

bool SpaceBuilder::ReadsQuotient(const Condition& condition) const {
  if (condition.lhs.choice < 0) return false;
  return std::ranges::any_of(test_.space.quotients, [&](const runtime::Quotient& quotient) {
    return quotient.flag == condition.lhs.choice;
  });
}

void SpaceBuilder::AddRequirement() {
  const std::vector<Variable> scope = RandomVariables(1 + Below(3));
  std::vector<Condition> conditions;
  const int size = 1 + Below(num_items_ > 0 ? 5 : 3);
  for (int tries = 0; tries < 12 && static_cast<int>(conditions.size()) < size; ++tries) {
    Condition condition;
    if (RandomCondition(scope, true, &condition)) conditions.push_back(condition);
  }
  if (!conditions.empty()) test_.Require(scope, std::move(conditions));
}

}  // namespace exh::tests

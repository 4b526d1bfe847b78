// SPDX-License-Identifier: MIT
#include "tests/support/table_host.h"

#include <algorithm>
#include <cctype>

namespace exh::tests {

using runtime::Choice;
using runtime::ChoiceKind;
using runtime::Condition;
using runtime::Variable;

namespace {

std::string Prefix(const std::string& name) {
  std::string prefix(1, static_cast<char>(std::tolower(static_cast<unsigned char>(name[0]))));
  return prefix;
}

}  // namespace

int TestSpace::AddRoot(const std::string& name, int size) {
  const int number = static_cast<int>(space.sets.size());
  space.sets.push_back({.name = name, .root = number});
  host.sizes.push_back(size);
  host.prefixes.push_back(Prefix(name));
  std::vector<runtime::Host::Member> members;
  for (int object = 0; object < size; ++object) {
    members.push_back({runtime::kNoObject, static_cast<Object>(object)});
  }
  host.set_members.push_back(std::move(members));
  return number;
}

int TestSpace::AddSubset(const std::string& name, int superset, std::vector<Object> objects) {
  const int number = static_cast<int>(space.sets.size());
  space.sets.push_back({.name = name, .superset = superset, .root = space.sets[superset].root});
  host.sizes.push_back(0);
  host.prefixes.push_back("");
  std::vector<runtime::Host::Member> members;
  for (const Object object : objects) members.push_back({runtime::kNoObject, object});
  host.set_members.push_back(std::move(members));
  return number;
}

int TestSpace::AddParametric(const std::string& name, int parameter_set, int superset,
                             std::vector<runtime::Host::Member> members, int size) {
  const int number = static_cast<int>(space.sets.size());
  space.sets.push_back({.name = name,
                        .superset = superset,
                        .root = superset < 0 ? number : space.sets[superset].root,
                        .parameter_set = parameter_set});
  host.sizes.push_back(size);
  host.prefixes.push_back(Prefix(name));
  host.set_members.push_back(std::move(members));
  return number;
}

int TestSpace::AddEnum(const std::string& name, std::vector<Variable> arguments, int num_values) {
  Choice choice;
  choice.name = name;
  choice.arguments = std::move(arguments);
  for (int value = 0; value < num_values; ++value) {
    choice.values.push_back(value < 26 ? std::string(1, static_cast<char>('A' + value))
                                       : "V" + std::to_string(value));
  }
  space.choices.push_back(std::move(choice));
  return static_cast<int>(space.choices.size()) - 1;
}

int TestSpace::AddSymmetric(const std::string& name, int set, int num_values) {
  const int number = AddEnum(name, {Var(set), Var(set)}, num_values);
  space.choices[number].symmetry = runtime::Symmetry::kSymmetric;
  return number;
}

int TestSpace::AddAntisymmetric(const std::string& name, int set, std::vector<int> inverse) {
  const int number = AddEnum(name, {Var(set), Var(set)}, static_cast<int>(inverse.size()));
  space.choices[number].symmetry = runtime::Symmetry::kAntisymmetric;
  space.choices[number].inverse = std::move(inverse);
  return number;
}

int TestSpace::AddInteger(const std::string& name, std::vector<Variable> arguments,
                          TableHost::NumbersCode universe) {
  Choice choice;
  choice.name = name;
  choice.kind = ChoiceKind::kInteger;
  choice.arguments = std::move(arguments);
  choice.universe = Numbers(std::move(universe));
  space.choices.push_back(std::move(choice));
  return static_cast<int>(space.choices.size()) - 1;
}

int TestSpace::AddInteger(const std::string& name, std::vector<Variable> arguments,
                          std::vector<std::uint32_t> numbers) {
  Choice choice;
  choice.name = name;
  choice.kind = ChoiceKind::kInteger;
  choice.arguments = std::move(arguments);
  choice.numbers = std::move(numbers);
  space.choices.push_back(std::move(choice));
  return static_cast<int>(space.choices.size()) - 1;
}

Choice& TestSpace::AddCounter(const std::string& name, std::vector<Variable> arguments,
                              bool product, runtime::Visibility visibility) {
  Choice choice;
  choice.name = name;
  choice.kind = ChoiceKind::kCounter;
  choice.arguments = std::move(arguments);
  choice.product = product;
  choice.visibility = visibility;
  space.choices.push_back(std::move(choice));
  return space.choices.back();
}

int TestSpace::AddQuotient(const std::string& name, int item_set, int parameter_set,
                           std::vector<Condition> dividend, int equivalence,
                           runtime::Bits equivalence_values) {
  std::vector<Variable> variables;
  if (parameter_set >= 0) variables.push_back(Var(parameter_set));
  variables.push_back(Var(item_set));
  const int number = static_cast<int>(space.sets.size());
  space.sets.push_back({.name = name,
                        .superset = item_set,
                        .root = space.sets[item_set].root,
                        .parameter_set = parameter_set,
                        .is_quotient = true});
  host.sizes.push_back(0);
  host.prefixes.push_back("");
  host.set_members.emplace_back();
  const int flag = AddEnum("is_" + name, variables, 2);
  space.choices[flag].values = {"FALSE", "TRUE"};
  space.quotients.push_back(
      {number, variables, flag, std::move(dividend), equivalence, equivalence_values});
  return number;
}

void TestSpace::AddTrigger(std::vector<Variable> variables, std::vector<Condition> when,
                           TableHost::PlanCode plan) {
  const std::string label = "trigger_" + std::to_string(space.triggers.size());
  space.triggers.push_back({label, {"test.exh", 1}, std::move(variables), std::move(when)});
  host.plans.push_back(std::move(plan));
}

void TestSpace::Require(std::vector<Variable> variables, std::vector<Condition> conditions,
                        const std::string& label) {
  const int number = static_cast<int>(space.requirements.size());
  space.requirements.push_back(
      {label.empty() ? "require_" + std::to_string(number) : label, {"test.exh", number + 1}});
  space.clauses.push_back({number, std::move(variables), std::move(conditions)});
}

runtime::CodeId TestSpace::Test(TableHost::TestCode code) {
  host.tests.push_back(std::move(code));
  host.numbers.emplace_back();
  host.integers.emplace_back();
  return static_cast<int>(host.tests.size()) - 1;
}

runtime::CodeId TestSpace::Numbers(TableHost::NumbersCode code) {
  const runtime::CodeId number = Test({});
  host.numbers[number] = std::move(code);
  return number;
}

runtime::CodeId TestSpace::Integer(TableHost::IntegerCode code) {
  const runtime::CodeId number = Test({});
  host.integers[number] = std::move(code);
  return number;
}

runtime::CodeId TestSpace::Number(std::uint32_t number) {
  return Numbers([number](TableHost::Tuple) { return std::vector<std::uint32_t>{number}; });
}

Condition TestSpace::Code(TableHost::TestCode code) {
  Condition condition;
  condition.kind = Condition::Kind::kCode;
  condition.code = Test(std::move(code));
  return condition;
}

Condition TestSpace::ComparesCode(int choice, std::vector<int> arguments, runtime::CompareOp op,
                                  std::vector<std::uint32_t> numbers) {
  Condition condition;
  condition.kind = Condition::Kind::kCompareCode;
  condition.lhs = {choice, std::move(arguments)};
  condition.op = op;
  condition.code = Numbers([numbers](TableHost::Tuple) { return numbers; });
  return condition;
}

int TestSpace::choice(const std::string& name) const {
  const auto it = std::ranges::find(space.choices, name, &Choice::name);
  return static_cast<int>(it - space.choices.begin());
}

}  // namespace exh::tests

// SPDX-License-Identifier: MIT
#include "tests/support_spec/filter_engine.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "runtime/instance.h"

namespace exh::tests {

using runtime::Bits;
using runtime::Choice;
using runtime::ChoiceKind;
using runtime::ChoiceUse;
using runtime::Condition;
using runtime::Object;
using runtime::Variable;

namespace {

/// Those values of a counter that are in the universe of the decision it counts: the smallest ones.
Bits CountsMask(const FilterAxis& axis) {
  return (Bits{1} << axis.universe.size()) - 1;
}

std::vector<Object> ObjectsOf(const ChoiceUse& use) {
  return {use.arguments.begin(), use.arguments.end()};  // Variable i is object i.
}

/// With the numbers between: a counter is an interval.
Bits Hull(Bits counts) {
  if (counts == 0) return 0;
  const int min = std::countr_zero(counts), max = 63 - std::countl_zero(counts);
  return (Bits{2} << max) - (Bits{1} << min);
}

std::string NumberName(const std::string& counter) {
  return counter + "_number";
}

}  // namespace

std::vector<std::uint32_t> FilterEngine::UniverseOf(int choice, TableHost::Tuple tuple) const {
  for (int i = 0; i < case_.num_decisions(); ++i) {
    if (case_.decision(i).choice == choice &&
        std::ranges::equal(ObjectsOf(case_.decision(i)), tuple)) {
      return AxisOf(i).universe;
    }
  }
  return {0};
}

const FilterAxis& FilterEngine::AxisOf(int decision) const {
  return decision == 0 ? case_.target() : case_.axis(decision - 1);
}

/// The choice over any objects; a counter is the sum of one integer decision.
int FilterEngine::AddChoice(TestSpace& test, int choice, int root) const {
  const Choice& original = space_.choices[choice];
  const std::vector<Variable> arguments(original.arguments.size(), Var(root));
  switch (original.kind) {
    case ChoiceKind::kEnum: {
      const int added =
          test.AddEnum(original.name, arguments, static_cast<int>(original.values.size()));
      test.space.choices[added].symmetry = original.symmetry;
      test.space.choices[added].inverse = original.inverse;
      return added;
    }
    case ChoiceKind::kInteger:
      return test.AddInteger(original.name, arguments, [this, choice](TableHost::Tuple tuple) {
        return UniverseOf(choice, tuple);
      });
    case ChoiceKind::kCounter: {
      const int number = test.AddInteger(
          NumberName(original.name), arguments,
          [this, choice](TableHost::Tuple tuple) { return UniverseOf(choice, tuple); });
      Choice& counter = test.AddCounter(original.name, arguments, false, original.visibility);
      counter.weight.choice = number;
      for (std::size_t i = 0; i < arguments.size(); ++i) {
        counter.weight.arguments.push_back(static_cast<int>(i));
      }
      return static_cast<int>(test.space.choices.size()) - 1;
    }
  }
  EXH_UNREACHABLE();
}

std::shared_ptr<const runtime::Instance> FilterEngine::Freeze(std::span<const int> snippets) const {
  const runtime::Clause& clause = space_.clauses[filter_.clause];
  TestSpace test;
  const int root = test.AddRoot("Objects", std::max(1, static_cast<int>(clause.variables.size())));
  std::vector<Variable> variables;
  for (std::size_t i = 0; i < clause.variables.size(); ++i) {
    variables.push_back(
        Var(test.AddSubset("Only" + std::to_string(i), root, {static_cast<Object>(i)})));
  }
  std::map<int, int> choices;
  for (int i = 0; i < case_.num_decisions(); ++i) {
    const int choice = case_.decision(i).choice;
    if (!choices.contains(choice)) choices[choice] = AddChoice(test, choice, root);
  }
  std::vector<Condition> conditions = clause.conditions;
  std::size_t snippet = 0;
  for (Condition& condition : conditions) {
    if (condition.lhs.choice >= 0) condition.lhs.choice = choices.at(condition.lhs.choice);
    if (condition.rhs.choice >= 0) condition.rhs.choice = choices.at(condition.rhs.choice);
    const bool compares = condition.kind == Condition::Kind::kCompareCode;
    const bool asks = compares ? condition.code >= 0
                               : condition.kind == Condition::Kind::kCode ||
                                     condition.kind == Condition::Kind::kAscending ||
                                     condition.kind == Condition::Kind::kPresent;
    if (!asks) continue;
    const FilterAxis& axis = case_.axis(case_.num_inputs() + static_cast<int>(snippet));
    const runtime::FilterArgument& argument =
        axis.arguments[static_cast<std::size_t>(snippets[snippet])];
    ++snippet;
    condition.external = false;
    if (compares) {
      condition.code = test.Numbers([&argument](TableHost::Tuple) {
        return std::vector<std::uint32_t>(argument.numbers.begin(), argument.numbers.end());
      });
    } else {  // Whoever is asked, here a predicate answers.
      condition.kind = Condition::Kind::kCode;
      condition.lhs = {};
      condition.code = test.Test([&argument](TableHost::Tuple) { return argument.holds; });
    }
  }
  test.Require(std::move(variables), std::move(conditions));
  return runtime::Instance::Freeze(test.space, test.host);
}

runtime::Action FilterEngine::Restriction(const runtime::Instance& instance, int decision,
                                          Bits values) const {
  const ChoiceUse& use = case_.decision(decision);
  const Choice& original = space_.choices[use.choice];
  const bool counter = original.kind == ChoiceKind::kCounter;
  const int choice = instance.FindChoice(counter ? NumberName(original.name) : original.name);
  const auto found = instance.FindDecision(choice, ObjectsOf(use));
  EXH_CHECK(found.has_value());
  if (counter) values &= CountsMask(AxisOf(decision));
  return {found->id, found->swapped ? instance.Invert(choice, values) : values};
}

/// In the orientation of the filter.
Bits FilterEngine::Domain(const runtime::Candidate& candidate, int decision) const {
  const runtime::Instance& instance = candidate.instance();
  const runtime::DecisionId id = Restriction(instance, decision, 0).decision;
  Bits values = candidate.domain(id);
  const auto objects = ObjectsOf(case_.decision(decision));
  const auto found = instance.FindDecision(instance.choice(id), objects);
  return found->swapped ? instance.Invert(instance.choice(id), values) : values;
}

std::string FilterEngine::Judge(std::span<const int> combination, Bits exact) {
  const bool counter = case_.kind(0) == dsl::ChoiceKind::kCounter;
  for (int input = 0; input < case_.num_inputs(); ++input) {
    if (case_.kind(input + 1) != dsl::ChoiceKind::kCounter) continue;
    const FilterAxis& axis = case_.axis(input);
    const Bits domain = axis.domains[static_cast<std::size_t>(combination[input])];
    if ((domain & ~CountsMask(axis)) != 0) return "";
  }
  const auto first_snippet = combination.begin() + case_.num_inputs();
  const std::vector<int> snippets(first_snippet, combination.end());
  const auto [known, fresh] = frozen_.try_emplace(snippets);
  if (fresh) known->second = Freeze(snippets);
  const runtime::Instance& instance = *known->second;
  std::vector<runtime::Action> actions;
  for (int input = 0; input < case_.num_inputs(); ++input) {
    const FilterAxis& axis = case_.axis(input);
    const Bits domain = axis.domains[static_cast<std::size_t>(combination[input])];
    actions.push_back(Restriction(instance, input + 1, domain));
  }
  Bits left = 0;
  if (instance.root_result() == runtime::Propagation::kFixpoint) {
    runtime::Candidate candidate(known->second);
    if (candidate.Restrict(actions) == runtime::Propagation::kFixpoint) left = Domain(candidate, 0);
  }
  if (counter) exact &= CountsMask(case_.target());
  const bool lost = (exact & ~left) != 0;
  const bool weaker = (left & ~(counter ? Hull(exact) : exact)) != 0;
  if (!lost && (!weaker || (counter && case_.num_mentions() > 1))) return "";
  return "engine: " +
         case_.Describe(combination, exact, {.bits = left, .interval = case_.IntervalOf(left)});
}

}  // namespace exh::tests

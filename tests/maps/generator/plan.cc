// SPDX-License-Identifier: MIT
#include "tests/maps/generator/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "generator/plan/names.h"

namespace exh::generator {
namespace {

using dsl::ChoiceKind;
using dsl::CompareOp;
using dsl::Condition;
using Kind = dsl::Condition::Kind;

constexpr std::uint64_t kFalse = 1, kTrue = 2;

std::vector<MapsVariable> SetsOf(const std::vector<dsl::Variable>& variables) {
  std::vector<MapsVariable> sets;
  for (const dsl::Variable& variable : variables) sets.push_back(variable.set);
  return sets;
}

std::vector<dsl::Variable> CounterScope(const dsl::Choice& counter) {
  std::vector<dsl::Variable> scope = counter.arguments;
  scope.insert(scope.end(), counter.over.begin(), counter.over.end());
  return scope;
}

dsl::Instance InstanceOf(int choice, std::vector<int> arguments) {
  dsl::Instance instance;
  instance.choice = choice;
  instance.arguments = std::move(arguments);
  return instance;
}

/// `choice(0, 1, …) is values`.
MapsAtom Is(int choice, std::size_t num_arguments, std::uint64_t values) {
  MapsAtom atom;
  atom.kind = Kind::kIs;
  atom.lhs = InstanceOf(choice, {});
  for (std::size_t i = 0; i < num_arguments; ++i) {
    atom.lhs.arguments.push_back(static_cast<int>(i));
  }
  atom.values = values;
  return atom;
}

CompareOp Opposite(CompareOp op) {
  switch (op) {
    case CompareOp::kLt:
      return CompareOp::kGe;
    case CompareOp::kGe:
      return CompareOp::kLt;
    case CompareOp::kGt:
      return CompareOp::kLe;
    case CompareOp::kLe:
      return CompareOp::kGt;
    case CompareOp::kEq:
      return CompareOp::kNe;
    case CompareOp::kNe:
      return CompareOp::kEq;
  }
  EXH_UNREACHABLE();
}

class Expander {
 public:
  explicit Expander(const SpacePlan& plan) : plan_(plan), spec_(*plan.spec) { out_.plan = &plan; }

  MapsPlan Run() {
    for (const dsl::Choice& choice : spec_.choices) AddChoice(choice);
    for (const dsl::Requirement& requirement : spec_.requirements) {
      for (const auto& clause : requirement.clauses) {
        AddClause(requirement.label, SetsOf(requirement.variables),
                  Atoms(clause, requirement.variables));
      }
    }
    std::vector<MapsCounter> class_counters;
    for (const dsl::Quotient& quotient : spec_.quotients) {
      class_counters.push_back(ExpandQuotient(quotient));
    }
    out_.counters = std::move(class_counters);
    for (std::size_t c = 0; c < spec_.choices.size(); ++c) {
      if (spec_.choices[c].kind == ChoiceKind::kCounter) ExpandCounter(static_cast<int>(c));
    }
    for (std::size_t t = 0; t < spec_.triggers.size(); ++t) {
      const dsl::Trigger& trigger = spec_.triggers[t];
      MapsTrigger expanded;
      expanded.label = trigger.label;
      expanded.variables = SetsOf(trigger.variables);
      expanded.when = Atoms(trigger.when, trigger.variables);
      expanded.planned = static_cast<int>(t);
      out_.triggers.push_back(std::move(expanded));
    }
    return std::move(out_);
  }

 private:
  void AddChoice(const dsl::Choice& choice) {
    MapsChoice added;
    added.name = choice.name;
    added.camel = plan_.choices[out_.choices.size()].camel;
    added.kind = choice.kind;
    added.arguments = SetsOf(choice.arguments);
    added.symmetry = choice.symmetry;
    added.inverse = choice.inverse;
    added.num_values = static_cast<int>(choice.values.size());
    if (choice.kind == ChoiceKind::kInteger) added.universe = plan_.CodeId(choice.universe);
    out_.choices.push_back(std::move(added));
  }

  int AddAuxiliary(std::string name, ChoiceKind kind, std::vector<MapsVariable> arguments) {
    MapsChoice added;
    added.camel = CamelCase(name);
    added.name = std::move(name);
    added.kind = kind;
    added.arguments = std::move(arguments);
    added.num_values = kind == ChoiceKind::kEnum ? 2 : 0;
    added.auxiliary = true;
    out_.choices.push_back(std::move(added));
    return static_cast<int>(out_.choices.size()) - 1;
  }

  MapsAtom Atom(const Condition& condition, const std::vector<dsl::Variable>& scope) const {
    MapsAtom atom;
    atom.kind = condition.kind;
    atom.constant = condition.constant;
    atom.lhs = condition.lhs;
    atom.rhs = condition.rhs;
    atom.values = condition.values;
    atom.op = condition.op;
    atom.negated = condition.negated;
    atom.numbers = condition.numbers;
    if (condition.kind == Kind::kAscending) atom.code_variables = condition.lhs.arguments;
    if (condition.kind == Kind::kCode ||
        (condition.kind == Kind::kCompareCode && condition.numbers.empty())) {
      atom.code = plan_.CodeId(condition);
      if (condition.external < 0) {
        for (std::size_t v = 0; v < scope.size(); ++v) {
          atom.code_variables.push_back(static_cast<int>(v));
        }
      } else if (condition.kind == Kind::kCode) {
        atom.code_variables = condition.lhs.arguments;
      }
    }
    return atom;
  }

  std::vector<MapsAtom> Atoms(const std::vector<Condition>& conditions,
                              const std::vector<dsl::Variable>& scope) const {
    std::vector<MapsAtom> atoms;
    for (const Condition& condition : conditions) atoms.push_back(Atom(condition, scope));
    return atoms;
  }

  MapsAtom Negated(MapsAtom atom) const {
    switch (atom.kind) {
      case Kind::kConstant:
        atom.constant = !atom.constant;
        break;
      case Kind::kCode:
      case Kind::kAscending:
      case Kind::kPresent:
      case Kind::kTerms:
        atom.negated = !atom.negated;
        break;
      case Kind::kIs:
        atom.values = out_.choices[static_cast<std::size_t>(atom.lhs.choice)].all() & ~atom.values;
        break;
      case Kind::kCompare:
      case Kind::kCompareCode:
        atom.op = Opposite(atom.op);
        break;
    }
    return atom;
  }

  /// Leaves out what is true anyway.
  void AddClause(const std::string& text, std::vector<MapsVariable> variables,
                 std::vector<MapsAtom> atoms, bool keeps_fragile = false) {
    const auto constant = [](const MapsAtom& atom) { return atom.kind == Kind::kConstant; };
    for (const MapsAtom& atom : atoms) {
      if (constant(atom) && atom.constant) return;
    }
    std::erase_if(atoms, constant);
    out_.clauses.push_back({text, std::move(variables), std::move(atoms), keeps_fragile});
  }

  /// The flag is TRUE for one member of each class of equivalent eligible items: elected greedily.
  MapsCounter ExpandQuotient(const dsl::Quotient& quotient) {
    const std::string& name = spec_.choices[quotient.flag].name;
    const std::string text = "quotient " + spec_.sets[quotient.set].name;
    MapsChoice& flag = out_.choices[quotient.flag];
    flag.auxiliary = flag.fragile = true;
    const std::vector<MapsVariable> items = SetsOf(quotient.variables);
    const std::size_t arity = items.size();
    const int class_counter = AddAuxiliary(name + "_class_counter", ChoiceKind::kCounter, items);

    const MapsAtom is_false = Is(quotient.flag, arity, kFalse);
    const MapsAtom is_true = Is(quotient.flag, arity, kTrue);
    MapsAtom alone = Is(class_counter, arity, 0);
    alone.kind = Kind::kCompareCode;
    alone.op = CompareOp::kLe;
    alone.numbers = {0};
    const std::vector<MapsAtom> dividend = Atoms(quotient.dividend, quotient.variables);
    std::vector<MapsAtom> represented = {is_true, Negated(alone)};
    for (const MapsAtom& condition : dividend) {
      AddClause(text, items, {is_false, condition});
      represented.push_back(Negated(condition));
    }
    AddClause(text, items, {is_false, alone});
    AddClause(text, items, represented, true);
    // Members: the same variables, the item now from the quotient set.
    std::vector<MapsVariable> members = items;
    members.back() = {quotient.set, arity == 2 ? 0 : -1};
    AddClause(text, members, {is_true});

    MapsTrigger election;
    election.label = text;
    election.variables = items;
    election.when = dividend;
    election.when.push_back(alone);
    election.quotient = quotient.set;
    election.flag = quotient.flag;
    election.class_counter = class_counter;
    out_.triggers.push_back(std::move(election));

    MapsCounter counter;
    counter.choice = class_counter;
    counter.visibility = dsl::Visibility::kInternal;
    counter.variables = items;
    counter.variables.push_back(members.back());
    counter.num_arguments = static_cast<int>(arity);
    const int item = static_cast<int>(arity) - 1;
    counter.increment = InstanceOf(quotient.equivalence, {item, item + 1});
    counter.counted = quotient.equivalence_values;
    return counter;
  }

  void ExpandCounter(int index) {
    const dsl::Choice& choice = spec_.choices[index];
    const std::vector<dsl::Variable> scope = CounterScope(choice);
    MapsCounter counter;
    counter.choice = index;
    counter.visibility = choice.visibility;
    counter.product = choice.product;
    if (choice.base) counter.base = plan_.CodeId(*choice.base);
    counter.variables = SetsOf(scope);
    counter.num_arguments = static_cast<int>(choice.arguments.size());
    if (choice.weight) counter.weight = *choice.weight;
    if (choice.weight_code) counter.weight_code = plan_.CodeId(*choice.weight_code);
    if (IsDirect(choice)) {
      counter.increment = choice.when[0].lhs;
      counter.counted = choice.when[0].values;
    } else {
      const std::string text = "counter " + choice.name;
      const int flag =
          AddAuxiliary("increment_" + choice.name, ChoiceKind::kEnum, counter.variables);
      const MapsAtom is_false = Is(flag, scope.size(), kFalse);
      std::vector<MapsAtom> counts = {Is(flag, scope.size(), kTrue)};
      counter.increment = counts[0].lhs;
      counter.counted = kTrue;
      for (const MapsAtom& condition : Atoms(choice.when, scope)) {
        AddClause(text, counter.variables, {is_false, condition});
        counts.push_back(Negated(condition));
      }
      AddClause(text, counter.variables, counts);
    }
    out_.counters.push_back(std::move(counter));
  }

  const SpacePlan& plan_;
  const dsl::Spec& spec_;
  MapsPlan out_;
};

}  // namespace

std::uint64_t Inverted(const MapsChoice& choice, std::uint64_t values) {
  if (!choice.inverts()) return values;
  std::uint64_t inverted = 0;
  for (std::size_t i = 0; i < choice.inverse.size(); ++i) {
    if ((values >> i) & 1) inverted |= std::uint64_t{1} << choice.inverse[i];
  }
  return inverted;
}

bool IsDirect(const dsl::Choice& counter) {
  if (counter.when.size() != 1 || counter.when[0].kind != Kind::kIs) return false;
  const std::vector<int>& arguments = counter.when[0].lhs.arguments;
  for (std::size_t i = 0; i < counter.over.size(); ++i) {
    const int variable = static_cast<int>(counter.arguments.size() + i);
    if (std::ranges::count(arguments, variable) == 0) return false;
  }
  return true;
}

MapsPlan MakeMapsPlan(const SpacePlan& plan) {
  MapsPlan expanded = Expander(plan).Run();
  expanded.filters = MakeMapsFilters(expanded);
  return expanded;
}

}  // namespace exh::generator

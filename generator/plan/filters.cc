// SPDX-License-Identifier: MIT
#include "generator/plan/filters.h"

#include <algorithm>
#include <set>

#include "generator/plan/names.h"
#include "generator/plan/plan.h"

namespace exh::generator {
namespace {

using dsl::Condition;
using Kind = dsl::Condition::Kind;

/// The decision of the instance, in the orientation in which the clause mentions it first.
FilterUse Oriented(const dsl::Spec& spec, const dsl::Instance& instance,
                   const std::vector<FilterUse>& seen) {
  FilterUse use{instance, false};
  if (spec.choices[instance.choice].symmetry == dsl::Symmetry::kNone) return use;
  FilterUse swapped = use;
  std::swap(swapped.instance.arguments[0], swapped.instance.arguments[1]);
  swapped.inverted = true;
  const bool known_swapped = std::any_of(seen.begin(), seen.end(), [&](const FilterUse& other) {
    return other.IsSameDecision(swapped);
  });
  return known_swapped ? swapped : use;
}

/// `c(a, b) == c(b, a)` compares a decision with itself: it is a test of the value.
void CompareWithItself(const dsl::Choice& choice, FilterAtom& atom) {
  std::uint64_t values = 0;
  for (std::size_t i = 0; i < choice.values.size(); ++i) {
    const std::uint64_t bit = std::uint64_t{1} << i;
    const std::uint64_t left = atom.lhs.inverted ? Inverted(choice, bit) : bit;
    const std::uint64_t right = atom.rhs.inverted ? Inverted(choice, bit) : bit;
    if ((left == right) == (atom.op == dsl::CompareOp::kEq)) values |= bit;
  }
  atom.kind = Kind::kIs;
  atom.values = values;
}

/// The host, or the objects themselves, say whether it holds.
bool AsksHost(Kind kind) {
  return kind == Kind::kCode || kind == Kind::kAscending || kind == Kind::kPresent;
}

struct Clause {
  std::vector<FilterAtom> atoms;
  std::vector<FilterUse> decisions;  ///< Distinct, in order of appearance.
};

Clause PlanClause(const dsl::Spec& spec, const dsl::Requirement& requirement,
                  const std::vector<Condition>& conditions) {
  Clause clause;
  NameScope codes;
  const auto see = [&](const dsl::Instance& instance) {
    const FilterUse use = Oriented(spec, instance, clause.decisions);
    const bool known =
        std::any_of(clause.decisions.begin(), clause.decisions.end(),
                    [&use](const FilterUse& other) { return other.IsSameDecision(use); });
    if (!known) clause.decisions.push_back({use.instance, false});
    return use;
  };
  for (const Condition& condition : conditions) {
    FilterAtom atom;
    atom.kind = condition.kind;
    atom.constant = condition.constant;
    atom.op = condition.op;
    atom.text = ConditionText(spec, requirement.variables, condition);
    atom.negated = condition.negated;
    atom.numbers = condition.numbers;
    if (AsksHost(condition.kind)) atom.code = codes.Unique("holds");
    if (condition.kind == Kind::kCompareCode && condition.numbers.empty()) {
      atom.code = codes.Unique("numbers");
    }
    if (condition.kind == Kind::kIs || condition.kind == Kind::kCompare ||
        condition.kind == Kind::kCompareCode) {
      atom.lhs = see(condition.lhs);
      const dsl::Choice& choice = spec.choices[condition.lhs.choice];
      atom.values = atom.lhs.inverted ? Inverted(choice, condition.values) : condition.values;
    }
    if (condition.kind == Kind::kCompare) {
      atom.rhs = see(condition.rhs);
      if (atom.lhs.IsSameDecision(atom.rhs)) {
        CompareWithItself(spec.choices[condition.lhs.choice], atom);
      }
    }
    clause.atoms.push_back(atom);
  }
  return clause;
}

/// "FilterOrder", or "FilterOrderAB" when the requirement filters several decisions of the choice.
std::string FunctionName(const dsl::Spec& spec, const dsl::Requirement& requirement,
                         const FilterUse& target, bool with_variables) {
  std::string name = "filter_" + spec.choices[target.instance.choice].name;
  if (with_variables) {
    for (const int argument : target.instance.arguments) {
      name += "_" + requirement.variables[argument].name;
    }
  }
  return CamelCase(name);
}

RequirementFilters PlanRequirement(const dsl::Spec& spec, const dsl::Requirement& requirement) {
  RequirementFilters plan;
  std::vector<Clause> clauses;
  std::vector<std::size_t> uses(spec.choices.size(), 0);
  for (const std::vector<Condition>& conditions : requirement.clauses) {
    clauses.push_back(HasTerms(conditions) ? Clause{} : PlanClause(spec, requirement, conditions));
    for (const FilterUse& use : clauses.back().decisions) ++uses[use.instance.choice];
  }
  NameScope functions;
  for (std::size_t number = 0; number < clauses.size(); ++number) {
    const Clause& clause = clauses[number];
    for (const FilterUse& target : clause.decisions) {
      Filter filter;
      filter.clause = static_cast<int>(number);
      filter.function = functions.Unique(
          FunctionName(spec, requirement, target, uses[target.instance.choice] > 1));
      filter.target = target;
      filter.atoms = clause.atoms;
      for (const FilterUse& use : clause.decisions) {
        if (!use.IsSameDecision(target)) filter.inputs.push_back(use);
      }
      plan.filters.push_back(std::move(filter));
    }
  }
  return plan;
}

}  // namespace

dsl::CompareOp Mirrored(dsl::CompareOp op) {
  switch (op) {
    case dsl::CompareOp::kLt:
      return dsl::CompareOp::kGt;
    case dsl::CompareOp::kGt:
      return dsl::CompareOp::kLt;
    case dsl::CompareOp::kLe:
      return dsl::CompareOp::kGe;
    case dsl::CompareOp::kGe:
      return dsl::CompareOp::kLe;
    default:
      return op;
  }
}

std::uint64_t Inverted(const dsl::Choice& choice, std::uint64_t values) {
  if (choice.symmetry != dsl::Symmetry::kAntisymmetric) return values;
  std::uint64_t inverted = 0;
  for (std::size_t i = 0; i < choice.inverse.size(); ++i) {
    if ((values >> i) & 1) inverted |= std::uint64_t{1} << choice.inverse[i];
  }
  return inverted;
}

std::vector<RequirementFilters> PlanFilters(const dsl::Spec& spec) {
  std::vector<RequirementFilters> plans;
  for (const dsl::Requirement& requirement : spec.requirements) {
    plans.push_back(PlanRequirement(spec, requirement));
  }
  return plans;
}

}  // namespace exh::generator

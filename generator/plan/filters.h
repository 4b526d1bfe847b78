// SPDX-License-Identifier: MIT
//
// Filters: a clause seen from each decision that it mentions. A filter takes the domains of the
// clause's other inputs and gives the values of its target that they leave possible: those for
// which the target itself satisfies the clause, and all of them if something else still may.
#pragma once

#include <string>
#include <vector>

#include "dsl/spec.h"

namespace exh::generator {

/// A use of a choice, as a filter sees it. Both orders of a pair of a symmetric or antisymmetric
/// choice are one decision; `inverted` says that the clause reads it the other way round.
struct FilterUse {
  dsl::Instance instance;
  bool inverted = false;

  bool IsSameDecision(const FilterUse& other) const {
    return instance.choice == other.instance.choice &&
           instance.arguments == other.instance.arguments;
  }
};

/// A condition of a clause with its uses brought to one orientation per decision.
struct FilterAtom {
  dsl::Condition::Kind kind = dsl::Condition::Kind::kConstant;
  bool constant = true;
  FilterUse lhs, rhs;
  std::uint64_t values = 0;  ///< kIs, in the orientation of `lhs`.
  dsl::CompareOp op = dsl::CompareOp::kEq;
  /// Name of the parameter that holds what the host says; kCompareCode with `numbers` has none.
  std::string code;
  bool negated = false;                ///< kCode, kAscending, kPresent.
  std::vector<std::uint32_t> numbers;  ///< kCompareCode.
  std::string text;                    ///< The condition as it stands in the `.exh`.
};

struct Filter {
  std::string function;  ///< "FilterOrder".
  int clause = 0;        ///< Number of the clause in its requirement.
  FilterUse target;
  std::vector<FilterAtom> atoms;  ///< All of the clause.
  std::vector<FilterUse> inputs;  ///< The other decisions, each once, in order of appearance.
};

struct RequirementFilters {
  std::vector<Filter> filters;
};

/// The filters of every requirement, in the order of the clauses and of their conditions. A clause
/// that compares terms has none: the engine reads its terms.
std::vector<RequirementFilters> PlanFilters(const dsl::Spec& spec);

/// The operator with its sides swapped.
dsl::CompareOp Mirrored(dsl::CompareOp op);

/// Image of a set of values when the arguments of an (anti)symmetric choice are swapped.
std::uint64_t Inverted(const dsl::Choice& choice, std::uint64_t values);

}  // namespace exh::generator

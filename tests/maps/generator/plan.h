// SPDX-License-Identifier: MIT
//
// MapsPlan: a space as the paper's system expands it: auxiliary Boolean choices for increments, a
// class counter and an election for every quotient set, and one filter per target, variables and
// inputs, into which all clauses are merged that agree in these.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dsl/spec.h"
#include "generator/generator.h"
#include "generator/plan/plan.h"

namespace exh::generator {

/// `$v in Set($p)` with the number of `$p` in the scope, as in the Spec.
using MapsVariable = dsl::SetRef;

/// A condition of the expanded space.
struct MapsAtom {
  dsl::Condition::Kind kind = dsl::Condition::Kind::kConstant;
  bool constant = true;
  dsl::Instance lhs, rhs;
  std::uint64_t values = 0;
  dsl::CompareOp op = dsl::CompareOp::kEq;
  int code = -1;                       ///< CodeId.
  std::vector<int> code_variables;     ///< What its scope is bound to; kAscending's two.
  bool negated = false;                ///< kCode, kAscending: holds when what it says does not.
  std::vector<std::uint32_t> numbers;  ///< kCompareCode against these instead of a snippet.
};

struct MapsClause {
  std::string text;
  std::vector<MapsVariable> variables;
  std::vector<MapsAtom> atoms;
  bool keeps_fragile = false;
};

struct MapsChoice {
  std::string name;   ///< In the `.exh`, or "increment_<counter>", "<flag>_class_counter".
  std::string camel;  ///< In names of functions.
  dsl::ChoiceKind kind = dsl::ChoiceKind::kEnum;
  std::vector<MapsVariable> arguments;
  dsl::Symmetry symmetry = dsl::Symmetry::kNone;
  std::vector<int> inverse;
  int num_values = 0;
  int universe = -1;  ///< CodeId.
  bool auxiliary = false;
  bool fragile = false;

  bool is_pair() const { return symmetry != dsl::Symmetry::kNone; }
  bool inverts() const { return symmetry == dsl::Symmetry::kAntisymmetric; }
  std::uint64_t all() const { return num_values >= 64 ? ~0ull : (1ull << num_values) - 1; }
};

struct MapsCounter {
  int choice = -1;
  dsl::Visibility visibility = dsl::Visibility::kFull;
  bool product = false;
  int base = -1;
  std::vector<MapsVariable> variables;  ///< Arguments, then `over`.
  int num_arguments = 0;
  dsl::Instance increment;
  std::uint64_t counted = 0;
  std::optional<dsl::Instance> weight;
  int weight_code = -1;  ///< Without both every increment counts 1.
};

struct MapsTrigger {
  std::string label;
  std::vector<MapsVariable> variables;
  std::vector<MapsAtom> when;
  int planned = -1;
  int quotient = -1, flag = -1, class_counter = -1;
};

/// A decision that a filter speaks of. Of both orders of a pair the one is taken whose smaller
/// variable comes first.
struct MapsUse {
  int choice = -1;
  std::vector<int> arguments;
  friend auto operator<=>(const MapsUse&, const MapsUse&) = default;
};

/// An atom over the decisions of a filter: 0 is the target, then the inputs.
struct MapsTerm {
  MapsAtom atom;  ///< `values` and `lhs`, `rhs` are replaced by what follows.
  int lhs = -1, rhs = -1;
  bool lhs_inverted = false, rhs_inverted = false;
  std::uint64_t values = 0;     ///< In the orientation of the decision.
  std::vector<int> code_scope;  ///< The variables of the filter that the snippet's scope is.
};

struct MapsRule {
  std::string text;
  std::vector<MapsTerm> terms;
};

struct MapsFilter {
  MapsUse target;  ///< Its arguments are the first variables.
  std::vector<MapsVariable> variables;
  std::vector<MapsUse> inputs;
  std::vector<MapsRule> rules;
  /// The rules that became a table: indexed by the value of each input but the last (the first
  /// input slowest), then by the domain of the last.
  std::vector<std::uint64_t> table;
  std::vector<MapsRule> tabulated;
};

struct MapsPlan {
  const SpacePlan* plan = nullptr;
  std::vector<MapsChoice> choices;  ///< Those of the Spec first.
  std::vector<MapsClause> clauses;
  std::vector<MapsCounter> counters;  ///< After what they read.
  std::vector<MapsTrigger> triggers;
  std::vector<MapsFilter> filters;

  const dsl::Spec& spec() const { return *plan->spec; }
};

/// Expands, then makes the filters.
MapsPlan MakeMapsPlan(const SpacePlan& plan);

/// A decision says by itself whether an increment of the counter counts, so that it needs no choice
/// of its own.
bool IsDirect(const dsl::Choice& counter);

/// Image of a set of values when the arguments are swapped.
std::uint64_t Inverted(const MapsChoice& choice, std::uint64_t values);

/// The filters of the clauses, merged. (merge_filters.cc)
std::vector<MapsFilter> MakeMapsFilters(const MapsPlan& plan);

}  // namespace exh::generator

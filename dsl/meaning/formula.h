// SPDX-License-Identifier: MIT
//
// Formulas: conditions joined by `not`, `&&`, `||` and `=>`, with every `let` replaced by what it
// stands for, and written out as the disjunctions that the Spec consists of. Internal to dsl.
#pragma once

#include <optional>
#include <vector>

#include "dsl/meaning/names.h"
#include "dsl/meaning/symbols.h"
#include "dsl/spec.h"
#include "dsl/syntax/ast.h"

namespace exh::dsl {

/// A formula whose conditions are resolved in one scope.
struct ResolvedFormula {
  ast::Formula::Kind kind = ast::Formula::Kind::kCondition;
  Condition condition;                 ///< kCondition.
  std::vector<ResolvedFormula> parts;  ///< As in ast::Formula.
  SourceRange range;
};

/// Fills the externs of the spec, and the scopes of the lets (formula.cc). Sets are defined
/// already.
void DefineLetsAndExterns(Resolution& r);

/// Resolves the bodies of all lets, used or not; those that depend on themselves are reported.
void DefineLetBodies(Resolution& r);

/// The formula, or nothing after a report.
std::optional<ResolvedFormula> ResolveFormula(const ast::Formula& formula, const Scope& scope,
                                              Resolution& r);

/// Declares the variables of quantifiers in `scope`. What `where` and ascending names ask for is
/// appended to `guards`: conditions that are known before the search.
void AddQuantifiers(const std::vector<ast::Quantifier>& quantifiers, Scope& scope,
                    std::vector<ResolvedFormula>& guards, Resolution& r);

/// The disjunctions that `formulas` consist of, each with "or a guard does not hold".
std::vector<std::vector<Condition>> ResolveClauses(const std::vector<ast::Formula>& formulas,
                                                   const std::vector<ResolvedFormula>& guards,
                                                   const Scope& scope, Resolution& r);

/// The conditions of `formulas` and `guards`, all of which must hold. A disjunction among them is
/// reported: `what` has no place for it.
std::vector<Condition> ResolveConjunction(const std::vector<ast::Formula>& formulas,
                                          const std::vector<ResolvedFormula>& guards,
                                          const Scope& scope, std::string_view what, Resolution& r);

}  // namespace exh::dsl

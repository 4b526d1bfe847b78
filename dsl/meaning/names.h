// SPDX-License-Identifier: MIT
//
// Resolution of everything that refers to sets, choices and variables. Internal to dsl.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "dsl/known/known_term.h"
#include "dsl/meaning/symbols.h"
#include "dsl/spec.h"
#include "dsl/syntax/ast.h"

namespace exh::dsl {

/// The variables that a snippet, an instance or a set may refer to.
using Scope = std::vector<Variable>;

/// Fills every Set of the spec from its source (sets.cc).
void DefineSets(Resolution& r);

/// Fills the arguments, values and aliases of every choice, after which conditions can be resolved
/// in any order (choices.cc).
void DefineChoices(Resolution& r);

/// Fills what in a choice refers to other choices or to code: universes and counters (choices.cc).
void DefineBodies(Resolution& r);

/// Fills the numbers of sets that consist of some. Externs are defined already (sets.cc).
void DefineNumberSets(Resolution& r);

/// Adds where the choice is declared.
void NoteDeclaration(Diagnostic& diagnostic, const Choice& choice);

/// Index of a variable in scope, or -1 after a report.
int ResolveVariable(const ast::Name& name, const Scope& scope, Resolution& r);

/// `S` or `S($p)` with `$p` in `scope`. The set is -1, or a missing parameter stays -1, after a
/// report.
SetRef ResolveSetRef(const ast::SetRef& ref, const Scope& scope, Resolution& r);

/// Appends the variables that `defs` declare to `scope`; each may refer to the ones before it.
void AddVariables(const std::vector<ast::VarDef>& defs, Scope& scope, Resolution& r);

/// The variables that `instance`, a use of a `what` declared with the variables `wanted` at
/// `declared`, is applied to; nothing after a report. With an empty `what` only the variables
/// themselves are looked at, because it is not known what they are given to.
std::optional<std::vector<int>> ResolveArguments(const ast::Instance& instance,
                                                 std::string_view what,
                                                 const std::vector<Variable>& wanted,
                                                 SourceRange declared, const Scope& scope,
                                                 Resolution& r);

/// `choice($a, $b)`; the choice is -1 after a report.
Instance ResolveInstance(const ast::Instance& instance, const Scope& scope, Resolution& r);

/// A term and what is known of it without asking the host.
struct ResolvedTerm {
  Term nodes;
  bool decision = false;                 ///< It reads a decision or a counter, …
  bool code = false;                     ///< … code or a constant.
  bool fraction = false;                 ///< A `/` stands in it.
  std::optional<ReducedFraction> value;  ///< It consists of numbers.
};

/// The term, or nothing after a report.
std::optional<ResolvedTerm> ResolveTerm(const ast::Term& term, const Scope& scope, Resolution& r);

/// The term of what is known before the search and of whole numbers, or nothing after a report,
/// which says `what` it would be ("a bound of a set").
std::optional<Term> ResolveKnownTerm(const ast::Term& term, const Scope& scope,
                                     std::string_view what, Resolution& r);

/// Whether the name is that of an `extern constant`.
bool IsConstant(const ast::Instance& instance, const Resolution& r);

/// Index of the extern constant that takes no argument, or -1 after a report.
int FindConstant(const ast::Name& name, Resolution& r);

/// Index of the extern constant that is used (IsConstant), or -1 after a report. `asked`: the
/// variables that it is asked for.
int ResolveConstant(const ast::Instance& use, const Scope& scope, Instance* asked, Resolution& r);

/// A term without decisions and `/` as an expression of C++, of type std::int64_t.
Snippet TermInCpp(const Term& term, const Scope& scope, const Resolution& r);

/// An expression of C++ for the numbers of `spans`, in ascending order.
Snippet UniverseInCpp(const std::vector<TermSpan>& spans, const Scope& scope, SourceRange range,
                      const Resolution& r);

/// A number with its sign, at most 2^31; nothing after a report.
std::optional<std::int64_t> ResolveSigned(const ast::WrittenNumber& number, Resolution& r);

/// The largest number of numbers in a list; runtime::kMaxValues is the same.
inline constexpr std::size_t kMostNumbers = 4096;

/// The numbers in ascending order, each once, or nothing after a report. With `ascending` they must
/// be written so.
std::optional<std::vector<std::uint32_t>> ResolveNumbers(
    const std::vector<ast::NumberRange>& ranges, bool ascending, Resolution& r);

/// Calls visit(node) for all nodes of the terms of a condition.
template <typename Visit>
void ForEachTermNode(const Condition& condition, Visit visit) {
  for (const Term* term : {&condition.left, &condition.right}) {
    for (const TermNode& node : *term) visit(node);
  }
}

/// Whether the condition depends on no decision, and on no object that may appear.
inline bool IsKnown(const Condition& condition) {
  bool decision = false;
  ForEachTermNode(condition, [&](const TermNode& node) {
    decision = decision || node.kind == TermNode::Kind::kInstance;
  });
  switch (condition.kind) {
    case Condition::Kind::kCode:
    case Condition::Kind::kAscending:
    case Condition::Kind::kConstant:
      return true;
    case Condition::Kind::kTerms:
      return !decision;
    default:
      return false;
  }
}

/// The values that a list of value and alias names stands for; 0 after a report.
std::uint64_t ResolveValues(const std::vector<ast::Name>& names, const Choice& choice,
                            Resolution& r);

/// A condition that is not the bare use of a name (formula.h); nothing after a report.
std::optional<Condition> ResolveCondition(const ast::Condition& condition, const Scope& scope,
                                          Resolution& r);

/// All values of an enum as a mask.
std::uint64_t AllValues(const Choice& choice);

}  // namespace exh::dsl

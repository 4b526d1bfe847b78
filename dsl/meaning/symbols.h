// SPDX-License-Identifier: MIT
//
// The names that a file declares, and what every step of resolution shares. Internal to dsl.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "dsl/diagnostics/diagnostic.h"
#include "dsl/name_uses.h"
#include "dsl/spec.h"
#include "dsl/syntax/ast.h"

namespace exh::dsl {

/// Declares one set: a `set` or a `quotient` statement.
using SetSource = std::variant<const ast::SetDecl*, const ast::QuotientDecl*>;

/// Declares one choice: an enum, an integer, a counter, or the flag of a quotient. A let shares
/// their names, and stands among them until names are declared.
using ChoiceSource =
    std::variant<const ast::EnumDecl*, const ast::IntegerDecl*, const ast::CounterDecl*,
                 const ast::QuotientDecl*, const ast::LetDecl*>;

struct ResolvedFormula;

/// A `let` and, once something asked for it, what it stands for.
struct Let {
  enum class State : std::uint8_t { kNew, kOpen, kDone };
  const ast::LetDecl* decl = nullptr;
  std::vector<Variable> arguments;
  State state = State::kNew;
  std::shared_ptr<const std::optional<ResolvedFormula>> body;
  bool used = false;
};

/// The state of one resolution. An index of -1 anywhere stands for something that was wrong and is
/// reported already: whoever meets it stays silent.
struct Resolution {
  explicit Resolution(DiagnosticSink& diagnostics) : sink(diagnostics) {}

  DiagnosticSink& sink;
  NameUses* names = nullptr;  ///< Where uses of names are written down, or null.
  Spec spec;
  std::vector<SetSource> set_sources;        ///< Parallel to spec.sets.
  std::vector<ChoiceSource> choice_sources;  ///< Parallel to spec.choices.
  std::vector<Let> lets;
  std::vector<const ast::ExternDecl*> extern_sources;  ///< Parallel to spec.externals.
  std::map<std::string, std::size_t, std::less<>> let_by_name;
  std::map<std::string, int, std::less<>> external_by_name;
  std::set<int> used_externals;
  std::map<std::string, SetIndex, std::less<>> set_by_name;
  std::map<std::string, ChoiceIndex, std::less<>> choice_by_name;
  /// Index of an alias in its choice, of those that are mentioned.
  std::set<std::pair<ChoiceIndex, std::size_t>> used_aliases;
  std::set<std::string, std::less<>> broken;  ///< Declared by statements with a syntax error.
  /// Comparisons without a decision may stand where a formula is resolved: after `where`, in a let.
  bool known_comparisons = false;
  /// Unknown choices whose names are like no other: a missing include makes many of them.
  int strange_choices = 0;

  /// Writes down that the name at `range` is the one that is declared at `declared`.
  void Use(SourceRange range, SourceRange declared) {
    if (names != nullptr) names->uses.push_back({range, declared});
  }

  Set& set(SetIndex index) { return spec.sets[static_cast<std::size_t>(index)]; }
  const Set& set(SetIndex index) const { return spec.sets[static_cast<std::size_t>(index)]; }
  Choice& choice(ChoiceIndex index) { return spec.choices[static_cast<std::size_t>(index)]; }
  const Choice& choice(ChoiceIndex index) const {
    return spec.choices[static_cast<std::size_t>(index)];
  }
};

/// Fills the names of sets and choices in the order that Spec promises: a set after its superset
/// and the set of its parameter, a counter after what it reads, otherwise as declared. Reports
/// names that are declared twice, and cycles.
void DeclareNames(const ast::File& file, Resolution& r);

/// Index of the set called `name`, or -1 after a report.
SetIndex FindSet(const ast::Name& name, Resolution& r);

/// Index of the choice called `name`, or -1 after a report.
ChoiceIndex FindChoice(const ast::Name& name, Resolution& r);

/// Whether every object of `inner` is in `outer` by the chain of supersets, parameters ignored.
/// True when either is -1.
bool IsSubset(SetIndex inner, SetIndex outer, const Resolution& r);

/// The text of a doc comment without leading, trailing and repeated blanks.
std::string CleanDoc(const std::string& doc);

}  // namespace exh::dsl

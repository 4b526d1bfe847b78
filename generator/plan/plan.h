// SPDX-License-Identifier: MIT
//
// SpacePlan: everything that is decided before a line is printed. Emitters only print.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "dsl/spec.h"
#include "generator/generator.h"

namespace exh::generator {

/// C++ names that stand for a set.
struct SetNames {
  std::string name;     ///< "TileDims": suffix of function names, constant in `sets`.
  std::string id;       ///< "TileDimsId".
  std::string item;     ///< "TileDimsItem".
  std::string table;    ///< "tile_dims_": the members, in the host.
  std::string objects;  ///< "dims_objects_": the numbers of a root's objects, in the host.
};

/// C++ names that stand for a choice.
struct ChoiceNames {
  std::string name;    ///< "dim_kind": the getter; constant in `choices`.
  std::string camel;   ///< "DimKind": the enum; suffix of function names.
  std::string domain;  ///< "DimKindDomain".
  std::vector<std::string> values;
  std::vector<std::string> aliases;
};

/// A snippet that the host evaluates at freeze.
struct Code {
  /// A bool; one number or several; a pointer to an item, null for none; an integer with a sign.
  enum class Yields : std::uint8_t { kBool, kNumbers, kItem, kInteger };
  const dsl::Snippet* snippet = nullptr;
  std::vector<dsl::Variable> scope;
  Yields yields = Yields::kBool;
  std::string what;                         ///< "requirement vector_is_innermost".
  std::string function;                     ///< "Code3".
  const dsl::External* external = nullptr;  ///< What is declared is checked by the C++ compiler.
  bool single = false;                      ///< kNumbers: there must be one.
};

struct SpacePlan {
  const dsl::Spec* spec = nullptr;
  Options options;
  std::string space;        ///< Namespace.
  std::string outside;      ///< Namespace of types and snippets, "exh_space_<space>", at the top.
  std::string fingerprint;  ///< Of the sources' text.
  std::vector<SetNames> sets;
  std::vector<ChoiceNames> choices;
  std::vector<std::string> requirements;  ///< Namespace of each requirement's filters.
  std::vector<Code> codes;
  std::map<const dsl::Snippet*, int> code_ids;
  /// Of the constants that terms read: there they are integers with a sign. By their snippet.
  std::map<const dsl::Snippet*, int> integer_ids;

  int CodeId(const dsl::Snippet& snippet) const { return code_ids.at(&snippet); }
  /// Of what a condition asks the host: its own snippet, or that of an extern.
  int CodeId(const dsl::Condition& condition) const {
    return CodeId(condition.external < 0 ? condition.code
                                         : spec->externals[condition.external].code);
  }
  /// Of what a node of a term asks the host.
  int CodeId(const dsl::TermNode& node) const {
    return node.external < 0 ? CodeId(node.code)
                             : integer_ids.at(&spec->externals[node.external].code);
  }
  /// The set whose keys give the items of `set`: itself, or what a quotient is a quotient of.
  int HostSet(int set) const;
  /// The set whose snippet serves `set`: a subset inherits what it does not say.
  int KeyOwner(int set, dsl::SetKey key) const;
  /// "DimsItemOf", "DimsIdOf": the functions of item_getter and id_getter that serve the set.
  std::string ItemFunction(int set) const;
  std::string IdFunction(int set) const;
  const dsl::Snippet& Key(int set, dsl::SetKey key) const;
  const dsl::Snippet* FindKey(int set, dsl::SetKey key) const;

  /// "kernels/spaces/order.exh:40".
  std::string At(const dsl::SourceRange& range) const;
  const std::string& File(const dsl::SourceRange& range) const;
  int LineOf(const dsl::SourceRange& range) const;
  /// From 0.
  int ColumnOf(const dsl::SourceRange& range) const;
};

/// Names everything and numbers the snippets, in source order.
SpacePlan MakePlan(const dsl::Spec& spec, const Options& options);

/// What cannot be built, with its position.
std::vector<Refusal> FindRefusals(const dsl::Spec& spec);

/// A condition as a person writes it: "order($a, $b) is BEFORE | INNER".
std::string ConditionText(const dsl::Spec& spec, const std::vector<dsl::Variable>& scope,
                          const dsl::Condition& condition);
/// "size($a) * 4 + 2".
std::string TermText(const dsl::Spec& spec, const std::vector<dsl::Variable>& scope,
                     const dsl::Term& term);
/// "+", "div", "min"; "" of an operand.
const char* OperationText(dsl::TermNode::Kind kind);
/// Whether a condition of the clause compares terms.
bool HasTerms(const std::vector<dsl::Condition>& clause);
/// Whether there is a term anywhere in the space.
bool HasTerms(const dsl::Spec& spec);
/// "order($a, $b)".
std::string InstanceText(const dsl::Spec& spec, const std::vector<dsl::Variable>& scope,
                         const dsl::Instance& instance);
/// "1, 2, 8 .. 12": three and more consecutive numbers are a range.
std::string NumbersText(const std::vector<std::uint32_t>& numbers, const char* separator);
const char* OperatorText(dsl::CompareOp op);
/// The mask of all values of an enum choice.
std::uint64_t AllValues(const dsl::Choice& choice);

}  // namespace exh::generator

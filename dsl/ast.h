// SPDX-License-Identifier: MIT
//
// The syntax of a `.exh` file as plain data. Nothing is resolved here. Included files are already
// spliced in, contextual words (`choice`, `type`) already replaced by the words they stand for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "dsl/source_range.h"
#include "dsl/spec.h"

namespace exh::dsl::ast {

/// A range that does not count in comparisons: two trees are equal when they say the same,
/// wherever.
struct Where : SourceRange {
  Where() = default;
  // Implicit on purpose: a Where is a SourceRange in all but equality.
  Where(SourceRange range) : SourceRange(range) {}  // NOLINT(google-explicit-constructor)
  friend bool operator==(const Where&, const Where&) { return true; }
};

/// An identifier with its place. The `$` of a variable is in the range but not in the text.
struct Name {
  std::string text;
  Where range;
  friend bool operator==(const Name&, const Name&) = default;
};

/// Which byte of which file a piece of a snippet's text comes from.
struct CodePiece {
  std::uint32_t offset = 0;  ///< In Code::text.
  Where range;
  friend bool operator==(const CodePiece&, const CodePiece&) { return true; }
};

/// Embedded C++: adjacent literals and continued lines are joined.
struct Code {
  std::string text;
  Where range;                    ///< From the first byte of the text to the last, quotes excluded.
  std::vector<CodePiece> pieces;  ///< Not empty; the places of the joined parts.
  friend bool operator==(const Code& a, const Code& b) { return a.text == b.text; }

  /// The place of `length` bytes of the text that start at `offset`.
  SourceRange RangeOf(std::uint32_t offset, std::uint32_t length) const;
};

struct SetRef {
  Name set;
  std::optional<Name> parameter;
  Where range;
  friend bool operator==(const SetRef&, const SetRef&) = default;
};

struct VarDef {
  Name name;
  SetRef set;
  friend bool operator==(const VarDef&, const VarDef&) = default;
};

struct Instance {
  Name choice;
  std::vector<Name> arguments;
  Where range;
  friend bool operator==(const Instance&, const Instance&) = default;
};

struct IsTest {
  Instance instance;
  bool negated = false;
  std::vector<Name> values;
  friend bool operator==(const IsTest&, const IsTest&) = default;
};

struct Comparison {
  Instance lhs;
  CompareOp op = CompareOp::kEq;
  std::variant<Instance, Code> rhs;
  friend bool operator==(const Comparison&, const Comparison&) = default;
};

struct Condition {
  std::variant<bool, Code, IsTest, Comparison> kind;
  Where range;
  friend bool operator==(const Condition&, const Condition&) = default;
};

/// Disjunctions that all hold, for every binding of the variables.
struct Constraint {
  std::vector<VarDef> foralls;
  std::vector<std::vector<Condition>> clauses;
  Where range;
  friend bool operator==(const Constraint&, const Constraint&) = default;
};

struct Key {
  Name word;
  std::optional<VarDef> forall;
  Code code;
  friend bool operator==(const Key&, const Key&) = default;
};

struct SetDecl {
  std::string doc;
  Name name;
  std::optional<VarDef> parameter;
  std::optional<SetRef> superset;
  std::vector<Name> disjoint;
  std::vector<Key> keys;
  friend bool operator==(const SetDecl&, const SetDecl&) = default;
};

struct QuotientDecl {
  std::string doc;
  Name name;
  std::optional<VarDef> parameter;
  VarDef item;
  Name flag;
  std::vector<Condition> dividend;
  Name equivalence;
  std::vector<Name> values;
  std::vector<Name> disjoint;
  std::vector<Key> keys;
  friend bool operator==(const QuotientDecl&, const QuotientDecl&) = default;
};

struct ValueItem {
  std::string doc;
  Name name;
  std::vector<Constraint> requirements;
  friend bool operator==(const ValueItem&, const ValueItem&) = default;
};

struct AliasItem {
  std::string doc;
  Name name;
  std::vector<Name> values;
  std::vector<Constraint> requirements;
  friend bool operator==(const AliasItem&, const AliasItem&) = default;
};

struct SymmetricItem {
  Where range;
  friend bool operator==(const SymmetricItem&, const SymmetricItem&) = default;
};

struct InversePair {
  Name from;
  Name to;
  friend bool operator==(const InversePair&, const InversePair&) = default;
};

struct AntisymmetricItem {
  std::vector<InversePair> pairs;
  Where range;
  friend bool operator==(const AntisymmetricItem&, const AntisymmetricItem&) = default;
};

using EnumItem = std::variant<ValueItem, AliasItem, SymmetricItem, AntisymmetricItem>;

struct EnumDecl {
  std::string doc;
  Name name;
  std::vector<VarDef> arguments;
  std::vector<EnumItem> items;
  friend bool operator==(const EnumDecl&, const EnumDecl&) = default;
};

struct IntegerDecl {
  std::string doc;
  Name name;
  std::vector<VarDef> arguments;
  Code universe;
  friend bool operator==(const IntegerDecl&, const IntegerDecl&) = default;
};

struct CounterDecl {
  std::string doc;
  Visibility visibility = Visibility::kFull;
  Name name;
  std::vector<VarDef> arguments;
  std::optional<Code> base;
  std::vector<VarDef> over;
  bool product = false;
  std::variant<Instance, Code> weight;
  std::vector<Condition> when;
  friend bool operator==(const CounterDecl&, const CounterDecl&) = default;
};

struct RequireDecl {
  std::string doc;
  std::optional<Name> label;
  Constraint constraint;
  Where range;
  friend bool operator==(const RequireDecl&, const RequireDecl&) = default;
};

struct TriggerDecl {
  std::optional<Name> label;
  std::vector<VarDef> foralls;
  std::optional<std::vector<Name>> adds;
  Code code;
  std::vector<Condition> when;
  Where range;
  friend bool operator==(const TriggerDecl&, const TriggerDecl&) = default;
};

struct HostEntry {
  Name word;
  Code code;
  friend bool operator==(const HostEntry&, const HostEntry&) = default;
};

struct HostDecl {
  Code language;
  std::vector<HostEntry> entries;
  Where range;
  friend bool operator==(const HostDecl&, const HostDecl&) = default;
};

/// A statement with a syntax error. What it would have declared is known by name only, so that its
/// uses are not reported as well.
struct BrokenDecl {
  std::vector<Name> declares;
  friend bool operator==(const BrokenDecl&, const BrokenDecl&) = default;
};

using Statement = std::variant<SetDecl, QuotientDecl, EnumDecl, IntegerDecl, CounterDecl,
                               RequireDecl, TriggerDecl, HostDecl, BrokenDecl>;

struct File {
  std::vector<Statement> statements;
  friend bool operator==(const File&, const File&) = default;
};

}  // namespace exh::dsl::ast

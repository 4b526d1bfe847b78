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

/// `4`, or `8 .. 12` with both ends.
struct NumberRange {
  Name first;
  std::optional<Name> last;
  friend bool operator==(const NumberRange&, const NumberRange&) = default;
};

/// `choice is A | B`, `number is 2 | 4 .. 8`: values, or decimal numbers.
struct IsTest {
  Instance instance;
  bool negated = false;
  std::vector<Name> values;
  std::vector<NumberRange> numbers;  ///< One of the two lists is empty.
  friend bool operator==(const IsTest&, const IsTest&) = default;
};

/// A decimal number as it is written.
struct WrittenNumber {
  Name digits;
  bool negative = false;  ///< Only after `base`; in a term the sign is an operation.
  friend bool operator==(const WrittenNumber&, const WrittenNumber&) = default;
};

/// A node of a term; operands stand before what uses them, as in the Spec.
struct TermNode {
  using Kind = dsl::TermNode::Kind;
  Kind kind = Kind::kNumber;
  /// What an operand is: kNumber, kInstance; kCode is code, or the Name of an `extern constant`;
  /// kVariable a Name.
  std::variant<std::monostate, WrittenNumber, Code, Name, Instance> operand;
  Where range;  ///< With its operands.
  friend bool operator==(const TermNode&, const TermNode&) = default;
};
using Term = std::vector<TermNode>;

/// The operand that the term is, if it is one of this type and nothing else.
template <typename Operand>
const Operand* Only(const Term& term) {
  return term.size() == 1 ? std::get_if<Operand>(&term.front().operand) : nullptr;
}

/// `left op right`.
struct TermComparison {
  Term left;
  CompareOp op = CompareOp::kEq;
  Term right;
  friend bool operator==(const TermComparison&, const TermComparison&) = default;
};

/// An Instance alone is the use of a `let` or of an `extern predicate`.
struct Condition {
  std::variant<bool, Code, IsTest, TermComparison, Instance> kind;
  Where range;
  friend bool operator==(const Condition&, const Condition&) = default;
};

/// Conditions joined by `not`, `&&`, `||` and `=>`, which bind in this order.
struct Formula {
  enum class Kind : std::uint8_t { kCondition, kNot, kAnd, kOr, kImplies };
  Kind kind = Kind::kCondition;
  std::optional<Condition> condition;  ///< kCondition.
  /// kNot: one; kAnd, kOr: two or more; kImplies: what is assumed and what follows.
  std::vector<Formula> parts;
  Where range;
  friend bool operator==(const Formula&, const Formula&) = default;
};

/// `forall $a, $b in Set where formula:`. With `<` between the names, ascending.
struct Quantifier {
  std::vector<Name> names;
  bool ascending = false;
  SetRef set;
  std::optional<Formula> where;
  friend bool operator==(const Quantifier&, const Quantifier&) = default;
};

/// Formulas that all hold, for every binding of the variables.
struct Constraint {
  std::vector<Quantifier> foralls;
  std::vector<Formula> clauses;
  Where range;
  friend bool operator==(const Constraint&, const Constraint&) = default;
};

struct Key {
  Name word;
  std::optional<VarDef> forall;
  Code code;
  friend bool operator==(const Key&, const Key&) = default;
};

/// A term, or `first .. last` with both ends.
struct Span {
  Term first;
  std::optional<Term> last;
  friend bool operator==(const Span&, const Span&) = default;
};

struct SetDecl {
  std::string doc;
  Name name;
  std::optional<VarDef> parameter;
  std::optional<SetRef> superset;
  std::vector<Name> disjoint;
  std::vector<Key> keys;
  bool given = false;           ///< `extern set`.
  std::optional<Span> numbers;  ///< `set Name = first .. last`.
  friend bool operator==(const SetDecl&, const SetDecl&) = default;
};

struct QuotientDecl {
  std::string doc;
  bool canonical = false;  ///< The word was said; every quotient is.
  Name name;
  std::optional<VarDef> parameter;
  VarDef item;
  Name flag;
  std::optional<Formula> dividend;
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
  std::variant<Code, std::vector<NumberRange>, std::vector<Span>> universe;
  friend bool operator==(const IntegerDecl&, const IntegerDecl&) = default;
};

struct CounterDecl {
  std::string doc;
  Visibility visibility = Visibility::kFull;
  Name name;
  std::vector<VarDef> arguments;
  /// A Name is an `extern constant`, and so is an Instance.
  std::optional<std::variant<Code, WrittenNumber, Name, Instance>> base;
  std::vector<Quantifier> over;
  bool product = false;
  Term weight;
  std::vector<Formula> when;
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
  bool once = false;  ///< The word was said; no trigger fires twice.
  std::optional<Name> label;
  std::vector<Quantifier> foralls;
  std::optional<std::vector<Name>> adds;
  Code code;
  Formula when;
  Where range;
  friend bool operator==(const TriggerDecl&, const TriggerDecl&) = default;
};

/// `let name($a in A) = formula`.
struct LetDecl {
  std::string doc;
  Name name;
  std::vector<VarDef> arguments;
  Formula body;
  friend bool operator==(const LetDecl&, const LetDecl&) = default;
};

/// `extern predicate name($a in A) = "code"`, `extern constant name = "code"`, `= 8`.
struct ExternDecl {
  std::string doc;
  bool constant = false;
  Name name;
  std::vector<VarDef> arguments;
  std::optional<SetRef> present;  ///< `extern dynamic predicate … of Set`.
  std::optional<Code> code;
  std::optional<WrittenNumber> number;  ///< Instead of code.
  friend bool operator==(const ExternDecl&, const ExternDecl&) = default;
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

/// `decide first, second`.
struct DecideDecl {
  std::vector<Name> choices;
  Where range;
  friend bool operator==(const DecideDecl&, const DecideDecl&) = default;
};

/// `minimize term`, `maximize term`.
struct ObjectiveDecl {
  bool maximize = false;
  Term term;
  Where range;
  friend bool operator==(const ObjectiveDecl&, const ObjectiveDecl&) = default;
};

/// `lower_bound unit: term`.
struct LowerBoundDecl {
  Name unit;
  Term term;
  Where range;
  friend bool operator==(const LowerBoundDecl&, const LowerBoundDecl&) = default;
};

/// A statement with a syntax error. What it would have declared is known by name only, so that its
/// uses are not reported as well.
struct BrokenDecl {
  std::vector<Name> declares;
  friend bool operator==(const BrokenDecl&, const BrokenDecl&) = default;
};

using Statement = std::variant<SetDecl, QuotientDecl, EnumDecl, IntegerDecl, CounterDecl,
                               RequireDecl, TriggerDecl, LetDecl, ExternDecl, HostDecl, DecideDecl,
                               ObjectiveDecl, LowerBoundDecl, BrokenDecl>;

/// Ranges that do not count in comparisons, as Where.
struct Places {
  std::vector<SourceRange> ranges;
  friend bool operator==(const Places&, const Places&) { return true; }
};

struct File {
  std::vector<Statement> statements;
  /// Of what was read from a text: where each statement stands, documentation included.
  Places places;
  friend bool operator==(const File&, const File&) = default;
};

}  // namespace exh::dsl::ast

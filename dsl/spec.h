// SPDX-License-Identifier: MIT
//
// Spec: what a checked `.exh` file means. Names are resolved to indices, sugar is gone (`requires`
// bodies and aliases are expanded), and nothing in here can be ill-formed: the generator never
// reports a user's mistake, except that it does not compile a construct yet.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dsl/source_range.h"

namespace exh::dsl {

/// Index of a set or choice in `Spec::sets` / `Spec::choices`.
using SetIndex = int;
using ChoiceIndex = int;

/// A use of a set: `Dims`, or `TileDims($l)` where `parameter` is the index of `$l` in the list of
/// variables that is in scope (always an earlier variable).
struct SetRef {
  SetIndex set = -1;
  int parameter = -1;  ///< -1: the set is plain.

  friend bool operator==(const SetRef&, const SetRef&) = default;
};

/// `$name in Set`.
struct Variable {
  std::string name;  ///< Without the `$`.
  SetRef set;
  SourceRange range;
};

/// One `$name` inside a snippet. `offset` and `length` cover the `$` too.
struct SnippetVariable {
  std::uint32_t offset = 0;  ///< In `Snippet::text`.
  std::uint32_t length = 0;
  std::string name;
  /// Index of the variable in the scope of the snippet; -1 for a word of the language
  /// (`$fun`, `$id`, `$item`, `$objs`).
  int variable = -1;
};

/// Embedded C++: opaque text in which `$name` is replaced as a whole word.
struct Snippet {
  std::string text;   ///< Between the quotes; adjacent literals and continued lines are joined.
  SourceRange range;  ///< Of the text, first quote excluded.
  std::vector<SnippetVariable> variables;  ///< In order of appearance.
};

/// `order($a, $b)`: a choice applied to variables of the scope.
struct Instance {
  ChoiceIndex choice = -1;
  std::vector<int> arguments;  ///< Indices of variables in scope.
  SourceRange range;
};

/// A node of an integer term. A term is a list of nodes in which operands stand before what uses
/// them, the left one before the right one: `size($a) + 2` is size($a), 2, kAdd.
struct TermNode {
  enum class Kind : std::uint8_t {
    kNumber,
    kCode,      ///< Code that yields one integer, or an `extern constant`.
    kInstance,  ///< An integer choice or a full counter.
    kNegate,    ///< One operand; all others have two.
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,  ///< `/`: exact, a fraction may come out.
    kDiv,     ///< `div`: rounds down.
    kMod,     ///< `%`: a - b * (a div b).
    kMin,
    kMax,
    kVariable,  ///< An operand: the number that an object of a set of numbers is.
  };
  Kind kind = Kind::kNumber;
  std::int64_t number = 0;  ///< kNumber.
  int external = -1;        ///< kCode: index in Spec::externals of a constant; -1: `code`.
  Snippet code;             ///< kCode.
  /// kInstance. kCode of an external: what it is asked for. kVariable: the variable is its only
  /// argument. Without a choice in these.
  Instance instance;
  SourceRange range;  ///< With its operands.
};
using Term = std::vector<TermNode>;

/// A term, or all numbers from `first` to `last`, both of them in it.
struct TermSpan {
  Term first;
  Term last;  ///< Empty: `first` alone.
};

/// The keys of a set (docs/dsl.md, "The keys and the C++ that they must yield").
enum class SetKey : std::uint8_t {
  kItemType,
  kIdType,
  kItemGetter,
  kIdGetter,
  kIterator,
  kFromSuperset,
  kReverse,
  kAddToSet,
  kNewObjs,
  kVarPrefix,
};
inline constexpr int kNumSetKeys = 10;

struct Set {
  std::string name;
  std::string doc;
  SourceRange range;                  ///< Of the name where it is declared.
  std::optional<Variable> parameter;  ///< `$p in P` of a parametric set (P is plain).
  /// Superset; its `parameter` is 0 when it is `T($p)` with this set's own parameter.
  std::optional<SetRef> superset;
  std::vector<SetIndex> disjoint;
  std::array<std::optional<Snippet>, kNumSetKeys> keys;  ///< Indexed by SetKey.
  /// `reverse forall $x in B`: the variable; the snippet is keys[kReverse].
  std::optional<Variable> reverse_variable;
  bool is_quotient = false;
  SetIndex root = -1;  ///< The set without superset at the end of the chain; itself for a root.
  int depth = 0;       ///< 0 for a root.
  bool given = false;  ///< `extern set`: what is in it is data. It has no keys.
  /// `set Name = first .. last`: the objects are these numbers. Known before the search, no scope.
  std::optional<TermSpan> numbers;
};

enum class ChoiceKind : std::uint8_t { kEnum, kInteger, kCounter };
enum class Symmetry : std::uint8_t { kNone, kSymmetric, kAntisymmetric };
enum class Visibility : std::uint8_t { kFull, kHalf, kInternal };
enum class CompareOp : std::uint8_t { kLt, kGt, kLe, kGe, kEq, kNe };

/// An atom of a constraint.
struct Condition {
  enum class Kind : std::uint8_t {
    kIs,       ///< `lhs is values` (enum: bit i = value i of the choice; `is not` is complemented).
    kCompare,  ///< `lhs op rhs`, the same choice on both sides.
    kCompareCode,  ///< `lhs op "code"`; lhs is an integer or a counter.
    kCode,         ///< `"code"`, or a predicate of the host.
    kAscending,    ///< The first of `lhs.arguments` has a smaller number than the second.
    kPresent,      ///< A dynamic predicate of the host: the object that it names is there.
    kTerms,        ///< `left op right`, terms. What divides by 0 does not hold.
    kConstant,     ///< `true`, `false`.
  };
  Kind kind = Kind::kConstant;
  bool constant = true;  ///< kConstant.
  /// kCode, kAscending, kPresent, kTerms: it holds when what it says does not.
  bool negated = false;
  /// kIs, kCompare, kCompareCode; without a choice the arguments of a predicate, and kAscending's.
  Instance lhs;
  std::uint64_t values = 0;  ///< kIs: allowed values, `not` and aliases already applied.
  CompareOp op = CompareOp::kEq;
  /// kCompare. kCompareCode of an external: what it is asked for, without a choice.
  Instance rhs;
  /// kCode, kPresent, kCompareCode: index in Spec::externals of the predicate or constant; -1:
  /// `code`.
  int external = -1;
  Snippet code;  ///< kCompareCode, kCode.
  /// kCompareCode: the numbers themselves, ascending, when the `.exh` has them; `code` is empty.
  std::vector<std::uint32_t> numbers;
  bool single = false;  ///< kCompareCode: a list of several numbers would be a mistake.
  Term left, right;     ///< kTerms.
  std::string text;     ///< kTerms: as it is written, white space folded.
  SourceRange range;
};

struct EnumValue {
  std::string name;
  std::string doc;
  SourceRange range;
};

struct Alias {
  std::string name;
  std::string doc;
  std::uint64_t values = 0;  ///< Fully expanded.
  SourceRange range;
};

struct Choice {
  std::string name;
  std::string doc;
  SourceRange range;
  ChoiceKind kind = ChoiceKind::kEnum;
  std::vector<Variable> arguments;

  // Enum.
  std::vector<EnumValue> values;  ///< At most 64.
  std::vector<Alias> aliases;
  Symmetry symmetry = Symmetry::kNone;
  std::vector<int> inverse;  ///< Value -> its image when the arguments are swapped.

  // Integer.
  /// Scope: the arguments. Empty: `numbers`. Where `spans` say what the universe is, the same in
  /// C++.
  Snippet universe;
  std::vector<TermSpan> spans;         ///< Known before the search. Scope: the arguments.
  std::vector<std::uint32_t> numbers;  ///< A universe that the `.exh` lists, ascending, distinct.

  // Counter. Scope of what follows: the arguments, then `over`.
  Visibility visibility = Visibility::kFull;
  bool product = false;  ///< `mul`; otherwise `sum`.
  /// Scope: the arguments. Yields a signed integer. Where `base_term` says it, the same in C++.
  std::optional<Snippet> base;
  Term base_term;                           ///< An `extern constant`, or empty.
  std::optional<std::int64_t> base_number;  ///< Instead of `base`. Without both: 0, 1 for mul.
  std::vector<Variable> over;               ///< The counter's own `forall`s.
  std::optional<Instance> weight;  ///< The value counted: an integer choice or an earlier counter …
  std::optional<Snippet> weight_code;  ///< … or host code …
  Term weight_term;  ///< … or an integer term, never negative. Exactly one of the three is set.
  std::vector<Condition> when;  ///< Conjunction.
};

/// `extern predicate p($a in A)`, `extern constant c`: what the host knows, asked once per tuple,
/// or the data say.
struct External {
  std::string name;
  std::string doc;
  SourceRange range;
  bool constant = false;
  std::vector<Variable> arguments;
  /// A dynamic predicate: the code names an object of this set, and the predicate holds when that
  /// object is there.
  std::optional<SetRef> present;
  /// Scope: the arguments. Yields a bool, a number, or an id or nothing. Without code and number in
  /// the `.exh` it asks the host by its name.
  Snippet code;
  bool has_code = false;               ///< The `.exh` has the code.
  std::optional<std::int64_t> number;  ///< A constant's, which is in `code` as well.
};

/// A conjunction of disjunctions that holds for every tuple of pairwise distinct objects.
struct Requirement {
  std::string label;  ///< Never empty: without a label it is `<choice>_<n>`, counted per choice.
  std::string doc;
  std::string text;  ///< The requirement's own source text, white space folded.
  SourceRange range;
  std::vector<Variable> variables;
  std::vector<std::vector<Condition>> clauses;
};

/// `quotient Q($p in P) of $x in S: flag = c1 && c2 / equivalence is VALUES`. The set itself is in
/// `Spec::sets`, the flag among `Spec::choices` (an enum with the values FALSE, TRUE in this
/// order).
struct Quotient {
  SetIndex set = -1;
  /// The parameter if any, then the item: the scope of `dividend` and the flag's arguments.
  std::vector<Variable> variables;
  ChoiceIndex flag = -1;
  std::vector<Condition> dividend;
  ChoiceIndex equivalence = -1;
  std::uint64_t equivalence_values = 0;
  SourceRange range;
};

struct Trigger {
  std::string label;  ///< Never empty: `trigger_<n>` by default.
  SourceRange range;
  std::vector<Variable> variables;
  Snippet code;                ///< Yields the new-objects record; its variables are ids.
  std::vector<SetIndex> adds;  ///< Sets whose `new_objs` is read; all that have the key if unsaid.
  std::vector<Condition> when;
};

/// `minimize term`, `maximize term`: what the best implementation has least, or most, of.
struct SpaceObjective {
  bool maximize = false;
  Term term;         ///< Of decisions without arguments, full counters and constants; no scope.
  std::string text;  ///< As it is written, white space folded.
  SourceRange range;
};

/// `lower_bound us: term`: no implementation takes less time.
struct TimeBound {
  double unit_ns = 1;  ///< Nanoseconds.
  Term term;           ///< As in SpaceObjective; it may have fractions.
  std::string text;
  SourceRange range;
};

/// CompileOptions::terms: what an objective may be, and what is known without a decision.
struct BesideTerm {
  Term term;                ///< As in SpaceObjective.
  bool is_decided = false;  ///< A decision or a counter stands in it.
  std::string text;
  SourceRange range;
};

/// `host "c++": backbone = "T" header = "a.h" header = "b.h" end`: the C++ type of `$fun` and the
/// headers that declare it and everything that snippets name.
struct Host {
  Snippet backbone;
  std::vector<Snippet> headers;
  SourceRange range;
};

struct Spec {
  struct File {
    std::string path;  ///< As it is to be printed: relative to the root.
    std::string text;
  };
  std::vector<File> files;      ///< files[0] is the one that was compiled.
  std::vector<Set> sets;        ///< A superset and a parameter set come before their users.
  std::vector<Choice> choices;  ///< Declaration order; a counter comes after what it reads.
  std::vector<External> externals;
  std::vector<Requirement> requirements;
  std::vector<Quotient> quotients;
  std::vector<Trigger> triggers;
  /// Of `decide`: the choices that a search decides first, in this order; enums and integers, each
  /// once, no flags.
  std::vector<ChoiceIndex> order;
  std::optional<Host> host;  ///< Needed to build, not to check.
  std::optional<SpaceObjective> objective;
  std::optional<TimeBound> lower_bound;
  std::vector<BesideTerm> terms;  ///< In the order of CompileOptions::terms.
};

}  // namespace exh::dsl

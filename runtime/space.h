// SPDX-License-Identifier: MIT
//
// Space: the first of the three layers of state (Space, Instance, State). It is what a `.exh` file
// says, independent of any kernel: sets, choices, requirements, counters, quotients and triggers as
// plain tables. `exhc` prints a function that fills one; nothing in here depends on a backbone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace exh::runtime {

/// Values of a decision; those of an enum are at most 64. A decision of more than 64 is *long*.
inline constexpr int kMaxValues = 4096;

/// Values of an enum or integer decision as bits. Enum: bit i is value i. Integer: bit i is the
/// i-th number of the decision's universe; of a long decision, bit i of word w is number 64 w + i.
using Bits = std::uint64_t;

/// `.exh` position carried for messages: "kernels/spaces/order.exh:40".
struct Position {
  std::string file;
  int line = 0;
};

/// Index of a host snippet (predicate, constant, universe, weight) of the space; -1 for none.
/// A snippet is evaluated at freeze, once per tuple, with *all* variables of its scope bound.
using CodeId = int;

/// A use of a set: plain, or parametric in the earlier variable number `parameter` of the scope.
struct SetRef {
  int set = -1;
  int parameter = -1;
};

struct Variable {
  std::string name;
  SetRef set;
};

struct Set {
  std::string name;
  int superset = -1;       ///< -1 for a root set. Every set numbers its objects as its root does.
  int root = -1;           ///< The root of the chain; itself for a root set.
  int parameter_set = -1;  ///< -1 for a plain set.
  std::vector<int> disjoint;  ///< Sets promised to share no object with this one.
  bool is_quotient = false;
};

enum class ChoiceKind : std::uint8_t { kEnum, kInteger, kCounter };
enum class Symmetry : std::uint8_t { kNone, kSymmetric, kAntisymmetric };
/// What may be asked of a counter and what objects that appear later do to it: docs/dsl.md,
/// "choice counter".
enum class Visibility : std::uint8_t { kFull, kHalf, kInternal };
enum class CompareOp : std::uint8_t { kLt, kGt, kLe, kGe, kEq, kNe };

/// A choice applied to variables of the scope.
struct ChoiceUse {
  int choice = -1;
  std::vector<int> arguments;
};

/// A node of an integer term. A term is a list of nodes in which operands stand before what uses
/// them, the left one before the right one: `size($a) + 2` is size($a), 2, kAdd.
struct TermNode {
  enum class Kind : std::uint8_t {
    kNumber,
    kCode,    ///< What Host::Integer yields.
    kChoice,  ///< An integer decision or a full counter.
    kNegate,  ///< One operand; all others have two.
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,  ///< Exact: a fraction may come out.
    kDiv,     ///< Rounds down.
    kMod,     ///< a - b * (a div b).
    kMin,
    kMax,
  };
  Kind kind = Kind::kNumber;
  std::int64_t number = 0;  ///< kNumber.
  CodeId code = -1;         ///< kCode.
  /// kCode: an `extern constant`, which is asked once for each tuple of what `use.arguments` are.
  bool external = false;
  ChoiceUse use;  ///< kChoice; kCode of an external: what it is asked for, without a choice.
};
using Term = std::vector<TermNode>;

struct Condition {
  enum class Kind : std::uint8_t {
    kIs,
    kCompare,
    kCompareCode,
    kCode,
    kAscending,  ///< The first of lhs.arguments has a smaller number than the second.
    kPresent,    ///< The object that Host::FindObject names is there.
    kTerms,      ///< `left op right`; what divides by 0 does not hold.
    kConstant,
  };
  Kind kind = Kind::kConstant;
  bool constant = true;  ///< kConstant.
  /// kCode, kAscending, kPresent, kTerms: it holds when what it says does not.
  bool negated = false;
  /// kIs, kCompare, kCompareCode. Without a choice: the variables that an external is asked for,
  /// kAscending's two.
  ChoiceUse lhs;
  Bits values = 0;  ///< kIs: the values for which it holds.
  CompareOp op = CompareOp::kEq;
  /// kCompare: another use of the same choice. kCompareCode of an external: what it is asked for.
  ChoiceUse rhs;
  /// kCode (a predicate), kCompareCode (a number or a sorted list of numbers), kPresent.
  CodeId code = -1;
  /// The code is an `extern` with a scope of its own: kCode and kPresent bind it to lhs.arguments,
  /// kCompareCode to rhs.arguments. It is asked once per tuple of that scope.
  bool external = false;
  std::vector<std::uint32_t> numbers;  ///< kCompareCode without code: ascending.
  bool single = false;  ///< kCompareCode: several numbers are a mistake of the space's author.
  SetRef set;           ///< kPresent: of which set the object must be a member.
  Term left, right;     ///< kTerms.
  std::string text;     ///< kTerms: as the `.exh` has it, for messages.
};

struct Choice {
  std::string name;
  ChoiceKind kind = ChoiceKind::kEnum;
  std::vector<Variable> arguments;
  Position position;

  std::vector<std::string> values;  ///< Enum: names, bit order.
  Symmetry symmetry = Symmetry::kNone;
  std::vector<int> inverse;  ///< Antisymmetric: value -> value with the arguments swapped.

  /// Integer: scope = arguments; a sorted list of distinct numbers, at most kMaxValues. -1:
  /// `numbers`.
  CodeId universe = -1;
  std::vector<std::uint32_t> numbers;  ///< Integer without code: the universe.

  // Counter; the scope of `over`, weight and conditions is arguments, then `over`.
  Visibility visibility = Visibility::kFull;
  bool product = false;
  CodeId base = -1;  ///< Scope: arguments. -1: `base_number`, or 0 for a sum, 1 for a product.
  std::int64_t base_number = 0;
  bool has_base_number = false;
  std::vector<Variable> over;
  ChoiceUse weight;  ///< choice -1: `weight_code` or `weight_term` counts.
  CodeId weight_code = -1;
  Term weight_term;  ///< Not empty: this counts, and is never negative.
  std::vector<Condition> when;
};

/// One disjunction of a requirement: it holds for every tuple of pairwise distinct objects.
struct Clause {
  int requirement = -1;  ///< Index in Space::requirements, for messages.
  std::vector<Variable> variables;
  std::vector<Condition> conditions;
};

struct Requirement {
  std::string label;
  Position position;
};

/// A set with one representative per class of equivalent eligible items: the smallest one (the
/// flag is a pure function of the dividend and the equivalence, so no order of decisions shows).
struct Quotient {
  int set = -1;
  std::vector<Variable> variables;  ///< [parameter,] item.
  int flag = -1;                    ///< Enum choice (FALSE = bit 0, TRUE = bit 1) over `variables`.
  std::vector<Condition> dividend;  ///< Conjunction; scope: `variables`.
  int equivalence = -1;             ///< (Anti)symmetric enum choice over pairs of items.
  Bits equivalence_values = 0;
};

/// When all conditions are certain, the planned objects of the tuple become members of their sets.
struct Trigger {
  std::string label;
  Position position;
  std::vector<Variable> variables;
  std::vector<Condition> when;
};

/// What the best implementation has least, or most, of.
struct SpaceObjective {
  bool maximize = false;
  Term term;  ///< Of choices without arguments. In a frozen instance: of numbers, and of those.
  std::string text;
  Position position;
};

/// No implementation takes less than this time.
struct TimeBound {
  double unit_ns = 1;  ///< Of the term, in nanoseconds.
  Term term;           ///< As in SpaceObjective.
  std::string text;
  Position position;
};

struct Space {
  std::string name;
  std::string fingerprint;  ///< Of the `.exh` sources; stands in every log.
  std::vector<Set> sets;
  std::vector<Choice> choices;
  std::vector<Requirement> requirements;
  std::vector<Clause> clauses;
  std::vector<Quotient> quotients;
  std::vector<Trigger> triggers;
  /// Indices in `choices` of those that a search decides first, in this order (`decide` in the
  /// `.exh`): enums and integers, each once, no flags of quotients. All others follow as they are
  /// listed.
  std::vector<int> order;
  std::optional<SpaceObjective> objective;
  std::optional<TimeBound> lower_bound;
};

}  // namespace exh::runtime

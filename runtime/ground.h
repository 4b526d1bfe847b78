// SPDX-License-Identifier: MIT
//
// The ground form of an Instance: what its constraints say, as plain lists that are easy to read
// and slow to run. Export and explanation read it, so that they do not depend on how the
// propagation loop lays out the same constraints. Only internal/network/ground_form.cc knows both.
//
// An assignment of all variables is an implementation iff every table, clause and counter bound
// holds, and every decision that is not live has the first value of its root domain.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "runtime/action.h"
#include "runtime/instance.h"
#include "runtime/interval.h"
#include "runtime/literal_status.h"
#include "runtime/propagation.h"
#include "runtime/space.h"
#include "runtime/state.h"

namespace exh::runtime {

// ---- Integer terms whose variables are bound to objects. A comparison is a range of nodes, in
// which operands stand before what uses them.

struct GroundTermNode {
  enum class Op : std::uint8_t {
    kNumber,
    kDecision,
    kCounter,
    kNegate,
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kDiv,
    kMod,
    kMin,
    kMax,
  };
  Op op = Op::kNumber;
  /// Operands, as positions in the comparison's own nodes. kDecision: `left` is the position among
  /// the comparison's own leaves; kCounter: its number.
  std::uint32_t left = 0, right = 0;
  std::int64_t number = 0;  ///< kNumber; kCounter: to be added to what the counter shows.
};

/// A decision that a comparison reads, once however often.
struct TermLeaf {
  Slot slot = 0;               ///< In a GroundForm the number of a variable.
  std::uint32_t universe = 0;  ///< In the universes of the network, or of the form.
  std::uint32_t words = 1;     ///< Of its domain, at slots side by side.
};

/// `left op right`, or a term alone, as the weight of an increment.
struct TermTest {
  static constexpr std::uint32_t kNoRight = 0xFFFFFFFF;
  std::uint32_t node_begin = 0, node_end = 0;  ///< In TermTables::nodes.
  std::uint32_t leaf_begin = 0, leaf_end = 0;  ///< In TermTables::leaves.
  std::uint32_t left = 0, right = kNoRight;    ///< Positions of the nodes that are compared.
  CompareOp op = CompareOp::kEq;
  bool fractions = false;  ///< Some node divides exactly.
  bool counters = false;   ///< Some node is a counter.
  std::uint32_t text = 0;  ///< In TermTables::texts: what the `.exh` says, and where.
};

struct TermTables {
  std::vector<TermTest> tests;
  std::vector<GroundTermNode> nodes;
  std::vector<TermLeaf> leaves;
  std::vector<std::string> texts;
};

/// Nodes of one comparison; more are refused when a space is frozen.
inline constexpr std::uint32_t kMostTermNodes = 256;
/// No term of an implementation, and no part of one, exceeds this: that is refused as well.
inline constexpr std::int64_t kLargestTerm = std::int64_t{1} << 61;

// ---- The form.

/// Variables: all decisions at their number, then the words of long decisions, then the hidden
/// Boolean ones (0 false, 1 true). A long decision has its values in its words: one of them, side
/// by side from `first_word` on, has one value in the end, and the others have none. At its own
/// number stands its name.
struct GroundVariable {
  std::string name;             ///< "order(a,b)"; hidden: "Items has x" or "trigger 3 fired".
  Bits root = 0;                ///< Domain after the propagation of the root; long decisions: 0.
  int num_values = 0;           ///< Values 0 … num_values - 1.
  std::uint32_t live_gate = 0;  ///< Decisions: in GroundForm::gates; open iff it is live.
  DecisionId decision = kNoDecision;            ///< Decisions and words: whose it is.
  int word = 0;                                 ///< Words: which.
  std::uint32_t first_word = 0, num_words = 0;  ///< Long decisions and their words.
  Slot slot = 0;  ///< Where a State has its domain; of a long decision, its first word.
};

/// An atom over the values of variables or of counters; a and b are their numbers.
struct GroundLiteral {
  using Kind = LiteralKind;
  Kind kind = Kind::kIn;
  CompareOp op = CompareOp::kEq;
  bool negated = false;     ///< kTerm: it does not hold.
  std::uint32_t a = 0;      ///< kTerm: in GroundForm::terms.tests.
  std::uint32_t b = 0;      ///< kLong: words.
  Bits values = 0;          ///< kIn.
  std::uint32_t pairs = 0;  ///< kPair: in GroundForm::pair_relations; kLong: in its long_masks.
  Interval interval;        ///< kCounterIn; kCounterNot: its minimum.
};

/// A disjunction, and the requirement, counter, trigger or quotient that it stems from.
struct GroundClause {
  std::vector<GroundLiteral> literals;
  Origin origin;
};

/// The conjunction of several clauses over the same few variables. In `clauses` (kIn and kPair
/// only) a and b are positions in GroundTable::variables.
struct GroundRelation {
  std::vector<int> sizes;  ///< Number of values by position.
  std::vector<GroundClause> clauses;
};

/// The relation holds between the variables as soon as the gate is open.
struct GroundTable {
  std::uint32_t relation = 0;
  std::uint32_t gate = 0;
  std::vector<std::uint32_t> variables;
};

/// Adds to a counter, or multiplies it, when all literals hold.
struct GroundIncrement {
  enum class Weight : std::uint8_t { kConstant, kVariable, kCounter, kTerm };
  Weight weight = Weight::kConstant;
  std::vector<GroundLiteral> literals;
  std::uint64_t value = 0;             ///< kConstant.
  std::uint32_t source = 0;            ///< kVariable (no long one), kCounter, kTerm: in `terms`.
  std::vector<std::uint32_t> numbers;  ///< kVariable: the number that each value stands for.
};

/// Its value is the base and all increments that count, whatever its visibility: what an absent
/// object must not add to a full counter is forbidden by clauses. A negative base is left out: the
/// tests of the counter have it.
struct GroundCounter {
  std::string name;
  bool product = false;
  std::uint64_t base = 0;
  std::vector<GroundIncrement> increments;
  Interval root;  ///< Bounds that hold at the root, those imposed on it included.
  Origin origin;
};

/// All that the variables can have together as soon as the gate is open. It follows from a counter,
/// tables and clauses, or from one clause on terms, so whoever looks for implementations may leave
/// it out.
struct GroundJoint {
  std::vector<std::uint32_t> variables;
  std::vector<std::vector<int>> combinations;  ///< Of their values, by position.
  std::uint32_t gate = 0;
  std::vector<Origin> origins;  ///< The first is that of the counter.
};

struct GroundForm {
  std::vector<GroundVariable> variables;
  std::vector<std::vector<Bits>> pair_relations;  ///< By relation and value of a: values of b.
  std::vector<GroundRelation> relations;
  std::vector<GroundTable> tables;
  std::vector<GroundClause> clauses;
  std::vector<GroundCounter> counters;
  std::vector<GroundJoint> joints;
  /// Comparisons and weights. The slot of a leaf is a variable, of a long decision its first word.
  TermTables terms;
  std::vector<std::vector<std::uint32_t>> universes;  ///< Of leaves.
  std::vector<Bits> long_masks;
  /// By gate: the Boolean variables that are all true when it is open. Gate 0 has none.
  std::vector<std::vector<std::uint32_t>> gates;
};

/// What LiteralStatus() asks of the form itself. Who has domains adds them, and terms.
struct FormFacts {
  const GroundForm& form;
  static Bits values(const GroundLiteral& literal) { return literal.values; }
  static Interval interval(const GroundLiteral& literal) { return literal.interval; }
  std::span<const Bits> pairs(const GroundLiteral& literal) const {
    return form.pair_relations[literal.pairs];
  }
  const Bits* masks(const GroundLiteral& literal) const {
    return form.long_masks.data() + literal.pairs;
  }
};

/// The instance's root must be a fixpoint.
GroundForm MakeGroundForm(const Instance& instance);

/// Does the clause hold for these values, by position?
bool Holds(const GroundForm& form, const GroundClause& clause, const std::vector<int>& values);

/// What is left of the variables and counters of a form, as somebody sees it.
struct GroundView {
  std::function<Bits(std::uint32_t)> variable;
  std::function<Interval(std::uint32_t)> counter;
};
/// What a literal of kind kTerm is on what is left. With one value left of everything that it reads
/// it is known.
Truth TermStatus(const GroundForm& form, const GroundLiteral& literal, const GroundView& view);
/// All that the test, which is a weight, may be. With one value left of everything that it reads it
/// is that number.
Interval WeightRange(const GroundForm& form, std::uint32_t test, const GroundView& view);

/// All combinations of values that satisfy every clause of the relation, in ascending order.
std::vector<std::vector<int>> AllowedTuples(const GroundForm& form, const GroundRelation& relation);

}  // namespace exh::runtime

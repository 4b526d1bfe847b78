// SPDX-License-Identifier: MIT
//
// Which objectives and constraints are sums over decisions, as the ground form has them.
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "base/check.h"
#include "runtime/ground.h"
#include "search/solve/separable.h"

namespace exh::search {

namespace {

using runtime::Bits;
using runtime::CompareOp;
using runtime::DecisionId;
using runtime::GroundCounter;
using runtime::GroundForm;
using runtime::GroundIncrement;
using runtime::GroundLiteral;
using runtime::GroundTermNode;

/// Beyond these a sum is left alone: products of them are to fit in 64 bits.
constexpr std::int64_t kLargestSummand = std::int64_t{1} << 40;
constexpr std::size_t kMostRows = 16;
/// Counters that are summed up in counters, within each other.
constexpr int kDeepestCounter = 20;

}  // namespace

/// A sum over decisions: what each value of a variable adds.
struct SeparableSum {
  std::int64_t fixed = 0;
  std::map<std::uint32_t, std::vector<std::int64_t>> parts;
  bool is_known = true;

  std::int64_t Extreme(const GroundForm& form, bool most) const {
    std::int64_t sum = fixed;
    for (const auto& [variable, values] : parts) {
      bool is_first = true;
      std::int64_t best = 0;
      for (Bits rest = form.variables[variable].root; rest != 0; rest &= rest - 1) {
        const std::int64_t value = values[static_cast<std::size_t>(std::countr_zero(rest))];
        if (is_first || (most ? value > best : value < best)) best = value;
        is_first = false;
      }
      sum += best;
    }
    return sum;
  }
};

class SeparableReader {
 public:
  SeparableReader(const runtime::Instance& instance, const runtime::GroundedTerm& objective)
      : instance_(instance), objective_(objective), form_(runtime::MakeGroundForm(instance)) {}

  std::optional<SeparableBound> Read(bool maximize) {
    SeparableSum gain;
    AddTerm(objective_.tables(), objective_.tables().tests.front().left, maximize ? 1 : -1,
            &OwnVariable, &gain);
    if (!gain.is_known || gain.parts.empty() || objective_.tables().tests.front().fractions) {
      return std::nullopt;
    }
    SeparableBound bound(instance_);
    std::set<std::uint32_t> variables;
    for (const auto& [variable, values] : gain.parts) variables.insert(variable);
    std::vector<std::pair<SeparableSum, SeparableBound::Row>> rows;
    CounterRows(&rows);
    TermRows(&rows);
    // What has nothing to do with the objective bounds nothing of it.
    std::erase_if(rows, [&](const auto& row) {
      return std::ranges::none_of(
          row.first.parts, [&](const auto& part) { return gain.parts.contains(part.first); });
    });
    for (const auto& [sum, row] : rows) {
      for (const auto& [variable, values] : sum.parts) variables.insert(variable);
    }
    Fill(gain, rows, variables, &bound);
    return bound;
  }

 private:
  /// The variable of a leaf of a term.
  using VariableOf = std::uint32_t (*)(const SeparableReader&, std::uint32_t leaf,
                                       const runtime::TermTables&);

  static std::uint32_t OwnVariable(const SeparableReader& reader, std::uint32_t leaf,
                                   const runtime::TermTables& tables) {
    // Leaves of the objective have slots.
    for (std::uint32_t i = 0; i < reader.form_.variables.size(); ++i) {
      const auto& variable = reader.form_.variables[i];
      const bool is_decision = i < reader.instance_.num_decisions();
      if (is_decision && variable.slot == tables.leaves[leaf].slot) return i;
    }
    return kNoVariable;
  }
  static std::uint32_t FormVariable(const SeparableReader&, std::uint32_t leaf,
                                    const runtime::TermTables& tables) {
    return tables.leaves[leaf].slot;
  }

  /// A decision that is always there, with values in one word.
  bool IsPlain(std::uint32_t variable) const {
    if (variable >= instance_.num_decisions()) return false;
    const auto& found = form_.variables[variable];
    return found.root != 0 && found.live_gate == 0 && !instance_.IsLong(found.decision);
  }

  void Add(std::uint32_t variable, int value, std::int64_t times, std::int64_t number,
           SeparableSum* sum) const {
    if (std::abs(number) > kLargestSummand || std::abs(times) > kLargestSummand ||
        std::abs(times * (number / 1024 + 1)) > kLargestSummand) {
      sum->is_known = false;
      return;
    }
    std::vector<std::int64_t>& values = sum->parts[variable];
    values.resize(static_cast<std::size_t>(form_.variables[variable].num_values));
    values[static_cast<std::size_t>(value)] += times * number;
  }

  /// `times` the node of a term, which is the first test of its tables or another one.
  void AddTerm(const runtime::TermTables& tables, std::uint32_t at, std::int64_t times,
               VariableOf variable_of, SeparableSum* sum, std::size_t test = 0) const {
    using Op = GroundTermNode::Op;
    const runtime::TermTest& of = tables.tests[test];
    const GroundTermNode& node = tables.nodes[of.node_begin + at];
    const auto part = [&](std::uint32_t operand, std::int64_t by) {
      AddTerm(tables, operand, by, variable_of, sum, test);
    };
    if (!sum->is_known || std::abs(times) > kLargestSummand) {
      sum->is_known = false;
      return;
    }
    switch (node.op) {
      case Op::kNumber:
        return AddFixed(times, node.number, sum);
      case Op::kDecision: {
        const std::uint32_t variable = variable_of(*this, of.leaf_begin + node.left, tables);
        if (variable == kNoVariable || !IsPlain(variable)) {
          sum->is_known = false;
          return;
        }
        const auto universe = instance_.universe(form_.variables[variable].decision);
        for (std::size_t value = 0; value < universe.size(); ++value) {
          Add(variable, static_cast<int>(value), times, universe[value], sum);
        }
        return;
      }
      case Op::kCounter:
        AddFixed(times, node.number, sum);
        return AddCounter(node.left, times, sum, 0);
      case Op::kNegate:
        return part(node.left, -times);
      case Op::kAdd:
        part(node.left, times);
        return part(node.right, times);
      case Op::kSubtract:
        part(node.left, times);
        return part(node.right, -times);
      case Op::kMultiply: {
        const auto number = [&](std::uint32_t operand) -> std::optional<std::int64_t> {
          const GroundTermNode& factor = tables.nodes[of.node_begin + operand];
          if (factor.op != Op::kNumber || std::abs(factor.number) > kLargestSummand / 1024) {
            return std::nullopt;
          }
          return factor.number;
        };
        const auto left = number(node.left), right = number(node.right);
        if (std::abs(times) < 1024 && left) return part(node.right, times * *left);
        if (std::abs(times) < 1024 && right) return part(node.left, times * *right);
        break;
      }
      default:
        break;
    }
    sum->is_known = false;
  }

  static void AddFixed(std::int64_t times, std::int64_t number, SeparableSum* sum) {
    if (std::abs(number) > kLargestSummand || std::abs(times) > 1024 * 1024) {
      sum->is_known = false;
      return;
    }
    sum->fixed += times * number;
  }

  void AddCounter(std::uint32_t which, std::int64_t times, SeparableSum* sum, int depth) const {
    const GroundCounter& counter = form_.counters[which];
    if (counter.product || depth > kDeepestCounter) {
      sum->is_known = false;
      return;
    }
    AddFixed(times,
             static_cast<std::int64_t>(std::min<std::uint64_t>(
                 counter.base, static_cast<std::uint64_t>(kLargestSummand) * 2)),
             sum);
    for (const GroundIncrement& increment : counter.increments) {
      if (!sum->is_known) return;
      AddIncrement(increment, times, sum, depth);
    }
  }

  void AddIncrement(const GroundIncrement& increment, std::int64_t times, SeparableSum* sum,
                    int depth) const {
    using Weight = GroundIncrement::Weight;
    std::uint32_t variable = kNoVariable;
    Bits counts = ~Bits{0};
    const auto reads = [&](std::uint32_t read) {
      if (variable != kNoVariable && variable != read) sum->is_known = false;
      variable = read;
      if (!IsPlain(read)) sum->is_known = false;
    };
    for (const GroundLiteral& literal : increment.literals) {
      if (literal.kind != GroundLiteral::Kind::kIn) sum->is_known = false;
      if (!sum->is_known) return;
      reads(literal.a);
      counts &= literal.values;
    }
    if (increment.weight == Weight::kCounter) {
      if (increment.literals.empty()) return AddCounter(increment.source, times, sum, depth + 1);
      sum->is_known = false;
    }
    if (increment.weight == Weight::kVariable) reads(increment.source);
    if (increment.weight == Weight::kTerm) {
      const auto& test = form_.terms.tests[increment.source];
      if (test.counters) sum->is_known = false;
      for (std::uint32_t leaf = test.leaf_begin; leaf < test.leaf_end && sum->is_known; ++leaf) {
        reads(form_.terms.leaves[leaf].slot);
      }
    }
    if (!sum->is_known) return;
    if (variable == kNoVariable) {
      const auto number = NumberAt(increment, kNoVariable, 0);
      return number ? AddFixed(times, *number, sum) : void(sum->is_known = false);
    }
    for (Bits rest = form_.variables[variable].root & counts; rest != 0; rest &= rest - 1) {
      const int value = std::countr_zero(rest);
      const auto number = NumberAt(increment, variable, value);
      if (!number) sum->is_known = false;
      if (!sum->is_known) return;
      Add(variable, value, times, *number, sum);
    }
  }

  /// What the increment adds when the variable has this value.
  std::optional<std::int64_t> NumberAt(const GroundIncrement& increment, std::uint32_t variable,
                                       int value) const {
    std::uint64_t number = increment.value;
    if (increment.weight == GroundIncrement::Weight::kVariable) {
      number = increment.numbers[static_cast<std::size_t>(value)];
    } else if (increment.weight == GroundIncrement::Weight::kTerm) {
      const runtime::GroundView view{[&](std::uint32_t read) {
                                       return read == variable ? Bits{1} << value
                                                               : form_.variables[read].root;
                                     },
                                     [](std::uint32_t) { return runtime::Interval{}; }};
      const runtime::Interval range = runtime::WeightRange(form_, increment.source, view);
      if (!range.IsConstrained()) return std::nullopt;
      number = range.min;
    }
    if (number > static_cast<std::uint64_t>(kLargestSummand)) return std::nullopt;
    return static_cast<std::int64_t>(number);
  }

  using Rows = std::vector<std::pair<SeparableSum, SeparableBound::Row>>;

  void AddRow(const SeparableSum& sum, std::int64_t limit, int counter, bool is_negated,
              Rows* rows) const {
    if (rows->size() == kMostRows || sum.Extreme(form_, true) <= limit) return;
    SeparableBound::Row row;
    row.limit = limit;
    row.counter = counter;
    row.is_negated = is_negated;
    rows->emplace_back(sum, row);
  }

  static SeparableSum Negated(SeparableSum sum) {
    sum.fixed = -sum.fixed;
    for (auto& [variable, values] : sum.parts) {
      for (std::int64_t& value : values) value = -value;
    }
    return sum;
  }

  /// Counters that are bounded by more than what they add up.
  void CounterRows(Rows* rows) const {
    std::set<std::uint32_t> of_objective;
    for (const GroundTermNode& node : objective_.tables().nodes) {
      if (node.op == GroundTermNode::Op::kCounter) of_objective.insert(node.left);
    }
    for (std::uint32_t i = 0; i < form_.counters.size(); ++i) {
      if (of_objective.contains(i)) continue;
      SeparableSum sum;
      AddCounter(i, 1, &sum, 0);
      if (!sum.is_known || sum.parts.empty()) continue;
      const runtime::Interval shown = form_.counters[i].root;
      const auto limit = [](std::uint64_t number) {
        return static_cast<std::int64_t>(
            std::min<std::uint64_t>(number, static_cast<std::uint64_t>(kLargestSummand) * 1024));
      };
      AddRow(sum, limit(shown.max), static_cast<int>(i), false, rows);
      AddRow(Negated(sum), -limit(shown.min), static_cast<int>(i), true, rows);
    }
  }

  /// Comparisons of sums that must hold.
  void TermRows(Rows* rows) const {
    for (const auto& clause : form_.clauses) {
      if (clause.literals.size() != 1) continue;
      const GroundLiteral& literal = clause.literals.front();
      if (literal.kind != GroundLiteral::Kind::kTerm || literal.negated) continue;
      const runtime::TermTest& test = form_.terms.tests[literal.a];
      if (test.fractions || test.right == runtime::TermTest::kNoRight) continue;
      SeparableSum sum;  // Left less right.
      AddTerm(form_.terms, test.left, 1, &FormVariable, &sum, literal.a);
      AddTerm(form_.terms, test.right, -1, &FormVariable, &sum, literal.a);
      if (!sum.is_known || sum.parts.empty()) continue;
      const bool is_less = test.op == CompareOp::kLt || test.op == CompareOp::kLe;
      const bool is_more = test.op == CompareOp::kGt || test.op == CompareOp::kGe;
      const std::int64_t strict = test.op == CompareOp::kLt || test.op == CompareOp::kGt ? -1 : 0;
      const bool is_same = test.op == CompareOp::kEq;
      if (is_less || is_same) AddRow(sum, strict, -1, false, rows);
      if (is_more || is_same) AddRow(Negated(sum), strict, -1, false, rows);
    }
  }

  void Fill(const SeparableSum& gain, const Rows& rows, const std::set<std::uint32_t>& variables,
            SeparableBound* bound) const {
    bound->column_of_.assign(instance_.num_decisions(), -1);
    for (const std::uint32_t variable : variables) {
      const auto& found = form_.variables[variable];
      bound->column_of_[found.decision] = static_cast<int>(bound->columns_.size());
      bound->columns_.push_back({found.decision, bound->gains_.size(), found.num_values});
      const auto part = gain.parts.find(variable);
      for (int value = 0; value < found.num_values; ++value) {
        bound->gains_.push_back(
            part == gain.parts.end() ? 0 : part->second[static_cast<std::size_t>(value)]);
      }
    }
    bound->fixed_ = gain.fixed;
    bound->scores_.assign(bound->gains_.size(), 0);
    bound->best_.assign(bound->columns_.size(), 0);
    for (const auto& [sum, begun] : rows) {
      SeparableBound::Row row = begun;
      row.fixed = sum.fixed;
      for (const std::uint32_t variable : variables) {
        const auto part = sum.parts.find(variable);
        std::int64_t most = 0;
        for (int value = 0; value < form_.variables[variable].num_values; ++value) {
          const std::int64_t use =
              part == sum.parts.end() ? 0 : part->second[static_cast<std::size_t>(value)];
          row.uses.push_back(use);
          most = std::max(most, std::abs(use));
        }
        row.most_used += most;
      }
      row.most_used += std::abs(row.limit) + std::abs(row.fixed);
      row.most_used *= static_cast<std::int64_t>(rows.size());
      bound->rows_.push_back(std::move(row));
    }
    // The finest scale at which all gains together fit.
    std::int64_t most = std::abs(gain.fixed) + 1;
    for (const auto& [variable, values] : gain.parts) {
      std::int64_t largest = 0;
      for (const std::int64_t value : values) largest = std::max(largest, std::abs(value));
      most += largest;
    }
    bound->scale_ = 1;
    while (bound->scale_ < (1 << 20) && most < (std::int64_t{1} << 58) / bound->scale_) {
      bound->scale_ *= 2;
    }
  }

  static constexpr std::uint32_t kNoVariable = std::numeric_limits<std::uint32_t>::max();

  const runtime::Instance& instance_;
  const runtime::GroundedTerm& objective_;
  const GroundForm form_;
};

std::optional<SeparableBound> SeparableBound::Of(const runtime::Instance& instance,
                                                 const runtime::GroundedTerm& objective,
                                                 bool maximize) {
  // Written down one by one, the constraints of many objects take long and much memory.
  constexpr DecisionId kMostDecisions = 4096;
  if (instance.num_decisions() > kMostDecisions) return std::nullopt;
  return SeparableReader(instance, objective).Read(maximize);
}

}  // namespace exh::search

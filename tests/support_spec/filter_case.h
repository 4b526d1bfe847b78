// SPDX-License-Identifier: MIT
//
// FilterCase: one generated filter together with the clause of the checked `.exh` that it is a
// filter of, and all that its parameters may be. The specification is evaluated here value by
// value, without generated code: a value of the target is left exactly when some values of the
// inputs, each from its domain, satisfy the clause.
//
// Enums and integers range over all domains with a value. Integers of one clause have different
// universes. Counters range over small numbers and the two largest; no snippet yields, and no
// domain ends at, the numbers next to the gap between them, so that every end of an exact result is
// there.
#pragma once

#include <cstdint>
#include <deque>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "dsl/spec.h"
#include "runtime/filter_table.h"

namespace exh::tests {

/// What a parameter of a filter may be: a domain, or what a snippet yields.
struct FilterAxis {
  std::vector<std::uint64_t> values;  ///< Of a decision: an enum's number, or the number itself.
  /// Of an integer; the values of a counter but for the two largest.
  std::vector<std::uint32_t> universe;
  std::vector<runtime::FilterArgument> arguments;
  std::vector<runtime::Bits> domains;  ///< Of a decision: bit i is values[i]; one per argument.
};

class FilterCase {
 public:
  /// Spec and filter outlive the case. When they do not fit together, fault() says how.
  FilterCase(const dsl::Spec& spec, const runtime::SpecFilter& filter);
  FilterCase(const FilterCase&) = delete;
  FilterCase& operator=(const FilterCase&) = delete;

  const std::string& fault() const { return fault_; }
  const dsl::Requirement& requirement() const { return *requirement_; }
  /// Decision 0 is the target, the others are the inputs.
  int num_decisions() const { return static_cast<int>(decisions_.size()); }
  const runtime::ChoiceUse& decision(int index) const { return decisions_[index]; }
  dsl::ChoiceKind kind(int decision) const;
  const FilterAxis& target() const { return target_; }
  /// Conditions of the clause that mention the target.
  int num_mentions() const;
  /// The inputs, then the snippets.
  int num_axes() const { return static_cast<int>(axes_.size()); }
  int num_inputs() const { return num_decisions() - 1; }
  const FilterAxis& axis(int index) const { return axes_[index]; }
  /// Number of ways to choose one argument per axis; stops counting beyond `limit`.
  std::uint64_t NumCombinations(std::uint64_t limit) const;

  /// For the given arguments of the snippets: the values of the target that satisfy the clause, by
  /// the values of the inputs, the last of which runs fastest.
  std::vector<runtime::Bits> Table(std::span<const int> snippets) const;
  /// What the filter is called with for one argument per axis.
  std::vector<runtime::FilterArgument> Arguments(std::span<const int> combination) const;
  /// The result is exactly these values; of a counter, the smallest interval around them.
  bool IsExactly(const runtime::FilterResult& result, runtime::Bits values) const;
  /// The smallest interval around values of the target, a counter; empty for none.
  runtime::Interval IntervalOf(runtime::Bits values) const;
  /// "order($a, $b) in {0, 2}, "$a.ok()" = true: left {1}" with `values` as what is left.
  std::string Describe(std::span<const int> combination, runtime::Bits values,
                       const runtime::FilterResult& result) const;
  /// Adds what is proven about the language: "compare == antisymmetric swapped, target", ….
  void AddKinds(std::set<std::string>* kinds) const;

 private:
  struct Operand {
    int decision = -1;
    bool swapped = false;
  };
  struct Atom {
    const dsl::Condition* condition = nullptr;
    Operand lhs, rhs;
    int snippet = -1;
  };

  bool Locate(const runtime::SpecFilter& filter);
  Operand Find(const dsl::Instance& instance);
  void AddAtoms(const std::vector<dsl::Condition>& clause);
  FilterAxis DecisionAxis(int decision) const;
  std::set<std::uint64_t> Counts() const;
  std::uint64_t Value(const Operand& operand, std::span<const int> assignment) const;
  bool Holds(const Atom& atom, std::span<const int> assignment,
             std::span<const int> snippets) const;
  bool HoldsFor(const Atom& atom, std::uint64_t value,
                std::span<const std::uint32_t> numbers) const;
  std::string ValuesText(const FilterAxis& axis, runtime::Bits values) const;

  const dsl::Spec& spec_;
  const dsl::Requirement* requirement_ = nullptr;
  std::string name_;
  std::vector<runtime::ChoiceUse> decisions_;
  std::vector<Atom> atoms_;
  FilterAxis target_;
  std::deque<FilterAxis> axes_;  // Arguments point into their axis.
  std::string fault_;
};

/// `left op right`.
bool Holds(dsl::CompareOp op, std::uint64_t left, std::uint64_t right);

}  // namespace exh::tests

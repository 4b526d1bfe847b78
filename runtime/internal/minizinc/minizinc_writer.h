// SPDX-License-Identifier: MIT
//
// MiniZincWriter: prints a ground form. Tables and clauses are in export_minizinc.cc, the
// arithmetic of counters in minizinc_counters.cc.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/export_minizinc.h"
#include "runtime/ground.h"

namespace exh::runtime::internal {

class MiniZincWriter {
 public:
  MiniZincWriter(const Instance& instance, const MiniZincOptions& options);
  std::string Run();

 private:
  /// How far a counter has to be exact.
  struct CounterPlan {
    std::uint64_t largest = 0;  ///< No assignment exceeds it.
    std::uint64_t needed = 0;   ///< Larger values need not be told apart; 0: nobody asks.
    std::uint64_t cap = 0;      ///< min of both: the largest value of the variable.
  };
  struct Term {
    std::vector<std::string> when;  ///< Conditions that must hold; none: always.
    std::string amount;
    std::uint64_t largest = 0;
    std::vector<std::uint64_t> values;  ///< Of the amount; empty when there are too many.
  };

  // ---- export_minizinc.cc
  std::string UniqueName(const std::string& prefix, const std::string& name);
  /// The number that stands for a value of a variable.
  std::uint64_t Number(std::uint32_t variable, int value) const;
  std::string SetText(std::uint32_t variable, Bits values) const;
  std::string InText(std::uint32_t variable, Bits values) const;
  std::string PairText(const GroundLiteral& literal) const;
  /// "true", "false" or a comparison.
  std::string LiteralText(const GroundLiteral& literal) const;
  std::string CounterText(const GroundLiteral& literal) const;
  std::string LongText(const GroundLiteral& literal) const;
  void WriteVariables();
  void WriteClause(const std::vector<std::string>& literals);
  void WriteClauses(const GroundTable& table);
  void WriteTable(const GroundTable& table);
  void WriteSearch();
  /// The Boolean of a gate; written when first asked for.
  std::string GateText(std::uint32_t gate);
  bool IsAlwaysOpen(std::uint32_t gate) const;

  // ---- minizinc_terms.cc
  /// The objective of the space as a term of the form.
  void AddObjective();
  /// A term as numerator and denominator, of which the latter is "1" without fractions.
  struct Quotient {
    std::string over, under;
  };
  Quotient TermText(const TermTest& test, std::uint32_t position) const;
  std::string ComparedText(const TermTest& test) const;
  std::string DivisorsText(const TermTest& test) const;
  std::string ValuesText(const TermTest& test) const;
  void NeedTerm(const TermTest& test);
  std::uint64_t LargestTerm(const TermTest& test);

  // ---- minizinc_counters.cc
  void PlanCounters();
  std::uint64_t Largest(std::uint32_t counter);
  std::uint64_t LargestWeight(const GroundIncrement& increment);
  void Need(std::uint32_t counter, std::uint64_t value);
  void NeedLiteral(const GroundLiteral& literal);
  void WriteCounter(std::uint32_t counter);
  std::vector<Term> Terms(const GroundCounter& counter, std::uint64_t cap) const;
  std::string SumText(const GroundCounter& counter, const CounterPlan& plan,
                      const std::vector<Term>& terms, const std::string& name);
  std::string ProductText(const GroundCounter& counter, const CounterPlan& plan,
                          const std::vector<Term>& terms, const std::string& name);

  const Instance& instance_;
  const MiniZincOptions& options_;
  GroundForm form_;
  std::string text_;
  std::set<std::string> names_;
  std::vector<std::string> variable_names_, counter_names_;
  std::map<std::uint32_t, std::string> gate_names_;
  std::map<std::string, std::string> table_names_;  // Relation and numbers -> array.
  std::vector<CounterPlan> plans_;
  std::optional<TermTest> objective_;
  std::vector<bool> largest_known_;
  std::map<std::uint32_t, std::uint64_t> largest_terms_;  // Weights: by number of their test.
};

}  // namespace exh::runtime::internal

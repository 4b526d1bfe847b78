// SPDX-License-Identifier: MIT
//
// SpaceBuilder: draws a random small space, part by part. Random spaces of other kinds replace some
// of the parts.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tests/support/table_host.h"

namespace exh::tests {

class SpaceBuilder {
 public:
  explicit SpaceBuilder(std::uint64_t seed, int num_items = 0)
      : random_(seed), num_items_(num_items) {}
  SpaceBuilder(const SpaceBuilder&) = delete;
  SpaceBuilder& operator=(const SpaceBuilder&) = delete;
  virtual ~SpaceBuilder() = default;

  /// Once.
  TestSpace Build();

 protected:
  // ---- The parts, in their order.
  void AddSets();
  virtual void AddChoices();
  void AddQuotient();
  void AddCounters();
  void AddTriggers();
  virtual void AddRequirements();

  // ---- What other kinds of spaces replace.
  /// A random condition over the scope; false when nothing fits. Without `counters` it reads none.
  virtual bool RandomCondition(const std::vector<runtime::Variable>& scope, bool counters,
                               runtime::Condition* condition);
  /// Whether another counter may count what the choice is.
  virtual bool MayBeCounted(const runtime::Choice&) const { return true; }
  /// Changes the counter that was drawn, the last choice; `scope` is what its weight may read.
  virtual void VaryCounter(const std::vector<runtime::Variable>&, runtime::Choice*) {}

  // ---- Draws.
  int Below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }
  bool Chance(int percent) { return Below(100) < percent; }
  runtime::Bits SomeValues(int num_values);
  int NumValues() { return 2 + Below(num_items_ > 0 ? 5 : 2); }
  /// A predicate with a random but fixed answer for every tuple.
  runtime::Condition RandomCode(int percent);
  /// Variables over random sets; a parametric one brings its parameter along.
  std::vector<runtime::Variable> RandomVariables(int count);
  void AddRandomChoice(const std::string& name);
  bool IsSubset(int set, int superset) const;
  /// A use of the choice with variables of the scope, all different; empty when none fits.
  std::vector<int> Arguments(int choice, const std::vector<runtime::Variable>& scope);
  bool ReadsQuotient(const runtime::Condition& condition) const;
  void AddRequirement();

  std::mt19937_64 random_;
  int num_items_;
  TestSpace test_;
  int items_ = -1, subset_ = -1, owners_ = -1, parametric_ = -1;
  Object planned_ = runtime::kNoObject;
  std::vector<int> sets_;  // Plain ones.
};

}  // namespace exh::tests

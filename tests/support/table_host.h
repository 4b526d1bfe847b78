// SPDX-License-Identifier: MIT
//
// TableHost: a host whose sets are lists and whose snippets are lambdas, and TestSpace, which fills
// a runtime::Space and its TableHost side by side.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/host.h"
#include "runtime/space.h"

namespace exh::tests {

using runtime::Object;

class TableHost : public runtime::Host {
 public:
  using Tuple = std::span<const Object>;
  using TestCode = std::function<bool(Tuple)>;
  using NumbersCode = std::function<std::vector<std::uint32_t>(Tuple)>;
  using IntegerCode = std::function<std::int64_t(Tuple)>;
  using PlanCode = std::function<std::vector<Planned>(Tuple)>;

  std::vector<int> sizes;                        ///< By set; 0 for a set that is no root.
  std::vector<std::vector<Member>> set_members;  ///< By set.
  std::vector<TestCode> tests;                   ///< By code; empty where it is no test.
  std::vector<NumbersCode> numbers;              ///< By code; empty where it yields no list.
  std::vector<IntegerCode> integers;             ///< By code; empty: the first of `numbers`.
  std::vector<PlanCode> plans;                   ///< By trigger.
  std::vector<std::string> prefixes;             ///< By set, of the names of its objects.

  int Size(int root_set) const override { return sizes[root_set]; }
  std::string Name(int root_set, Object object) const override {
    return prefixes[root_set] + std::to_string(object);
  }
  std::vector<Member> Members(int set) const override { return set_members[set]; }
  bool Test(runtime::CodeId code, Tuple scope) const override { return tests[code](scope); }
  std::vector<std::uint32_t> Numbers(runtime::CodeId code, Tuple scope) const override {
    return numbers[code](scope);
  }
  std::int64_t Integer(runtime::CodeId code, Tuple scope) const override {
    return integers[code] ? integers[code](scope) : Host::Integer(code, scope);
  }
  std::vector<Planned> Plan(int trigger, Tuple scope) const override {
    return plans[trigger](scope);
  }
};

/// `$v in Set` or `$v in Set($p)`.
inline runtime::Variable Var(int set, int parameter = -1) {
  return {"v", {set, parameter}};
}

inline runtime::Condition Is(int choice, std::vector<int> arguments, runtime::Bits values) {
  runtime::Condition condition;
  condition.kind = runtime::Condition::Kind::kIs;
  condition.lhs = {choice, std::move(arguments)};
  condition.values = values;
  return condition;
}

inline runtime::Condition Compares(int choice, std::vector<int> left, runtime::CompareOp op,
                                   std::vector<int> right) {
  runtime::Condition condition;
  condition.kind = runtime::Condition::Kind::kCompare;
  condition.lhs = {choice, std::move(left)};
  condition.op = op;
  condition.rhs = {choice, std::move(right)};
  return condition;
}

/// first, first + step, …, up to `last`.
inline std::vector<std::uint32_t> Range(std::uint32_t first, std::uint32_t last,
                                        std::uint32_t step = 1) {
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t number = first; number <= last; number += step) numbers.push_back(number);
  return numbers;
}

inline runtime::Condition Constant(bool value) {
  runtime::Condition condition;
  condition.constant = value;
  return condition;
}

struct TestSpace {
  runtime::Space space;
  TableHost host;

  int AddRoot(const std::string& name, int size);
  int AddSubset(const std::string& name, int superset, std::vector<Object> objects);
  /// Parametric set; superset -1: a root set of `size` objects.
  int AddParametric(const std::string& name, int parameter_set, int superset,
                    std::vector<runtime::Host::Member> members, int size = 0);

  int AddEnum(const std::string& name, std::vector<runtime::Variable> arguments, int num_values);
  int AddSymmetric(const std::string& name, int set, int num_values);
  int AddAntisymmetric(const std::string& name, int set, std::vector<int> inverse);
  int AddInteger(const std::string& name, std::vector<runtime::Variable> arguments,
                 TableHost::NumbersCode universe);
  /// Its universe is listed: ascending, distinct.
  int AddInteger(const std::string& name, std::vector<runtime::Variable> arguments,
                 std::vector<std::uint32_t> numbers);
  /// A counter without `over`, weight or conditions: the caller completes the returned choice.
  runtime::Choice& AddCounter(const std::string& name, std::vector<runtime::Variable> arguments,
                              bool product, runtime::Visibility visibility);
  /// The quotient set of `item_set` (with a parameter when `parameter_set` >= 0) and its flag.
  int AddQuotient(const std::string& name, int item_set, int parameter_set,
                  std::vector<runtime::Condition> dividend, int equivalence,
                  runtime::Bits equivalence_values);
  void AddTrigger(std::vector<runtime::Variable> variables, std::vector<runtime::Condition> when,
                  TableHost::PlanCode plan);
  /// One requirement of one clause.
  void Require(std::vector<runtime::Variable> variables, std::vector<runtime::Condition> conditions,
               const std::string& label = "");

  runtime::CodeId Test(TableHost::TestCode code);
  runtime::CodeId Numbers(TableHost::NumbersCode code);
  runtime::CodeId Number(std::uint32_t number);
  runtime::CodeId Integer(TableHost::IntegerCode code);
  runtime::Condition Code(TableHost::TestCode code);
  runtime::Condition ComparesCode(int choice, std::vector<int> arguments, runtime::CompareOp op,
                                  std::vector<std::uint32_t> numbers);

  int choice(const std::string& name) const;
};

}  // namespace exh::tests

// SPDX-License-Identifier: MIT
//
// SpecOracle: the implementations of a tiny space, found by enumerating full assignments and
// evaluating the checked `.exh` itself. It knows neither generated code nor the engine: sets,
// snippets and what triggers add are given by the test, the snippets by their text.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "dsl/spec.h"
#include "tests/support/rational.h"

namespace exh::tests {

/// Numbers of the objects bound to the variables of a snippet, by name without `$`.
using Bindings = std::map<std::string, int>;

/// (parameter, object); the parameter is -1 for a plain set.
struct SpecMember {
  int parameter = -1;
  int object = -1;
  friend auto operator<=>(const SpecMember&, const SpecMember&) = default;
};

/// What the backbone is, said once more.
struct SpecWorld {
  std::map<std::string, std::vector<SpecMember>> members;             ///< By set; planned ones too.
  std::map<std::string, std::function<bool(const Bindings&)>> tests;  ///< By the snippet's text.
  std::map<std::string, std::function<std::vector<std::uint32_t>(const Bindings&)>> numbers;
  /// What terms and bases ask for; what is not here is the first of `numbers`.
  std::map<std::string, std::function<std::int64_t(const Bindings&)>> integers;
  /// By the trigger's label: what firing adds, by set.
  std::map<std::string,
           std::function<std::map<std::string, std::vector<SpecMember>>(const Bindings&)>>
      plans;
};

class SpecOracle {
 public:
  using Tuple = std::vector<int>;

  struct Decision {
    int choice = -1;
    Tuple objects;  ///< Of a symmetric or antisymmetric pair: the smaller one first.
    int num_values = 0;
    std::vector<std::uint32_t> universe;
  };
  /// Value by decision; kAbsent where the objects are not all there.
  using Solution = std::vector<int>;
  static constexpr int kAbsent = -1;

  /// Spec and world outlive the oracle.
  SpecOracle(const dsl::Spec& spec, const SpecWorld& world);

  const std::vector<Decision>& decisions() const { return decisions_; }
  std::vector<Solution> Solve();
  /// The counter's value in a solution.
  std::int64_t Counter(const Solution& solution, int choice, const Tuple& arguments);
  /// Where a counter begins.
  std::int64_t Base(int choice, const Tuple& arguments) const;
  /// Tuples of distinct potential objects.
  std::vector<Tuple> Tuples(const std::vector<dsl::Variable>& variables, Tuple prefix = {}) const;
  /// Whether all objects are there, in a solution.
  bool AreMembers(const Solution& solution, const std::vector<dsl::Variable>& variables,
                  const Tuple& tuple);

 private:
  Bindings Bind(const std::vector<dsl::Variable>& scope, const Tuple& tuple) const;
  bool AreMembers(const std::vector<dsl::Variable>& variables, const Tuple& tuple);
  bool IsMember(int set, SpecMember member);
  void Fire();
  int Flag(const dsl::Quotient& quotient, const Tuple& tuple);
  int Value(const dsl::Instance& instance, const Tuple& tuple);
  std::int64_t Number(const dsl::Instance& instance, const Tuple& tuple);
  /// Nothing: it divides by 0.
  std::optional<Rational> Value(const dsl::Term& term, const std::vector<dsl::Variable>& scope,
                                const Tuple& tuple);
  static Tuple BoundTo(const dsl::Condition& condition, const Tuple& tuple);
  bool Holds(const dsl::Condition& condition, const std::vector<dsl::Variable>& scope,
             const Tuple& tuple);
  bool AllHold(const std::vector<dsl::Condition>& conditions,
               const std::vector<dsl::Variable>& scope, const Tuple& tuple);
  std::int64_t CounterValue(int choice, const Tuple& arguments);
  std::int64_t Integer(const dsl::Snippet& snippet, const std::vector<dsl::Variable>& scope,
                       const Tuple& tuple) const;
  std::vector<std::uint32_t> Numbers(const dsl::Snippet& snippet,
                                     const std::vector<dsl::Variable>& scope,
                                     const Tuple& tuple) const;
  bool IsLegal();
  const dsl::Quotient* QuotientOf(int flag) const;

  const dsl::Spec& spec_;
  const SpecWorld& world_;
  std::vector<Decision> decisions_;
  std::map<std::pair<int, Tuple>, int> ids_;
  /// What triggers may add: never there unless one of them fires.
  std::map<std::pair<int, SpecMember>, std::set<std::pair<int, Tuple>>> adders_;

  Solution values_;  // Under examination.
  std::set<std::pair<int, Tuple>> fired_;
};

}  // namespace exh::tests

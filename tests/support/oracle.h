// SPDX-License-Identifier: MIT
//
// Oracle: says what the implementations of a tiny space are, by enumerating full assignments and
// evaluating the requirements as they are written. It shares no code with the engine: no ground
// constraint, no table, no slot.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "runtime/host.h"
#include "runtime/space.h"
#include "tests/support/rational.h"

namespace exh::tests {

class Oracle {
 public:
  using Object = runtime::Object;
  using Tuple = std::vector<Object>;

  struct Decision {
    int choice;
    Tuple objects;  ///< As stored: the smaller object of a pair first.
    int num_values;
    std::vector<std::uint32_t> universe;
  };
  /// What a counter is; the largest and the smallest number stand for all beyond.
  using Count = std::int64_t;
  /// Value number by decision; kAbsent for one that is not live.
  using Assignment = std::vector<int>;
  static constexpr int kAbsent = -1;

  struct Solution {
    Assignment values;
    std::map<std::pair<int, runtime::Host::Member>, bool> members;  ///< Conditional ones.
    std::map<std::pair<int, Tuple>, Count> counters;                ///< Live ones.
  };

  Oracle(const runtime::Space& space, const runtime::Host& host);

  const std::vector<Decision>& decisions() const { return decisions_; }
  /// How many full assignments Solve() looks at; stops counting beyond `limit`.
  std::uint64_t NumAssignments(std::uint64_t limit) const;
  std::vector<Solution> Solve();
  /// Where a counter begins.
  Count Base(int choice, const Tuple& arguments) const;

 private:
  enum class Value : std::uint8_t { kFalse, kTrue, kUndefined };
  using FiredSet = std::set<int>;

  // ---- Sets.
  std::vector<int> Ancestors(int set) const;
  std::vector<Object> Listed(const runtime::SetRef& ref, const Tuple& scope) const;
  bool Differ(const runtime::SetRef& a, const runtime::SetRef& b) const;
  /// All tuples of potential members that are pairwise distinct where they must be, from a prefix.
  std::vector<Tuple> Tuples(const std::vector<runtime::Variable>& variables, Tuple prefix) const;
  bool IsMember(int set, Object parameter, Object object);
  bool AllMembers(const std::vector<runtime::Variable>& variables, const Tuple& tuple);
  bool HasFired(int fired);

  // ---- Values.
  int FindDecision(const runtime::ChoiceUse& use, const Tuple& scope, bool* swapped) const;
  /// As seen from the given order of the objects.
  std::optional<int> ValueOf(const runtime::ChoiceUse& use, const Tuple& scope);
  std::optional<Count> NumberOf(const runtime::ChoiceUse& use, const Tuple& scope);
  /// Everything that the term reads is there.
  bool IsDefined(const runtime::Term& term, const Tuple& scope);
  /// Nothing when it divides by 0. The term is defined.
  std::optional<Rational> ValueOf(const runtime::Term& term, const Tuple& scope);
  int FlagValue(int decision);
  /// The objects that an external, or kAscending, is about.
  static Tuple Bound(const runtime::Condition& condition, const Tuple& scope);
  Value Evaluate(const runtime::Condition& condition, const Tuple& scope);
  bool AllHold(const std::vector<runtime::Condition>& conditions, const Tuple& scope);
  Count CounterValue(int choice, const Tuple& arguments);
  /// What the tuple adds to the counter, or multiplies it by; nothing: it reads what is not there.
  std::optional<Count> Weight(const runtime::Choice& counter, const Tuple& tuple);
  /// All that the counter may count for these arguments, which the tuples begin with.
  const std::vector<Tuple>& Counted(int choice, const Tuple& arguments);
  /// An object that may appear later than the counter: a full counter must not count it.
  bool AppearsLater(int choice, const Tuple& tuple) const;
  void AppendAdders(const std::vector<runtime::Variable>& variables, const Tuple& tuple,
                    std::size_t first, std::size_t last, std::set<FiredSet>* adders) const;

  bool IsCanonical();
  bool IsLegal();
  Solution Describe();

  const runtime::Space& space_;
  const runtime::Host& host_;
  std::vector<std::vector<runtime::Host::Member>> listed_;  // By set.
  std::vector<Decision> decisions_;
  std::map<std::pair<int, Tuple>, int> decision_ids_;
  std::set<std::pair<int, Tuple>> counters_;  // With their arguments.
  std::vector<int> quotient_of_;              // By decision: -1, or the quotient whose flag it is.
  std::vector<std::pair<int, Tuple>> fired_;
  std::map<std::pair<int, runtime::Host::Member>, FiredSet> adders_;

  std::vector<std::vector<Tuple>> clause_tuples_;  // By clause.
  std::vector<std::pair<int, Tuple>> later_;  // Full counters, and what must never count in them.
  std::map<std::pair<int, Tuple>, std::vector<Tuple>> counted_;  // Those that were asked for.

  // The assignment under examination, and what has been derived from it so far.
  Assignment values_;
  std::map<int, std::optional<int>> flags_;  // In progress: nullopt.
  std::map<int, std::optional<bool>> has_fired_;
};

}  // namespace exh::tests

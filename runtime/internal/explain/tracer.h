// SPDX-License-Identifier: MIT
//
// Tracer: why a dead end is one. It propagates decisions on the ground form, remembers every change
// with its cause, and walks back from the dead end to the decisions that it depends on.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "runtime/explain.h"
#include "runtime/internal/explain/ground_filter.h"

namespace exh::runtime::internal {

class Tracer {
 public:
  Tracer(const Instance& instance, const GroundForm& form);

  /// Applies the decisions one by one, each to its fixpoint. True when that is a dead end.
  bool Apply(std::span<const Action> decisions);
  /// The steps that the dead end depends on; Apply() must have returned true.
  Explanation Explain();

 private:
  static constexpr std::uint32_t kDecision = 0xFFFFFFFF;
  /// A change of a domain. The last one of a dead end leaves nothing.
  struct Event {
    Narrowing narrowing;
    std::uint32_t constraint;  ///< kDecision: asked for.
    Bits values_before = 0, values_after = 0;
    Interval interval_before, interval_after;
    std::uint32_t action = 0;  ///< Asked for: in `actions_`.
    bool dead = false;         ///< Nothing is left.
  };
  /// What a step has to show of its event: values removed, or the new bounds of a counter.
  struct Wanted {
    Bits removed = 0;
  };

  bool Keep(const Narrowing& narrowing, std::uint32_t constraint, std::uint32_t action = 0);
  /// What an action keeps, word by word.
  std::vector<Narrowing> NarrowingsOf(const Action& action) const;
  /// Nothing is left of a variable, nor, when it is a word, of any other one.
  bool IsEmptied(std::uint32_t variable) const;
  bool Propagate();
  bool IsDeadEnd(const Event& event) const;
  /// Does the constraint still say what the event says, on these domains?
  bool Shows(const Event& event, const Wanted& wanted, const GroundDomains& domains,
             const std::vector<bool>& used) const;
  /// Widens every domain that the event reads as far as it still follows.
  GroundDomains Weaken(const Event& event, const Wanted& wanted) const;
  std::vector<std::string> Labels(const Event& event, const Wanted& wanted,
                                  const GroundDomains& domains) const;
  void WantFacts(std::size_t at, const GroundDomains& weakened,
                 std::map<std::size_t, Wanted>* wanted) const;
  Bits RemovedByLast() const;
  void Undo(const Event& event);
  ExplanationStep Step(const Event& event, const Wanted& wanted, const GroundDomains& weakened);
  std::string Name(Subject subject) const;
  std::string ValuesText(std::uint32_t variable, Bits values) const;
  std::string FactText(Subject subject, const GroundDomains& domains) const;

  const Instance& instance_;
  const GroundForm& form_;
  GroundFilter filter_;
  GroundDomains root_, domains_;
  std::vector<Event> events_;
  std::vector<Action> actions_;
  std::vector<std::uint32_t> queue_;
  std::vector<bool> queued_;
};

}  // namespace exh::runtime::internal

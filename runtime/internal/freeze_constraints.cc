// SPDX-License-Identifier: MIT
#include <algorithm>
#include <bit>

#include "base/check.h"
#include "base/error.h"
#include "runtime/internal/freezer.h"

namespace exh::runtime::internal {

void Freezer::SplitMemberships(std::span<const Slot> memberships, std::vector<Slot>* planned,
                               std::vector<Slot>* flags) const {
  for (const Slot slot : memberships) (is_flag_[slot] ? flags : planned)->push_back(slot);
}

/// Reads one decision at most, whatever the objects.
bool Freezer::IsUnary(const Clause& clause) const {
  int decisions = 0;
  for (const Condition& condition : clause.conditions) {
    if (condition.kind == Condition::Kind::kCompare) return false;
    if (condition.kind == Condition::Kind::kPresent) return false;
    decisions +=
        condition.kind == Condition::Kind::kIs || condition.kind == Condition::Kind::kCompareCode;
  }
  return decisions <= 1;
}

void Freezer::GroundTriggers() {
  std::vector<Literal> clause, negation;
  for (std::size_t f = 0; f < fired_.size(); ++f) {
    const FiredTuple& fired = fired_[f];
    const Trigger& trigger = space_.triggers[fired.trigger];
    const std::uint32_t origin = relations_.InternOrigin({Origin::Kind::kTrigger, fired.trigger});
    const Literal is_fired =
        GroundClauses::MemberLiteral(first_hidden_ + static_cast<Slot>(f), true);
    const Literal not_fired =
        GroundClauses::MemberLiteral(first_hidden_ + static_cast<Slot>(f), false);

    std::vector<Literal> needed;
    std::vector<Slot> memberships;
    Scope(space_, objects_, trigger.variables)
        .AppendMemberships(fired.objects.data(), 0, fired.objects.size(), &memberships);
    for (const Slot slot : memberships) needed.push_back(GroundClauses::MemberLiteral(slot, true));
    // The host's conditions hold: PlanTriggers() asked.
    std::vector<Condition> conditions;
    std::ranges::copy_if(trigger.when, std::back_inserter(conditions),
                         [](const Condition& c) { return !IsKnown(c); });
    const Outcome outcome =
        GroundAll(conditions, fired.objects.data(), fired.objects.size(), &needed);
    if (outcome == Outcome::kFalse || outcome == Outcome::kUndefined) {
      clauses_.Add({&not_fired, 1}, {}, origin);
      continue;
    }
    clause.assign(1, is_fired);
    for (const Literal& literal : needed) {
      const Literal implied[] = {not_fired, literal};
      clauses_.Add(implied, {}, origin);
      clauses_.AppendNegation(literal, &clause);
    }
    clauses_.Add(clause, {}, origin);
  }
  // Several adders: a member iff one of them has fired.
  for (const auto& [adders, slot] : shared_memberships_) {
    const std::uint32_t origin =
        relations_.InternOrigin({Origin::Kind::kTrigger, fired_[adders.front()].trigger});
    clause.assign(1, GroundClauses::MemberLiteral(slot, false));
    for (const int adder : adders) {
      const Slot fired = first_hidden_ + static_cast<Slot>(adder);
      const Literal implied[] = {GroundClauses::MemberLiteral(slot, true),
                                 GroundClauses::MemberLiteral(fired, false)};
      clauses_.Add(implied, {}, origin);
      clause.push_back(GroundClauses::MemberLiteral(fired, true));
    }
    clauses_.Add(clause, {}, origin);
  }
}

void Freezer::AddIncrement(std::vector<Literal> literals, Increment increment, Counter* counter) {
  // Two tests of one slot are one, and a constant that always counts belongs to the base.
  std::vector<Literal> merged;
  for (const Literal& literal : literals) {
    const auto same = std::ranges::find_if(merged, [&](const Literal& other) {
      return literal.kind == Literal::Kind::kSlot && other.kind == Literal::Kind::kSlot &&
             other.a == literal.a;
    });
    if (same == merged.end()) {
      merged.push_back(literal);
    } else {
      same->x &= literal.x;
    }
  }
  for (const Literal& literal : merged) {
    if (clauses_.Status(literal) == Truth::kFalse) return;
  }
  std::erase_if(merged, [&](const Literal& l) { return clauses_.Status(l) == Truth::kTrue; });
  if (merged.empty() && increment.weight == Increment::Weight::kConstant) {
    counter->base = counter->product ? SaturatingMul(counter->base, increment.value)
                                     : SaturatingAdd(counter->base, increment.value);
    return;
  }
  increment.literal_begin = static_cast<std::uint32_t>(network_.increment_literals.size());
  network_.increment_literals.insert(network_.increment_literals.end(), merged.begin(),
                                     merged.end());
  increment.literal_end = static_cast<std::uint32_t>(network_.increment_literals.size());
  network_.increments.push_back(increment);
}

void Freezer::GroundCounters() {
  for (std::size_t c = 0; c < space_.choices.size(); ++c) {
    if (space_.choices[c].kind == ChoiceKind::kCounter) GroundCounter(static_cast<int>(c));
  }
}

void Freezer::GroundCounter(int number) {
  const Choice& choice = space_.choices[number];
  const std::uint32_t origin = relations_.InternOrigin({Origin::Kind::kCounter, number});
  std::vector<Variable> variables = choice.arguments;
  variables.insert(variables.end(), choice.over.begin(), choice.over.end());
  const Scope arguments(space_, objects_, choice.arguments);
  const Scope all(space_, objects_, variables);
  const std::size_t num_arguments = choice.arguments.size(), num_all = variables.size();
  std::vector<Object> objects(num_all);
  const auto one_number = [&](CodeId code, std::size_t scope) {
    const std::vector<std::uint32_t> numbers = host_.Numbers(code, {objects.data(), scope});
    if (numbers.size() != 1) {
      throw Error("counter " + choice.name + ": base and weight must be one number each");
    }
    return numbers.front();
  };

  arguments.ForEach(0, objects.data(), [&] {
    const std::int32_t found =
        objects_.choices[number].lookup[objects_.choices[number].Index(objects.data())];
    Counter counter;
    counter.product = choice.product;
    counter.half = choice.visibility == Visibility::kHalf;
    counter.origin = origin;
    counter.base = choice.base >= 0 ? one_number(choice.base, num_arguments) : choice.product;
    counter.increment_begin = static_cast<std::uint32_t>(network_.increments.size());
    std::vector<Slot> own;
    arguments.AppendMemberships(objects.data(), 0, num_arguments, &own);
    all.ForEach(num_arguments, objects.data(), [&] {
      std::vector<Literal> literals;
      const Outcome outcome = GroundAll(choice.when, objects.data(), num_all, &literals);
      if (outcome == Outcome::kFalse || outcome == Outcome::kUndefined) return;
      std::vector<Slot> memberships, planned, flags;
      all.AppendMemberships(objects.data(), num_arguments, num_all, &memberships);
      SplitMemberships(memberships, &planned, &flags);
      std::erase_if(planned, [&](Slot slot) { return std::ranges::count(own, slot) != 0; });
      std::vector<Literal> member;
      for (const Slot slot : flags) member.push_back(GroundClauses::MemberLiteral(slot, true));
      if (choice.visibility == Visibility::kFull && !planned.empty()) {
        // A full counter shows its maximum: an object that appears later may not raise it, so its
        // increments are forced not to count.
        std::vector<Slot> gate = planned;
        std::vector<Literal> clause;
        for (const Slot slot : own) {
          if (is_flag_[slot]) {
            clause.push_back(GroundClauses::MemberLiteral(slot, false));
          } else {
            gate.push_back(slot);
          }
        }
        literals.insert(literals.end(), member.begin(), member.end());
        for (const Literal& literal : literals) clauses_.AppendNegation(literal, &clause);
        clauses_.Add(clause, gate, origin);
        return;
      }
      for (const Slot slot : planned) member.push_back(GroundClauses::MemberLiteral(slot, true));
      literals.insert(literals.end(), member.begin(), member.end());
      Increment increment;
      if (choice.weight.choice < 0) {
        increment.value = one_number(choice.weight_code, num_all);
      } else {
        bool swapped = false;
        const int source = Find(choice.weight, objects.data(), &swapped);
        if (source < 0) return;
        if (space_.choices[choice.weight.choice].kind == ChoiceKind::kCounter) {
          increment.weight = Increment::Weight::kCounter;
          increment.source = static_cast<std::uint32_t>(source);
        } else {
          increment.weight = Increment::Weight::kSlot;
          increment.source = instance_->slots_[source];
          increment.universe = instance_->universe_of_[source];
        }
      }
      AddIncrement(std::move(literals), increment, &counter);
    });
    counter.increment_end = static_cast<std::uint32_t>(network_.increments.size());
    network_.counters[found >> 1] = counter;
  });
}

/// flag(p, i) is TRUE iff the dividend holds for i and no smaller eligible j with the same
/// parameter is equivalent. The class counter of i counts those j: a pure function of the domains.
void Freezer::GroundQuotient(int number) {
  const Quotient& quotient = space_.quotients[number];
  const std::uint32_t origin = relations_.InternOrigin({Origin::Kind::kQuotient, number});
  const Scope scope(space_, objects_, quotient.variables);
  const std::size_t num_variables = quotient.variables.size();
  const Choice& equivalence = space_.choices[quotient.equivalence];
  EXH_CHECK(equivalence.arguments.size() == 2);

  struct Candidate {
    Object item;
    Slot flag;
    std::vector<Literal> eligible;  ///< Conjunction: the dividend.
    std::vector<Literal> member;    ///< Conjunction: memberships of the item.
    std::vector<Slot> planned;      ///< Memberships of parameter and item.
    std::vector<Literal> absent;    ///< Flags among the memberships, negated.
    bool possible;
  };
  const auto ground_class = [&](std::vector<Candidate>& items) {
    std::ranges::sort(items, {}, &Candidate::item);
    for (std::size_t i = 0; i < items.size(); ++i) {
      const Candidate& item = items[i];
      const Literal is_flag = GroundClauses::MemberLiteral(item.flag, true);
      const Literal not_flag = GroundClauses::MemberLiteral(item.flag, false);
      const auto add = [&](std::vector<Literal> clause) {
        clause.insert(clause.end(), item.absent.begin(), item.absent.end());
        clauses_.Add(clause, item.planned, origin);
      };
      if (!item.possible) {
        add({not_flag});
        continue;
      }
      Counter counter;
      counter.origin = origin;
      counter.increment_begin = static_cast<std::uint32_t>(network_.increments.size());
      for (std::size_t j = 0; j < i; ++j) {
        if (!items[j].possible || items[j].item == item.item) continue;
        const Object pair[] = {item.item, items[j].item};
        const Condition equivalent{.kind = Condition::Kind::kIs,
                                   .lhs = {quotient.equivalence, {0, 1}},
                                   .values = quotient.equivalence_values};
        Literal literal;
        if (GroundIs(equivalent, pair, &literal) == Outcome::kUndefined) continue;
        std::vector<Literal> literals = items[j].eligible;
        literals.insert(literals.end(), items[j].member.begin(), items[j].member.end());
        literals.push_back(literal);
        AddIncrement(std::move(literals), {.value = 1}, &counter);
      }
      counter.increment_end = static_cast<std::uint32_t>(network_.increments.size());
      std::vector<Literal> elected = {is_flag};
      for (const Literal& literal : item.eligible) {
        add({not_flag, literal});
        clauses_.AppendNegation(literal, &elected);
      }
      if (counter.base > 0) {
        add({not_flag});
        continue;
      }
      if (counter.increment_begin == counter.increment_end) {
        add(elected);
        continue;
      }
      const auto id = static_cast<std::uint32_t>(network_.counters.size());
      network_.counters.push_back(counter);
      domains_.counters.push_back({});
      add({not_flag, {Literal::Kind::kCounter, {}, id, 0, 0, 0}});
      elected.push_back({Literal::Kind::kCounter, {}, id, 0, 1, kSaturated});
      add(elected);
    }
    items.clear();
  };

  std::vector<Candidate> items;
  std::vector<Object> objects(num_variables);
  Object parameter = kNoObject;
  scope.ForEach(0, objects.data(), [&] {
    if (num_variables > 1 && objects.front() != parameter) {
      ground_class(items);
      parameter = objects.front();
    }
    Candidate item;
    item.item = objects.back();
    bool swapped = false;
    std::vector<int> arguments(num_variables);
    for (std::size_t v = 0; v < num_variables; ++v) arguments[v] = static_cast<int>(v);
    const int flag = Find({quotient.flag, arguments}, objects.data(), &swapped);
    if (flag < 0) return;
    item.flag = instance_->slots_[flag];
    std::vector<Slot> memberships, flags, own;
    scope.AppendMemberships(objects.data(), 0, num_variables, &memberships);
    SplitMemberships(memberships, &item.planned, &flags);
    for (const Slot slot : flags) item.absent.push_back(GroundClauses::MemberLiteral(slot, false));
    const Outcome outcome =
        GroundAll(quotient.dividend, objects.data(), num_variables, &item.eligible);
    item.possible = outcome == Outcome::kTrue || outcome == Outcome::kOpen;
    scope.AppendMemberships(objects.data(), num_variables - 1, num_variables, &own);
    for (const Slot slot : own) item.member.push_back(GroundClauses::MemberLiteral(slot, true));
    items.push_back(std::move(item));
  });
  ground_class(items);
}

/// A counter is recomputed from all its increments when one of them changes. A long sum becomes a
/// sum of hidden counters, each of which has some neighbouring increments, and so on: what is added
/// to a saturated sum cannot show, so sums of sums say the same, and bounds travel back through the
/// parts as far as they would have gone.
void Freezer::SplitSums() {
  const std::size_t largest = std::max<std::size_t>(2, options_.largest_sum);
  const auto parts_of = static_cast<std::uint32_t>(std::min<std::size_t>(largest, kLanes));
  const std::size_t num_counters = network_.counters.size();
  for (std::size_t id = 0; id < num_counters; ++id) {
    // By value, and put back at the end: the vector grows.
    Counter counter = network_.counters[id];
    if (counter.product || counter.increment_end - counter.increment_begin <= largest) continue;
    do {
      std::vector<Increment> parts;
      for (std::uint32_t first = counter.increment_begin; first < counter.increment_end;
           first += parts_of) {
        Counter part;
        part.origin = counter.origin;
        part.increment_begin = first;
        part.increment_end = std::min(first + parts_of, counter.increment_end);
        Increment increment;
        increment.weight = Increment::Weight::kCounter;
        increment.source = static_cast<std::uint32_t>(network_.counters.size());
        parts.push_back(increment);
        network_.counters.push_back(part);
        domains_.counters.push_back({});
      }
      counter.increment_begin = static_cast<std::uint32_t>(network_.increments.size());
      network_.increments.insert(network_.increments.end(), parts.begin(), parts.end());
      counter.increment_end = static_cast<std::uint32_t>(network_.increments.size());
    } while (counter.increment_end - counter.increment_begin > parts_of);
    network_.counters[id] = counter;
  }
}

}  // namespace exh::runtime::internal

// SPDX-License-Identifier: MIT
//
// What a space says beside its requirements, as ground clauses and counters: triggers, counters,
// quotient sets, and sums that are too long. Each function below goes over all tuples of objects of
// one such statement and hands clauses to GroundClauses, which simplifies and merges them, and
// counters to the network.
//
//   trigger    fired <=> what must hold for it; a member that several tuples add <=> one has fired
//   counter    base + (or *) the weights of its increments; an increment counts while all its
//              literals hold: its conditions, and the memberships of its objects
//   quotient   flag(p, i) <=> i is eligible and no smaller eligible item is equivalent; how many
//              such rivals there are is a counter of its own, the class counter
//   long sum   a tree of hidden sums
//
// A membership among those of a tuple is one of two kinds (SplitMemberships). What is *planned* may
// appear later: a clause over it sleeps behind a gate. A *flag* of a quotient is a function of
// decisions that exist from the start: it is one more literal, and the clause stays awake.
//
// The increments of a counter lie side by side in Network::increments, so each counter is grounded
// as a whole before the next one begins.
#include <algorithm>
#include <bit>

#include "base/check.h"
#include "base/error.h"
#include "runtime/internal/freeze/freezer.h"

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
    for (const Term* term : {&condition.left, &condition.right}) {
      decisions +=
          static_cast<int>(std::ranges::count(*term, TermNode::Kind::kChoice, &TermNode::kind));
    }
    decisions +=
        condition.kind == Condition::Kind::kIs || condition.kind == Condition::Kind::kCompareCode;
  }
  return decisions <= 1;
}

void Freezer::GroundTriggers() {
  for (std::size_t f = 0; f < fired_.size(); ++f) GroundFired(f);
  for (const auto& [adders, slot] : shared_memberships_) GroundShared(adders, slot);
}

/// fired <=> its objects are members and its conditions hold.
void Freezer::GroundFired(std::size_t number) {
  const FiredTuple& fired = fired_[number];
  const Trigger& trigger = space_.triggers[fired.trigger];
  const std::uint32_t origin = relations_.InternOrigin({Origin::Kind::kTrigger, fired.trigger});
  const Slot slot = first_hidden_ + static_cast<Slot>(number);
  const Literal is_fired = GroundClauses::MemberLiteral(slot, true);
  const Literal not_fired = GroundClauses::MemberLiteral(slot, false);

  std::vector<Literal> needed;
  std::vector<Slot> memberships;
  Scope(space_, objects_, trigger.variables)
      .AppendMemberships(fired.objects.data(), 0, fired.objects.size(), &memberships);
  for (const Slot member : memberships) {
    needed.push_back(GroundClauses::MemberLiteral(member, true));
  }
  // The host's conditions hold: PlanTriggers() asked.
  std::vector<Condition> conditions;
  std::ranges::copy_if(trigger.when, std::back_inserter(conditions),
                       [](const Condition& c) { return !IsKnown(c); });
  const Outcome outcome =
      GroundAll(conditions, fired.objects.data(), fired.objects.size(), &needed);
  if (outcome == Outcome::kFalse || outcome == Outcome::kUndefined) {
    clauses_.Add({&not_fired, 1}, {}, origin);
    return;
  }
  std::vector<Literal> clause = {is_fired};
  for (const Literal& literal : needed) {
    const Literal implied[] = {not_fired, literal};
    clauses_.Add(implied, {}, origin);
    clauses_.AppendNegation(literal, &clause);
  }
  clauses_.Add(clause, {}, origin);
}

/// A member that several tuples add is there <=> one of them has fired.
void Freezer::GroundShared(const std::vector<int>& adders, Slot slot) {
  const std::uint32_t origin =
      relations_.InternOrigin({Origin::Kind::kTrigger, fired_[adders.front()].trigger});
  std::vector<Literal> clause = {GroundClauses::MemberLiteral(slot, false)};
  for (const int adder : adders) {
    const Slot fired = first_hidden_ + static_cast<Slot>(adder);
    const Literal implied[] = {GroundClauses::MemberLiteral(slot, true),
                               GroundClauses::MemberLiteral(fired, false)};
    clauses_.Add(implied, {}, origin);
    clause.push_back(GroundClauses::MemberLiteral(fired, true));
  }
  clauses_.Add(clause, {}, origin);
}

/// Two tests of one slot become one, what the root decides is left out, and a constant that always
/// counts becomes part of the base.
void Freezer::AddIncrement(std::vector<Literal> literals, Increment increment, Counter* counter) {
  std::vector<Literal> merged;
  for (const Literal& literal : literals) {
    const auto same = std::ranges::find_if(merged, [&](const Literal& other) {
      return literal.kind == Literal::Kind::kIn && other.kind == Literal::Kind::kIn &&
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

/// What a counter begins with. Throws Error unless it fits what it does.
std::int64_t Freezer::BaseOf(const Choice& choice, std::span<const Object> objects) {
  std::int64_t base = choice.product ? 1 : 0;
  if (choice.has_base_number) base = choice.base_number;
  if (choice.base >= 0) base = host_.Integer(choice.base, objects);
  const std::int64_t least = choice.product ? 0 : -kLargestTerm;
  if (base < least || base > kLargestTerm) {
    throw Error("base of " + choice.name + TupleText(choice.arguments, objects) + " is " +
                std::to_string(base) +
                (choice.product ? ": a product begins with no negative number"
                                : ": it is a number of at most 2^61"));
  }
  return base;
}

void Freezer::GroundCounters() {
  for (std::size_t c = 0; c < space_.choices.size(); ++c) {
    if (space_.choices[c].kind == ChoiceKind::kCounter) GroundCounter(static_cast<int>(c));
  }
}

/// Grounds the increments of the counters of one choice, counter by counter.
class Freezer::CounterGrounder {
 public:
  CounterGrounder(Freezer& freezer, int number)
      : freezer_(freezer),
        number_(number),
        choice_(freezer.space_.choices[number]),
        origin_(freezer.relations_.InternOrigin({Origin::Kind::kCounter, number})),
        variables_(AllVariables(choice_)),
        arguments_(freezer.space_, freezer.objects_, choice_.arguments),
        all_(freezer.space_, freezer.objects_, variables_),
        num_arguments_(choice_.arguments.size()),
        num_all_(variables_.size()),
        objects_(num_all_) {}

  void Run() {
    freezer_.place_ = "counter " + choice_.name + " (" + choice_.position.file + ":" +
                      std::to_string(choice_.position.line) + ")";
    arguments_.ForEach(0, objects_.data(), [&] { AddCounter(); });
  }

 private:
  static std::vector<Variable> AllVariables(const Choice& choice) {
    std::vector<Variable> variables = choice.arguments;
    variables.insert(variables.end(), choice.over.begin(), choice.over.end());
    return variables;
  }

  /// The counter of the arguments that are bound.
  void AddCounter() {
    const ChoiceTable& table = freezer_.objects_.choices[number_];
    const std::int32_t found = table.lookup[table.Index(objects_.data())];
    Network& network = freezer_.network_;
    Counter counter;
    counter.product = choice_.product;
    counter.half = choice_.visibility == Visibility::kHalf;
    counter.origin = origin_;
    const std::int64_t base = freezer_.bases_[static_cast<std::size_t>(found >> 1)];
    counter.base = static_cast<std::uint64_t>(std::max<std::int64_t>(base, 0));
    counter.offset = std::min<std::int64_t>(base, 0);
    counter.increment_begin = static_cast<std::uint32_t>(network.increments.size());
    own_.clear();
    arguments_.AppendMemberships(objects_.data(), 0, num_arguments_, &own_);
    all_.ForEach(num_arguments_, objects_.data(), [&] { AddTuple(&counter); });
    counter.increment_end = static_cast<std::uint32_t>(network.increments.size());
    network.counters[found >> 1] = counter;
  }

  /// What the tuple that is bound adds to the counter.
  void AddTuple(Counter* counter) {
    std::vector<Literal> literals;
    const Outcome outcome = freezer_.GroundAll(choice_.when, objects_.data(), num_all_, &literals);
    if (outcome == Outcome::kFalse || outcome == Outcome::kUndefined) return;
    std::vector<Slot> memberships, planned, flags;
    all_.AppendMemberships(objects_.data(), num_arguments_, num_all_, &memberships);
    freezer_.SplitMemberships(memberships, &planned, &flags);
    // Where an object of the counter itself is absent, nobody asks for the counter.
    std::erase_if(planned, [&](Slot slot) { return std::ranges::count(own_, slot) != 0; });
    std::vector<Literal> member;
    for (const Slot slot : flags) member.push_back(GroundClauses::MemberLiteral(slot, true));
    if (choice_.visibility == Visibility::kFull && !planned.empty()) {
      literals.insert(literals.end(), member.begin(), member.end());
      ForbidToCount(literals, planned);
      return;
    }
    for (const Slot slot : planned) member.push_back(GroundClauses::MemberLiteral(slot, true));
    literals.insert(literals.end(), member.begin(), member.end());
    Increment increment;
    if (SetWeight(&increment)) freezer_.AddIncrement(std::move(literals), increment, counter);
  }

  /// A full counter shows its maximum: an object that appears later may not raise it, so its
  /// increments are forced not to count.
  void ForbidToCount(const std::vector<Literal>& literals, std::vector<Slot> gate) {
    std::vector<Literal> clause;
    for (const Slot slot : own_) {
      if (freezer_.is_flag_[slot]) {
        clause.push_back(GroundClauses::MemberLiteral(slot, false));
      } else {
        gate.push_back(slot);
      }
    }
    for (const Literal& literal : literals) freezer_.clauses_.AppendNegation(literal, &clause);
    freezer_.clauses_.Add(clause, gate, origin_);
  }

  /// False: the weight is a decision or a counter that these objects do not have.
  bool SetWeight(Increment* increment) {
    if (!choice_.weight_term.empty()) {
      return freezer_.GroundWeight(choice_.weight_term, "weight of " + choice_.name,
                                   objects_.data(), num_all_, increment);
    }
    if (choice_.weight.choice < 0) {
      increment->value = OneNumber(choice_.weight_code, num_all_);
      return true;
    }
    bool swapped = false;
    const int source = freezer_.Find(choice_.weight, objects_.data(), &swapped);
    if (source < 0) return false;
    if (freezer_.space_.choices[choice_.weight.choice].kind == ChoiceKind::kCounter) {
      if (freezer_.bases_[static_cast<std::size_t>(source)] < 0) {
        TermNode node;
        node.kind = TermNode::Kind::kChoice;
        node.use = choice_.weight;
        return freezer_.GroundWeight({node}, "weight of " + choice_.name, objects_.data(), num_all_,
                                     increment);
      }
      increment->weight = Increment::Weight::kCounter;
      increment->source = static_cast<std::uint32_t>(source);
    } else {
      increment->weight = Increment::Weight::kSlot;
      increment->source = freezer_.instance_->slots_[source];
      increment->universe = freezer_.instance_->universe_of_[source];
    }
    return true;
  }

  /// What a snippet answers for the first objects. Throws Error unless that is one number.
  std::uint32_t OneNumber(CodeId code, std::size_t num_objects) const {
    const std::vector<std::uint32_t> numbers =
        freezer_.host_.Numbers(code, {objects_.data(), num_objects});
    if (numbers.size() != 1) {
      throw Error("counter " + choice_.name + ": base and weight must be one number each");
    }
    return numbers.front();
  }

  Freezer& freezer_;
  const int number_;
  const Choice& choice_;
  const std::uint32_t origin_;
  const std::vector<Variable> variables_;  ///< The arguments, and what they are summed over.
  const Scope arguments_, all_;
  const std::size_t num_arguments_, num_all_;
  std::vector<Object> objects_;
  std::vector<Slot> own_;  ///< Memberships of the counter's own objects.
};

void Freezer::GroundCounter(int number) {
  CounterGrounder(*this, number).Run();
}

/// flag(p, i) is TRUE iff the dividend holds for i and no smaller eligible j with the same
/// parameter is equivalent. The class counter of i counts those j: a pure function of the domains.
class Freezer::QuotientGrounder {
 public:
  QuotientGrounder(Freezer& freezer, int number)
      : freezer_(freezer),
        quotient_(freezer.space_.quotients[number]),
        origin_(freezer.relations_.InternOrigin({Origin::Kind::kQuotient, number})),
        scope_(freezer.space_, freezer.objects_, quotient_.variables),
        objects_(quotient_.variables.size()) {
    EXH_CHECK(freezer.space_.choices[quotient_.equivalence].arguments.size() == 2);
  }

  /// Items with the same parameter follow each other: the parameter is the first variable.
  void Run() {
    Object parameter = kNoObject;
    scope_.ForEach(0, objects_.data(), [&] {
      if (objects_.size() > 1 && objects_.front() != parameter) {
        GroundItems();
        parameter = objects_.front();
      }
      Collect();
    });
    GroundItems();
  }

 private:
  /// An object that may represent its class.
  struct Item {
    Object object;
    Slot flag;
    std::vector<Literal> eligible;  ///< Conjunction: the dividend.
    std::vector<Literal> member;    ///< Conjunction: memberships of the object.
    std::vector<Slot> planned;      ///< Memberships of parameter and object.
    std::vector<Literal> absent;    ///< Flags among the memberships, negated.
    bool possible;                  ///< The dividend may hold.
  };

  /// Appends the tuple that is bound to `items_`.
  void Collect() {
    const std::size_t num_variables = objects_.size();
    Item item;
    item.object = objects_.back();
    bool swapped = false;
    std::vector<int> arguments(num_variables);
    for (std::size_t v = 0; v < num_variables; ++v) arguments[v] = static_cast<int>(v);
    const int flag = freezer_.Find({quotient_.flag, arguments}, objects_.data(), &swapped);
    if (flag < 0) return;
    item.flag = freezer_.instance_->slots_[flag];
    std::vector<Slot> memberships, flags, own;
    scope_.AppendMemberships(objects_.data(), 0, num_variables, &memberships);
    freezer_.SplitMemberships(memberships, &item.planned, &flags);
    for (const Slot slot : flags) item.absent.push_back(GroundClauses::MemberLiteral(slot, false));
    const Outcome outcome =
        freezer_.GroundAll(quotient_.dividend, objects_.data(), num_variables, &item.eligible);
    item.possible = outcome == Outcome::kTrue || outcome == Outcome::kOpen;
    scope_.AppendMemberships(objects_.data(), num_variables - 1, num_variables, &own);
    for (const Slot slot : own) item.member.push_back(GroundClauses::MemberLiteral(slot, true));
    items_.push_back(std::move(item));
  }

  /// All items of one parameter are known.
  void GroundItems() {
    std::ranges::sort(items_, {}, &Item::object);
    for (std::size_t i = 0; i < items_.size(); ++i) GroundItem(i);
    items_.clear();
  }

  /// flag => eligible, flag => no rival, and (eligible and no rival) => flag.
  void GroundItem(std::size_t i) {
    const Item& item = items_[i];
    const Literal is_flag = GroundClauses::MemberLiteral(item.flag, true);
    const Literal not_flag = GroundClauses::MemberLiteral(item.flag, false);
    if (!item.possible) return Add({not_flag}, item);
    const Counter rivals = CountRivals(i);
    std::vector<Literal> elected = {is_flag};
    for (const Literal& literal : item.eligible) {
      Add({not_flag, literal}, item);
      freezer_.clauses_.AppendNegation(literal, &elected);
    }
    if (rivals.base > 0) return Add({not_flag}, item);  // One of them is certain.
    if (rivals.increment_begin == rivals.increment_end) return Add(std::move(elected), item);
    const auto id = static_cast<std::uint32_t>(freezer_.network_.counters.size());
    freezer_.network_.counters.push_back(rivals);
    freezer_.domains_.counters.push_back({});
    Add({not_flag, {Literal::Kind::kCounterIn, {}, id, 0, 0, 0}}, item);
    elected.push_back({Literal::Kind::kCounterIn, {}, id, 0, 1, kSaturated});
    Add(std::move(elected), item);
  }

  /// The class counter of an item: smaller items that are eligible, present and equivalent to it.
  Counter CountRivals(std::size_t i) {
    Counter counter;
    counter.origin = origin_;
    counter.increment_begin = static_cast<std::uint32_t>(freezer_.network_.increments.size());
    for (std::size_t j = 0; j < i; ++j) {
      if (!items_[j].possible || items_[j].object == items_[i].object) continue;
      const Object pair[] = {items_[i].object, items_[j].object};
      const Condition equivalent{.kind = Condition::Kind::kIs,
                                 .lhs = {quotient_.equivalence, {0, 1}},
                                 .values = quotient_.equivalence_values};
      Literal literal;
      if (freezer_.GroundIs(equivalent, pair, &literal) == Outcome::kUndefined) continue;
      std::vector<Literal> literals = items_[j].eligible;
      literals.insert(literals.end(), items_[j].member.begin(), items_[j].member.end());
      literals.push_back(literal);
      freezer_.AddIncrement(std::move(literals), {.value = 1}, &counter);
    }
    counter.increment_end = static_cast<std::uint32_t>(freezer_.network_.increments.size());
    return counter;
  }

  /// A clause that says something while parameter and object are members.
  void Add(std::vector<Literal> clause, const Item& item) {
    clause.insert(clause.end(), item.absent.begin(), item.absent.end());
    freezer_.clauses_.Add(clause, item.planned, origin_);
  }

  Freezer& freezer_;
  const Quotient& quotient_;
  const std::uint32_t origin_;
  const Scope scope_;
  std::vector<Object> objects_;
  std::vector<Item> items_;
};

void Freezer::GroundQuotient(int number) {
  QuotientGrounder(*this, number).Run();
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
      counter = SumOfParts(counter, parts_of);
    } while (counter.increment_end - counter.increment_begin > parts_of);
    network_.counters[id] = counter;
  }
}

/// The same sum with one level of hidden counters more, each of `parts_of` increments at most.
Counter Freezer::SumOfParts(Counter counter, std::uint32_t parts_of) {
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
  return counter;
}

}  // namespace exh::runtime::internal

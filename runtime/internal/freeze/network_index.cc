// SPDX-License-Identifier: MIT
//
// The lists of what a change wakes: by slot (SlotWork), by counter and by gate, for everything that
// is not in a run. Each Index function collects (slot, entry) for one kind of list, and BySlot()
// sorts them into one array. It runs twice, before the root is propagated and after, when
// constraints that the root entails are gone.
//
// Invariants afterwards: the lists of slot s are [work[s], work[s + 1]) in each array; a constraint
// is in a list of each slot that it reads unless `covered` says that a run is; what the queue may
// hold has the first `num_loose` numbers.
#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "runtime/internal/freeze/freezer.h"

namespace exh::runtime::internal {
namespace {

using Link = std::pair<std::uint32_t, std::uint32_t>;  // List, item.

Lists MakeLists(std::vector<Link> links, std::uint32_t num_lists) {
  std::ranges::sort(links);
  links.erase(std::unique(links.begin(), links.end()), links.end());
  Lists lists;
  lists.begin.assign(num_lists + 1, 0);
  for (const auto& [list, item] : links) ++lists.begin[list + 1];
  for (std::uint32_t list = 0; list < num_lists; ++list) lists.begin[list + 1] += lists.begin[list];
  for (const auto& [list, item] : links) lists.items.push_back(item);
  return lists;
}

/// Sorts entries by slot, in the order in which they come, and notes where those of a slot begin.
template <typename Entry>
std::vector<Entry> BySlot(const std::vector<std::pair<Slot, Entry>>& entries,
                          std::uint32_t SlotWork::*begin, std::vector<SlotWork>* work) {
  std::vector<std::uint32_t> next(work->size() + 1, 0);
  for (const auto& [slot, entry] : entries) ++next[slot + 1];
  for (std::size_t slot = 0; slot < work->size(); ++slot) {
    next[slot + 1] += next[slot];
    (*work)[slot].*begin = next[slot];
  }
  std::vector<Entry> sorted(entries.size());
  for (const auto& [slot, entry] : entries) sorted[next[slot]++] = entry;
  return sorted;
}

bool IsCovered(const std::vector<std::uint8_t>& covered, std::uint32_t id, int position) {
  return !covered.empty() && (covered[id] >> position & 1) != 0;
}

void IndexPairs(const std::vector<std::uint8_t>& covered, Network* network) {
  std::vector<std::pair<Slot, PairEntry>> pairs;
  std::vector<std::pair<Slot, std::uint32_t>> ids;
  for (std::uint32_t id = 0; id < network->constraints.size(); ++id) {
    const Constraint& c = network->constraints[id];
    if (c.kind != Constraint::Kind::kPairTable) continue;
    const Relation& relation = network->relations[c.relation];
    for (const int at : {0, 1}) {
      if (IsCovered(covered, id, at)) continue;
      pairs.push_back(
          {c.slots[at],
           {relation.luts[1 - at], c.slots[1 - at], static_cast<std::uint16_t>(c.gate)}});
      ids.emplace_back(c.slots[at], id);
    }
  }
  network->pairs = BySlot(pairs, &SlotWork::pairs, &network->work);
  network->pair_constraints = BySlot(ids, &SlotWork::pairs, &network->work);
}

/// A number for each domain of the slot at `position`, by what the table can tell apart: domains
/// with the same number allow the same combinations of the other slots. (Values whose rows of the
/// relation are equal count as one.) kUniversalClass: the domain restricts no other slot.
std::vector<std::uint8_t> DomainClasses(const Network& network, const Relation& relation,
                                        int position) {
  // The allowed combinations of the other positions, value by value.
  const int size = relation.sizes[position];
  std::vector<std::vector<Bits>> rows(size);
  std::size_t combinations = 1;
  for (int i = 0; i + 1 < relation.arity; ++i) combinations *= relation.sizes[relation.others[i]];
  int stride = -1;
  for (int i = 0; i + 1 < relation.arity; ++i) {
    if (relation.others[i] == position) stride = i;
  }
  for (std::size_t index = 0; index < combinations; ++index) {
    const Bits mask = network.masks[relation.masks + index];
    if (stride < 0) {
      for (int value = 0; value < size; ++value) rows[value].push_back(mask >> value & 1);
    } else {
      rows[index / relation.strides[stride] % static_cast<unsigned>(size)].push_back(mask);
    }
  }
  std::array<std::uint8_t, 8> value_class{};
  for (int value = 0; value < size; ++value) {
    int first = 0;
    while (rows[first] != rows[value]) ++first;
    value_class[value] = static_cast<std::uint8_t>(1u << first);
  }
  std::vector<std::uint8_t> classes(256, 0);
  for (unsigned domain = 1; domain < 256; ++domain) {
    for (int value = 0; value < size; ++value) {
      if ((domain >> value & 1) != 0) classes[domain] |= value_class[value];
    }
    if (domain >> size != 0) {
      classes[domain] = 0xFF;  // Nothing was seen before.
      continue;
    }
    // With some value for every combination of the others it restricts none of them.
    std::vector<Bits> any(rows[0].size(), 0);
    for (int value = 0; value < size; ++value) {
      if ((domain >> value & 1) == 0) continue;
      for (std::size_t i = 0; i < any.size(); ++i) any[i] |= rows[value][i];
    }
    const int masked = relation.sizes[relation.mask_position];
    const Bits all = stride < 0 ? 1 : masked >= 64 ? ~Bits{0} : (Bits{1} << masked) - 1;
    if (std::ranges::all_of(any, [&](Bits bits) { return bits == all; })) {
      classes[domain] = kUniversalClass;
    }
  }
  return classes;
}

/// DomainClasses() of relations and positions, in Network::run_tables, equal ones once.
class ClassTables {
 public:
  explicit ClassTables(Network* network) : network_(*network) {}
  std::uint32_t Find(std::uint32_t relation, int position) {
    if (tables_.size() < network_.relations.size() * kMaxTableArity) {
      tables_.resize(network_.relations.size() * kMaxTableArity, kNoLut);
    }
    std::uint32_t& table = tables_[relation * kMaxTableArity + static_cast<unsigned>(position)];
    if (table != kNoLut) return table;
    std::vector<std::uint8_t> classes =
        DomainClasses(network_, network_.relations[relation], position);
    const auto [content, is_new_content] = contents_.try_emplace(
        std::move(classes), static_cast<std::uint32_t>(network_.run_tables.size()));
    if (is_new_content) {
      network_.run_tables.insert(network_.run_tables.end(), content->first.begin(),
                                 content->first.end());
    }
    return table = content->second;
  }

 private:
  Network& network_;
  std::vector<std::uint32_t> tables_;  ///< By relation and position.
  std::map<std::vector<std::uint8_t>, std::uint32_t> contents_;
};

/// Finds a relation that says the same as a constraint's own of all that the root allows, and that
/// more constraints use. So the tables that propagation reads are few enough for the cache. (They
/// differ in clauses that the root satisfies.)
class RelationPicker {
 public:
  RelationPicker(const RootDomains& root, const Network& network) : root_(root), network_(network) {
    std::vector<std::uint32_t> uses(network.relations.size(), 0);
    for (const Constraint& c : network.constraints) {
      if (c.kind == Constraint::Kind::kTripleTable) ++uses[c.relation];
    }
    for (std::uint32_t relation = 0; relation < uses.size(); ++relation) {
      if (uses[relation] != 0) popular_[Sizes(relation)].push_back(relation);
    }
    for (auto& [sizes, relations] : popular_) {
      std::ranges::stable_sort(relations, std::ranges::greater(),
                               [&](std::uint32_t relation) { return uses[relation]; });
      if (relations.size() > kMaxTries) relations.resize(kMaxTries);
    }
  }

  std::uint32_t Pick(const Constraint& constraint) const {
    for (const std::uint32_t relation : popular_.at(Sizes(constraint.relation))) {
      if (Fits(constraint, network_.relations[relation])) return relation;
    }
    return constraint.relation;
  }

 private:
  static constexpr std::size_t kMaxTries = 64;
  using SizeKey = std::array<std::uint8_t, kMaxTableArity>;
  SizeKey Sizes(std::uint32_t relation) const { return network_.relations[relation].sizes; }

  bool Fits(const Constraint& constraint, const Relation& other) const {
    const Relation& own = network_.relations[constraint.relation];
    const Bits target = root_.slots[constraint.slots[own.mask_position]];
    for (Bits a = root_.slots[constraint.slots[own.others[0]]]; a != 0; a &= a - 1) {
      for (Bits b = root_.slots[constraint.slots[own.others[1]]]; b != 0; b &= b - 1) {
        const std::uint32_t at = own.strides[0] * static_cast<std::uint32_t>(std::countr_zero(a)) +
                                 own.strides[1] * static_cast<std::uint32_t>(std::countr_zero(b));
        if (((network_.masks[own.masks + at] ^ network_.masks[other.masks + at]) & target) != 0) {
          return false;
        }
      }
    }
    return true;
  }

  const RootDomains& root_;
  const Network& network_;
  std::map<SizeKey, std::vector<std::uint32_t>> popular_;
};

void IndexTriples(const RootDomains* root, const std::vector<std::uint8_t>& covered,
                  ClassTables* classes, Network* network) {
  std::optional<RelationPicker> picker;
  if (root != nullptr) picker.emplace(*root, *network);
  std::vector<std::pair<Slot, TripleEntry>> triples;
  std::vector<std::pair<Slot, std::uint32_t>> ids;
  if (covered.empty()) {
    triples.reserve(3 * network->constraints.size());
    ids.reserve(3 * network->constraints.size());
  }
  for (std::uint32_t id = 0; id < network->constraints.size(); ++id) {
    const Constraint& c = network->constraints[id];
    if (c.kind != Constraint::Kind::kTripleTable) continue;
    if (!covered.empty() && (covered[id] & 7) == 7) continue;
    const std::uint32_t picked = picker ? picker->Pick(c) : c.relation;
    const Relation& relation = network->relations[picked];
    for (const int at : {0, 1, 2}) {
      if (IsCovered(covered, id, at)) continue;
      const int b = at == 0 ? 1 : 0, other = at == 2 ? 1 : 2;
      // The table of a target is indexed by the lower position shifted over the higher one.
      const auto shift = [&](int position, int partner) {
        return static_cast<std::uint8_t>(position < partner ? relation.sizes[partner] : 0);
      };
      TripleEntry entry;
      entry.lut_b = relation.luts[b];
      entry.lut_c = relation.luts[other];
      entry.classes = classes->Find(picked, at);
      entry.b = c.slots[b];
      entry.c = c.slots[other];
      entry.gate = static_cast<std::uint16_t>(c.gate);
      entry.s_shift_b = shift(at, other);
      entry.c_shift_b = shift(other, at);
      entry.s_shift_c = shift(at, b);
      entry.b_shift_c = shift(b, at);
      triples.emplace_back(c.slots[at], entry);
      ids.emplace_back(c.slots[at], id);
    }
  }
  network->triples = BySlot(triples, &SlotWork::triples, &network->work);
  network->triple_constraints = BySlot(ids, &SlotWork::triples, &network->work);
}

/// Finds guards (WideEntry).
class GuardFinder {
 public:
  GuardFinder(std::uint32_t num_narrow, Network* network)
      : num_narrow_(num_narrow), network_(*network) {}

  void Find(const Constraint& constraint, int position, WideEntry* entry) {
    if (constraint.arity > 3 || constraint.slots[position] < num_narrow_) return;
    for (int at = 0; at < constraint.arity; ++at) {
      if (at == position || constraint.slots[at] >= num_narrow_) continue;
      const Guard& guard = Of(constraint.relation, at, position);
      if (guard.partners == kNoLut) continue;
      const int third = 3 - at - position;
      entry->guard = constraint.slots[at];
      entry->other = constraint.slots[constraint.arity == 3 ? third : position];
      entry->partners = guard.partners;
      entry->strict = guard.strict;
      entry->num_values = network_.relations[constraint.relation].sizes[position];
      return;
    }
  }

 private:
  struct Guard {
    std::uint32_t partners = kNoLut;
    std::uint8_t strict = 0;
  };

  const Guard& Of(std::uint32_t number, int at, int position) {
    const auto [known, is_new] = known_.try_emplace(
        {number, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(position)});
    if (is_new) known->second = Make(network_.relations[number], at, position);
    return known->second;
  }

  /// The slot at `at` is a guard when there is a value with which all combinations of the others
  /// are allowed.
  Guard Make(const Relation& relation, int at, int position) {
    std::array<int, kMaxTableArity> values{};
    const int num_own = relation.sizes[position], num_guards = relation.sizes[at];
    const int third = relation.arity == 3 ? 3 - at - position : position;
    const int num_others = third == position ? 1 : relation.sizes[third];
    const Bits all = num_others >= 64 ? ~Bits{0} : (Bits{1} << num_others) - 1;
    std::vector<Bits> partners(static_cast<std::size_t>(num_guards * num_own), 0);
    Guard guard;
    for (int value = 0; value < num_guards; ++value) {
      bool is_any = true;
      for (int own = 0; own < num_own; ++own) {
        values[at] = value;
        values[position] = own;
        Bits& of_own = partners[static_cast<std::size_t>(value * num_own + own)];
        for (int other = 0; other < num_others; ++other) {
          if (third != position) values[third] = other;
          if (IsAllowed(relation, values)) of_own |= Bits{1} << other;
        }
        is_any &= of_own == all;
        // Without a third slot this one stands for it, of which some value is always left.
        if (third == position && of_own != 0) of_own = ~Bits{0};
      }
      if (!is_any) guard.strict |= static_cast<std::uint8_t>(1u << value);
    }
    if (guard.strict == 0 || guard.strict == (1u << num_guards) - 1) return {};
    guard.partners = static_cast<std::uint32_t>(network_.partners.size());
    network_.partners.insert(network_.partners.end(), partners.begin(), partners.end());
    return guard;
  }

  bool IsAllowed(const Relation& relation, const std::array<int, kMaxTableArity>& values) const {
    std::size_t index = relation.masks;
    for (int i = 0; i + 1 < relation.arity; ++i) {
      index += relation.strides[i] * static_cast<std::size_t>(values[relation.others[i]]);
    }
    return (network_.masks[index] >> values[relation.mask_position] & 1) != 0;
  }

  const std::uint32_t num_narrow_;
  Network& network_;
  std::map<std::array<std::uint32_t, 3>, Guard> known_;
};

void IndexWides(std::uint32_t num_narrow, ClassTables* classes, Network* network) {
  network->partners.clear();
  GuardFinder guards(num_narrow, network);
  std::vector<std::pair<Slot, WideEntry>> wides;
  for (std::uint32_t id = 0; id < network->constraints.size(); ++id) {
    const Constraint& c = network->constraints[id];
    const bool is_joint = c.kind == Constraint::Kind::kJoint;
    if (c.kind != Constraint::Kind::kWideTable && !is_joint) continue;
    for (int i = 0; i < c.arity; ++i) {
      const bool narrow = c.slots[i] < num_narrow && !is_joint;
      WideEntry entry;
      entry.constraint = id;
      entry.classes = narrow ? classes->Find(c.relation, i) : kNoLut;
      if (!is_joint) guards.Find(c, i, &entry);
      wides.emplace_back(c.slots[i], entry);
    }
  }
  network->wides = BySlot(wides, &SlotWork::wides, &network->work);
}

/// Of a long decision the first slot stands for all: it is queued whichever word changes.
void AppendTermSlots(const Network& network, std::uint64_t number, std::vector<Slot>* slots) {
  const TermTest& test = network.terms.tests[number];
  for (std::uint32_t leaf = test.leaf_begin; leaf < test.leaf_end; ++leaf) {
    slots->push_back(network.terms.leaves[leaf].slot);
  }
}

void AppendTermCounters(const Network& network, std::uint64_t number,
                        std::vector<std::uint32_t>* counters) {
  const TermTest& test = network.terms.tests[number];
  for (std::uint32_t node = test.node_begin; test.counters && node < test.node_end; ++node) {
    if (network.terms.nodes[node].op == GroundTermNode::Op::kCounter) {
      counters->push_back(network.terms.nodes[node].left);
    }
  }
}

void AppendSlots(const Network& network, const Literal& literal, std::vector<Slot>* slots) {
  switch (literal.kind) {
    case Literal::Kind::kIn:
    case Literal::Kind::kLong:
      slots->push_back(literal.a);
      break;
    case Literal::Kind::kPair:
      slots->push_back(literal.a);
      slots->push_back(literal.b);
      break;
    case Literal::Kind::kTerm:
      AppendTermSlots(network, literal.x, slots);
      break;
    case Literal::Kind::kCounterIn:
    case Literal::Kind::kCounterNot:
    case Literal::Kind::kCounterPair:
      break;
  }
}

void AppendCounters(const Network& network, const Literal& literal,
                    std::vector<std::uint32_t>* counters) {
  switch (literal.kind) {
    case Literal::Kind::kCounterIn:
    case Literal::Kind::kCounterNot:
      counters->push_back(literal.a);
      break;
    case Literal::Kind::kCounterPair:
      counters->push_back(literal.a);
      counters->push_back(literal.b);
      break;
    case Literal::Kind::kTerm:
      AppendTermCounters(network, literal.x, counters);
      break;
    case Literal::Kind::kIn:
    case Literal::Kind::kPair:
    case Literal::Kind::kLong:
      break;
  }
}

/// The two literals after the watched one, round the clause, so that the guards differ by watch.
void SetGuards(const Network& network, const Constraint& clause, std::uint32_t watched,
               std::uint32_t num_narrow, ClauseWatch* watch) {
  const std::uint32_t size = clause.literal_end - clause.literal_begin;
  int found = 0;
  for (std::uint32_t step = 1; step < size && found < 2; ++step) {
    const std::uint32_t at = clause.literal_begin + (watched - clause.literal_begin + step) % size;
    const Literal& literal = network.literals[at];
    if (literal.kind != Literal::Kind::kIn || literal.a >= num_narrow) continue;
    (found == 0 ? watch->guard_a : watch->guard_b) = literal.a;
    (found == 0 ? watch->guard_mask_a : watch->guard_mask_b) = static_cast<std::uint8_t>(literal.x);
    ++found;
  }
}

void IndexClauses(std::uint32_t num_narrow, const std::vector<std::uint8_t>& covered,
                  Network* network) {
  std::vector<std::pair<Slot, ClauseWatch>> watches;
  std::vector<Link> by_counter;
  std::vector<Slot> slots;
  std::vector<std::uint32_t> counters;
  for (std::uint32_t id = 0; id < network->constraints.size(); ++id) {
    const Constraint& constraint = network->constraints[id];
    if (constraint.kind != Constraint::Kind::kClause) continue;
    for (std::uint32_t l = constraint.literal_begin; l < constraint.literal_end; ++l) {
      const int position = static_cast<int>(l - constraint.literal_begin);
      if (position < 8 && IsCovered(covered, id, position)) continue;
      const Literal& literal = network->literals[l];
      slots.clear();
      AppendSlots(*network, literal, &slots);
      // A comparison may turn false at any change: the empty mask always wakes.
      const Bits mask = literal.kind == Literal::Kind::kIn ? literal.x : 0;
      ClauseWatch watch{mask, id};
      SetGuards(*network, constraint, l, num_narrow, &watch);
      for (const Slot slot : slots) watches.push_back({slot, watch});
      counters.clear();
      AppendCounters(*network, literal, &counters);
      for (const std::uint32_t counter : counters) by_counter.emplace_back(counter, id);
    }
  }
  network->clause_watches = BySlot(watches, &SlotWork::clauses, &network->work);
  network->clauses_by_counter =
      MakeLists(std::move(by_counter), static_cast<std::uint32_t>(network->counters.size()));
}

void IndexCounters(std::uint32_t num_narrow, Network* network) {
  std::vector<std::pair<Slot, CounterWatch>> watches;
  std::vector<Link> by_counter;
  std::vector<std::pair<Slot, std::uint32_t>> of_counter;  // Slot, values.
  for (std::uint32_t id = 0; id < network->counters.size(); ++id) {
    const Counter& counter = network->counters[id];
    if (counter.joint_gate == 0) continue;
    network->most_increments = std::max<std::size_t>(
        network->most_increments, counter.increment_end - counter.increment_begin);
    of_counter.clear();
    for (std::uint32_t i = counter.increment_begin; i < counter.increment_end; ++i) {
      const Increment& increment = network->increments[i];
      std::vector<std::uint32_t> counters;
      for (std::uint32_t l = increment.literal_begin; l < increment.literal_end; ++l) {
        const Literal& literal = network->increment_literals[l];
        std::vector<Slot> slots;
        AppendSlots(*network, literal, &slots);
        const bool narrow = literal.kind == Literal::Kind::kIn && literal.a < num_narrow;
        for (const Slot slot : slots) {
          of_counter.emplace_back(slot, narrow ? static_cast<std::uint32_t>(literal.x) : 0);
        }
        AppendCounters(*network, literal, &counters);
      }
      if (increment.weight == Increment::Weight::kSlot)
        of_counter.emplace_back(increment.source, 0);
      if (increment.weight == Increment::Weight::kCounter) counters.push_back(increment.source);
      if (increment.weight == Increment::Weight::kTerm) {
        std::vector<Slot> slots;
        AppendTermSlots(*network, increment.source, &slots);
        for (const Slot slot : slots) of_counter.emplace_back(slot, 0);
        AppendTermCounters(*network, increment.source, &counters);
      }
      for (const std::uint32_t source : counters) by_counter.emplace_back(source, id);
    }
    std::ranges::sort(of_counter);
    of_counter.erase(std::unique(of_counter.begin(), of_counter.end()), of_counter.end());
    for (const auto& [slot, values] : of_counter) watches.push_back({slot, {id, values}});
  }
  network->counter_watches = BySlot(watches, &SlotWork::counters, &network->work);
  network->parents_by_counter =
      MakeLists(std::move(by_counter), static_cast<std::uint32_t>(network->counters.size()));
}

bool ReadsCounter(const Network& network, const Constraint& constraint) {
  if (constraint.kind != Constraint::Kind::kClause) return false;
  for (std::uint32_t l = constraint.literal_begin; l < constraint.literal_end; ++l) {
    std::vector<std::uint32_t> counters;
    AppendCounters(network, network.literals[l], &counters);
    if (!counters.empty()) return true;
  }
  return false;
}

}  // namespace

void PutLooseFirst(std::vector<std::uint8_t>* covered, Network* network) {
  const auto is_loose = [&](std::uint32_t id) {
    const Constraint& c = network->constraints[id];
    if (c.kind == Constraint::Kind::kWideTable || c.kind == Constraint::Kind::kJoint) return true;
    if (c.kind != Constraint::Kind::kClause) return false;
    const std::uint32_t size = c.literal_end - c.literal_begin;
    return size > 8 || (*covered)[id] != (1u << size) - 1;
  };
  const std::size_t size = network->constraints.size();
  std::vector<std::uint32_t> order;
  for (std::uint32_t id = 0; id < size; ++id) {
    if (is_loose(id)) order.push_back(id);
  }
  network->num_loose = static_cast<std::uint32_t>(order.size());
  for (std::uint32_t id = 0; id < size; ++id) {
    if (!is_loose(id)) order.push_back(id);
  }
  std::vector<Constraint> constraints;
  std::vector<std::uint8_t> covered_there;
  constraints.reserve(size);
  for (std::uint32_t i = 0; i < size; ++i) {
    constraints.push_back(network->constraints[order[i]]);
    covered_there.push_back((*covered)[order[i]]);
  }
  network->constraints = std::move(constraints);
  *covered = std::move(covered_there);
}

void IndexNetwork(const Instance& instance, Network* network) {
  network->work.assign(instance.layout().num_slots() + 1, {});
  network->num_loose = static_cast<std::uint32_t>(network->constraints.size());
  IndexScalars(instance, nullptr, {}, network);
}

void IndexScalars(const Instance& instance, const RootDomains* root,
                  const std::vector<std::uint8_t>& covered, Network* network) {
  const StateLayout& layout = instance.layout();
  IndexPairs(covered, network);
  ClassTables classes(network);
  IndexTriples(root, covered, &classes, network);
  IndexWides(layout.num_narrow, &classes, network);
  IndexClauses(layout.num_narrow, covered, network);
  IndexCounters(layout.num_narrow, network);

  std::vector<Link> by_gate, counting, gates;
  for (std::uint32_t id = 0; id < network->constraints.size(); ++id) {
    const Constraint& constraint = network->constraints[id];
    if (constraint.gate == 0) continue;
    by_gate.emplace_back(constraint.gate, id);
    if (ReadsCounter(*network, constraint)) counting.emplace_back(constraint.gate, id);
  }
  for (std::uint32_t gate = 0; gate < layout.num_gates; ++gate) {
    for (const Slot slot : network->gates.slots.list(gate)) gates.emplace_back(slot, gate);
  }
  network->gates.constraints = MakeLists(std::move(by_gate), layout.num_gates);
  network->gates.counting = MakeLists(std::move(counting), layout.num_gates);
  network->gates.by_slot = MakeLists(std::move(gates), layout.num_slots());
}

}  // namespace exh::runtime::internal

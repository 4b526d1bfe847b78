// SPDX-License-Identifier: MIT
//
// Reads the ground form out of the network: the one place that must follow when the network changes
// its layout.
#include <algorithm>
#include <bit>
#include <map>
#include <tuple>
#include <unordered_map>

#include "base/check.h"
#include "runtime/ground.h"
#include "runtime/internal/network/network.h"
#include "runtime/internal/network/objects.h"
#include "runtime/internal/network/term_ranges.h"
#include "runtime/internal/network/uniform_lanes.h"

namespace exh::runtime {
namespace internal {
namespace {

class Reader {
 public:
  explicit Reader(const Instance& instance) : instance_(instance), network_(instance.network()) {}

  GroundForm Run() {
    NameMemberships();
    AddDecisions();
    for (const PairRelation& pairs : network_.pair_relations) {
      form_.pair_relations.push_back(pairs.rows);
    }
    AddWords();
    AddGates();
    AddTerms();
    AddRelations();
    for (const Constraint& constraint : network_.constraints) AddConstraint(constraint);
    for (const LaneTable& table : network_.lane_tables) AddLanes(table);
    for (const LaneClause& clause : network_.lane_clauses) AddLanes(clause);
    UniformLanes uniform(instance_);
    uniform.ForEachTable([this](const LaneTable& table) { AddLanes(table); });
    uniform.ForEachClause([this](const LaneClause& clause) { AddLanes(clause); });
    AddCounters();
    return std::move(form_);
  }

 private:
  /// The slots of planned objects, by the first set that lists the object.
  void NameMemberships() {
    const Space& space = instance_.space();
    for (std::size_t set = 0; set < space.sets.size(); ++set) {
      if (space.sets[set].is_quotient) continue;
      const SetTable& table = instance_.object_tables().sets[set];
      for (const Host::Member& member : table.members) {
        const int slot = table.at(member.parameter, member.object);
        if (slot < 0) continue;
        const std::string& object = instance_.object_name(static_cast<int>(set), member.object);
        membership_names_.try_emplace(static_cast<Slot>(slot),
                                      space.sets[set].name + " has " + object);
      }
    }
  }

  void AddDecisions() {
    for (DecisionId d = 0; d < instance_.num_decisions(); ++d) {
      const Slot slot = instance_.slot(d);
      const bool is_long = instance_.IsLong(d);
      if (!is_long) numbers_.emplace(slot, d);
      form_.variables.push_back({instance_.DecisionName(d), is_long ? Bits{0} : RootDomain(slot),
                                 instance_.num_values(d), instance_.live_gate(d), d});
      form_.variables.back().slot = slot;
    }
  }

  void AddWords() {
    for (DecisionId d = 0; d < instance_.num_decisions(); ++d) {
      if (!instance_.IsLong(d)) continue;
      const auto first = static_cast<std::uint32_t>(form_.variables.size());
      const int words = instance_.num_words(d);
      form_.variables[d].first_word = first;
      form_.variables[d].num_words = static_cast<std::uint32_t>(words);
      for (int word = 0; word < words; ++word) {
        const Slot slot = instance_.slot(d) + static_cast<Slot>(word);
        GroundVariable variable = form_.variables[d];
        numbers_.emplace(slot, first + static_cast<std::uint32_t>(word));
        variable.root = RootDomain(slot);
        variable.num_values = std::min(64, instance_.num_values(d) - 64 * word);
        variable.word = word;
        variable.slot = slot;
        form_.variables.push_back(std::move(variable));
      }
    }
  }

  void AddTerms() {
    form_.terms = network_.terms;
    for (TermLeaf& leaf : form_.terms.leaves) leaf.slot = Variable(leaf.slot);
    form_.universes = network_.universes;
    form_.long_masks = network_.long_masks;
  }

  /// A long decision as a term, for it to be a weight.
  std::uint32_t TermOfLong(Slot slot, std::uint32_t universe) {
    TermTables& terms = form_.terms;
    TermTest test;
    test.node_begin = static_cast<std::uint32_t>(terms.nodes.size());
    test.leaf_begin = static_cast<std::uint32_t>(terms.leaves.size());
    GroundTermNode node;
    node.op = GroundTermNode::Op::kDecision;
    terms.nodes.push_back(node);
    terms.leaves.push_back(
        {Variable(slot), universe,
         static_cast<std::uint32_t>((form_.universes[universe].size() + 63) / 64)});
    test.node_end = test.node_begin + 1;
    test.leaf_end = test.leaf_begin + 1;
    terms.tests.push_back(test);
    return static_cast<std::uint32_t>(terms.tests.size()) - 1;
  }

  Bits RootDomain(Slot slot) const { return instance_.root().domain(instance_.layout(), slot); }

  /// The variable of a slot; a slot that is no decision's is hidden, and met here first.
  std::uint32_t Variable(Slot slot) {
    const auto next = static_cast<std::uint32_t>(form_.variables.size());
    const auto [it, is_new] = numbers_.try_emplace(slot, next);
    if (is_new) {
      const auto name = membership_names_.find(slot);
      form_.variables.push_back({name != membership_names_.end()
                                     ? name->second
                                     : "trigger " + std::to_string(num_fired_++) + " fired",
                                 RootDomain(slot), 2, 0});
      form_.variables.back().slot = slot;
    }
    return it->second;
  }

  void AddGates() {
    const std::size_t num_gates = network_.gates.slots.begin.size() - 1;
    for (std::uint32_t gate = 0; gate < num_gates; ++gate) {
      form_.gates.emplace_back();
      for (const Slot slot : network_.gates.slots.list(gate)) {
        form_.gates.back().push_back(Variable(slot));
      }
    }
  }

  void AddRelations() {
    for (const Relation& relation : network_.relations) {
      GroundRelation ground;
      ground.sizes.assign(relation.sizes.begin(), relation.sizes.begin() + relation.arity);
      for (std::uint32_t i = relation.patterns_begin; i < relation.patterns_end; ++i) {
        const Pattern& pattern = network_.patterns[network_.pattern_lists[i]];
        GroundClause clause{{}, network_.origins[pattern.origin]};
        for (std::uint32_t position = 0; position < relation.arity; ++position) {
          if (pattern.masks[position] == 0) continue;
          clause.literals.push_back({.a = position, .values = pattern.masks[position]});
        }
        for (int pair = 0; pair < pattern.num_pairs; ++pair) {
          clause.literals.push_back({.kind = GroundLiteral::Kind::kPair,
                                     .a = pattern.pair_positions[pair][0],
                                     .b = pattern.pair_positions[pair][1],
                                     .pairs = pattern.pair_relations[pair]});
        }
        ground.clauses.push_back(std::move(clause));
      }
      form_.relations.push_back(std::move(ground));
    }
  }

  GroundLiteral Read(const Literal& literal) {
    switch (literal.kind) {
      case Literal::Kind::kIn:
        return {.a = Variable(literal.a), .values = literal.x};
      case Literal::Kind::kPair:
        return {.kind = GroundLiteral::Kind::kPair,
                .a = Variable(literal.a),
                .b = Variable(literal.b),
                .pairs = static_cast<std::uint32_t>(literal.x)};
      case Literal::Kind::kCounterIn:
        return {.kind = GroundLiteral::Kind::kCounterIn,
                .a = literal.a,
                .interval = {literal.x, literal.y}};
      case Literal::Kind::kCounterNot:
        return {.kind = GroundLiteral::Kind::kCounterNot,
                .a = literal.a,
                .interval = {literal.x, literal.x}};
      case Literal::Kind::kCounterPair:
        return {.kind = GroundLiteral::Kind::kCounterPair,
                .op = literal.op,
                .a = literal.a,
                .b = literal.b};
      case Literal::Kind::kLong:
        return {.kind = GroundLiteral::Kind::kLong,
                .a = Variable(literal.a),
                .b = literal.b,
                .pairs = static_cast<std::uint32_t>(literal.x)};
      case Literal::Kind::kTerm:
        return {.kind = GroundLiteral::Kind::kTerm,
                .negated = literal.y != 0,
                .a = static_cast<std::uint32_t>(literal.x)};
    }
    EXH_UNREACHABLE();
  }

  void AddClause(const Constraint& constraint, std::uint32_t begin, std::uint32_t end) {
    GroundClause clause{{}, network_.origins[constraint.origin]};
    for (std::uint32_t l = begin; l < end; ++l) {
      clause.literals.push_back(Read(network_.literals[l]));
    }
    AppendAbsences(constraint.gate, &clause);
    form_.clauses.push_back(std::move(clause));
  }

  void AddConstraint(const Constraint& constraint) {
    if (constraint.kind == Constraint::Kind::kClause) {
      AddClause(constraint, constraint.literal_begin, constraint.literal_end);
      return;
    }
    if (constraint.kind == Constraint::Kind::kJoint) return AddJoint(constraint);
    GroundTable table{constraint.relation, constraint.gate, {}};
    for (int i = 0; i < constraint.arity; ++i) {
      table.variables.push_back(Variable(constraint.slots[i]));
    }
    form_.tables.push_back(std::move(table));
  }

  void AddJoint(const Constraint& constraint) {
    const Joint& joint = network_.joints.all[constraint.relation];
    GroundJoint ground;
    ground.gate = constraint.gate;
    for (std::uint32_t i = joint.origin_begin; i < joint.origin_end; ++i) {
      ground.origins.push_back(network_.origins[network_.joints.origins[i]]);
    }
    ground.combinations.resize(joint.num_combinations);
    for (int i = 0; i < constraint.arity; ++i) {
      ground.variables.push_back(Variable(constraint.slots[i]));
      for (std::uint32_t c = 0; c < joint.num_combinations; ++c) {
        int value = 0;
        const auto has = [&] {
          const std::size_t word =
              joint.supports[i] + static_cast<std::size_t>(value) * joint.num_words + c / 64;
          return (network_.joints.supports[word] >> c % 64 & 1) != 0;
        };
        while (!has()) ++value;
        ground.combinations[c].push_back(value);
      }
    }
    form_.joints.push_back(std::move(ground));
    if (joint.literal_begin != joint.literal_end) {
      AddClause(constraint, joint.literal_begin, joint.literal_end);
    }
  }

  /// A clause behind a gate says nothing while one of its objects is absent.
  void AppendAbsences(std::uint32_t gate, GroundClause* clause) {
    for (const Slot slot : network_.gates.slots.list(gate)) {
      clause->literals.push_back({.a = Variable(slot), .values = kFalseBit});
    }
  }

  /// The slot that stands in a lane of a row, and how the row shows it.
  std::pair<Slot, std::uint16_t> InLane(std::uint32_t cell) const {
    const Cell& at = network_.cells[cell];
    return {at.slot, at.slot == cell ? std::uint16_t{0} : at.inverse};
  }

  /// The relation with positions seen from the other side of their pairs.
  std::uint32_t Mirrored(std::uint32_t relation, const std::array<std::uint16_t, 3>& inverses) {
    if (inverses == std::array<std::uint16_t, 3>{}) return relation;
    const auto [known, is_new] =
        mirrored_.try_emplace({relation, inverses[0], inverses[1], inverses[2]},
                              static_cast<std::uint32_t>(form_.relations.size()));
    if (!is_new) return known->second;
    GroundRelation mirrored = form_.relations[relation];
    for (GroundClause& clause : mirrored.clauses) {
      for (GroundLiteral& literal : clause.literals) {
        if (literal.kind == GroundLiteral::Kind::kIn) {
          literal.values = network_.inverses[inverses[literal.a]][literal.values];
          continue;
        }
        const std::vector<Bits> rows = form_.pair_relations[literal.pairs];
        std::vector<Bits> seen(rows.size());
        for (std::size_t value = 0; value < rows.size(); ++value) {
          const std::uint8_t at = network_.inverses[inverses[literal.a]][std::size_t{1} << value];
          seen[std::countr_zero(at)] = network_.inverses[inverses[literal.b]][rows[value]];
        }
        literal.pairs = static_cast<std::uint32_t>(form_.pair_relations.size());
        form_.pair_relations.push_back(std::move(seen));
      }
    }
    form_.relations.push_back(std::move(mirrored));
    return known->second;
  }

  void AddLanes(const LaneTable& table) {
    for (std::uint64_t rest = table.lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
      std::array<std::uint16_t, 3> inverses{};
      GroundTable ground{0, table.gate, {}};
      for (int i = 0; i < table.arity; ++i) {
        Slot slot = table.cells[i];
        if (i >= table.num_scalars) std::tie(slot, inverses[i]) = InLane(slot + lane);
        ground.variables.push_back(Variable(slot));
      }
      ground.relation = Mirrored(table.relation, inverses);
      form_.tables.push_back(std::move(ground));
    }
  }

  void AddLanes(const LaneClause& lanes) {
    for (std::uint64_t rest = lanes.lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
      GroundClause clause{{}, network_.origins[lanes.origin]};
      for (int i = 0; i < lanes.size(); ++i) {
        Slot slot = CellOf(lanes.literals[i]);
        std::uint16_t inverse = 0;
        if (i >= lanes.num_scalars) std::tie(slot, inverse) = InLane(slot + lane);
        clause.literals.push_back(
            {.a = Variable(slot),
             .values = network_.inverses[inverse][ValuesOf(lanes.literals[i])]});
      }
      AppendAbsences(lanes.gate, &clause);
      form_.clauses.push_back(std::move(clause));
    }
  }

  std::string CounterName(Origin origin, std::uint32_t number) const {
    const Space& space = instance_.space();
    const std::string text = " " + std::to_string(number);
    if (origin.kind == Origin::Kind::kCounter) return space.choices[origin.index].name + text;
    return space.sets[space.quotients[origin.index].set].name + " rivals" + text;
  }

  void AddCounters() {
    for (std::uint32_t id = 0; id < network_.counters.size(); ++id) {
      const Counter& counter = network_.counters[id];
      GroundCounter ground;
      ground.origin = network_.origins[counter.origin];
      ground.name = CounterName(ground.origin, id);
      ground.product = counter.product;
      ground.base = counter.base;
      ground.root = instance_.root().counter(instance_.layout(), id);
      for (std::uint32_t i = counter.increment_begin; i < counter.increment_end; ++i) {
        const Increment& increment = network_.increments[i];
        GroundIncrement one;
        for (std::uint32_t l = increment.literal_begin; l < increment.literal_end; ++l) {
          one.literals.push_back(Read(network_.increment_literals[l]));
        }
        one.value = increment.value;
        const bool is_long = increment.weight == Increment::Weight::kSlot &&
                             network_.universes[increment.universe].size() > 64;
        if (is_long) {
          one.weight = GroundIncrement::Weight::kTerm;
          one.source = TermOfLong(increment.source, increment.universe);
        } else if (increment.weight == Increment::Weight::kTerm) {
          one.weight = GroundIncrement::Weight::kTerm;
          one.source = increment.source;
        } else if (increment.weight == Increment::Weight::kSlot) {
          one.weight = GroundIncrement::Weight::kVariable;
          one.source = Variable(increment.source);
          one.numbers = network_.universes[increment.universe];
        } else if (increment.weight == Increment::Weight::kCounter) {
          one.weight = GroundIncrement::Weight::kCounter;
          one.source = increment.source;
        }
        ground.increments.push_back(std::move(one));
      }
      form_.counters.push_back(std::move(ground));
    }
  }

  const Instance& instance_;
  const Network& network_;
  GroundForm form_;
  std::unordered_map<Slot, std::uint32_t> numbers_;
  std::unordered_map<Slot, std::string> membership_names_;
  std::map<std::array<std::uint32_t, 4>, std::uint32_t> mirrored_;
  int num_fired_ = 0;
};

}  // namespace
}  // namespace internal

GroundForm MakeGroundForm(const Instance& instance) {
  EXH_CHECK(instance.root_result() == Propagation::kFixpoint);
  return internal::Reader(instance).Run();
}

bool Holds(const GroundForm& form, const GroundClause& clause, const std::vector<int>& values) {
  for (const GroundLiteral& literal : clause.literals) {
    const Bits allowed = literal.kind == GroundLiteral::Kind::kIn
                             ? literal.values
                             : form.pair_relations[literal.pairs][values[literal.a]];
    const int value =
        literal.kind == GroundLiteral::Kind::kIn ? values[literal.a] : values[literal.b];
    if ((allowed >> value & 1) != 0) return true;
  }
  return false;
}

namespace internal {
namespace {

/// A GroundView as the templates of terms want it.
struct ViewOfForm {
  const GroundView& view;
  Bits domain(std::uint32_t variable) const { return view.variable(variable); }
  Interval counter(std::uint32_t number) const { return view.counter(number); }
};

}  // namespace
}  // namespace internal

Truth TermStatus(const GroundForm& form, const GroundLiteral& literal, const GroundView& view) {
  const internal::TermView term{form.terms, form.universes, form.terms.tests[literal.a]};
  return internal::TermStatus(term, internal::ViewOfForm{view}, literal.negated);
}

Interval WeightRange(const GroundForm& form, std::uint32_t test, const GroundView& view) {
  const internal::TermView term{form.terms, form.universes, form.terms.tests[test]};
  return internal::WeightOf(internal::TermRangeOf(term, internal::ViewOfForm{view}));
}

std::vector<std::vector<int>> AllowedTuples(const GroundForm& form,
                                            const GroundRelation& relation) {
  std::vector<std::vector<int>> tuples;
  std::vector<int> values(relation.sizes.size(), 0);
  while (true) {
    bool allowed = true;
    for (const GroundClause& clause : relation.clauses) {
      allowed = allowed && Holds(form, clause, values);
    }
    if (allowed) tuples.push_back(values);
    std::size_t position = values.size();
    while (position > 0 && ++values[position - 1] == relation.sizes[position - 1]) {
      values[--position] = 0;
    }
    if (position == 0) return tuples;
  }
}

}  // namespace exh::runtime

// SPDX-License-Identifier: MIT
//
// The steps of a freeze, listed in Run(), and those that concern objects: sets and names,
// decisions, planners, memberships, root domains, propagation of the root. Slots are given out in
// between (freeze_layout.cc), after the planners have run: what they plan has slots too.
//
// Order matters in two places. Unary clauses act on the root domains before anything else is
// grounded, for what they exclude prunes the loops of the rest. And before the clauses over several
// decisions, at FixKnown(), the domains by which these are simplified are fixed, so that what is
// left of one does not depend on which came before it.
#include "runtime/internal/freeze/freezer.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "base/check.h"
#include "base/error.h"
#include "runtime/int_domain.h"
#include "runtime/internal/freeze/uniform_finder.h"
#include "runtime/internal/ground/lane_emitter.h"
#include "runtime/internal/rows/propagator.h"

namespace exh::runtime::internal {
namespace {

/// Dense tables of tuples: above this the choice has too many arguments over too many objects.
constexpr std::size_t kMaxTableCells = std::size_t{1} << 26;

}  // namespace

Freezer::Freezer(const Space& space, const Host& host, const FreezeOptions& options)
    : host_(host),
      options_(options),
      ticker_(options),
      instance_(new Instance()),
      space_((instance_->space_ = space)),
      objects_(*(instance_->tables_ = std::make_unique<Objects>())),
      network_(*(instance_->network_ = std::make_unique<Network>())),
      relations_(network_),
      lanes_(network_, relations_, domains_, gates_),
      clauses_(network_, relations_, domains_, gates_, lanes_) {}

Freezer::~Freezer() = default;

/// What makes a freeze large, for people.
std::string Freezer::SizeText() const {
  std::size_t largest = 0, of_largest = 0;
  for (std::size_t s = 0; s < space_.sets.size(); ++s) {
    if (space_.sets[s].root != static_cast<int>(s) || objects_.names[s].size() <= of_largest) {
      continue;
    }
    largest = s;
    of_largest = objects_.names[s].size();
  }
  std::size_t wide = 0;
  for (std::size_t c = 0; c < objects_.choices.size(); ++c) {
    if (objects_.choices[c].lookup.size() > objects_.choices[wide].lookup.size()) wide = c;
  }
  std::string text = std::to_string(of_largest) + " objects in " + space_.sets[largest].name +
                     " and " + std::to_string(instance_->decision_choice_.size()) + " decisions";
  if (wide < objects_.choices.size()) {
    text += ", most of " + space_.choices[wide].name + ", in " +
            std::to_string(lanes_.views().size() + lanes_.clauses().size()) +
            " rows of constraints and " + std::to_string(clauses_.num_groups()) +
            " constraints outside of rows";
  }
  return text;
}

std::shared_ptr<const Instance> Freezer::Run() {
  ticker_.DescribeBy([this] { return SizeText(); });
  FreezeSets();
  FreezeDecisions();
  NumberCounters();
  PlanTriggers();
  AssignSlots();
  AssignMemberships();
  FreezeDomains();
  InstanceStatistics& statistics = instance_->statistics_;
  if (lanes_.is_on() && options_.uniform) uniform_ = std::make_unique<UniformFinder>(*this);
  statistics.expected_words = ExpectedWords();
  ticker_.Expect(ExpectedSeconds(statistics.expected_words));
  // Unary clauses first: what they exclude prunes the loops of all others.
  GroundClausesThat(true);
  GroundTriggers();
  GroundCounters();
  for (std::size_t q = 0; q < space_.quotients.size(); ++q) GroundQuotient(static_cast<int>(q));
  SplitSums();
  FixKnown();
  GroundClausesThat(false);
  if (uniform_) uniform_->AddExceptions();
  PropagateRoot();
  FixTerms();
  return instance_;
}

std::string Freezer::TupleText(std::span<const Variable> variables,
                               std::span<const Object> objects) const {
  std::string text = "(";
  for (std::size_t v = 0; v < variables.size(); ++v) {
    const int root = space_.sets[variables[v].set.set].root;
    text += (v == 0 ? "" : ",") + objects_.names[root][objects[v]];
  }
  return text + ")";
}

/// Actions and logs write "order(a,b)=BEFORE": whatever reads them must find the objects again.
void Freezer::FreezeNames(int set, Object size) {
  const std::string where = "set " + space_.sets[set].name + ": ";
  std::unordered_map<std::string, Object> known;
  for (Object object = 0; object < size; ++object) {
    std::string name = host_.Name(set, object);
    if (name.empty() || name.find_first_of(" \t\r\n,()") != std::string::npos) {
      throw Error(where + "object " + std::to_string(object) + " is named '" + name +
                  "': a name is not empty and holds no blank, comma or parenthesis");
    }
    const auto [first, is_new] = known.try_emplace(name, object);
    if (!is_new) {
      throw Error(where + "objects " + std::to_string(first->second) + " and " +
                  std::to_string(object) + " have the same name, '" + name + "'");
    }
    objects_.names[set].push_back(std::move(name));
  }
}

void Freezer::FreezeSets() {
  objects_.names.resize(space_.sets.size());
  objects_.sets.resize(space_.sets.size());
  for (std::size_t s = 0; s < space_.sets.size(); ++s) {
    if (space_.sets[s].root != static_cast<int>(s)) continue;
    const int size = host_.Size(static_cast<int>(s));
    if (size < 0 || size > kMaxObjects) {
      throw Error("set " + space_.sets[s].name + " has " + std::to_string(size) +
                  " objects: a set holds 0 to " + std::to_string(kMaxObjects));
    }
    FreezeNames(static_cast<int>(s), static_cast<Object>(size));
  }
  for (std::size_t s = 0; s < space_.sets.size(); ++s) {
    const Set& set = space_.sets[s];
    SetTable& table = objects_.sets[s];
    table.num_objects = objects_.names[set.root].size();
    std::size_t num_parameters = 0;
    if (set.parameter_set >= 0) {
      num_parameters = objects_.names[space_.sets[set.parameter_set].root].size();
    }
    if (set.is_quotient) {
      const auto quotient = std::ranges::find_if(
          space_.quotients, [&](const Quotient& q) { return q.set == static_cast<int>(s); });
      EXH_CHECK(quotient != space_.quotients.end());
      const Scope scope(space_, objects_, quotient->variables);
      std::vector<Object> tuple(quotient->variables.size());
      scope.ForEach(0, tuple.data(), [&] {
        table.members.push_back({tuple.size() > 1 ? tuple.front() : kNoObject, tuple.back()});
      });
    } else {
      table.members = host_.Members(static_cast<int>(s));
    }
    for (const Host::Member& member : table.members) {
      const bool good_parameter =
          set.parameter_set < 0 ? member.parameter == kNoObject : member.parameter < num_parameters;
      if (member.object >= table.num_objects || !good_parameter) {
        throw Error("set " + set.name + ": the host lists an object that does not exist");
      }
    }
    table.Index(num_parameters);
    if (set.superset < 0 || set.is_quotient) continue;
    const SetTable& superset = objects_.sets[set.superset];
    for (const Host::Member& member : table.members) {
      const bool parametric = space_.sets[set.superset].parameter_set >= 0;
      if (superset.at(parametric ? member.parameter : kNoObject, member.object) == kNotMember) {
        throw Error("set " + set.name + ": " + objects_.names[set.root][member.object] +
                    " is not a member of the superset " + space_.sets[set.superset].name);
      }
    }
  }
}

ChoiceTable Freezer::MakeTable(int choice) const {
  const Choice& c = space_.choices[choice];
  ChoiceTable table;
  std::size_t cells = 1;
  for (const Variable& argument : c.arguments) {
    table.strides.push_back(cells);
    cells *= std::max<std::size_t>(1, objects_.sets[argument.set.set].num_objects);
    if (cells > kMaxTableCells) {
      throw Error("choice " + c.name + ": its arguments have more than " +
                  std::to_string(kMaxTableCells) + " tuples of objects");
    }
  }
  table.lookup.assign(cells, -1);
  return table;
}

void Freezer::FreezeUniverse(int choice, std::span<const Object> objects) {
  const Choice& c = space_.choices[choice];
  std::vector<std::uint32_t> numbers =
      c.universe < 0 ? c.numbers : host_.Numbers(c.universe, objects);
  const bool sorted = std::ranges::adjacent_find(numbers, std::greater_equal<>()) == numbers.end();
  if (numbers.empty() || numbers.size() > static_cast<std::size_t>(kMaxValues) || !sorted) {
    throw Error("universe of " + c.name + TupleText(c.arguments, objects) + ": needs 1 to " +
                std::to_string(kMaxValues) + " distinct numbers in ascending order, got " +
                std::to_string(numbers.size()));
  }
  const auto [it, is_new] = universe_ids_.try_emplace(
      std::move(numbers), static_cast<std::uint32_t>(objects_.universes.size()));
  if (is_new) objects_.universes.push_back(it->first);
  instance_->universe_of_.push_back(it->second);
  instance_->all_values_.push_back(AllOf(it->first));
}

void Freezer::FreezeDecisions() {
  objects_.universes.emplace_back();
  objects_.choices.resize(space_.choices.size());
  instance_->derived_choice_.resize(space_.choices.size(), false);
  for (const Quotient& quotient : space_.quotients) {
    instance_->derived_choice_[quotient.flag] = true;
  }
  instance_->objects_begin_.push_back(0);
  for (std::size_t c = 0; c < space_.choices.size(); ++c) {
    const Choice& choice = space_.choices[c];
    const auto first = static_cast<DecisionId>(instance_->decision_choice_.size());
    instance_->first_decision_.push_back(first);
    if (choice.kind == ChoiceKind::kCounter) continue;
    if (choice.kind == ChoiceKind::kEnum && (choice.values.empty() || choice.values.size() > 64)) {
      throw Error("choice " + choice.name + ": an enum needs 1 to 64 values");
    }
    ChoiceTable& table = objects_.choices[c] = MakeTable(static_cast<int>(c));
    const Scope scope(space_, objects_, choice.arguments);
    std::vector<Object> tuple(choice.arguments.size());
    const bool paired = choice.symmetry != Symmetry::kNone;
    scope.ForEach(0, tuple.data(), [&] {
      if (paired && tuple[0] >= tuple[1]) return;
      const auto decision = static_cast<std::int32_t>(instance_->decision_choice_.size());
      table.lookup[table.Index(tuple.data())] = 2 * decision;
      if (paired) {
        const Object swapped[] = {tuple[1], tuple[0]};
        table.lookup[table.Index(swapped)] = 2 * decision + 1;
      }
      instance_->decision_choice_.push_back(static_cast<int>(c));
      instance_->objects_flat_.insert(instance_->objects_flat_.end(), tuple.begin(), tuple.end());
      instance_->objects_begin_.push_back(
          static_cast<std::uint32_t>(instance_->objects_flat_.size()));
      if (choice.kind == ChoiceKind::kInteger) {
        FreezeUniverse(static_cast<int>(c), tuple);
      } else {
        instance_->universe_of_.push_back(0);
        const std::size_t size = choice.values.size();
        instance_->all_values_.push_back(size == 64 ? ~Bits{0} : (Bits{1} << size) - 1);
      }
    });
  }
  instance_->first_decision_.push_back(static_cast<DecisionId>(instance_->decision_choice_.size()));
  network_.universes = objects_.universes;
}

void Freezer::NumberCounters() {
  for (std::size_t c = 0; c < space_.choices.size(); ++c) {
    const Choice& choice = space_.choices[c];
    if (choice.kind != ChoiceKind::kCounter) continue;
    ChoiceTable& table = objects_.choices[c] = MakeTable(static_cast<int>(c));
    const Scope scope(space_, objects_, choice.arguments);
    std::vector<Object> tuple(choice.arguments.size());
    scope.ForEach(0, tuple.data(), [&] {
      table.lookup[table.Index(tuple.data())] =
          static_cast<std::int32_t>(2 * domains_.counters.size());
      domains_.counters.push_back({});
      bases_.push_back(BaseOf(choice, tuple));
    });
  }
  network_.counters.resize(domains_.counters.size());
  for (std::size_t c = 0; c < bases_.size(); ++c) {
    network_.counters[c].offset = std::min<std::int64_t>(bases_[c], 0);
  }
}

/// Runs the planners: which objects each tuple of a trigger would add. A tuple whose host
/// conditions do not hold is not asked.
void Freezer::PlanTriggers() {
  for (std::size_t t = 0; t < space_.triggers.size(); ++t) {
    const Trigger& trigger = space_.triggers[t];
    const Scope scope(space_, objects_, trigger.variables);
    std::vector<Object> tuple(trigger.variables.size());
    scope.ForEach(0, tuple.data(), [&] {
      for (const Condition& condition : trigger.when) {
        if (IsKnown(condition) && !Holds(condition, tuple.data(), tuple.size())) return;
      }
      const std::vector<Host::Planned> planned = host_.Plan(static_cast<int>(t), tuple);
      if (planned.empty()) return;
      const int fired = static_cast<int>(fired_.size());
      fired_.push_back({static_cast<int>(t), tuple});
      for (const Host::Planned& addition : planned) {
        const Set& set = space_.sets[addition.set];
        const SetTable& table = objects_.sets[addition.set];
        const bool known =
            addition.member.object < table.num_objects &&
            (set.parameter_set < 0 ||
             addition.member.parameter <
                 objects_.names[space_.sets[set.parameter_set].root].size()) &&
            table.at(addition.member.parameter, addition.member.object) != kNotMember;
        if (!known || set.is_quotient) {
          throw Error("trigger " + trigger.label + TupleText(trigger.variables, tuple) +
                      " adds to " + set.name + " an object that the host does not list there");
        }
        std::vector<int>& adders = adders_[{addition.set, addition.member}];
        if (adders.empty() || adders.back() != fired) adders.push_back(fired);
      }
    });
  }
}

void Freezer::AssignMemberships() {
  for (const auto& [planned, adders] : adders_) {
    SetTable& table = objects_.sets[planned.first];
    const Slot slot = adders.size() == 1 ? first_hidden_ + static_cast<Slot>(adders.front())
                                         : shared_memberships_.at(adders);
    table.at(planned.second.parameter, planned.second.object) = static_cast<int>(slot);
    table.conditional = true;
  }
  is_flag_.assign(instance_->layout_.num_slots(), false);
  for (const Quotient& quotient : space_.quotients) {
    SetTable& table = objects_.sets[quotient.set];
    table.conditional = true;
    for (DecisionId d = instance_->first_decision(quotient.flag);
         d < instance_->end_decision(quotient.flag); ++d) {
      const std::span<const Object> tuple = instance_->objects(d);
      table.at(tuple.size() > 1 ? tuple.front() : kNoObject, tuple.back()) =
          static_cast<int>(instance_->slots_[d]);
      is_flag_[instance_->slots_[d]] = true;
    }
  }
  RejectCycles();
}

/// An object must not be needed for what adds it: with such a cycle "absent" and "present" would
/// both be consistent.
void Freezer::RejectCycles() {
  std::map<Slot, std::vector<int>> adders_of;  // Hidden slot -> fired tuples.
  for (std::size_t f = 0; f < fired_.size(); ++f) {
    adders_of[first_hidden_ + static_cast<Slot>(f)] = {static_cast<int>(f)};
  }
  for (const auto& [adders, slot] : shared_memberships_) adders_of[slot] = adders;
  std::vector<std::uint8_t> color(fired_.size(), 0);  // 0 new, 1 on the path, 2 done.
  const auto visit = [&](const auto& self, int fired) -> void {
    if (color[fired] == 2) return;
    const Trigger& trigger = space_.triggers[fired_[fired].trigger];
    if (color[fired] == 1) {
      throw Error("trigger " + trigger.label + TupleText(trigger.variables, fired_[fired].objects) +
                  " adds an object that it needs to fire");
    }
    color[fired] = 1;
    std::vector<Slot> needed;
    Scope(space_, objects_, trigger.variables)
        .AppendMemberships(fired_[fired].objects.data(), 0, fired_[fired].objects.size(), &needed);
    for (const Slot slot : needed) {
      if (is_flag_[slot]) continue;
      for (const int adder : adders_of[slot]) self(self, adder);
    }
    color[fired] = 2;
  };
  for (std::size_t f = 0; f < fired_.size(); ++f) visit(visit, static_cast<int>(f));
}

void Freezer::FreezeDomains() {
  const std::uint32_t num_slots = instance_->layout_.num_slots();
  domains_.slots.assign(num_slots, kFalseBit | kTrueBit);
  domains_.sizes.assign(num_slots, 2);
  domains_.memberships.resize(num_slots);
  domains_.num_hidden = static_cast<Slot>(instance_->statistics_.hidden_slots);
  for (std::size_t c = 0; c < space_.choices.size(); ++c) {
    const Choice& choice = space_.choices[c];
    if (choice.kind == ChoiceKind::kCounter) continue;
    const Scope scope(space_, objects_, choice.arguments);
    for (DecisionId d = instance_->first_decision_[c]; d < instance_->first_decision_[c + 1]; ++d) {
      const Slot slot = instance_->slots_[d];
      const int num_words = instance_->num_words(d);
      std::vector<Slot> all, planned, flags;
      scope.AppendMemberships(instance_->objects(d).data(), 0, choice.arguments.size(), &all);
      SplitMemberships(all, &planned, &flags);
      std::ranges::sort(planned);
      planned.erase(std::unique(planned.begin(), planned.end()), planned.end());
      for (int word = 0; word < num_words; ++word) {
        const Slot at = slot + static_cast<Slot>(word);
        const int left = instance_->num_values(d) - 64 * word;
        domains_.slots[at] = left >= 64 ? ~Bits{0} : (Bits{1} << left) - 1;
        domains_.sizes[at] = static_cast<std::uint8_t>(std::min(left, 64));
        domains_.memberships[at] = planned;
      }
      instance_->live_gates_.push_back(gates_.Intern(all));
    }
  }
  if (!options_.runs) return;
  places_.emplace(*instance_, network_);
  lanes_.Begin(&*places_);
}

/// What is unary, or belongs to no requirement, has acted; all other clauses are simplified by
/// this.
void Freezer::FixKnown() {
  clauses_.FixKnown();
  known_cells_.assign(instance_->layout_.num_narrow, 0);
  for (const Slot slot : slots_in_use_) {
    if (slot >= known_cells_.size()) continue;
    const Cell& cell = network_.cells[slot];
    const auto values = static_cast<std::uint8_t>(clauses_.known(slot));
    known_cells_[slot] = values;
    if (cell.mirror != slot) known_cells_[cell.mirror] = network_.inverses[cell.inverse][values];
  }
}

/// The lists of what wakes what: of records, and of counters by the row when the root is known.
void Freezer::IndexRecords(bool is_final) {
  PutLooseFirst(&network_.covered, &network_);
  if (is_final) IndexIncrements(*places_, domains_, &network_);
  IndexScalars(*instance_, is_final ? &domains_ : nullptr, network_.covered, &network_);
}

void Freezer::PropagateRoot() {
  std::optional<LaneEmitter> emitter;
  if (lanes_.is_on()) {
    emitter.emplace(*instance_, domains_, &lanes_, &relations_, &gates_, &clauses_, &network_);
    emitter->Prepare();
    if (uniform_) uniform_->InternGates();
  }
  ticker_.Begin("tables", kTableShare, static_cast<double>(clauses_.num_groups()));
  clauses_.Finish(&ticker_);
  StateLayout& layout = instance_->layout_;
  layout.num_counters = static_cast<std::uint32_t>(network_.counters.size());
  layout.num_gates = static_cast<std::uint32_t>(network_.gates.slots.begin.size() - 1);
  PlanPresence();
  layout.Place();
  ticker_.Begin("the root", kRootShare, static_cast<double>(lanes_.views().size()));
  if (emitter) {
    network_.work.assign(layout.num_slots() + 1, {});
    network_.covered.assign(network_.constraints.size(), 0);
    emitter->Emit(&ticker_, &network_.covered);
    if (uniform_) uniform_->Finish(&*emitter);
    FindJoints(domains_, gates_, &network_);
    network_.covered.resize(network_.constraints.size(), 0);
    IndexRecords(false);
  } else {
    FindJoints(domains_, gates_, &network_);
    IndexNetwork(*instance_, &network_);
  }

  State& root = instance_->root_ = State(layout);
  root.presence(layout, 0) = ~std::uint64_t{0};
  for (const Slot slot : slots_in_use_) SetDomain(slot, domains_.slots[slot], &root);
  for (std::uint32_t counter = 0; counter < layout.num_counters; ++counter) {
    root.set_counter(layout, counter, domains_.counters[counter]);
  }
  if (clauses_.failure()) {
    instance_->root_result_ = Propagation::kDeadEnd;
    instance_->root_conflict_.origin = network_.origins[*clauses_.failure()];
  } else {
    instance_->root_result_ =
        Propagator(*instance_, &root, &instance_->root_conflict_).PropagateAll(&ticker_);
  }
  std::size_t num_entailed = 0;
  if (instance_->root_result_ == Propagation::kDeadEnd) CheckWeights();
  if (instance_->root_result_ == Propagation::kFixpoint) {
    CheckTerms();
    // What the root entails needs no look again.
    for (const Slot slot : slots_in_use_) domains_.slots[slot] = root.domain(layout, slot);
    for (std::uint32_t counter = 0; counter < layout.num_counters; ++counter) {
      domains_.counters[counter] = root.counter(layout, counter);
    }
    clauses_.DropEntailed();
    num_entailed = clauses_.num_entailed();
    ticker_.Begin("rows", kRunShare, static_cast<double>(layout.num_slots()));
    if (emitter) {
      emitter->DropEntailed(&ticker_);
      IndexRecords(true);
      num_entailed += emitter->num_entailed();
    } else {
      IndexNetwork(*instance_, &network_);
    }
    IndexWakes(domains_, slots_in_use_, &network_);
    std::vector<std::vector<std::uint64_t>> cells_by_gate;
    if (emitter) cells_by_gate = emitter->cells_by_gate();
    if (uniform_) uniform_->MarkCells(&cells_by_gate);
    if (layout.num_gates <= kMostOpenings) {
      network_.gates.openings =
          std::make_shared<const Openings>(*instance_, std::move(cells_by_gate));
    }
  }
  FillStatistics(num_entailed);
}

void Freezer::FillStatistics(std::size_t num_entailed) {
  const StateLayout& layout = instance_->layout_;
  const State& root = instance_->root_;
  InstanceStatistics& statistics = instance_->statistics_;
  statistics.decisions = instance_->num_decisions();
  for (DecisionId d = 0; d < instance_->num_decisions(); ++d) {
    int values = 0;
    for (int word = 0; word < instance_->num_words(d); ++word) {
      values += std::popcount(root.domain(layout, instance_->slot(d) + static_cast<Slot>(word)));
    }
    statistics.decisions_open_at_root +=
        static_cast<std::size_t>(values != 1 && root.gate(layout, instance_->live_gate(d)));
  }
  statistics.counters = network_.counters.size();
  statistics.increments = network_.increments.size();
  statistics.gates = layout.num_gates;
  statistics.ground_clauses = clauses_.num_added();
  for (const Constraint& constraint : network_.constraints) {
    switch (constraint.kind) {
      case Constraint::Kind::kPairTable:
        ++statistics.pair_tables;
        break;
      case Constraint::Kind::kTripleTable:
        ++statistics.triple_tables;
        break;
      case Constraint::Kind::kWideTable:
        ++statistics.wide_tables;
        break;
      case Constraint::Kind::kClause:
        ++statistics.clauses;
        break;
      case Constraint::Kind::kJoint:
        ++statistics.joints;
        break;
    }
  }
  for (const LaneTable& table : network_.lane_tables) {
    (table.arity == 2 ? statistics.pair_tables : statistics.triple_tables) +=
        static_cast<std::size_t>(std::popcount(table.lanes));
  }
  for (const LaneClause& clause : network_.lane_clauses) {
    statistics.clauses += static_cast<std::size_t>(std::popcount(clause.lanes));
  }
  statistics.relations = network_.relations.size();
  statistics.entailed_at_root = num_entailed;
  statistics.state_bytes = layout.num_words * sizeof(std::uint64_t);
  statistics.shared_bytes =
      network_.pairs.size() * sizeof(PairEntry) + network_.triples.size() * sizeof(TripleEntry) +
      network_.pair_runs.size() * sizeof(PairRun) +
      network_.triple_runs.size() * sizeof(TripleRun) +
      network_.clause_runs.size() * sizeof(ClauseRun) +
      network_.clause_filters.size() * sizeof(ClauseFilter) + network_.run_tables.size() +
      network_.lane_tables.size() * sizeof(LaneTable) +
      network_.lane_clauses.size() * sizeof(LaneClause) + network_.uniform.NumBytes() +
      network_.constraints.size() * sizeof(Constraint) + network_.luts.size() +
      network_.masks.size() * sizeof(Bits) + network_.increment_literals.size() * sizeof(Literal);
}

}  // namespace exh::runtime::internal

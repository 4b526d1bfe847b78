// SPDX-License-Identifier: MIT
//
// The questions that decide whether a clause is uniform come first, each a function; then the
// patterns of tables and the entries of clauses; then what the network gets.
#include "runtime/internal/freeze/uniform_finder.h"

#include <algorithm>
#include <bit>

namespace exh::runtime::internal {
namespace {

/// Two domains index a look-up table, as LaneStore::Accepts() says.
constexpr std::size_t kMaxValues = 6;
/// Entries and tables of a space: their numbers have 16 bits.
constexpr std::size_t kMostEntries = 10'000;
/// Combinations of sets that objects of a choice belong to: a table for each three of them.
constexpr std::size_t kMostSets = 32, kMostTypes = 16;

std::size_t CountOf(const Clause& clause, Condition::Kind kind) {
  return static_cast<std::size_t>(std::ranges::count(clause.conditions, kind, &Condition::kind));
}

}  // namespace

// ---- Which clauses ----------------------------------------------------------------------------

Freezer::UniformFinder::UniformFinder(Freezer& freezer) : freezer_(freezer) {
  std::size_t num_entries = 0;
  for (const Clause& clause : freezer_.space_.clauses) {
    Described described = Describe(clause);
    if (described.kind == Kind::kNone) continue;
    num_entries += 2 * described.uses.size();
    if (num_entries > kMostEntries) break;
    described_.emplace(&clause, std::move(described));
  }
  MakeGroups();
}

Freezer::UniformFinder::Kind Freezer::UniformFinder::KindOf(const Clause& clause) const {
  const auto found = described_.find(&clause);
  return found == described_.end() ? Kind::kNone : found->second.kind;
}

Freezer::UniformFinder::Described Freezer::UniformFinder::Describe(const Clause& clause) const {
  Described none, described;
  if (clause.variables.size() != kUniformVariables || freezer_.IsUnary(clause)) return none;
  described.clause = &clause;
  for (std::size_t v = 0; v < kUniformVariables; ++v) {
    const SetRef& set = clause.variables[v].set;
    const int root = freezer_.space_.sets[set.set].root;
    if (set.parameter >= 0 || freezer_.space_.sets[set.set].parameter_set >= 0) return none;
    if (v > 0 && root != described.root) return none;
    described.root = root;
    described.sets[v] = set.set;
  }
  if (!DescribeUses(&described) || !AreObjectsAlike(described)) return none;
  for (const Use& use : described.uses) {
    if (!IsCovered(use, described)) return none;
  }
  if (IsOfTables(described)) {
    described.kind = Kind::kTables;
  } else if (described.uses.size() > kMaxTableArity && described.comparison == nullptr &&
             described.uses.size() <= LaneClause::kMaxLiterals) {
    described.kind = Kind::kClause;
    for (std::size_t hung = 0; hung < described.uses.size(); ++hung) {
      if (!EntryOf(described, hung, false)) return none;
    }
    if (std::ranges::none_of(described.uses, &Use::is_pair)) return none;
  }
  if (described.kind != Kind::kNone) {
    described.origin =
        freezer_.relations_.InternOrigin({Origin::Kind::kRequirement, clause.requirement});
  }
  return described;
}

bool Freezer::UniformFinder::DescribeUses(Described* described) const {
  const auto add = [&](const ChoiceUse& choice_use) {
    const Choice& choice = freezer_.space_.choices[choice_use.choice];
    const bool is_pair = choice_use.arguments.size() == 2;
    if (choice.kind != ChoiceKind::kEnum || choice.values.size() > kMaxValues) return false;
    if (choice_use.arguments.empty() || choice_use.arguments.size() > 2) return false;
    if (is_pair && (choice.symmetry == Symmetry::kNone ||
                    choice_use.arguments[0] == choice_use.arguments[1])) {
      return false;
    }
    Use use;
    use.choice = choice_use.choice;
    std::ranges::copy(choice_use.arguments, use.variables.begin());
    // Two conditions on one decision are one.
    const auto is_same = [&](const Use& other) {
      return other.choice == use.choice && other.Reads(use.variables[0]) &&
             other.is_pair() == is_pair && (!is_pair || other.Reads(use.variables[1]));
    };
    if (std::ranges::any_of(described->uses, is_same)) return false;
    described->uses.push_back(use);
    return true;
  };
  const Clause& clause = *described->clause;
  if (CountOf(clause, Condition::Kind::kCompare) > 1) return false;
  for (const Condition& condition : clause.conditions) {
    if (condition.kind == Condition::Kind::kCompare) continue;
    if (condition.kind != Condition::Kind::kIs || !add(condition.lhs)) return false;
    described->uses.back().values = {static_cast<std::uint8_t>(condition.values),
                                     static_cast<std::uint8_t>(freezer_.instance_->Invert(
                                         condition.lhs.choice, condition.values))};
  }
  for (const Condition& condition : clause.conditions) {
    if (condition.kind != Condition::Kind::kCompare) continue;
    if (!add(condition.lhs) || !add(condition.rhs)) return false;
    described->comparison = &condition;
  }
  return true;
}

/// Distinct, and there whenever they are in their root set: nothing else decides.
bool Freezer::UniformFinder::AreObjectsAlike(const Described& described) const {
  const Scope scope(freezer_.space_, freezer_.objects_, described.clause->variables);
  for (int a = 0; a < kUniformVariables; ++a) {
    for (int b = 0; b < a; ++b) {
      const bool are_a_pair = std::ranges::any_of(described.uses, [&](const Use& use) {
        return use.is_pair() && use.Reads(a) && use.Reads(b);
      });
      const bool differ =
          scope.AreDistinct(static_cast<std::size_t>(a), static_cast<std::size_t>(b));
      if (!are_a_pair && !differ) return false;
    }
  }
  std::array<Object, kUniformVariables> objects{};
  std::vector<Slot> needed;
  for (std::size_t v = 0; v < kUniformVariables; ++v) {
    const SetTable& table = freezer_.objects_.sets[described.sets[v]];
    for (const Object object : table.row(0)) {
      objects[v] = object;
      needed.clear();
      scope.AppendMemberships(objects.data(), v, v + 1, &needed);
      const int own = freezer_.objects_.sets[described.root].at(kNoObject, object);
      for (const Slot slot : needed) {
        if (freezer_.is_flag_[slot] || static_cast<int>(slot) != own) return false;
      }
      if (own != kPermanent && needed.empty()) return false;
    }
  }
  return true;
}

/// Are there all decisions that the use may read, in rows by both objects?
bool Freezer::UniformFinder::IsCovered(const Use& use, const Described& described) const {
  const Choice& choice = freezer_.space_.choices[use.choice];
  const RowTable& rows = freezer_.network_.rows_by_choice[use.choice];
  if (!rows.in_rows || rows.root != described.root) return false;
  for (const Variable& argument : choice.arguments) {
    if (argument.set.parameter >= 0 || argument.set.set != choice.arguments[0].set.set) {
      return false;
    }
  }
  const SetTable& all = freezer_.objects_.sets[choice.arguments[0].set.set];
  const std::size_t size = all.row(0).size();
  const auto num_decisions =
      static_cast<std::size_t>(freezer_.instance_->first_decision_[use.choice + 1] -
                               freezer_.instance_->first_decision_[use.choice]);
  if (num_decisions != (use.is_pair() ? size * (size - 1) / 2 : size)) return false;
  for (const int variable : use.variables) {
    if (variable < 0) continue;
    const SetTable& table =
        freezer_.objects_.sets[described.sets[static_cast<std::size_t>(variable)]];
    for (const Object object : table.row(0)) {
      if (all.at(kNoObject, object) == kNotMember) return false;
    }
  }
  return true;
}

/// Three pairs of one choice.
bool Freezer::UniformFinder::IsOfTables(const Described& described) const {
  return described.uses.size() == 3 && std::ranges::all_of(described.uses, [&](const Use& use) {
           return use.is_pair() && use.choice == described.uses[0].choice;
         });
}

void Freezer::UniformFinder::MakeGroups() {
  for (const Clause& clause : freezer_.space_.clauses) {
    const auto found = described_.find(&clause);
    if (found == described_.end() || found->second.kind != Kind::kTables) continue;
    const Described& described = found->second;
    const int choice = described.uses[0].choice;
    auto group = std::ranges::find(groups_, choice, &Group::choice);
    if (group == groups_.end()) {
      group = groups_.insert(group, Group{});
      group->choice = choice;
      group->root = described.root;
    }
    group->clauses.push_back(&described);
    for (const int set : described.sets) {
      if (std::ranges::find(group->sets, set) == group->sets.end()) group->sets.push_back(set);
    }
  }
  for (Group& group : groups_) {
    const std::size_t num_objects = freezer_.objects_.names[group.root].size();
    group.types.assign(num_objects, 0);
    for (std::size_t object = 0; object < num_objects; ++object) {
      std::uint32_t mask = 0;
      for (std::size_t s = 0; s < std::min(group.sets.size(), kMostSets); ++s) {
        const SetTable& table = freezer_.objects_.sets[group.sets[s]];
        const bool is_in = table.at(kNoObject, static_cast<Object>(object)) != kNotMember;
        mask |= static_cast<std::uint32_t>(is_in) << s;
      }
      auto type = std::ranges::find(group.masks, mask);
      if (type == group.masks.end()) type = group.masks.insert(type, mask);
      group.types[object] = static_cast<std::uint8_t>(type - group.masks.begin());
    }
  }
  // With more the clauses are written down as others are.
  const auto is_large = [&](const Group& group) {
    if (group.sets.size() <= kMostSets && group.masks.size() <= kMostTypes) return false;
    for (const Described* const described : group.clauses) described_.erase(described->clause);
    return true;
  };
  std::erase_if(groups_, is_large);
}

// ---- Tables -----------------------------------------------------------------------------------

/// The clause where its variables are objects place[0], place[1] and place[2] of the three; nothing
/// when these are not all in its sets. Positions are the pairs 01, 02 and 12.
std::optional<Pattern> Freezer::UniformFinder::PatternOf(
    const Group& group, const Described& described, const std::array<int, 3>& place,
    const std::array<std::uint8_t, 3>& types) const {
  for (std::size_t v = 0; v < kUniformVariables; ++v) {
    const auto bit = std::ranges::find(group.sets, described.sets[v]) - group.sets.begin();
    if ((group.masks[types[static_cast<std::size_t>(place[v])]] >> bit & 1) == 0) {
      return std::nullopt;
    }
  }
  const auto is_swapped = [&](const Use& use) {
    return place[static_cast<std::size_t>(use.variables[0])] >
           place[static_cast<std::size_t>(use.variables[1])];
  };
  const auto position = [&](const Use& use) {
    return static_cast<std::uint8_t>(place[static_cast<std::size_t>(use.variables[0])] +
                                     place[static_cast<std::size_t>(use.variables[1])] - 1);
  };
  Pattern pattern;
  pattern.origin = described.origin;
  const std::size_t num_tests = described.uses.size() - (described.comparison == nullptr ? 0 : 2);
  for (std::size_t i = 0; i < num_tests; ++i) {
    const Use& use = described.uses[i];
    pattern.masks[position(use)] = use.values[is_swapped(use)];
  }
  if (described.comparison != nullptr) {
    const Use &left = described.uses[num_tests], &right = described.uses[num_tests + 1];
    // Decisions of an enum all have the same values: any will do.
    const DecisionId any = freezer_.instance_->first_decision_[group.choice];
    pattern.pair_positions[0] = {position(left), position(right)};
    pattern.pair_relations[0] =
        freezer_
            .InternComparison(*described.comparison, any, is_swapped(left), any, is_swapped(right))
            .first;
    pattern.num_pairs = 1;
  }
  return pattern;
}

std::vector<std::uint32_t> Freezer::UniformFinder::PatternsOf(
    const Group& group, const std::array<std::uint8_t, 3>& types) const {
  std::vector<std::uint32_t> patterns;
  for (const Described* const described : group.clauses) {
    std::array<int, 3> place = {0, 1, 2};
    do {
      const auto pattern = PatternOf(group, *described, place, types);
      if (pattern) patterns.push_back(freezer_.relations_.InternPattern(*pattern));
    } while (std::ranges::next_permutation(place).found);
  }
  std::ranges::sort(patterns);
  patterns.erase(std::unique(patterns.begin(), patterns.end()), patterns.end());
  return patterns;
}

bool Freezer::UniformFinder::IsIn(const Group& group, Slot slot) const {
  if (!freezer_.places_->IsDecision(slot)) return false;
  return freezer_.instance_->choice(freezer_.instance_->decision_at(slot)) == group.choice;
}

/// The three objects of slots of the group that are pairs of three: two of two slots, three of
/// three, and three of four.
void Freezer::UniformFinder::CollectTriples(const Group& group, std::span<const Slot> slots,
                                            std::set<Triple>* triples) const {
  const auto objects_of = [&](std::initializer_list<Slot> pairs) {
    std::set<Object> objects;
    for (const Slot slot : pairs) {
      for (const RootObject& object : freezer_.places_->ObjectsOf(slot)) {
        objects.insert(object.object);
      }
    }
    return objects;
  };
  const auto add = [&](const std::set<Object>& objects) {
    if (objects.size() != 3) return;
    Triple triple;
    std::ranges::copy(objects, triple.begin());
    triples->insert(triple);
  };
  std::vector<Slot> in;
  for (const Slot slot : slots) {
    if (IsIn(group, slot)) in.push_back(slot);
  }
  if (slots.size() == 2 && in.size() == 2) add(objects_of({in[0], in[1]}));
  if (slots.size() < 3 || in.size() < 3) return;
  for (std::size_t i = 2; i < in.size(); ++i) {
    for (std::size_t j = 1; j < i; ++j) {
      for (std::size_t k = 0; k < j; ++k) add(objects_of({in[i], in[j], in[k]}));
    }
  }
}

void Freezer::UniformFinder::AddExceptions() {
  for (const Group& group : groups_) {
    const std::vector<Slot>& rows = freezer_.network_.rows_by_choice[group.choice].rows;
    std::vector<bool> is_own(freezer_.instance_->layout().num_narrow / kLanes, false);
    for (const Slot row : rows) {
      for (std::uint32_t word = 0; row != kNoRow && word < NumWords(group.root); ++word) {
        is_own[row / kLanes + word] = true;
      }
    }
    std::set<Triple> triples;
    for (const LaneView& view : freezer_.lanes_.views()) {
      int in = 0;
      for (int i = 0; i < view.arity; ++i) in += is_own[view.cells[i] / kLanes];
      if (in < std::min<int>(view.arity, 3)) continue;
      std::uint64_t lanes = 0;
      for (std::uint32_t c = view.classes; c != 0; c = freezer_.lanes_.classes()[c - 1].next) {
        lanes |= freezer_.lanes_.classes()[c - 1].lanes;
      }
      for (; lanes != 0; lanes &= lanes - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
        std::array<Slot, kMaxTableArity> slots{};
        for (int i = 0; i < view.arity; ++i) {
          slots[i] = i < view.num_scalars ? view.cells[i]
                                          : freezer_.network_.cells[view.cells[i] + lane].slot;
        }
        CollectTriples(group, {slots.data(), view.arity}, &triples);
      }
    }
    freezer_.clauses_.ForEachGroup(
        [&](std::span<const Slot> slots) { CollectTriples(group, slots, &triples); });
    for (const Triple& triple : triples) {
      const std::array<std::uint8_t, 3> types = {group.types[triple[0]], group.types[triple[1]],
                                                 group.types[triple[2]]};
      const std::array<Slot, 3> slots = {rows[triple[0]] + triple[1], rows[triple[0]] + triple[2],
                                         rows[triple[1]] + triple[2]};
      const std::uint32_t gate =
          GateOf({MembershipOf(group.root, triple[0]), MembershipOf(group.root, triple[1]),
                  MembershipOf(group.root, triple[2])});
      for (const std::uint32_t pattern : PatternsOf(group, types)) {
        freezer_.lanes_.AddGround(slots, pattern, gate);
      }
    }
  }
}

// ---- Clauses ----------------------------------------------------------------------------------

/// The clause as it looks from use number `hung`; `swapped`: its second object is the one of the
/// row. Nothing where that cannot be said.
std::optional<UniformClause> Freezer::UniformFinder::EntryOf(const Described& described,
                                                             std::size_t hung, bool swapped) const {
  const Use& own = described.uses[hung];
  UniformClause entry;
  entry.origin = described.origin;
  entry.values = own.values[swapped];
  std::array<bool, kUniformVariables> bound{};
  if (own.is_pair()) {
    entry.row = static_cast<std::uint8_t>(own.variables[swapped ? 1 : 0]);
    entry.lane = static_cast<std::uint8_t>(own.variables[swapped ? 0 : 1]);
    bound[entry.row] = true;
  } else {
    entry.lane = static_cast<std::uint8_t>(own.variables[0]);
  }
  bound[entry.lane] = true;
  const auto num_readers = [&](int variable) {
    return std::ranges::count_if(described.uses,
                                 [&](const Use& use) { return use.Reads(variable); });
  };
  // Of two variables the one that fewer literals read is the lane.
  std::optional<int> inner, between;
  for (int v = 0; v < kUniformVariables; ++v) {
    if (bound[static_cast<std::size_t>(v)]) continue;
    if (!inner) {
      inner = v;
    } else if (num_readers(v) < num_readers(*inner)) {
      between = inner;
      inner = v;
    } else {
      between = v;
    }
  }
  entry.inner = static_cast<std::uint8_t>(*inner);
  if (between) entry.between = static_cast<std::uint8_t>(*between);
  // A literal with this variable as its lane.
  const auto literal_at = [&](const Use& use, int lane) {
    UniformLiteral literal;
    const bool is_swapped = use.is_pair() && use.variables[0] == lane;
    literal.values = use.values[is_swapped];
    literal.lane = static_cast<std::uint8_t>(lane);
    if (use.is_pair()) {
      literal.row = static_cast<std::uint8_t>(use.variables[is_swapped ? 1 : 0]);
    }
    literal.rows = static_cast<std::uint32_t>(use.choice);  // Until Finish() knows more.
    return literal;
  };
  const auto push = [](auto& list, std::uint8_t& size, const UniformLiteral& literal) {
    if (size == list.size()) return false;
    list[size++] = literal;
    return true;
  };
  for (std::size_t i = 0; i < described.uses.size(); ++i) {
    const Use& use = described.uses[i];
    if (i == hung) continue;
    if (use.Reads(*inner)) {
      if (!push(entry.rows, entry.num_rows, literal_at(use, *inner))) return std::nullopt;
      continue;
    }
    const bool is_filter = between && use.Reads(*between);
    const int lane = is_filter ? *between : use.variables[use.is_pair() ? 1 : 0];
    if (!push(entry.scalars, entry.num_scalars, literal_at(use, lane))) return std::nullopt;
    if (is_filter && !push(entry.filters, entry.num_filters, literal_at(use, lane))) {
      return std::nullopt;
    }
  }
  if (entry.num_rows == 0 || (between && entry.num_filters == 0)) return std::nullopt;
  return entry;
}

// ---- What rests behind gates ------------------------------------------------------------------

Slot Freezer::UniformFinder::MembershipOf(int root, Object object) const {
  const int membership = freezer_.objects_.sets[root].at(kNoObject, object);
  if (membership < 0) return RowPlaces::kAlwaysThere;
  const auto slot = static_cast<Slot>(membership);
  // As GroundClauses::Add(): what is certain is no part of a gate.
  return freezer_.clauses_.known(slot) == kTrueBit ? RowPlaces::kAlwaysThere : slot;
}

std::map<Slot, std::vector<Object>> Freezer::UniformFinder::ByMembership(int root, int set) const {
  std::map<Slot, std::vector<Object>> groups;
  for (const Object object : freezer_.objects_.sets[set].row(0)) {
    const Slot slot = MembershipOf(root, object);
    if (slot != RowPlaces::kAlwaysThere && freezer_.clauses_.known(slot) == kFalseBit) continue;
    groups[slot].push_back(object);
  }
  return groups;
}

std::uint32_t Freezer::UniformFinder::GateOf(const std::array<Slot, 3>& memberships) const {
  std::vector<Slot> slots(memberships.begin(), memberships.end());
  std::erase(slots, RowPlaces::kAlwaysThere);
  return freezer_.gates_.Intern(std::move(slots));
}

/// Calls `call` with what objects of the three variables wait for, and which objects these are.
template <typename Call>
void Freezer::UniformFinder::ForEachWaiting(const Described& described, const Call& call) const {
  std::array<std::map<Slot, std::vector<Object>>, kUniformVariables> groups;
  for (std::size_t v = 0; v < kUniformVariables; ++v) {
    groups[v] = ByMembership(described.root, described.sets[v]);
  }
  using Groups = std::array<const std::vector<Object>*, kUniformVariables>;
  for (const auto& [a, of_a] : groups[0]) {
    for (const auto& [b, of_b] : groups[1]) {
      for (const auto& [c, of_c] : groups[2]) {
        call(std::array<Slot, 3>{a, b, c}, Groups{&of_a, &of_b, &of_c});
      }
    }
  }
}

void Freezer::UniformFinder::InternGates() const {
  for (const auto& [clause, described] : described_) {
    ForEachWaiting(described, [&](const auto& memberships, const auto& groups) {
      std::set<Object> objects;
      for (const std::vector<Object>* const group : groups) {
        objects.insert(group->begin(), group->end());
      }
      if (objects.size() >= 3) GateOf(memberships);
    });
  }
}

void Freezer::UniformFinder::MarkCells(
    std::vector<std::vector<std::uint64_t>>* cells_by_gate) const {
  std::set<std::array<std::uint32_t, 6>> marked;  // Gate, choice, sets, memberships.
  const std::size_t num_blocks = freezer_.instance_->layout().num_narrow / kLanes;
  const auto mark = [&](std::uint32_t gate, Slot cell) {
    std::vector<std::uint64_t>& cells = (*cells_by_gate)[gate];
    if (cells.empty()) cells.assign(num_blocks, 0);
    const Slot slot = freezer_.network_.cells[cell].slot;
    cells[slot / kLanes] |= std::uint64_t{1} << slot % kLanes;
  };
  for (const auto& [clause, described] : described_) {
    const auto mark_uses = [&](const auto& memberships, const auto& groups) {
      const std::uint32_t gate = GateOf(memberships);
      if (gate == 0 || gate >= cells_by_gate->size()) return;
      for (const Use& use : described.uses) {
        const auto left = static_cast<std::size_t>(use.variables[0]);
        const auto right = static_cast<std::size_t>(use.variables[use.is_pair() ? 1 : 0]);
        const std::array<std::uint32_t, 6> key = {gate,
                                                  static_cast<std::uint32_t>(use.choice),
                                                  static_cast<std::uint32_t>(described.sets[left]),
                                                  static_cast<std::uint32_t>(described.sets[right]),
                                                  memberships[left],
                                                  memberships[right]};
        if (!marked.insert(key).second) continue;
        const std::vector<Slot>& rows = freezer_.network_.rows_by_choice[use.choice].rows;
        for (const Object from : *groups[left]) {
          if (!use.is_pair()) {
            mark(gate, rows[0] + from);
            continue;
          }
          for (const Object to : *groups[right]) {
            if (from != to) mark(gate, rows[from] + to);
          }
        }
      }
    };
    ForEachWaiting(described, mark_uses);
  }
}

// ---- What the network gets --------------------------------------------------------------------

std::uint32_t Freezer::UniformFinder::NumWords(int root) const {
  return static_cast<std::uint32_t>((freezer_.objects_.names[root].size() + kLanes - 1) / kLanes);
}

std::uint32_t Freezer::UniformFinder::RowsOf(int choice) {
  const auto [known, is_new] = rows_.try_emplace(choice, 0);
  if (!is_new) return known->second;
  std::vector<Slot>& rows = freezer_.network_.uniform.rows;
  const std::vector<Slot>& own = freezer_.network_.rows_by_choice[choice].rows;
  known->second = static_cast<std::uint32_t>(rows.size());
  rows.insert(rows.end(), own.begin(), own.end());
  return known->second;
}

std::uint32_t Freezer::UniformFinder::AddLanes(const std::vector<std::uint64_t>& lanes) {
  std::vector<std::uint64_t>& all = freezer_.network_.uniform.lanes;
  all.insert(all.end(), lanes.begin(), lanes.end());
  return static_cast<std::uint32_t>(all.size() - lanes.size());
}

std::uint32_t Freezer::UniformFinder::MembersOf(int set) {
  const auto [known, is_new] = members_.try_emplace(set, 0);
  if (!is_new) return known->second;
  const int root = freezer_.space_.sets[set].root;
  std::vector<std::uint64_t> lanes(NumWords(root), 0);
  for (const Object object : freezer_.objects_.sets[set].row(0)) {
    lanes[object / kLanes] |= std::uint64_t{1} << object % kLanes;
  }
  return known->second = AddLanes(lanes);
}

std::uint32_t Freezer::UniformFinder::MembershipsOf(int root) {
  const auto [known, is_new] = memberships_.try_emplace(root, 0);
  if (!is_new) return known->second;
  std::vector<Slot>& memberships = freezer_.network_.uniform.memberships;
  known->second = static_cast<std::uint32_t>(memberships.size());
  const std::size_t num_objects = freezer_.objects_.names[root].size();
  for (std::size_t object = 0; object < num_objects; ++object) {
    memberships.push_back(MembershipOf(root, static_cast<Object>(object)));
  }
  return known->second;
}

void Freezer::UniformFinder::FinishTables(const Group& group, LaneEmitter* emitter) {
  Uniform& uniform = freezer_.network_.uniform;
  UniformTables tables;
  tables.choice = static_cast<std::uint32_t>(group.choice);
  tables.rows = RowsOf(group.choice);
  tables.types = static_cast<std::uint32_t>(uniform.types.size());
  uniform.types.insert(uniform.types.end(), group.types.begin(), group.types.end());
  tables.num_types = static_cast<std::uint32_t>(group.masks.size());
  tables.parts = static_cast<std::uint32_t>(uniform.part_begin.size());
  tables.presence = freezer_.network_.presences.words[group.root];
  tables.num_words = NumWords(group.root);
  tables.memberships = MembershipsOf(group.root);
  std::vector<std::uint32_t> of_type;  // In Uniform::lanes.
  for (std::size_t type = 0; type < group.masks.size(); ++type) {
    std::vector<std::uint64_t> lanes(tables.num_words, 0);
    for (std::size_t object = 0; object < group.types.size(); ++object) {
      // Objects of no set of the group have no decisions.
      if (group.types[object] != type || group.masks[type] == 0) continue;
      lanes[object / kLanes] |= std::uint64_t{1} << object % kLanes;
    }
    of_type.push_back(AddLanes(lanes));
  }
  const auto size = static_cast<std::uint8_t>(freezer_.space_.choices[group.choice].values.size());
  const auto num_types = static_cast<std::uint8_t>(group.masks.size());
  for (std::uint8_t a = 0; a < num_types; ++a) {
    for (std::uint8_t b = 0; b < num_types; ++b) {
      uniform.part_begin.push_back(static_cast<std::uint32_t>(uniform.parts.size()));
      for (std::uint8_t c = 0; c < num_types; ++c) {
        const std::vector<std::uint32_t> patterns = PatternsOf(group, {a, b, c});
        if (patterns.empty()) continue;
        UniformPart part;
        part.relation = freezer_.relations_.InternRelation(3, {size, size, size}, patterns);
        part.lanes = of_type[c];
        emitter->Describe(part.relation, &part);
        uniform.parts.push_back(part);
      }
    }
  }
  uniform.part_begin.push_back(static_cast<std::uint32_t>(uniform.parts.size()));
  uniform.tables.push_back(tables);
}

void Freezer::UniformFinder::Finish(LaneEmitter* emitter) {
  if (described_.empty()) return;
  Uniform& uniform = freezer_.network_.uniform;
  for (const Group& group : groups_) FinishTables(group, emitter);
  std::map<int, std::vector<UniformClause>> by_choice;
  for (const Clause& clause : freezer_.space_.clauses) {
    const auto found = described_.find(&clause);
    if (found == described_.end() || found->second.kind != Kind::kClause) continue;
    const Described& described = found->second;
    const auto first_pair = static_cast<std::size_t>(
        std::ranges::find_if(described.uses, &Use::is_pair) - described.uses.begin());
    for (std::size_t hung = 0; hung < described.uses.size(); ++hung) {
      for (const bool swapped : {false, true}) {
        if (swapped && !described.uses[hung].is_pair()) continue;
        UniformClause entry = *EntryOf(described, hung, swapped);
        const auto place = [&](auto& list, std::uint8_t count) {
          for (std::size_t i = 0; i < count; ++i) {
            list[i].rows = RowsOf(static_cast<int>(list[i].rows));
          }
        };
        place(entry.filters, entry.num_filters);
        place(entry.scalars, entry.num_scalars);
        place(entry.rows, entry.num_rows);
        for (std::size_t v = 0; v < kUniformVariables; ++v) {
          entry.members[v] = MembersOf(described.sets[v]);
        }
        entry.presence = freezer_.network_.presences.words[described.root];
        entry.num_words = NumWords(described.root);
        entry.memberships = MembershipsOf(described.root);
        entry.is_first = hung == first_pair;
        by_choice[described.uses[hung].choice].push_back(entry);
      }
    }
  }
  uniform.blocks.resize(freezer_.instance_->layout().num_narrow / kLanes);
  const auto describe_blocks = [&](int choice, const auto& change) {
    const RowTable& table = freezer_.network_.rows_by_choice[choice];
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      if (table.rows[row] == kNoRow) continue;
      for (std::uint32_t word = 0; word < NumWords(table.root); ++word) {
        UniformBlock& block = uniform.blocks[table.rows[row] / kLanes + word];
        block.row = static_cast<Object>(row);
        block.first = static_cast<Object>(word * kLanes);
        change(block);
      }
    }
  };
  for (std::size_t t = 0; t < uniform.tables.size(); ++t) {
    describe_blocks(static_cast<int>(uniform.tables[t].choice),
                    [&](UniformBlock& block) { block.tables = static_cast<std::uint16_t>(t); });
  }
  for (const auto& [choice, entries] : by_choice) {
    const auto begin = static_cast<std::uint16_t>(uniform.clauses.size());
    uniform.clauses.insert(uniform.clauses.end(), entries.begin(), entries.end());
    const auto end = static_cast<std::uint16_t>(uniform.clauses.size());
    describe_blocks(choice, [&](UniformBlock& block) {
      block.clause_begin = begin;
      block.clause_end = end;
    });
  }
}

}  // namespace exh::runtime::internal

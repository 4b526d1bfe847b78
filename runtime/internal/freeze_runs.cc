// SPDX-License-Identifier: MIT
//
// Finds runs: ground constraints that hang on the same slot and differ only in the lane of the
// other cells that they read. Nothing in here knows what a constraint means; that rows match lane
// by lane is a matter of the layout (state.h).
#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "runtime/internal/freezer.h"

namespace exh::runtime::internal {
namespace {

/// Fewer lanes are faster one by one.
constexpr int kMinLanes = 3;
/// A table of a run is indexed by the domain of its slot: more values than these stay single.
constexpr int kMaxTableValues = 6;

/// An object of a root set.
struct RootObject {
  int root = -1;
  Object object = 0;
  friend auto operator<=>(const RootObject&, const RootObject&) = default;
};

struct Key {
  std::array<std::uint32_t, 13> words{};
  friend auto operator<=>(const Key&, const Key&) = default;
};
struct KeyHash {
  std::size_t operator()(const Key& key) const {
    std::uint64_t hash = 0x9E3779B97F4A7C15u;
    for (const std::uint32_t word : key.words) hash = (hash ^ word) * 0xD6E8FEB86659FD93u;
    return hash ^ hash >> 32;
  }
};

enum KeyWord {
  kSlotWord,
  kValuesWord,
  kKindWord,
  kPresenceWord,
  kGateWord,
  kCountsWord,
  kLiteralWords,
};
enum RunKind : std::uint32_t { kPairs, kTriples, kClauses };

struct Member {
  std::uint32_t lane, constraint;
  std::uint8_t position;
  std::uint32_t table = 0;
  std::uint8_t root_from = 0, root_b = 0, root_c = 0;  ///< Root domains of the cells in the table.
};
struct Group {
  Key key;
  std::vector<Member> members;
};

/// One of the other slots that a constraint reads.
struct Other {
  Slot slot;
  std::uint8_t values = 0;  ///< Of its literal; unused in tables.
};

/// It as the cell that a run reads.
struct Placed {
  std::uint32_t cell = 0;  ///< Of a row: its first cell in the block.
  std::uint8_t values = 0;
  bool in_row = false;
  bool mirrored = false;
  std::uint8_t position = 0;  ///< In `others`.
};

class RunFinder {
 public:
  RunFinder(const Instance& instance, const RootDomains& root, Network* network)
      : instance_(instance), root_(root), network_(*network) {
    const std::uint32_t num_narrow = instance.layout().num_narrow;
    decision_of_.assign(num_narrow, kNoDecision);
    for (DecisionId d = 0; d < instance.num_decisions(); ++d) {
      if (instance.slot(d) < num_narrow) decision_of_[instance.slot(d)] = d;
    }
    for (std::uint32_t gate = 0; gate < instance.layout().num_gates; ++gate) {
      const std::span<const std::uint32_t> slots = network_.gate_slots.row(gate);
      gates_.try_emplace({slots.begin(), slots.end()}, gate);
    }
  }

  /// Bit i: the constraint is in a run of the i-th slot that it reads.
  std::vector<std::uint8_t> FindAll();
  void FindIncrements();

 private:
  bool IsDecision(Slot slot) const {
    return slot < decision_of_.size() && decision_of_[slot] != kNoDecision;
  }
  /// The objects that lanes could stand for.
  void AppendLanes(Slot slot, std::vector<RootObject>* lanes) const;
  bool Reads(Slot slot, RootObject object) const;
  RootObject ObjectAt(DecisionId decision, std::size_t argument) const;
  /// The object in which the lanes of a run over `others` would differ: of those that are not among
  /// `shared`, the one that the fewest read.
  std::optional<RootObject> PickLane(std::span<const RootObject> shared,
                                     std::span<const Other> others) const;
  std::vector<RootObject> ObjectsOf(Slot slot) const;
  /// Nothing when the object stands where no lane can.
  std::optional<Placed> Place(const Other& other, RootObject lane,
                              std::span<const RootObject> shared) const;
  /// Sets what must be open and present for a run; false when that cannot be said for its lanes.
  bool SetGate(Slot slot, std::uint32_t gate, RootObject lane, Key* key) const;

  void FindTable(std::uint32_t id);
  void FindClause(std::uint32_t id);
  void Add(const Key& key, Member member);
  std::uint32_t PairTable(const Relation& relation, int from, const Placed& to, int to_position);
  std::uint32_t TripleTable(const Relation& relation, int from, int b, bool b_mirrored, int c,
                            bool c_mirrored, const std::uint16_t* inverses);
  std::uint32_t Intern(std::vector<std::uint8_t> bytes);
  void Emit(std::vector<std::uint8_t>* covered);
  void EmitGroup(Group& group, std::vector<ClauseRun>* clauses, std::vector<std::uint8_t>* covered);
  void EmitList(std::uint32_t values, std::vector<ClauseRun>* runs);
  bool Fits(const Key& key, std::uint32_t table, const Member& member) const;
  void SplitByTable(Group group, std::vector<Group>* split) const;
  using IncrementLanes = std::map<std::uint32_t, std::uint32_t>;  // Lane, increment.
  std::map<RootObject, int> CountReaders(const Counter& counter) const;
  std::uint64_t MostWeight(const Increment& increment) const;
  bool FindIncrement(std::uint32_t id, const std::map<RootObject, int>& readers,
                     std::map<Key, IncrementLanes>* runs) const;

  const Instance& instance_;
  const RootDomains& root_;
  Network& network_;
  std::vector<DecisionId> decision_of_;
  std::map<std::vector<Slot>, std::uint32_t> gates_;
  std::unordered_map<Key, std::uint32_t, KeyHash> ids_;
  std::vector<Group> groups_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> tables_;
  std::map<std::vector<std::uint8_t>, std::uint32_t> contents_;
};

RootObject RunFinder::ObjectAt(DecisionId decision, std::size_t argument) const {
  const Choice& choice = instance_.space().choices[instance_.choice(decision)];
  const int set = choice.arguments[argument].set.set;
  return {instance_.space().sets[set].root, instance_.objects(decision)[argument]};
}

bool RunFinder::Reads(Slot slot, RootObject object) const {
  if (!IsDecision(slot)) return false;
  const DecisionId decision = decision_of_[slot];
  for (std::size_t i = 0; i < instance_.objects(decision).size(); ++i) {
    if (ObjectAt(decision, i) == object) return true;
  }
  return false;
}

void RunFinder::AppendLanes(Slot slot, std::vector<RootObject>* lanes) const {
  if (!IsDecision(slot)) return;
  const DecisionId decision = decision_of_[slot];
  if (!network_.rows_by_choice[instance_.choice(decision)].in_rows) return;
  lanes->push_back(ObjectAt(decision, instance_.objects(decision).size() - 1));
  if (network_.cells[slot].mirror != slot) lanes->push_back(ObjectAt(decision, 0));
}

std::vector<RootObject> RunFinder::ObjectsOf(Slot slot) const {
  std::vector<RootObject> objects;
  for (std::size_t i = 0; i < instance_.objects(decision_of_[slot]).size(); ++i) {
    objects.push_back(ObjectAt(decision_of_[slot], i));
  }
  return objects;
}

std::optional<RootObject> RunFinder::PickLane(std::span<const RootObject> shared,
                                              std::span<const Other> others) const {
  std::vector<RootObject> lanes;
  for (const Other& other : others) AppendLanes(other.slot, &lanes);
  std::optional<RootObject> best;
  std::size_t least = others.size() + 1;
  for (const RootObject& lane : lanes) {
    if (std::ranges::count(shared, lane) != 0) continue;
    std::size_t readers = 0;
    bool placeable = true;
    for (const Other& other : others) {
      if (!Reads(other.slot, lane)) continue;
      ++readers;
      placeable &= Place(other, lane, shared).has_value();
    }
    if (!placeable) continue;
    if (readers < least || (readers == least && lane > *best)) {
      best = lane;
      least = readers;
    }
  }
  return best;
}

std::optional<Placed> RunFinder::Place(const Other& other, RootObject lane,
                                       std::span<const RootObject> shared) const {
  Placed placed{other.slot, other.values, false, false, 0};
  if (!Reads(other.slot, lane)) {
    // The same side of a pair for all runs of a slot: what the slot reads stands first.
    const Cell& cell = other.slot < network_.cells.size() ? network_.cells[other.slot] : Cell{};
    if (IsDecision(other.slot) && cell.mirror != other.slot) {
      const DecisionId decision = decision_of_[other.slot];
      if (std::ranges::count(shared, ObjectAt(decision, 1)) != 0 &&
          std::ranges::count(shared, ObjectAt(decision, 0)) == 0) {
        placed.cell = cell.mirror;
        placed.values = network_.inverses[cell.inverse][other.values];
      }
    }
    return placed;
  }
  const DecisionId decision = decision_of_[other.slot];
  if (!network_.rows_by_choice[instance_.choice(decision)].in_rows) return std::nullopt;
  const std::span<const Object> objects = instance_.objects(decision);
  const Cell& cell = network_.cells[other.slot];
  placed.in_row = true;
  if (ObjectAt(decision, objects.size() - 1) != lane) {
    if (cell.mirror == other.slot || ObjectAt(decision, 0) != lane) return std::nullopt;
    placed.mirrored = true;
    placed.cell = cell.mirror;
    placed.values = network_.inverses[cell.inverse][other.values];
  } else {
    for (std::size_t i = 0; i + 1 < objects.size(); ++i) {
      if (ObjectAt(decision, i) == lane) return std::nullopt;
    }
  }
  placed.cell -= lane.object % kLanes;
  return placed;
}

bool RunFinder::SetGate(Slot slot, std::uint32_t gate, RootObject lane, Key* key) const {
  const std::uint32_t first = network_.presence_words[lane.root];
  std::optional<Slot> needed;  // By the presence of the lane.
  if (first != 0) {
    const int membership = instance_.object_tables().sets[lane.root].at(kNoObject, lane.object);
    if (membership >= 0) needed = static_cast<Slot>(membership);
  }
  const std::vector<Slot>& certain = root_.memberships[slot];
  bool found = !needed || std::ranges::binary_search(certain, *needed);
  std::vector<Slot> rest;  // Memberships of what all lanes share.
  for (const Slot member : network_.gate_slots.row(gate)) {
    if (needed == member) {
      found = true;
    } else if (!std::ranges::binary_search(certain, member)) {
      rest.push_back(member);
    }
  }
  const auto gate_of_rest = gates_.find(rest);
  if (!found || gate_of_rest == gates_.end()) return false;
  key->words[kPresenceWord] = first == 0 ? 0 : first + lane.object / kLanes;
  key->words[kGateWord] = gate_of_rest->second;
  return true;
}

void RunFinder::Add(const Key& key, Member member) {
  const auto [it, is_new] = ids_.try_emplace(key, static_cast<std::uint32_t>(groups_.size()));
  if (is_new) groups_.push_back({key, {}});
  groups_[it->second].members.push_back(member);
}

std::uint32_t RunFinder::Intern(std::vector<std::uint8_t> bytes) {
  const auto [it, is_new] = contents_.try_emplace(
      std::move(bytes), static_cast<std::uint32_t>(network_.run_tables.size()));
  if (is_new) {
    auto& tables = network_.run_tables;
    tables.insert(tables.end(), it->first.begin(), it->first.end());
    tables.resize((tables.size() + kRowAlignment - 1) / kRowAlignment * kRowAlignment +
                  kRowAlignment);
  }
  return it->second;
}

/// Index in the look-up table of the target at `position` for domains of the two other positions.
std::uint32_t LutIndex(const Relation& relation, int p, Bits p_values, int q, Bits q_values) {
  return static_cast<std::uint32_t>(p < q ? p_values << relation.sizes[q] | q_values
                                          : q_values << relation.sizes[p] | p_values);
}

std::uint32_t RunFinder::PairTable(const Relation& relation, int from, const Placed& to,
                                   int to_position) {
  const std::uint16_t inverse = to.mirrored ? network_.cells[to.cell].inverse : 0;
  std::vector<std::uint8_t> masks(256, 0xFF);
  for (unsigned values = 1; values < 1u << relation.sizes[from]; ++values) {
    masks[values] = network_.luts[relation.luts[to_position] + values];
    masks[values] = network_.inverses[inverse][masks[values]];
  }
  return Intern(std::move(masks));
}

int TableWidth(int size) {
  return std::max(16, 1 << size);
}

std::uint32_t RunFinder::TripleTable(const Relation& relation, int from, int b, bool b_mirrored,
                                     int c, bool c_mirrored, const std::uint16_t* inverses) {
  const std::vector<std::uint32_t> key = {relation.luts[0],
                                          relation.luts[1],
                                          relation.luts[2],
                                          static_cast<std::uint32_t>(from * 16 + b * 4 + c),
                                          b_mirrored ? inverses[0] + 1u : 0u,
                                          c_mirrored ? inverses[1] + 1u : 0u};
  const auto [it, is_new] = tables_.try_emplace(key, 0);
  if (!is_new) return it->second;
  const auto& of_b = network_.inverses[b_mirrored ? inverses[0] : 0];
  const auto& of_c = network_.inverses[c_mirrored ? inverses[1] : 0];
  const int width_b = TableWidth(relation.sizes[b]), width_c = TableWidth(relation.sizes[c]);
  const unsigned num_domains = 1u << relation.sizes[from];
  std::vector<std::uint8_t> bytes(256 + num_domains * static_cast<unsigned>(width_b + width_c), 0);
  std::map<std::vector<std::uint8_t>, std::uint8_t> classes;
  for (unsigned from_values = 1; from_values < num_domains; ++from_values) {
    std::uint8_t* const lut_b =
        bytes.data() + 256 + from_values * static_cast<unsigned>(width_b + width_c);
    std::uint8_t* const lut_c = lut_b + width_c;
    for (unsigned v = 1; v < 1u << relation.sizes[c]; ++v) {
      lut_b[v] =
          of_b[network_.luts[relation.luts[b] + LutIndex(relation, from, from_values, c, of_c[v])]];
    }
    for (unsigned v = 1; v < 1u << relation.sizes[b]; ++v) {
      lut_c[v] =
          of_c[network_.luts[relation.luts[c] + LutIndex(relation, from, from_values, b, of_b[v])]];
    }
    const auto is_all = [](const std::uint8_t* lut, int size, int target_size) {
      return std::all_of(lut + 1, lut + (1 << size),
                         [&](std::uint8_t values) { return values == (1 << target_size) - 1; });
    };
    if (is_all(lut_b, relation.sizes[c], relation.sizes[b]) &&
        is_all(lut_c, relation.sizes[b], relation.sizes[c])) {
      bytes[from_values] = kUniversalClass;
      continue;
    }
    const std::vector<std::uint8_t> row(lut_b, lut_b + width_b + width_c);
    bytes[from_values] =
        classes.try_emplace(row, static_cast<std::uint8_t>(classes.size())).first->second;
  }
  // "Nothing is known of what was seen before" is a domain of its own.
  for (unsigned values = num_domains; values < 256; ++values) bytes[values] = 0xFF;
  return it->second = Intern(std::move(bytes));
}

void RunFinder::FindTable(std::uint32_t id) {
  const Constraint& constraint = network_.constraints[id];
  const Relation& relation = network_.relations[constraint.relation];
  for (int from = 0; from < constraint.arity; ++from) {
    const Slot slot = constraint.slots[from];
    if (!IsDecision(slot)) continue;
    std::vector<Other> others;
    std::vector<int> positions;
    for (int i = 0; i < constraint.arity; ++i) {
      if (i == from) continue;
      others.push_back({constraint.slots[i]});
      positions.push_back(i);
    }
    const std::vector<RootObject> shared = ObjectsOf(slot);
    const std::optional<RootObject> lane = PickLane(shared, others);
    if (!lane) continue;
    Key key;
    if (!SetGate(slot, constraint.gate, *lane, &key)) continue;
    std::vector<Placed> placed;
    for (const Other& other : others) placed.push_back(*Place(other, *lane, shared));
    if (!std::ranges::all_of(placed, &Placed::in_row)) continue;
    key.words[kSlotWord] = slot;
    Member member{lane->object % kLanes, id, static_cast<std::uint8_t>(from)};
    const auto root = [&](int i) {
      const auto values = static_cast<std::uint8_t>(root_.slots[others[i].slot]);
      const Cell& cell = network_.cells[others[i].slot];
      return placed[i].mirrored ? network_.inverses[cell.inverse][values] : values;
    };
    member.root_from = static_cast<std::uint8_t>(root_.slots[slot]);
    if (constraint.arity == 2) {
      key.words[kKindWord] = kPairs;
      key.words[kLiteralWords] = placed[0].cell;
      Placed to = placed[0];
      to.cell = others[0].slot;  // Any cell of the choice: only the inverse is asked for.
      member.table = PairTable(relation, from, to, positions[0]);
      member.root_b = root(0);
    } else {
      if (relation.sizes[from] > kMaxTableValues) continue;
      const int b = placed[0].cell <= placed[1].cell ? 0 : 1, c = 1 - b;
      const std::uint16_t inverses[] = {network_.cells[others[b].slot].inverse,
                                        network_.cells[others[c].slot].inverse};
      key.words[kKindWord] = kTriples;
      key.words[kLiteralWords] = placed[b].cell;
      key.words[kLiteralWords + 1] = placed[c].cell;
      key.words[kLiteralWords + 2] =
          static_cast<std::uint32_t>(TableWidth(relation.sizes[positions[b]]) << 16 |
                                     TableWidth(relation.sizes[positions[c]]));
      member.table = TripleTable(relation, from, positions[b], placed[b].mirrored, positions[c],
                                 placed[c].mirrored, inverses);
      member.root_b = root(b);
      member.root_c = root(c);
    }
    Add(key, member);
  }
}

/// Sorts literals into scalars and rows of a key. False: too many.
bool Pack(std::span<const Placed> placed, Key* key) {
  std::vector<PackedLiteral> scalars, rows;
  for (const Placed& p : placed) {
    (p.in_row ? rows : scalars).push_back(PackLiteral(p.cell, p.values));
  }
  if (rows.empty() || rows.size() > kMaxRunRows || scalars.size() > kMaxRunScalars) return false;
  std::ranges::sort(scalars);
  std::ranges::sort(rows);
  key->words[kCountsWord] = static_cast<std::uint32_t>(scalars.size() << 8 | rows.size());
  std::ranges::copy(scalars, key->words.begin() + kLiteralWords);
  std::ranges::copy(rows, key->words.begin() + kLiteralWords + kMaxRunScalars);
  return true;
}

template <typename R>
void Unpack(const Key& key, R* run) {
  run->num_scalars = static_cast<std::uint8_t>(key.words[kCountsWord] >> 8);
  run->num_rows = static_cast<std::uint8_t>(key.words[kCountsWord] & 0xFF);
  std::copy_n(key.words.begin() + kLiteralWords, kMaxRunScalars, run->scalars.begin());
  std::copy_n(key.words.begin() + kLiteralWords + kMaxRunScalars, kMaxRunRows, run->rows.begin());
}
static_assert(kLiteralWords + kMaxRunScalars + kMaxRunRows <= 13);

void RunFinder::FindClause(std::uint32_t id) {
  const Constraint& constraint = network_.constraints[id];
  const std::uint32_t size = constraint.literal_end - constraint.literal_begin;
  if (size < 2 || size > 1 + kMaxRunScalars + kMaxRunRows) return;
  const std::span<const Literal> literals(network_.literals.data() + constraint.literal_begin,
                                          size);
  for (const Literal& literal : literals) {
    if (literal.kind != Literal::Kind::kSlot || literal.a >= decision_of_.size()) return;
  }
  for (std::uint32_t watched = 0; watched < size; ++watched) {
    const Slot slot = literals[watched].a;
    if (!IsDecision(slot)) continue;
    std::vector<Other> others;
    for (std::uint32_t i = 0; i < size; ++i) {
      if (i != watched) others.push_back({literals[i].a, static_cast<std::uint8_t>(literals[i].x)});
    }
    const std::vector<RootObject> shared = ObjectsOf(slot);
    const std::optional<RootObject> lane = PickLane(shared, others);
    if (!lane) continue;
    Key key;
    if (!SetGate(slot, constraint.gate, *lane, &key)) continue;
    std::vector<Placed> placed;
    for (const Other& other : others) placed.push_back(*Place(other, *lane, shared));
    if (!Pack(placed, &key)) continue;
    key.words[kSlotWord] = slot;
    key.words[kValuesWord] = static_cast<std::uint32_t>(literals[watched].x);
    key.words[kKindWord] = kClauses;
    Add(key, {lane->object % kLanes, id, static_cast<std::uint8_t>(watched)});
  }
}

/// The groups become runs, slot by slot.
void RunFinder::Emit(std::vector<std::uint8_t>* covered) {
  std::vector<Group> split;
  for (Group& group : groups_) SplitByTable(std::move(group), &split);
  groups_ = std::move(split);
  std::ranges::sort(groups_, {}, &Group::key);
  auto group = groups_.begin();
  for (Slot slot = 0; slot < network_.work.size(); ++slot) {
    SlotWork& work = network_.work[slot];
    work.pair_runs = static_cast<std::uint32_t>(network_.pair_runs.size());
    work.triple_runs = static_cast<std::uint32_t>(network_.triple_runs.size());
    work.clause_lists = static_cast<std::uint32_t>(network_.clause_lists.size());
    std::uint32_t values = 0;
    std::vector<ClauseRun> clauses;
    for (; group != groups_.end() && group->key.words[kSlotWord] == slot; ++group) {
      if (!clauses.empty() && group->key.words[kValuesWord] != values) EmitList(values, &clauses);
      values = group->key.words[kValuesWord];
      EmitGroup(*group, &clauses, covered);
    }
    if (!clauses.empty()) EmitList(values, &clauses);
  }
}

/// The clause runs of one list, those that can be filtered together side by side.
void RunFinder::EmitList(std::uint32_t values, std::vector<ClauseRun>* runs) {
  struct Entry {
    std::vector<PackedLiteral> rows;
    std::uint32_t lane = 0;
    ClauseRun run;
  };
  std::vector<Entry> entries;
  for (const ClauseRun& run : *runs) {
    Entry entry;
    entry.run = run;
    entry.lane = CellOf(run.scalars[0]) % kLanes;
    for (int i = 0; i < run.num_scalars; ++i) {
      const std::uint32_t cell = CellOf(run.scalars[i]);
      if (cell % kLanes != entry.lane) {
        entry.rows.clear();
        break;
      }
      entry.rows.push_back(PackLiteral(cell - entry.lane, ValuesOf(run.scalars[i])));
    }
    if (entry.rows.empty()) entry.lane = 0;
    entries.push_back(std::move(entry));
  }
  runs->clear();
  std::ranges::stable_sort(entries, [](const Entry& a, const Entry& b) {
    return std::tie(a.rows, a.lane) < std::tie(b.rows, b.lane);
  });
  ClauseRunList list{values, static_cast<std::uint32_t>(network_.clause_filters.size()), 0};
  const Entry* previous = nullptr;
  for (const Entry& entry : entries) {
    if (previous == nullptr || entry.rows.empty() || entry.rows != previous->rows ||
        entry.lane == previous->lane) {
      ClauseFilter filter;
      filter.first_run = static_cast<std::uint32_t>(network_.clause_runs.size());
      filter.num_rows = static_cast<std::uint8_t>(entry.rows.size());
      std::ranges::copy(entry.rows, filter.rows.begin());
      if (entry.rows.empty()) {
        filter.num_scalars = entry.run.num_scalars;
        filter.rows = entry.run.scalars;
      }
      network_.clause_filters.push_back(filter);
    }
    network_.clause_filters.back().lanes |= std::uint64_t{1} << entry.lane;
    network_.clause_runs.push_back(entry.run);
    previous = &entry;
  }
  list.end = static_cast<std::uint32_t>(network_.clause_filters.size());
  network_.clause_lists.push_back(list);
}

/// Do the table and that of the member say the same of all that its root domains allow? (Clauses
/// that the root satisfies are in the one and not in the other.)
bool RunFinder::Fits(const Key& key, std::uint32_t table, const Member& member) const {
  if (table == member.table) return true;
  const std::uint8_t* const one = network_.run_tables.data() + table;
  const std::uint8_t* const other = network_.run_tables.data() + member.table;
  const std::uint32_t widths = key.words[kLiteralWords + 2];
  const std::uint32_t stride = (widths >> 16) + (widths & 0xFFFF);
  for (unsigned v = 1; v <= member.root_from; v *= 2) {
    if ((member.root_from & v) == 0) continue;
    if (key.words[kKindWord] == kPairs) {
      if (((one[v] ^ other[v]) & member.root_b) != 0) return false;
      continue;
    }
    for (unsigned w = 1; w <= member.root_c; w *= 2) {
      const std::uint32_t at = 256 + v * stride + w;
      if ((member.root_c & w) != 0 && ((one[at] ^ other[at]) & member.root_b) != 0) return false;
    }
  }
  return true;
}

/// As few runs as possible: those with the commonest table first, and whatever it fits.
void RunFinder::SplitByTable(Group group, std::vector<Group>* split) const {
  while (group.members.size() >= kMinLanes) {
    std::map<std::uint32_t, int> uses;
    for (const Member& member : group.members) ++uses[member.table];
    const std::uint32_t table =
        std::ranges::max_element(uses, {}, [](const auto& use) { return use.second; })->first;
    Group run{group.key, {}};
    const auto rest = std::ranges::stable_partition(
        group.members, [&](const Member& member) { return !Fits(group.key, table, member); });
    run.members.assign(rest.begin(), rest.end());
    group.members.erase(rest.begin(), rest.end());
    for (Member& member : run.members) member.table = table;
    if (run.members.size() >= kMinLanes) split->push_back(std::move(run));
  }
}

void RunFinder::EmitGroup(Group& group, std::vector<ClauseRun>* clauses,
                          std::vector<std::uint8_t>* covered) {
  const Key& key = group.key;
  Run run;
  run.presence = key.words[kPresenceWord];
  run.gate = key.words[kGateWord];
  run.first_constraint = static_cast<std::uint32_t>(network_.run_constraints.size());
  std::ranges::sort(group.members, {}, &Member::lane);
  for (const Member& member : group.members) {
    const std::uint64_t bit = std::uint64_t{1} << member.lane;
    (*covered)[member.constraint] |= static_cast<std::uint8_t>(1u << member.position);
    if ((run.lanes & bit) != 0) continue;  // The same once more.
    run.lanes |= bit;
    network_.run_constraints.push_back(member.constraint);
  }
  if (key.words[kKindWord] == kClauses) {
    Unpack(key, &clauses->emplace_back(ClauseRun{run}));
  } else if (key.words[kKindWord] == kPairs) {
    PairRun pairs{run};
    pairs.row = key.words[kLiteralWords];
    pairs.masks = group.members.front().table;
    network_.pair_runs.push_back(pairs);
  } else {
    TripleRun triples{run};
    triples.row_b = key.words[kLiteralWords];
    triples.row_c = key.words[kLiteralWords + 1];
    triples.table = group.members.front().table;
    triples.width_b = static_cast<std::uint16_t>(key.words[kLiteralWords + 2] >> 16);
    triples.width_c = static_cast<std::uint16_t>(key.words[kLiteralWords + 2] & 0xFFFF);
    network_.triple_runs.push_back(triples);
  }
}

std::vector<std::uint8_t> RunFinder::FindAll() {
  for (std::uint32_t id = 0; id < network_.constraints.size(); ++id) {
    switch (network_.constraints[id].kind) {
      case Constraint::Kind::kPairTable:
      case Constraint::Kind::kTripleTable:
        FindTable(id);
        break;
      case Constraint::Kind::kClause:
        FindClause(id);
        break;
      case Constraint::Kind::kWideTable:
        break;
    }
  }
  std::vector<std::uint8_t> covered(network_.constraints.size(), 0);
  Emit(&covered);
  return covered;
}

std::uint64_t RunFinder::MostWeight(const Increment& increment) const {
  switch (increment.weight) {
    case Increment::Weight::kConstant:
      return increment.value;
    case Increment::Weight::kSlot: {
      const Bits values = root_.slots[increment.source];
      return network_.universes[increment.universe][63 - std::countl_zero(values)];
    }
    case Increment::Weight::kCounter:
      break;
  }
  return kSaturated;
}

/// Counters whose conditions are literals on cells.
void RunFinder::FindIncrements() {
  for (Counter& counter : network_.counters) {
    counter.run_begin = counter.run_end =
        static_cast<std::uint32_t>(network_.increment_runs.size());
    if (counter.increment_end - counter.increment_begin < kMinLanes) continue;
    std::map<Key, IncrementLanes> runs;
    const std::map<RootObject, int> readers = CountReaders(counter);
    bool all = true;
    counter.constants = !counter.product;
    for (std::uint32_t i = counter.increment_begin; all && i < counter.increment_end; ++i) {
      all = FindIncrement(i, readers, &runs);
      counter.constants &= network_.increments[i].weight == Increment::Weight::kConstant;
    }
    if (!all) continue;
    for (const auto& [key, lanes] : runs) {
      IncrementRun run;
      Unpack(key, &run);
      run.first_increment = static_cast<std::uint32_t>(network_.run_increments.size());
      run.value = network_.increments[lanes.begin()->second].value;
      for (const auto& [lane, increment] : lanes) {
        run.lanes |= std::uint64_t{1} << lane;
        network_.run_increments.push_back(increment);
        const std::uint64_t most = MostWeight(network_.increments[increment]);
        for (std::size_t k = 0; k < run.heavy.size(); ++k) {
          if (most > std::uint64_t{1} << k) run.heavy[k] |= std::uint64_t{1} << lane;
        }
      }
      network_.increment_runs.push_back(run);
    }
    counter.run_end = static_cast<std::uint32_t>(network_.increment_runs.size());
  }
}

/// In how many increments each object is read. Lanes are what differs most: the counter's own
/// objects are in nearly all of them.
std::map<RootObject, int> RunFinder::CountReaders(const Counter& counter) const {
  std::map<RootObject, int> readers;
  for (std::uint32_t i = counter.increment_begin; i < counter.increment_end; ++i) {
    const Increment& increment = network_.increments[i];
    std::vector<RootObject> objects;
    for (std::uint32_t l = increment.literal_begin; l < increment.literal_end; ++l) {
      const Literal& literal = network_.increment_literals[l];
      if (literal.kind != Literal::Kind::kSlot || !IsDecision(literal.a)) continue;
      for (const RootObject& object : ObjectsOf(literal.a)) objects.push_back(object);
    }
    std::ranges::sort(objects);
    objects.erase(std::unique(objects.begin(), objects.end()), objects.end());
    for (const RootObject& object : objects) ++readers[object];
  }
  return readers;
}

bool RunFinder::FindIncrement(std::uint32_t id, const std::map<RootObject, int>& readers,
                              std::map<Key, IncrementLanes>* runs) const {
  const Increment& increment = network_.increments[id];
  std::vector<Other> others;
  for (std::uint32_t l = increment.literal_begin; l < increment.literal_end; ++l) {
    const Literal& literal = network_.increment_literals[l];
    if (literal.kind != Literal::Kind::kSlot || literal.a >= decision_of_.size()) return false;
    others.push_back({literal.a, static_cast<std::uint8_t>(literal.x)});
  }
  int least = std::numeric_limits<int>::max();
  std::vector<RootObject> objects, shared;
  for (const Other& other : others) {
    if (!IsDecision(other.slot)) continue;
    for (const RootObject& object : ObjectsOf(other.slot)) {
      objects.push_back(object);
      least = std::min(least, readers.at(object));
    }
  }
  std::ranges::copy_if(objects, std::back_inserter(shared),
                       [&](const RootObject& object) { return readers.at(object) > least; });
  const std::optional<RootObject> lane = PickLane(shared, others);
  if (!lane) return false;
  std::vector<Placed> placed;
  for (const Other& other : others) placed.push_back(*Place(other, *lane, shared));
  Key key;
  if (!Pack(placed, &key)) return false;
  if (increment.weight == Increment::Weight::kConstant) {
    if (increment.value > 0xFFFFFFFF) return false;
    key.words[kValuesWord] = static_cast<std::uint32_t>(increment.value);
  }
  return (*runs)[key].try_emplace(lane->object % kLanes, id).second;
}

}  // namespace

namespace {

/// Constraints that are not in runs alone come first, so that the queue is no longer than they are.
void PutLooseFirst(std::vector<std::uint8_t>* covered, Network* network) {
  const auto is_loose = [&](std::uint32_t id) {
    const Constraint& c = network->constraints[id];
    if (c.kind == Constraint::Kind::kWideTable) return true;
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
  std::vector<std::uint32_t> place(size);
  std::vector<Constraint> constraints;
  std::vector<std::uint8_t> covered_there;
  constraints.reserve(size);
  for (std::uint32_t i = 0; i < size; ++i) {
    place[order[i]] = i;
    constraints.push_back(network->constraints[order[i]]);
    covered_there.push_back((*covered)[order[i]]);
  }
  for (std::uint32_t& id : network->run_constraints) id = place[id];
  network->constraints = std::move(constraints);
  *covered = std::move(covered_there);
}

}  // namespace

void IndexRuns(const Instance& instance, const RootDomains& root, Network* network) {
  RunFinder finder(instance, root, network);
  network->work.assign(instance.layout().num_slots() + 1, {});
  std::vector<std::uint8_t> covered = finder.FindAll();
  PutLooseFirst(&covered, network);
  finder.FindIncrements();
  IndexScalars(instance, covered, network);
  network->covered = std::move(covered);
}

}  // namespace exh::runtime::internal

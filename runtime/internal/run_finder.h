// SPDX-License-Identifier: MIT
//
// RunFinder finds runs: ground constraints that hang on the same slot and differ only in the lane
// of the other cells that they read. Nothing in here knows what a constraint means; that rows match
// lane by lane is a matter of the layout (state.h).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "runtime/internal/freezer.h"

namespace exh::runtime::internal {

/// Fewer lanes are faster one by one.
inline constexpr int kMinLanes = 3;
/// A table of a run is indexed by the domain of its slot: more values than these stay single.
inline constexpr int kMaxTableValues = 6;

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
    objects_begin_.assign(num_narrow + 1, 0);
    for (DecisionId d = 0; d < instance.num_decisions(); ++d) {
      if (instance.slot(d) < num_narrow) decision_of_[instance.slot(d)] = d;
    }
    for (Slot slot = 0; slot < num_narrow; ++slot) {
      if (decision_of_[slot] != kNoDecision) AppendObjects(decision_of_[slot]);
      objects_begin_[slot + 1] = static_cast<std::uint32_t>(objects_.size());
    }
    for (std::uint32_t gate = 0; gate < instance.layout().num_gates; ++gate) {
      const std::span<const std::uint32_t> slots = network_.gate_slots.row(gate);
      gates_.try_emplace({slots.begin(), slots.end()}, gate);
    }
  }

  /// Bit i: the constraint is in a run of the i-th slot that it reads.
  std::vector<std::uint8_t> FindAll(FreezeTicker* ticker);
  void FindIncrements();

 private:
  bool IsDecision(Slot slot) const {
    return slot < decision_of_.size() && decision_of_[slot] != kNoDecision;
  }
  /// The objects that lanes could stand for.
  void AppendLanes(Slot slot, std::vector<RootObject>* lanes) const;
  void AppendObjects(DecisionId decision);
  bool Reads(Slot slot, RootObject object) const {
    return std::ranges::count(ObjectsOf(slot), object) != 0;
  }
  /// The object in which the lanes of a run over `others` would differ: of those that are not among
  /// `shared`, the one that the fewest read.
  std::optional<RootObject> PickLane(std::span<const RootObject> shared,
                                     std::span<const Other> others);
  /// Of the decision; empty when it is none.
  std::span<const RootObject> ObjectsOf(Slot slot) const {
    if (slot >= decision_of_.size()) return {};
    return {objects_.data() + objects_begin_[slot], objects_.data() + objects_begin_[slot + 1]};
  }
  /// Nothing when the object stands where no lane can.
  std::optional<Placed> Place(const Other& other, RootObject lane,
                              std::span<const RootObject> shared) const;
  /// Sets what must be open and present for a run; false when that cannot be said for its lanes.
  bool SetGate(Slot slot, std::uint32_t gate, RootObject lane, Key* key);

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
  using TableKey = std::pair<std::uint32_t, std::uint32_t>;  // Kind of run, widths.
  static TableKey KeyOf(const Key& key) {
    const bool triples = key.words[kKindWord] == kTriples;
    return {key.words[kKindWord], triples ? key.words[kLiteralWords + 2] : 0};
  }
  void RankTables();
  std::optional<std::uint32_t> PopularTable(const Group& group) const;
  void SplitByTable(Group group, std::vector<Group>* split) const;
  using IncrementLanes = std::map<std::uint32_t, std::uint32_t>;  // Lane, increment.
  std::map<RootObject, int> CountReaders(const Counter& counter) const;
  std::uint64_t MostWeight(const Increment& increment) const;
  bool FindIncrement(std::uint32_t id, const std::map<RootObject, int>& readers,
                     std::map<Key, IncrementLanes>* runs);

  const Instance& instance_;
  const RootDomains& root_;
  Network& network_;
  std::vector<DecisionId> decision_of_;
  std::vector<std::uint32_t> objects_begin_;  // By slot.
  std::vector<RootObject> objects_;
  std::map<std::vector<Slot>, std::uint32_t> gates_;
  // Scratch.
  std::vector<Other> others_;
  std::vector<int> positions_;
  std::vector<RootObject> lanes_;
  std::vector<Placed> placed_;
  std::vector<Slot> rest_;
  std::unordered_map<Key, std::uint32_t, KeyHash> ids_;
  std::vector<Group> groups_;
  using TableOrigin = std::array<std::uint32_t, 6>;
  std::map<TableOrigin, std::uint32_t> tables_;
  std::map<std::vector<std::uint8_t>, std::uint32_t> contents_;
  static constexpr std::size_t kMaxRanked = 64;
  std::map<TableKey, std::vector<std::uint32_t>> ranked_;
};

/// Sorts literals into scalars and rows of a key. False: too many.
inline bool Pack(std::span<const Placed> placed, Key* key) {
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

}  // namespace exh::runtime::internal

// SPDX-License-Identifier: MIT
//
// Engine: runs a space the way the paper's system does: the yardstick of the
// benchmarks, not for use. Every read of a domain is a look-up in a hash map, every changed
// decision waits in another hash map, and generated code (generator/README.md) loops over
// sets to find what a change may concern, one target decision at a time. Triggers add objects in
// the middle of propagation. Where the published system leaves a choice, the faster way is taken:
// membership is a table, universes are not asked of the host again, snapshots share tables, and
// only those are copied that are written afterwards.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <set>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/check.h"
#include "runtime/filter_support.h"
#include "runtime/host.h"
#include "runtime/int_domain.h"
#include "runtime/interval.h"
#include "tests/maps/model.h"
#include "tests/maps/sets.h"
#include "tests/maps/table.h"

namespace exh::maps {

/// The changes of one choice that are not propagated yet: a map from the decision to its domain
/// before, merged when it shrinks twice.
class Pending {
 public:
  Pending() = default;
  explicit Pending(int arity) : places_(arity, sizeof(std::uint32_t)) {}

  bool empty() const { return changes_.empty(); }
  template <int arity>
  void Note(Key key, Value old) {
    std::uint32_t& place = PlaceOf<arity>(key);
    if (place != 0) return;
    changes_.push_back({key, old});
    place = static_cast<std::uint32_t>(changes_.size());
  }
  void Note(Key key, Value old) {
    std::uint32_t& place = places_.Insert<std::uint32_t>(key);
    if (place != 0) return;
    changes_.push_back({key, old});
    place = static_cast<std::uint32_t>(changes_.size());
  }
  Change Pop() {
    const Change change = changes_.back();
    changes_.pop_back();
    places_.Insert<std::uint32_t>(change.key) = 0;
    return change;
  }
  /// The domain before, if the decision waits.
  template <int arity>
  const Value* Find(Key key) const {
    if (changes_.empty()) return nullptr;
    const Block& block = places_.block();
    const std::uint64_t i = block.Find<arity>(key);
    const std::uint32_t place =
        block.keys()[i] == key ? block.values<std::uint32_t>()[i] : std::uint32_t{0};
    return place == 0 ? nullptr : &changes_[place - 1].old;
  }
  void Clear() {
    while (!changes_.empty()) Pop();
  }

 private:
  template <int arity>
  std::uint32_t& PlaceOf(Key key) {
    Block& block = places_.Own();
    const std::uint64_t i = block.Find<arity>(key);
    if (block.keys()[i] == key) return block.values<std::uint32_t>()[i];
    return places_.Insert<std::uint32_t>(key);
  }

  Table places_;  ///< Key to 1 + place in changes_; 0: not waiting.
  std::vector<Change> changes_;
};

/// A candidate at rest: nothing waits.
struct Snapshot {
  std::vector<Table> tables;
  Sets sets;
  std::shared_ptr<const std::vector<bool>> activated;
  std::shared_ptr<const std::set<std::pair<int, Key>>> fired;
};

class Engine {
 public:
  /// The root: everything allocated, filtered and propagated. Model and host outlive the engine.
  Engine(const Model& model, const runtime::Host& host);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// False when the space has no implementation.
  bool root_is_alive() const { return root_is_alive_; }
  const Model& model() const { return model_; }
  const Sets& sets() const { return sets_; }
  /// Changes propagated so far.
  std::uint64_t events() const { return events_; }

  Snapshot Save() const;
  void Restore(const Snapshot& snapshot);

  // ---- By choice number and objects, as tests and descents see it.
  bool HasDecision(int choice, const Object* objects) const;
  /// The domain of an enum or integer decision, as read in this order of objects.
  Bits Domain(int choice, const Object* objects) const;
  Interval CounterOf(int choice, const Object* objects) const;
  /// The values of a decision by its key, in the orientation in which it is stored.
  Bits Values(int choice, Key key) const {
    const Block& block = tables_[static_cast<std::size_t>(choice)].block();
    return ValuesAt(block, block.Find(key));
  }
  /// Intersects the domain and propagates. False: a dead end; restore a snapshot.
  bool Restrict(int choice, const Object* objects, Bits allowed);
  std::span<const std::uint32_t> Universe(int choice, Key key) const {
    const Block& block = universe_places_[static_cast<std::size_t>(choice)].block();
    return universes_[block.values<std::uint32_t>()[block.Find(key)]];
  }
  const Scope& scope(int choice) const { return choice_scopes_[static_cast<std::size_t>(choice)]; }

  // ---- For generated code. V: the type of an entry; arity: of the choice.
  template <typename V, int arity>
  V Read(int choice, Key key) const {
    const Block& block = tables_[static_cast<std::size_t>(choice)].block();
    return block.values<V>()[block.Find<arity>(key)];
  }
  /// The domain as counters and triggers see it: before the change if the change still waits.
  template <typename V, int arity>
  V View(int choice, Key key) const {
    const Value* old = pending_[static_cast<std::size_t>(choice)].Find<arity>(key);
    if (old == nullptr) return Read<V, arity>(choice, key);
    if constexpr (std::is_same_v<V, Interval>) {
      return old->interval();
    } else {
      return static_cast<V>(old->a);
    }
  }
  template <typename V, int arity>
  bool Shrink(int choice, Key key, Bits allowed) {
    Table& table = tables_[static_cast<std::size_t>(choice)];
    const std::uint64_t place = table.block().Find<arity>(key);
    const V old = table.block().values<V>()[place];
    const V now = static_cast<V>(old & allowed);
    if (now == old) return true;
    table.Own().values<V>()[place] = now;
    pending_[static_cast<std::size_t>(choice)].Note<arity>(key, Value::Of(Bits{old}));
    return now != 0;
  }
  template <int arity>
  void SetCounter(int choice, Key key, Interval now) {
    Table& table = tables_[static_cast<std::size_t>(choice)];
    const std::uint64_t place = table.block().Find<arity>(key);
    const Interval old = table.block().values<Interval>()[place];
    if (now == old) return;
    table.Own().values<Interval>()[place] = now;
    pending_[static_cast<std::size_t>(choice)].Note<arity>(key, Value::Of(old));
  }
  bool Test(runtime::CodeId code, std::initializer_list<Object> scope) const {
    return host_.Test(code, {scope.begin(), scope.size()});
  }
  std::vector<std::uint32_t> Numbers(runtime::CodeId code,
                                     std::initializer_list<Object> scope) const {
    return host_.Numbers(code, {scope.begin(), scope.size()});
  }
  /// What the filters of a counter leave of it; its objects agree with the counter's arguments.
  Interval Allowed(int choice, const Object* objects) const;
  /// A trigger whose conditions are all certain; it runs once the change is dealt with.
  void Enqueue(int trigger, std::initializer_list<Object> objects);

 private:
  using FreshSets = std::vector<std::vector<Member>>;

  static Bits ValuesAt(const Block& block, std::uint64_t place);
  void Write(int choice, Key key, Bits values);
  Key KeyOfStored(int choice, const Object* objects, bool* swapped) const;
  bool ShrinkAny(int choice, Key key, Bits allowed);
  Bits AllowedValues(int choice, const Object* objects) const;

  void FindPlanned();
  FreshSets Refresh();
  bool IsFresh(const Scope& scope, const Object* binding, int i) const;
  template <typename Body>
  bool ForEachFresh(const Scope& scope, const Body& body);
  void Allocate();
  void AllocateOne(int choice, const Object* objects);
  bool ForgetLateIncrements();
  bool FilterFresh(bool recorded);
  void CountFresh();
  Interval CountFromScratch(const Counter& counter, const Scope& scope, Object* binding) const;
  bool FilterOldDecisions();
  void EnqueueFresh();
  bool AddObjects(FreshSets fresh);
  bool RunTriggers();
  bool RunTrigger(int index, const std::vector<Object>& objects);
  bool Propagate();
  bool Fail();

  const Model& model_;
  const runtime::Host& host_;
  std::vector<Scope> choice_scopes_, filter_scopes_, counter_scopes_, trigger_scopes_;
  std::vector<std::vector<int>> filters_of_;    ///< By target.
  std::vector<std::vector<Member>> potential_;  ///< By set; what may ever be a member.
  std::vector<std::vector<int>> planned_of_;    ///< Beside potential_: number in activated, or -1.
  int num_planned_ = 0;
  std::vector<Table> universe_places_;  ///< By choice: key to place in universes_.
  std::vector<std::vector<std::uint32_t>> universes_;

  std::array<Table, 128> tables_;
  std::array<Pending, 128> pending_;
  Sets sets_;
  std::shared_ptr<const std::vector<bool>> activated_;
  std::shared_ptr<const std::set<std::pair<int, Key>>> fired_;
  std::set<std::pair<int, std::vector<Object>>> enabled_;  ///< Triggers to run, in this order.

  FreshSets fresh_;  ///< While objects are added: the new members of each set.
  std::vector<std::vector<Key>> fresh_keys_;
  std::vector<std::unordered_set<Key>> is_fresh_key_;
  std::uint64_t events_ = 0;
  bool root_is_alive_ = false;
};

// ---- Helpers of generated code.

constexpr Status StatusOf(Bits domain, Bits counted) {
  if ((domain & ~counted) == 0) return Status::kCounted;
  return (domain & counted) == 0 ? Status::kExcluded : Status::kMaybe;
}

constexpr std::uint64_t Combined(bool product, std::uint64_t a, std::uint64_t b) {
  return product ? runtime::SaturatingMul(a, b) : runtime::SaturatingAdd(a, b);
}
/// Takes `b` out of `a` again. What has saturated stays so.
constexpr std::uint64_t Without(bool product, std::uint64_t a, std::uint64_t b) {
  if (a == runtime::kSaturated || (product && b == 0)) return a;
  return product ? a / b : a - b;
}

/// The counter after an increment's status changed.
constexpr Interval Recounted(Interval counter, bool product, bool half, Status before, Status after,
                             std::uint64_t lo, std::uint64_t hi) {
  if (before != Status::kMaybe || after == Status::kMaybe) return counter;
  if (after == Status::kCounted) {
    counter.min = Combined(product, counter.min, lo);
  } else if (!half) {
    counter.max = Without(product, counter.max, hi);
  }
  return counter;
}

/// The counter after the value of an increment changed from `old` to `now`.
constexpr Interval Reweighed(Interval counter, bool product, bool half, Status status, Interval old,
                             Interval now) {
  if (status == Status::kCounted) {
    counter.min = Combined(product, Without(product, counter.min, old.min), now.min);
  }
  if (status != Status::kExcluded && !half) {
    counter.max = Combined(product, Without(product, counter.max, old.max), now.max);
  }
  return counter;
}

/// What a bound on a counter asks of one increment.
struct Push {
  enum class Kind : std::uint8_t { kNothing, kExclude, kCount, kCap } kind = Kind::kNothing;
  std::uint64_t cap = runtime::kSaturated;  ///< kCap: the most that the value may be.
};
constexpr Push PushOf(Interval counter, bool product, bool half, Interval bound, Term term) {
  if (term.status == Status::kMaybe) {
    if (Combined(product, counter.min, term.lo) > bound.max) return {Push::Kind::kExclude};
    if (!half && counter.max != runtime::kSaturated &&
        Without(product, counter.max, term.hi) < bound.min) {
      return {Push::Kind::kCount};
    }
    return {};
  }
  if (term.status == Status::kExcluded || bound.max == runtime::kSaturated) return {};
  const std::uint64_t rest = Without(product, counter.min, term.lo);
  if (product && rest == 0) return {};
  const std::uint64_t cap = product ? bound.max / rest : bound.max - std::min(rest, bound.max);
  return term.hi > cap ? Push{Push::Kind::kCap, cap} : Push{};
}

/// Smallest and largest number of an integer domain that is not empty.
inline Interval NumbersOf(std::span<const std::uint32_t> universe, Bits values) {
  return {universe[static_cast<std::size_t>(std::countr_zero(values))],
          universe[static_cast<std::size_t>(63 - std::countl_zero(values))]};
}
/// The values of a universe up to `cap`.
inline Bits UpTo(std::span<const std::uint32_t> universe, std::uint64_t cap) {
  Bits values = 0;
  for (std::size_t i = 0; i < universe.size() && universe[i] <= cap; ++i) values |= Bits{1} << i;
  return values;
}
/// The values v of `universe` with `v op w` for some w of the other domain, which is not empty.
Bits ValuesThat(std::span<const std::uint32_t> universe, runtime::CompareOp op,
                std::span<const std::uint32_t> other, Bits other_values);
/// `v op w` for some v and w.
inline bool MayCompare(std::span<const std::uint32_t> universe, Bits values, runtime::CompareOp op,
                       std::span<const std::uint32_t> other, Bits other_values) {
  return (values & ValuesThat(universe, op, other, other_values)) != 0;
}
/// Values of an enum that differ from some value of `other`.
constexpr Bits OtherThan(Bits other, Bits all) {
  return std::has_single_bit(other) ? all & ~other : all;
}
constexpr bool MayDiffer(Bits left, Bits right) {
  return !(std::has_single_bit(left) && left == right);
}

}  // namespace exh::maps

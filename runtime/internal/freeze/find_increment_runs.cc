// SPDX-License-Identifier: MIT
//
// Increments of a counter by the row. Most counters have an increment for each object that they run
// over, all alike but for that object. They are counted 64 at a time where their conditions are
// literals on cells that lie in rows by that object (row_counts.h).
//
// The lane of an increment is an object that few of the counter's increments read: what all of them
// read, the counter's own objects, is shared. Increments with the same shared literals, rows and
// weight form a run, at most one in each lane. It is all or nothing: the runs of a counter cover
// each of its increments once, or it has none and its increments are read one by one.
//
// load(m) counts the tasks t with on(m, t) is YES and part(t) is BIG. Its increments, for m = 2:
//
//   t = 0      on(2,0) is YES,  part(0) is BIG        the lane is t: one run for m = 2,
//   t = 1      on(2,1) is YES,  part(1) is BIG          row on(2,.)    is YES
//   …                                                   row part(.)    is BIG
#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <map>
#include <vector>

#include "base/check.h"
#include "runtime/internal/freeze/freezer.h"
#include "runtime/internal/network/row_places.h"

namespace exh::runtime::internal {
namespace {

/// Fewer lanes are faster one by one.
constexpr std::uint32_t kMinLanes = 3;

class IncrementRuns {
 public:
  IncrementRuns(const RowPlaces& places, const RootDomains& root, Network* network)
      : places_(places), root_(root), network_(*network) {}

  void Find();

 private:
  /// What the increments of a run have in common.
  struct Key {
    std::uint32_t value = 0;
    std::uint8_t num_scalars = 0, num_rows = 0;
    std::array<PackedLiteral, kMaxRunScalars> scalars{};
    std::array<PackedLiteral, kMaxRunRows> rows{};
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  using Lanes = std::map<std::uint32_t, std::uint32_t>;  // Lane, increment.
  using Readers = std::map<RootObject, int>;

  std::uint64_t MostWeight(const Increment& increment) const;
  bool MayVanish(const Increment& increment) const;
  Readers CountReaders(const Counter& counter) const;
  bool Add(std::uint32_t id, const Readers& readers, std::map<Key, Lanes>* runs) const;
  PackedLiteral Shared(const Literal& literal, std::span<const RootObject> shared) const;

  const RowPlaces& places_;
  const RootDomains& root_;
  Network& network_;
};

std::uint64_t IncrementRuns::MostWeight(const Increment& increment) const {
  switch (increment.weight) {
    case Increment::Weight::kConstant:
      return increment.value;
    case Increment::Weight::kSlot: {
      const Bits values = root_.slots[increment.source];
      return network_.universes[increment.universe][63 - std::countl_zero(values)];
    }
    case Increment::Weight::kCounter:
    case Increment::Weight::kTerm:
      break;
  }
  return kSaturated;
}

bool IncrementRuns::MayVanish(const Increment& increment) const {
  switch (increment.weight) {
    case Increment::Weight::kConstant:
      return increment.value == 0;
    case Increment::Weight::kSlot: {
      const Bits values = root_.slots[increment.source];
      return network_.universes[increment.universe][std::countr_zero(values)] == 0;
    }
    case Increment::Weight::kCounter:
      return root_.counters[increment.source].min == 0;
    case Increment::Weight::kTerm:
      break;
  }
  EXH_UNREACHABLE();
}

/// Makes the runs of every counter that can have them.
void IncrementRuns::Find() {
  for (Counter& counter : network_.counters) {
    counter.run_begin = counter.run_end =
        static_cast<std::uint32_t>(network_.increment_runs.size());
    if (counter.increment_end - counter.increment_begin < kMinLanes) continue;
    std::map<Key, Lanes> runs;
    const Readers readers = CountReaders(counter);
    bool all = true;
    counter.constants = !counter.product;
    for (std::uint32_t i = counter.increment_begin; all && i < counter.increment_end; ++i) {
      all = Add(i, readers, &runs);
      counter.constants &= network_.increments[i].weight == Increment::Weight::kConstant;
    }
    if (!all) continue;
    for (const auto& [key, lanes] : runs) {
      IncrementRun run;
      run.num_scalars = key.num_scalars;
      run.num_rows = key.num_rows;
      run.scalars = key.scalars;
      run.rows = key.rows;
      run.first_increment = static_cast<std::uint32_t>(network_.run_increments.size());
      run.value = network_.increments[lanes.begin()->second].value;
      for (const auto& [lane, increment] : lanes) {
        run.lanes |= std::uint64_t{1} << lane;
        network_.run_increments.push_back(increment);
        if (MayVanish(network_.increments[increment])) run.vanishing |= std::uint64_t{1} << lane;
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
IncrementRuns::Readers IncrementRuns::CountReaders(const Counter& counter) const {
  Readers readers;
  std::vector<RootObject> objects;
  for (std::uint32_t i = counter.increment_begin; i < counter.increment_end; ++i) {
    const Increment& increment = network_.increments[i];
    objects.clear();
    for (std::uint32_t l = increment.literal_begin; l < increment.literal_end; ++l) {
      const Literal& literal = network_.increment_literals[l];
      if (literal.kind != Literal::Kind::kIn || !places_.IsDecision(literal.a)) continue;
      for (const RootObject& object : places_.ObjectsOf(literal.a)) objects.push_back(object);
    }
    std::ranges::sort(objects);
    objects.erase(std::unique(objects.begin(), objects.end()), objects.end());
    for (const RootObject& object : objects) ++readers[object];
  }
  return readers;
}

/// A literal that all lanes share: the same side of a pair for all of them, what is shared first.
PackedLiteral IncrementRuns::Shared(const Literal& literal,
                                    std::span<const RootObject> shared) const {
  const auto values = static_cast<std::uint8_t>(literal.x);
  const Cell& cell = network_.cells[literal.a];
  if (places_.IsDecision(literal.a) && cell.mirror != literal.a) {
    const std::span<const RootObject> pair = places_.ObjectsOf(literal.a);
    if (std::ranges::count(shared, pair[1]) != 0 && std::ranges::count(shared, pair[0]) == 0) {
      return PackLiteral(cell.mirror, network_.inverses[cell.inverse][values]);
    }
  }
  return PackLiteral(literal.a, values);
}

bool IncrementRuns::Add(std::uint32_t id, const Readers& readers,
                        std::map<Key, Lanes>* runs) const {
  const Increment& increment = network_.increments[id];
  const std::span<const Literal> literals(
      network_.increment_literals.data() + increment.literal_begin,
      increment.literal_end - increment.literal_begin);
  if (literals.empty() || literals.size() > RowPlaces::kMaxSlots) return false;
  if (increment.weight == Increment::Weight::kTerm ||
      (increment.weight == Increment::Weight::kSlot &&
       network_.universes[increment.universe].size() > 64)) {
    return false;
  }
  std::array<Slot, RowPlaces::kMaxSlots> all{};
  std::vector<RootObject> objects, shared;
  int least = std::numeric_limits<int>::max();
  for (std::size_t i = 0; i < literals.size(); ++i) {
    if (literals[i].kind != Literal::Kind::kIn || literals[i].a >= network_.cells.size()) {
      return false;
    }
    all[i] = literals[i].a;
    for (const RootObject& object : places_.ObjectsOf(all[i])) {
      objects.push_back(object);
      least = std::min(least, readers.at(object));
    }
  }
  std::ranges::copy_if(objects, std::back_inserter(shared),
                       [&](const RootObject& object) { return readers.at(object) > least; });
  // Of what is not shared, the object that the fewest read, and of such the last.
  const std::span<const Slot> slots(all.data(), literals.size());
  std::optional<RootObject> lane;
  std::size_t fewest = slots.size() + 1;
  const RowPlaces::Lanes lanes = places_.LanesOf(slots);
  for (const RootObject object : lanes.all()) {
    if (std::ranges::count(shared, object) != 0) continue;
    std::size_t reading = 0;
    for (const Slot slot : slots) reading += places_.Reads(slot, object);
    if (reading > fewest || (reading == fewest && object < *lane)) continue;
    fewest = reading;
    lane = object;
  }
  if (!lane) return false;
  Key key;
  for (std::size_t i = 0; i < literals.size(); ++i) {
    if (!places_.Reads(slots[i], *lane)) {
      if (key.num_scalars == kMaxRunScalars) return false;
      key.scalars[key.num_scalars++] = Shared(literals[i], shared);
      continue;
    }
    if (key.num_rows == kMaxRunRows) return false;
    const RowPlace place = *places_.InRow(slots[i], *lane);
    const auto values = static_cast<std::uint8_t>(literals[i].x);
    key.rows[key.num_rows++] = PackLiteral(
        place.row,
        place.mirrored ? network_.inverses[network_.cells[slots[i]].inverse][values] : values);
  }
  std::sort(key.scalars.begin(), key.scalars.begin() + key.num_scalars);
  std::sort(key.rows.begin(), key.rows.begin() + key.num_rows);
  if (increment.weight == Increment::Weight::kConstant) {
    if (increment.value > 0xFFFFFFFF) return false;
    key.value = static_cast<std::uint32_t>(increment.value);
  }
  return (*runs)[key].try_emplace(lane->object % kLanes, id).second;
}

}  // namespace

void IndexIncrements(const RowPlaces& places, const RootDomains& root, Network* network) {
  IncrementRuns(places, root, network).Find();
}

}  // namespace exh::runtime::internal

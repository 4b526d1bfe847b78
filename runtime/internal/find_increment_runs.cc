// SPDX-License-Identifier: MIT
//
// Runs of the increments of a counter.
#include <algorithm>
#include <bit>
#include <limits>

#include "runtime/internal/run_finder.h"

namespace exh::runtime::internal {

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
                              std::map<Key, IncrementLanes>* runs) {
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

}  // namespace exh::runtime::internal

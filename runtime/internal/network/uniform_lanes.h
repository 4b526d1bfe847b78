// SPDX-License-Identifier: MIT
//
// Uniform constraints written down, for who reads the network and does not run it: as the lanes in
// which they would stand otherwise (LaneTable, LaneClause), each ground constraint once, but for
// what the root entails.
//
// Tables over objects a < b < z are met at slot (a,b), in the lanes z behind b. A clause is met at
// the slots of its first pair, in both orders of the slot's objects.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "runtime/instance.h"
#include "runtime/internal/network/network.h"

namespace exh::runtime::internal {

class UniformLanes {
 public:
  /// The instance outlives it.
  explicit UniformLanes(const Instance& instance);

  void ForEachTable(const std::function<void(const LaneTable&)>& use);
  void ForEachClause(const std::function<void(const LaneClause&)>& use);

 private:
  /// Calls `use` with each slot of a choice in these rows: its objects, the one of the row first.
  template <typename Use>
  void ForEachPair(std::uint32_t rows, std::uint32_t num_words, const Use& use) const;
  /// Cuts lanes of a word into those that wait for the same, behind a gate each.
  template <typename Use>
  void ByGate(std::uint32_t memberships, std::array<Object, 2> objects, std::uint32_t word,
              std::uint64_t lanes, const Use& use);
  std::uint64_t OpenLanes(std::uint32_t relation, const std::array<std::uint32_t, 3>& cells,
                          std::uint64_t lanes);
  std::uint64_t OpenLanes(const LaneClause& clause, std::uint64_t lanes) const;

  const Instance& instance_;
  const Network& network_;
  const Uniform& uniform_;
  const std::uint8_t* const root_;  ///< By cell.
  std::map<std::vector<Slot>, std::uint32_t> gates_;
  std::map<std::array<std::uint32_t, 4>, bool> entailed_;
};

}  // namespace exh::runtime::internal

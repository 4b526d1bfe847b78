// SPDX-License-Identifier: MIT
//
// RelationStore: interns patterns and turns lists of them into relations and their look-up tables.
// Equal tables are shared: an instance with tens of thousands of constraints has a few dozen.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "runtime/internal/network.h"

namespace exh::runtime::internal {

class RelationStore {
 public:
  explicit RelationStore(Network& network) : network_(network) {}

  std::uint32_t InternOrigin(Origin origin);
  /// Number of a pair relation and of its complement, from `num_left` rows.
  std::pair<std::uint32_t, std::uint32_t> InternPairs(std::vector<Bits> rows, int num_right);
  std::uint32_t InternPattern(const Pattern& pattern);
  /// The relation of the values that satisfy all patterns (sorted, distinct).
  std::uint32_t InternRelation(int arity, const std::array<std::uint8_t, kMaxTableArity>& sizes,
                               const std::vector<std::uint32_t>& patterns);

  /// Would a table over slots of these sizes stay small?
  static bool Fits(int arity, const std::array<std::uint8_t, kMaxTableArity>& sizes);

 private:
  struct PatternHash {
    std::size_t operator()(const Pattern& pattern) const;
  };
  std::uint32_t InternOnePair(PairRelation relation);
  std::uint32_t AddMasks(const std::vector<Bits>& masks);
  void FillMasks(const Relation& relation, std::span<const std::uint32_t> patterns,
                 std::vector<Bits>* masks) const;
  void AddLuts(Relation* relation, std::uint32_t masks);

  Network& network_;
  std::map<Origin, std::uint32_t> origins_;
  std::map<std::pair<int, std::vector<Bits>>, std::uint32_t> pairs_;
  std::unordered_map<Pattern, std::uint32_t, PatternHash> patterns_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> relations_;  // Sizes and patterns.
  std::map<std::pair<std::vector<std::uint8_t>, std::vector<Bits>>, std::uint32_t> contents_;
};

}  // namespace exh::runtime::internal

// SPDX-License-Identifier: MIT
//
// RelationStore: interns patterns and turns lists of them into relations and their look-up tables.
// Equal tables are shared: an instance with tens of thousands of constraints has a few dozen.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "runtime/internal/network/network.h"

namespace exh::runtime::internal {

/// Sets of patterns, each set a number: groups of clauses that look alike, nearly all of a space,
/// share one. 0 is the empty set. Equal sets that grew in different orders have different numbers.
class PatternSets {
 public:
  /// The set with the pattern in it.
  std::uint32_t With(std::uint32_t set, std::uint32_t pattern) {
    const std::uint64_t key = std::uint64_t{set} << 32 | pattern;
    Recent& recent = recent_[(set * 0x9E3779B1u + pattern * 0x85EBCA6Bu) >> 20];
    if (recent.key != key) recent = {key, Grow(key)};
    return recent.result;
  }
  /// Appends its patterns, in no certain order.
  void Append(std::uint32_t set, std::vector<std::uint32_t>* patterns) const {
    for (; set != 0; set = sets_[set].rest) patterns->push_back(sets_[set].pattern);
  }
  /// The only pattern of a set that has one.
  std::optional<std::uint32_t> Only(std::uint32_t set) const {
    if (set == 0 || sets_[set].rest != 0) return std::nullopt;
    return sets_[set].pattern;
  }

 private:
  struct Set {
    std::uint32_t rest, pattern;  ///< A smaller set, and what it lacks.
  };
  struct Recent {
    std::uint64_t key = ~std::uint64_t{0};
    std::uint32_t result = 0;
  };
  std::uint32_t Grow(std::uint64_t key);

  std::vector<Set> sets_ = {{0, 0}};
  std::unordered_map<std::uint64_t, std::uint32_t> known_;
  std::array<Recent, 4096> recent_{};  ///< By hash: the last answers.
};

/// Is there a combination of values of the slots beside the masked one, for whose mask `test`
/// holds? `domains` by position.
template <typename Test>
bool AnyMask(const Network& network, const Relation& relation,
             const std::array<Bits, kMaxTableArity>& domains, const Test& test) {
  const auto domain = [&](int i) {
    return i + 1 < relation.arity ? domains[relation.others[i]] : Bits{1};
  };
  for (Bits a = domain(0); a != 0; a &= a - 1) {
    for (Bits b = domain(1); b != 0; b &= b - 1) {
      for (Bits c = domain(2); c != 0; c &= c - 1) {
        const std::size_t index = relation.masks +
                                  relation.strides[0] * static_cast<unsigned>(std::countr_zero(a)) +
                                  relation.strides[1] * static_cast<unsigned>(std::countr_zero(b)) +
                                  relation.strides[2] * static_cast<unsigned>(std::countr_zero(c));
        if (test(network.masks[index])) return true;
      }
    }
  }
  return false;
}

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

  /// Combinations of the slots beside the mask; above this a clause beats a table.
  static constexpr std::size_t kMaxCombinations = 4096;
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

// SPDX-License-Identifier: MIT
//
// How a list of patterns, clauses over the values of 2 to 4 slots, becomes a relation. FillMasks()
// intersects the clauses: for each combination of values of the other slots, the values that the
// slot with the most values may take. AddLuts() does the same for *domains*, sets of values,
// because that is what propagation asks: the values of the target that some combination supports.
// What a domain of several values supports is the union of what two smaller ones do, which are done
// already.
//
// Slots a and b have the values 0, 1, 2, and there is one clause, a in {0, 1} or b in {2}. The
// masks are those of a, the first of the slots with the most values:
//
//   value of b      0         1         2                   masks
//   a may be        {0, 1}    {0, 1}    {0, 1, 2}
//
//   domain of b     {0}       {2}          {0, 2}           look-up table of a, by domain of b
//   a may be        {0, 1}    {0, 1, 2}    {0, 1, 2}        the last one: what {0} and {2} support
//
// Equal content is stored once, also when other clauses led to it; the list of patterns is each
// relation's own, for it says who is to blame.
#include "runtime/internal/network/relation_store.h"

#include <algorithm>
#include <bit>

#include "runtime/int_domain.h"

namespace exh::runtime::internal {
namespace {

/// Bits of the two domains that index a look-up table: at most 4 KB each.
constexpr int kMaxLutBits = 12;

Bits AllValues(int size) {
  return size >= 64 ? ~Bits{0} : (Bits{1} << size) - 1;
}

}  // namespace

std::size_t RelationStore::PatternHash::operator()(const Pattern& pattern) const {
  std::uint64_t hash = pattern.origin * 0x9E3779B97F4A7C15u + pattern.num_pairs;
  const auto mix = [&](std::uint64_t word) {
    hash = (hash ^ word) * 0xD6E8FEB86659FD93u;
    hash ^= hash >> 32;
  };
  for (const Bits mask : pattern.masks) mix(mask);
  for (int i = 0; i < pattern.num_pairs; ++i) {
    mix(pattern.pair_relations[i] * 16u + pattern.pair_positions[i][0] * 4u +
        pattern.pair_positions[i][1]);
  }
  return hash;
}

std::uint32_t PatternSets::Grow(std::uint64_t key) {
  const auto [known, is_new] = known_.try_emplace(key, 0);
  if (!is_new) return known->second;
  const auto set = static_cast<std::uint32_t>(key >> 32), pattern = static_cast<std::uint32_t>(key);
  for (std::uint32_t rest = set; rest != 0; rest = sets_[rest].rest) {
    if (sets_[rest].pattern == pattern) return known->second = set;
  }
  sets_.push_back({set, pattern});
  return known->second = static_cast<std::uint32_t>(sets_.size() - 1);
}

std::uint32_t RelationStore::InternOrigin(Origin origin) {
  const auto [it, is_new] =
      origins_.try_emplace(origin, static_cast<std::uint32_t>(network_.origins.size()));
  if (is_new) network_.origins.push_back(origin);
  return it->second;
}

std::uint32_t RelationStore::InternOnePair(PairRelation relation) {
  const auto [it, is_new] =
      pairs_.try_emplace({relation.num_right, relation.rows}, network_.pair_relations.size());
  if (is_new) {
    relation.columns.assign(relation.num_right, 0);
    for (std::size_t left = 0; left < relation.rows.size(); ++left) {
      for (Bits rest = relation.rows[left]; rest != 0; rest &= rest - 1) {
        relation.columns[std::countr_zero(rest)] |= Bits{1} << left;
      }
    }
    network_.pair_relations.push_back(std::move(relation));
  }
  return it->second;
}

std::pair<std::uint32_t, std::uint32_t> RelationStore::InternPairs(std::vector<Bits> rows,
                                                                   int num_right) {
  PairRelation relation;
  relation.num_left = static_cast<std::uint8_t>(rows.size());
  relation.num_right = static_cast<std::uint8_t>(num_right);
  PairRelation complement = relation;
  for (const Bits row : rows) complement.rows.push_back(~row & AllValues(num_right));
  relation.rows = std::move(rows);
  const std::uint32_t id = InternOnePair(std::move(relation));
  return {id, InternOnePair(std::move(complement))};
}

std::uint32_t RelationStore::InternPattern(const Pattern& pattern) {
  const auto [it, is_new] =
      patterns_.try_emplace(pattern, static_cast<std::uint32_t>(network_.patterns.size()));
  if (is_new) network_.patterns.push_back(pattern);
  return it->second;
}

bool RelationStore::Fits(int arity, const std::array<std::uint8_t, kMaxTableArity>& sizes) {
  std::size_t combinations = 1, largest = 1;
  for (int i = 0; i < arity; ++i) {
    combinations *= sizes[i];
    largest = std::max<std::size_t>(largest, sizes[i]);
  }
  return combinations / largest <= kMaxCombinations;
}

std::uint32_t RelationStore::InternRelation(int arity,
                                            const std::array<std::uint8_t, kMaxTableArity>& sizes,
                                            const std::vector<std::uint32_t>& patterns) {
  std::vector<std::uint32_t> key(sizes.begin(), sizes.begin() + arity);
  key.push_back(0xFFFFFFFF);
  key.insert(key.end(), patterns.begin(), patterns.end());
  if (const auto it = relations_.find(key); it != relations_.end()) return it->second;

  Relation relation;
  relation.arity = static_cast<std::uint8_t>(arity);
  relation.sizes = sizes;
  relation.luts.fill(kNoLut);
  relation.mask_position = static_cast<std::uint8_t>(
      std::max_element(sizes.begin(), sizes.begin() + arity) - sizes.begin());
  std::uint32_t stride = 1;
  int next = 0;
  for (int position = 0; position < arity; ++position) {
    if (position == relation.mask_position) continue;
    relation.others[next] = static_cast<std::uint8_t>(position);
    relation.strides[next++] = stride;
    stride *= sizes[position];
  }
  std::vector<Bits> masks(stride);
  FillMasks(relation, patterns, &masks);
  relation.patterns_begin = static_cast<std::uint32_t>(network_.pattern_lists.size());
  network_.pattern_lists.insert(network_.pattern_lists.end(), patterns.begin(), patterns.end());
  relation.patterns_end = static_cast<std::uint32_t>(network_.pattern_lists.size());

  // The same content may come from other clauses: share its tables, not the blame.
  const auto [content, is_new] = contents_.try_emplace(
      {std::vector<std::uint8_t>(sizes.begin(), sizes.begin() + arity), masks},
      static_cast<std::uint32_t>(network_.relations.size()));
  if (is_new) {
    relation.masks = static_cast<std::uint32_t>(network_.masks.size());
    network_.masks.insert(network_.masks.end(), masks.begin(), masks.end());
    AddLuts(&relation, relation.masks);
  } else {
    relation.masks = network_.relations[content->second].masks;
    relation.luts = network_.relations[content->second].luts;
  }
  const auto id = static_cast<std::uint32_t>(network_.relations.size());
  network_.relations.push_back(relation);
  relations_.emplace(std::move(key), id);
  return id;
}

void RelationStore::FillMasks(const Relation& relation, std::span<const std::uint32_t> patterns,
                              std::vector<Bits>* masks) const {
  const int at = relation.mask_position;
  const Bits all = AllValues(relation.sizes[at]);
  for (std::size_t index = 0; index < masks->size(); ++index) {
    std::array<Bits, kMaxTableArity> value_bits{};
    std::array<int, kMaxTableArity> values{};
    for (int i = 0; i + 1 < relation.arity; ++i) {
      const int position = relation.others[i];
      values[position] = static_cast<int>(index / relation.strides[i]) % relation.sizes[position];
      value_bits[position] = Bits{1} << values[position];
    }
    Bits allowed = all;
    for (const std::uint32_t id : patterns) {
      const Pattern& pattern = network_.patterns[id];
      Bits allows = pattern.masks[at];
      for (int position = 0; position < relation.arity; ++position) {
        if (position != at && (pattern.masks[position] & value_bits[position]) != 0) allows = all;
      }
      for (int i = 0; i < pattern.num_pairs; ++i) {
        const auto [left, right] = pattern.pair_positions[i];
        const PairRelation& pairs = network_.pair_relations[pattern.pair_relations[i]];
        if (left == at) {
          allows |= pairs.columns[values[right]];
        } else if (right == at) {
          allows |= pairs.rows[values[left]];
        } else if ((pairs.rows[values[left]] & value_bits[right]) != 0) {
          allows = all;
        }
      }
      allowed &= allows;
    }
    (*masks)[index] = allowed;
  }
}

/// Look-up tables over *domains*: the values of the target that some combination of values of the
/// other one or two domains supports.
void RelationStore::AddLuts(Relation* relation, std::uint32_t masks) {
  const auto& sizes = relation->sizes;
  if (relation->arity > 3) return;
  for (int i = 0; i < relation->arity; ++i) {
    if (sizes[i] > 8) return;
  }
  // Is the combination of single values allowed?
  const auto allowed = [&](const std::array<int, 3>& values) {
    std::uint32_t index = masks;
    for (int i = 0; i + 1 < relation->arity; ++i) {
      index += relation->strides[i] * static_cast<std::uint32_t>(values[relation->others[i]]);
    }
    return (network_.masks[index] >> values[relation->mask_position] & 1) != 0;
  };
  for (int target = 0; target < relation->arity; ++target) {
    const int first = target == 0 ? 1 : 0;
    const int second = relation->arity == 2 ? first : (target == 2 ? 1 : 2);
    const int second_size = relation->arity == 2 ? 0 : sizes[second];
    if (sizes[first] + second_size > kMaxLutBits) return;
  }
  for (int target = 0; target < relation->arity; ++target) {
    const int first = target == 0 ? 1 : 0;
    const int second = target == 2 ? 1 : 2;
    const int second_bits = relation->arity == 2 ? 0 : sizes[second];
    const std::size_t size = std::size_t{1} << (sizes[first] + second_bits);
    const std::size_t begin = network_.luts.size();
    network_.luts.resize(begin + size, 0);
    std::uint8_t* lut = network_.luts.data() + begin;
    const std::size_t second_domains = std::size_t{1} << second_bits;
    for (std::size_t domain = 0; domain < size; ++domain) {
      const std::size_t left = domain >> second_bits, right = domain & (second_domains - 1);
      if (left == 0 || (relation->arity == 3 && right == 0)) continue;
      if (!std::has_single_bit(left)) {  // A union of two smaller domains, both done already.
        const std::size_t low = left & (~left + 1);
        lut[domain] = lut[low << second_bits | right] | lut[(left ^ low) << second_bits | right];
      } else if (relation->arity == 3 && !std::has_single_bit(right)) {
        const std::size_t low = right & (~right + 1);
        lut[domain] = lut[left << second_bits | low] | lut[left << second_bits | (right ^ low)];
      } else {
        std::array<int, 3> values{};
        values[first] = std::countr_zero(left);
        if (relation->arity == 3) values[second] = std::countr_zero(right);
        for (int value = 0; value < sizes[target]; ++value) {
          values[target] = value;
          if (allowed(values)) lut[domain] |= static_cast<std::uint8_t>(1u << value);
        }
      }
    }
    relation->luts[target] = static_cast<std::uint32_t>(begin);
  }
}

}  // namespace exh::runtime::internal

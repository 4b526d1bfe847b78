// SPDX-License-Identifier: MIT
#include "search/exact/table_residuals.h"

#include <algorithm>
#include <bit>

#include "base/check.h"

namespace exh::search {
namespace {

using runtime::Bits;

/// Of either map, before it begins anew.
constexpr std::size_t kMostKnown = 200'000;

/// Combinations of values, each of one domain a position.
using Tuple = std::array<std::uint8_t, 4>;

/// The distinct projections of the tuples to some positions, in ascending order.
std::vector<Tuple> Project(const std::vector<Tuple>& tuples, std::uint8_t positions) {
  std::vector<Tuple> projected;
  projected.reserve(tuples.size());
  for (const Tuple& tuple : tuples) {
    Tuple kept{};
    for (std::size_t p = 0; p < kept.size(); ++p) {
      if ((positions >> p & 1) != 0) kept[p] = tuple[p];
    }
    projected.push_back(kept);
  }
  std::ranges::sort(projected);
  projected.erase(std::unique(projected.begin(), projected.end()), projected.end());
  return projected;
}

}  // namespace

const TableResiduals::Combinations& TableResiduals::All(std::uint32_t relation) {
  if (combinations_.size() < form_.relations.size()) combinations_.resize(form_.relations.size());
  Combinations& all = combinations_[relation];
  if (all.known) return all;
  const runtime::GroundRelation& ground = form_.relations[relation];
  all.known = true;
  all.sizes = ground.sizes;
  EXH_CHECK(all.sizes.size() <= std::tuple_size_v<Tuple>);
  std::size_t count = 1;
  for (const int size : all.sizes) count *= static_cast<std::size_t>(size);
  all.allowed.resize(count);
  if (all.sizes.size() == 2) all.rows.resize(static_cast<std::size_t>(all.sizes[0]));
  for (const std::vector<int>& tuple : AllowedTuples(form_, ground)) {
    std::size_t index = 0;
    for (std::size_t p = 0; p < tuple.size(); ++p) {
      index = index * static_cast<std::size_t>(all.sizes[p]) + static_cast<std::size_t>(tuple[p]);
    }
    all.allowed[index] = true;
    if (!all.rows.empty()) all.rows[static_cast<std::size_t>(tuple[0])] |= Bits{1} << tuple[1];
  }
  return all;
}

std::span<const Bits> TableResiduals::Rows(std::uint32_t relation) {
  return All(relation).rows;
}

TableResidual TableResiduals::Find(std::uint32_t relation, std::span<const Bits> domains) {
  std::string key(sizeof(relation) + domains.size_bytes(), '\0');
  std::copy_n(reinterpret_cast<const char*>(&relation), sizeof(relation), key.begin());
  std::copy_n(reinterpret_cast<const char*>(domains.data()), domains.size_bytes(),
              key.begin() + sizeof(relation));
  const auto known = known_.find(key);
  if (known != known_.end()) return known->second;
  const TableResidual residual = Compute(All(relation), domains);
  if (known_.size() >= kMostKnown) known_.clear();
  known_.emplace(std::move(key), residual);
  return residual;
}

TableResidual TableResiduals::Compute(const Combinations& all, std::span<const Bits> domains) {
  std::vector<Tuple> tuples;
  Tuple tuple{};
  const std::size_t arity = domains.size();
  const auto collect = [&](const auto& self, std::size_t position, std::size_t index) -> void {
    if (position == arity) {
      if (all.allowed[index]) tuples.push_back(tuple);
      return;
    }
    for (Bits rest = domains[position]; rest != 0; rest &= rest - 1) {
      const int value = std::countr_zero(rest);
      tuple[position] = static_cast<std::uint8_t>(value);
      self(self, position + 1,
           index * static_cast<std::size_t>(all.sizes[position]) + static_cast<std::size_t>(value));
    }
  };
  collect(collect, 0, 0);

  std::uint8_t open = 0;
  for (std::size_t p = 0; p < arity; ++p) {
    if (!std::has_single_bit(domains[p])) open |= static_cast<std::uint8_t>(1u << p);
  }
  TableResidual residual;
  residual.impossible = tuples.empty();
  while (open != 0) {
    // The smallest group with the first open position: what is left is its product with the rest.
    std::uint8_t group = open;
    std::vector<Tuple> projected = Project(tuples, open);
    const std::size_t of_all = projected.size();
    for (std::uint8_t part = 1; part < open; ++part) {
      if ((part & ~open) != 0 || (part & (open & -open)) == 0) continue;
      if (group != open && std::popcount(part) >= std::popcount(group)) continue;
      std::vector<Tuple> left = Project(tuples, part);
      const auto others = static_cast<std::uint8_t>(open & ~part);
      if (left.size() * Project(tuples, others).size() != of_all) continue;
      group = part;
      projected = std::move(left);
    }
    std::size_t most = 1;
    std::string content;
    for (std::size_t p = 0; p < arity; ++p) {
      if ((group >> p & 1) == 0) continue;
      most *= static_cast<std::size_t>(std::popcount(domains[p]));
      content += static_cast<char>(p);
      content.append(reinterpret_cast<const char*>(&domains[p]), sizeof(Bits));
    }
    if (projected.size() != most) {
      for (const Tuple& kept : projected) {
        for (std::size_t p = 0; p < arity; ++p) {
          if ((group >> p & 1) != 0) content += static_cast<char>(kept[p]);
        }
      }
      if (contents_.size() >= kMostKnown) contents_.clear();
      const auto [it, is_new] = contents_.try_emplace(std::move(content), next_content_);
      if (is_new) ++next_content_;
      residual.groups[residual.num_groups++] = {group, it->second};
    }
    open = static_cast<std::uint8_t>(open & ~group);
  }
  return residual;
}

}  // namespace exh::search

// SPDX-License-Identifier: MIT
//
// What kernels/spaces/copies.exh asks: which arguments are copied into a temporary and how; and
// which arrays have rows that may be skewed.
#include <algorithm>
#include <cstdlib>
#include <limits>
#include <set>

#include "kernels/ir/target.h"

namespace exh::kernels::ir {

bool Target::is_copy(const Communication& c) const {
  if (paper || keeps_loose_copies || device.max_threads <= 1 || !c.lowered) return false;
  const Instruction& read = inst(c.producer);
  if (!reads_input(read) || phase(read.phase).is_main) return false;
  return std::ranges::all_of(insts, [&](const Instruction& other) {
    return other.id == read.id || other.phase != read.phase || other.op == Op::kTempStore;
  });
}

std::uint32_t Target::least_copying(const Communication& c) const {
  constexpr std::uint64_t kEach = 4;
  std::uint64_t points = 1;
  std::set<LogicalDimId> counted;
  for (const DimId id : inst(c.producer).dims) {
    const LogicalDim& axis = logical(dim(id).logical);
    if (counted.insert(axis.id).second) points *= axis.extent;
  }
  if (counted.size() < 2) return 1;  // Of a vector there may be little.
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>({kWarpLanes, points / kEach, device.max_threads}));
}

Refs<Communication> Target::copies() const {
  Refs<Communication> out;
  for (const Communication& c : comms) {
    if (c.may_lower && is_copy(c)) out.push_back(std::cref(c));
  }
  return out;
}

Refs<Communication> Target::copy_of(const DimPair& p) const {
  for (const Communication& c : copies()) {
    if (c.lowered->store_comm == p.comm) return {std::cref(c)};
  }
  return {};
}

Refs<Communication> Target::copy_into(const MemBlock& b) const {
  const Communication& c = comm(b.comm);
  return is_copy(c) ? Refs<Communication>{std::cref(c)} : Refs<Communication>{};
}

bool Target::copied_outside(const Dimension& outer, const Dimension& inner) const {
  if (outer.logical == inner.logical) return outer.level < inner.level;
  const Instruction& access = inst(outer.inst);
  // How far neighbours along an axis are apart; where the access does not move, nothing is nearer.
  const auto distance = [&](LogicalDimId axis) {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (const AccessAxis& a : access.access) {
      if (a.logical == axis && a.stride != 0) least = std::min(least, std::abs(a.stride));
    }
    return least;
  };
  const std::int64_t a = distance(outer.logical), b = distance(inner.logical);
  return a != b ? a > b : outer.logical.index() < inner.logical.index();
}

Refs<Dimension> Target::filled_from(const Axis& a) const {
  const MemBlock& b = block(a.block);
  // Axes are planned pair by pair (lowering.h).
  return {std::cref(dim(pair(comm(b.comm).pairs[place_of(a) - 1]).src))};
}

bool Target::may_skew(const MemBlock& b, std::string_view way) const {
  if (paper || std::ranges::find(device.skews, way) == device.skews.end()) return false;
  if (way == kPad4Bytes && b.element_bytes > 4) return false;
  std::set<LogicalDimId> rows;
  for (const AxisId id : b.axes) {
    const LogicalDim& row = logical(dim(axis(id).store_dim).logical);
    if (row.extent > 1) rows.insert(row.id);
  }
  return rows.size() > 1;
}

std::vector<std::uint32_t> Target::powers_of_two() const {
  constexpr std::uint32_t kLargest = 1u << 31;
  std::vector<std::uint32_t> out;
  for (std::uint32_t power = 1; power < kLargest; power *= 2) out.push_back(power);
  return out;
}

Refs<Rank> Target::first_rank() const {
  return ranks.empty() ? Refs<Rank>{} : Refs<Rank>{std::cref(ranks.front())};
}

}  // namespace exh::kernels::ir

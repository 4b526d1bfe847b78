// SPDX-License-Identifier: MIT
//
// What kernels/spaces/memory.exh asks: layouts of temporaries, and what an access may take at once.
#include <algorithm>
#include <set>

#include "kernels/ir/target.h"
#include "kernels/ir/target/lanes.h"

namespace exh::kernels::ir {

bool Target::level_around(const Axis& outer, const Axis& inner) const {
  const Dimension& a = dim(outer.store_dim);
  const Dimension& b = dim(inner.store_dim);
  return a.logical == b.logical && a.level + 1 == b.level;
}

std::vector<std::uint32_t> Target::rank_universe(const MemBlock& b) const {
  // What is one loop on both sides is never stored.
  const auto most = std::count_if(b.axes.begin(), b.axes.end(), [&](const AxisId id) {
    return !has_run_time_size(dim(axis(id).store_dim));
  });
  std::vector<std::uint32_t> out;
  for (std::uint32_t rank = 0; rank <= most; ++rank) out.push_back(rank);
  return out;
}

std::vector<std::uint32_t> Target::place_universe(const MemBlock& b, const Rank& rank) const {
  std::vector<std::uint32_t> out = {0};
  if (paper || rank.value > b.axes.size()) return out;
  for (const AxisId id : b.axes) out.push_back(place_of(axis(id)));
  return out;
}

std::uint32_t Target::place_of(const Axis& a) const {
  const std::vector<AxisId>& all = block(a.block).axes;
  return static_cast<std::uint32_t>(std::ranges::find(all, a.id) - all.begin()) + 1;
}

std::vector<std::uint32_t> Target::shared_universe(const MemBlock& b) const {
  std::vector<std::uint32_t> out = {0};
  if (!refuses_vain_fills()) return out;
  for (const AxisId id : b.axes) {
    if (dim(axis(id).store_dim).sizes.back() > 1) out.push_back(place_of(axis(id)));
  }
  return out;
}

std::vector<std::uint32_t> Target::vec_universe(const Instruction& inst) const {
  std::vector<std::uint32_t> out = {1};
  // Where lanes compute, a VECTOR dim says how wide an access is.
  if (paper || device.vector_arithmetic) return out;
  const bool is_argument = inst.op == Op::kLoad || inst.op == Op::kStore;
  const Refs<Dimension> contiguous = is_argument ? contiguous_dim(inst) : Refs<Dimension>();
  if (is_argument && contiguous.empty()) return out;
  if (is_argument && is_guarded(inst, contiguous.front().get().logical)) return out;
  if (device.vector_sizes.empty()) return out;
  // The device's sizes are of elements of 4 bytes.
  constexpr std::uint32_t kMostBytes = 16;
  const std::uint32_t bytes = BytesOf(element_type(inst));
  const std::uint32_t promised = is_argument ? array(inst.array).alignment : kMostBytes;
  const std::uint32_t most = std::min({4 * WidestVector(device), promised, kMostBytes}) / bytes;
  for (std::uint32_t lanes = 2; lanes <= most; lanes *= 2) {
    // All elements are inside of a covered axis, or none of them.
    const bool is_whole = !is_argument ||
                          logical(contiguous.front().get().logical).total % lanes == 0 ||
                          !logical(contiguous.front().get().logical).covers();
    if (!is_whole) break;
    // Every other axis must step from one aligned address to the next.
    const bool aligned = std::all_of(inst.access.begin(), inst.access.end(),
                                     [&](const AccessAxis& a) {
                                       return a.logical == contiguous.front().get().logical ||
                                              a.stride % lanes == 0 ||
                                              logical(a.logical).total == 1;
                                     }) &&
                         inst.offset % lanes == 0;
    if (aligned) out.push_back(lanes);
  }
  return out;
}

std::vector<std::uint32_t> Target::multiples(std::uint32_t n) const {
  constexpr std::uint32_t kLargest = 4096;
  std::vector<std::uint32_t> out;
  for (std::uint32_t multiple = n; multiple <= kLargest; multiple += n) out.push_back(multiple);
  return out;
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

bool Target::may_swizzle(const MemBlock& b, std::string_view way) const {
  const Communication& c = comm(b.comm);
  const Instruction& reader = inst(c.consumer);
  return (way == kSwizzle64 || way == kSwizzle128) && reader.is_reduction() &&
         is_operand(reader, c) && may_use_groups(reader) &&
         b.type == TypeOf(reader.operands.front());
}

std::vector<std::uint32_t> Target::powers_of_two() const {
  constexpr std::uint32_t kLargest = 1u << 31;
  std::vector<std::uint32_t> out;
  for (std::uint32_t power = 1; power < kLargest; power *= 2) out.push_back(power);
  return out;
}

bool Target::allows_cache(const Instruction& inst, std::string_view flag) const {
  const auto& flags = device.cache_flags;
  if (std::find(flags.begin(), flags.end(), flag) == flags.end()) return false;
  // The read-only path is not coherent: only loads of arrays that nothing writes may take it.
  if (flag == "CACHE_READ_ONLY") {
    return inst.op == Op::kLoad && array(inst.array).role == ArrayRole::kInput;
  }
  // Where lanes compute, only whole vectors of results go past the caches.
  if (flag == kNoCache && device.vector_arithmetic) {
    return !paper && inst.op == Op::kStore && !contiguous_dim(inst).empty();
  }
  return true;
}

}  // namespace exh::kernels::ir

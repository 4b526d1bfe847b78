// SPDX-License-Identifier: MIT
#include "kernels/ir/target.h"

#include <algorithm>
#include <limits>

#include "kernels/ir/target/lanes.h"

namespace exh::kernels::ir {

const Statement& Target::statement(StmtId id) const {
  return *std::find_if(statements.begin(), statements.end(),
                       [&](const Statement& s) { return s.id == id; });
}

const Dimension* Target::as_dim(const Statement& statement) const {
  return statement.id.is_inst ? nullptr : &dim(statement.id.dim());
}

const Instruction* Target::as_inst(const Statement& statement) const {
  return statement.id.is_inst ? &inst(statement.id.inst()) : nullptr;
}

Refs<Dimension> Target::refs(const std::vector<DimId>& ids) const {
  Refs<Dimension> out;
  for (const DimId id : ids) out.push_back(std::cref(dim(id)));
  return out;
}

Refs<Instruction> Target::memory_insts() const {
  Refs<Instruction> out;
  for (const Instruction& i : insts) {
    if (i.is_memory()) out.push_back(std::cref(i));
  }
  return out;
}

Refs<Instruction> Target::once_insts() const {
  Refs<Instruction> out;
  for (const Instruction& i : insts) {
    if (i.executes_once()) out.push_back(std::cref(i));
  }
  return out;
}

Refs<Instruction> Target::reductions() const {
  Refs<Instruction> out;
  for (const Instruction& i : insts) {
    if (i.is_reduction()) out.push_back(std::cref(i));
  }
  return out;
}

Refs<Instruction> Target::init_of(const Instruction& reduction) const {
  Refs<Instruction> out;
  if (reduction.init.valid()) out.push_back(std::cref(inst(comm(reduction.init).producer)));
  return out;
}

Refs<DimPair> Target::pairs_of(const Communication& c) const {
  Refs<DimPair> out;
  for (const PairId id : c.pairs) out.push_back(std::cref(pair(id)));
  return out;
}

Refs<Axis> Target::axes_of(const MemBlock& b) const {
  Refs<Axis> out;
  for (const AxisId id : b.axes) out.push_back(std::cref(axis(id)));
  return out;
}

bool Target::is_own(const Instruction& inst, const Dimension& dim) const {
  return std::find(inst.dims.begin(), inst.dims.end(), dim.id) != inst.dims.end();
}

/// Lanes along the axis begin at multiples of their number, whatever the other axes do: the number
/// divides the axis, or is 4 at most. Where lanes compute, accesses need no alignment.
bool Target::is_aligned(const Instruction& inst, const LogicalDim& lanes) const {
  if (device.vector_arithmetic) return true;
  constexpr std::int64_t kMostLanes = 4;
  const std::uint32_t widest =
      std::min(std::uint32_t{kMostLanes} * BytesOf(element_type(inst)), kDefaultAlignment);
  if (array(inst.array).alignment < widest) return false;
  const auto is_multiple = [&](std::int64_t step) {
    return step % kMostLanes == 0 || step % static_cast<std::int64_t>(lanes.extent) == 0;
  };
  return is_multiple(inst.offset) &&
         std::all_of(inst.access.begin(), inst.access.end(), [&](const AccessAxis& a) {
           return a.logical == lanes.id || logical(a.logical).total == 1 || is_multiple(a.stride);
         });
}

/// Does a dimension of the array that the load may leave move along the axis?
bool Target::is_guarded(const Instruction& inst, LogicalDimId axis) const {
  return std::ranges::any_of(inst.guards, [&](const AccessGuard& guard) {
    return std::ranges::any_of(guard.axes, [&](const AccessAxis& a) { return a.logical == axis; });
  });
}

bool Target::vectorizable(const Instruction& inst, const Dimension& dim) const {
  if (inst.op != Op::kLoad && inst.op != Op::kStore) return true;
  if (!device.vector_arithmetic && is_guarded(inst, dim.logical)) return false;
  if (!device.vector_arithmetic && logical(dim.logical).covers()) return false;
  for (const AccessAxis& a : inst.access) {
    if (a.logical != dim.logical || a.stride == 0) continue;
    return a.stride == 1 && dim.innermost_level && is_aligned(inst, logical(dim.logical));
  }
  return inst.op == Op::kLoad;  // The address does not move: every lane loads the same element.
}

bool Target::may_have_parts(const Dimension& d) const {
  if (!d.is_reduction || paper) return false;
  return std::ranges::none_of(
      comms, [&](const Communication& c) { return c.producer == d.inst && c.is_init; });
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

Refs<Communication> Target::lowerable_comms() const {
  Refs<Communication> out;
  for (const Communication& c : comms) {
    if (c.may_lower) out.push_back(std::cref(c));
  }
  return out;
}

Refs<DimPair> Target::tile_pairs() const {
  Refs<DimPair> out;
  for (const DimPair& p : pairs) {
    if (comm(p.comm).may_lower) out.push_back(std::cref(p));
  }
  return out;
}

bool Target::level_around_pair(const DimPair& outer, const DimPair& inner) const {
  const Dimension &a = dim(outer.src), &b = dim(inner.src);
  return outer.comm == inner.comm && a.logical == b.logical && a.level + 1 == b.level;
}

bool Target::stays_around(const DimPair& other, const DimPair& pair) const {
  const Dimension &a = dim(other.src), &b = dim(pair.src);
  return other.comm == pair.comm && (a.logical != b.logical || a.level < b.level);
}

bool Target::has_level_around(const DimPair& inner) const {
  return std::ranges::any_of(pairs,
                             [&](const DimPair& outer) { return level_around_pair(outer, inner); });
}

std::uint32_t Target::least_around_tile(const Communication& c) const {
  std::uint64_t points = 1;
  std::vector<LogicalDimId> counted;
  for (const PairId id : c.pairs) {
    const LogicalDimId axis = dim(pair(id).src).logical;
    if (std::ranges::find(counted, axis) != counted.end()) continue;
    counted.push_back(axis);
    points *= logical(axis).extent;  // Arrays hold what lies beyond an axis, too.
  }
  // Before PlanLowering() there is no array yet, and nothing to fit.
  if (!c.lowered) return 1;
  const std::uint64_t most = std::max<std::uint64_t>(device.shared_bytes, device.global_bytes) /
                             block(c.lowered->block).element_bytes;
  const std::uint64_t least = most == 0 ? points : (points + most - 1) / most;
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(least, std::numeric_limits<std::uint32_t>::max()));
}

Refs<Dimension> Target::dims_of(const Phase& p) const {
  Refs<Dimension> out;
  for (const Dimension& d : dims) {
    if (phase_of(d) == p.id) out.push_back(std::cref(d));
  }
  return out;
}

bool Target::level_around(const Axis& outer, const Axis& inner) const {
  const Dimension& a = dim(outer.store_dim);
  const Dimension& b = dim(inner.store_dim);
  return a.logical == b.logical && a.level + 1 == b.level;
}

bool Target::is_contiguous(const Instruction& inst, const Dimension& dim) const {
  const Refs<Dimension> contiguous = contiguous_dim(inst);
  return !contiguous.empty() && contiguous.front().get().id == dim.id;
}

/// Of an access that moves by one element along several axes, x[n + k], it is the first.
Refs<Dimension> Target::contiguous_dim(const Instruction& inst) const {
  for (const DimId id : inst.dims) {
    const Dimension& d = dim(id);
    if (!d.innermost_level || d.sizes.back() == 1) continue;
    const bool by_one =
        std::any_of(inst.access.begin(), inst.access.end(),
                    [&](const AccessAxis& a) { return a.logical == d.logical && a.stride == 1; });
    if (by_one) return {std::cref(d)};
  }
  return {};
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

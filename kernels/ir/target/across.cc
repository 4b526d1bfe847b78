// SPDX-License-Identifier: MIT
//
// What kernels/spaces/across.exh asks: which reductions may be divided among blocks, and how their
// parts become one.
#include <algorithm>
#include <limits>

#include "kernels/ir/ops.h"
#include "kernels/ir/target.h"

namespace exh::kernels::ir {
namespace {

/// Elements of partial results at most: what is beyond costs more than it saves. Where threads do
/// not compute in thousands, points of the result are work enough for them much earlier.
constexpr std::uint64_t kMostPartials = 1 << 24, kMostPartialsOfFew = 1 << 16;
/// Parts of one value at most.
constexpr std::uint64_t kMostSplits = 1 << 16;
/// … and of a scan, of which blocks leave a word each.
constexpr std::uint64_t kMostScanned = 1 << 20;

/// Does a GPU have an instruction for it that needs no answer?
bool HasRed(Op op, Type type) {
  const bool is_wide = type == Type::kI64;
  if (op == Op::kAdd) return type != Type::kBool;
  if (op == Op::kMin || op == Op::kMax) return !IsFloat(type);
  return (op == Op::kAnd || op == Op::kOr || op == Op::kXor) && (is_wide || !IsFloat(type));
}

/// Do values of the reduction reach another one? But sums that it corrects while it runs.
bool IsBeforeOthers(const Function& function, const Instruction& reduction) {
  std::vector<bool> reached = ReachedFrom(function, reduction.id);
  for (const Communication& comm : function.comms) {
    if (comm.producer != reduction.id || !comm.running) continue;
    for (const InstId sum : comm.running->corrected) reached[sum.index()] = false;
  }
  return std::ranges::any_of(function.insts, [&](const Instruction& inst) {
    return inst.is_reduction() && reached[inst.id.index()];
  });
}

/// Values that each part yields: of the result, and beyond its covered axes.
std::uint64_t PointsOf(const Function& function, const Instruction& reduction) {
  std::uint64_t points = 1;
  std::vector<LogicalDimId> counted;
  for (const DimId id : reduction.dims) {
    const Dimension& dim = function.dim(id);
    if (dim.is_reduction || std::ranges::find(counted, dim.logical) != counted.end()) continue;
    counted.push_back(dim.logical);
    points *= function.logical(dim.logical).extent;
  }
  return points;
}

bool Offers(const Device& device, std::string_view way) {
  return std::ranges::find(device.across_blocks, way) != device.across_blocks.end();
}

/// May a block of the scan take what is before it from those that came before? Threads have slices
/// of what is its own, all that reads a value is in the block that has made it, and nothing else is
/// reduced, which would want all blocks for itself.
bool MayLookBack(const Target& function, const Dimension& d) {
  const Instruction& scan = function.inst(d.inst);
  if (!Offers(function.device, kLookBack) || function.sliceable_dims(scan) < 2) return false;
  const auto reads_another_step = [&](const Communication& comm) {
    if (comm.planned || comm.is_init || comm.producer != scan.id) return false;
    const Refs<DimPair> pairs = function.pairs_of(comm);
    return std::ranges::none_of(pairs, [&](const DimPair& pair) { return pair.src == d.id; });
  };
  if (std::ranges::any_of(function.comms, reads_another_step)) return false;
  return std::ranges::all_of(function.insts, [](const Instruction& other) {
    return other.planned || !other.is_reduction() || other.is_scan();
  });
}

}  // namespace

bool Target::may_split(const Dimension& d) const {
  if (!d.is_reduction || paper || d.level != 0 || d.sizes.back() == 1) return false;
  if (device.across_blocks.empty()) return false;
  const Instruction& reduction = inst(d.inst);
  if (max_splits(reduction) < 2) return false;
  if (reduction.is_scan()) return MayLookBack(*this, d) && !IsBeforeOthers(*this, reduction);
  return has_clusters() || !IsBeforeOthers(*this, reduction);
}

bool Target::is_term_of(const Instruction& maximum, const Dimension& d) const {
  return std::ranges::any_of(comms, [&](const Communication& comm) {
    return comm.producer == maximum.id && is_term_loop(comm, d);
  });
}

bool Target::has_clusters() const {
  return device.max_cluster > 1 &&
         std::ranges::find(device.across_blocks, kCluster) != device.across_blocks.end();
}

std::vector<std::uint32_t> Target::cluster_sizes() const {
  std::vector<std::uint32_t> sizes;
  for (std::uint32_t size = 2; size <= device.max_cluster; size *= 2) sizes.push_back(size);
  return sizes;
}

namespace {

/// Bytes in which the blocks of a cluster tell each other what they have of one reduction.
std::uint32_t ToldBytes(const Target& f) {
  const auto reductions = static_cast<std::uint32_t>(
      std::ranges::count_if(f.insts, [](const Instruction& i) { return i.is_reduction(); }));
  return kClusterBytes / std::max(reductions, 1u);
}

}  // namespace

std::uint32_t Target::most_told_in_clusters() const {
  return std::min(kClusterBytesOfOne, ToldBytes(*this)) / 4 / device.max_cluster;
}

std::uint32_t Target::most_tiles_told_in_clusters(const Instruction& reduction) const {
  const UnitShape& shape = ShapeOf(UnitOf(*this, reduction));
  return ToldBytes(*this) / 4 / device.max_cluster / (shape.rows.size() * shape.columns.size());
}

std::string_view Target::why_not_across(const Instruction& reduction, std::string_view way) const {
  if (!Offers(device, way)) return "the device has no such way";
  if (splittable_dims(reduction) == 0) return "none of its axes may be divided";
  if (reduction.is_scan() != (way == kLookBack)) {
    return reduction.is_scan() ? "it is a scan, whose steps have an order" : "it is no scan";
  }
  const bool runs = std::ranges::any_of(comms, [&](const Communication& comm) {
    return comm.running && comm.producer == reduction.id;
  });
  if (way == kCluster) {
    return device.shared_bytes < 2 * (kSliceBytes + kClusterBytes)
               ? "blocks share too little memory"
               : std::string_view();
  }
  if (IsBeforeOthers(*this, reduction) || (runs && device.vector_arithmetic)) {
    return "a reduction comes after it, which blocks need its value for";
  }
  if (way == kLastBlock || way == kSecondLaunch) return {};
  if (device.deterministic && !IsExact(reduction.op, reduction.type)) {
    return "blocks come in any order, which its bits show, and the device is deterministic";
  }
  if (way == kLookBack) return {};
  const Refs<Instruction> store = direct_store(reduction);
  const Type type = reduction.type;
  if (store.empty() || ComputeTypeOf(type) != type) {
    return "its value is not stored as it is, in the type that it is computed in";
  }
  if (way == kAtomicCas) return {};
  if (!HasRed(CombinedBy(reduction.op), type)) {
    return "the hardware has no such operation on this type";
  }
  if (way == kAtomicRed) return {};
  const bool has_vectors = CombinedBy(reduction.op) == Op::kAdd && type == Type::kF32 &&
                           vec_universe(store.front()).size() > 1;
  return has_vectors ? std::string_view() : "it is no sum of floats that are neighbours in memory";
}

std::uint32_t Target::splittable_dims(const Instruction& reduction) const {
  return static_cast<std::uint32_t>(
      std::ranges::count_if(reduction.reduce_dims, [&](DimId id) { return may_split(dim(id)); }));
}

std::uint32_t Target::sliceable_dims(const Instruction& scan) const {
  return static_cast<std::uint32_t>(
      std::ranges::count_if(scan.reduce_dims, [&](DimId id) { return may_slice(dim(id)); }));
}

std::uint32_t Target::max_splits(const Instruction& reduction) const {
  if (reduction.is_scan()) {
    // Its result has a point for each step: what is left are the rows.
    std::uint64_t rows = PointsOf(*this, reduction);
    return static_cast<std::uint32_t>(
        std::clamp<std::uint64_t>(kMostPartials / rows, 1, kMostScanned));
  }
  const std::uint64_t most = device.max_threads > 1 ? kMostPartials : kMostPartialsOfFew;
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(most / PointsOf(*this, reduction), 1, kMostSplits));
}

bool Target::is_after(const Instruction& inst, const Instruction& producer) const {
  return ReachedFrom(*this, producer.id)[inst.id.index()];
}

bool Target::comes_in_parts(const Instruction& a, const Instruction& b) const {
  if (!is_after(b, a)) return false;
  return std::ranges::any_of(b.reduce_dims, [&](DimId reduced) {
    const std::string_view along = logical(dim(reduced).logical).axis_name();
    return std::ranges::any_of(a.dims, [&](DimId kept) {
      return !dim(kept).is_reduction && logical(dim(kept).logical).axis_name() == along;
    });
  });
}

bool Target::meet(const Instruction& a, const Instruction& b) const {
  return Meet(*this, a.id, b.id);
}

}  // namespace exh::kernels::ir

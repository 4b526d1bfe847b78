// SPDX-License-Identifier: MIT
//
// What kernels/spaces/statements.exh asks: which objects there are.
#include <algorithm>
#include <array>
#include <functional>

#include "kernels/ir/target.h"
#include "kernels/ir/target/nest_axes.h"

namespace exh::kernels::ir {
namespace {

constexpr std::uint32_t kMostCounted = 8;

constexpr std::array<Count, kMostCounted> MakeCounts() {
  std::array<Count, kMostCounted> counts;
  for (std::uint32_t i = 0; i < kMostCounted; ++i) counts[i].value = i + 1;
  return counts;
}
constexpr std::array<Count, kMostCounted> kCounts = MakeCounts();

}  // namespace

std::vector<std::uint32_t> Target::up_to(std::uint32_t most) {
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t n = 1; n <= std::clamp(most, 1u, kMostCounted); ++n) numbers.push_back(n);
  return numbers;
}

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

Refs<Instruction> Target::scans() const {
  Refs<Instruction> out;
  for (const Instruction& i : insts) {
    if (i.is_scan()) out.push_back(std::cref(i));
  }
  return out;
}

Refs<Instruction> Target::init_of(const Instruction& reduction) const {
  Refs<Instruction> out;
  if (reduction.init.valid()) out.push_back(std::cref(inst(comm(reduction.init).producer)));
  return out;
}

Refs<Dimension> Target::refs(const std::vector<DimId>& ids) const {
  Refs<Dimension> out;
  for (const DimId id : ids) out.push_back(std::cref(dim(id)));
  return out;
}

bool Target::is_own(const Instruction& inst, const Dimension& dim) const {
  return std::find(inst.dims.begin(), inst.dims.end(), dim.id) != inst.dims.end();
}

Refs<Dimension> Target::once_dims(const Instruction& inst) const {
  Refs<Dimension> out = own_dims(inst);
  for (const Dimension& d : dims) {
    if (!is_own(inst, d) && is_once_dim(inst, d)) out.push_back(std::cref(d));
  }
  return out;
}

bool Target::is_once_dim(const Instruction& inst, const Dimension& dim) const {
  if (is_own(inst, dim)) return true;
  if (!may_end(dim) || !is_after(inst, this->inst(dim.inst))) return false;
  // A sum that a maximum corrects has the same loops, or the same blocks, along an axis of its own.
  return std::ranges::none_of(comms, [&](const Communication& comm) {
    return comm.producer == dim.inst && comm.running &&
           std::ranges::find(comm.running->corrected, inst.id) != comm.running->corrected.end();
  });
}

Refs<Dimension> Target::tensor_dims(const Instruction& reduction) const {
  Refs<Dimension> out;
  for (const Dimension& d : dims) {
    if (is_tensor_dim(reduction, d)) out.push_back(std::cref(d));
  }
  return out;
}

Refs<Dimension> Target::cluster_dims() const {
  Refs<Dimension> out;
  for (const Dimension& d : dims) {
    if (may_be_cluster(d)) out.push_back(std::cref(d));
  }
  return out;
}

bool Target::may_be_cluster(const Dimension& d) const {
  if (device.max_cluster < 2 || d.level != 0 || d.planned || d.is_reduction) return false;
  const Instruction& product = inst(d.inst);
  if (!product.is_reduction() || !may_use_groups(product)) return false;
  std::uint32_t moving = 0, resting = 0;
  for (const Communication& comm : comms) {
    if (!is_operand(product, comm)) continue;
    if (!comm.lowered || !may_copy_bulk(block(comm.lowered->block))) return false;
    ++(ProducersAxis(*this, comm, logical(d.logical)) != nullptr ? moving : resting);
  }
  return moving > 0 && resting > 0;
}

Refs<Instruction> Target::direct_store(const Instruction& reduction) const {
  const Instruction* store = nullptr;
  for (const Communication& comm : comms) {
    if (comm.producer != reduction.id || comm.planned) continue;
    const Instruction& reader = inst(comm.consumer);
    if (store != nullptr || comm.is_init || comm.may_lower || reader.op != Op::kStore) return {};
    store = &reader;
  }
  if (store == nullptr || array(store->array).type != reduction.type) return {};
  return {std::cref(*store)};
}

Refs<Communication> Target::lowerable_comms() const {
  Refs<Communication> out;
  for (const Communication& c : comms) {
    if (c.may_lower) out.push_back(std::cref(c));
  }
  return out;
}

Refs<DimPair> Target::pairs_of(const Communication& c) const {
  Refs<DimPair> out;
  for (const PairId id : c.pairs) out.push_back(std::cref(pair(id)));
  return out;
}

Refs<DimPair> Target::tile_pairs() const {
  Refs<DimPair> out;
  for (const DimPair& p : pairs) {
    if (comm(p.comm).may_lower) out.push_back(std::cref(p));
  }
  return out;
}

bool Target::is_copy(const Communication& c) const {
  if (paper || keeps_loose_copies || device.max_threads <= 1 || !c.lowered) return false;
  const Instruction& read = inst(c.producer);
  if (!reads_input(read) || phase(read.phase).is_main) return false;
  return std::ranges::all_of(insts, [&](const Instruction& other) {
    return other.id == read.id || other.phase != read.phase || other.op == Op::kTempStore;
  });
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

Refs<Axis> Target::axes_of(const MemBlock& b) const {
  Refs<Axis> out;
  for (const AxisId id : b.axes) out.push_back(std::cref(axis(id)));
  return out;
}

Refs<Dimension> Target::filled_from(const Axis& a) const {
  const MemBlock& b = block(a.block);
  // Axes are planned pair by pair (lowering.h).
  return {std::cref(dim(pair(comm(b.comm).pairs[place_of(a) - 1]).src))};
}

Refs<Dimension> Target::dims_of(const Phase& p) const {
  Refs<Dimension> out;
  for (const Dimension& d : dims) {
    if (phase_of(d) == p.id) out.push_back(std::cref(d));
  }
  return out;
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

bool Target::is_contiguous(const Instruction& inst, const Dimension& dim) const {
  const Refs<Dimension> contiguous = contiguous_dim(inst);
  return !contiguous.empty() && contiguous.front().get().id == dim.id;
}

Refs<Count> Target::counts() const {
  const std::uint32_t most = paper ? 1 : std::max(device.max_stages, device.resident_blocks);
  Refs<Count> out;
  for (const std::uint32_t n : up_to(most)) out.push_back(std::cref(count(n)));
  return out;
}

const Count& Target::count(std::uint32_t value) const {
  return kCounts[value - 1];
}

Refs<Rank> Target::first_rank() const {
  return ranks.empty() ? Refs<Rank>{} : Refs<Rank>{std::cref(ranks.front())};
}

}  // namespace exh::kernels::ir

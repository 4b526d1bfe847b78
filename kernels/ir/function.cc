// SPDX-License-Identifier: MIT
#include "kernels/ir/function.h"

#include <algorithm>

namespace exh::kernels::ir {

const Statement& Function::statement(StmtId id) const {
  return *std::find_if(statements.begin(), statements.end(),
                       [&](const Statement& s) { return s.id == id; });
}

const Dimension* Function::as_dim(const Statement& statement) const {
  return statement.id.is_inst ? nullptr : &dim(statement.id.dim());
}

const Instruction* Function::as_inst(const Statement& statement) const {
  return statement.id.is_inst ? &inst(statement.id.inst()) : nullptr;
}

Refs<Dimension> Function::refs(const std::vector<DimId>& ids) const {
  Refs<Dimension> out;
  for (const DimId id : ids) out.push_back(std::cref(dim(id)));
  return out;
}

Refs<Instruction> Function::memory_insts() const {
  Refs<Instruction> out;
  for (const Instruction& i : insts) {
    if (i.is_memory()) out.push_back(std::cref(i));
  }
  return out;
}

Refs<Instruction> Function::once_insts() const {
  Refs<Instruction> out;
  for (const Instruction& i : insts) {
    if (i.executes_once()) out.push_back(std::cref(i));
  }
  return out;
}

Refs<Instruction> Function::reductions() const {
  Refs<Instruction> out;
  for (const Instruction& i : insts) {
    if (i.is_reduction()) out.push_back(std::cref(i));
  }
  return out;
}

Refs<Instruction> Function::init_of(const Instruction& reduction) const {
  Refs<Instruction> out;
  if (reduction.init.valid()) out.push_back(std::cref(inst(comm(reduction.init).producer)));
  return out;
}

Refs<DimPair> Function::pairs_of(const Communication& c) const {
  Refs<DimPair> out;
  for (const PairId id : c.pairs) out.push_back(std::cref(pair(id)));
  return out;
}

Refs<Axis> Function::axes_of(const MemBlock& b) const {
  Refs<Axis> out;
  for (const AxisId id : b.axes) out.push_back(std::cref(axis(id)));
  return out;
}

bool Function::is_own(const Instruction& inst, const Dimension& dim) const {
  return std::find(inst.dims.begin(), inst.dims.end(), dim.id) != inst.dims.end();
}

bool Function::vectorizable(const Instruction& inst, const Dimension& dim) const {
  if (inst.op != Op::kLoad && inst.op != Op::kStore) return true;
  for (const AccessAxis& a : inst.access) {
    if (a.logical == dim.logical && a.stride != 0) return a.stride == 1 && dim.innermost_level;
  }
  return inst.op == Op::kLoad;  // The address does not move: every lane loads the same element.
}

std::vector<std::uint32_t> Function::rank_universe(const MemBlock& b) const {
  std::vector<std::uint32_t> out;
  for (std::uint32_t rank = 0; rank <= b.axes.size(); ++rank) out.push_back(rank);
  return out;
}

bool Function::allows_cache(const Instruction& inst, std::string_view flag) const {
  const auto& flags = device.cache_flags;
  if (std::find(flags.begin(), flags.end(), flag) == flags.end()) return false;
  // The read-only path is not coherent: only loads of arrays that nothing writes may take it.
  if (flag == "CACHE_READ_ONLY") {
    return inst.op == Op::kLoad && array(inst.array).role == ArrayRole::kInput;
  }
  return true;
}

}  // namespace exh::kernels::ir

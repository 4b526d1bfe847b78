// SPDX-License-Identifier: MIT
#include "kernels/ir/lowering.h"

#include <algorithm>
#include <map>

#include "kernels/ir/target/plan_windows.h"

namespace exh::kernels::ir {
namespace {

template <typename IdType, typename T>
IdType NextId(const std::vector<T>& items) {
  return IdType{static_cast<std::uint16_t>(items.size())};
}

/// The text after the last dot of a dim's name: axis and level, "m1".
std::string AxisLevel(const Dimension& dim) {
  return dim.name_.substr(dim.name_.rfind('.') + 1);
}

class Planner {
 public:
  Planner(Function& function, CommId comm) : f_(function), comm_(comm) {}

  void Run() {
    const Communication comm = f_.comm(comm_);  // A copy: the lists grow below.
    const std::string name = BlockName(comm);
    const MemId block = NextId<MemId>(f_.blocks);
    const InstId store = AddAccess(name + ".st", Op::kTempStore, block, comm, true);
    const InstId load = AddAccess(name + ".ld", Op::kTempLoad, block, comm, false);

    MemBlock mem;
    mem.id = block;
    mem.name_ = name;
    mem.comm = comm.id;
    mem.type = f_.inst(comm.producer).type;
    mem.element_bytes = BytesOf(mem.type);
    mem.store = store;
    mem.load = load;
    for (std::size_t i = 0; i < comm.pairs.size(); ++i) {
      const auto axis = NextId<AxisId>(f_.axes);
      const DimId store_dim = f_.inst(store).dims[i], load_dim = f_.inst(load).dims[i];
      f_.axes.push_back(
          {axis, block, store_dim, load_dim, axis, name + "." + AxisLevel(f_.dim(store_dim))});
      mem.axes.push_back(axis);
      objects_.axes.push_back(axis);
    }
    f_.blocks.push_back(std::move(mem));
    objects_.blocks.push_back(block);

    std::vector<DimId> src, dst;
    for (const PairId pair : comm.pairs) {
      src.push_back(f_.pair(pair).src);
      dst.push_back(f_.pair(pair).dst);
    }
    const CommId store_comm = AddComm(comm.producer, store, 0, src, f_.inst(store).dims);
    const CommId load_comm = AddComm(load, comm.consumer, comm.operand, f_.inst(load).dims, dst);
    Operand value;
    value.kind = Operand::Kind::kComm;
    value.comm = store_comm;
    f_.insts[store.index()].operands = {value};
    f_.comms[comm.id.index()].lowered = {block, store, load, store_comm, load_comm};
    f_.lowered.resize(std::max(f_.lowered.size(), f_.comms.size()));
    f_.lowered[comm.id.index()] = std::move(objects_);
  }

 private:
  /// "tmp.load_a", or with the whole communication's name when several consumers read the value.
  std::string BlockName(const Communication& comm) const {
    const auto same_producer = [&](const Communication& other) {
      return other.may_lower && other.producer == comm.producer;
    };
    const bool alone = std::count_if(f_.comms.begin(), f_.comms.end(), same_producer) == 1;
    return "tmp." + (alone ? f_.inst(comm.producer).name_ : comm.name_);
  }

  /// A temp store (load) whose nest mirrors the producer's (consumer's) side of the pairs.
  InstId AddAccess(const std::string& name, Op op, MemId block, const Communication& comm,
                   bool producer_side) {
    Instruction inst;
    inst.id = NextId<InstId>(f_.insts);
    inst.name_ = name;
    inst.op = op;
    inst.block = block;
    inst.type = inst.computes = f_.inst(comm.producer).type;
    inst.planned = true;
    std::map<LogicalDimId, LogicalDimId> mirrored;
    for (const PairId pair : comm.pairs) {
      const Dimension origin = f_.dim(producer_side ? f_.pair(pair).src : f_.pair(pair).dst);
      auto [it, fresh] = mirrored.try_emplace(origin.logical);
      if (fresh) {
        const LogicalDim& old = f_.logical(origin.logical);
        it->second = NextId<LogicalDimId>(f_.logical_dims);
        LogicalDim axis{
            it->second, name + old.name.substr(old.name.rfind('.')), old.total, {}, old.extent};
        f_.logical_dims.push_back(std::move(axis));
        objects_.logical_dims.push_back(it->second);
      }
      Dimension dim;
      dim.id = NextId<DimId>(f_.dims);
      dim.name_ = name + "." + AxisLevel(origin);
      dim.logical = it->second;
      dim.level = origin.level;
      dim.sizes = origin.sizes;
      dim.innermost_level = origin.innermost_level;
      dim.planned = true;
      dim.inst = inst.id;
      f_.logical_dims[it->second.index()].dims.push_back(dim.id);
      inst.dims.push_back(dim.id);
      objects_.statements.push_back(dim.id);
      f_.dims.push_back(std::move(dim));
    }
    objects_.statements.push_back(inst.id);
    f_.insts.push_back(std::move(inst));
    return f_.insts.back().id;
  }

  CommId AddComm(InstId producer, InstId consumer, int operand, const std::vector<DimId>& src,
                 const std::vector<DimId>& dst) {
    Communication comm;
    comm.id = NextId<CommId>(f_.comms);
    comm.name_ = f_.inst(producer).name_ + ":" + f_.inst(consumer).name_;
    comm.producer = producer;
    comm.consumer = consumer;
    comm.operand = operand;
    comm.planned = true;
    for (std::size_t i = 0; i < src.size(); ++i) {
      const auto id = NextId<PairId>(f_.pairs);
      f_.pairs.push_back(
          {id, comm.id, src[i], dst[i], true, comm.name_ + "." + AxisLevel(f_.dim(dst[i]))});
      comm.pairs.push_back(id);
      objects_.pairs.push_back(id);
    }
    objects_.comms.push_back(comm.id);
    f_.comms.push_back(std::move(comm));
    return f_.comms.back().id;
  }

  Function& f_;
  CommId comm_;
  LoweredObjects objects_;
};

/// Instructions connected by communications that never leave the registers are one phase.
void FindPhases(Function& function) {
  std::vector<std::uint16_t> root(function.insts.size());
  for (std::size_t i = 0; i < root.size(); ++i) root[i] = static_cast<std::uint16_t>(i);
  const auto find = [&](std::uint16_t inst) {
    while (root[inst] != inst) inst = root[inst];
    return inst;
  };
  for (const Communication& comm : function.comms) {
    if (comm.may_lower) continue;
    const std::uint16_t a = find(comm.producer.value), b = find(comm.consumer.value);
    root[std::max(a, b)] = std::min(a, b);  // The first instruction stands for its phase.
  }
  std::map<std::uint16_t, PhaseId> phases;
  for (Instruction& inst : function.insts) {
    if (inst.op == Op::kWindow) continue;  // It has no dims, and so no threads of its own.
    const auto [it, fresh] =
        phases.try_emplace(find(inst.id.value), NextId<PhaseId>(function.phases));
    if (fresh) function.phases.push_back({it->second, inst.name_, false});
    inst.phase = it->second;
    if (inst.op == Op::kStore) function.phases[it->second.index()].is_main = true;
  }
}

}  // namespace

void PlanLowering(Function& function, bool windows, bool matrix_reads) {
  function.matrix_reads = matrix_reads;
  const std::size_t permanent_dims = function.dims.size();
  const std::size_t permanent_insts = function.insts.size();
  const std::size_t permanent_comms = function.comms.size();
  for (Communication& comm : function.comms) {
    comm.running = FindRunning(function, comm, function.links);
  }
  function.lowered.resize(permanent_comms);
  for (std::size_t comm = 0; comm < permanent_comms; ++comm) {
    if (function.comms[comm].may_lower) Planner(function, function.comms[comm].id).Run();
  }
  function.lowered.resize(function.comms.size());
  if (windows) PlanWindows(function);

  // Permanent statements come first: representatives of classes are the smallest members, so no
  // lowering changes which permanent dimension stands for its class.
  const auto add_dims = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Dimension& dim = function.dims[i];
      function.statements.push_back({dim.id, dim.name_, dim.planned});
    }
  };
  const auto add_insts = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Instruction& inst = function.insts[i];
      function.statements.push_back({inst.id, inst.name_, inst.planned});
    }
  };
  add_dims(0, permanent_dims);
  add_insts(0, permanent_insts);
  add_dims(permanent_dims, function.dims.size());
  add_insts(permanent_insts, function.insts.size());

  FindPhases(function);
  FindFragments(function);
  for (Axis& axis : function.axes) {
    const Dimension& dim = function.dim(axis.store_dim);
    for (const Axis& other : function.axes) {
      const Dimension& end = function.dim(other.store_dim);
      if (end.logical == dim.logical && end.innermost_level) axis.row_end = other.id;
    }
  }

  std::size_t most_axes = 0;
  for (const MemBlock& block : function.blocks) {
    most_axes = std::max(most_axes, block.axes.size());
  }
  for (std::uint32_t rank = 1; rank <= most_axes; ++rank) function.ranks.push_back({rank});
}

}  // namespace exh::kernels::ir

// SPDX-License-Identifier: MIT
#include "kernels/ir/builder.h"

#include <algorithm>

namespace exh::kernels::ir {
namespace {

template <typename IdType, typename T>
IdType NextId(const std::vector<T>& items) {
  return IdType{static_cast<std::uint16_t>(items.size())};
}

std::vector<int> Indices(const std::vector<AxisRef>& axes) {
  std::vector<int> out;
  for (const AxisRef a : axes) out.push_back(a.index);
  return out;
}

std::vector<int> Indices(const Strides& strides) {
  std::vector<int> out;
  for (const auto& [axis, stride] : strides) out.push_back(axis.index);
  return out;
}

}  // namespace

ArrayId Builder::InputArray(std::string name, std::uint64_t elements) {
  const auto id = NextId<ArrayId>(function_.arrays);
  function_.arrays.push_back({id, std::move(name), ArrayRole::kInput, elements});
  return id;
}

ArrayId Builder::OutputArray(std::string name, std::uint64_t elements) {
  const ArrayId id = InputArray(std::move(name), elements);
  function_.arrays.back().role = ArrayRole::kOutput;
  return id;
}

void Builder::Scalar(std::string name, float value) {
  function_.scalars.push_back({std::move(name), value});
}

AxisRef Builder::Axis(std::string name, std::uint32_t total, const Tiling& tiling) {
  constexpr std::uint32_t kLargestTile = 1024;
  AxisInfo info{name, total,
                function_.paper ? SplitAxis(name, total, tiling)
                                : SplitAxisFreely(name, total, tiling, kLargestTile)};
  if (!info.levels.note.empty()) notes_.push_back(info.levels.note);
  axes_.push_back(std::move(info));
  return {static_cast<int>(axes_.size()) - 1};
}

Instruction& Builder::AddInst(std::string name, Op op, const std::vector<int>& axes,
                              const std::vector<int>& reduce) {
  Instruction inst;
  inst.id = NextId<InstId>(function_.insts);
  inst.name_ = std::move(name);
  inst.op = op;
  Nest nest;
  for (const int axis : axes) {
    const AxisInfo& info = axes_[static_cast<std::size_t>(axis)];
    const bool reduces = std::find(reduce.begin(), reduce.end(), axis) != reduce.end();
    LogicalDim logical{
        NextId<LogicalDimId>(function_.logical_dims), inst.name_ + "." + info.name, info.total, {}};
    const int levels = static_cast<int>(info.levels.sizes.size());
    for (int level = 0; level < levels; ++level) {
      Dimension dim;
      dim.id = NextId<DimId>(function_.dims);
      dim.name_ = logical.name + std::to_string(level);
      dim.logical = logical.id;
      dim.level = level;
      dim.sizes = info.levels.sizes[static_cast<std::size_t>(level)];
      dim.is_reduction = reduces;
      dim.innermost_level = level == levels - 1;
      dim.inst = inst.id;
      inst.dims.push_back(dim.id);
      if (reduces) inst.reduce_dims.push_back(dim.id);
      logical.dims.push_back(dim.id);
      function_.dims.push_back(std::move(dim));
    }
    nest.axes.emplace_back(axis, logical.id);
    function_.logical_dims.push_back(std::move(logical));
  }
  nests_.push_back(std::move(nest));
  function_.insts.push_back(std::move(inst));
  return function_.insts.back();
}

CommId Builder::Connect(InstId producer, InstId consumer, int operand, bool may_lower) {
  Communication comm;
  comm.id = NextId<CommId>(function_.comms);
  comm.name_ = function_.inst(producer).name_ + ":" + function_.inst(consumer).name_;
  // The same value read twice by one instruction: the operand tells the two apart.
  const std::string plain = comm.name_;
  for (const Communication& other : function_.comms) {
    if (other.name_ == comm.name_) comm.name_ = plain + "." + std::to_string(operand);
  }
  comm.producer = producer;
  comm.consumer = consumer;
  comm.operand = operand;
  comm.may_lower = may_lower;
  comm.is_init = operand < 0;
  for (const auto& [axis, src_logical] : nests_[producer.index()].axes) {
    for (const auto& [other, dst_logical] : nests_[consumer.index()].axes) {
      if (axis != other) continue;
      const auto& src = function_.logical(src_logical).dims;
      const auto& dst = function_.logical(dst_logical).dims;
      // A value reduced over an axis no longer has it.
      if (function_.dim(src.front()).is_reduction) continue;
      for (std::size_t level = 0; level < src.size(); ++level) {
        const auto id = NextId<PairId>(function_.pairs);
        function_.pairs.push_back({id, comm.id, src[level], dst[level], false,
                                   comm.name_ + "." + axes_[static_cast<std::size_t>(axis)].name +
                                       std::to_string(level)});
        comm.pairs.push_back(id);
      }
    }
  }
  function_.comms.push_back(std::move(comm));
  return function_.comms.back().id;
}

Operand Builder::AddInput(InstId consumer, const Input& input, int operand) {
  Operand out;
  out.kind = input.kind;
  out.literal = input.literal;
  out.scalar = input.scalar;
  if (input.kind == Operand::Kind::kComm) {
    out.comm = Connect(input.value.inst, consumer, operand, input.may_lower);
  }
  return out;
}

Value Builder::Load(std::string name, ArrayId array, const Strides& strides) {
  Instruction& inst = AddInst(std::move(name), Op::kLoad, Indices(strides), {});
  inst.array = array;
  for (std::size_t axis = 0; axis < strides.size(); ++axis) {
    inst.access.push_back({nests_[inst.id.index()].axes[axis].second, strides[axis].second});
  }
  return {inst.id};
}

void Builder::Store(std::string name, ArrayId array, const Strides& strides, const Input& value) {
  const InstId id = AddInst(std::move(name), Op::kStore, Indices(strides), {}).id;
  const Operand operand = AddInput(id, value, 0);
  Instruction& inst = function_.insts[id.index()];
  inst.array = array;
  inst.operands = {operand};
  for (std::size_t axis = 0; axis < strides.size(); ++axis) {
    inst.access.push_back({nests_[id.index()].axes[axis].second, strides[axis].second});
  }
}

Value Builder::Compute(std::string name, Op op, const std::vector<AxisRef>& axes,
                       const std::vector<Input>& inputs) {
  const InstId id = AddInst(std::move(name), op, Indices(axes), {}).id;
  std::vector<Operand> operands;
  for (const Input& input : inputs) {
    operands.push_back(AddInput(id, input, static_cast<int>(operands.size())));
  }
  function_.insts[id.index()].operands = std::move(operands);
  return {id};
}

Value Builder::Reduce(std::string name, Op op, const std::vector<AxisRef>& axes,
                      const std::vector<AxisRef>& reduce, Value init,
                      const std::vector<Input>& inputs) {
  const InstId id = AddInst(std::move(name), op, Indices(axes), Indices(reduce)).id;
  std::vector<Operand> operands;
  for (const Input& input : inputs) {
    operands.push_back(AddInput(id, input, static_cast<int>(operands.size())));
  }
  const CommId comm = Connect(init.inst, id, -1, false);
  Instruction& inst = function_.insts[id.index()];
  inst.operands = std::move(operands);
  inst.init = comm;
  return {id};
}

}  // namespace exh::kernels::ir

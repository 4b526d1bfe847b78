// SPDX-License-Identifier: MIT
#include "models/inventory/dataflow.h"

#include <algorithm>
#include <bit>

#include "kernels/ir/flow/masks.h"
#include "models/inventory/access_pattern.h"

namespace exh::models {
namespace ir = kernels::ir;

Dataflow::Dataflow(const ir::Target& function, double sector_bytes)
    : function_(function),
      sector_bytes_(sector_bytes),
      in_(function.insts.size()),
      out_(function.insts.size()),
      loads_(function.arrays.size(), 0),
      optional_(function.insts.size(), Answer::kUnknown),
      of_read_apart_(optional_),
      feeds_(optional_),
      needs_read_(optional_),
      form_(function.insts.size(), kNoForm) {
  for (const ir::Communication& comm : function.comms) {
    if (comm.planned) continue;
    in_[comm.consumer.index()].push_back(comm.id);
    out_[comm.producer.index()].push_back(comm.id);
  }
  for (const ir::Instruction& inst : function.insts) {
    if (inst.op == ir::Op::kLoad) ++loads_[inst.array.index()];
  }
  for (const ir::Instruction& inst : function.insts) {
    if (inst.planned) continue;
    const std::uint64_t form = FormOf(inst);
    with_form_.resize(forms_.size(), 0);
    ++with_form_[form];
  }
  FindMask();
}

void Dataflow::FindMask() {
  for (const ir::Communication& comm : function_.running_comms()) {
    const ir::Instruction& maximum = function_.inst(comm.producer);
    const ir::Operand& operand = maximum.operands[0];
    if (operand.kind != ir::Operand::Kind::kComm) continue;
    const ir::Instruction& choice = ProducerOf(operand);
    const std::optional<ir::Mask> mask = ir::MaskOf(function_, choice);
    if (!mask) continue;
    const ir::LogicalDim& keys = function_.logical(function_.dim(comm.running->loop).logical);
    const std::string name(keys.axis_name());
    for (const ir::MaskBound& bound : *mask) {
      const auto own = bound.steps.find(name);
      if (own == bound.steps.end() || own->second > 0) continue;  // Loops begin with the first.
      masked_axis_ = name;
      seen_ = std::min(seen_, ShareOf(bound, -own->second, choice, keys));
    }
  }
}

/// The share of the points of `keys` that the bound, which moves by -step along it, hides from none
/// of the points of another axis. With more axes nothing is known.
double Dataflow::ShareOf(const ir::MaskBound& bound, std::int64_t step,
                         const ir::Instruction& choice, const ir::LogicalDim& keys) const {
  std::int64_t others = 1, own = 0;
  for (const auto& [name, stride] : bound.steps) {
    if (name == keys.axis_name()) continue;
    if (own != 0) return 0;
    own = stride;
    for (const ir::DimId id : choice.dims) {
      const ir::LogicalDim& axis = function_.logical(function_.dim(id).logical);
      if (axis.axis_name() == name) others = axis.total;
    }
  }
  double seen = 0;
  for (std::int64_t i = 0; i < others; ++i) {
    const std::int64_t most = bound.offset + own * i;
    const std::int64_t count = most < 0 ? 0 : most / step + 1;
    seen += static_cast<double>(std::min<std::int64_t>(count, keys.total));
  }
  return seen / (static_cast<double>(others) * keys.total);
}

template <typename Find>
bool Dataflow::Answered(Answers& answers, const ir::Instruction& inst, const Find& find) {
  const Answer known = answers[inst.id.index()];
  if (known != Answer::kUnknown) return known == Answer::kYes;
  const bool answer = find();
  answers[inst.id.index()] = answer ? Answer::kYes : Answer::kNo;
  return answer;
}

bool Dataflow::IsReadApart(ir::ArrayId id) const {
  return loads_[id.index()] > 1;
}

bool Dataflow::IsOptional(const ir::Instruction& inst) {
  if (inst.op == ir::Op::kStore || inst.planned) return false;
  return Answered(optional_, inst, [&] {
    return std::ranges::all_of(out_[inst.id.index()], [&](ir::CommId id) {
      const ir::Communication& comm = Comm(id);
      const ir::Instruction& reader = function_.inst(comm.consumer);
      const bool is_arm = reader.op == ir::Op::kSelect && comm.operand > 0;
      return is_arm || IsOptional(reader);
    });
  });
}

/// Is something behind the value that was loaded from an array that is read apart? In a loop that
/// is unrolled a compiler may know the value of a neighbouring element from the copy before.
bool Dataflow::IsOfReadApart(const ir::Instruction& inst) {
  if (inst.op == ir::Op::kLoad) return IsReadApart(inst.array);
  return Answered(of_read_apart_, inst, [&] {
    return std::ranges::any_of(inst.operands, [&](const ir::Operand& operand) {
      return operand.kind == ir::Operand::Kind::kComm && IsOfReadApart(ProducerOf(operand));
    });
  });
}

/// Two instructions may compute the same if they have one form. Loads do wherever they load from
/// one array, whatever the element.
std::uint64_t Dataflow::FormOf(const ir::Instruction& inst) {
  std::uint64_t& known = form_[inst.id.index()];
  if (known != kNoForm) return known;
  Form form = {static_cast<std::uint64_t>(inst.op)};
  if (inst.op == ir::Op::kLoad) {
    form.push_back(inst.array.index());
  } else {
    for (const ir::Operand& operand : inst.operands) {
      form.push_back(static_cast<std::uint64_t>(operand.kind));
      if (operand.kind == ir::Operand::Kind::kComm) {
        form.push_back(FormOf(ProducerOf(operand)));
        continue;
      }
      const double literal = operand.literal == 0 ? 0 : double{operand.literal};  // -0 is 0.
      form.push_back(std::bit_cast<std::uint64_t>(literal));
      form.push_back(static_cast<std::uint64_t>(operand.literal.whole()));
      if (operand.kind != ir::Operand::Kind::kScalar) continue;
      const auto is_it = [&](const ir::Scalar& scalar) { return scalar.name == operand.scalar; };
      form.push_back(static_cast<std::uint64_t>(std::ranges::find_if(function_.scalars, is_it) -
                                                function_.scalars.begin()));
    }
  }
  return known = forms_.try_emplace(std::move(form), forms_.size()).first->second;
}

bool Dataflow::MayRepeat(const ir::Instruction& inst) {
  return IsOfReadApart(inst) || with_form_[FormOf(inst)] > 1;
}

bool Dataflow::FeedsReduction(const ir::Instruction& inst) {
  if (inst.is_reduction()) return true;
  return Answered(feeds_, inst, [&] {
    const auto feeds = [&](const ir::Communication& comm) {
      return !comm.is_init && FeedsReduction(function_.inst(comm.consumer));
    };
    if (inst.planned) return feeds(Comm(function_.block(inst.block).comm));
    return std::ranges::any_of(out_[inst.id.index()],
                               [&](ir::CommId id) { return feeds(Comm(id)); });
  });
}

bool Dataflow::NeedsRead(const ir::Instruction& inst) {
  if (inst.op == ir::Op::kLoad) return true;
  return Answered(needs_read_, inst, [&] {
    const auto needs = [&](const ir::Operand& operand) {
      return operand.kind == ir::Operand::Kind::kComm && NeedsRead(ProducerOf(operand));
    };
    if (inst.op != ir::Op::kSelect) return std::ranges::any_of(inst.operands, needs);
    // Of the arms one is enough.
    return needs(inst.operands[0]) || (needs(inst.operands[1]) && needs(inst.operands[2]));
  });
}

std::optional<double> Dataflow::LostAlong(const ir::Instruction& inst, ir::LogicalDimId axis) {
  const auto known = lost_.find({inst.id, axis});
  if (known != lost_.end()) return known->second;
  std::optional<double> most;
  if (inst.op == ir::Op::kLoad) {
    for (const MovingAxis& moves : PatternOf(function_, inst, sector_bytes_).axes) {
      if (moves.axis == axis) most = moves.lost;
    }
    return lost_[{inst.id, axis}] = most;
  }
  // No two steps of a sum are one. Of equal values the largest is any of them.
  const bool adds_up = inst.op != ir::Op::kMax && inst.op != ir::Op::kMin;
  for (const ir::DimId dim : inst.reduce_dims) {
    if (adds_up && function_.dim(dim).logical == axis) most = 0;
  }
  for (const ir::CommId id : in_[inst.id.index()]) {
    const ir::Communication& comm = Comm(id);
    // Levels of one axis are paired each by itself, and lead to one axis.
    for (const ir::PairId pair_id : comm.pairs) {
      const ir::DimPair& pair = function_.pair(pair_id);
      if (function_.dim(pair.dst).logical != axis) continue;
      const auto lost = LostAlong(function_.inst(comm.producer), function_.dim(pair.src).logical);
      if (lost) most = std::max(*lost, most.value_or(0));
    }
  }
  return lost_[{inst.id, axis}] = most;
}

}  // namespace exh::models

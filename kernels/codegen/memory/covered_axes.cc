// SPDX-License-Identifier: MIT
#include "kernels/codegen/memory/covered_axes.h"

#include <algorithm>

namespace exh::kernels::codegen {
namespace {

/// Is the operand an element of an argument that has the axis? Then it is 0 beyond it, unless the
/// argument is something else outside, be it read where it is used or from a temporary that holds
/// what was read.
bool IsZeroBeyond(const ir::Function& function, const ir::Operand& operand, ir::LogicalDimId axis) {
  if (operand.kind != ir::Operand::Kind::kComm) return false;
  const ir::Communication& comm = function.comm(operand.comm);
  const ir::Instruction& read = function.inst(comm.producer);
  if (read.op != ir::Op::kLoad || double{read.outside} != 0) return false;
  return std::ranges::any_of(comm.pairs, [&](ir::PairId id) {
    return function.dim(function.pair(id).dst).logical == axis;
  });
}

/// Does the step add 0 where it is beyond any of the axes? A product of two loads is 0 only where
/// both are: 0 times infinity is none. Nothing but a sum takes a 0 for nothing.
bool AddsNothingBeyond(const ir::Function& function, const ir::Instruction& step,
                       const std::vector<ir::LogicalDimId>& axes) {
  if (step.op != ir::Op::kAdd && step.op != ir::Op::kMad) return false;
  return std::ranges::all_of(step.operands, [&](const ir::Operand& operand) {
    return std::ranges::all_of(
        axes, [&](ir::LogicalDimId axis) { return IsZeroBeyond(function, operand, axis); });
  });
}

}  // namespace

std::vector<ir::LogicalDimId> GuardedAxes(const ir::Function& function,
                                          const ir::Instruction& inst) {
  std::vector<ir::LogicalDimId> axes;
  const bool is_argument = inst.op == ir::Op::kLoad || inst.op == ir::Op::kStore;
  if (!is_argument && !inst.is_reduction()) return axes;
  for (const ir::DimId id : is_argument ? inst.dims : inst.reduce_dims) {
    const ir::LogicalDimId axis = function.dim(id).logical;
    if (function.logical(axis).covers() && std::ranges::find(axes, axis) == axes.end()) {
      axes.push_back(axis);
    }
  }
  if (inst.is_reduction() && AddsNothingBeyond(function, inst, axes)) axes.clear();
  return axes;
}

}  // namespace exh::kernels::codegen

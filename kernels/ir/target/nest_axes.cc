// SPDX-License-Identifier: MIT
#include "kernels/ir/target/nest_axes.h"

#include <algorithm>

namespace exh::kernels::ir {
namespace {

template <typename Wanted>
std::vector<const LogicalDim*> AxesWhere(const Function& function, const Instruction& inst,
                                         const Wanted& wanted) {
  std::vector<const LogicalDim*> axes;
  for (const DimId id : inst.dims) {
    const Dimension& dim = function.dim(id);
    if (dim.level == 0 && wanted(dim)) axes.push_back(&function.logical(dim.logical));
  }
  return axes;
}

}  // namespace

bool HasSize(const Dimension& dim, std::uint32_t size) {
  return std::ranges::binary_search(dim.sizes, size);
}

std::vector<const LogicalDim*> AxesOf(const Function& function, const Instruction& inst) {
  return AxesWhere(function, inst, [](const Dimension&) { return true; });
}
std::vector<const LogicalDim*> ResultAxes(const Function& function, const Instruction& inst) {
  return AxesWhere(function, inst, [](const Dimension& dim) { return !dim.is_reduction; });
}
std::vector<const LogicalDim*> ReducedAxes(const Function& function, const Instruction& inst) {
  return AxesWhere(function, inst, [](const Dimension& dim) { return dim.is_reduction; });
}
bool IsReduced(const Function& function, const LogicalDim& axis) {
  return LevelOf(function, axis, 0).is_reduction;
}

const Instruction* OnlyReduction(const Function& function) {
  const Instruction* found = nullptr;
  for (const Instruction& inst : function.insts) {
    if (inst.planned || !inst.is_reduction()) continue;
    if (found != nullptr) return nullptr;
    found = &inst;
  }
  return found;
}
const Instruction* OnlySumOfProducts(const Function& function) {
  const Instruction* const sum = OnlyReduction(function);
  return sum != nullptr && sum->op == Op::kMad ? sum : nullptr;
}

std::vector<const Communication*> OperandsOf(const Function& function, const Instruction& inst) {
  std::vector<const Communication*> operands;
  for (const Communication& comm : function.comms) {
    if (!comm.planned && !comm.is_init && comm.consumer == inst.id) operands.push_back(&comm);
  }
  return operands;
}

const LogicalDim* ProducersAxis(const Function& function, const Communication& comm,
                                const LogicalDim& axis) {
  for (const PairId id : comm.pairs) {
    const DimPair& pair = function.pair(id);
    if (function.dim(pair.dst).logical == axis.id) {
      return &function.logical(function.dim(pair.src).logical);
    }
  }
  return nullptr;
}

}  // namespace exh::kernels::ir

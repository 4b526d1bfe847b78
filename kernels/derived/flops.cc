// SPDX-License-Identifier: MIT
#include "kernels/derived/flops.h"

namespace exh::kernels::derived {
namespace {

double OperationsOf(ir::Op op) {
  switch (op) {
    case ir::Op::kConst:
    case ir::Op::kIndex:
    case ir::Op::kGather:
    case ir::Op::kLoad:
    case ir::Op::kStore:
    case ir::Op::kTempLoad:
    case ir::Op::kTempStore:
      return 0;
    case ir::Op::kMad:
      return 2;
    default:
      return 1;
  }
}

}  // namespace

double Flops(const Expression& expression) {
  double flops = 0;
  for (const Expression::Node& node : expression.nodes) {
    flops += OperationsOf(node.op) * static_cast<double>(expression.Points(node.axes)) *
             static_cast<double>(expression.Points(node.reduced));
  }
  return flops;
}

}  // namespace exh::kernels::derived

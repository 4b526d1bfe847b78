// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "kernels/derived/reference/op_rules.h"
#include "kernels/derived/reference/rows.h"
#include "kernels/ir/function.h"

namespace exh::kernels::derived {

/// How a scan goes through a tensor that has one point after the other: `outer` blocks, in each
/// of them `steps` rows, of `inner` points, which are those of as many scans.
struct ScanPath {
  Reduction reduction;
  ir::Keeps keeps = ir::Keeps::kEach;
  std::int64_t outer = 1, steps = 1, inner = 1;
  /// Do terms have roundings in common (Expression::AccumulatesRunning())?
  bool are_alike = false;
};

/// Accumulates the terms in `tensor`, step by step, and leaves there the value that each point has,
/// and its errors. `begins`: what the scans begin with, inner ones one after the other. `largest`
/// becomes what no sum of absolute values of finite terms exceeds. Runs on all cores, and ends
/// early as products do (stoppable.h): false.
bool Accumulate(const ScanPath& path, const NodeTensor& begins, NodeTensor& tensor,
                double& largest);

}  // namespace exh::kernels::derived

// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "base/stop.h"
#include "kernels/fused/graph/graph.h"

namespace exh::kernels::fused {

/// Elements of every input, by tensor; nothing of other tensors. Drawn from `seed` so that
/// operators have something to do: what becomes the operand of a logarithm, a root or a power, or a
/// divisor, is positive as far as the signs of inputs decide that; positions of OneHot are mostly
/// inside. Others are floats from [-1, 1], small integers, and bools of both kinds. Throws
/// Interrupted when `stop`, which may be null, is stopped.
std::vector<std::vector<double>> DrawInputs(const Graph& graph, std::uint64_t seed,
                                            const StopToken* stop = nullptr);

}  // namespace exh::kernels::fused

// SPDX-License-Identifier: MIT
//
// Bulk copies (`transfer` TMA, kernels/spaces/ring.exh): how the nest that fills a slot of a ring
// becomes boxes, each of which one instruction copies.
//
// The argument is a tensor with an axis for each axis that the read moves along. Levels of these
// that the copy shares with what reads it say where a box begins: its *coordinates*. The levels of
// the tile are its sides. In the slot a row is as long as a swizzle, and a box no wider: a tile of
// several cuts (XorLayout) is as many boxes, one behind the other.
//
//   b[k, n], a tile of 64 x 128 halves, cut every 64: the tensor is {n, k}, the box {64, 64}; box 0
//   begins at {i_n0 * 128, i_k0 * 64}, box 1 64 columns further, 64 * 64 elements behind it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/codegen/loops/loop_tree.h"
#include "kernels/codegen/memory/affine.h"
#include "kernels/codegen/memory/memory_plan.h"
#include "kernels/launch.h"

namespace exh::kernels::codegen {

/// What fills a slot.
struct BulkCopy {
  TensorMap map;
  std::vector<Affine> coordinates;  ///< Of the first box, by axis of the map.
  std::uint32_t boxes = 1;          ///< Along the innermost axis.
  std::uint32_t box_elements = 0;   ///< From one to the next in the slot; all of them are dense.
  std::uint32_t bytes = 0;          ///< Of all boxes.
  /// Blocks of a cluster that all get what is the same for them; 1: each asks for its own.
  std::uint32_t shared_by = 1;
  /// Of a copy that is shared: the axis of the map along which each block asks for a part of the
  /// box, and rows of that part; -1: it is not divided, and the first block asks for all of it.
  int divided_axis = -1;
  std::uint32_t part_rows = 0, part_elements = 0;
};

/// Neighbouring blocks that share bulk copies (`cluster`, kernels/spaces/roles.exh).
struct BlockCluster {
  int dim_class = -1;  ///< They are neighbours along it; -1: there is none.
  std::uint32_t blocks = 1;
};

/// That of a temporary. `around`: the classes of loops around the copy that it shares with what
/// reads it. Where there is none, `why` says so. In a cluster each block asks for a part of what no
/// block of it moves along: so many rows of the box as leave whole patterns of the swizzle.
BulkCopy PlanBulkCopy(const ir::Function& function, const Schedule& schedule, const LoopTree& tree,
                      const MemoryPlan& memory, const ir::MemBlock& block,
                      const std::vector<int>& around, const BlockCluster& cluster,
                      std::string& why);

}  // namespace exh::kernels::codegen

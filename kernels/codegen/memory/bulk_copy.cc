// SPDX-License-Identifier: MIT
#include "kernels/codegen/memory/bulk_copy.h"

#include <algorithm>

namespace exh::kernels::codegen {
namespace {

/// What an axis of the argument is to the copy.
struct Side {
  std::uint64_t extent = 1;
  std::int64_t stride = 1;   ///< In the argument, in elements.
  std::uint32_t length = 1;  ///< Of the tile.
  std::int64_t in_slot = 0;  ///< From one index to the next, in rows one after the other; 0: none.
  bool is_dense = true;      ///< The levels of the tile follow one another in the slot, …
  bool is_within = true;     ///< … and are the innermost ones.
  Affine coordinate;
};

/// Rows of a pattern of the swizzle, which begins anew behind them.
constexpr std::uint32_t kPatternRows = 8;

/// Divides a copy that is the same for all blocks of a cluster among them.
void Share(const BlockCluster& cluster, std::uint32_t row_elements, BulkCopy& copy) {
  const bool moves = std::ranges::any_of(
      copy.coordinates, [&](const Affine& at) { return at.StrideOf(cluster.dim_class) != 0; });
  if (cluster.blocks == 1 || moves) return;
  copy.shared_by = cluster.blocks;
  for (std::size_t axis = 1; axis < copy.map.box.size(); ++axis) {
    std::uint32_t& rows = copy.map.box[axis];
    if (rows == 1 || rows % (cluster.blocks * kPatternRows) != 0) continue;
    rows /= cluster.blocks;
    copy.divided_axis = static_cast<int>(axis);
    copy.part_rows = rows;
    copy.part_elements = rows * row_elements;
    return;
  }
}

}  // namespace

BulkCopy PlanBulkCopy(const ir::Function& function, const Schedule& schedule, const LoopTree& tree,
                      const MemoryPlan& memory, const ir::MemBlock& block,
                      const std::vector<int>& around, const BlockCluster& cluster,
                      std::string& why) {
  const ir::Instruction& read = function.inst(function.comm(block.comm).producer);
  const TempArray& temp = memory.temp(block.id);
  const Affine& stored = memory.address[block.store.index()];
  BulkCopy copy;
  const auto fail = [&](const char* text) {
    if (why.empty()) why = text;
    return copy;
  };
  if (temp.layout.cut == 0) return fail("is not swizzled");
  std::vector<Side> sides;
  for (const ir::AccessAxis& access : read.access) {
    const ir::LogicalDim& axis = function.logical(access.logical);
    Side side{.extent = axis.total, .stride = access.stride};
    std::int64_t step = 1;
    for (auto dim = axis.dims.rbegin(); dim != axis.dims.rend(); ++dim) {
      const int dim_class = tree.class_of_dim[dim->index()];
      const std::uint32_t size = schedule.size(*dim);
      if (size > 1 && std::ranges::find(around, dim_class) != around.end()) {
        AddDim(tree, *dim, step, side.coordinate);
      } else if (size > 1) {
        const std::int64_t placed = stored.StrideOf(dim_class);
        if (side.length == 1) side.in_slot = placed;
        side.is_dense &= placed == side.in_slot * side.length;
        side.is_within &= side.length == step;
        side.length *= size;
      }
      step *= size;
    }
    sides.push_back(std::move(side));
  }
  std::ranges::stable_sort(sides, {}, &Side::stride);
  const std::int64_t length = temp.layout.length, cut = temp.layout.cut;
  copy.map.array = static_cast<std::uint32_t>(read.array.index());
  copy.map.element_bytes = block.element_bytes;
  copy.map.swizzle_bytes = static_cast<std::uint32_t>(cut) * block.element_bytes;
  copy.box_elements = temp.layout.rows * temp.layout.cut;
  std::uint64_t elements = 1;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const Side& side = sides[i];
    if (!side.is_dense || !side.is_within) return fail("has a tile that is no box");
    const bool is_row = i == 0;
    if (is_row && (side.stride != 1 || side.in_slot != 1 || side.length != length)) {
      return fail("has rows that are none of its argument");
    }
    if (!is_row && side.length > 1 && side.in_slot != length) {
      return fail("has a tile of more than two axes");
    }
    if (!is_row && side.length > ir::kBoxSide) return fail("has a box that is too large");
    copy.map.extents.push_back(side.extent);
    if (!is_row) {
      copy.map.strides.push_back(static_cast<std::uint64_t>(side.stride) * block.element_bytes);
    }
    copy.map.box.push_back(is_row ? static_cast<std::uint32_t>(cut) : side.length);
    copy.coordinates.push_back(side.coordinate);
    elements *= side.length;
  }
  if (elements != temp.elements || length % cut != 0) return fail("has a tile that is no box");
  copy.boxes = static_cast<std::uint32_t>(length / cut);
  copy.bytes = static_cast<std::uint32_t>(elements * block.element_bytes);
  Share(cluster, temp.layout.cut, copy);
  return copy;
}

}  // namespace exh::kernels::codegen

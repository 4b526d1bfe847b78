// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <utility>

#include "kernels/codegen/loops/loop_tree.h"
#include "kernels/ir/index/affine.h"

namespace exh::kernels::codegen {

/// Over the indices of dim classes.
using Affine = ir::Affine<int>;

/// Adds the index of a dim, times `stride`.
inline void AddDim(const LoopTree& tree, ir::DimId dim, std::int64_t stride, Affine& affine) {
  const DimClass& dim_class = tree.class_of(dim);
  affine.Add(tree.class_of_dim[dim.index()], dim_class.step * stride);
  for (const LaneTerm& lanes : dim_class.lanes) affine.Add(lanes.dim_class, lanes.step * stride);
}

/// The least and the largest value, wherever the loops are.
inline std::pair<std::int64_t, std::int64_t> RangeOf(const LoopTree& tree, const Affine& affine) {
  return affine.Range([&](int dim_class) {
    const std::int64_t size = tree.classes[static_cast<std::size_t>(dim_class)].size;
    return std::pair(std::int64_t{0}, size - 1);
  });
}

}  // namespace exh::kernels::codegen

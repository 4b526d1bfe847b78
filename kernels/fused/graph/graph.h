// SPDX-License-Identifier: MIT
//
// Graph: a fused operator as its JSON describes it, checked. Tensors and operations in their order;
// what an operation computes is statements.h's (lower.h), not here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/fused/graph/kinds.h"
#include "kernels/ir/types.h"

namespace exh::kernels::fused {

/// Extents of the dimensions, the outermost first. No dimensions: one element.
using Shape = std::vector<std::int64_t>;

/// A tensor has fewer elements than this.
inline constexpr std::int64_t kMostElements = std::int64_t{1} << 31;
inline constexpr std::size_t kMostDimensions = 8;

inline std::int64_t ElementsOf(const Shape& shape) {
  std::int64_t elements = 1;
  for (const std::int64_t extent : shape) elements *= extent;
  return elements;
}
/// "[32, 256]".
std::string TextOf(const Shape& shape);

struct GraphTensor {
  std::string name;
  ir::Type type = ir::Type::kF32;
  Shape shape;
  int producer = -1;  ///< Index of the operation; -1: an input of the operator.
};

/// What an operation reads: a tensor, or a number that stands in the JSON.
struct GraphOperand {
  int tensor = -1;
  double number = 0;  ///< As its type has it.
  ir::Type type = ir::Type::kF32;
  Shape shape;
  bool is_number() const { return tensor < 0; }
};

/// The attributes that say what is computed, read and checked; each kind has some of them. Axes
/// count from 0.
struct Attributes {
  std::vector<std::int64_t> axes;        ///< Reductions: sorted; ExpandDims, OneHot: one.
  bool keep_dims = false;                ///< Reductions.
  bool atomic_add = false;               ///< Reductions: a hint, which changes no result.
  std::vector<std::int64_t> perm;        ///< Transpose: output dimension to input dimension.
  std::vector<std::int64_t> head, tail;  ///< PadAkg, UnPadAkg: by dimension; Conv2D.
  std::vector<std::int64_t> multiples;   ///< Tile: by dimension of the output.
  double pad_value = 0;                  ///< PadAkg.
  std::int64_t depth = 1;                ///< OneHot.
  bool fake_output = false;              ///< InplaceAssign.
  /// MatMul, BatchMatMul: the operand has its two last dimensions the other way round.
  bool transpose_a = false, transpose_b = false;
  /// Conv2D, rows and columns of the image: how far a window is from the one before it, and a tap
  /// from the one before it. `head` and `tail` are the zeros around the image.
  std::vector<std::int64_t> stride, dilation;
  bool channels_first = false;  ///< Conv2D: NCHW and KCRS in the place of NHWC and KRSC.
};

struct Operation {
  Kind kind = Kind::kAdd;
  std::vector<GraphOperand> inputs;
  int output = -1;  ///< A tensor.
  Attributes attributes;
};

struct Graph {
  std::string name;
  std::vector<GraphTensor> tensors;
  std::vector<int> inputs;            ///< Tensors.
  std::vector<Operation> operations;  ///< Each behind what it reads.
  std::vector<int> outputs;           ///< Tensors, as the operator lists them.

  const GraphTensor& tensor(int index) const { return tensors[static_cast<std::size_t>(index)]; }
};

}  // namespace exh::kernels::fused

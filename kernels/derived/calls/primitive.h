// SPDX-License-Identifier: MIT
//
// What libraries of neural networks have a routine for, where it is more than products of matrices:
// a convolution, a softmax, a layer normalization, a reduction. A backbone is one of them by what
// its elements are made of, whatever its axes are called.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/derived/expression.h"

namespace exh::kernels::derived {

/// An array, or what is read of it: `dims` from the outermost, and by how many elements a step of
/// each moves.
struct TensorView {
  int array = -1;  ///< The number of the array; -1: there is none.
  std::vector<std::int64_t> dims, strides;
};

struct Primitive {
  enum class Kind { kConvolution, kSoftmax, kLayerNorm, kReduction };
  Kind kind = Kind::kReduction;
  TensorView from, to;  ///< Of as many dims. Of a convolution: images, channels, rows, columns.

  /// Convolutions: channels out, channels in, rows, columns.
  TensorView weights;
  /// Convolutions, for rows and columns: from one window to the next, from one tap to the next, and
  /// the zeros in front of the first and behind the last element.
  std::int64_t step[2] = {1, 1}, dilation[2] = {1, 1}, before[2] = {0, 0}, behind[2] = {0, 0};

  int axis = 0;  ///< kSoftmax: the dim whose elements make 1. kLayerNorm: it is the last one.

  Expression::Input epsilon;  ///< kLayerNorm: what is added to a variance.
  TensorView gamma, beta;     ///< kLayerNorm: vectors, or none.

  ir::Op op = ir::Op::kAdd;  ///< kReduction: kAdd, kMul, kMin, kMax. Dims of `to` are 1 there.
};

/// The primitive that a backbone of one output in f32 is, if it is one. What is read lies as in the
/// description: no index is computed, nothing but images of convolutions is read outside.
std::optional<Primitive> PrimitiveOf(const Expression& expression);

}  // namespace exh::kernels::derived

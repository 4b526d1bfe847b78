// SPDX-License-Identifier: MIT
//
// What a kernel is in the terms of a vendor's library: the calls that compute the same, as plain
// data that crosses to the process which runs them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/ir/types.h"

namespace exh::kernels {

/// In a place of an array: the scratch memory of the call.
inline constexpr int kScratch = -1;

/// One call. Arrays are numbers into the arrays of the problem, matrices are row-major. It computes
/// in the type that `type` is computed in, sums of halves in f32.
struct VendorStep {
  /// kGemm: c = alpha * a * b + beta * c, `relu`: and negative elements become 0.
  /// kGemv: c = alpha * a * b + beta * c, a is m x n, b and c are vectors.
  /// kAxpy: c += alpha * a. kCopy: c = a. kPack: c[i] = a[i * stride].
  enum class Op { kGemm, kGemv, kAxpy, kCopy, kPack };
  Op op = Op::kGemm;
  ir::Type type = ir::Type::kF32;    ///< Of a and b: a float.
  ir::Type type_c = ir::Type::kF32;  ///< Of c: the same, or f32 where a product is of halves.
  int a = 0, b = 0, c = 0;
  std::int64_t m = 0, n = 0, k = 0;  ///< kAxpy, kCopy, kPack: m elements.
  bool transpose_a = false, transpose_b = false;
  double alpha = 1, beta = 0;
  /// Scalars of the kernel that are factors of them, by number: alpha and beta are their products
  /// for the values that the kernel gives them.
  std::vector<int> alpha_scalars, beta_scalars;
  std::int64_t batch = 1, step_a = 0, step_b = 0, step_c = 0;  ///< Elements between products.
  std::int64_t stride = 1;
  bool relu = false;
};

struct VendorCall {
  std::vector<VendorStep> before;  ///< Once, and not timed: what the calls themselves spoil.
  std::vector<VendorStep> steps;
  std::uint64_t scratch_bytes = 0;
};

}  // namespace exh::kernels

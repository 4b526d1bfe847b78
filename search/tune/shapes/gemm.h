// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "search/tune/shapes/tune_shape.h"

namespace exh::search {

/// A matrix product as libraries log it, C = A * B with rows in memory: many at once, transposed,
/// with a bias for each column, with gaps between rows.
struct Gemm {
  std::int64_t batch = 1, m = 0, n = 0, k = 0;
  bool transpose_a = false, transpose_b = false;  ///< A is stored k x m, B is stored n x k.
  /// Elements from one stored row to the next; 0: rows have no gaps between them.
  std::int64_t a_row = 0, b_row = 0, c_row = 0;
  bool has_bias = false;
  std::string type = "f32";  ///< Of A, B and bias.
  std::string output;        ///< Of C; empty: what is usual for `type`.
};

/// The library's matmul where that computes it, otherwise a kernel as text. Throws UsageError for
/// what no kernel can be: rows that are too short, gaps in C.
AskedShape ShapeOf(const Gemm& gemm);

}  // namespace exh::search

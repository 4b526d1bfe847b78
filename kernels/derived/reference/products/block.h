// SPDX-License-Identifier: MIT
//
// Blocks of products of matrices, by what the processor has. Programs are compiled for any x86-64
// processor; products are what references of large kernels consist of, and with AVX2 and fused
// multiply-adds they are three times as fast. So the same text is compiled once more with these
// (block_avx2.cc), and the processor is asked.
#pragma once

#include <cstdint>

namespace exh::kernels {

/// `high` x `wide` elements of a * b from `row`, `column` on. Matrices lie row by row, or else
/// column by column, without gaps; the result row by row.
struct BlockProduct {
  const double* a = nullptr;
  const double* b = nullptr;
  bool a_by_rows = true, b_by_rows = true;
  std::int64_t rows = 0, depth = 0, columns = 0;  ///< Of all of a and of b.
  double* result = nullptr;                       ///< All of it.
  std::int64_t row = 0, high = 0, column = 0, wide = 0;
};
using BlockFunction = void (*)(const BlockProduct& block);

/// Null where the program has none, or the processor has not what it takes.
BlockFunction Avx2BlockFunction();

}  // namespace exh::kernels

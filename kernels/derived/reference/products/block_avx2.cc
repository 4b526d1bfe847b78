// SPDX-License-Identifier: MIT
//
// The one file that is compiled for processors with AVX2 (kernels/CMakeLists.txt). Another name for
// Eigen keeps its functions from the other files, which run anywhere.
#include "kernels/derived/reference/products/block.h"

#if defined(__AVX2__) && defined(__FMA__)
#define Eigen EigenForAvx2
#include <Eigen/Core>

#include "kernels/derived/reference/products/block_loop.h"

namespace exh::kernels {
BlockFunction Avx2BlockFunction() {
  const bool has_both = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return has_both ? &ComputeBlock : nullptr;
}
}  // namespace exh::kernels

#else
namespace exh::kernels {
BlockFunction Avx2BlockFunction() {
  return nullptr;
}
}  // namespace exh::kernels
#endif

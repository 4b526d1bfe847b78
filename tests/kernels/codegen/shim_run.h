// SPDX-License-Identifier: MIT
//
// The CUDA C++ of implementations drawn by hand, compiled and run on the CPU thread by thread
// (tests/cuda_shim).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kernels/ir/function.h"
#include "tests/cuda_shim/shim_source.h"
#include "tests/support/compiled_texts.h"

namespace exh::kernels::codegen::testing {

/// Orders of threads and blocks: ascending, descending, and a seed.
inline constexpr int kShimOrders[] = {0, 1, 77};

class ShimRun {
 public:
  /// A text for each of the functions, which outlive this.
  ShimRun(std::vector<const ir::Function*> functions, std::vector<exh_shim::CudaText> texts);

  /// What is wrong with what text `i` computes; empty: nothing.
  std::string Check(std::size_t i, int thread_order) const;
  /// … in any of the orders.
  std::string Check(std::size_t i) const;

 private:
  std::vector<const ir::Function*> functions_;
  std::vector<exh_shim::CudaText> texts_;
  exh::kernels::testing::CompiledTexts compiled_;
};

}  // namespace exh::kernels::codegen::testing

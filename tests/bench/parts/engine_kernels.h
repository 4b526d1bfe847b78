// SPDX-License-Identifier: MIT
//
// Kernels that grow: what the benchmark of the engine fits its exponent to. They are frozen and
// descended, never run.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/library/kernel.h"

namespace exh::tests {

struct GrowthKernel {
  std::string name;
  std::unique_ptr<kernels::Kernel> kernel;
  kernels::Parameters sizes;
};

/// matmul, batched matmul, two and four chained matmuls, each of 256 x 256 (x 256 …).
std::vector<GrowthKernel> GrowthKernels();

}  // namespace exh::tests

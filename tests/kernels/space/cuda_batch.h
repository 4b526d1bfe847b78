// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "kernels/problem.h"
#include "kernels/task.h"
#include "tests/cuda_shim/shim_source.h"

namespace exh::kernels::testing {

using exh_shim::CudaText;

/// Compiles CUDA texts for the CPU, runs each in two orders of its threads and blocks on the
/// kernel's own inputs, and compares every element with the double-precision reference and its
/// tolerance, and that it was written exactly once. One message per text, empty where all is well:
/// also of races, barriers that not all threads reach, partial results without order, and accesses
/// that are out of bounds or misaligned.
std::vector<std::string> RunCudaSources(const Task& task, const std::vector<CudaText>& texts,
                                        const std::vector<Inputs>& kinds = {Inputs::kUniform});

}  // namespace exh::kernels::testing

// SPDX-License-Identifier: MIT
//
// What the binding of a solution for GPUs uses of CUDA, where there is none: it is compiled, not
// run.
#pragma once

#include <cstddef>

using cudaStream_t = struct CUstream_st*;
enum cudaError_t { cudaSuccess = 0 };
cudaError_t cudaMalloc(void* memory, std::size_t bytes);
cudaError_t cudaFree(void* memory);

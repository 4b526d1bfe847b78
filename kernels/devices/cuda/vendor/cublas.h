// SPDX-License-Identifier: MIT
//
// cuBLAS and cublasLt, found when the program runs: the yardsticks of a GPU. As with the driver, no
// header of the toolkit is needed, and a test compares the declarations with it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/devices/cuda/driver/driver.h"

namespace exh::kernels::cuda {

// As in cublas_api.h and cublasLt.h.
using cublasStatus_t = int;
using cublasHandle_t = struct CublasContext*;
using cublasLtHandle_t = struct CublasLtContext*;
using cublasLtMatmulDesc_t = struct CublasLtMatmulDesc*;
using cublasLtMatrixLayout_t = struct CublasLtMatrixLayout*;
using cublasLtMatmulPreference_t = struct CublasLtMatmulPreference*;
/// cublasLtMatmulAlgo_t.
struct cublasLtAlgo {
  std::array<std::uint64_t, 8> data;
};
/// cublasLtMatmulHeuristicResult_t.
struct cublasLtHeuristicResult {
  cublasLtAlgo algo;
  std::size_t workspace_bytes;
  cublasStatus_t state;
  float waves;
  std::array<int, 4> reserved;
};
inline constexpr int kDefaultMath = 0;  ///< CUBLAS_DEFAULT_MATH: fp32, no TF32.
/// CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION: parts of a sum are not rounded to the result's
/// type.
inline constexpr int kWideReductions = 16;
inline constexpr int kOpN = 0, kOpT = 1;         ///< CUBLAS_OP_N, CUBLAS_OP_T.
inline constexpr int kCompute32F = 68;           ///< CUBLAS_COMPUTE_32F.
inline constexpr int kCompute64F = 70;           ///< CUBLAS_COMPUTE_64F.
inline constexpr int kReal32F = 0;               ///< CUDA_R_32F.
inline constexpr int kReal64F = 1;               ///< CUDA_R_64F.
inline constexpr int kReal16F = 2;               ///< CUDA_R_16F.
inline constexpr int kReal16Bf = 14;             ///< CUDA_R_16BF.
inline constexpr int kDefaultAlgorithm = -1;     ///< CUBLAS_GEMM_DEFAULT.
inline constexpr int kLtTransposeA = 3;          ///< CUBLASLT_MATMUL_DESC_TRANSA.
inline constexpr int kLtTransposeB = 4;          ///< CUBLASLT_MATMUL_DESC_TRANSB.
inline constexpr int kLtEpilogue = 7;            ///< CUBLASLT_MATMUL_DESC_EPILOGUE.
inline constexpr int kLtEpilogueRelu = 2;        ///< CUBLASLT_EPILOGUE_RELU.
inline constexpr int kLtBatchCount = 5;          ///< CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT.
inline constexpr int kLtBatchStep = 6;           ///< CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET.
inline constexpr int kLtMostWorkspaceBytes = 1;  ///< CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES.
inline constexpr int kLtReductions = 3;          ///< CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK.
/// CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE: the one that rounds no parts of a sum.
inline constexpr std::uint32_t kLtWideReductions = 2;

/// The functions of cublas_functions.inc.
struct CublasFunctions {
#define EXH_CUBLAS_FUNCTION(library, name, symbol, ...) \
  cublasStatus_t (*name)(__VA_ARGS__) = nullptr;
#include "kernels/devices/cuda/vendor/cublas_functions.inc"
#undef EXH_CUBLAS_FUNCTION
};

/// The libraries, or in one sentence why there are none.
struct CublasOrProblem {
  std::optional<CublasFunctions> functions;
  std::string problem;
};

/// The newest version of both libraries that the system's loader finds.
CublasOrProblem LoadCublas();

}  // namespace exh::kernels::cuda

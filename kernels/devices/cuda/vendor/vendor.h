// SPDX-License-Identifier: MIT
//
// A VendorCall on the GPU: cuBLAS, or cublasLt with the best of its own suggestions.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernels/devices/cuda/driver/gpu.h"
#include "kernels/devices/cuda/driver/timer.h"
#include "kernels/devices/cuda/vendor/cublas.h"
#include "kernels/vendor_call.h"

namespace exh::kernels::cuda {

/// Makes the calls of a VendorCall launch on a stream. Throws GpuError when a routine refuses.
class Vendor {
 public:
  /// `programs`: the device programs, which outlive this. Throws GpuError when the libraries are
  /// missing.
  Vendor(const Gpu& gpu, const Timer& timer, const Module& programs);

  /// Readies `call` for each of some copies of the arrays. `lt`: products go through cublasLt, with
  /// the fastest of its first 16 suggestions; finding it overwrites the results.
  void Prepare(const VendorCall& call, const std::vector<std::vector<CUdeviceptr>>& copies,
               bool lt);
  /// Enqueues what is done once, and one run of the rest.
  void Before() const;
  void Launch(std::size_t copy) const { Enqueue(steps_[copy]); }
  /// "cuBLAS 13.0.2, CUBLAS_DEFAULT_MATH (fp32, no TF32)": of the call that was prepared.
  const std::string& description() const { return description_; }

 private:
  using Step = std::function<void()>;
  static void Enqueue(const std::vector<Step>& steps);
  void Check(cublasStatus_t status, const char* routine) const;
  Step Make(const VendorStep& step, const std::vector<CUdeviceptr>& arrays, bool lt);
  Step Product(const VendorStep& step, CUdeviceptr a, CUdeviceptr b, CUdeviceptr c, bool lt) const;
  Step Gemm(const VendorStep& step, CUdeviceptr a, CUdeviceptr b, CUdeviceptr c) const;
  Step GemmOfAnyType(const VendorStep& step, CUdeviceptr a, CUdeviceptr b, CUdeviceptr c) const;
  Step GemmLt(const VendorStep& step, CUdeviceptr a, CUdeviceptr b, CUdeviceptr c) const;
  Step Gemv(const VendorStep& step, CUdeviceptr a, CUdeviceptr b, CUdeviceptr c, bool lt) const;
  Step Axpy(const VendorStep& step, CUdeviceptr a, CUdeviceptr c) const;
  Step Elementwise(const char* program, ir::Type type, CUdeviceptr from, CUdeviceptr to,
                   std::int64_t count, std::int64_t stride) const;

  const Gpu& gpu_;
  const Timer& timer_;
  const Module& programs_;
  CublasFunctions functions_;
  cublasHandle_t cublas_ = nullptr;
  cublasLtHandle_t cublaslt_ = nullptr;
  DeviceBuffer workspace_, scratch_;
  std::vector<std::vector<Step>> before_, steps_;  ///< By copy.
  std::string version_, description_;
};

}  // namespace exh::kernels::cuda

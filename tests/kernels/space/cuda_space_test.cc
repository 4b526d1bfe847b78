// SPDX-License-Identifier: MIT
//
// Random implementations printed as CUDA C++, and compiled where NVRTC is installed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kernels/codegen/cuda_printer.h"
#include "kernels/cuda/nvrtc.h"
#include "kernels/devices/device.h"
#include "runtime/check.h"
#include "tests/kernels/space/sample.h"

namespace exh::kernels::testing {
namespace {

TEST(CudaSpace, PrintedImplementationsCompile) {
  const auto nvrtc = cuda::Nvrtc::Load(cuda::Nvrtc::LibraryNames());
  if (!nvrtc.nvrtc) GTEST_SKIP() << nvrtc.problem;
  for (const char* kernel : {"axpy", "mv", "matmul"}) {
    Coverage coverage;
    const Sample sample = Draw(kernel, {}, CudaTestDevice(64), 12, 5, coverage);
    for (const codegen::Schedule& schedule : sample.schedules) {
      const codegen::LoweredCode code = codegen::LowerSchedule(*sample.task.function, schedule);
      ASSERT_EQ(code.error, "");
      const codegen::CudaText text = codegen::PrintCuda(code);
      const cuda::Cubin cubin = nvrtc.nvrtc->Compile(text.source, "sm_90");
      ASSERT_TRUE(cubin.ok()) << cubin.log << "\n" << text.source;
    }
  }
}

}  // namespace
}  // namespace exh::kernels::testing

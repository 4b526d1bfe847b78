// SPDX-License-Identifier: MIT
//
// RunCudaSources on kernels written by hand: what it accepts and what it says of defects.
#include "tests/kernels/space/cuda_batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernels/codegen/print/gpu/statements.h"
#include "kernels/ir/types.h"
#include "kernels/library/registry.h"
#include "tests/kernels/space/sample.h"
#include "tests/support/compiled_texts.h"

namespace exh::kernels::testing {
namespace {

using ::testing::HasSubstr;

constexpr unsigned kN = 96;

/// axpy of 96 elements, as implementations of which only the statements differ.
std::vector<std::string> RunBodies(const std::vector<std::string>& bodies) {
  const Kernel* const axpy = FindKernel("axpy");
  Parameters sizes;
  for (const Parameter& p : axpy->parameters()) sizes[p.name] = p.default_value;
  sizes.at("n") = kN;
  const Task task = MakeTask(*axpy, sizes, TestDevice(64));
  std::vector<CudaText> texts;
  for (const std::string& body : bodies) {
    texts.push_back({.source = R"(
extern __shared__ float4 exh_shared[];
extern "C" __global__ void __launch_bounds__(32, 1)
exh_kernel(const float* __restrict__ arg_x, const float* __restrict__ arg_y, float* __restrict__ arg_z, float s_alpha) {
  const unsigned t = threadIdx.x;
  const unsigned i = blockIdx.x * 32 + t;
  float* const tmp_x = reinterpret_cast<float*>(exh_shared) + 0;
)" + body + "}\n",
                     .launch = {.grid = 3, .threads = 32, .shared_bytes = 128}});
  }
  return RunCudaSources(task, texts);
}

TEST(CudaBatch, SaysWhatIsWrongWithEach) {
  const std::vector<std::string> messages = RunBodies({
      "arg_z[i] = fmaf(s_alpha, arg_x[i], arg_y[i]);",
      "tmp_x[31 - t] = arg_x[i]; __syncthreads();"
      "arg_z[i] = fmaf(s_alpha, tmp_x[31 - t], arg_y[i]);",
      "arg_z[i] = arg_x[i] + arg_y[i];",
      "if (t != 7) arg_z[i] = fmaf(s_alpha, arg_x[i], arg_y[i]);",
      "arg_z[i] = 0.0f; arg_z[i] = fmaf(s_alpha, arg_x[i], arg_y[i]);",
      "if (t != 0) tmp_x[t] = arg_x[i]; arg_z[i] = fmaf(s_alpha, tmp_x[t], arg_y[i]);",
      "tmp_x[t] = arg_x[i]; arg_z[i] = fmaf(s_alpha, tmp_x[t & ~1u], arg_y[i]);",
  });
  ASSERT_EQ(messages.size(), 7u);
  EXPECT_EQ(messages[0], "");
  EXPECT_EQ(messages[1], "");
  EXPECT_THAT(messages[2], HasSubstr("z[0] is "));
  EXPECT_THAT(messages[3], HasSubstr("z[7] is nan"));
  EXPECT_EQ(messages[4], "z[0] was written 2 times (threads ascending)");
  EXPECT_THAT(messages[5], HasSubstr("z[0] is nan"));
  EXPECT_THAT(messages[6], HasSubstr("which thread 0 wrote since the start of the block"));
}

TEST(CudaBatch, SaysWhatDoesNotCompile) {
  const std::vector<std::string> messages = RunBodies({"arg_z[i] = arg_w[i];"});
  EXPECT_THAT(messages.at(0), HasSubstr("did not compile: kernel_0.cu:8:"));
  EXPECT_THAT(messages.at(0), HasSubstr("arg_w"));
}

}  // namespace
}  // namespace exh::kernels::testing

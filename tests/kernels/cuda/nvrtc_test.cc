// SPDX-License-Identifier: MIT
//
// NVRTC: what is said when it is missing or too old; and, where it is installed, what it makes.
#include "kernels/cuda/nvrtc.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace exh::kernels::cuda {
namespace {

TEST(NvrtcLoad, SaysWhatIsMissingAndWhatHelps) {
  const auto nowhere = Nvrtc::Load(std::vector<std::string>{"libthat-is-nowhere.so"});
  EXPECT_FALSE(nowhere.nvrtc.has_value());
  EXPECT_EQ(nowhere.problem,
            "libnvrtc.so is not there: install the CUDA toolkit, version 12 or later");
  const auto other = Nvrtc::Load(std::vector<std::string>{EXH_FAKE_DRIVER});
  EXPECT_FALSE(other.nvrtc.has_value());
  EXPECT_NE(other.problem.find("has no 'nvrtcVersion'"), std::string::npos) << other.problem;
  const auto old = Nvrtc::Load(std::vector<std::string>{EXH_NO_DRIVER});
  EXPECT_FALSE(old.nvrtc.has_value());
  EXPECT_NE(old.problem.find("version 11.2; install"), std::string::npos) << old.problem;
}

TEST(NvrtcLog, TellsResources) {
  const std::string log =
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'f' for 'sm_90'\n"
      "ptxas info    : Function properties for f\n"
      "    112 bytes stack frame, 120 bytes spill stores, 96 bytes spill loads\n"
      "ptxas info    : Used 255 registers, used 1 barriers, 112 bytes cumulative stack size, "
      "4096 bytes smem\n";
  EXPECT_EQ(ReadResources(log), (KernelResources{255, 120, 4096}));
  EXPECT_EQ(ReadResources(""), KernelResources());
}

/// With the compiler of this machine; skipped where there is none.
class NvrtcCompile : public testing::Test {
 protected:
  void SetUp() override {
    auto [nvrtc, problem] = Nvrtc::Load(Nvrtc::LibraryNames());
    if (!nvrtc) GTEST_SKIP() << problem;
    nvrtc_ = std::move(nvrtc);
  }
  std::optional<Nvrtc> nvrtc_;
};

TEST_F(NvrtcCompile, MakesMachineCodeAndKnowsItsResources) {
  const Cubin cubin = nvrtc_->Compile(R"cuda(
extern "C" __global__ void sum(const float* x, float* y) {
  __shared__ float part[256];
  part[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  if (threadIdx.x != 0) return;
  float total = 0;
  for (int i = 0; i < 256; ++i) total += part[i];
  *y = total;
}
)cuda",
                                      "sm_80");
  ASSERT_TRUE(cubin.ok()) << cubin.log;
  EXPECT_EQ(cubin.bytes.substr(1, 3), "ELF");
  EXPECT_GT(cubin.resources.registers, 3) << cubin.log;
  EXPECT_EQ(cubin.resources.shared_bytes, 1024) << cubin.log;
  EXPECT_EQ(cubin.resources.spill_bytes, 0) << cubin.log;
}

TEST_F(NvrtcCompile, SpillsAreSeen) {
  const std::vector<std::string> few_registers = {"--maxrregcount=16"};
  const Cubin cubin = nvrtc_->Compile(R"cuda(
extern "C" __global__ void many(float* x) {
  float v[64];
  #pragma unroll
  for (int i = 0; i < 64; ++i) v[i] = x[i * 32 + threadIdx.x];
  __syncthreads();
  #pragma unroll
  for (int i = 0; i < 64; ++i) x[i * 32 + threadIdx.x] = v[63 - i] * v[i];
}
)cuda",
                                      "sm_80", few_registers);
  ASSERT_TRUE(cubin.ok()) << cubin.log;
  EXPECT_GT(cubin.resources.spill_bytes, 0) << cubin.log;
}

TEST_F(NvrtcCompile, AMistakeIsAResultWithItsLine) {
  const Cubin cubin = nvrtc_->Compile("\n__global__ void f() { int x = y; }\n", "sm_80");
  EXPECT_FALSE(cubin.ok());
  EXPECT_NE(cubin.log.find("kernel.cu(2): error"), std::string::npos) << cubin.log;
  EXPECT_FALSE(nvrtc_->Compile("", "sm_1").ok()) << "no such architecture";
}

}  // namespace
}  // namespace exh::kernels::cuda

// SPDX-License-Identifier: MIT
//
// NVRTC: what is said when it is missing or too old; and, where it is installed, what it makes.
#include "kernels/devices/cuda/driver/nvrtc.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernels/devices/cuda/probes/gpu_probes.h"

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
  EXPECT_EQ(ReadResources(log), (KernelResources{255, 120, 4096, 112}));
  EXPECT_EQ(ReadResources(""), KernelResources());
  EXPECT_EQ(ReadResources("no number bytes smem"), KernelResources());
}

TEST(NvrtcLog, TellsResourcesOfTheCandidatesKernelAmongOthers) {
  // As NVRTC 13 writes it: kernels in any order, called functions after the kernel's own lines.
  const std::string log =
      "ptxas info    : Overriding maximum register limit 256 for 'other' with  32 of maxrregcount\n"
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'other' for 'sm_90'\n"
      "ptxas info    : Function properties for other\n"
      "ptxas         .     8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads\n"
      "ptxas info    : Used 30 registers, used 0 barriers, 8 bytes cumulative stack size\n"
      "ptxas info    : Compiling entry function 'exh_kernel' for 'sm_90'\n"
      "ptxas info    : Function properties for exh_kernel\n"
      "ptxas         .     304 bytes stack frame, 224 bytes spill stores, 256 bytes spill loads\n"
      "ptxas info    : Used 32 registers, used 1 barriers, 320 bytes cumulative stack size, "
      "400 bytes smem\n"
      "ptxas info    : Function properties for _Z1gPKfi\n"
      "ptxas         .     16 bytes stack frame, 280 bytes spill stores, 332 bytes spill loads\n"
      "ptxas info    : Compiling entry function 'first' for 'sm_90'\n"
      "ptxas info    : Used 8 registers, used 0 barriers, 48000 bytes smem\n";
  EXPECT_EQ(ReadResources(log), (KernelResources{32, 504, 400, 320}));
  EXPECT_EQ(ReadResources(log, "first"), (KernelResources{8, 0, 48000, 0}));
  EXPECT_EQ(ReadResources(log, "that_is_nowhere"), (KernelResources{30, 4, 0, 8}));
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
  EXPECT_GT(cubin.resources.local_bytes, 0) << cubin.log;
}

TEST_F(NvrtcCompile, ArraysThatDoNotFitRegistersAreSeen) {
  const Cubin cubin = nvrtc_->Compile(R"cuda(
extern "C" __global__ void other(float* x) { *x = 1; }
extern "C" __global__ void exh_kernel(float* x) {
  int v[40];
  const int n = x[0];
  for (int i = 0; i < 40; ++i) v[i] = x[i] * i;
  for (int i = 0; i < n; ++i) v[v[i]] += i;
  x[1] = v[n];
}
)cuda",
                                      "sm_80");
  ASSERT_TRUE(cubin.ok()) << cubin.log;
  EXPECT_EQ(cubin.resources.spill_bytes, 0) << cubin.log;
  EXPECT_EQ(cubin.resources.local_bytes, 160) << cubin.log;
}

TEST_F(NvrtcCompile, AMistakeIsAResultWithItsLine) {
  const Cubin cubin = nvrtc_->Compile("\n__global__ void f() { int x = y; }\n", "sm_80");
  EXPECT_FALSE(cubin.ok());
  EXPECT_NE(cubin.log.find("kernel.cu(2): error"), std::string::npos) << cubin.log;
  EXPECT_EQ(cubin.trouble, "");
}

TEST_F(NvrtcCompile, AMistakeOfTheCallIsNotTheTexts) {
  const Cubin cubin = nvrtc_->Compile("", "sm_1");
  EXPECT_FALSE(cubin.ok());
  EXPECT_NE(cubin.trouble.find("--gpu-architecture"), std::string::npos) << cubin.trouble;
}

TEST_F(NvrtcCompile, AQuickCompilationIsOneToo) {
  const std::string source = R"cuda(
extern "C" __global__ void exh_kernel(float* x) { x[threadIdx.x] *= 2; }
)cuda";
  EXPECT_TRUE(nvrtc_->Compile(source, "sm_90", {}, Optimization::kQuick).ok());
}

// A probe that spills, or whose work the compiler saw through, would measure something else.
TEST_F(NvrtcCompile, ProbesOfAGpuKeepTheirWork) {
  const Cubin cubin = nvrtc_->Compile(GpuProbesSource(), "sm_90");
  ASSERT_TRUE(cubin.ok()) << cubin.log;
  for (const char* const probe :
       {"probe_fma",          "probe_fma_outer",   "probe_int_mad",    "probe_issue",
        "probe_shared_32",    "probe_shared_64",   "probe_shared_128", "probe_l1",
        "probe_l2",           "probe_fma_latency", "probe_chase_ca",   "probe_chase_cg",
        "probe_chase_shared", "probe_barrier",     "probe_read",       "probe_write",
        "probe_copy",         "probe_add",         "probe_convert",    "probe_exp",
        "probe_root",         "probe_gap",         "probe_gap_read",   "probe_sweep_read",
        "probe_sweep_write",  "probe_sweep_third", "probe_dmma"}) {
    EXPECT_NE(cubin.log.find(std::string("'") + probe + "'"), cubin.log.npos) << probe;
    const KernelResources resources = ReadResources(cubin.log, probe);
    EXPECT_EQ(resources.spill_bytes, 0) << probe;
    EXPECT_EQ(resources.local_bytes, 0) << probe;
  }
  EXPECT_GE(ReadResources(cubin.log, "probe_fma_outer").registers, 64 + 16);
  EXPECT_GE(ReadResources(cubin.log, "probe_read").registers, 16);
}

}  // namespace
}  // namespace exh::kernels::cuda

// SPDX-License-Identifier: MIT
//
// Stand-alone programs and units of libraries whose kernels have tensor maps: a kernel written by
// hand, which reads its inputs by bulk copies alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/devices/cuda/standalone/cuda_library.h"
#include "kernels/devices/cuda/standalone/standalone_cuda.h"
#include "kernels/devices/device.h"
#include "kernels/devices/package/unit.h"
#include "kernels/library/registry.h"
#include "tests/support/cuda_program.h"

namespace exh::kernels {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::int64_t kN = 8192;

const Task& AxpyTask() {
  static const Task task = MakeTask(*FindKernel("axpy"), {{"n", kN}, {"inner_tile", 4}},
                                    *LoadDevice("h200", {{"bulk_copies", "true"}}).device);
  return task;
}

/// What printed texts have of their own where the compiler is nvcc.
constexpr const char* kInstructions = R"(#ifndef EXH_SHIM
struct alignas(64) exh_tensor_map { unsigned char bytes[128]; };
static __device__ unsigned exh_address(const void* shared) {
  return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}
static __device__ void exh_barrier_init(unsigned long long* barrier, unsigned count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(exh_address(barrier)), "r"(count)
               : "memory");
}
static __device__ void exh_barriers_made() {
  asm volatile("fence.mbarrier_init.release.cluster;\n\tfence.proxy.async;" ::: "memory");
}
static __device__ void exh_expect(unsigned long long* barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                   exh_address(barrier)), "r"(bytes) : "memory");
}
static __device__ void exh_await(unsigned long long* barrier, unsigned parity) {
  for (unsigned done = 0; done == 0;) {
    asm volatile("{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
                 "selp.u32 %0, 1, 0, p;\n\t}" : "=r"(done) : "r"(exh_address(barrier)), "r"(parity)
                 : "memory");
  }
}
static __device__ void exh_bulk_copy(void* to, const exh_tensor_map* map,
                                     unsigned long long* barrier, int c0) {
  asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
               "[%0], [%1, {%3}], [%2];" ::"r"(exh_address(to)), "l"(map),
               "r"(exh_address(barrier)), "r"(c0) : "memory");
}
static __device__ void exh_bulk_copy(void* to, const exh_tensor_map* map,
                                     unsigned long long* barrier, int c0, int c1) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
               "[%0], [%1, {%3, %4}], [%2];" ::"r"(exh_address(to)), "l"(map),
               "r"(exh_address(barrier)), "r"(c0), "r"(c1) : "memory");
}
#endif

)";

/// A block computes 64 elements: of x two rows of 32 that are swizzled, of y one row.
constexpr const char* kBody = R"(
  unsigned char* const shared = reinterpret_cast<unsigned char*>(exh_shared);
  unsigned long long* const barrier = reinterpret_cast<unsigned long long*>(shared + 512);
  if (threadIdx.x == 0) {
    exh_barrier_init(barrier, 1);
    exh_barriers_made();
  }
  __syncthreads();
  const int block = blockIdx.x, thread = threadIdx.x, row = thread / 32;
  if (thread == 0) {
    exh_expect(barrier, 512);
    exh_bulk_copy(shared, &map_x, barrier, 0, 2 * block);
    exh_bulk_copy(shared + 256, &map_y, barrier, 64 * block);
  }
  exh_await(barrier, 0);
  const float x = *reinterpret_cast<const float*>(shared + ((4 * thread) ^ (row << 4)));
  const float y = *reinterpret_cast<const float*>(shared + 256 + 4 * thread);
  arg_z[64 * block + thread] = fmaf(s_alpha, x, y);
}

)";

std::string KernelText(const std::string& name, const std::string& more, const std::string& body) {
  return "extern \"C\" __global__ void __launch_bounds__(64, 1)\n" + name +
         "(const float* __restrict__ arg_x, const float* __restrict__ arg_y,\n"
         "    float* __restrict__ arg_z, float s_alpha, " +
         more +
         "const __grid_constant__ exh_tensor_map map_x,\n"
         "    const __grid_constant__ exh_tensor_map map_y) {" +
         body;
}

Launch MapsLaunch() {
  Launch launch;
  launch.threads = 64;
  launch.grid = kN / launch.threads;
  launch.shared_bytes = 528;
  launch.maps = {{0, 4, {32, kN / 32}, {128}, {32, 2}, 128}, {1, 4, {kN}, {}, {64}, 0}};
  return launch;
}

constexpr const char* kShared = "extern __shared__ __align__(128) float4 exh_shared[];\n\n";

Source MapsSource() {
  return {std::string(kInstructions) + kShared + KernelText("exh_kernel", "", kBody), MapsLaunch()};
}

std::string Exported(const Source& source) {
  return StandaloneCuda(AxpyTask(), source, "A test.\n");
}

void ExpectRight(const std::string& program) {
  const tests::ProgramRun run = tests::RunOnProcessor(program);
  EXPECT_EQ(run.compiler, "");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("axpy: correct (all of 8192 elements)"));
}

TEST(StandaloneMaps, AreMadeForThePointersOfALaunch) {
  const std::string text = Exported(MapsSource());
  std::size_t at = 0;
  for (const char* const found :
       {"#include <cuda.h>\n#include <cuda_runtime.h>\n", "static cudaError_t axpy_maps(",
        "  } shapes[] = {\n      {CU_TENSOR_MAP_DATA_TYPE_UINT32, CU_TENSOR_MAP_SWIZZLE_128B, 2, "
        "{32, 256}, {128}, {32, 2}},\n"
        "      {CU_TENSOR_MAP_DATA_TYPE_UINT32, CU_TENSOR_MAP_SWIZZLE_NONE, 1, {8192}, {}, {64}}};",
        "//   cudaErrorNotSupported            its driver has no tensor maps\n",
        "axpy_launch(const float* x, const float* y, float* z, float alpha,\n"
        "    cudaStream_t stream) {",
        "  status = axpy_maps({x, y}, maps);\n",
        "  void* arguments[] = {&x, &y, &z, &alpha, &maps[0], &maps[1]};\n"}) {
    const std::size_t next = text.find(found, at);
    ASSERT_NE(next, text.npos) << found;
    at = next;
  }
  ExpectRight(text);
  // A map that ends earlier has zeros behind its end.
  Source other = MapsSource();
  other.gpu->launch.maps[0].extents = {32, kN / 64};
  const tests::ProgramRun run = tests::RunOnProcessor(Exported(other));
  EXPECT_EQ(run.compiler, "");
  EXPECT_EQ(run.code, 1);
  EXPECT_THAT(run.err, HasSubstr("axpy: z["));
}

TEST(StandaloneMaps, AreAskedForAsEachRuntimeHasIt) {
  const std::string text = Exported(MapsSource());
  for (const char* const version : {"12000", "12040", "12050"}) {
    ExpectRight(std::string("#define CUDART_VERSION ") + version + "\n" + text);
  }
}

TEST(StandaloneMaps, AreArgumentsOfEveryWayToLaunch) {
  Source clusters = MapsSource();
  clusters.gpu->launch.cluster = 2;
  EXPECT_THAT(Exported(clusters),
              HasSubstr("cudaLaunchKernelEx(&next, axpy_kernel, x, y, z, alpha, maps[0],"));
  ExpectRight(Exported(clusters));
  // Two kernels with a workspace, which overlap.
  Launch launch = MapsLaunch();
  launch.workspace_bytes = 16;
  launch.overlaps = true;
  launch.sides = {{"exh_fill", true, launch.grid, 64, 0}};
  const std::string more = "unsigned char* exh_global,\n    ";
  const Source two(
      std::string(kInstructions) + kShared +
          KernelText("exh_fill", more, "\n  arg_z[64 * blockIdx.x + threadIdx.x] = 0;\n}\n\n") +
          KernelText("exh_kernel", more, kBody),
      launch);
  const std::string text = Exported(two);
  EXPECT_THAT(text, HasSubstr("{&x, &y, &z, &alpha, &workspace, &maps[0], &maps[1]};"));
  EXPECT_THAT(text, HasSubstr("static_cast<unsigned char*>(workspace), maps[0], maps[1]);"));
  ExpectRight(text);
}

TEST(StandaloneMaps, TheLauncherSaysWhyThereAreNone) {
  Source large = MapsSource();
  large.gpu->launch.maps[1].box = {512};
  const auto run = [](const Source& source, const std::string& main) {
    const tests::ProgramRun ran =
        tests::RunOnProcessor("#define EXHAUST_NO_MAIN\n" + Exported(source) + R"(
alignas(16) float x[8192], y[8192], z[8192];
int Launch() { return axpy_launch(x, y, z, 2, 0); }
int main() {
)" + main + "\n}\n");
    EXPECT_EQ(ran.compiler, "");
    EXPECT_EQ(ran.code, 0) << ran.err;
  };
  run(MapsSource(), "fake_has_maps = false; return Launch() != cudaErrorNotSupported;");
  run(large, "return Launch() != cudaErrorInvalidValue;");
  run(MapsSource(), "fake_capability = 89; return Launch() != cudaErrorNoKernelImageForDevice;");
  // Each launch has its own, as its pointers may be others.
  run(MapsSource(), "return Launch() != 0 || Launch() != 0 || fake_maps_made != 4;");
}

TEST(StandaloneMaps, UnitsOfLibrariesHaveThem) {
  const package::Unit unit = CudaUnit(AxpyTask(), MapsSource(), "NVIDIA H200, driver 13.0", "");
  const std::string program = unit.text + R"(
#include <cstdio>
alignas(16) float x[8192], y[8192], z[8192];
int main() {
  for (int i = 0; i < 8192; ++i) x[i] = i, y[i] = 3;
  void* const arrays[] = {x, y, z};
  const double alpha = 2;
  const int status = )" + unit.symbol +
                              R"((arrays, &alpha, nullptr, 0, nullptr);
  int wrong = 0;
  for (int i = 0; i < 8192; ++i) wrong += z[i] != 2 * i + 3;
  std::printf("%d %d\n", status, wrong);
}
)";
  const tests::ProgramRun run = tests::RunOnProcessor(program);
  EXPECT_EQ(run.compiler, "");
  EXPECT_EQ(run.out, "0 0\n");
}

TEST(StandaloneMaps, HeadersNameTheErrorAlone) {
  Source without = MapsSource();
  without.gpu->launch.maps.clear();
  std::string header = StandaloneCudaHeader(AxpyTask(), MapsSource(), "A test.\n");
  const std::string line = "//   cudaErrorNotSupported            its driver has no tensor maps\n";
  ASSERT_THAT(header, HasSubstr(line));
  header.erase(header.find(line), line.size());
  EXPECT_EQ(header, StandaloneCudaHeader(AxpyTask(), without, "A test.\n"));
  EXPECT_THAT(Exported(without), Not(HasSubstr("cuda.h>")));
}

TEST(StandaloneMaps, NeedNoLibraryOfTheDriver) {
  if (tests::FindNvcc().empty()) GTEST_SKIP() << "there is no nvcc";
  EXPECT_EQ(tests::CompileWithNvcc(Exported(MapsSource()), "sm_90"), "");
  Source clusters = MapsSource();
  clusters.gpu->launch.cluster = 2;
  EXPECT_EQ(tests::CompileWithNvcc(Exported(clusters), "sm_90"), "");
}

}  // namespace
}  // namespace exh::kernels

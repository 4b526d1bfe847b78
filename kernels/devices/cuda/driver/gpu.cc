// SPDX-License-Identifier: MIT
#include "kernels/devices/cuda/driver/gpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace exh::kernels::cuda {
namespace {

CUlaunchAttribute Cluster(const std::array<unsigned int, 3>& blocks) {
  CUlaunchAttribute cluster{.id = kClusterLaunch, .value = static_cast<int>(blocks[0])};
  std::memcpy(cluster.rest, &blocks[1], 2 * sizeof blocks[1]);
  return cluster;
}

}  // namespace

Gpu::Gpu(const Driver& driver, int ordinal) : driver_(driver) {
  const std::vector<DeviceFacts> devices = driver.Devices();
  const auto found = std::ranges::find(devices, ordinal, &DeviceFacts::ordinal);
  if (found == devices.end()) {
    throw GpuError(fmt::format("there is no GPU {}: the driver shows {}", ordinal, devices.size()));
  }
  facts_ = *found;
  CUdevice device = 0;
  Check(cu().cuDeviceGet(&device, ordinal), "cuDeviceGet");
  // The primary context, so that libraries built on the run-time API (cuBLAS) share it.
  CUcontext context = nullptr;
  Check(cu().cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
  Check(cu().cuCtxSetCurrent(context), "cuCtxSetCurrent");
  Check(cu().cuStreamCreate(&stream_, kNonBlockingStream), "cuStreamCreate");
}

void Gpu::Check(CUresult result, const char* call) const {
  if (result == kSuccess) return;
  throw GpuError(fmt::format("{}: {}", call, driver_.ErrorText(result)));
}

void Gpu::Upload(CUdeviceptr to, const void* from, std::size_t bytes) const {
  if (bytes == 0) return;
  // Not cuMemcpyHtoD: from memory that is not pinned it may return before the bytes are there, and
  // a stream of our own does not wait for them.
  Check(cu().cuMemcpyHtoDAsync(to, from, bytes, stream_), "cuMemcpyHtoDAsync");
  Synchronize();
}

void Gpu::Download(void* to, CUdeviceptr from, std::size_t bytes) const {
  if (bytes > 0) Check(cu().cuMemcpyDtoH(to, from, bytes), "cuMemcpyDtoH");
}

void Gpu::Fill(CUdeviceptr to, unsigned int word, std::size_t words) const {
  if (words > 0) Check(cu().cuMemsetD32Async(to, word, words, stream_), "cuMemsetD32Async");
}

void Gpu::FillBytes(CUdeviceptr to, unsigned char byte, std::size_t bytes) const {
  // Whole words are filled faster.
  const std::size_t words = bytes / sizeof(unsigned int), rest = bytes % sizeof(unsigned int);
  Fill(to, byte * 0x01010101u, words);
  if (rest == 0) return;
  Check(cu().cuMemsetD8Async(to + bytes - rest, byte, rest, stream_), "cuMemsetD8Async");
}

void Gpu::Launch(CUfunction function, const kernels::Launch& launch, void** arguments,
                 bool is_early) const {
  std::array<CUlaunchAttribute, 2> attributes;
  CUlaunchConfig config;
  config.grid_x = static_cast<unsigned int>(launch.grid);
  config.block_x = launch.threads;
  config.shared_bytes = static_cast<unsigned int>(launch.shared_bytes);
  config.stream = stream_;
  config.attributes = attributes.data();
  config.num_attributes = 0;
  if (is_early) attributes[config.num_attributes++] = {.id = kEarlyLaunch, .value = 1};
  if (launch.cluster > 1) {
    attributes[config.num_attributes++] = Cluster({launch.cluster, 1, 1});
  }
  Check(cu().cuLaunchKernelEx(&config, function, arguments, nullptr), "cuLaunchKernelEx");
}

void Gpu::LaunchWide(CUfunction function, const WideLaunch& launch, void** arguments) const {
  CUlaunchAttribute cluster = Cluster(launch.cluster);
  CUlaunchConfig config;
  config.grid_x = launch.grid[0];
  config.grid_y = launch.grid[1];
  config.grid_z = launch.grid[2];
  config.block_x = launch.block[0];
  config.block_y = launch.block[1];
  config.block_z = launch.block[2];
  config.shared_bytes = launch.shared_bytes;
  config.stream = stream_;
  config.attributes = &cluster;
  config.num_attributes = launch.has_clusters() ? 1 : 0;
  Check(cu().cuLaunchKernelEx(&config, function, arguments, nullptr), "cuLaunchKernelEx");
}

void Gpu::Synchronize() const {
  Check(cu().cuStreamSynchronize(stream_), "cuStreamSynchronize");
}

int Gpu::Occupancy(CUfunction function, const kernels::Launch& launch) const {
  int blocks = 0;
  Check(cu().cuOccupancyMaxActiveBlocksPerMultiprocessor(
            &blocks, function, static_cast<int>(launch.threads), launch.shared_bytes),
        "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  return blocks;
}

void Gpu::AllowShared(CUfunction function, std::uint64_t bytes) const {
  Check(cu().cuFuncSetAttribute(function, kMaxDynamicSharedBytes, static_cast<int>(bytes)),
        "cuFuncSetAttribute");
}

void Gpu::AllowCluster(CUfunction function, std::uint32_t blocks) const {
  if (blocks <= kPortableCluster) return;
  Check(cu().cuFuncSetAttribute(function, kLargeClusters, 1), "cuFuncSetAttribute");
}

// ---- Buffer -------------------------------------------------------------------------------------

DeviceBuffer::DeviceBuffer(const Gpu& gpu, std::size_t bytes) : gpu_(&gpu), bytes_(bytes) {
  gpu.Check(gpu.cu().cuMemAlloc(&base_, words() * sizeof(kGuardWord) + 2 * kGuardBytes),
            "cuMemAlloc");
  gpu.Fill(guard_before(), kGuardWord, kGuardWords);
  gpu.Fill(guard_after(), kGuardWord, words_after());
}

DeviceBuffer::~DeviceBuffer() {
  if (base_ != 0) gpu_->cu().cuMemFree(base_);  // A broken context frees nothing; it ends soon.
}

DeviceBuffer::DeviceBuffer(DeviceBuffer&& other) noexcept {
  *this = std::move(other);
}

DeviceBuffer& DeviceBuffer::operator=(DeviceBuffer&& other) noexcept {
  std::swap(gpu_, other.gpu_);
  std::swap(base_, other.base_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

// ---- Module -------------------------------------------------------------------------------------

Module::Module(const Gpu& gpu, const std::string& cubin) : gpu_(&gpu) {
  gpu.Check(gpu.cu().cuModuleLoadData(&module_, cubin.data()), "cuModuleLoadData");
}

Module::~Module() {
  if (module_ != nullptr) gpu_->cu().cuModuleUnload(module_);
}

Module::Module(Module&& other) noexcept {
  *this = std::move(other);
}

Module& Module::operator=(Module&& other) noexcept {
  std::swap(gpu_, other.gpu_);
  std::swap(module_, other.module_);
  return *this;
}

CUfunction Module::Find(const char* name) const {
  CUfunction function = nullptr;
  const CUresult found = gpu_->cu().cuModuleGetFunction(&function, module_, name);
  if (found == kNoSuchName) return nullptr;
  gpu_->Check(found, "cuModuleGetFunction");
  return function;
}

CUfunction Module::Function(const char* name) const {
  CUfunction function = nullptr;
  gpu_->Check(gpu_->cu().cuModuleGetFunction(&function, module_, name), "cuModuleGetFunction");
  return function;
}

}  // namespace exh::kernels::cuda

// SPDX-License-Identifier: MIT
//
// One GPU in this process: context, stream, memory, modules, launches. What fails here is the
// environment or a kernel that broke the context; both end the process that runs candidates, so
// they are exceptions, and `GpuError` is caught where a request is answered.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/devices/cuda/driver/driver.h"
#include "kernels/launch.h"

namespace exh::kernels::cuda {

/// A call of the driver that did not succeed.
class GpuError : public std::runtime_error {
 public:
  explicit GpuError(const std::string& what) : std::runtime_error(what) {}
};

/// A launch of up to three dimensions. Numbers are above 0.
struct WideLaunch {
  std::array<unsigned int, 3> grid = {1, 1, 1}, block = {1, 1, 1};
  std::array<unsigned int, 3> cluster = {1, 1, 1};  ///< Blocks of one; each divides the grid's.
  unsigned int shared_bytes = 0;                    ///< Dynamic shared memory of a block.

  unsigned int threads() const { return block[0] * block[1] * block[2]; }
  bool has_clusters() const { return cluster[0] * cluster[1] * cluster[2] > 1; }
};

class Gpu;

/// Device memory between two guard zones whose contents are known.
class DeviceBuffer {
 public:
  static constexpr std::size_t kGuardBytes = 256 << 10;   ///< On each side.
  static constexpr unsigned int kGuardWord = 0xA5C3D2E1;  ///< What fills them.

  DeviceBuffer() = default;
  DeviceBuffer(const Gpu& gpu, std::size_t bytes);
  ~DeviceBuffer();
  DeviceBuffer(DeviceBuffer&& other) noexcept;
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept;

  CUdeviceptr data() const { return base_ == 0 ? 0 : base_ + kGuardBytes; }
  std::size_t bytes() const { return bytes_; }
  /// So many words, which all hold kGuardWord.
  CUdeviceptr guard_before() const { return base_; }
  static constexpr std::size_t kGuardWords = kGuardBytes / sizeof(kGuardWord);
  /// The same behind the data. Where they end within a word, it begins with that one, whose first
  /// `data_in_guard()` bytes are theirs.
  CUdeviceptr guard_after() const { return data() + bytes_ - data_in_guard(); }
  std::size_t data_in_guard() const { return bytes_ % sizeof(kGuardWord); }
  std::size_t words_after() const { return kGuardWords + (data_in_guard() > 0 ? 1 : 0); }
  /// Words that hold the data, the last of them maybe some of the guard zone.
  std::size_t words() const { return (bytes_ + sizeof(kGuardWord) - 1) / sizeof(kGuardWord); }

 private:
  const Gpu* gpu_ = nullptr;
  CUdeviceptr base_ = 0;
  std::size_t bytes_ = 0;
};

/// Machine code that was loaded, and is unloaded with this.
class Module {
 public:
  Module() = default;
  Module(const Gpu& gpu, const std::string& cubin);
  ~Module();
  Module(Module&& other) noexcept;
  Module& operator=(Module&& other) noexcept;

  /// Throws GpuError where there is none of this name.
  CUfunction Function(const char* name) const;
  /// Null: there is none.
  CUfunction Find(const char* name) const;

 private:
  const Gpu* gpu_ = nullptr;
  CUmodule module_ = nullptr;
};

class Gpu {
 public:
  /// Throws GpuError when the context cannot be made.
  Gpu(const Driver& driver, int ordinal);
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  const DriverFunctions& cu() const { return driver_.functions(); }
  CUstream stream() const { return stream_; }
  const DeviceFacts& facts() const { return facts_; }

  /// Throws GpuError: "cuLaunchKernelEx: CUDA_ERROR_… (…)".
  void Check(CUresult result, const char* call) const;
  /// Copies to the GPU after all that was enqueued, and waits for it.
  void Upload(CUdeviceptr to, const void* from, std::size_t bytes) const;
  /// Copies from the GPU what is there now: Synchronize() first.
  void Download(void* to, CUdeviceptr from, std::size_t bytes) const;
  void Fill(CUdeviceptr to, unsigned int word, std::size_t words) const;
  /// The same with a byte, and no more than `bytes`. `to` is a multiple of 4.
  void FillBytes(CUdeviceptr to, unsigned char byte, std::size_t bytes) const;
  /// `arguments` are pointers to the arguments. `is_early`: it may begin before the kernel before
  /// it has ended, and waits for that itself.
  void Launch(CUfunction function, const kernels::Launch& launch, void** arguments,
              bool is_early = false) const;
  void LaunchWide(CUfunction function, const WideLaunch& launch, void** arguments) const;
  void Synchronize() const;
  /// Blocks of the kernel that fit a multiprocessor at once.
  int Occupancy(CUfunction function, const kernels::Launch& launch) const;
  /// Lets a kernel have this much dynamic shared memory.
  void AllowShared(CUfunction function, std::uint64_t bytes) const;
  /// Lets its clusters have so many blocks.
  void AllowCluster(CUfunction function, std::uint32_t blocks) const;

 private:
  Driver driver_;
  DeviceFacts facts_;
  CUstream stream_ = nullptr;
};

}  // namespace exh::kernels::cuda

// SPDX-License-Identifier: MIT
//
// The GPU behind the fake driver. Its memory is the host's, but nothing is done before somebody
// waits for it: who reads a result without waiting reads something else, as it may be on a GPU.
// Work takes its time in earnest, and on a clock of its own that counts nothing else, so that the
// time between two events is exact. For one thread, as the processes that use it are.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "kernels/devices/cuda/driver/driver.h"

namespace exh::kernels::cuda {
namespace fake {

// As in cuda.h.
inline constexpr CUresult kInvalidValue = 1, kOutOfMemory = 2, kNoDevice = 100, kInvalidImage = 200,
                          kInvalidContext = 201, kNotFound = 500, kIllegalAddress = 700,
                          kOutOfResources = 701, kNotSupported = 801, kCaptureUnsupported = 900,
                          kUnknown = 999;

inline constexpr std::uint64_t kForever = ~std::uint64_t{0};

/// Something that a stream does: `start` says how many nanoseconds it will take, or kForever, and
/// `finish` does it.
struct Work {
  std::function<std::uint64_t()> start;
  std::function<void()> finish;
};

/// Device memory, and what is wrong with it.
class Memory {
 public:
  static Memory& Get();

  /// 0: there is not so much left. What is in it is nothing that anybody wrote.
  CUdeviceptr Allocate(std::size_t bytes);
  bool Free(CUdeviceptr address);
  /// `count` elements; null, and the context is broken, when they do not lie in one allocation.
  template <typename T>
  T* At(CUdeviceptr address, std::uint64_t count) {
    return static_cast<T*>(Bytes(address, count * sizeof(T)));
  }

  /// From now on every call answers this.
  void Break(CUresult error);
  /// kSuccess: the context works.
  CUresult error() const { return error_; }

 private:
  void* Bytes(CUdeviceptr address, std::uint64_t bytes);

  std::map<CUdeviceptr, std::unique_ptr<std::vector<unsigned char>>> allocations_;
  std::size_t bytes_ = 0;
  CUresult error_ = kSuccess;
};

}  // namespace fake

struct CudaGraph {
  std::vector<fake::Work> nodes;
};
struct CudaGraphExec {
  std::vector<fake::Work> nodes;
};

/// Work in its order.
struct CudaStream {
  using Clock = std::chrono::steady_clock;

  void Enqueue(const fake::Work& work);
  /// Does what has had its time by now.
  void Advance();
  /// Does everything. Does not return when something never ends.
  void Synchronize();

  std::unique_ptr<CudaGraph> capture;  ///< Where launches go while there is one.
  std::uint64_t ns = 0;                ///< All that was done, in its own time.

 private:
  struct Pending {
    fake::Work work;
    Clock::time_point enqueued;
    bool started = false;
    std::uint64_t ns = 0;
    Clock::time_point end;
  };
  std::deque<Pending> pending_;
  Clock::time_point free_;  ///< The end of what was done last.
};

struct CudaEvent {
  std::uint64_t records = 0;  ///< How often it was recorded: only the last time counts.
  bool done = true;
  std::uint64_t ns = 0;  ///< The stream's, when it came here.
  CudaStream* stream = nullptr;
};

}  // namespace exh::kernels::cuda

// SPDX-License-Identifier: MIT
//
// A printed program on the GPU: `exh_kernel`, and the kernels that are launched before and after
// it, with the same arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/devices/cuda/driver/gpu.h"
#include "kernels/launch.h"

namespace exh::kernels::cuda {

class DeviceProgram {
 public:
  /// One of its kernels.
  struct Kernel {
    std::string name;
    CUfunction function = nullptr;
    kernels::Launch launch;  ///< Of this kernel alone.
    int blocks_per_sm = 0;   ///< That a multiprocessor holds at once.
  };

  /// Every kernel may have its shared memory then. The module outlives the program.
  DeviceProgram(const Gpu& gpu, const Module& module, const kernels::Launch& launch);

  /// In the order in which they are launched.
  const std::vector<Kernel>& all() const { return kernels_; }
  /// `exh_kernel`.
  const Kernel& main() const { return kernels_[main_]; }
  /// Enqueues all of them. `arguments` are pointers to the arguments. Where its launches overlap,
  /// and the GPU can do that, only the first waits for all that was enqueued before.
  void Enqueue(void** arguments) const;
  /// The first `blocks` blocks of `exh_kernel` alone.
  void EnqueueBlocks(void** arguments, std::uint64_t blocks) const;

 private:
  const Gpu& gpu_;
  std::vector<Kernel> kernels_;
  std::size_t main_ = 0;
  bool overlaps_ = false;
};

}  // namespace exh::kernels::cuda

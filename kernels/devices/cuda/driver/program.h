// SPDX-License-Identifier: MIT
//
// A printed program on the GPU: `exh_kernel`, and the kernels that are launched before and after
// it, with the same arguments, the tensor maps of its arrays among them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/devices/cuda/driver/gpu.h"
#include "kernels/devices/cuda/driver/tensor_maps.h"
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

  /// Why the GPU cannot run what is launched like this, in one line; empty: it can, for all that is
  /// known here.
  static std::string ProblemOf(const Gpu& gpu, const kernels::Launch& launch);
  /// Every kernel may have its shared memory then. The module outlives the program. ProblemOf() is
  /// empty.
  DeviceProgram(const Gpu& gpu, const Module& module, const kernels::Launch& launch);

  /// In the order in which they are launched.
  const std::vector<Kernel>& all() const { return kernels_; }
  /// `exh_kernel`.
  const Kernel& main() const { return kernels_[main_]; }
  /// Does what launches with these arrays need and what shall not be timed; Enqueue() would do it.
  void Prepare(const std::vector<void*>& arguments) { maps_.Prepare(arguments); }
  /// Enqueues all of them. `arguments` are pointers to the arguments, the arrays first, but for the
  /// tensor maps: these are added. Where its launches overlap, and the GPU can do that, only the
  /// first waits for all that was enqueued before.
  void Enqueue(std::vector<void*> arguments);
  /// The first `blocks` blocks of `exh_kernel` alone.
  void EnqueueBlocks(std::vector<void*> arguments, std::uint64_t blocks);

 private:
  const Gpu& gpu_;
  TensorMaps maps_;
  std::vector<Kernel> kernels_;
  std::size_t main_ = 0;
  bool overlaps_ = false;
};

}  // namespace exh::kernels::cuda

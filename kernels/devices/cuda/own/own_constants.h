// SPDX-License-Identifier: MIT
//
// Variables of a user's file that hold something when the kernel begins: `__constant__ float
// filter[9];`. Each configuration is machine code of its own, and has variables of its own, so they
// are filled for each. One that a configuration does not use is not in its machine code.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "kernels/devices/cuda/driver/gpu.h"
#include "kernels/devices/own/own_kernel.h"

namespace exh::kernels::cuda {

class OwnConstants {
 public:
  /// By constant, in one module; nothing: it has no such variable.
  using Places = std::vector<std::optional<DeviceVariable>>;

  /// Throws GpuError when a file is not as long as its constant.
  OwnConstants(const Gpu& gpu, const std::vector<OwnArgument>& constants);

  /// Empty, or why they do not fit the module's. `needs_all`: each must be there.
  std::string Find(const Module& module, bool needs_all, Places& places) const;
  /// What they hold, once all that was enqueued before is done.
  void Fill(const Places& places) const;

 private:
  const Gpu& gpu_;
  std::vector<std::string> names_;
  std::vector<DeviceBuffer> contents_;
};

}  // namespace exh::kernels::cuda

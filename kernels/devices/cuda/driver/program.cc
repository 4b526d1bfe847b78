// SPDX-License-Identifier: MIT
#include "kernels/devices/cuda/driver/program.h"

#include <utility>

#include "kernels/evaluation.h"

namespace exh::kernels::cuda {

std::string DeviceProgram::ProblemOf(const Gpu& gpu, const kernels::Launch& launch) {
  return launch.maps.empty() ? "" : ProblemOfTensorMaps(gpu);
}

DeviceProgram::DeviceProgram(const Gpu& gpu, const Module& module, const kernels::Launch& launch)
    : gpu_(gpu),
      maps_(gpu, launch.maps),
      overlaps_(launch.overlaps && gpu.facts().capability() >= kLaunchesOverlapFrom) {
  for (const SideLaunch& one : InOrder(launch)) {
    Kernel kernel;
    kernel.name = one.kernel;
    kernel.function = module.Function(one.kernel.c_str());
    kernel.launch = {one.grid, one.threads, one.shared_bytes};
    gpu.AllowShared(kernel.function, one.shared_bytes);
    if (kernel.name == kMainKernel) {
      kernel.launch.cluster = launch.cluster;
      gpu.AllowCluster(kernel.function, launch.cluster);
    }
    kernel.blocks_per_sm = gpu.Occupancy(kernel.function, kernel.launch);
    if (kernel.name == kMainKernel) main_ = kernels_.size();
    kernels_.push_back(std::move(kernel));
  }
}

void DeviceProgram::Enqueue(std::vector<void*> arguments) {
  maps_.AddTo(arguments);
  for (const Kernel& kernel : kernels_) {
    const bool is_early = overlaps_ && &kernel != &kernels_.front();
    gpu_.Launch(kernel.function, kernel.launch, arguments.data(), is_early);
  }
}

void DeviceProgram::EnqueueBlocks(std::vector<void*> arguments, std::uint64_t blocks) {
  maps_.AddTo(arguments);
  kernels::Launch launch = main().launch;
  launch.grid = blocks;
  gpu_.Launch(main().function, launch, arguments.data());
}

}  // namespace exh::kernels::cuda

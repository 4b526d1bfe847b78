// SPDX-License-Identifier: MIT
//
// The tensor maps of a printed program: the driver encodes them for the arrays of a launch, and
// its kernels take them behind all other arguments.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "kernels/devices/cuda/driver/gpu.h"
#include "kernels/launch.h"

namespace exh::kernels::cuda {

/// Why this GPU and its driver have no tensor maps, in one line; empty: they have.
std::string ProblemOfTensorMaps(const Gpu& gpu);

/// The maps of one program.
class TensorMaps {
 public:
  /// Without any, nothing is asked of the GPU; otherwise ProblemOfTensorMaps() is empty.
  TensorMaps(const Gpu& gpu, std::vector<TensorMap> maps);

  /// Encodes the maps for the arrays of a launch, by pointers to its arguments, of which the first
  /// are the arrays. Throws GpuError where the driver refuses one.
  void Prepare(const std::vector<void*>& arguments) { Of(arguments); }
  /// Adds the maps to such pointers: those that were encoded for arrays at the same addresses, if
  /// there are. They live as long as this.
  void AddTo(std::vector<void*>& arguments);

 private:
  std::vector<CUtensorMap>& Of(const std::vector<void*>& arguments);
  CUtensorMap Encoded(std::size_t number, CUdeviceptr array) const;

  const Gpu& gpu_;
  std::vector<TensorMap> maps_;
  /// By where the array of each map lies.
  std::map<std::vector<CUdeviceptr>, std::vector<CUtensorMap>> encoded_;
};

}  // namespace exh::kernels::cuda

// SPDX-License-Identifier: MIT
//
// The tensor maps of a printed program: the driver encodes them for the arrays of a launch, and
// its kernels take them behind all other arguments.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "kernels/devices/cuda/driver/gpu.h"
#include "kernels/launch.h"

namespace exh::kernels::cuda {

/// Why this GPU and its driver have no tensor maps, in one line; empty: they have.
std::string ProblemOfTensorMaps(const Gpu& gpu);

class TensorMaps {
 public:
  /// Without any, nothing is asked of the GPU; otherwise ProblemOfTensorMaps() is empty.
  TensorMaps(const Gpu& gpu, std::vector<TensorMap> maps);

  /// Adds the maps to pointers to arguments, of which the first are the arrays. Maps are encoded
  /// when their arrays lie somewhere for the first time, and live as long as this. Throws GpuError
  /// where the driver refuses one.
  void AddTo(std::vector<void*>& arguments);

 private:
  CUtensorMap Encoded(std::size_t number, CUdeviceptr array) const;

  const Gpu& gpu_;
  std::vector<TensorMap> maps_;
  /// By where the array of each map lies.
  std::map<std::vector<CUdeviceptr>, std::vector<CUtensorMap>> encoded_;
};

}  // namespace exh::kernels::cuda

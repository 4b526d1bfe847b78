// SPDX-License-Identifier: MIT
//
// The arguments of a kernel of a user on the GPU. What the default configuration computes is the
// reference of its outputs: an element x of floats is right when |x - r| is at most
// tolerance * (|r| + root mean square of the array), one of integers when it is the same.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "kernels/devices/cuda/own/setup.h"
#include "kernels/devices/cuda/process/data_set.h"

namespace exh::kernels::cuda {

/// What an array that is read holds at first: the same in every process. Throws GpuError when its
/// file is not as long as it.
std::vector<std::byte> ContentsOf(const OwnArgument& argument);

class OwnArrays {
 public:
  /// `run(arguments)` launches the default configuration, waits for it, and throws GpuError where
  /// it fails, as this does for results that are no reference.
  OwnArrays(const Gpu& gpu, const Module& programs, const OwnSetup& setup,
            const std::function<void(void** arguments)>& run);

  /// What a kernel is called with, as pointers to the arguments; they point into this object.
  std::vector<void*> Arguments(const OwnLaunch& launch);
  /// Outputs hold NaN or another number that is wrong, what is read and written what it held at
  /// first; when all that was enqueued is done.
  void Restore() const;
  /// Compares outputs with the reference, and looks at inputs and guard zones.
  DataSet::Verdict Check() const;

 private:
  using Cell = std::array<std::byte, sizeof(double)>;
  /// Of an output.
  struct Reference {
    std::vector<double> values, tolerance;
    std::vector<std::int64_t> whole;
  };

  std::vector<void*> ArgumentsAt(std::vector<CUdeviceptr>& arrays, const OwnLaunch& launch);
  Reference ReferenceOf(const OwnArgument& argument, const std::vector<std::byte>& result) const;

  const Gpu& gpu_;
  const std::vector<OwnArgument> arguments_;
  const double tolerance_;
  std::vector<const OwnArgument*> arrays_;  ///< Those of them that are arrays.
  std::vector<Cell> scalars_;
  std::vector<CUdeviceptr> addresses_;   ///< Of arrays, in their order.
  std::vector<DeviceBuffer> originals_;  ///< By array; empty but for what is read and written.
  std::vector<std::vector<std::byte>> results_;  ///< By array: the reference of types of users.
  std::optional<DataSet> set_;
};

}  // namespace exh::kernels::cuda

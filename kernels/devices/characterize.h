// SPDX-License-Identifier: MIT
//
// What a device can do at most: the numbers that a lower bound divides by. They are measured here
// and written down; models/ only reads what was written.
#pragma once

#include <string>
#include <vector>

#include "kernels/cuda/gpu.h"
#include "kernels/cuda/timer.h"

namespace exh::kernels {

/// One number about a device, with all that was measured of it.
struct Characteristic {
  std::string name;             ///< "fma_per_clk".
  std::string unit;             ///< "1/clk", "B/clk", "GB/s", "clk", "ns", "MHz".
  std::string how;              ///< In a few words, for who reads the file.
  bool less_is_faster = false;  ///< Latencies.
  std::vector<double> samples;  ///< Empty: `value` is a fact that the driver told.
  double fact = 0;

  /// The fastest value that was ever seen.
  double Fastest() const;
};

/// Everything about a GPU, in a minute or two. `programs` is GpuProbesSource(), compiled. Takes a
/// quarter of the GPU's memory, at most 8 GiB. Throws cuda::GpuError.
std::vector<Characteristic> CharacterizeGpu(const cuda::Gpu& gpu, const cuda::Timer& timer,
                                            const cuda::Module& programs);

/// The file of rates that lower bounds read (models/device_rates.h), for the device `name`: under
/// "values" what they divide by, each with its source, and under "measured" each characteristic
/// with its fastest, least, median and largest sample and how many there are.
std::string RatesToJson(const std::string& name, const std::string& date,
                        const std::string& conditions,
                        const std::vector<Characteristic>& characteristics);

}  // namespace exh::kernels

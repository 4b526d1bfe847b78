// SPDX-License-Identifier: MIT
//
// What a device can do at most: the numbers that a lower bound divides by. They are measured here
// and written down; models/ only reads what was written.
#pragma once

#include <string>
#include <vector>

#include "kernels/devices/cuda/driver/gpu.h"
#include "kernels/devices/cuda/driver/timer.h"

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

/// How much time measuring may take.
enum class Care {
  kFull,   ///< A minute or two, for what is recorded: everything, in many samples.
  kQuick,  ///< A moment, for what a search needs now: what bounds divide by, in a few
           ///< samples.
};

/// Everything about a GPU. `programs` is GpuProbesSource(), compiled. Takes a quarter of the GPU's
/// memory, at most 8 GiB, or 2 GiB. Throws cuda::GpuError.
std::vector<Characteristic> CharacterizeGpu(const cuda::Gpu& gpu, const cuda::Timer& timer,
                                            const cuda::Module& programs, Care care = Care::kFull);

/// A bound must hold for what is faster than anything seen: it divides by the fastest sample times
/// a margin, and adds the shortest latency times one.
///
/// Of many samples the fastest is next to what the hardware does. Rates of pipes end a little short
/// of it; streams hardly do. A latency is that of a chain of addresses, and what needs a value may
/// get it a few clocks before an address would have it. A look at the clock lasts 10 us and is as
/// exact as its timer, so that the fastest of many lies above the clock by itself.
///
/// Few samples may miss the fastest ones. So the margins of Care::kQuick are those with which even
/// the slowest sample of any rate of rates/h200.json, and the median of any latency, would give a
/// bound below that of the whole file (a test holds them to that).
///
/// A probe of gaps does more than the least kernel does: the sum of two numbers takes 5 % less than
/// the least gap of one that reads.
struct Margins {
  double rate = 1.02, stream = 1.01, latency = 0.9, gap = 0.85, clock = 1.001;
};
Margins MarginsOf(Care care);

/// The file of rates that lower bounds read (models/device_rates.h), for the device `name`: under
/// "values" what they divide by, each with its source, and under "measured" each characteristic
/// with its fastest, least, median and largest sample and how many there are.
struct RatesHeader {
  std::string name;        ///< Of the device.
  std::string model;       ///< ir::Device::model.
  std::string date;        ///< ISO 8601.
  std::string conditions;  ///< GPU, driver and compiler, in words.
};
std::string RatesToJson(const RatesHeader& header,
                        const std::vector<Characteristic>& characteristics, const Margins& margins);

}  // namespace exh::kernels

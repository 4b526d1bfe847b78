// SPDX-License-Identifier: MIT
//
// What this machine's processor does at most, in the moment that it takes to ask it: how fast it
// counts, multiplies and adds, and moves bytes to and from each of its caches.
#pragma once

#include <cstdint>
#include <vector>

namespace exh::kernels::cpu {

/// How fast all threads together go through so many bytes again and again.
struct Sweep {
  double bytes = 0;
  double gbs = 0;       ///< Each byte counts once a pass, read or written …
  double read_gbs = 0;  ///< … or only those that are read, which others may be written beside.
};

struct ProcessorSpeed {
  double clock_ghz = 0;       ///< The highest that was seen.
  double fma_per_clk = 0;     ///< Of floats, products with a sum, by one thread.
  std::vector<Sweep> sweeps;  ///< From what the first caches do not hold to 100 MB.
};

/// Whether the probes know this kind of processor: x86-64 with AVX2 or AVX-512.
bool CanMeasureSpeed();

/// Measures with so many threads at once, in a few tenths of a second. What else runs on the
/// machine makes it slower and nothing makes it faster, so that everything is measured in many
/// short moments, of which the fastest counts. Takes up to 128 MiB. CanMeasureSpeed().
ProcessorSpeed MeasureSpeed(std::uint32_t threads);

}  // namespace exh::kernels::cpu

// SPDX-License-Identifier: MIT
//
// Micro-benchmarks of a GPU, as CUDA C++. The method is that of the published dissections of
// NVIDIA's architectures (chains for latencies, many independent chains for rates). Most of them
// time themselves with the clock of their multiprocessor, so that what comes out is per cycle,
// whatever the clock does meanwhile.
#pragma once

#include <string>

namespace exh::kernels {

/// Kernels whose names begin with "probe_". Those that time themselves take
///   (long long* spans, int rounds, const void* memory, unsigned long long bytes)
/// and write for each warp, by its number in the grid, its clock before and after. `memory` is what
/// they read; probe_chase_… follow links in it, which probe_link(links, count, step) has written.
const std::string& GpuProbesSource();

}  // namespace exh::kernels

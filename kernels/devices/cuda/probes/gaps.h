// SPDX-License-Identifier: MIT
//
// What passes between launches that follow each other, beside what their threads do.
#pragma once

#include <vector>

#include "kernels/devices/cuda/probes/characterize.h"

namespace exh::kernels {

/// "launch_gap": nanoseconds from when the threads of a launch have what they write to the first
/// instruction of the next launch. "launch_gap_read": to when the next one has the first value that
/// it reads. Threads are busy for as long as a candidate may be, in grids of one block and of one
/// block a multiprocessor, in every way in which candidates are timed; a sample is what is left of
/// the time of a launch. Takes a second. Throws cuda::GpuError.
std::vector<Characteristic> MeasureGaps(const cuda::Gpu& gpu, const cuda::Timer& timer,
                                        const cuda::Module& programs, Care care);

}  // namespace exh::kernels

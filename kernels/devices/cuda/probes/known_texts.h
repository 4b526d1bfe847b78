// SPDX-License-Identifier: MIT
//
// What NVRTC is asked for when it is first used for an architecture: sums that begin with what a
// condition chooses, by every unit that printed texts use, and whether the unit of floats of 8 bits
// adds as f32 does. A text has two kernels of the same
// arguments, (const float* a, const float* b, float* out): `exh_known` in the form in which texts
// are printed, and `exh_expect`, which computes the same plainly. Results are whole numbers.
#pragma once

#include <string>
#include <vector>

#include "kernels/cpu/known_answers.h"
#include "kernels/devices/cuda/driver/gpu.h"
#include "kernels/devices/cuda/driver/nvrtc.h"

namespace exh::kernels::cuda {

/// Those whose instructions an architecture ("sm_90") has.
std::vector<KnownText> KnownTexts(const std::string& architecture);

/// What makes wrong ones right, the cheapest first.
std::vector<std::vector<std::string>> KnownRemedies();

/// Asks the compiler on a GPU. Throws GpuError when the GPU fails as a whole.
KnownAnswers AskNvrtc(const Nvrtc& nvrtc, const Gpu& gpu);

}  // namespace exh::kernels::cuda

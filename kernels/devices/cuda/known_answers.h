// SPDX-License-Identifier: MIT
//
// What NVRTC compiles rightly on a GPU, from the user's cache; where the cache has nothing of this
// version, a process asks it and the GPU.
#pragma once

#include <string>

#include "base/stop.h"
#include "kernels/cpu/known_answers.h"

namespace exh::kernels::cuda {

/// The process: which GPU on stdin, answers as JSON on stdout. Returns the exit code.
int KnownAnswersMain();

/// The sub-command of this program that is that process.
inline constexpr const char* kAskNvrtc = "ask-nvrtc";

/// `compiler`: Nvrtc::description(); `architecture`: "sm_90", that of GPU number `gpu`. Where the
/// process fails, KnownAnswers::trouble says why, and nothing is kept.
KnownAnswers KnownAnswersOf(const std::string& compiler, const std::string& architecture, int gpu,
                            const StopToken* stop = nullptr);

}  // namespace exh::kernels::cuda

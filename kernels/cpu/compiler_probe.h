// SPDX-License-Identifier: MIT
//
// What the system's compiler compiles rightly for this machine's processor, from the user's cache;
// where the cache has nothing of this compiler, these flags and this processor, it is asked.
#pragma once

#include <vector>

#include "kernels/cpu/compile.h"
#include "kernels/cpu/known_answers.h"

namespace exh::kernels::cpu {

/// Programs that compute in loops as printed ones do, and plainly, and end with 0 where both agree.
std::vector<KnownText> KnownCpuTexts();

/// What makes wrong ones right, the cheapest first.
std::vector<std::vector<std::string>> KnownCpuRemedies();

/// Asks the compiler of these options, once for each compiler, flags and processor; its files go to
/// a folder of their own. A missing compiler, and one that fails, is KnownAnswers::trouble. Safe to
/// call from many threads.
KnownAnswers AskCompiler(const CompilerOptions& options);

}  // namespace exh::kernels::cpu

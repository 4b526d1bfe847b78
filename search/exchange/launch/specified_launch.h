// SPDX-License-Identifier: MIT
//
// The kernel of a tuning problem (T1: KernelSpecification) as a launch file for `search --cuda`.
// Blocks of the grid are what Kernel Tuner launches: ProblemSize divided by what GridDivX, GridDivY
// and GridDivZ name (without them by the block), rounded up. Where there is no ProblemSize they are
// GlobalSize, which with the GlobalSizeType OpenCL counts threads.
#pragma once

#include <string>
#include <vector>

#include "search/exchange/tuning_problem.h"

namespace exh::search {

struct SpecifiedLaunch {
  std::string kernel_file;         ///< As it is found from the current folder.
  std::string entry;               ///< The name of the kernel.
  std::string text;                ///< Of the launch file.
  std::vector<std::string> notes;  ///< What is not taken, with its place.
};

/// `text` is the tuning problem, `path` its file: others are looked for beside it. `problem` is
/// what ParseTuningProblem() makes of it. Throws UsageError with the place of what cannot be taken.
SpecifiedLaunch LaunchOfProblem(const std::string& text, const std::string& path,
                                const TuningProblem& problem);

}  // namespace exh::search

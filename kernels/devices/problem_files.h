// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "base/system/scratch_folder.h"
#include "kernels/cpu/problem_file.h"
#include "kernels/problem.h"
#include "kernels/task.h"

namespace exh::kernels {

/// The arrays of a task as processes that check see them; they stay in `data`.
cpu::Problem ViewOf(const Task& task, const ProblemData& data);

/// Writes the arrays of a task and their reference for the processes that run candidates. The same
/// inputs in every run: a record can be replayed on what it was measured with. Throws Error, and
/// Interrupted when `stop`, which may be null, is stopped.
void WriteProblem(const Task& task, Inputs inputs, const std::string& path,
                  std::uint64_t seed = kTimedSeed, const StopToken* stop = nullptr);

}  // namespace exh::kernels

// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "base/system/scratch_folder.h"
#include "kernels/cpu/problem_file.h"
#include "kernels/problem.h"
#include "kernels/task.h"

namespace exh::search {

/// The arrays of a task as processes that check see them; they stay in `data`.
kernels::cpu::Problem ViewOf(const kernels::Task& task, const kernels::ProblemData& data);

/// Writes the arrays of a task and their reference for the processes that run candidates. The same
/// inputs in every run: a record can be replayed on what it was measured with. Throws Error.
void WriteProblem(const kernels::Task& task, kernels::Inputs inputs, const std::string& path,
                  std::uint64_t seed = kernels::kTimedSeed);

}  // namespace exh::search

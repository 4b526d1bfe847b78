// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "kernels/task.h"

namespace exh::kernels {

/// Inputs uniform in [-1, 1] drawn from `seed`, and every output's reference and tolerance in
/// double precision.
ProblemData MakeProblem(const Task& task, std::uint64_t seed);

/// Bytes that MakeProblem and a run of the task need at their peak.
std::uint64_t ProblemBytes(const ir::Function& function);

}  // namespace exh::kernels

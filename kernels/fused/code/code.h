// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/evaluation.h"
#include "kernels/fused/code/nest.h"
#include "kernels/fused/schedule/schedules.h"
#include "kernels/ir/text/type_text.h"

namespace exh::kernels::fused {

/// The loops of all parts of a program under a schedule. Throws poly::IslError.
std::vector<NestNode> NestsOf(const Schedules& schedules, const ProgramSchedule& schedule,
                              bool has_vectors);

/// The arrays that a program is called with, in this order: inputs that a statement reads, and
/// outputs.
std::vector<int> ArgumentsOf(const OperatorProgram& program);

/// C++ with the function that kernels/cpu calls. The outermost loops that may run in parallel are
/// divided among threads, where that is worth it; vectors are left to the compiler, which is told
/// that it may.
Source CpuText(const OperatorProgram& program, const std::vector<NestNode>& nests);

/// CUDA C++. Each outermost loop of a part is a task, and so is what stands between two of them;
/// tasks that need nothing of each other are one kernel, and kernels run in the order of their
/// launches. The outermost parallel loops that contain all of the rest are divided among threads,
/// or among teams of threads (gpu/team.h); loops that have tiles of 32 x 32 may go through shared
/// memory (gpu/tile_printer.h). So all schedules are mapped alike. Temporaries are in `exh_global`,
/// the last parameter, where there are any.
Source CudaText(const OperatorProgram& program, const std::vector<NestNode>& nests);

/// CpuText() or CudaText(), as the dialect is.
Source Text(const OperatorProgram& program, const std::vector<NestNode>& nests,
            ir::Dialect dialect);

/// Executions of statements that come one after the other when these run as CudaText() has them:
/// of each kernel all executions, divided by its threads. An estimate, to tell what leaves a GPU
/// idle from what does not.
double StepsOnGpu(const OperatorProgram& program, const std::vector<NestNode>& nests);

/// The same of what Text() prints; 0: schedules differ in nothing like that.
double Steps(const OperatorProgram& program, const std::vector<NestNode>& nests,
             ir::Dialect dialect);

/// Does Text() know tiles that neighbouring threads do (loops/patches.h)?
bool HasPatches(ir::Dialect dialect);

}  // namespace exh::kernels::fused

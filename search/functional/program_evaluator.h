// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/devices/evaluator.h"
#include "kernels/ir/device.h"
#include "search/functional/mapped_program.h"

namespace exh::search {

/// What compiles, checks and times mappings of a program on a GPU. `values`: of the parameters, for
/// the reference. The program and the options' token outlive it. Throws Error when the driver, a
/// GPU or its compiler is missing, UsageError when the program cannot be calculated, and what
/// ProgramProblem throws beyond the options' memory and when their token is stopped.
std::unique_ptr<kernels::Evaluator> MakeProgramEvaluator(const MappedProgram& mapped,
                                                         const functional::Assignment& values,
                                                         const kernels::ir::Device& device,
                                                         const kernels::EvaluatorOptions& options);

/// What the device has for a program.
functional::GpuLimits LimitsOf(const kernels::ir::Device& device);

/// The text of a program with these parameters whose maps run so, kernel by kernel, ready for the
/// compiler. Throws functional::Unlowerable.
kernels::Source SourceOf(const MappedProgram& mapped, const functional::Assignment& values,
                         const std::vector<functional::Codes>& codes,
                         const functional::GpuLimits& limits);
kernels::Source SourceOf(const functional::GpuProgram& program);

}  // namespace exh::search

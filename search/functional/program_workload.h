// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/stop.h"
#include "functional/code/gpu_program.h"
#include "kernels/cpu/problem_bench.h"
#include "kernels/devices/workload.h"
#include "kernels/ir/device.h"
#include "search/functional/mapped_program.h"

namespace exh::search {

/// Mappings of a program on a GPU. `values`: of the parameters, for the reference, which takes at
/// most `most_bytes`, if that is not 0. The program outlives it. What a mapping cannot be, or is
/// not worth a run, Source::verdict says.
std::unique_ptr<const kernels::Workload> WorkloadOf(const MappedProgram& mapped,
                                                    functional::Assignment values,
                                                    const kernels::ir::Device& device,
                                                    std::uint64_t most_bytes);

/// One of its problems. Nothing: `stop`, which may be null, was stopped. Throws UsageError when
/// something in the program cannot be calculated, and TooLarge, before anything is drawn, when it
/// would take more than `most_bytes`, if that is not 0.
std::optional<kernels::cpu::MadeProblem> ProblemOf(const MappedProgram& mapped,
                                                   const functional::Assignment& values,
                                                   const kernels::CheckedProblem& one,
                                                   std::uint64_t most_bytes = 0,
                                                   const StopToken* stop = nullptr);

/// What the device has for a program.
functional::ProgramLimits LimitsOf(const kernels::ir::Device& device);

/// The text of a program with these parameters whose maps run so, kernel by kernel, ready for the
/// compiler. Throws functional::Unlowerable.
kernels::Source SourceOf(const MappedProgram& mapped, const functional::Assignment& values,
                         const std::vector<functional::Codes>& codes,
                         const functional::ProgramLimits& limits);
kernels::Source SourceOf(const functional::GpuProgram& program);

}  // namespace exh::search

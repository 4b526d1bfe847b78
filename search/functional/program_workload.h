// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/devices/workload.h"
#include "kernels/ir/device.h"
#include "search/functional/mapped_program.h"

namespace exh::search {

/// Mappings of a program on a GPU. `values`: of the parameters, for the reference, on `threads` of
/// this machine and within `most_bytes`, if that is not 0. The program outlives it. What a mapping
/// cannot be, or is not worth a run, Source::verdict says.
std::unique_ptr<const kernels::Workload> WorkloadOf(const MappedProgram& mapped,
                                                    functional::Assignment values,
                                                    const kernels::ir::Device& device, int threads,
                                                    std::uint64_t most_bytes);

/// What the device has for a program.
functional::GpuLimits LimitsOf(const kernels::ir::Device& device);

/// The text of a program with these parameters whose maps run so, kernel by kernel, ready for the
/// compiler. Throws functional::Unlowerable.
kernels::Source SourceOf(const MappedProgram& mapped, const functional::Assignment& values,
                         const std::vector<functional::Codes>& codes,
                         const functional::GpuLimits& limits);
kernels::Source SourceOf(const functional::GpuProgram& program);

}  // namespace exh::search

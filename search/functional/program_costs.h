// SPDX-License-Identifier: MIT
//
// How long a functional program takes on a GPU, guessed from what its lowering counted
// (functional/code/work.h).
#pragma once

#include <string>

#include "functional/code/gpu_program.h"
#include "models/device_rates.h"
#include "search/descend/bound_function.h"
#include "search/functional/mapped_program.h"

namespace exh::search {

/// Nanoseconds that the instructions of a program alone take, if nothing waits.
double RoughNs(const functional::GpuProgram& program, const models::DeviceRates& rates);

/// Why it is not worth a run: a few threads have work for far longer than all of the device would;
/// what a GPU has begun, it does to the end. Empty: it may be worth one.
std::string WhyHopeless(const functional::GpuProgram& program, const models::DeviceRates& rates);

/// What a cost model is told of implementations of FreezeJoint(), a guess of the time among it.
/// `mapped` outlives it.
AmountsFunction CostsOfPrograms(const MappedProgram& mapped,
                                const functional::ProgramLimits& limits,
                                const models::DeviceRates& rates);

}  // namespace exh::search

// SPDX-License-Identifier: MIT
//
// The rates of this machine's processor (models/device_rates.h), for lower bounds to divide by.
#pragma once

#include <string>

#include "kernels/devices/cpu/rates/probes.h"
#include "kernels/ir/device.h"

namespace exh::kernels::cpu {

/// What the processor is called, with its revision and its microcode: what it does at most stays
/// the same under one of these. Empty: it is none that can be measured (CanMeasureSpeed()).
std::string ProcessorModel();

/// Where the rates of `device` are kept, by its model and its threads, which share what lies behind
/// their caches. Empty: the user has no cache.
std::string RatesFileOf(const ir::Device& device);

/// Measures them, and writes that file. Says so on stderr. False: they cannot be measured, are not
/// of this machine, or it is busy: what others take of the caches would be missing, and bounds
/// would be above what is possible. Or there is no place to keep them, which is said.
bool MeasureRatesOf(const ir::Device& device);

/// What is measured of this machine with the threads of `device`, one line each. Throws UsageError:
/// it cannot be measured.
std::string SpeedTextOf(const ir::Device& device);

/// The file for a device, by what was measured of it: margins are added here. What is not measured
/// is as `recorded` has it, the text of rates/cpu.json.
std::string RatesToJson(const ProcessorSpeed& speed, const ir::Device& device,
                        const std::string& recorded);

}  // namespace exh::kernels::cpu

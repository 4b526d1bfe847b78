// SPDX-License-Identifier: MIT
#include "search/functional/program_costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "kernels/ir/device.h"

namespace exh::search {
namespace {

using functional::GpuLaunch;
using functional::GpuProgram;
using models::DeviceRates;

constexpr double kWarp = kernels::ir::kWarpLanes, kIssuesPerClk = 4;
/// Clocks of a multiprocessor: of an instruction of a warp, for each that issues at once, of a
/// sector, and of a wavefront. Fitted to 870 mappings of five convolutions on an H200, with the
/// next three; a compiler saves about half of what is counted.
constexpr double kIssueClk = 0.5, kSectorClk = 0.25, kWavefrontClk = 0.5;
/// Clocks of a warp that is alone: from a read to its value, and of an instruction.
constexpr double kReadClk = 250, kStepClk = 1;
constexpr double kBarrierClk = 40, kLaunchClk = 500;
/// Registers of a thread: its arrays, and what a compiler needs beside them.
constexpr double kRegisters = 255, kOtherRegisters = 32, kFloatsInRegisters = 220;
/// What does not fit into registers lies in main memory.
constexpr double kSpillFactor = 8;

/// What a cost model is told, of all launches together.
enum Cost : std::uint8_t {
  kGroups,
  kWarps,  ///< Of a group.
  kLocalBytes,
  kPrivateFloats,
  kSteps,  ///< Of a thread.
  kReads,
  kSectors,
  kWavefronts,
  kBarriers,
  kWaves,  ///< Of groups.
  kBusy,
  kAlone,
  kGuess,
  kNumCosts
};

struct Clocks {
  double busy = 0;   ///< Of what a multiprocessor has most of.
  double alone = 0;  ///< That a warp waits, one after the other.
  double waves = 1;  ///< How often multiprocessors are filled with groups.
  double ns(const DeviceRates& rates) const {
    return (busy + waves * alone + kLaunchClk) / rates.clock_ghz;
  }
};

double Or(double number, double otherwise) {
  return number > 0 ? number : otherwise;
}

Clocks ClocksOf(const GpuLaunch& launch, const DeviceRates& rates) {
  const functional::GpuWork& work = launch.work;
  const double warps = std::ceil(static_cast<double>(launch.threads) / kWarp);
  const double registers = std::min(kRegisters, work.private_floats + kOtherRegisters);
  double resident = std::min(Or(rates.unit_blocks, 32), Or(rates.unit_warps, 64) / warps);
  resident = std::min(resident, Or(rates.unit_registers, 65536) / (registers * warps * kWarp));
  if (launch.local_bytes > 0) {
    resident = std::min(
        resident, Or(rates.unit_shared_bytes, 233472) / static_cast<double>(launch.local_bytes));
  }
  resident = std::max(1.0, std::floor(resident));
  const double of_unit = std::ceil(static_cast<double>(launch.groups) / rates.units);
  const double spilled = work.private_floats > kFloatsInRegisters ? kSpillFactor : 1;
  Clocks clocks;
  clocks.waves = std::ceil(of_unit / resident);
  clocks.busy =
      of_unit * warps *
      std::max({spilled * work.steps * kIssueClk / std::min(kIssuesPerClk, of_unit * warps),
                work.wavefronts * kWavefrontClk, work.sectors * kSectorClk});
  clocks.alone =
      spilled * work.steps * kStepClk + work.reads * kReadClk + work.barriers * kBarrierClk;
  return clocks;
}

void Fill(const GpuProgram& program, const DeviceRates& rates, std::span<double> costs) {
  std::ranges::fill(costs, 0.0);
  for (const GpuLaunch& launch : program.launches) {
    const functional::GpuWork& work = launch.work;
    const Clocks clocks = ClocksOf(launch, rates);
    const double warps = std::ceil(static_cast<double>(launch.threads) / kWarp);
    costs[kGroups] += static_cast<double>(launch.groups);
    costs[kWarps] += warps;
    costs[kLocalBytes] += static_cast<double>(launch.local_bytes);
    costs[kPrivateFloats] += work.private_floats;
    costs[kSteps] += work.steps;
    costs[kReads] += work.reads;
    costs[kSectors] += work.sectors * warps * static_cast<double>(launch.groups);
    costs[kWavefronts] += work.wavefronts * warps * static_cast<double>(launch.groups);
    costs[kBarriers] += work.barriers;
    costs[kWaves] += clocks.waves;
    costs[kBusy] += clocks.busy;
    costs[kAlone] += clocks.waves * clocks.alone;
    costs[kGuess] += clocks.ns(rates);
  }
}

}  // namespace

double RoughNs(const GpuProgram& program, const DeviceRates& rates) {
  double clocks = 0;
  for (const GpuLaunch& launch : program.launches) {
    const double warps = std::ceil(static_cast<double>(launch.threads) / kWarp);
    const double of_unit = std::ceil(static_cast<double>(launch.groups) / rates.units) * warps;
    clocks += launch.work.steps * std::max(1.0, of_unit / kIssuesPerClk);
  }
  return clocks / rates.clock_ghz;
}

std::string WhyHopeless(const GpuProgram& program, const DeviceRates& rates) {
  constexpr double kLongNs = 50e6, kFewOf = 50;
  for (const GpuLaunch& launch : program.launches) {
    const double warps =
        std::ceil(static_cast<double>(launch.threads) / kWarp) * static_cast<double>(launch.groups);
    const double ns = launch.work.steps / rates.clock_ghz;
    if (ns <= kLongNs || warps * kFewOf >= rates.units * Or(rates.unit_warps, 64)) continue;
    return fmt::format("of {:.0f} warps one has instructions for about {}: it is not run", warps,
                       FormatTime(ns));
  }
  return "";
}

AmountsFunction CostsOfPrograms(const MappedProgram& mapped,
                                const functional::ProgramLimits& limits, const DeviceRates& rates) {
  AmountsFunction costs;
  costs.count = kNumCosts;
  costs.guess = kGuess;
  costs.fill = [&mapped, limits, rates](const runtime::Candidate& implementation,
                                        std::span<double> all) {
    try {
      Fill(functional::Lower(mapped.program(), ValuesOf(mapped.program(), implementation),
                             {CodesOf(implementation)}, limits),
           rates, all);
    } catch (const functional::Unlowerable&) {
      // It will fail, which is worse than any time.
      constexpr double kNeverNs = 1e12;
      std::ranges::fill(all, 0.0);
      all[kGuess] = kNeverNs;
    }
  };
  return costs;
}

}  // namespace exh::search

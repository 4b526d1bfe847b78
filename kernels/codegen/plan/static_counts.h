// SPDX-License-Identifier: MIT
//
// What an implementation costs a GPU, counted on its lowered code before anything is printed or
// compiled: numbers that a cost model learns from (search/learn). They prove nothing, so they may
// be estimates: of several warps one stands for all, and loops are taken at their first iteration.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "kernels/codegen/plan/lowered_code.h"

namespace exh::kernels::codegen {

/// What a GPU has of each, for the counts.
struct GpuLimits {
  double units = 132;  ///< Multiprocessors. What follows is of each of them.
  double clock_ghz = 1.98;
  double warps = 64, blocks = 32;   ///< Resident at once.
  double registers = 65536;         ///< Of 32 bits.
  double shared_bytes = 233472;     ///< Shared memory of all resident blocks.
  double issues_per_clk = 4;        ///< Instructions of warps.
  double accesses_per_clk = 1;      ///< Wavefronts, and lines that accesses touch.
  double l2_bytes_per_clk = 64;     ///< Out of the second cache.
  double fma_latency_clk = 4;       ///< From a sum to the next one that needs it.
  double shared_latency_clk = 30;   ///< From a read of shared memory to its value.
  double read_latency_clk = 400;    ///< From a read of an array to its value.
  double barrier_latency_clk = 40;  ///< Of threads that meet.
};

/// "Of a unit": what the multiprocessor with the most blocks has to do for all of them. "Of a
/// thread": of one that has the block's work that most threads have.
enum class StaticCount : std::uint8_t {
  kBlocks,         ///< Of the grid.
  kWarps,          ///< Of a block.
  kShared,         ///< Bytes of a block.
  kRegisters,      ///< Of a thread, at least: what lives through a loop (work.h).
  kHeld,           ///< … all values that are there at once if none ends early.
  kResidentWarps,  ///< Of a unit.
  kWaves,          ///< How often units are filled with blocks.
  kLastWave,       ///< Percent of the places of all waves that blocks are in.
  kIssues,         ///< Instructions of warps of a unit, all kinds together.
  kArithmetic,     ///< … of them: arithmetic.
  kUnitSteps,      ///< … steps of matrix units.
  kReads,          ///< … reads of arrays.
  kWrites,         ///< … writes to them.
  kSharedUses,     ///< … accesses to shared memory.
  kTurns,          ///< … iterations of loops.
  kWavefronts,     ///< Of shared memory, of a unit (bank_plan.h).
  kConflicts,      ///< … of them: more than if no lane waited for another one.
  kLines,          ///< Lines of 128 bytes that reads and writes of a unit touch.
  kSectors,        ///< Sectors of 32 bytes that they touch …
  kLooseSectors,   ///< … more than if lanes were neighbours.
  kFromL2,         ///< Sectors that a unit reads from the second cache, with what the first keeps.
  kBarriers,       ///< That a thread meets the others at.
  kSteps,          ///< Instructions of a thread.
  kText,           ///< Instructions that are written, unrolled copies included.
  kChain,          ///< Clocks that a warp takes which is alone.
  kHandedOver,     ///< Partial results that a block hands to others.
  kMet,            ///< Partial results that a thread makes one value of.
  kLaunches,       ///< Kernels beside the main one.
  kBusy,           ///< Nanoseconds that a unit's busiest part takes for all blocks.
  kWaiting,        ///< Nanoseconds that waves wait, one after the other, if warps are alone.
  kGuess,          ///< Nanoseconds in all.
};
inline constexpr std::size_t kNumCounts = static_cast<std::size_t>(StaticCount::kGuess) + 1;

/// Of each a name of few words: "waves of blocks".
std::string_view NameOf(StaticCount count);

/// By StaticCount. The code has no error.
using StaticCounts = std::array<double, kNumCounts>;
StaticCounts CountStatically(const LoweredCode& code, const GpuLimits& gpu);

}  // namespace exh::kernels::codegen

// SPDX-License-Identifier: MIT
//
// What an implementation costs a processor, counted on its lowered code before anything is printed
// or compiled: numbers that a cost model learns from (search/learn). They prove nothing, so they
// may be estimates. What they are for GPUs is in static_counts.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/codegen/plan/lowered_code.h"
#include "kernels/ir/device.h"

namespace exh::kernels::codegen {

/// What a processor has of each, for the counts.
struct ProcessorLimits {
  double threads = 1;  ///< That share the blocks.
  double clock_ghz = 4;
  double vector_bytes = 32;       ///< Of the widest register …
  double registers = 13;          ///< … and how many of these sums may take.
  double arithmetic_per_clk = 2;  ///< Operations of vectors.
  double reads_per_clk = 2;       ///< Of a register each.
  double writes_per_clk = 1;
  double issues_per_clk = 5;
  double fma_latency_clk = 4;     ///< From a sum to the next one that needs it.
  double loop_exit_clk = 12;      ///< A jump that was not foreseen, and sums that nothing overlaps.
  double launch_ns = 3000;        ///< Until all threads have begun, and have met at the end.
  double first_bytes = 32768;     ///< Of the first cache, a thread's …
  double first_ways = 8;          ///< … in as many ways.
  double second_bytes = 1048576;  ///< Of the second cache, a thread's.
  double second_bytes_per_clk = 32;  ///< Out of it.
  /// Bytes, or more of them, and how fast all threads get through them: GB/s. By bytes; at least
  /// one.
  struct Beyond {
    double bytes = 0, gbs = 100;
  };
  std::vector<Beyond> beyond = {Beyond{}};
};

/// What is known of a processor by its device file, its rates apart.
ProcessorLimits LimitsOf(const ir::Device& device);

/// Of one thread, unless it says otherwise: of the one that has the most blocks.
enum class ProcessorCount : std::uint8_t {
  kBlocks,      ///< In all.
  kRounds,      ///< Blocks of the thread.
  kArithmetic,  ///< Operations of registers.
  kReads,       ///< Of memory, of a register each.
  kWrites,      ///< To it.
  kLoose,       ///< Elements that a vector is gathered from, or scattered to, one by one.
  kTurns,       ///< Iterations of loops.
  kExits,       ///< Ends of loops.
  kText,        ///< Instructions that are written, unrolled copies included.
  kHeld,        ///< The most registers that live through a loop.
  kSpilled,     ///< Reads and writes of those that find no place.
  kChained,     ///< Clocks in which sums wait for themselves.
  kFromSecond,  ///< Bytes out of the second cache.
  kFromBeyond,  ///< … and from beyond it, of all threads.
  kFootprint,   ///< Bytes that are touched, of all threads.
  kBusy,        ///< Nanoseconds of the thread's instructions.
  kMoving,      ///< Nanoseconds that the bytes take.
  kGuess,       ///< Nanoseconds in all.
};
inline constexpr std::size_t kNumProcessorCounts =
    static_cast<std::size_t>(ProcessorCount::kGuess) + 1;

/// Of each a name of few words: "blocks of a thread".
std::string_view NameOf(ProcessorCount count);

/// By ProcessorCount. The code has no error.
using ProcessorCounts = std::array<double, kNumProcessorCounts>;
ProcessorCounts CountOnProcessor(const LoweredCode& code, const ProcessorLimits& processor);

}  // namespace exh::kernels::codegen

// SPDX-License-Identifier: MIT
//
// How fast a device can be at most: data, read from kernels/devices/rates/<name>.json. Every number
// is the fastest that is known of the device, with a margin where it was measured, because a bound
// must hold on its best day.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/ir/device.h"

namespace exh::models {

/// "Unit" is what runs whole blocks: a multiprocessor of a GPU, a core of a processor.
struct DeviceRates {
  std::string name;                ///< That of the device.
  std::string model;               ///< What was measured, ir::Device::model; empty: any.
  double units = 1;                ///< A file that does not say it means the device's `threads`.
  double clock_ghz = 1;            ///< Highest.
  double warp_lanes = 1;           ///< Threads that are one instruction; 1: none are.
  double fma_per_clk = 1;          ///< Products and products with a sum, per clock and unit.
  double half_unit_per_clk = 0;    ///< … of halves, in matrix units; 0: not bounded there.
  double double_unit_per_clk = 0;  ///< … of doubles; 0: as fast as `fma_per_clk`.
  double adds_share_fma = 0;       ///< 1: sums take as much of the same pipes; 0: not counted.
  double issues_per_clk = 0;       ///< Warp instructions per clock and unit; 0: not bounded.
  double warp_issues_per_clk = 0;  ///< … and of one warp; 0: not bounded.
  double bytes_per_access = 0;     ///< That one thread loads or stores with one instruction.
  double fma_latency_clk = 0;      ///< From a sum to the next one that needs it.
  double unit_bytes_per_clk = 0;   ///< That arrive in a unit, from wherever its data first is.
  double units_bytes_per_clk = 0;  ///< … in all units together; 0: as many as in each by itself.
  double cache_bytes_per_clk = 0;  ///< Out of the second cache, and as many into it, of the
                                   ///< accesses of all units; 0: the first cache may take some.
  double accesses_per_clk = 0;     ///< Of a warp to any memory, per clock and unit; 0: not bounded.
  double access_bytes = 4;       ///< That one of them moves, for all threads of the warp together.
  double access_line_bytes = 0;  ///< Aligned, of an argument: another line is another access. 0:
                                 ///< several lines may be one.
  /// Of floats that become doubles, and of special functions (reciprocals, roots, powers of 2):
  /// lanes per clock and unit; 0: not bounded.
  double conversions_per_clk = 0, specials_per_clk = 0;
  double read_latency_clk = 0;    ///< From a read of an argument to what needs its value.
  double shared_latency_clk = 0;  ///< … of the memory that threads share.
  double unit_warps = 0;          ///< That a unit holds at once; 0: no limits on what it holds.
  double unit_blocks = 0;         ///< … blocks.
  double unit_registers = 0;      ///< … registers of threads.
  double unit_shared_bytes = 0;   ///< … of the memory that threads share.
  /// Between launches that follow each other: from when a thread of the first one has what it
  /// writes last to the first instruction of the second one. Nanoseconds; 0: not known.
  double launch_gap_ns = 0;
  /// … to when the second one has the first value that it reads of an argument.
  double launch_gap_read_ns = 0;
  double memory_gbs = 0;  ///< Main memory, reads and writes together; GB/s = bytes/ns.
  /// The same where a third of the bytes are written; 0: as memory_gbs. Turning from reads to
  /// writes costs memory time, so that a mix is slower than either alone.
  double memory_third_gbs = 0;
  double memory_cache_bytes = 0;    ///< The largest cache that outlives a launch.
  double memory_sector_bytes = 32;  ///< Least that main memory moves.
  /// How fast a program that goes through so many bytes, and through the same ones in the next run,
  /// gets through them, in whatever order and whether it reads or writes them.
  struct Sweep {
    double bytes = 0;      ///< Or more.
    double gbs = 0;        ///< Of bytes that count once each, wherever the caches have them …
    double read_gbs = 0;   ///< … and of those of them that are read: writes go beside them.
    double third_gbs = 0;  ///< As gbs, where a third of the bytes are written; 0: as gbs.
  };
  std::vector<Sweep> sweeps;  ///< By bytes, and no later one is faster. Empty: not bounded.
};

/// Are so many bytes those of a mix of which a third is written?
bool IsThirdWritten(double read, double written);

/// The rate of main memory for so many bytes: that of their mix where it is known, otherwise the
/// fastest of any.
double MemoryGbs(const DeviceRates& rates, double read, double written);

/// The largest sweep of no more bytes; null: there is none.
const DeviceRates::Sweep* SweepOf(const DeviceRates& rates, double bytes);

/// Either rates or one line for the user that says what is wrong.
struct RatesResult {
  std::optional<DeviceRates> rates;
  std::string error;
};

/// Of `device`, from a file that says so. Where the file has a digest of its values, they must have
/// it.
RatesResult LoadRates(const std::string& file, const kernels::ir::Device& device);

}  // namespace exh::models

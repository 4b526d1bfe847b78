// SPDX-License-Identifier: MIT
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace exh::kernels::ir {

/// Lanes of a warp: threads of a block, neighbours of each other, that run one instruction together
/// where a device has warps.
inline constexpr std::uint32_t kWarpLanes = 32;

/// Limits of the machine that runs a candidate: data, read from kernels/devices/<name>.json.
/// Snippets of a space may ask it. Nobody asks which device it is: what differs otherwise is the
/// business of its backend (kernels/devices/backend.h).
struct Device {
  std::string name;              ///< "cpu".
  std::string language = "c++";  ///< Names its backend.
  std::string architecture;      ///< What a GPU's compiler is told: "sm_90". Otherwise empty.
  /// What was found in this machine, under which its rates are kept: "NVIDIA H200, driver 13.0".
  /// Empty: it is recorded under its name.
  std::string model;
  std::uint32_t max_threads = 1;      ///< THREAD iterations per block.
  std::uint32_t max_thread_dims = 3;  ///< Distinct thread axes.
  std::uint32_t max_block_dims = 3;
  std::uint32_t max_unroll = 128;           ///< Copies of one instruction after unrolling.
  std::uint32_t max_code = 0;               ///< … and of all of them together; 0: no limit.
  std::uint32_t max_registers = 0;          ///< Values that a thread holds; 0: no limit.
  std::uint32_t block_registers = 0;        ///< … and all threads of a block.
  std::vector<std::uint32_t> vector_sizes;  ///< Legal sizes of a VECTOR dim, elements of 4 bytes.
  bool vector_arithmetic = true;            ///< VECTOR dims may hold arithmetic, not only accesses.
  std::uint32_t shared_bytes = 0;           ///< All SHARED arrays of a block.
  std::uint64_t global_bytes = 0;           ///< All GLOBAL temporaries of a block.
  std::vector<std::string> cache_flags;     ///< Values of `cache` that the device has.
  std::vector<std::string> skews;           ///< Values of `skew` that it has, but PLAIN.
  /// Values of `across_blocks` that the device has, but NOT_ACROSS.
  std::vector<std::string> across_blocks;
  std::uint32_t max_cluster = 1;  ///< Blocks of a cluster; 1: it has no clusters.
  std::uint32_t max_stages = 1;   ///< Slots of a ring (kernels/spaces/ring.exh); 1: no rings.
  bool async_copies = false;      ///< Copies to SHARED arrays that pass no registers.
  bool windows = false;           ///< Threads of a block copy windows (kernels/spaces/windows.exh).
  std::uint32_t resident_blocks =
      1;  ///< Most blocks of a multiprocessor that a kernel may ask for.
  /// Values of `unit` that the device has, but FMA.
  std::vector<std::string> tensor_units;
  /// Lanes of a warp get fragments of halves from shared memory by rows of whole matrices, wherever
  /// the layout has such rows.
  bool matrix_reads = false;
  /// Boxes of arguments are copied to SHARED arrays by one instruction each (Launch::maps).
  bool bulk_copies = false;
  /// Two runs of a program yield the same bits: no atomic operations whose order shows.
  bool deterministic = false;
  bool runs = true;           ///< False: its space is counted, nothing runs on it.
  std::uint32_t threads = 1;  ///< Host threads that share the blocks (cpu).

  /// The compute capability that the architecture names, 90 of "sm_90a"; 0: it names none.
  int capability() const {
    constexpr std::string_view kPrefix = "sm_";
    int number = 0;
    if (!architecture.starts_with(kPrefix)) return 0;
    std::from_chars(architecture.data() + kPrefix.size(), architecture.data() + architecture.size(),
                    number);
    return number;
  }
};

}  // namespace exh::kernels::ir

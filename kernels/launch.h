// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace exh::kernels {

/// How bulk copies (TMA) see an argument: as boxes of a tensor, which one instruction copies into
/// shared memory. What lies outside of the tensor is 0. Limits: at most 5 axes, sides of a box at
/// most 256 elements, strides multiples of 16 bytes, the innermost side of a swizzled box no longer
/// than the swizzle. (CUDA driver API, cuTensorMapEncodeTiled.)
struct TensorMap {
  std::uint32_t array = 0;             ///< Number of the argument, among arrays.
  std::uint32_t element_bytes = 2;     ///< 1, 2, 4 or 8.
  std::vector<std::uint64_t> extents;  ///< In elements, innermost axis first.
  std::vector<std::uint64_t> strides;  ///< In bytes, of all axes but the innermost.
  std::vector<std::uint32_t> box;      ///< In elements, by axis.
  std::uint32_t swizzle_bytes = 0;     ///< 0: none, 32, 64 or 128.
  friend bool operator==(const TensorMap&, const TensorMap&) = default;
};

/// A kernel of a printed GPU program beside `exh_kernel`. It has the same parameters.
struct SideLaunch {
  std::string kernel;      ///< "exh_fill", "exh_finish".
  bool is_before = false;  ///< Of exh_kernel; otherwise it comes after it.
  std::uint64_t grid = 1;
  std::uint32_t threads = 1;
  std::uint64_t shared_bytes = 0;
  friend bool operator==(const SideLaunch&, const SideLaunch&) = default;
};

/// What a launch of a printed GPU program needs: `exh_kernel`, and what comes before and after it,
/// one after the other. The first begins when all that was launched before has ended.
struct Launch {
  std::uint64_t grid = 1;          ///< Blocks.
  std::uint32_t threads = 1;       ///< Of a block.
  std::uint64_t shared_bytes = 0;  ///< Dynamic shared memory of a block.
  std::uint64_t global_bytes = 0;  ///< Of each block, in `exh_global`; a multiple of 16.
  /// Of all blocks together, at the beginning of `exh_global`; a multiple of 16. What blocks have
  /// of reductions that are divided among them.
  std::uint64_t workspace_bytes = 0;
  /// The first bytes of the workspace are 0 before the program is launched for the first time. It
  /// leaves them as its next launch needs them.
  std::uint64_t ticket_bytes = 0;
  std::vector<SideLaunch> sides = {};  ///< In the order in which they are launched.
  /// Launches behind the first may begin before the one before them has ended: in every block of
  /// theirs, threads wait for that themselves, before they use what an earlier one does.
  bool overlaps = false;
  /// What is added up in which order depends on when blocks run: bits may vary.
  bool in_any_order = false;
  std::uint32_t cluster = 1;  ///< Neighbouring blocks of a cluster; it divides the grid.
  /// Parameters of all kernels, behind all others: 128 bytes each, made by the driver for the
  /// arrays of a launch.
  std::vector<TensorMap> maps = {};

  /// Bytes of `exh_global`; 0: the kernels have no such parameter.
  std::uint64_t scratch_bytes() const { return workspace_bytes + global_bytes * grid; }
  friend bool operator==(const Launch&, const Launch&) = default;
};

}  // namespace exh::kernels

// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace exh::kernels {

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

  /// Bytes of `exh_global`; 0: the kernels have no such parameter.
  std::uint64_t scratch_bytes() const { return workspace_bytes + global_bytes * grid; }
  friend bool operator==(const Launch&, const Launch&) = default;
};

}  // namespace exh::kernels

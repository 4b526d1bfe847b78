// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace exh::kernels {

/// What a launch of a printed GPU kernel needs.
struct Launch {
  std::uint64_t grid = 1;          ///< Blocks.
  std::uint32_t threads = 1;       ///< Of a block.
  std::uint64_t shared_bytes = 0;  ///< Dynamic shared memory of a block.
  std::uint64_t global_bytes = 0;  ///< Of each block, in `exh_global`; a multiple of 16.
  friend bool operator==(const Launch&, const Launch&) = default;
};

}  // namespace exh::kernels

// SPDX-License-Identifier: MIT
//
// How often shared memory is asked for what a program accesses: the wavefronts of
// memory/bank_plan.h, counted.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/codegen/plan/lowered_code.h"

namespace exh::kernels::codegen {

/// What an access to shared memory costs all warps of a block while its band runs once: all
/// unrolled copies of it, with loops in the band at their first iteration.
struct BankUse {
  ir::InstId inst;
  std::uint64_t accesses = 0;    ///< Of a warp.
  std::uint64_t wavefronts = 0;  ///< Of these.
  std::uint64_t least = 0;       ///< If no lane waited for another one.
};

/// Of all accesses to SHARED temporaries.
std::vector<BankUse> CountWavefronts(const LoweredCode& code);

}  // namespace exh::kernels::codegen

// SPDX-License-Identifier: MIT
//
// Reads of an argument that read again what a thread has in registers: a row that is read for its
// sum, and once more for what is made of the sum. A compiler does not see that the elements are the
// same where threads met in between. Here the later read takes the registers of the earlier one,
// where each of its registers has one there with the same address, in the same thread, and there
// are few enough of them.
#pragma once

#include "kernels/codegen/plan/lowered_code.h"

namespace exh::kernels::codegen {

/// Registers that are kept for later reads, at most, in each thread.
inline constexpr std::uint32_t kMostKept = 64;

/// Finds them (ValuePlan::repeats), and lets the registers of earlier reads live until then.
/// Changes nothing where a matrix unit is at work.
void KeepRepeatedReads(LoweredCode& code);

}  // namespace exh::kernels::codegen

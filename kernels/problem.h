// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "base/stop.h"
#include "kernels/task.h"

namespace exh::kernels {

enum class Inputs {
  kUniform,  ///< In [-1, 1].
  /// Whole numbers, none of them 0, so that every step of the computation is exact in single
  /// precision whatever its order: nothing is tolerated, and a wrong index cannot hide. They are as
  /// large as the reference says that they may be (whole_numbers.h); where none are small enough,
  /// the tolerances stay.
  kWholeNumbers,
  /// Whole numbers, and here and there a NaN, an infinity, a zero of either sign or a denormal,
  /// where the kernel's meaning says what must come of it.
  kSpecial,
};

/// Of the inputs that candidates are timed with, and of others that they have not seen before.
inline constexpr std::uint64_t kTimedSeed = 1, kOtherSeed = 2;

/// Inputs drawn from `seed`, and every output's reference and tolerance in double precision. Empty
/// when `stop` was stopped before they were computed (kernels/derived/reference/product.h).
ProblemData MakeProblem(const Task& task, std::uint64_t seed, Inputs inputs = Inputs::kUniform,
                        const StopToken* stop = nullptr);

/// Bytes that MakeProblem and a run of the task need at their peak.
std::uint64_t ProblemBytes(const ir::Function& function);

}  // namespace exh::kernels

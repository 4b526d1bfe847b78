// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "base/stop.h"
#include "kernels/task.h"

namespace exh::kernels {

enum class Inputs {
  kUniform,  ///< Floats in [-1, 1]; integers as large as never overflows, bools of both kinds.
  /// Whole numbers, none of them 0 (but bools), so that every step of the computation is exact in
  /// its type whatever its order: nothing is tolerated, and a wrong index cannot hide. They are as
  /// large as the reference says that they may be (whole_numbers.h); where none are small enough,
  /// the tolerances stay.
  kWholeNumbers,
  /// Whole numbers, and here and there, in arrays of floats, a NaN, an infinity, a zero of either
  /// sign or a denormal of f32, where the kernel's meaning says what must come of it.
  kSpecial,
};

/// Of the inputs that candidates are timed with, and of others that they have not seen before.
inline constexpr std::uint64_t kTimedSeed = 1, kOtherSeed = 2;

/// Inputs drawn from `seed`, and every output's reference and tolerance in double precision. What
/// is computed with integers alone is tolerated no error, whatever the inputs. Uniform ones of
/// another seed than kTimedSeed come with other scalars, too (ProblemData::scalars), where the
/// reference is derived: a number in the place of one shows. Inputs that reach a cast to an integer
/// are such that it has a place for them, where any are. Empty
/// when `stop` was stopped before they were computed (kernels/derived/reference/product.h).
ProblemData MakeProblem(const Task& task, std::uint64_t seed, Inputs inputs = Inputs::kUniform,
                        const StopToken* stop = nullptr);

/// Bytes that MakeProblem and a run of the task need at their peak.
std::uint64_t ProblemBytes(const ir::Function& function);

}  // namespace exh::kernels

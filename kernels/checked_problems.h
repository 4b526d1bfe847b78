// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

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

/// A problem that candidates are checked with.
struct CheckedProblem {
  const char* name;
  Inputs inputs;
  std::uint64_t seed;
  const char* what;  ///< Ends the sentence of what is wrong on it.
};
/// All of them. Candidates are timed on the first. What is not going to be called best may do
/// without the special values.
inline constexpr CheckedProblem kCheckedProblems[] = {
    {"uniform", Inputs::kUniform, kTimedSeed, ""},
    {"whole", Inputs::kWholeNumbers, kTimedSeed, "on whole numbers"},
    {"other", Inputs::kUniform, kOtherSeed, "with inputs that it had not seen"},
    {"special", Inputs::kSpecial, kTimedSeed, "on special values"},
};

}  // namespace exh::kernels

// SPDX-License-Identifier: MIT
//
// Special values in arrays of floats: NaN, infinities, zeros of both signs, denormals of f32, the
// largest numbers of 8 bits. What is to be infinite is the largest number of a type without
// infinities. Where they stand follows from the place alone, so that a large part of the results is
// left without any.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "kernels/derived/expression.h"
#include "kernels/ir/elements.h"

namespace exh::kernels::derived {

/// Does a slice of an array that is summed over (a row of a matrix, a column of another one) hold
/// something special? Most do not.
bool IsSpecialSlice(std::uint64_t slice);

/// Makes one of the elements of such a slice special, or two. Beside a denormal stands nothing but
/// zeros, for anything else would swallow it.
void MakeSliceSpecial(std::uint64_t slice, const std::vector<std::uint64_t>& elements,
                      std::mt19937_64& generator, ir::Elements& values);

/// An element that nothing sums over. `turn`: which of the inputs has what is special there.
/// `denormals`: no sums at all are computed, so that a denormal meets nothing but others of its
/// kind.
double SpecialElement(std::uint64_t element, bool turn, bool denormals, double plain,
                      std::mt19937_64& generator);

/// A denormal of f32, with so many zeros behind it that a multiple by small numbers is exact.
double SpecialDenormal(std::mt19937_64& generator);

/// Is something left out by -infinity before an exponential? What that multiplies may be left out,
/// too, and need not be finite.
bool HidesTerms(const Expression& e);

inline bool HasSpecialDenormals(ir::Type type) {
  return type == ir::Type::kF32;
}

}  // namespace exh::kernels::derived

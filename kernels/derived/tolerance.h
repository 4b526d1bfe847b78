// SPDX-License-Identifier: MIT
//
// How far a result may be from the exact one. What follows is of single precision; other types are
// at the end.
//
// A result is a sum of n terms p_1 … p_n, added up in any order, with or without fused
// multiply-adds, in one go or in parts. Each of about n roundings in a row changes the partial sum
// s_i that it yields by at most u |s_i|, u = 2^-24. The worst case, gamma(n) sum |p_i| (Higham,
// Accuracy and Stability of Numerical Algorithms, 3.1), grows faster than the result itself: above
// some length a kernel that writes nothing but zeros would be within it. Inputs are drawn from
// [-1, 1] at random, though, and that gives more. With P the root of the sum of p_i^2 and of s_n^2:
//
// * In which order they are added says nothing of the terms, so partial sums go straight from 0 to
//   s_n, and walk beside that line: s_i is i / n s_n, and something of the order of sqrt(i / n)
//   times the root of the sum of p_i^2. Of terms of one sign the first counts, and is sqrt(n) times
//   as large; where signs are random it is no larger than the walk. The sum of all s_i^2 is of the
//   order of n P^2 / 2. As a multiple x of n P^2 it has the tail of the integral of a squared
//   Brownian motion, exp(-x pi^2 / 8).
// * Roundings are independent of what was added before, as in Higham and Mary's model (A New
//   Approach to Probabilistic Rounding Error Analysis, SIAM J. Sci. Comput. 41, 2019): their sum is
//   a martingale with steps within u |s_i|, and by Azuma's inequality it exceeds a t-fold of
//   u sqrt(sum s_i^2) with a probability of at most 2 exp(-t^2 / 2).
//
// Together, with the worst x, the error exceeds c u sqrt(n) P with a probability of about
// exp(-c pi / 2). That counts every rounding as the largest possible one. Roundings are spread over
// their interval: their variance is u^2 / 3 at most, and the probability about
// exp(-c pi sqrt(3) / 2). With c = 26 that is below 1e-30 for an element, and below 1e-9 for all
// elements of all the implementations that a run can measure, 2^28 of 1e12: sums of one order err
// alike. (Without the last step it is below 2e-18 for an element, 1e-9 for 2^28 of them.) What is
// seen is far from it: the largest error of 200,000 sums is 3.2 u sqrt(n) P, its root mean square
// 0.3 (tests/kernels/space/tolerance_test.cc).
//
// Sums of few terms are also within their worst case, which is then the smaller one.
//
// Many results together tell more than each alone: the mean of their squared errors is that of the
// walk above, at most 1/6 (u sqrt(n) P)^2, and chance moves it little. A limit of
// (1 + c^2 / N) (u sqrt(n) P)^2 for N independent results leaves a factor of 6 to the mean, and to
// any single one of them all that it may have. Inputs that were rounded to half of their bits miss
// it by far.
//
// Sums of products of two floats of 8 bits are the exception. Units add these up with about 14
// bits: that is so of wgmma on Hopper (DeepSeek-V3 Technical Report, section 3.3.2, where a sum of
// 4096 terms is off by nearly 2 %). Who wants more begins anew every 128 terms and adds what they
// came to in single precision. So no more is asked for: kShortTerms of the additions are of sums
// with kShortBits, the others of single precision (AdditionSquares()). That holds on every device,
// for one reference serves all.
//
// Errors of all types are counted in units of single precision's u. Those of another float are as
// many times as large or small as its own unit roundoff is, and twice that for one that references
// are computed in: they err as well. Integers do not err. What becomes a narrower float is rounded
// in the reference, too: it is the neighbour at most, if it differed before (LastPlaceOf()).
#pragma once

#include <algorithm>
#include <cmath>

#include "kernels/ir/types.h"

namespace exh::kernels {

/// An error of so many times u sqrt(n) P is seen with a probability below 1e-30.
inline constexpr double kErrorFactor = 26;

/// What a function of a library may be off, squared, in units of u times its value: two units in
/// the last place.
inline constexpr double kFunctionSquares = 16;
/// The same of powers, which are an exponential of a product: taken as eight units in the last
/// place.
inline constexpr double kPowerSquares = 256;

/// Of `operations` roundings in a row: kErrorFactor, or twice the worst case where that is less.
inline double ErrorFactor(double operations) {
  return std::min(kErrorFactor, 2 * operations);
}

/// Largest difference from the exact result that a correct implementation may show: of a sum that
/// goes through `operations` roundings in a row (one for each term, and one for its product), and
/// whose terms, and its value, have `norm` as the root of the sum of their squares. Never negative.
inline double SumTolerance(double operations, double norm) {
  constexpr double kUnit = 1.0 / (1 << 24);
  return ErrorFactor(operations) * kUnit * std::sqrt(operations) * norm;
}

/// ArrayData::rms_limit of results with SumTolerance(operations, …), `independent` of which have
/// nothing in common but some of their inputs.
inline double RmsLimit(double operations, double independent) {
  const double factor = ErrorFactor(operations);
  return std::min(1.0, std::sqrt(1 / (factor * factor) + 1 / std::max(independent, 1.0)));
}

/// What a rounding in a type that computes adds to the squares of errors, in units of u, as a
/// multiple of the square of what is rounded. Of integers 0.
inline double RoundingSquares(ir::Type computes) {
  const ir::TypeInfo& info = ir::InfoOf(computes);
  if (!info.is_float) return 0;
  constexpr int kOfSingle = 24, kOfReferences = 53;
  return std::ldexp(info.bits < kOfReferences ? 1 : 4, 2 * (kOfSingle - info.bits));
}

/// Sums of products of floats of 8 bits have so many bits within so many terms.
inline constexpr int kShortBits = 14;
inline constexpr double kShortTerms = 128;

/// What so many additions in a row add to the squares of errors, in units of u, as a multiple of
/// the squares of what is added up. `own`: RoundingSquares(). `are_short`: of products of floats of
/// 8 bits.
inline double AdditionSquares(double own, double additions, bool are_short) {
  constexpr int kOfSingle = 24;
  const double in_short = are_short ? std::min(additions, kShortTerms) : 0;
  return own * additions + std::ldexp(in_short, 2 * (kOfSingle - kShortBits));
}

/// Values of a float that are next to each other are within `relative` times one of them, or else
/// `absolute`.
struct LastPlace {
  double relative = 0, absolute = 0;
};
inline LastPlace LastPlaceOf(ir::Type type) {
  const ir::TypeInfo& info = ir::InfoOf(type);
  return {std::ldexp(2, -info.bits), std::ldexp(2, info.min_exponent - info.bits)};
}

/// No sum of absolute values of terms is larger: `terms` of them, with `norm` as the root of the
/// sum of their squares (Cauchy and Schwarz).
inline double LargestSum(double terms, double norm) {
  return std::sqrt(terms) * norm;
}

}  // namespace exh::kernels

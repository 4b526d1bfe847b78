// SPDX-License-Identifier: MIT
//
// Numbers with a bound on their error, and how operations carry it on.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace exh::functional::reference {

struct Cell {
  double value;
  double error;  ///< At most this far is what a calculation in floats has instead.
};

/// Of the result of an operation that rounds to the next float.
inline constexpr double kRounding = 0x1p-24;

inline double RoundedToFloat(double value) {
  return static_cast<double>(static_cast<float>(value));
}

inline Cell Constant(double value) {
  return {value, std::abs(value - RoundedToFloat(value))};
}

/// What lies in memory between two kernels.
inline Cell Stored(Cell a) {
  const double stored = RoundedToFloat(a.value);
  return {stored,
          stored == a.value || std::isnan(stored) ? a.error : a.error + std::abs(a.value - stored)};
}

/// Not a number of floats: NaN, or beyond their range. Where what it comes of errs and is finite,
/// or may be 0 beside something infinite, another calculation may come to something else: its error
/// is infinite.
inline Cell NotFinite(double value, Cell a, Cell b) {
  const auto errs_around_0 = [](const Cell& x) {
    return x.error > 0 && std::abs(x.value) <= x.error;
  };
  const bool are_finite = std::isfinite(a.value) && std::isfinite(b.value);
  const bool is_open = std::isinf(a.error) || std::isinf(b.error) || errs_around_0(a) ||
                       errs_around_0(b) || (are_finite && (a.error > 0 || b.error > 0));
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return {std::isnan(value) ? value : std::copysign(kInfinity, value), is_open ? kInfinity : 0};
}

/// Would it be exact in any order of additions, of which another setting of the parameters has
/// another? Whole numbers are and what has few digits behind the point, and tiny numbers, which all
/// are multiples of one.
inline bool IsExact(double value) {
  constexpr double kParts = 256, kTiny = 0x1p-120;
  if (RoundedToFloat(value) != value) return false;
  return std::abs(value) < kTiny || value * kParts == std::trunc(value * kParts);
}

/// What becomes of `value`, which is exact but for the errors of what it comes of. It is not
/// rounded where these are exact and a float holds it.
inline Cell Rounded(double value, double error, Cell a, Cell b) {
  constexpr double kLargest = 0x1.ffffffp127, kSmall = 0x1p-120, kTiny = 0x1p-150;
  if (!(std::abs(value) < kLargest)) return NotFinite(value, a, b);
  if (a.error == 0 && b.error == 0 && IsExact(value)) return {value, 0};
  return {value, error + kRounding * std::abs(value) + (std::abs(value) < kSmall ? kTiny : 0)};
}

inline Cell Add(Cell a, Cell b) {
  return Rounded(a.value + b.value, a.error + b.error, a, b);
}

inline Cell Subtract(Cell a, Cell b) {
  return Rounded(a.value - b.value, a.error + b.error, a, b);
}

inline Cell Multiply(Cell a, Cell b) {
  const double error =
      std::abs(a.value) * b.error + std::abs(b.value) * a.error + a.error * b.error;
  return Rounded(a.value * b.value, error, a, b);
}

inline Cell Divide(Cell a, Cell b) {
  const double quotient = a.value / b.value;
  const double least = std::abs(b.value) - b.error;
  // A divisor that may be 0 makes anything.
  if (b.error > 0 && !(least > 0)) return {quotient, std::numeric_limits<double>::infinity()};
  return Rounded(quotient, (a.error + std::abs(quotient) * b.error) / least, a, b);
}

// A NaN wins. Which of two zeros is the larger one nobody says.
inline Cell Min(Cell a, Cell b) {
  return {std::isnan(a.value) || a.value < b.value ? a.value : b.value, std::max(a.error, b.error)};
}

inline Cell Max(Cell a, Cell b) {
  return {std::isnan(a.value) || a.value > b.value ? a.value : b.value, std::max(a.error, b.error)};
}

}  // namespace exh::functional::reference

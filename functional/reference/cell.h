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
  return {stored, a.error + std::abs(a.value - stored)};
}

inline Cell Rounded(double value, double error) {
  return {value, error + kRounding * std::abs(value)};
}

inline Cell Add(Cell a, Cell b) {
  return Rounded(a.value + b.value, a.error + b.error);
}

inline Cell Subtract(Cell a, Cell b) {
  return Rounded(a.value - b.value, a.error + b.error);
}

inline Cell Multiply(Cell a, Cell b) {
  const double error =
      std::abs(a.value) * b.error + std::abs(b.value) * a.error + a.error * b.error;
  return Rounded(a.value * b.value, error);
}

inline Cell Divide(Cell a, Cell b) {
  const double quotient = a.value / b.value;
  const double least = std::abs(b.value) - b.error;
  // A divisor that may be 0 makes anything.
  if (!(least > 0)) return {quotient, std::numeric_limits<double>::infinity()};
  return Rounded(quotient, (a.error + std::abs(quotient) * b.error) / least);
}

inline Cell Min(Cell a, Cell b) {
  return {std::min(a.value, b.value), std::max(a.error, b.error)};
}

inline Cell Max(Cell a, Cell b) {
  return {std::max(a.value, b.value), std::max(a.error, b.error)};
}

}  // namespace exh::functional::reference

// SPDX-License-Identifier: MIT
#pragma once

namespace exh::kernels {

/// gamma_n = n u / (1 - n u), u = 2^-24: the relative error that n single-precision operations in a
/// row can add up to (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1).
inline double Gamma(double operations) {
  const double u = 1.0 / (1 << 24);
  return operations * u / (1 - operations * u);
}

/// Largest difference from the exact result that a correct implementation may show: twice the
/// worst-case bound, for a sum of products whose absolute values add up to `magnitude`.
inline double SumTolerance(double operations, double magnitude) {
  return 2 * Gamma(operations) * magnitude;
}

}  // namespace exh::kernels

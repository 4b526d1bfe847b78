// SPDX-License-Identifier: MIT
//
// How little data must move between a buffer of `capacity` elements and what lies behind it, from
// the literature, as oracles for the terms that count bytes.
//
// *Attained* is what some schedule moves: a tile of the result stays in the buffer while its sums
// are made, and what a step needs of the operands comes and goes. The least of all tiles that fit
// is a point of the curve that Huang et al. draw for a computation (Mind the Gap: Attainable Data
// Movement and Operational Intensity Bounds for Tensor Algorithms, ISCA 2024, "Orojenesis"). A
// bound above it is wrong: there is an implementation that moves less.
//
// *Proven* is what every schedule moves, in closed form: of products 2 mnk / sqrt(S) - 2 S (Smith
// et al., 2019; IOLB, Olivry et al., PLDI 2020, has the same leading term), of convolutions the
// same with the reuse of a window (Chen et al., Communication Lower Bound in Convolution
// Accelerators, HPCA 2020). What is proven lies below what is attained, which checks the oracles
// themselves.
#pragma once

#include <algorithm>
#include <cmath>

namespace exh::models::oracle {

/// Elements; all sizes are whole numbers.
struct Matmul {
  double m, n, k;

  double Compulsory() const { return m * k + k * n + m * n; }
  /// A tile of rows x columns of the result, and a column and a row of the operands.
  double Attained(double capacity) const {
    double least = HUGE_VAL;
    for (double rows = 1; rows <= m; ++rows) {
      const double columns = std::min(n, std::floor((capacity - rows) / (rows + 1)));
      if (columns < 1) break;
      const double of_tiles = std::ceil(n / columns) * m * k + std::ceil(m / rows) * n * k;
      least = std::min(least, of_tiles + m * n);
    }
    // Where an operand fits as a whole, nothing is read twice.
    if (capacity >= std::min(m * k, k * n) + k + 1) least = std::min(least, Compulsory());
    return least;
  }
  double Proven(double capacity) const {
    return std::max(Compulsory(), 2 * m * n * k / std::sqrt(capacity) - 2 * capacity);
  }
};

/// y = A x, A of m x n.
struct Mv {
  double m, n;

  double Compulsory() const { return m * n + n + m; }
  /// `rows` sums stay; x comes once for each so many.
  double Attained(double capacity) const {
    const double rows = std::min(m, std::floor(capacity - 2));
    const double again = std::min(std::ceil(m / rows) * n, capacity >= n + 2 ? n : HUGE_VAL);
    return m * n + again + m;
  }
  double Proven(double) const { return Compulsory(); }
};

/// A convolution of one image, without a border around it, steps of 1.
struct Conv2d {
  double h, w, c, m, r, s;  ///< The result is h x w x m; windows are r x s, of c channels.

  double Image() const { return (h + r - 1) * (w + s - 1) * c; }
  double Filters() const { return m * c * r * s; }
  double Compulsory() const { return Image() + Filters() + h * w * m; }
  /// A tile of the result in full rows of filters: one channel of its windows and of its filters.
  double Attained(double capacity) const {
    double least = HUGE_VAL;
    for (double rows = 1; rows <= h; ++rows) {
      for (double columns = 1; columns <= w; ++columns) {
        const double window = (rows + r - 1) * (columns + s - 1);
        const double filters =
            std::min(m, std::floor((capacity - window) / (rows * columns + r * s)));
        if (filters < 1) continue;
        const double tiles = std::ceil(h / rows) * std::ceil(w / columns);
        const double moved = tiles * (std::ceil(m / filters) * window * c + Filters());
        least = std::min(least, moved + h * w * m);
      }
    }
    if (capacity >= Compulsory()) least = std::min(least, Compulsory());
    return least;
  }
  double Proven(double capacity) const {
    const double products = h * w * m * c * r * s;
    return std::max(Compulsory(), 2 * products / std::sqrt(r * s * capacity) - 2 * capacity);
  }
};

}  // namespace exh::models::oracle

// SPDX-License-Identifier: MIT
//
// How far values of an expression may be from the exact ones, for tolerance.h, which wants a number
// of roundings in a row and the root of the sum of the squares of what they round. Errors of
// different roundings are taken to be independent: it is their squares that are added up, E, in
// units of u, and the number n of roundings that they are of. SumTolerance(n, sqrt(E / n)) is then
// what the result may be off.
//
// * Memory, numbers and indices: E = 0, n = 0. A value is passed on, and min and max choose one:
// the larger
//   E and n.
// * v = a b: E = a^2 E_b + b^2 E_a + v^2. v = a + b or a - b: E = E_a + E_b + v^2. n = n_a + n_b
// + 1.
// * v = a / b: E = (E_a + v^2 E_b) / b^2 + v^2. v = f(a): E = f'(a)^2 E_a, and what f is off:
//   OwnSquares().
// * Of two values of which a condition picks one: its E.
// * A sum v of `count` terms t that begins with i: S = i^2 + v^2 + sum of t^2 stands for each of
//   its additions, as in tolerance.h: E = E_i + sum of E_t + count S, n = n_i + n_t + count. So has
//   a scan, with the steps until there as `count`, but its n is that of its last value.
//
// Squares of what is rounded, and OwnSquares(), are those of f32. In another type they have
// RoundingSquares() as a factor; integers do not err, and what they do is not counted.
//
// What is not finite has no tolerance that means anything.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kernels/derived/expression.h"

namespace exh::kernels::derived {

/// What of the errors of a node's value is known before any value is.
struct Roundings {
  double count = 0;         ///< n.
  double own = 0;           ///< E has so many times the square of the value …
  bool has_others = false;  ///< … and something besides it.
  bool is_exact() const { return own == 0 && !has_others; }
};

/// What an operator that rounds adds to E, as a multiple of the square of its value: functions of
/// the libraries are off by two units in the last place.
double OwnSquares(ir::Op op);

/// What one rounding of a node adds to E in its type.
double SquaresOfOne(const Expression::Node& node);

/// Is there a rule above for each of its operations? There is none for products over an axis, for
/// conditions and integers that errors may turn, for values that become narrower floats on the way,
/// for sums of what comes of a scan along the same axis, nor for integers that leave their type.
bool HasRules(const Expression& expression);

/// By node.
std::vector<Roundings> RoundingsOf(const Expression& expression);

/// E of a value as C++: a sum of products, each a number and a text.
struct ErrorSquares {
  std::vector<std::pair<double, std::string>> products;

  bool is_zero() const { return products.empty(); }
  /// `2 * x * x + y`; "0.0" when there is none. The numbers are divided by `divisor`.
  std::string Text(double divisor = 1) const;
  /// Are all numbers this one?
  bool HasFactor(double factor) const;
  void Add(const ErrorSquares& others);
  /// One with a text that is there already goes to its number.
  void Add(double factor, const std::string& text);
  /// Every product times `factor` and `text`, which may be empty.
  ErrorSquares Times(double factor, const std::string& text) const;
};

}  // namespace exh::kernels::derived

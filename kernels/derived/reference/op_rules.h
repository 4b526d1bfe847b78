// SPDX-License-Identifier: MIT
//
// What operations do to values and to their errors, for reference.cc: a new one costs a struct and
// a line in op_rules.cc.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/derived/expression.h"
#include "kernels/derived/tolerance.h"
#include "kernels/ir/function.h"

namespace exh::kernels::derived {

inline constexpr std::size_t kMostOperands = 3;

/// A row of points: values, and E of each (reference.cc).
struct Slot {
  const double* value = nullptr;
  const double* error = nullptr;
};
using Operands = std::array<Slot, kMostOperands>;

/// What an operation does to a row of points, and to the number of roundings.
struct Rule {
  /// Returns the largest that the absolute values add up to of which it rounds a sum or a product;
  /// 0 where it rounds nothing. What is not finite is left out.
  double (*row)(const Operands& in, std::int64_t points, double* value, double* error);
  /// Those in a row on the way to the result, from those of the operands.
  double (*roundings)(const double* operands);
};

/// Only for what computes something. `computes`: what it is evaluated in (ir::Instruction).
const Rule& RuleOf(ir::Op op, ir::Type computes);

/// A value becomes one of another type, and something of it may be lost.
class Conversion {
 public:
  Conversion(ir::Type from, ir::Type to);

  struct Result {
    double value = 0;
    /// By how much another implementation's may be off because of the conversion. Infinite: nothing
    /// is known of it.
    double slack = 0;
  };
  /// Of a value with these errors E.
  Result Of(double value, double error) const;
  /// Are errors of the value errors of what it becomes? Otherwise the slack is all.
  bool keeps_errors() const { return keeps_errors_; }
  /// For values in the middle of a computation: the slack is a part of their errors.
  const Rule& rule() const;

 private:
  ir::Type to_;
  bool of_float_, keeps_errors_;
  LastPlace last_place_;             ///< To a float.
  double lowest_ = 0, largest_ = 0;  ///< To an integer: beyond, of floats, it is anything.
};

/// By node: how many roundings in a row its value comes of at most. Where it is 0, no value errs.
std::vector<double> RoundingsInARow(const Expression& expression);
/// Those of an operand that is read as another type, from its own.
double RoundingsAs(const Expression& expression, const Expression::Input& input, double roundings,
                   ir::Type as);

/// What kMin and kMax pick of floats: a NaN where there is one.
inline double Smaller(double a, double b) {
  return a != a || a < b ? a : b;
}
inline double Larger(double a, double b) {
  return a != a || a > b ? a : b;
}

/// What becomes of terms.
enum class Gathering : std::uint8_t { kSum, kProduct, kSmallest, kLargest };

/// What a reduction does with products of its operands, or else with its operand.
struct Reduction {
  Reduction(ir::Op op, ir::Type computes);
  Gathering gathering;
  bool of_products;
  double own;   ///< RoundingSquares().
  double tiny;  ///< What a rounding of a denormal adds to E besides.
  bool adds() const { return gathering == Gathering::kSum; }
};

/// What some of the terms of a reduction come to.
struct Total {
  double value = 0, squares = 0, error = 0;

  /// Of no terms.
  static Total Nothing(Gathering gathering);
  void Take(const Reduction& reduction, const Total& more) {
    switch (reduction.gathering) {
      case Gathering::kSum:
        value += more.value;
        squares += more.squares;
        error += more.error;
        return;
      case Gathering::kProduct: {
        const double product = value * more.value;
        error = value * value * more.error + more.value * more.value * error +
                reduction.own * (product * product) + (product == 0 ? 0 : reduction.tiny);
        value = product;
        return;
      }
      case Gathering::kSmallest:
        value = Smaller(more.value, value);
        error = error > more.error ? error : more.error;
        return;
      case Gathering::kLargest:
        value = Larger(more.value, value);
        error = error > more.error ? error : more.error;
        return;
    }
  }
};

}  // namespace exh::kernels::derived

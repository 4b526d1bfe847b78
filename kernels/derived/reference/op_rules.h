// SPDX-License-Identifier: MIT
//
// What operations do to values and to their errors, for reference.cc: a new one costs a struct and
// a line in op_rules.cc.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "kernels/derived/expression.h"
#include "kernels/derived/tolerance.h"
#include "kernels/ir/function.h"
#include "kernels/ir/ops.h"

namespace exh::kernels::derived {

inline constexpr std::size_t kMostOperands = 3;

/// Slots hold values as doubles, but those of an i64 as its bits: a double has no place for all.
inline std::int64_t WholeOfSlot(ir::Type type, double slot) {
  return type == ir::Type::kI64 ? std::bit_cast<std::int64_t>(slot)
                                : static_cast<std::int64_t>(slot);
}
inline double SlotOfWhole(ir::Type type, std::int64_t whole) {
  return type == ir::Type::kI64 ? std::bit_cast<double>(whole) : static_cast<double>(whole);
}

/// And errors as E (reference.cc), but those of an f64 as its root, which a double has a place for.
inline bool HasRoots(ir::Type type) {
  return type == ir::Type::kF64;
}
/// Do slots of both types hold the same?
inline bool HaveSameSlots(ir::Type a, ir::Type b) {
  const auto is_alone = [](ir::Type type) { return type == ir::Type::kI64 || HasRoots(type); };
  return a == b || (!is_alone(a) && !is_alone(b));
}

/// How far a value with these errors may be off.
template <typename Real>
Real Reach(Real error) {
  return kErrorFactor * 0x1p-24 * std::sqrt(error);
}
/// May a value with these errors as well be 0, or on its other side? Then it is open what it times
/// infinity is.
inline bool ErrsAroundZero(double value, double error) {
  return error > 0 && std::abs(value) <= Reach(error);
}

/// A row of points: values, and errors of each.
struct RowSlot {
  const double* value = nullptr;
  const double* error = nullptr;
};
using Operands = std::array<RowSlot, kMostOperands>;

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
  /// The errors E of what is computed on with the result: a part of the slack is among them.
  /// Infinite where the result is not finite and roundings decide what it is.
  double ErrorOf(double value, double error, const Result& result) const;
  /// For values in the middle of a computation.
  const Rule& rule() const;

 private:
  ir::Type from_, to_;
  bool of_float_, keeps_errors_;
  LastPlace last_place_;  ///< To a float.
  /// To an integer: beyond, of floats, it is anything. To a float: its largest number, which is
  /// what a larger one becomes where there are no infinities.
  double lowest_ = 0, largest_ = 0;
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
  Reduction(ir::Op op, ir::Type computes, bool adds_short = false);
  Gathering gathering;
  bool of_products;
  ir::Type type;  ///< That it computes in.
  bool is_whole;  ///< No float: a Total has its value as an integer.
  double own;     ///< RoundingSquares().
  double tiny;    ///< What a rounding of a denormal adds to E besides.
  bool is_short;  ///< Expression::AddsShort().
  bool adds() const { return gathering == Gathering::kSum; }
  /// AdditionSquares() of so many terms, and the bits of a partial sum.
  double Additions(double count) const { return AdditionSquares(own, count, is_short); }
  int bits() const { return is_short ? kShortBits : ir::InfoOf(type).bits; }
  bool picks() const {
    return gathering == Gathering::kSmallest || gathering == Gathering::kLargest;
  }
};

/// What some of the terms of a reduction come to. `Real`: double, or for f64 long double, whose
/// squares neither overflow nor vanish.
template <typename Real>
struct Total {
  double value = 0;
  Real squares = 0, error = 0;
  std::int64_t whole = 0;  ///< The value, where it is an integer.
  bool are_finite = true;  ///< The terms.

  /// Of no terms.
  static Total Nothing(Gathering gathering) {
    using Limits = std::numeric_limits<std::int64_t>;
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    switch (gathering) {
      case Gathering::kSum:
        return {-0.0, 0, 0, 0};
      case Gathering::kProduct:
        return {1, 0, 0, 1};
      case Gathering::kSmallest:
        return {kInfinity, 0, 0, Limits::max()};
      case Gathering::kLargest:
        break;
    }
    return {-kInfinity, 0, 0, Limits::min()};
  }
  /// Of what a slot holds.
  static Total OfSlot(const Reduction& reduction, double slot, double slot_error) {
    const Real own = slot_error, error = HasRoots(reduction.type) ? own * own : own;
    const std::int64_t whole = reduction.is_whole ? WholeOfSlot(reduction.type, slot) : 0;
    const double value = reduction.is_whole ? static_cast<double>(whole) : slot;
    return {value, Real{value} * Real{value}, error, whole, std::isfinite(value)};
  }
  double Slot(const Reduction& reduction) const {
    return reduction.is_whole ? SlotOfWhole(reduction.type, whole) : value;
  }
  /// Of a value that is not finite infinite where roundings decide what it is: it overflowed, and
  /// in another order it might not, or a term is such a value.
  double SlotError(const Reduction& reduction) const {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (!reduction.is_whole && !std::isfinite(value)) {
      return std::isinf(error) || (are_finite && error > 0) ? kInfinity : 0;
    }
    if (std::isnan(error)) return kInfinity;
    return static_cast<double>(HasRoots(reduction.type) ? std::sqrt(error) : error);
  }

  void Take(const Reduction& reduction, const Total& more) {
    if (reduction.is_whole) TakeWhole(reduction, more);
    are_finite = are_finite && more.are_finite;
    switch (reduction.gathering) {
      case Gathering::kSum:
        value += more.value;
        squares += more.squares;
        error += more.error;
        return;
      case Gathering::kProduct: {
        const double product = value * more.value;
        const Real a = value, b = more.value, both = product;
        if (std::isfinite(product)) {
          error = a * a * more.error + b * b * error + reduction.own * (both * both) +
                  (product == 0 ? 0 : static_cast<Real>(reduction.tiny));
        } else {  // Is anything rounded, or not known?
          error += more.error + (are_finite ? 1 : 0);
        }
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

 private:
  /// The value as an integer, which wraps around.
  void TakeWhole(const Reduction& reduction, const Total& more) {
    switch (reduction.gathering) {
      case Gathering::kSum:
        whole = ir::EvaluateWhole(ir::Op::kAdd, reduction.type, whole, more.whole, 0);
        return;
      case Gathering::kProduct:
        whole = ir::EvaluateWhole(ir::Op::kMul, reduction.type, whole, more.whole, 0);
        return;
      case Gathering::kSmallest:
        whole = std::min(whole, more.whole);
        return;
      case Gathering::kLargest:
        whole = std::max(whole, more.whole);
        return;
    }
  }
};

}  // namespace exh::kernels::derived

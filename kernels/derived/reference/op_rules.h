// SPDX-License-Identifier: MIT
//
// What operations do to values and to their errors, for reference.cc: a new one costs a struct and
// a line in op_rules.cc.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

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

/// Only for what computes something.
const Rule& RuleOf(ir::Op op);

/// Is it its operand?
bool PassesOn(ir::Op op);

/// What becomes of terms.
enum class Gathering : std::uint8_t { kSum, kProduct, kSmallest, kLargest };

/// What a reduction does with products of its operands, or else with its operand.
struct Reduction {
  explicit Reduction(ir::Op op);
  Gathering gathering;
  bool of_products;
  bool adds() const { return gathering == Gathering::kSum; }
};

/// What some of the terms of a reduction come to.
struct Total {
  double value = 0, squares = 0, error = 0;

  /// Of no terms.
  static Total Nothing(Gathering gathering);
  void Take(Gathering gathering, const Total& more) {
    switch (gathering) {
      case Gathering::kSum:
        value += more.value;
        squares += more.squares;
        error += more.error;
        return;
      case Gathering::kProduct: {
        const double product = value * more.value;
        error = value * value * more.error + more.value * more.value * error + product * product;
        value = product;
        return;
      }
      case Gathering::kSmallest:
        value = more.value < value ? more.value : value;
        error = error > more.error ? error : more.error;
        return;
      case Gathering::kLargest:
        value = more.value > value ? more.value : value;
        error = error > more.error ? error : more.error;
        return;
    }
  }
};

}  // namespace exh::kernels::derived

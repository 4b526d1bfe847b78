// SPDX-License-Identifier: MIT
//
// Terms that are known before a search: numbers, and what a host or data say. Their values are
// fractions in 64 bits.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "dsl/spec.h"

namespace exh::dsl {

/// A number as a fraction in lowest terms with a positive divisor.
struct ReducedFraction {
  std::int64_t up = 0, down = 1;
  friend bool operator==(const ReducedFraction&, const ReducedFraction&) = default;
};

/// What an operation of two operands makes of two numbers; nothing when it does not fit 64 bits. No
/// divisor is 0; those of `div` and `%` are whole.
std::optional<ReducedFraction> Fold(TermNode::Kind kind, const ReducedFraction& a,
                                    const ReducedFraction& b);

/// `left op right`.
bool Compares(const ReducedFraction& left, CompareOp op, const ReducedFraction& right);

/// What became of a term.
struct KnownValue {
  std::optional<ReducedFraction> value;  ///< Nothing: it divides by 0, or does not fit 64 bits.
  bool over_zero = false;                ///< It divides by 0.
};

/// The value of a term without decisions. `leaf(node)` is the number that code, a constant or a
/// variable stands for.
template <typename Leaf>
KnownValue ValueOf(const Term& term, const Leaf& leaf) {
  using Kind = TermNode::Kind;
  std::vector<ReducedFraction> operands;
  for (const TermNode& node : term) {
    if (node.kind == Kind::kNumber) {
      operands.push_back({node.number, 1});
    } else if (node.kind == Kind::kCode || node.kind == Kind::kVariable) {
      operands.push_back({leaf(node), 1});
    } else if (node.kind == Kind::kNegate) {
      operands.back().up = -operands.back().up;
    } else {
      const ReducedFraction right = operands.back();
      operands.pop_back();
      const bool divides =
          node.kind == Kind::kDivide || node.kind == Kind::kDiv || node.kind == Kind::kMod;
      if (divides && right.up == 0) return {std::nullopt, true};
      const auto folded = Fold(node.kind, operands.back(), right);
      if (!folded) return {};
      operands.back() = *folded;
    }
  }
  return {operands.back(), false};
}

}  // namespace exh::dsl

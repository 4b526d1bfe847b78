// SPDX-License-Identifier: MIT
#include "dsl/known/known_term.h"

#include <limits>
#include <numeric>

namespace exh::dsl {
namespace {

bool Times(std::int64_t a, std::int64_t b, std::int64_t& product) {
  return !__builtin_mul_overflow(a, b, &product);
}

// In lowest terms, with a positive divisor; nothing when it does not fit 64 bits.
std::optional<ReducedFraction> Reduced(std::int64_t up, std::int64_t down) {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  if (up == kLeast || down == kLeast) return std::nullopt;
  const std::int64_t divisor = down < 0 ? -std::gcd(up, down) : std::gcd(up, down);
  return ReducedFraction{up / divisor, down / divisor};
}

std::optional<ReducedFraction> Sum(const ReducedFraction& a, const ReducedFraction& b,
                                   bool subtract) {
  std::int64_t left = 0, right = 0, up = 0, down = 0;
  if (!Times(a.up, b.down, left) || !Times(b.up, a.down, right)) return std::nullopt;
  const bool large = subtract ? __builtin_sub_overflow(left, right, &up)
                              : __builtin_add_overflow(left, right, &up);
  if (large || !Times(a.down, b.down, down)) return std::nullopt;
  return Reduced(up, down);
}

std::optional<ReducedFraction> Product(const ReducedFraction& a, const ReducedFraction& b) {
  std::int64_t up = 0, down = 0;
  if (!Times(a.up, b.up, up) || !Times(a.down, b.down, down)) return std::nullopt;
  return Reduced(up, down);
}

// Of two whole numbers, the second of which is not 0.
std::int64_t FloorOf(std::int64_t a, std::int64_t b) {
  const std::int64_t quotient = a / b;
  return quotient * b != a && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

}  // namespace

std::optional<ReducedFraction> Fold(TermNode::Kind kind, const ReducedFraction& a,
                                    const ReducedFraction& b) {
  using Kind = TermNode::Kind;
  switch (kind) {
    case Kind::kAdd:
    case Kind::kSubtract:
      return Sum(a, b, kind == Kind::kSubtract);
    case Kind::kMultiply:
      return Product(a, b);
    case Kind::kDivide:
      return Product(a, {b.down, b.up});
    case Kind::kDiv:
      return ReducedFraction{FloorOf(a.up, b.up), 1};
    case Kind::kMod:
      return ReducedFraction{a.up - b.up * FloorOf(a.up, b.up), 1};
    case Kind::kMin:
    case Kind::kMax: {
      const auto difference = Sum(a, b, true);
      if (!difference) return std::nullopt;
      return (difference->up < 0) == (kind == Kind::kMin) ? a : b;
    }
    default:
      return std::nullopt;
  }
}

bool Compares(const ReducedFraction& left, CompareOp op, const ReducedFraction& right) {
  const auto less = [](const ReducedFraction& a, const ReducedFraction& b) {
    const auto smaller = Fold(TermNode::Kind::kSubtract, a, b);
    return smaller && smaller->up < 0;
  };
  switch (op) {
    case CompareOp::kLt:
      return less(left, right);
    case CompareOp::kGt:
      return less(right, left);
    case CompareOp::kLe:
      return !less(right, left);
    case CompareOp::kGe:
      return !less(left, right);
    case CompareOp::kEq:
      return left == right;
    case CompareOp::kNe:
      break;
  }
  return !(left == right);
}

}  // namespace exh::dsl

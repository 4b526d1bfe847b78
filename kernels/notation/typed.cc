// SPDX-License-Identifier: MIT
#include "kernels/notation/typed.h"

#include <algorithm>
#include <cmath>

#include "kernels/ir/ops.h"

namespace exh::kernels::notation {
namespace {

using ir::Op;
using ir::Type;

/// Counts are i32, or f32 where literals alone are chosen from: up to this, both have all numbers.
constexpr double kLargestCount = 0x1p24;

bool Counts(Op op) {
  static constexpr Op kOps[] = {Op::kAdd, Op::kSub, Op::kMul, Op::kMad,   Op::kNeg,
                                Op::kAbs, Op::kMin, Op::kMax, Op::kSelect};
  return std::ranges::find(kOps, op) != std::end(kOps);
}

/// Of integers, if it is one that 64 bits hold. Of a 0 the sign is that of doubles.
std::optional<ir::Number> FoldedWhole(Op op, const std::vector<ir::Number>& operands) {
  if (!std::ranges::all_of(operands, &ir::Number::is_whole)) return std::nullopt;
  const auto at = [&](std::size_t i) -> __int128 { return operands[i].whole(); };
  __int128 value = 0;
  switch (op) {
    case Op::kAdd:
      value = at(0) + at(1);
      break;
    case Op::kSub:
      value = at(0) - at(1);
      break;
    case Op::kMul:
      value = at(0) * at(1);
      break;
    case Op::kMad:
      value = at(0) * at(1) + at(2);
      break;
    case Op::kNeg:
      value = -at(0);
      break;
    case Op::kAbs:
      value = at(0) < 0 ? -at(0) : at(0);
      break;
    case Op::kMin:
      value = std::min(at(0), at(1));
      break;
    case Op::kMax:
      value = std::max(at(0), at(1));
      break;
    case Op::kLess:
      return at(0) < at(1) ? 1 : 0;
    case Op::kEqual:
      return at(0) == at(1) ? 1 : 0;
    default:
      return std::nullopt;
  }
  const auto whole = static_cast<std::int64_t>(value);
  return whole == value && whole != 0 ? std::optional<ir::Number>(whole) : std::nullopt;
}

}  // namespace

ir::Number NumberOf(const Expr& expr) {
  return expr.integer ? ir::Number(*expr.integer) : ir::Number(expr.number);
}

ir::Number NumberOf(const ScalarDecl& scalar) {
  return scalar.integer ? ir::Number(*scalar.integer) : ir::Number(scalar.value);
}

std::optional<Type> CommonOf(const std::vector<Typed>& operands) {
  std::optional<Type> common, of_counts;
  for (const Typed& operand : operands) {
    if (!operand.type) continue;
    if (operand.is_count) {
      of_counts = of_counts == Type::kF32 ? of_counts : operand.type;
    } else {
      common = common ? ir::CommonType(*common, *operand.type) : operand.type;
      if (!common) return std::nullopt;
    }
  }
  if (!common && !of_counts) return Type::kF32;
  if (common && *common != Type::kBool) return common;
  Type type = of_counts.value_or(Type::kBool);
  for (const Typed& operand : operands) {
    if (operand.type || type == Type::kF32) continue;
    const bool is_bool = operand.number == 0 || operand.number == 1;
    if (!IsWhole(operand.number)) {
      type = Type::kF32;
    } else if (type == Type::kBool && !is_bool) {
      type = Type::kI32;
    }
  }
  return type;
}

Typed ResultOf(Op op, Type common, const std::vector<Typed>& operands) {
  const Type type = ir::ResultType(op, common);
  const auto counts = [](const Typed& operand) {
    if (operand.type) return operand.is_count || *operand.type == Type::kBool;
    return IsWhole(operand.number) && std::abs(double{operand.number}) <= kLargestCount;
  };
  return {type, 0, type != Type::kBool && Counts(op) && std::ranges::all_of(operands, counts)};
}

ir::Number FoldedLiteral(Op op, const std::vector<ir::Number>& operands) {
  if (const auto whole = FoldedWhole(op, operands)) return *whole;
  const bool is_logical = ir::InfoOf(op).takes == ir::Takes::kIntegers;
  const auto at = [&](std::size_t i) {
    const double number = i < operands.size() ? double{operands[i]} : 0;
    return is_logical ? ir::Rounded(Type::kBool, number) : number;
  };
  return ir::Evaluate(op, is_logical ? Type::kBool : Type::kF64, at(0), at(1), at(2));
}

bool Converts(const Typed& from, Type to) {
  if (!from.type || *from.type == Type::kBool || *from.type == to) return true;
  if (to == Type::kBool) return false;
  return from.is_count || ir::IsFloat(*from.type) == ir::IsFloat(to);
}

bool IsWhole(double number) {
  return std::isfinite(number) && number == std::trunc(number);
}

}  // namespace exh::kernels::notation

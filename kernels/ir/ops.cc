// SPDX-License-Identifier: MIT
#include "kernels/ir/ops.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/check.h"

namespace exh::kernels::ir {
namespace {

/// In the order of Op. Behind the operands: may_reduce, is_function, keeps_whole, errs_at_random,
/// and what it takes.
constexpr auto kOps = std::to_array<OpInfo>({
    {Op::kConst, "kConst", "copy", 1, false, false, true, true},
    {Op::kAdd, "kAdd", "add", 2, true, false, true, true},
    {Op::kSub, "kSub", "sub", 2, false, false, true, true},
    {Op::kMul, "kMul", "mul", 2, true, false, true, true},
    {Op::kDiv, "kDiv", "div", 2, false, false, false, false},
    {Op::kMin, "kMin", "min", 2, true, true, true, true},
    {Op::kMax, "kMax", "max", 2, true, true, true, true},
    {Op::kMad, "kMad", "mad", 3, true, false, true, true},
    {Op::kNeg, "kNeg", "neg", 1, false, false, true, true},
    {Op::kAbs, "kAbs", "abs", 1, false, true, true, true},
    {Op::kSqrt, "kSqrt", "sqrt", 1, false, true, false, false, Takes::kFloats},
    {Op::kRsqrt, "kRsqrt", "rsqrt", 1, false, true, false, false, Takes::kFloats},
    {Op::kExp, "kExp", "exp", 1, false, true, false, false, Takes::kFloats},
    {Op::kLog, "kLog", "log", 1, false, true, false, false, Takes::kFloats},
    {Op::kTanh, "kTanh", "tanh", 1, false, true, false, false, Takes::kFloats},
    {Op::kPow, "kPow", "pow", 2, false, true, false, false, Takes::kFloats},
    {Op::kLess, "kLess", "less", 2, false, false, true, false},
    {Op::kEqual, "kEqual", "equal", 2, false, false, true, false},
    {Op::kSelect, "kSelect", "select", 3, false, true, true, false},
    {Op::kAnd, "kAnd", "and", 2, false, false, true, false, Takes::kIntegers},
    {Op::kOr, "kOr", "or", 2, false, false, true, false, Takes::kIntegers},
    {Op::kXor, "kXor", "xor", 2, false, false, true, false, Takes::kIntegers},
    {Op::kNot, "kNot", "not", 1, false, false, true, false, Takes::kIntegers},
    {Op::kIndex, "kIndex", "index", 0, false, false, true, true},
    {Op::kLoad, "kLoad", "load", 0, false, false, true, true},
    {Op::kStore, "kStore", "store", 0, false, false, true, true},
    {Op::kTempLoad, "kTempLoad", "load", 0, false, false, true, true},
    {Op::kTempStore, "kTempStore", "store", 0, false, false, true, true},
    {Op::kWindow, "kWindow", "window", 0, false, false, true, true},
});

}  // namespace

const OpInfo& InfoOf(Op op) {
  const OpInfo& info = kOps.at(static_cast<std::size_t>(op));
  EXH_CHECK(info.op == op);
  return info;
}

std::span<const OpInfo> AllOps() {
  return kOps;
}

std::optional<Op> OpOfWord(std::string_view word) {
  for (const OpInfo& info : kOps) {
    if (info.operands > 0 && info.word == word) return info.op;
  }
  return std::nullopt;
}

namespace {

double OfFloats(Op op, double a, double b, double c) {
  switch (op) {
    case Op::kConst:
      return a;
    case Op::kAdd:
      return a + b;
    case Op::kSub:
      return a - b;
    case Op::kMul:
      return a * b;
    case Op::kDiv:
      return a / b;
    case Op::kMin:
      return std::isnan(a) || a < b ? a : b;
    case Op::kMax:
      return std::isnan(a) || a > b ? a : b;
    case Op::kMad:
      return a * b + c;
    case Op::kNeg:
      return -a;
    case Op::kAbs:
      return std::abs(a);
    case Op::kSqrt:
      return std::sqrt(a);
    case Op::kRsqrt:
      return 1 / std::sqrt(a);
    case Op::kExp:
      return std::exp(a);
    case Op::kLog:
      return std::log(a);
    case Op::kTanh:
      return std::tanh(a);
    case Op::kPow:
      return std::pow(a, b);
    case Op::kLess:
      return a < b ? 1 : 0;
    case Op::kEqual:
      return a == b ? 1 : 0;
    case Op::kSelect:
      return a != 0 ? b : c;
    default:
      EXH_UNREACHABLE();
  }
}

/// The lower bits of `value` that the type has, as a number of it.
std::int64_t Wrapped(Type type, std::uint64_t value) {
  switch (ComputeTypeOf(type)) {
    case Type::kI64:
      return static_cast<std::int64_t>(value);
    case Type::kU32:
      return static_cast<std::uint32_t>(value);
    default:
      if (type == Type::kBool) return value != 0 ? 1 : 0;
      return static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
  }
}

/// Without a fraction. By 0 it is a fault in C: nobody may ask for it.
std::uint64_t Quotient(std::int64_t a, std::int64_t b) {
  if (b == 0) return 0;
  // The lowest number by -1 is a fault, too.
  return b == -1 ? -static_cast<std::uint64_t>(a) : static_cast<std::uint64_t>(a / b);
}

}  // namespace

std::int64_t EvaluateWhole(Op op, Type type, std::int64_t a, std::int64_t b, std::int64_t c) {
  const auto bits = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
  switch (op) {
    case Op::kConst:
      return Wrapped(type, bits(a));
    case Op::kAdd:
      return Wrapped(type, bits(a) + bits(b));
    case Op::kSub:
      return Wrapped(type, bits(a) - bits(b));
    case Op::kMul:
      return Wrapped(type, bits(a) * bits(b));
    case Op::kMad:
      return Wrapped(type, bits(a) * bits(b) + bits(c));
    case Op::kDiv:
      return Wrapped(type, Quotient(a, b));
    case Op::kMin:
      return std::min(a, b);
    case Op::kMax:
      return std::max(a, b);
    case Op::kNeg:
      return Wrapped(type, -bits(a));
    case Op::kAbs:
      return a < 0 ? Wrapped(type, -bits(a)) : a;
    case Op::kLess:
      return a < b ? 1 : 0;
    case Op::kEqual:
      return a == b ? 1 : 0;
    case Op::kSelect:
      return a != 0 ? b : c;
    case Op::kAnd:
      return Wrapped(type, bits(a & b));
    case Op::kOr:
      return Wrapped(type, bits(a | b));
    case Op::kXor:
      return Wrapped(type, bits(a ^ b));
    case Op::kNot:
      if (type == Type::kBool) return a != 0 ? 0 : 1;
      return Wrapped(type, bits(~a));
    default:
      EXH_UNREACHABLE();
  }
}

double Evaluate(Op op, Type type, double a, double b, double c) {
  if (IsFloat(type)) return OfFloats(op, a, b, c);
  if (op == Op::kSelect) return a != 0 ? b : c;  // The condition has any type.
  const auto whole = [](double value) {
    constexpr double kBeyond = 0x1p63;
    const double rounded = Rounded(Type::kI64, value);
    return rounded >= kBeyond ? std::numeric_limits<std::int64_t>::max()
                              : static_cast<std::int64_t>(rounded);
  };
  return static_cast<double>(EvaluateWhole(op, type, whole(a), whole(b), whole(c)));
}

double IdentityOf(Op op, Type type) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const TypeInfo& info = InfoOf(type);
  switch (op) {
    case Op::kMul:
      return 1;
    case Op::kMin:
      return info.is_float ? kInfinity : info.largest;
    case Op::kMax:
      return info.is_float ? -kInfinity : info.lowest;
    default:
      return 0;
  }
}

Type ResultType(Op op, Type operands) {
  if (InfoOf(op).compares()) return Type::kBool;
  if (op == Op::kConst) return operands;
  const bool keeps_bool =
      op == Op::kMin || op == Op::kMax || op == Op::kSelect || InfoOf(op).takes == Takes::kIntegers;
  if (operands == Type::kBool && keeps_bool) return operands;
  return ComputeTypeOf(operands);
}

}  // namespace exh::kernels::ir

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
    {Op::kErf, "kErf", "erf", 1, false, true, false, false, Takes::kFloats},
    {Op::kPow, "kPow", "pow", 2, false, true, false, false, Takes::kFloats},
    {Op::kLess, "kLess", "less", 2, false, false, true, false},
    {Op::kEqual, "kEqual", "equal", 2, false, false, true, false},
    {Op::kSelect, "kSelect", "select", 3, false, true, true, false},
    {Op::kAnd, "kAnd", "and", 2, false, false, true, false, Takes::kIntegers},
    {Op::kOr, "kOr", "or", 2, false, false, true, false, Takes::kIntegers},
    {Op::kXor, "kXor", "xor", 2, false, false, true, false, Takes::kIntegers},
    {Op::kNot, "kNot", "not", 1, false, false, true, false, Takes::kIntegers},
    {Op::kIndex, "kIndex", "index", 0, false, false, true, true},
    {Op::kGather, "kGather", "gather", 1, false, false, true, true},
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
    case Op::kErf:
      return std::erf(a);
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

}  // namespace

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

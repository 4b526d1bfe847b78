// SPDX-License-Identifier: MIT
//
// The operators as one table. A new one costs its value of Op, a row here, its text for the
// printers (text/op_functions.h, text/op_text.h), and its rules for errors
// (kernels/derived).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/check.h"
#include "kernels/ir/function.h"

namespace exh::kernels::ir {

/// What an operator's operands are.
enum class Takes : std::uint8_t {
  kAny,
  kFloats,    ///< Functions like exp.
  kIntegers,  ///< And bools: what works on bits.
};

struct OpInfo {
  Op op = Op::kConst;
  std::string_view name;  ///< "kAdd", for messages.
  std::string_view word;  ///< In kernels as text, and in the names of instructions: "add".
  int operands = 0;       ///< Of Builder::Compute(); 0: an access to memory.
  bool may_reduce = false;
  bool is_function = false;  ///< Kernels as text call it: sqrt(x). Others have signs.
  bool keeps_whole = true;   ///< Of whole numbers its value is one.
  /// It errs by roundings that differ from element to element, or not at all. What functions are
  /// off is the same over and over where there are few different inputs.
  bool errs_at_random = true;
  Takes takes = Takes::kAny;

  bool compares() const { return op == Op::kLess || op == Op::kEqual; }
};

const OpInfo& InfoOf(Op op);

/// All of them, in the order of Op.
std::span<const OpInfo> AllOps();

/// An operator with operands and this word; nothing when there is none.
std::optional<Op> OpOfWord(std::string_view word);

/// The operator's value in double precision, of operands in `type`, in which it is evaluated: a
/// quotient of integers has no fraction, and integers that leave their range wrap around. `c` and
/// `b` are not looked at where it has fewer operands. Only for those with operands. What an i64 is
/// beyond 2^53, a double has no place for.
double Evaluate(Op op, Type type, double a, double b, double c);

/// The lower bits of `value` that the type has, as a number of it.
inline std::int64_t Wrapped(Type type, std::uint64_t value) {
  switch (type) {
    case Type::kI64:
      return static_cast<std::int64_t>(value);
    case Type::kU32:
      return static_cast<std::uint32_t>(value);
    case Type::kBool:
      return value != 0 ? 1 : 0;
    default:  // In what it is computed in.
      return static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
  }
}

/// Without a fraction. By 0 it is a fault in C: nobody may ask for it.
inline std::uint64_t WholeQuotient(std::int64_t a, std::int64_t b) {
  if (b == 0) return 0;
  // The lowest number by -1 is a fault, too.
  return b == -1 ? -static_cast<std::uint64_t>(a) : static_cast<std::uint64_t>(a / b);
}

/// Evaluate() of integers and bools, exactly. Operands are numbers of the type. Inline: of an
/// operator that is known it is no more than that.
inline std::int64_t EvaluateWhole(Op op, Type type, std::int64_t a, std::int64_t b,
                                  std::int64_t c) {
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
      return Wrapped(type, WholeQuotient(a, b));
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

/// What makes one value of two partial results of a reduction: kAdd for kMad, else the operator.
constexpr Op CombinedBy(Op op) {
  return op == Op::kMad ? Op::kAdd : op;
}

/// Is the value of a reduction in this type the same, bit by bit, in whatever order its steps are
/// taken? Sums and products of floats are rounded otherwise.
inline bool IsExact(Op op, Type type) {
  const Op combined = CombinedBy(op);
  return !IsFloat(type) || combined == Op::kMin || combined == Op::kMax;
}

/// What an operator begins with when it reduces nothing: 0 of a sum, the lowest value of a maximum.
double IdentityOf(Op op, Type type);

/// The type that the operator's value has, of operands of a common type: arithmetic on halves is in
/// f32, on i8 and bool in i32; comparisons yield bool, and so do kMin, kMax and what works on bits,
/// of bools.
Type ResultType(Op op, Type operands);

}  // namespace exh::kernels::ir

// SPDX-License-Identifier: MIT
//
// The operators as one table. A new one costs its value of Op, a row here, its text for the
// printers (op_functions.h, kernels/codegen/print/op_text.h), and its rules for errors
// (kernels/derived).
#pragma once

#include <optional>
#include <span>
#include <string_view>

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

/// The same of integers and bools, exactly. Operands are numbers of the type.
std::int64_t EvaluateWhole(Op op, Type type, std::int64_t a, std::int64_t b, std::int64_t c);

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

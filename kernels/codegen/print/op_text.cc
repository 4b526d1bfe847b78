// SPDX-License-Identifier: MIT
#include "kernels/codegen/print/op_text.h"

#include <algorithm>

#include "base/check.h"
#include "kernels/ir/ops.h"
#include "kernels/ir/text/math_text.h"
#include "kernels/ir/text/op_functions.h"

namespace exh::kernels::codegen {
namespace {

using ir::Op;
using ir::Type;

/// The integer whose vectors are the masks of vectors of the type.
Type MaskType(Type type) {
  return ir::BytesOf(ir::ComputeTypeOf(type)) == ir::BytesOf(Type::kI32) ? Type::kI32 : Type::kI64;
}

std::string ConvertVector(const std::string& text, Type to, std::uint32_t lanes) {
  return "__builtin_convertvector(" + text + ", " + VectorName(to, lanes) + ")";
}

/// A comparison of vectors of the type, whose lanes are 0 or -1, as i32 lanes of 0 or 1.
std::string ZeroOrOne(const std::string& comparison, Type type, std::uint32_t lanes) {
  const bool is_wide = MaskType(type) != Type::kI32;
  return (is_wide ? ConvertVector(comparison, Type::kI32, lanes) : "(" + comparison + ")") + " & 1";
}

}  // namespace

bool IsFunction(Op op, Type computes) {
  return !ir::MathFunction(op, computes).empty();
}

std::string VectorSuffix(Type type) {
  return type == Type::kF32 ? "" : "_" + std::string(ir::WordOf(type));
}

std::string VectorName(Type type, std::uint32_t lanes) {
  return "vec" + std::to_string(lanes) + VectorSuffix(type);
}

std::string AsVector(const ValueText& value, Type type, std::uint32_t lanes) {
  if (value.is_vector) return value.text;
  return "splat" + std::to_string(lanes) + VectorSuffix(type) + "(" + value.text + ")";
}

ValueText Convert(const ValueText& value, Type from, Type to, std::uint32_t lanes,
                  ir::HelperFunctions& in) {
  if (from == to) return value;
  if (!value.is_vector) {
    if (to == Type::kBool) return {"(" + value.text + " != 0 ? 1 : 0)"};
    return {ir::FromElementText(ir::ToElementText(value.text, from, to, in), to, in)};
  }
  if (to == Type::kBool) return {"(" + ZeroOrOne(value.text + " != 0", from, lanes) + ")", true};
  const Type before = ir::ComputeTypeOf(from), compute = ir::ComputeTypeOf(to);
  std::string text = value.text;
  if (before != compute) text = ConvertVector(text, compute, lanes);
  if (ir::InfoOf(to).is_narrow()) {
    const std::string name = std::to_string(lanes) + VectorSuffix(to);
    text = "widen" + name + "(narrow" + name + "(" + text + "))";
  }
  return {text, true};
}

ValueText ConditionText(const ValueText& condition, Type from, Type computes, std::uint32_t lanes) {
  if (!condition.is_vector || MaskType(from) == MaskType(computes)) return condition;
  const std::string text = ir::IsFloat(from) ? condition.text + " != 0" : condition.text;
  return {ConvertVector(text, MaskType(computes), lanes), true};
}

ValueText OpText(Op op, Type computes, const std::vector<ValueText>& in, std::uint32_t lanes,
                 ir::HelperFunctions& called) {
  const bool is_vector = std::ranges::any_of(in, &ValueText::is_vector);
  // Signs take scalars beside vectors; functions and both arms of ?: do not. A condition that is a
  // scalar chooses between vectors.
  const bool is_function = IsFunction(op, computes) || !ir::OpFunction(op, computes).empty();
  const bool are_alike = is_vector && (is_function || ir::InfoOf(op).compares() || op == Op::kMin ||
                                       op == Op::kMax || op == Op::kSelect);
  std::vector<ir::Piece> operands;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const bool is_condition = op == Op::kSelect && i == 0;
    texts.push_back(are_alike && !is_condition ? AsVector(in[i], ir::ComputeTypeOf(computes), lanes)
                                               : in[i].text);
    operands.push_back({texts.back()});
  }
  if (is_vector && IsFunction(op, computes)) return {ir::VectorMathCall(op, computes, texts), true};
  if (is_vector && ir::InfoOf(op).compares()) {
    const std::string sign = op == Op::kLess ? " < " : " == ";
    return {ZeroOrOne(texts[0] + sign + texts[1], computes, lanes), true};
  }
  return {ir::OpText(op, operands, called, computes).text, is_vector};
}

}  // namespace exh::kernels::codegen

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

/// " + " of a + b; empty: it is written otherwise.
std::string_view Sign(Op op) {
  switch (op) {
    case Op::kAdd:
      return " + ";
    case Op::kSub:
      return " - ";
    case Op::kMul:
      return " * ";
    case Op::kDiv:
      return " / ";
    case Op::kAnd:
      return " & ";
    case Op::kOr:
      return " | ";
    case Op::kXor:
      return " ^ ";
    default:
      return {};
  }
}

/// What both languages write alike, of scalars and of vectors; empty for the rest.
std::string CommonText(Op op, Type computes, const std::vector<std::string>& in) {
  if (!Sign(op).empty()) return in[0] + std::string(Sign(op)) + in[1];
  switch (op) {
    case Op::kConst:
      return in[0];
    case Op::kNeg:
      return "-" + in[0];
    case Op::kNot:
      return computes == Type::kBool ? "1 - " + in[0] : "~" + in[0];
    case Op::kAbs:  // Of integers without a sign: others are functions.
      return in[0];
    default:
      return {};
  }
}

/// Compilers of C++ make one instruction of a product and a sum by themselves, of vectors, too.
std::string MadText(Type computes, const std::vector<std::string>& in, Dialect dialect) {
  if (dialect == Dialect::kCpp || !ir::IsFloat(computes)) {
    return in[0] + " * " + in[1] + " + " + in[2];
  }
  const std::string suffix = ir::ComputeTypeOf(computes) == Type::kF64 ? "" : "f";
  return "fma" + suffix + "(" + in[0] + ", " + in[1] + ", " + in[2] + ")";
}

/// A function of the mathematical library, of scalars.
std::string MathCall(Op op, Type computes, const std::vector<std::string>& in, Dialect dialect) {
  const bool is_cpp = dialect == Dialect::kCpp;
  const bool is_root = is_cpp && op == Op::kRsqrt;
  const std::string one = is_root ? NumberText(1, computes, dialect) + " / " : "";
  const std::string name = ir::MathName(is_root ? Op::kSqrt : op, computes);
  const std::string second = op == Op::kPow ? ", " + in[1] : "";
  return one + (is_cpp ? "__builtin_" : "") + name + "(" + in[0] + second + ")";
}

/// `condition ? a : b`: what comparisons, kSelect, and kMin and kMax of integers are.
std::string Choice(Op op, const std::vector<std::string>& in) {
  switch (op) {
    case Op::kMin:
      return in[0] + " < " + in[1] + " ? " + in[0] + " : " + in[1];
    case Op::kMax:
      return in[0] + " > " + in[1] + " ? " + in[0] + " : " + in[1];
    case Op::kLess:
      return in[0] + " < " + in[1] + " ? 1 : 0";
    case Op::kEqual:
      return in[0] + " == " + in[1] + " ? 1 : 0";
    default:
      EXH_CHECK(op == Op::kSelect);
      return in[0] + " != 0 ? " + in[1] + " : " + in[2];
  }
}

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

std::string CastText(const std::string& text, Type from, Type to, Dialect in) {
  return from == to ? text : ir::CastTo(RegisterName(to), text, in);
}

std::string FromElementText(const std::string& element, Type type, Dialect in) {
  if (!ir::InfoOf(type).is_narrow()) return element;
  if (!ir::IsFloat(type)) return ir::CastTo(RegisterName(ir::ComputeTypeOf(type)), element, in);
  return "exh_from_" + std::string(ir::WordOf(type)) + "(" + element + ")";
}

std::string ToElementText(const std::string& text, Type from, Type to, Dialect in) {
  if (to == Type::kBool) {
    return ir::CastTo(ElementName(to), from == to ? text : text + " != 0", in);
  }
  const std::string wide = CastText(text, ir::ComputeTypeOf(from), ir::ComputeTypeOf(to), in);
  if (!ir::InfoOf(to).is_narrow()) return wide;
  if (!ir::IsFloat(to)) return ir::CastTo(ElementName(to), wide, in);
  return "exh_to_" + std::string(ir::WordOf(to)) + "(" + wide + ")";
}

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

ValueText Convert(const ValueText& value, Type from, Type to, std::uint32_t lanes, Dialect in) {
  if (from == to) return value;
  if (!value.is_vector) {
    if (to == Type::kBool) return {"(" + value.text + " != 0 ? 1 : 0)"};
    return {FromElementText(ToElementText(value.text, from, to, in), to, in)};
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
                 Dialect dialect) {
  const bool any_vector = std::ranges::any_of(in, &ValueText::is_vector);
  std::vector<std::string> texts, alike;  // `alike`: all vectors, where one is.
  for (const ValueText& one : in) {
    texts.push_back(one.text);
    alike.push_back(any_vector ? AsVector(one, ir::ComputeTypeOf(computes), lanes) : one.text);
  }
  if (IsFunction(op, computes)) {
    if (any_vector) return {ir::VectorMathCall(op, computes, alike), true};
    return {MathCall(op, computes, texts, dialect)};
  }
  if (!ir::OpFunction(op, computes).empty()) {
    return {ir::OpCall(op, computes, alike), any_vector};
  }
  if (op == Op::kMad) return {MadText(computes, texts, dialect), any_vector};
  const std::string text = CommonText(op, computes, texts);
  if (!text.empty()) return {text, any_vector};
  if (any_vector && ir::InfoOf(op).compares()) {
    const std::string sign = op == Op::kLess ? " < " : " == ";
    return {ZeroOrOne(alike[0] + sign + alike[1], computes, lanes), true};
  }
  // Both arms of ?: must have one type. A condition that is a scalar chooses between vectors.
  if (op == Op::kSelect) alike[0] = texts[0];
  return {Choice(op, alike), any_vector};
}

}  // namespace exh::kernels::codegen

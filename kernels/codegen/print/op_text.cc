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

std::string Static(std::string_view type, const std::string& text) {
  return "static_cast<" + std::string(type) + ">(" + text + ")";
}

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

std::string ProductAndSum(const std::vector<std::string>& in) {
  return in[0] + " * " + in[1] + " + " + in[2];
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

std::string CastText(const std::string& text, Type from, Type to) {
  return from == to ? text : Static(RegisterName(to), text);
}

std::string FromElementText(const std::string& element, Type type) {
  if (!ir::InfoOf(type).is_narrow()) return element;
  if (!ir::IsFloat(type)) return Static(RegisterName(ir::ComputeTypeOf(type)), element);
  return "exh_from_" + std::string(ir::WordOf(type)) + "(" + element + ")";
}

std::string ToElementText(const std::string& text, Type from, Type to) {
  if (to == Type::kBool) return Static(ElementName(to), from == to ? text : text + " != 0");
  const std::string wide = CastText(text, ir::ComputeTypeOf(from), ir::ComputeTypeOf(to));
  if (!ir::InfoOf(to).is_narrow()) return wide;
  if (!ir::IsFloat(to)) return Static(ElementName(to), wide);
  return "exh_to_" + std::string(ir::WordOf(to)) + "(" + wide + ")";
}

std::string ConvertText(const std::string& text, Type from, Type to) {
  if (from == to) return text;
  if (to == Type::kBool) return "(" + text + " != 0 ? 1 : 0)";
  return FromElementText(ToElementText(text, from, to), to);
}

bool IsFunction(Op op, Type computes) {
  return !ir::MathFunction(op, computes).empty();
}

std::string CudaOpText(Op op, Type computes, const std::vector<std::string>& in) {
  if (IsFunction(op, computes)) {
    const std::string second = op == Op::kPow ? ", " + in[1] : "";
    return ir::MathName(op, computes) + "(" + in[0] + second + ")";
  }
  if (!ir::OpFunction(op, computes).empty()) return ir::OpCall(op, computes, in);
  if (op == Op::kMad) {
    if (!ir::IsFloat(computes)) return ProductAndSum(in);
    const std::string suffix = ir::ComputeTypeOf(computes) == Type::kF64 ? "" : "f";
    return "fma" + suffix + "(" + in[0] + ", " + in[1] + ", " + in[2] + ")";
  }
  const std::string text = CommonText(op, computes, in);
  return text.empty() ? Choice(op, in) : text;
}

std::string VectorSuffix(Type type) {
  return type == Type::kF32 ? "" : "_" + std::string(ir::WordOf(type));
}

std::string VectorName(Type type, std::uint32_t lanes) {
  return "vec" + std::to_string(lanes) + VectorSuffix(type);
}

std::string AsVector(const CpuOperand& operand, Type type, std::uint32_t lanes) {
  if (operand.is_vector) return operand.text;
  return "splat" + std::to_string(lanes) + VectorSuffix(type) + "(" + operand.text + ")";
}

CpuOperand CpuConvert(const CpuOperand& operand, Type from, Type to, std::uint32_t lanes) {
  if (from == to) return operand;
  if (!operand.is_vector) return {ConvertText(operand.text, from, to), false};
  if (to == Type::kBool) return {"(" + ZeroOrOne(operand.text + " != 0", from, lanes) + ")", true};
  const Type before = ir::ComputeTypeOf(from), compute = ir::ComputeTypeOf(to);
  std::string text = operand.text;
  if (before != compute) text = ConvertVector(text, compute, lanes);
  if (ir::InfoOf(to).is_narrow()) {
    const std::string name = std::to_string(lanes) + VectorSuffix(to);
    text = "widen" + name + "(narrow" + name + "(" + text + "))";
  }
  return {text, true};
}

CpuOperand CpuCondition(const CpuOperand& operand, Type from, Type computes, std::uint32_t lanes) {
  if (!operand.is_vector || MaskType(from) == MaskType(computes)) return operand;
  const std::string text = ir::IsFloat(from) ? operand.text + " != 0" : operand.text;
  return {ConvertVector(text, MaskType(computes), lanes), true};
}

CpuOperand CpuOpText(Op op, Type computes, const std::vector<CpuOperand>& in, std::uint32_t lanes) {
  const bool any_vector = std::ranges::any_of(in, &CpuOperand::is_vector);
  std::vector<std::string> texts;
  for (const CpuOperand& operand : in) texts.push_back(operand.text);
  if (IsFunction(op, computes)) {
    if (any_vector) {
      for (std::size_t i = 0; i < in.size(); ++i) {
        texts[i] = AsVector(in[i], ir::ComputeTypeOf(computes), lanes);
      }
      return {ir::VectorMathCall(op, computes, texts), true};
    }
    if (op == Op::kRsqrt) {
      return {NumberText(1, computes, Language::kCpp) + " / __builtin_" +
                  ir::MathName(Op::kSqrt, computes) + "(" + texts[0] + ")",
              false};
    }
    const std::string second = op == Op::kPow ? ", " + texts[1] : "";
    return {"__builtin_" + ir::MathName(op, computes) + "(" + texts[0] + second + ")", false};
  }
  if (!ir::OpFunction(op, computes).empty()) {
    for (std::size_t i = 0; any_vector && i < in.size(); ++i) {
      texts[i] = AsVector(in[i], ir::ComputeTypeOf(computes), lanes);
    }
    return {ir::OpCall(op, computes, texts), any_vector};
  }
  if (op == Op::kMad) return {ProductAndSum(texts), any_vector};
  std::string text = CommonText(op, computes, texts);
  if (!text.empty()) return {text, any_vector};
  if (!any_vector) return {Choice(op, texts), false};
  // Both arms of ?: must have one type. A condition that is a scalar chooses between vectors.
  for (std::size_t i = op == Op::kSelect ? 1 : 0; i < in.size(); ++i) {
    texts[i] = AsVector(in[i], ir::ComputeTypeOf(computes), lanes);
  }
  if (!ir::InfoOf(op).compares()) return {Choice(op, texts), true};
  const std::string sign = op == Op::kLess ? " < " : " == ";
  return {ZeroOrOne(texts[0] + sign + texts[1], computes, lanes), true};
}

}  // namespace exh::kernels::codegen

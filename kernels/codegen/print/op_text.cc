// SPDX-License-Identifier: MIT
#include "kernels/codegen/print/op_text.h"

#include <algorithm>
#include <string_view>

#include "base/check.h"

namespace exh::kernels::codegen {
namespace {

using ir::Op;

/// Name of the function in C and CUDA, without its f; empty: it is no function.
std::string_view FunctionName(Op op) {
  switch (op) {
    case Op::kAbs:
      return "fabs";
    case Op::kSqrt:
      return "sqrt";
    case Op::kRsqrt:
      return "rsqrt";
    case Op::kExp:
      return "exp";
    case Op::kLog:
      return "log";
    case Op::kTanh:
      return "tanh";
    default:
      return {};
  }
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
    default:
      return {};
  }
}

/// `condition ? a : b`: what kMin, kMax, comparisons and kSelect are. Not fmaxf, which would hide a
/// NaN.
std::string Choice(Op op, const std::vector<std::string>& in, const std::string& one,
                   const std::string& zero) {
  switch (op) {
    case Op::kMin:
      return in[0] + " < " + in[1] + " ? " + in[0] + " : " + in[1];
    case Op::kMax:
      return in[0] + " > " + in[1] + " ? " + in[0] + " : " + in[1];
    case Op::kLess:
      return in[0] + " < " + in[1] + " ? " + one + " : " + zero;
    case Op::kEqual:
      return in[0] + " == " + in[1] + " ? " + one + " : " + zero;
    case Op::kSelect:
      return in[0] + " != " + zero + " ? " + in[1] + " : " + in[2];
    default:
      EXH_CHECK(op == Op::kSelect);
      return "";
  }
}

}  // namespace

bool IsFunction(Op op) {
  return !FunctionName(op).empty();
}

std::string CudaOpText(Op op, const std::vector<std::string>& in) {
  if (IsFunction(op)) return std::string(FunctionName(op)) + "f(" + in[0] + ")";
  if (!Sign(op).empty()) return in[0] + std::string(Sign(op)) + in[1];
  if (op == Op::kConst) return in[0];
  if (op == Op::kNeg) return "-" + in[0];
  if (op == Op::kMad) return "fmaf(" + in[0] + ", " + in[1] + ", " + in[2] + ")";
  return Choice(op, in, "1.0f", "0.0f");
}

std::string AsVector(const CpuOperand& operand, std::uint32_t lanes) {
  if (operand.is_vector) return operand.text;
  return "splat" + std::to_string(lanes) + "(" + operand.text + ")";
}

CpuOperand CpuOpText(Op op, const std::vector<CpuOperand>& in, std::uint32_t lanes) {
  const bool any_vector = std::ranges::any_of(in, &CpuOperand::is_vector);
  if (op == Op::kConst) return in[0];
  if (op == Op::kNeg) return {"-" + in[0].text, any_vector};
  if (!Sign(op).empty()) return {in[0].text + std::string(Sign(op)) + in[1].text, any_vector};
  if (op == Op::kMad) return {in[0].text + " * " + in[1].text + " + " + in[2].text, any_vector};
  if (IsFunction(op)) {
    const std::string name(FunctionName(op));
    const auto call = [&](const std::string& x) {
      return op == Op::kRsqrt ? "1.0f / __builtin_sqrtf(" + x + ")"
                              : "__builtin_" + name + "f(" + x + ")";
    };
    if (!any_vector) return {call(in[0].text), false};
    return {"each(" + in[0].text + ", [](float x) { return " + call("x") + "; })", true};
  }
  // Both arms of ?: must have one type.
  std::vector<std::string> texts;
  for (const CpuOperand& operand : in) {
    texts.push_back(any_vector ? AsVector(operand, lanes) : operand.text);
  }
  const auto literal = [&](const char* text) {
    return any_vector ? AsVector({text, false}, lanes) : std::string(text);
  };
  return {Choice(op, texts, literal("1.0f"), literal("0.0f")), any_vector};
}

}  // namespace exh::kernels::codegen

// SPDX-License-Identifier: MIT
#include "kernels/derived/sources/op_text.h"

#include <charconv>
#include <cmath>

#include "base/check.h"

namespace exh::kernels::derived {

using Binding = Piece::Binding;

std::string Within(const Piece& piece, Binding binding) {
  return piece.binding < binding ? "(" + piece.text + ")" : piece.text;
}

std::string NumberText(double value, Dialect dialect) {
  const bool is_float = dialect != Dialect::kDouble;
  if (std::isnan(value)) return is_float ? "__builtin_nanf(\"\")" : "__builtin_nan(\"\")";
  if (std::isinf(value)) {
    const std::string infinity = is_float ? "__builtin_inff()" : "__builtin_inf()";
    return value > 0 ? infinity : "(-" + infinity + ")";
  }
  char digits[64];
  char* const last = digits + sizeof digits;
  const char* const end = is_float ? std::to_chars(digits, last, static_cast<float>(value)).ptr
                                   : std::to_chars(digits, last, value).ptr;
  std::string text(static_cast<const char*>(digits), end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  if (is_float) text += "f";
  return std::signbit(value) ? "(" + text + ")" : text;
}

Piece OpText(ir::Op op, const std::vector<Piece>& operands, Dialect dialect) {
  const auto operand = [&](std::size_t i, Binding binding) { return Within(operands[i], binding); };
  const auto infix = [&](const char* symbol, Binding binding) -> Piece {
    const Binding tighter = binding == Binding::kSum ? Binding::kProduct : Binding::kAtom;
    return {operand(0, binding) + symbol + operand(1, tighter), binding};
  };
  const auto choice = [](const std::string& condition, const std::string& yes,
                         const std::string& no) -> Piece {
    return {condition + " ? " + yes + " : " + no, Binding::kChoice};
  };
  const auto compare = [&](const char* symbol) { return infix(symbol, Binding::kSum).text; };
  const auto call = [&](const std::string& name) -> Piece {
    const std::string argument = "(" + operands[0].text + ")";
    if (dialect == Dialect::kDouble) return {"std::" + name + argument};
    return {(dialect == Dialect::kCpp ? "__builtin_" : "") + name + "f" + argument};
  };
  const std::string one = NumberText(1, dialect), zero = NumberText(0, dialect);
  switch (op) {
    case ir::Op::kConst:
      return operands[0];
    case ir::Op::kAdd:
      return infix(" + ", Binding::kSum);
    case ir::Op::kSub:
      return infix(" - ", Binding::kSum);
    case ir::Op::kMul:
      return infix(" * ", Binding::kProduct);
    case ir::Op::kDiv:
      return infix(" / ", Binding::kProduct);
    case ir::Op::kMad:
      return {infix(" * ", Binding::kProduct).text + " + " + operand(2, Binding::kProduct),
              Binding::kSum};
    // Not fminf and fmaxf, which would hide a NaN.
    case ir::Op::kMin:
    case ir::Op::kMax:
      return choice(compare(op == ir::Op::kMin ? " < " : " > "), operand(0, Binding::kSum),
                    operand(1, Binding::kSum));
    case ir::Op::kNeg:
      return {"-" + operand(0, Binding::kAtom), Binding::kProduct};
    case ir::Op::kAbs:
      return call("fabs");
    case ir::Op::kSqrt:
      return call("sqrt");
    case ir::Op::kRsqrt:
      if (dialect == Dialect::kCuda) return {"rsqrtf(" + operands[0].text + ")"};
      return {one + " / " + call("sqrt").text, Binding::kProduct};
    case ir::Op::kExp:
      return call("exp");
    case ir::Op::kLog:
      return call("log");
    case ir::Op::kTanh:
      return call("tanh");
    case ir::Op::kLess:
      return choice(compare(" < "), one, zero);
    case ir::Op::kEqual:
      return choice(compare(" == "), one, zero);
    case ir::Op::kSelect:
      return choice(operand(0, Binding::kSum) + " != " + zero, operand(1, Binding::kSum),
                    operand(2, Binding::kSum));
    default:
      EXH_UNREACHABLE();
  }
}

std::string AccumulateText(ir::Op op, const std::string& sum, const std::vector<Piece>& operands,
                           Dialect dialect) {
  switch (op) {
    case ir::Op::kAdd:
      return sum + " += " + operands[0].text + ";";
    case ir::Op::kMul:
      return sum + " *= " + operands[0].text + ";";
    case ir::Op::kMad:
      return sum + " += " + OpText(ir::Op::kMul, operands, dialect).text + ";";
    default: {
      std::vector<Piece> all = operands;
      all.push_back({sum});
      return sum + " = " + OpText(op, all, dialect).text + ";";
    }
  }
}

bool RepeatsOperands(ir::Op op) {
  return op == ir::Op::kMin || op == ir::Op::kMax;
}

std::string IndexText(const std::vector<std::pair<std::string, std::int64_t>>& indices,
                      std::int64_t offset) {
  std::string place;
  const auto add = [&](bool is_negative, const std::string& term) {
    if (place.empty()) {
      place = is_negative ? "-" + term : term;
    } else {
      place += (is_negative ? " - " : " + ") + term;
    }
  };
  for (const auto& [index, stride] : indices) {
    const std::int64_t step = stride < 0 ? -stride : stride;
    if (step != 0) add(stride < 0, step == 1 ? index : index + " * " + std::to_string(step));
  }
  if (offset != 0) add(offset < 0, std::to_string(offset < 0 ? -offset : offset));
  return place.empty() ? "0" : place;
}

}  // namespace exh::kernels::derived

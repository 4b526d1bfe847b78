// SPDX-License-Identifier: MIT
#include "kernels/ir/text/op_text.h"

#include "base/check.h"
#include "kernels/ir/ops.h"
#include "kernels/ir/text/math_text.h"
#include "kernels/ir/text/op_functions.h"

namespace exh::kernels::ir {

using Binding = Piece::Binding;

namespace {

Piece BitsText(Op op, const std::vector<Piece>& operands, Dialect dialect, Type computes) {
  const bool is_double = dialect == Dialect::kDouble;
  const auto bits = [&](std::size_t i) {
    return is_double ? "std::int64_t(" + operands[i].text + ")"
                     : Within(operands[i], Binding::kAtom);
  };
  const auto value = [&](const std::string& text, Binding binding) -> Piece {
    return is_double ? Piece{"double(" + text + ")"} : Piece{text, binding};
  };
  if (op != Op::kNot) {
    const char* const symbol = op == Op::kAnd ? " & " : op == Op::kOr ? " | " : " ^ ";
    return value(bits(0) + symbol + bits(1), Binding::kChoice);
  }
  if (computes != Type::kBool) return value("~" + bits(0), Binding::kProduct);
  if (!is_double) return {"1 - " + bits(0), Binding::kSum};
  return {Within(operands[0], Binding::kSum) + " != 0 ? 0.0 : 1.0", Binding::kChoice};
}

/// Does the dialect's double need to become an integer, so that it wraps around?
bool WrapsInDouble(Op op, Dialect dialect, Type computes) {
  if (dialect != Dialect::kDouble || IsFloat(computes)) return false;
  return op == Op::kAdd || op == Op::kSub || op == Op::kMul || op == Op::kMad || op == Op::kNeg ||
         op == Op::kAbs;
}

/// In 64 bits, of which the type keeps the lower ones.
Piece WrappedText(Op op, const std::vector<Piece>& operands, Type computes) {
  const bool is_wide = ComputeTypeOf(computes) == Type::kI64;
  const auto whole = [&](std::size_t i) {
    const std::string text = "std::int64_t(" + operands[i].text + ")";
    return is_wide ? "std::uint64_t(" + text + ")" : text;
  };
  const std::string to = computes == Type::kU32 ? "std::uint32_t"
                         : is_wide              ? "std::int64_t"
                                                : "std::int32_t";
  std::string text;
  switch (op) {
    case Op::kAdd:
      text = whole(0) + " + " + whole(1);
      break;
    case Op::kSub:
      text = whole(0) + " - " + whole(1);
      break;
    case Op::kMul:
      text = whole(0) + " * " + whole(1);
      break;
    case Op::kMad:
      text = whole(0) + " * " + whole(1) + " + " + whole(2);
      break;
    case Op::kNeg:
      text = "-" + whole(0);
      break;
    default:
      text = "std::fabs(" + operands[0].text + ")";
      if (!is_wide) text = "std::int64_t(" + text + ")";
      break;
  }
  return {"double(" + to + "(" + text + "))"};
}

/// "exh_from_f16(x)" of "exh_from_".
std::string NotedCall(const char* prefix, Type type, const std::string& argument,
                      HelperFunctions& in) {
  const std::string name = prefix + std::string(WordOf(type));
  in.Note(name);
  return name + "(" + argument + ")";
}

}  // namespace

std::string CastText(const std::string& text, Type from, Type to, Dialect in) {
  return from == to ? text : CastTo(RegisterName(to, in), text, in);
}

std::string FromElementText(const std::string& element, Type type, HelperFunctions& in) {
  if (!InfoOf(type).is_narrow()) return element;
  if (!IsFloat(type)) return CastTo(RegisterName(type, in.dialect()), element, in.dialect());
  return NotedCall("exh_from_", type, element, in);
}

std::string ToElementText(const std::string& text, Type from, Type to, HelperFunctions& in) {
  const Dialect dialect = in.dialect();
  if (to == Type::kBool) {
    return CastTo(ElementName(to, dialect), from == to ? text : text + " != 0", dialect);
  }
  const std::string wide = CastText(text, ComputeTypeOf(from), ComputeTypeOf(to), dialect);
  if (!InfoOf(to).is_narrow()) return wide;
  if (!IsFloat(to)) return CastTo(ElementName(to, dialect), wide, dialect);
  return NotedCall("exh_to_", to, wide, in);
}

std::string Within(const Piece& piece, Binding binding) {
  return piece.binding < binding ? "(" + piece.text + ")" : piece.text;
}

Piece OpText(Op op, const std::vector<Piece>& operands, HelperFunctions& in, Type computes) {
  const Dialect dialect = in.dialect();
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
  const Type type = ComputeTypeOf(computes);
  const auto call = [&](const std::string& name, const std::string& more = "") -> Piece {
    const std::string argument = "(" + operands[0].text + (more.empty() ? "" : ", " + more) + ")";
    if (dialect == Dialect::kDouble) return {"std::" + name + argument};
    const bool is_typed = type == Type::kF32 && dialect != Dialect::kOpenCl;
    return {(dialect == Dialect::kCpp ? "__builtin_" : "") + name + (is_typed ? "f" : "") +
            argument};
  };
  if (dialect != Dialect::kDouble && !OpFunction(op, computes).empty()) {
    std::vector<std::string> arguments;
    for (const Piece& one : operands) arguments.push_back(one.text);
    return {OpCall(op, computes, arguments, in)};
  }
  if (WrapsInDouble(op, dialect, computes)) return WrappedText(op, operands, computes);
  const bool is_whole = !IsFloat(type);
  const bool is_gpu = dialect != Dialect::kCpp && dialect != Dialect::kDouble;
  // Of what a comparison yields.
  const std::string yes = NumberText(1, Type::kBool, dialect);
  const std::string no = NumberText(0, Type::kBool, dialect);
  switch (op) {
    case Op::kAdd:
      return infix(" + ", Binding::kSum);
    case Op::kSub:
      return infix(" - ", Binding::kSum);
    case Op::kMul:
      return infix(" * ", Binding::kProduct);
    case Op::kDiv: {
      const Piece quotient = infix(" / ", Binding::kProduct);
      const bool has_fraction = is_whole && dialect == Dialect::kDouble;
      return has_fraction ? Piece{"std::trunc(" + quotient.text + ")"} : quotient;
    }
    case Op::kMad:
      // Compilers of C++ make one instruction of a product and a sum by themselves.
      if (is_gpu && !is_whole) return call("fma", operands[1].text + ", " + operands[2].text);
      return {infix(" * ", Binding::kProduct).text + " + " + operand(2, Binding::kProduct),
              Binding::kSum};
    case Op::kMin:
    case Op::kMax: {
      std::string chooses = compare(op == Op::kMin ? " < " : " > ");
      if (!is_whole) {  // In doubles: a NaN wins.
        const std::string a = operand(0, Binding::kProduct);
        chooses += " || " + a + " != " + a;
      }
      return choice(chooses, operand(0, Binding::kSum), operand(1, Binding::kSum));
    }
    case Op::kNeg:
      return {"-" + operand(0, Binding::kAtom), Binding::kProduct};
    case Op::kAbs:
      if (!is_whole || dialect == Dialect::kDouble) return call("fabs");
      return operands[0];  // Of integers without a sign.
    case Op::kSqrt:
      return call("sqrt");
    case Op::kRsqrt:
      if (is_gpu) return call("rsqrt");
      return {NumberText(1, type, dialect) + " / " + call("sqrt").text, Binding::kProduct};
    case Op::kExp:
      return call("exp");
    case Op::kLog:
      return call("log");
    case Op::kTanh:
      return call("tanh");
    case Op::kErf:
      return call("erf");
    case Op::kPow:
      return call("pow", operands[1].text);
    case Op::kLess:
      return choice(compare(" < "), yes, no);
    case Op::kEqual:
      return choice(compare(" == "), yes, no);
    case Op::kSelect:
      return choice(operand(0, Binding::kSum) + " != 0", operand(1, Binding::kSum),
                    operand(2, Binding::kSum));
    case Op::kAnd:
    case Op::kOr:
    case Op::kXor:
    case Op::kNot:
      return BitsText(op, operands, dialect, computes);
    default:
      EXH_UNREACHABLE();
  }
}

std::string AccumulateText(Op op, const std::string& sum, const std::vector<Piece>& operands,
                           HelperFunctions& in, Type computes) {
  const Dialect dialect = in.dialect();
  const bool has_sign = dialect == Dialect::kDouble ? !WrapsInDouble(op, dialect, computes)
                                                    : OpFunction(op, computes).empty();
  switch (has_sign ? op : Op::kConst) {
    case Op::kAdd:
      return sum + " += " + operands[0].text + ";";
    case Op::kMul:
      return sum + " *= " + operands[0].text + ";";
    case Op::kMad:
      return sum + " += " + OpText(Op::kMul, operands, in, computes).text + ";";
    default: {
      std::vector<Piece> all = operands;
      all.push_back({sum});
      return sum + " = " + OpText(op, all, in, computes).text + ";";
    }
  }
}

}  // namespace exh::kernels::ir

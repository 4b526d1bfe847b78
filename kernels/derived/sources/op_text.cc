// SPDX-License-Identifier: MIT
#include "kernels/derived/sources/op_text.h"

#include "base/check.h"
#include "kernels/derived/expression.h"
#include "kernels/ir/text/op_functions.h"

namespace exh::kernels::derived {

using Binding = Piece::Binding;

namespace {

Piece BitsText(ir::Op op, const std::vector<Piece>& operands, Dialect dialect, ir::Type computes) {
  const auto bits = [&](std::size_t i) {
    return dialect == Dialect::kDouble ? "std::int64_t(" + operands[i].text + ")"
                                       : Within(operands[i], Binding::kAtom);
  };
  const auto value = [&](const std::string& text) -> Piece {
    return {(dialect == Dialect::kDouble ? "double(" : "(") + text + ")"};
  };
  if (op != ir::Op::kNot) {
    const char* const symbol = op == ir::Op::kAnd ? " & " : op == ir::Op::kOr ? " | " : " ^ ";
    return value(bits(0) + symbol + bits(1));
  }
  if (computes != ir::Type::kBool) return value("~" + bits(0));
  return {Within(operands[0], Binding::kSum) + " != 0 ? " + NumberText(0, dialect, computes) +
              " : " + NumberText(1, dialect, computes),
          Binding::kChoice};
}

/// Does the dialect's double need to become an integer, so that it wraps around?
bool WrapsInDouble(ir::Op op, Dialect dialect, ir::Type computes) {
  if (dialect != Dialect::kDouble || ir::IsFloat(computes)) return false;
  return op == ir::Op::kAdd || op == ir::Op::kSub || op == ir::Op::kMul || op == ir::Op::kMad ||
         op == ir::Op::kNeg || op == ir::Op::kAbs;
}

/// In 64 bits, of which the type keeps the lower ones.
Piece WrappedText(ir::Op op, const std::vector<Piece>& operands, ir::Type computes) {
  const bool is_wide = ir::ComputeTypeOf(computes) == ir::Type::kI64;
  const auto whole = [&](std::size_t i) {
    const std::string text = "std::int64_t(" + operands[i].text + ")";
    return is_wide ? "std::uint64_t(" + text + ")" : text;
  };
  const std::string to = computes == ir::Type::kU32 ? "std::uint32_t"
                         : is_wide                  ? "std::int64_t"
                                                    : "std::int32_t";
  std::string text;
  switch (op) {
    case ir::Op::kAdd:
      text = whole(0) + " + " + whole(1);
      break;
    case ir::Op::kSub:
      text = whole(0) + " - " + whole(1);
      break;
    case ir::Op::kMul:
      text = whole(0) + " * " + whole(1);
      break;
    case ir::Op::kMad:
      text = whole(0) + " * " + whole(1) + " + " + whole(2);
      break;
    case ir::Op::kNeg:
      text = "-" + whole(0);
      break;
    default:
      text = "std::fabs(" + operands[0].text + ")";
      if (!is_wide) text = "std::int64_t(" + text + ")";
      break;
  }
  return {"double(" + to + "(" + text + "))"};
}

}  // namespace

std::string Within(const Piece& piece, Binding binding) {
  return piece.binding < binding ? "(" + piece.text + ")" : piece.text;
}

std::string NumberText(const ir::Number& number, Dialect dialect, ir::Type type) {
  return ir::NumberText(number, dialect == Dialect::kDouble ? ir::Type::kF64 : type,
                        dialect == Dialect::kCuda ? ir::Language::kCuda : ir::Language::kCpp);
}

std::string NumberText(double value, Dialect dialect, ir::Type type) {
  return NumberText(ir::Number(value), dialect, type);
}

Piece OpText(ir::Op op, const std::vector<Piece>& operands, Dialect dialect, ir::Type computes) {
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
  const ir::Type type = ir::ComputeTypeOf(computes);
  const auto call = [&](const std::string& name) -> Piece {
    const std::string second = op == ir::Op::kPow ? ", " + operands[1].text : "";
    const std::string argument = "(" + operands[0].text + second + ")";
    if (dialect == Dialect::kDouble) return {"std::" + name + argument};
    const std::string of_type = type == ir::Type::kF32 ? "f" : "";
    return {(dialect == Dialect::kCpp ? "__builtin_" : "") + name + of_type + argument};
  };
  if (dialect != Dialect::kDouble && !ir::OpFunction(op, computes).empty()) {
    std::vector<std::string> arguments;
    for (const Piece& one : operands) arguments.push_back(one.text);
    return {ir::OpCall(op, computes, arguments)};
  }
  if (WrapsInDouble(op, dialect, computes)) return WrappedText(op, operands, computes);
  const bool is_whole = !ir::IsFloat(type);
  // Of what a comparison yields.
  const std::string yes = NumberText(1, dialect, ir::Type::kBool);
  const std::string no = NumberText(0, dialect, ir::Type::kBool);
  switch (op) {
    case ir::Op::kAdd:
      return infix(" + ", Binding::kSum);
    case ir::Op::kSub:
      return infix(" - ", Binding::kSum);
    case ir::Op::kMul:
      return infix(" * ", Binding::kProduct);
    case ir::Op::kDiv: {
      const Piece quotient = infix(" / ", Binding::kProduct);
      const bool has_fraction = is_whole && dialect == Dialect::kDouble;
      return has_fraction ? Piece{"std::trunc(" + quotient.text + ")"} : quotient;
    }
    case ir::Op::kMad:
      return {infix(" * ", Binding::kProduct).text + " + " + operand(2, Binding::kProduct),
              Binding::kSum};
    case ir::Op::kMin:
    case ir::Op::kMax: {
      std::string chooses = compare(op == ir::Op::kMin ? " < " : " > ");
      if (!is_whole) {  // In doubles: a NaN wins.
        const std::string a = operand(0, Binding::kProduct);
        chooses += " || " + a + " != " + a;
      }
      return choice(chooses, operand(0, Binding::kSum), operand(1, Binding::kSum));
    }
    case ir::Op::kNeg:
      return {"-" + operand(0, Binding::kAtom), Binding::kProduct};
    case ir::Op::kAbs:
      if (!is_whole || dialect == Dialect::kDouble) return call("fabs");
      return operands[0];  // Of integers without a sign.
    case ir::Op::kSqrt:
      return call("sqrt");
    case ir::Op::kRsqrt:
      if (dialect == Dialect::kCuda) return call("rsqrt");
      return {NumberText(1, dialect, type) + " / " + call("sqrt").text, Binding::kProduct};
    case ir::Op::kExp:
      return call("exp");
    case ir::Op::kLog:
      return call("log");
    case ir::Op::kTanh:
      return call("tanh");
    case ir::Op::kPow:
      return call("pow");
    case ir::Op::kLess:
      return choice(compare(" < "), yes, no);
    case ir::Op::kEqual:
      return choice(compare(" == "), yes, no);
    case ir::Op::kSelect:
      return choice(operand(0, Binding::kSum) + " != 0", operand(1, Binding::kSum),
                    operand(2, Binding::kSum));
    case ir::Op::kAnd:
    case ir::Op::kOr:
    case ir::Op::kXor:
    case ir::Op::kNot:
      return BitsText(op, operands, dialect, computes);
    default:
      EXH_UNREACHABLE();
  }
}

std::string AccumulateText(ir::Op op, const std::string& sum, const std::vector<Piece>& operands,
                           Dialect dialect, ir::Type computes) {
  const bool has_sign = dialect == Dialect::kDouble ? !WrapsInDouble(op, dialect, computes)
                                                    : ir::OpFunction(op, computes).empty();
  switch (has_sign ? op : ir::Op::kConst) {
    case ir::Op::kAdd:
      return sum + " += " + operands[0].text + ";";
    case ir::Op::kMul:
      return sum + " *= " + operands[0].text + ";";
    case ir::Op::kMad:
      return sum + " += " + OpText(ir::Op::kMul, operands, dialect, computes).text + ";";
    default: {
      std::vector<Piece> all = operands;
      all.push_back({sum});
      return sum + " = " + OpText(op, all, dialect, computes).text + ";";
    }
  }
}

bool RepeatsOperands(ir::Op op) {
  return op == ir::Op::kMin || op == ir::Op::kMax;
}

// ---- types ----

namespace {

Piece Cast(std::string_view name, const std::string& text) {
  return {"static_cast<" + std::string(name) + ">(" + text + ")"};
}

std::string HalfCall(const char* name, ir::Type half, const std::string& argument) {
  return name + std::string(ir::WordOf(half)) + "(" + argument + ")";
}

constexpr const char* kFromHalf = "exh_from_";
constexpr const char* kToHalf = "exh_to_";

}  // namespace

Piece CastText(const Piece& value, ir::Type from, ir::Type to) {
  if (ir::ComputeTypeOf(from) == ir::ComputeTypeOf(to)) return value;
  return Cast(RegisterName(to), value.text);
}

std::string LoadText(const std::string& element, ir::Type type) {
  return ir::IsHalf(type) ? HalfCall(kFromHalf, type, element) : element;
}

std::string StoreText(const Piece& value, ir::Type from, ir::Type to) {
  if (to == ir::Type::kBool && from != to) {
    return Cast(ElementName(to), Within(value, Binding::kSum) + " != 0").text;
  }
  const Piece computed = CastText(value, from, to);
  if (ir::IsHalf(to)) return HalfCall(kToHalf, to, computed.text);
  return ir::InfoOf(to).is_narrow() ? Cast(ElementName(to), computed.text).text : computed.text;
}

Piece RoundText(const Piece& value, ir::Type from, ir::Type to) {
  if (KeepsAll(from, to) || !ir::InfoOf(to).is_narrow()) return CastText(value, from, to);
  if (ir::IsHalf(to)) return {HalfCall(kFromHalf, to, StoreText(value, from, to))};
  return Cast(RegisterName(to), StoreText(value, from, to));
}

Piece WholeText(const Piece& value, ir::Type to) {
  if (to == ir::Type::kBool) {
    return {Within(value, Binding::kSum) + " != 0 ? 1.0 : 0.0", Binding::kChoice};
  }
  const ir::TypeInfo& info = ir::InfoOf(to);
  const std::string name = std::string("std::") + (info.is_signed ? "int" : "uint") +
                           std::to_string(8 * info.bytes) + "_t";
  const std::string whole = "std::int64_t(" + value.text + ")";
  return {"double(" + (to == ir::Type::kI64 ? whole : name + "(" + whole + ")") + ")"};
}

// ---- accesses ----

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

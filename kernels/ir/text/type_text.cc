// SPDX-License-Identifier: MIT
#include "kernels/ir/text/type_text.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

namespace exh::kernels::ir {
namespace {

/// What literals of floats, and names of functions of them, end in.
const char* Suffix(Type type) {
  return type == Type::kF64 ? "" : "f";
}

template <typename Float>
std::string FloatDigits(Float value) {
  char digits[64];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  std::string text(digits, end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string FiniteText(double value, Type type) {
  const std::string text = type == Type::kF64
                               ? FloatDigits(value)
                               : FloatDigits(static_cast<float>(value)) + Suffix(type);
  return std::signbit(value) ? "(" + text + ")" : text;
}

std::string FloatText(double value, Type type, Dialect in) {
  const double rounded = Rounded(type, value);
  if (std::isfinite(rounded)) return FiniteText(rounded, type);
  if (in != Dialect::kCpp && in != Dialect::kDouble) {
    const bool is_c = in == Dialect::kOpenCl;
    if (type == Type::kF64) {
      const std::string bits = std::to_string(std::bit_cast<std::int64_t>(rounded));
      return (is_c ? "as_double(" : "__longlong_as_double(") + bits + std::string(LongSuffix(in)) +
             ")";
    }
    const auto bits = std::bit_cast<std::int32_t>(static_cast<float>(rounded));
    return (is_c ? "as_float(" : "__int_as_float(") + std::to_string(bits) + ")";
  }
  const std::string suffix = Suffix(type);
  if (std::isnan(rounded)) return "__builtin_nan" + suffix + "(\"\")";
  const std::string infinity = "__builtin_inf" + suffix + "()";
  return rounded > 0 ? infinity : "(-" + infinity + ")";
}

std::string IntegerText(const Number& value, Type type, Dialect in) {
  const std::int64_t number = Rounded(type, value).whole();
  const std::string suffix(type == Type::kI64 ? LongSuffix(in) : type == Type::kU32 ? "u" : "");
  if (number >= 0) return std::to_string(number) + suffix;
  // What the minus stands before must be a number of the type.
  const bool is_lowest = number == (type == Type::kI64 ? std::numeric_limits<std::int64_t>::min()
                                                       : std::numeric_limits<std::int32_t>::min());
  const std::string text = std::to_string(is_lowest ? number + 1 : number) + suffix;
  return "(" + text + (is_lowest ? " - 1)" : ")");
}

}  // namespace

std::string CastTo(std::string_view type, const std::string& text, Dialect in) {
  if (in == Dialect::kOpenCl) return "(" + std::string(type) + ")(" + text + ")";
  return "static_cast<" + std::string(type) + ">(" + text + ")";
}

std::string_view RegisterName(Type type, Dialect in) {
  return ElementName(ComputeTypeOf(type), in);
}

std::string_view UnsignedName(bool is_large, Dialect in) {
  if (in == Dialect::kOpenCl) return is_large ? "ulong" : "uint";
  return is_large ? "unsigned long long" : "unsigned";
}

std::string_view LongSuffix(Dialect in) {
  return in == Dialect::kOpenCl ? "l" : "ll";
}

std::string_view ElementName(Type type, Dialect in) {
  const bool is_c = in == Dialect::kOpenCl;
  switch (type) {
    case Type::kF64:
      return "double";
    case Type::kF32:
      return "float";
    case Type::kF16:
    case Type::kBf16:
      return is_c ? "ushort" : "unsigned short";
    case Type::kI64:
      return is_c ? "long" : "long long";
    case Type::kI32:
      return "int";
    case Type::kU32:
      return is_c ? "uint" : "unsigned";
    case Type::kI8:
      return is_c ? "char" : "signed char";
    case Type::kF8E4M3:
    case Type::kF8E5M2:
    case Type::kBool:
      break;
  }
  return is_c ? "uchar" : "unsigned char";
}

std::string NumberText(const Number& number, Type type, Dialect in) {
  const Type computed = in == Dialect::kDouble ? Type::kF64 : ComputeTypeOf(type);
  return IsFloat(computed) ? FloatText(number, computed, in) : IntegerText(number, computed, in);
}

std::string NumberText(double value, Type type, Dialect in) {
  return NumberText(Number(value), type, in);
}

std::string ToCellText(const std::string& variable, Type type) {
  if (type != Type::kI64) return "static_cast<double>(" + variable + ")";
  return "[](long long whole) { double cell; __builtin_memcpy(&cell, &whole, sizeof cell); return "
         "cell; }(" +
         variable + ")";
}

std::string FromCellText(const std::string& cell, Type type) {
  if (type != Type::kI64)
    return "static_cast<" + std::string(RegisterName(type)) + ">(" + cell + ")";
  return "[](const double& cell) { long long whole; __builtin_memcpy(&whole, &cell, sizeof whole); "
         "return whole; }(" +
         cell + ")";
}

std::string_view FunctionHead(Dialect in) {
  return in == Dialect::kCuda || in == Dialect::kHip ? "static __device__ __forceinline__ "
                                                     : "static inline ";
}

}  // namespace exh::kernels::ir

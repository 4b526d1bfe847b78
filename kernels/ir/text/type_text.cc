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
  if (in == Dialect::kCuda) {
    if (type == Type::kF64) {
      const auto bits = std::bit_cast<std::int64_t>(rounded);
      return "__longlong_as_double(" + std::to_string(bits) + "ll)";
    }
    const auto bits = std::bit_cast<std::int32_t>(static_cast<float>(rounded));
    return "__int_as_float(" + std::to_string(bits) + ")";
  }
  const std::string suffix = Suffix(type);
  if (std::isnan(rounded)) return "__builtin_nan" + suffix + "(\"\")";
  const std::string infinity = "__builtin_inf" + suffix + "()";
  return rounded > 0 ? infinity : "(-" + infinity + ")";
}

std::string IntegerText(const Number& value, Type type) {
  const std::int64_t number = Rounded(type, value).whole();
  const std::string suffix = type == Type::kI64 ? "ll" : type == Type::kU32 ? "u" : "";
  if (number >= 0) return std::to_string(number) + suffix;
  // What the minus stands before must be a number of the type.
  const bool is_lowest = number == (type == Type::kI64 ? std::numeric_limits<std::int64_t>::min()
                                                       : std::numeric_limits<std::int32_t>::min());
  const std::string text = std::to_string(is_lowest ? number + 1 : number) + suffix;
  return "(" + text + (is_lowest ? " - 1)" : ")");
}

}  // namespace

std::string CastTo(std::string_view type, const std::string& text, Dialect /*in*/) {
  return "static_cast<" + std::string(type) + ">(" + text + ")";
}

std::string_view RegisterName(Type type) {
  return ElementName(ComputeTypeOf(type));
}

std::string_view ElementName(Type type) {
  switch (type) {
    case Type::kF64:
      return "double";
    case Type::kF32:
      return "float";
    case Type::kF16:
    case Type::kBf16:
      return "unsigned short";
    case Type::kI64:
      return "long long";
    case Type::kI32:
      return "int";
    case Type::kU32:
      return "unsigned";
    case Type::kI8:
      return "signed char";
    case Type::kBool:
      break;
  }
  return "unsigned char";
}

std::string NumberText(const Number& number, Type type, Dialect in) {
  const Type computed = ComputeTypeOf(type);
  return IsFloat(computed) ? FloatText(number, computed, in) : IntegerText(number, computed);
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

namespace {

struct HalfFunction {
  const char* head;      ///< Without what stands before it in CUDA.
  const char* portable;  ///< The body, in nothing but integers and floats.
  const char* ptx;       ///< The body under a compiler of NVIDIA's.
};

constexpr HalfFunction kHalfFunctions[] = {
    {"float exh_from_f16(unsigned short bits)",
     R"(  const unsigned exponent = bits >> 10 & 31u, fraction = bits & 1023u;
  unsigned wide = (bits & 0x8000u) << 16;
  if (exponent == 0) {  // A denormal, which is none as a float.
    const float size = static_cast<float>(fraction) * 5.9604644775390625e-8f;
    return wide != 0 ? -size : size;
  }
  wide |= (exponent == 31 ? 255u : exponent + 112u) << 23 | fraction << 13;
  float value;
  __builtin_memcpy(&value, &wide, sizeof value);
  return value;
)",
     R"(  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
  return value;
)"},
    {"unsigned short exh_to_f16(float value)", R"(  unsigned bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  const unsigned sign = bits >> 16 & 0x8000u;
  bits &= 0x7fffffffu;
  if (bits > 0x7f800000u) return static_cast<unsigned short>(sign | 0x7e00u);   // Not a number.
  if (bits >= 0x477ff000u) return static_cast<unsigned short>(sign | 0x7c00u);  // Infinite.
  if (bits < 0x38800000u) {  // Denormals are as far apart as the floats from 0.5 on.
    float size;
    __builtin_memcpy(&size, &bits, sizeof size);
    size += 0.5f;
    __builtin_memcpy(&bits, &size, sizeof bits);
    return static_cast<unsigned short>(sign | (bits - 0x3f000000u));
  }
  const unsigned rounded = bits - 0x38000000u + 0xfffu + (bits >> 13 & 1u);
  return static_cast<unsigned short>(sign | rounded >> 13);
)",
     R"(  unsigned short bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  return bits;
)"},
    {"float exh_from_bf16(unsigned short bits)",
     R"(  const unsigned wide = static_cast<unsigned>(bits) << 16;
  float value;
  __builtin_memcpy(&value, &wide, sizeof value);
  return value;
)",
     R"(  return __uint_as_float(static_cast<unsigned>(bits) << 16);
)"},
    {"unsigned short exh_to_bf16(float value)", R"(  unsigned bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  const bool is_number = (bits & 0x7fffffffu) <= 0x7f800000u;
  bits = is_number ? bits + 0x7fffu + (bits >> 16 & 1u) : bits | 0x400000u;
  return static_cast<unsigned short>(bits >> 16);
)",
     R"(  unsigned short bits;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  return bits;
)"},
};

}  // namespace

std::string HalfFunctions(const std::string& text, Dialect in) {
  std::string functions;
  for (const HalfFunction& one : kHalfFunctions) {
    const std::string head = one.head;
    const std::size_t name = head.find("exh_");
    if (text.find(head.substr(name, head.find('(') + 1 - name)) == std::string::npos) continue;
    const bool on_gpu = in == Dialect::kCuda;
    functions += (on_gpu ? "static __device__ __forceinline__ " : "static inline ") + head + " {\n";
    if (on_gpu) {
      functions += "#if defined(__HIP__) || defined(EXH_SHIM)\n" + std::string(one.portable) +
                   "#else\n" + one.ptx + "#endif\n}\n";
    } else {
      functions += one.portable + std::string("}\n");
    }
  }
  return functions;
}

}  // namespace exh::kernels::ir

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

namespace {

struct HalfFunction {
  const char* head;      ///< Without what stands before it in CUDA.
  const char* portable;  ///< The body, in nothing but integers and floats.
  const char* ptx;       ///< The body under a compiler of NVIDIA's.
  const char* opencl;    ///< All of it, in OpenCL C, whose library converts f16.
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
)",
     "static inline float exh_from_f16(ushort bits) { return vload_half(0, (const half*)&bits); }"},
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
)",
     "static inline ushort exh_to_f16(float value) { ushort bits; vstore_half_rte(value, 0, "
     "(half*)&bits); return bits; }"},
    {"float exh_from_bf16(unsigned short bits)",
     R"(  const unsigned wide = static_cast<unsigned>(bits) << 16;
  float value;
  __builtin_memcpy(&value, &wide, sizeof value);
  return value;
)",
     R"(  return __uint_as_float(static_cast<unsigned>(bits) << 16);
)",
     "static inline float exh_from_bf16(ushort bits) { return as_float((uint)bits << 16); }"},
    {"unsigned short exh_to_bf16(float value)", R"(  unsigned bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  const bool is_number = (bits & 0x7fffffffu) <= 0x7f800000u;
  bits = is_number ? bits + 0x7fffu + (bits >> 16 & 1u) : bits | 0x400000u;
  return static_cast<unsigned short>(bits >> 16);
)",
     R"(  unsigned short bits;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  return bits;
)",
     "static inline ushort exh_to_bf16(float value) { const uint bits = as_uint(value); return "
     "isnan(value) ? (bits | 0x400000u) >> 16 : (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16; }"},
};

}  // namespace

std::string_view FunctionHead(Dialect in) {
  return in == Dialect::kCuda || in == Dialect::kHip ? "static __device__ __forceinline__ "
                                                     : "static inline ";
}

std::string HalfFunctions(const std::string& text, Dialect in) {
  std::string functions;
  for (const HalfFunction& one : kHalfFunctions) {
    const std::string head = one.head;
    const std::size_t name = head.find("exh_");
    if (text.find(head.substr(name, head.find('(') + 1 - name)) == std::string::npos) continue;
    if (in == Dialect::kOpenCl) {
      functions += one.opencl + std::string("\n");
      continue;
    }
    const bool on_gpu = in == Dialect::kCuda || in == Dialect::kHip;
    functions += std::string(FunctionHead(in)) + head + " {\n";
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

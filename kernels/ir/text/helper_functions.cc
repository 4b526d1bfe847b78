// SPDX-License-Identifier: MIT
#include "kernels/ir/text/helper_functions.h"

#include <utility>

#include "kernels/ir/text/op_functions.h"

namespace exh::kernels::ir {
namespace {

struct Conversion {
  const char* name;
  const char* head;      ///< Without what stands before it in CUDA.
  const char* portable;  ///< The body, in nothing but integers and floats.
  const char* ptx;       ///< The body under a compiler of NVIDIA's.
  /// All of it, in OpenCL C, whose library converts f16; null: `portable` does, where BITS(x) and
  /// FLOAT(x) stand for the bits of a float and for the float of such bits.
  const char* opencl = nullptr;
  int least_capability = 0;  ///< Of a GPU of NVIDIA's that has what `ptx` says: 89 is sm_89.
};

constexpr Conversion kConversions[] = {
    {"exh_from_f16", "float exh_from_f16(unsigned short bits)",
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
    {"exh_to_f16", "unsigned short exh_to_f16(float value)", R"(  unsigned bits;
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
    {"exh_from_bf16", "float exh_from_bf16(unsigned short bits)",
     R"(  const unsigned wide = static_cast<unsigned>(bits) << 16;
  float value;
  __builtin_memcpy(&value, &wide, sizeof value);
  return value;
)",
     R"(  return __uint_as_float(static_cast<unsigned>(bits) << 16);
)",
     "static inline float exh_from_bf16(ushort bits) { return as_float((uint)bits << 16); }"},
    {"exh_to_bf16", "unsigned short exh_to_bf16(float value)", R"(  unsigned bits;
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
    {"exh_from_f8e4m3", "float exh_from_f8e4m3(unsigned char bits)",
     R"(  const unsigned size = (bits & 0x7fu) << 20;
  unsigned wide = size == 0x7f00000u ? 0x7fc00000u : size + 0x3c000000u;
  // A denormal: the bits of 2^-6 and the number, less 2^-6.
  if (size < 0x800000u) wide = BITS(FLOAT(size + 0x3c800000u) - 0.015625f);
  return FLOAT(wide | (bits & 0x80u) << 24);
)",
     R"(  float value;
  asm("{ .reg .b16 low, high; .reg .b32 both; cvt.rn.f16x2.e4m3x2 both, %1; "
      "mov.b32 {low, high}, both; cvt.f32.f16 %0, low; }"
      : "=f"(value) : "h"(static_cast<unsigned short>(bits)));
  return value;
)",
     nullptr, 89},
    {"exh_to_f8e4m3", "unsigned char exh_to_f8e4m3(float value)",
     R"(  const unsigned bits = BITS(value), size = bits & 0x7fffffffu;
  unsigned rounded = (size - 0x3bf80001u + (size >> 20 & 1u)) >> 20;
  // Denormals are as far apart as the floats from 2^14 on.
  if (size < 0x3c800000u) rounded = BITS(FLOAT(size) + 16384.0f) - 0x46800000u;
  if (size >= 0x43e00000u) rounded = size > 0x7f800000u ? 0x7fu : 0x7eu;  // Not a number; 448.
  return (unsigned char)(rounded | (bits >> 24 & 0x80u));
)",
     R"(  unsigned short both;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(both) : "f"(0.0f), "f"(value));
  return static_cast<unsigned char>(both);
)",
     nullptr, 89},
    {"exh_from_f8e5m2", "float exh_from_f8e5m2(unsigned char bits)",
     R"(  const unsigned size = (bits & 0x7fu) << 21;
  unsigned wide = size + (size >= 0xf800000u ? 0x70000000u : 0x38000000u);
  // A denormal: the bits of 2^-14 and the number, less 2^-14.
  if (size < 0x800000u) wide = BITS(FLOAT(size + 0x38800000u) - 6.103515625e-05f);
  return FLOAT(wide | (bits & 0x80u) << 24);
)",
     R"(  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(static_cast<unsigned short>(bits << 8)));
  return value;
)"},
    {"exh_to_f8e5m2", "unsigned char exh_to_f8e5m2(float value)",
     R"(  const unsigned bits = BITS(value), size = bits & 0x7fffffffu;
  unsigned rounded = (size - 0x37f00001u + (size >> 21 & 1u)) >> 21;
  // Denormals are as far apart as the floats from 2^7 on.
  if (size < 0x38800000u) rounded = BITS(FLOAT(size) + 128.0f) - 0x43000000u;
  if (size >= 0x47800000u) rounded = size > 0x7f800000u ? 0x7eu : 0x7cu;  // Not a number; infinite.
  return (unsigned char)(rounded | (bits >> 24 & 0x80u));
)",
     R"(  unsigned short both;
  asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(both) : "f"(0.0f), "f"(value));
  // What is beyond its range, from 61440 to infinity, the instruction makes the largest number.
  const unsigned bits = __float_as_uint(value);
  const bool is_beyond = (bits & 0x7fffffffu) - 0x47700000u <= 0x38100000u;
  return static_cast<unsigned char>(is_beyond ? 0x7cu | (bits >> 24 & 0x80u) : both);
)",
     nullptr, 89},
};

/// With what the dialect has for BITS and FLOAT.
std::string Portable(std::string text, Dialect in) {
  const bool on_gpu = in == Dialect::kCuda || in == Dialect::kHip, is_c = in == Dialect::kOpenCl;
  const std::pair<std::string_view, std::string_view> words[] = {
      {"BITS(", is_c     ? "as_uint("
                : on_gpu ? "__float_as_uint("
                         : "__builtin_bit_cast(unsigned, "},
      {"FLOAT(", is_c     ? "as_float("
                 : on_gpu ? "__uint_as_float("
                          : "__builtin_bit_cast(float, "}};
  for (const auto& [word, becomes] : words) {
    for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos;) {
      text.replace(at, word.size(), becomes);
      at += becomes.size();
    }
  }
  return text;
}

/// What a compiler that takes no PTX of the conversion, or none of it yet, is told by.
std::string NoPtx(const Conversion& one) {
  const std::string others = "#if defined(__HIP__) || defined(EXH_SHIM)";
  if (one.least_capability == 0) return others + "\n";
  return others + " || !defined(__CUDA_ARCH__) || __CUDA_ARCH__ < " +
         std::to_string(10 * one.least_capability) + "\n";
}

}  // namespace

std::string FloatBitsFunctions(const HelperFunctions& called) {
  std::string functions;
  const Dialect in = called.dialect();
  for (const Conversion& one : kConversions) {
    if (!called.Has(one.name)) continue;
    if (in == Dialect::kOpenCl && one.opencl != nullptr) {
      functions += one.opencl + std::string("\n");
      continue;
    }
    const bool on_gpu = in == Dialect::kCuda || in == Dialect::kHip;
    const std::string portable = Portable(one.portable, in);
    functions += std::string(FunctionHead(in)) + one.head + " {\n";
    if (on_gpu) {
      functions += NoPtx(one) + portable + "#else\n" + one.ptx + "#endif\n}\n";
    } else {
      functions += portable + std::string("}\n");
    }
  }
  return functions;
}

std::string HelperFunctions::Text() const {
  return FloatBitsFunctions(*this) + OpFunctions(*this);
}

}  // namespace exh::kernels::ir

// SPDX-License-Identifier: MIT
#include "kernels/ir/text/helper_functions.h"

#include "kernels/ir/text/op_functions.h"

namespace exh::kernels::ir {
namespace {

struct HalfFunction {
  const char* name;
  const char* head;      ///< Without what stands before it in CUDA.
  const char* portable;  ///< The body, in nothing but integers and floats.
  const char* ptx;       ///< The body under a compiler of NVIDIA's.
  const char* opencl;    ///< All of it, in OpenCL C, whose library converts f16.
};

constexpr HalfFunction kHalfFunctions[] = {
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
};

}  // namespace

std::string HalfFunctions(const HelperFunctions& called) {
  std::string functions;
  const Dialect in = called.dialect();
  for (const HalfFunction& one : kHalfFunctions) {
    if (!called.Has(one.name)) continue;
    if (in == Dialect::kOpenCl) {
      functions += one.opencl + std::string("\n");
      continue;
    }
    const bool on_gpu = in == Dialect::kCuda || in == Dialect::kHip;
    functions += std::string(FunctionHead(in)) + one.head + " {\n";
    if (on_gpu) {
      functions += "#if defined(__HIP__) || defined(EXH_SHIM)\n" + std::string(one.portable) +
                   "#else\n" + one.ptx + "#endif\n}\n";
    } else {
      functions += one.portable + std::string("}\n");
    }
  }
  return functions;
}

std::string HelperFunctions::Text() const {
  return HalfFunctions(*this) + OpFunctions(*this);
}

}  // namespace exh::kernels::ir

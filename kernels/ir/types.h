// SPDX-License-Identifier: MIT
//
// The types of elements and values as one table. Whoever needs a width, a precision or a limit asks
// here; nothing else knows a type by its size.
//
// Arrays hold any type. What computes does so in one of five: halves and floats of 8 bits are
// computed in f32, i8 and bool in i32 (ComputeTypeOf()). Registers hold those five, too: narrow
// elements become wide when they are loaded, and narrow again when they are stored or cast.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

namespace exh::kernels::ir {

enum class Type : std::uint8_t {
  kF64,
  kF32,
  kF16,   ///< IEEE 754 binary16.
  kBf16,  ///< The upper half of an f32.
  /// 4 bits of exponent, 3 of fraction. It has no infinities: what is too large is the largest
  /// number, 448. All ones but the sign are its only NaN.
  kF8E4M3,
  kF8E5M2,  ///< The upper half of an f16: 5 bits of exponent, 2 of fraction.
  kI64,
  kI32,
  kU32,
  kI8,
  kBool,  ///< A byte that is 0 or 1.
};

struct TypeInfo {
  Type type = Type::kF32;
  std::string_view word;  ///< In kernels as text, logs and on the command line: "f32".
  std::uint32_t bytes = 4;
  bool is_float = true;
  bool is_signed = true;
  /// Whole numbers below 2^bits have a value of their own. Of floats the bits of the significand:
  /// the unit roundoff is 2^-bits.
  int bits = 24;
  int min_exponent = -126;  ///< Of floats: 2^min_exponent is the smallest that is not denormal.
  double lowest = 0, largest = 0;  ///< Finite values.
  Type compute = Type::kF32;       ///< What it is computed in.

  bool is_integer() const { return !is_float && type != Type::kBool; }
  /// Narrower than what it is computed in.
  bool is_narrow() const { return compute != type; }
};

const TypeInfo& InfoOf(Type type);

/// All of them, in the order of Type.
std::span<const TypeInfo> AllTypes();

std::optional<Type> TypeOfWord(std::string_view word);

inline std::uint32_t BytesOf(Type type) {
  return InfoOf(type).bytes;
}
inline std::string_view WordOf(Type type) {
  return InfoOf(type).word;
}
inline bool IsFloat(Type type) {
  return InfoOf(type).is_float;
}
/// f16 or bf16.
inline bool IsHalf(Type type) {
  return type == Type::kF16 || type == Type::kBf16;
}
/// f8e4m3 or f8e5m2.
inline bool IsF8(Type type) {
  return type == Type::kF8E4M3 || type == Type::kF8E5M2;
}
/// A float that C++ has no type for: texts have its bits.
inline bool IsFloatBits(Type type) {
  return IsHalf(type) || IsF8(type);
}
inline Type ComputeTypeOf(Type type) {
  return InfoOf(type).compute;
}

/// The type that values of both are computed in together: the wider float, the wider integer; bool
/// becomes what the other is. Nothing where a user must say what is meant: integers with floats,
/// u32 with i32 or i8, a 64-bit integer with a float.
std::optional<Type> CommonType(Type a, Type b);

/// What the type makes of a value: floats round to even, and become infinite beyond their range,
/// f8e4m3 the largest that it has;
/// integers lose their fraction and, like in C, whole multiples of 2^n (beyond 2^63 they are the
/// nearest that the type has); bool is whether it is not 0. A NaN as an integer is 0.
double Rounded(Type type, double value);

/// One element in memory, as a double. i64 beyond 2^53 is rounded (number.h: exactly).
double ReadElement(Type type, const void* element);
/// Rounded(type, value), into memory.
void WriteElement(Type type, void* element, double value);

/// Calls `visit(T{})` with the type of C++ that has the elements' layout. Floats that C++ has no
/// type for are their bits.
struct HalfBits {
  std::uint16_t bits = 0;
};
struct Bf16Bits {
  std::uint16_t bits = 0;
};
struct F8E4M3Bits {
  std::uint8_t bits = 0;
};
struct F8E5M2Bits {
  std::uint8_t bits = 0;
};
struct BoolByte {
  std::uint8_t byte = 0;
};
template <typename Visit>
decltype(auto) WithType(Type type, const Visit& visit) {
  switch (type) {
    case Type::kF64:
      return visit(double{});
    case Type::kF32:
      return visit(float{});
    case Type::kF16:
      return visit(HalfBits{});
    case Type::kBf16:
      return visit(Bf16Bits{});
    case Type::kF8E4M3:
      return visit(F8E4M3Bits{});
    case Type::kF8E5M2:
      return visit(F8E5M2Bits{});
    case Type::kI64:
      return visit(std::int64_t{});
    case Type::kI32:
      return visit(std::int32_t{});
    case Type::kU32:
      return visit(std::uint32_t{});
    case Type::kI8:
      return visit(std::int8_t{});
    case Type::kBool:
      break;
  }
  return visit(BoolByte{});
}

inline double ToDouble(HalfBits half) {
  constexpr std::uint64_t kBias = 1023 - 15;
  constexpr double kStep = 0x1p-24;  // Of denormals.
  const std::uint64_t sign = std::uint64_t{half.bits} >> 15 << 63;
  const std::uint64_t exponent = half.bits >> 10 & 31, fraction = half.bits & 1023;
  if (exponent == 0) {
    const double size = static_cast<double>(fraction) * kStep;
    return sign != 0 ? -size : size;
  }
  const std::uint64_t wide = exponent == 31 ? 2047 : exponent + kBias;
  return std::bit_cast<double>(sign | wide << 52 | fraction << 42);
}
inline double ToDouble(Bf16Bits half) {
  return static_cast<double>(std::bit_cast<float>(std::uint32_t{half.bits} << 16));
}
inline double ToDouble(F8E4M3Bits f8) {
  constexpr std::uint64_t kBias = 1023 - 7;
  constexpr double kStep = 0x1p-9;  // Of denormals.
  const std::uint64_t sign = std::uint64_t{f8.bits} >> 7 << 63, size = f8.bits & 127;
  if (size < 8) {
    const double denormal = static_cast<double>(size) * kStep;
    return sign != 0 ? -denormal : denormal;
  }
  constexpr std::uint64_t kNan = std::uint64_t{4095} << 51;
  return std::bit_cast<double>(sign | (size == 127 ? kNan : (size << 49) + (kBias << 52)));
}
inline double ToDouble(F8E5M2Bits f8) {
  return ToDouble(HalfBits{static_cast<std::uint16_t>(f8.bits << 8)});
}
inline double ToDouble(BoolByte value) {
  return value.byte;
}
template <typename T>
double ToDouble(T value) {
  return static_cast<double>(value);
}

}  // namespace exh::kernels::ir

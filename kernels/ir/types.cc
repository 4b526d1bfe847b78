// SPDX-License-Identifier: MIT
#include "kernels/ir/types.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/check.h"

namespace exh::kernels::ir {
namespace {

template <typename T>
constexpr double kLowest = static_cast<double>(std::numeric_limits<T>::lowest());
template <typename T>
constexpr double kLargest = static_cast<double>(std::numeric_limits<T>::max());
constexpr double kLargestHalf = 65504, kLargestBf16 = 0x1.FEp127, kLargestE4M3 = 448,
                 kLargestE5M2 = 57344;

/// In the order of Type.
constexpr auto kTypes = std::to_array<TypeInfo>({
    {Type::kF64, "f64", 8, true, true, 53, -1022, kLowest<double>, kLargest<double>, Type::kF64},
    {Type::kF32, "f32", 4, true, true, 24, -126, kLowest<float>, kLargest<float>, Type::kF32},
    {Type::kF16, "f16", 2, true, true, 11, -14, -kLargestHalf, kLargestHalf, Type::kF32},
    {Type::kBf16, "bf16", 2, true, true, 8, -126, -kLargestBf16, kLargestBf16, Type::kF32},
    {Type::kF8E4M3, "f8e4m3", 1, true, true, 4, -6, -kLargestE4M3, kLargestE4M3, Type::kF32},
    {Type::kF8E5M2, "f8e5m2", 1, true, true, 3, -14, -kLargestE5M2, kLargestE5M2, Type::kF32},
    {Type::kI64, "i64", 8, false, true, 63, 0, kLowest<std::int64_t>, kLargest<std::int64_t>,
     Type::kI64},
    {Type::kI32, "i32", 4, false, true, 31, 0, kLowest<std::int32_t>, kLargest<std::int32_t>,
     Type::kI32},
    {Type::kU32, "u32", 4, false, false, 32, 0, 0, kLargest<std::uint32_t>, Type::kU32},
    {Type::kI8, "i8", 1, false, true, 7, 0, kLowest<std::int8_t>, kLargest<std::int8_t>,
     Type::kI32},
    {Type::kBool, "bool", 1, false, false, 1, 0, 0, 1, Type::kI32},
});

double RoundInteger(const TypeInfo& info, double value) {
  if (std::isnan(value)) return 0;
  const double whole = std::trunc(value);
  if (whole >= info.lowest && whole <= info.largest) return whole + 0.0;
  constexpr double kMost = 0x1p63;
  if (std::abs(whole) >= kMost) return whole < 0 ? info.lowest : info.largest;
  const auto bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(whole));
  double wrapped = 0;
  WithType(info.type, [&]<typename T>(T) {
    if constexpr (std::is_integral_v<T>) wrapped = static_cast<double>(static_cast<T>(bits));
  });
  return wrapped;
}

/// The bits of a float of 16 or 8 bits, rounded to even. Those of a double are cut behind
/// `fraction` bits of its fraction, after half of what is cut was added; where the result is
/// denormal it is a number of steps. No type of less precision lies in between: rounding twice is
/// not rounding once. `most`: what is too large, less its sign; by default the infinite.
template <typename Bits, int fraction, int bias, int nan = 0, int most = 0>
Bits BitsOf(double value) {
  constexpr int kDoubleFraction = 52, kDoubleBias = 1023, kCut = kDoubleFraction - fraction;
  constexpr int kSign = std::numeric_limits<Bits>::digits - 1;
  constexpr int kInfinite = ((1 << (kSign - fraction)) - 1) << fraction;
  constexpr int kNan = nan != 0 ? nan : kInfinite | 1 << (fraction - 1);
  constexpr std::uint64_t kMost = most != 0 ? most : kInfinite;
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto sign = static_cast<Bits>(bits >> 63 << kSign);
  std::uint64_t size = bits & ~(std::uint64_t{1} << 63);
  const double positive = std::bit_cast<double>(size);
  if (std::isnan(value)) return static_cast<Bits>(sign | kNan);
  constexpr std::uint64_t kLeastExponent = kDoubleBias - bias + 1;
  if (size < kLeastExponent << kDoubleFraction) {
    // Added to 2^52 steps, what is less than one is rounded away.
    constexpr double kSteps = static_cast<double>(std::uint64_t{1} << 52);
    const double scale = std::bit_cast<double>(
        static_cast<std::uint64_t>(kDoubleBias + bias - 1 + fraction) << kDoubleFraction);
    const double steps = positive * scale + kSteps - kSteps;
    return static_cast<Bits>(sign | static_cast<Bits>(steps));
  }
  size += (std::uint64_t{1} << (kCut - 1)) - 1 + (size >> kCut & 1);
  const std::uint64_t rounded =
      (size >> kCut) - (static_cast<std::uint64_t>(kDoubleBias - bias) << fraction);
  return static_cast<Bits>(sign | std::min(rounded, kMost));
}

std::uint16_t HalfOf(double value) {
  return BitsOf<std::uint16_t, 10, 15>(value);
}
std::uint16_t Bf16Of(double value) {
  return BitsOf<std::uint16_t, 7, 127>(value);
}
std::uint8_t E4M3Of(double value) {
  return BitsOf<std::uint8_t, 3, 7, 0x7f, 0x7e>(value);
}
std::uint8_t E5M2Of(double value) {
  return BitsOf<std::uint8_t, 2, 15>(value);
}

}  // namespace

const TypeInfo& InfoOf(Type type) {
  const TypeInfo& info = kTypes.at(static_cast<std::size_t>(type));
  EXH_CHECK(info.type == type);
  return info;
}

std::span<const TypeInfo> AllTypes() {
  return kTypes;
}

std::optional<Type> TypeOfWord(std::string_view word) {
  for (const TypeInfo& info : kTypes) {
    if (info.word == word) return info.type;
  }
  return std::nullopt;
}

std::optional<Type> CommonType(Type a, Type b) {
  if (a == b) return a;
  if (a == Type::kBool) return b;
  if (b == Type::kBool) return a;
  if (IsFloat(a) != IsFloat(b)) return std::nullopt;
  if (IsFloat(a)) return a == Type::kF64 || b == Type::kF64 ? Type::kF64 : Type::kF32;
  if (a == Type::kI64 || b == Type::kI64) return Type::kI64;
  if (a == Type::kU32 || b == Type::kU32) return std::nullopt;
  return Type::kI32;
}

double Rounded(Type type, double value) {
  switch (type) {
    case Type::kF64:
      return value;
    case Type::kF32:
      return static_cast<double>(static_cast<float>(value));
    case Type::kBool:
      return value != 0 ? 1 : 0;
    case Type::kF16:
      return ToDouble(HalfBits{HalfOf(value)});
    case Type::kBf16:
      return ToDouble(Bf16Bits{Bf16Of(value)});
    case Type::kF8E4M3:
      return ToDouble(F8E4M3Bits{E4M3Of(value)});
    case Type::kF8E5M2:
      return ToDouble(F8E5M2Bits{E5M2Of(value)});
    default:
      return RoundInteger(InfoOf(type), value);
  }
}

double ReadElement(Type type, const void* element) {
  return WithType(type, [&]<typename T>(T) {
    T value;
    std::memcpy(&value, element, sizeof value);
    return ToDouble(value);
  });
}

void WriteElement(Type type, void* element, double value) {
  const auto put = [&](auto bits) { std::memcpy(element, &bits, sizeof bits); };
  switch (type) {
    case Type::kF64:
      return put(value);
    case Type::kF32:
      return put(static_cast<float>(value));
    case Type::kF16:
      return put(HalfOf(value));
    case Type::kBf16:
      return put(Bf16Of(value));
    case Type::kF8E4M3:
      return put(E4M3Of(value));
    case Type::kF8E5M2:
      return put(E5M2Of(value));
    case Type::kI64: {
      const double rounded = Rounded(type, value);  // 2^63 itself is beyond it.
      return put(rounded >= 0x1p63 ? std::numeric_limits<std::int64_t>::max()
                                   : static_cast<std::int64_t>(rounded));
    }
    case Type::kI32:
      return put(static_cast<std::int32_t>(Rounded(type, value)));
    case Type::kU32:
      return put(static_cast<std::uint32_t>(Rounded(type, value)));
    case Type::kI8:
      return put(static_cast<std::int8_t>(Rounded(type, value)));
    case Type::kBool:
      return put(static_cast<std::uint8_t>(value != 0 ? 1 : 0));
  }
}

}  // namespace exh::kernels::ir

// SPDX-License-Identifier: MIT
#include <algorithm>

#include "kernels/codegen/print/op_text.h"
#include "kernels/devices/cuda/standalone/standalone_parts.h"

namespace exh::kernels::standalone {
namespace {

constexpr const char* kBegin = R"(#ifndef EXHAUST_NO_MAIN
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <type_traits>
#include <vector>

#define CHECK(call)                                                      \
  do {                                                                   \
    const cudaError_t result = (call);                                   \
    if (result != cudaSuccess) {                                         \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, \
                   cudaGetErrorString(result));                          \
      std::exit(1);                                                      \
    }                                                                    \
  } while (false)

namespace {

)";

constexpr const char* kF16 = R"(
// IEEE 754 binary16: 5 bits of exponent, 10 of significand.
struct f16 {
  unsigned short bits;

  f16() = default;
  // Rounds to even, by the processor's own rounding of multiples of the last place.
  explicit f16(float number) {
    const float size = std::fabs(number);
    const int exponent = size < 6.103515625e-05f ? -14 : std::ilogb(size);  // 2^-14 is normal.
    unsigned magnitude = 0x7c00;
    if (std::isnan(number)) {
      magnitude = 0x7e00;
    } else if (size < 65520) {
      const int steps = static_cast<int>(std::nearbyint(std::ldexp(size, 10 - exponent)));
      magnitude = static_cast<unsigned>((exponent + 14) * 1024 + steps);
    }
    bits = static_cast<unsigned short>(magnitude | (std::signbit(number) ? 0x8000 : 0));
  }
  operator float() const {
    const int exponent = bits >> 10 & 31, significand = bits & 1023;
    const float size = exponent == 31  ? (significand == 0 ? INFINITY : NAN)
                       : exponent == 0 ? std::ldexp(static_cast<float>(significand), -24)
                                       : std::ldexp(1024.0f + significand, exponent - 25);
    return (bits & 0x8000) != 0 ? -size : size;
  }
};
)";

constexpr const char* kBf16 = R"(
// The upper half of a float.
struct bf16 {
  unsigned short bits;

  bf16() = default;
  // Rounds to even; of numbers.
  explicit bf16(float number) {
    unsigned all;
    std::memcpy(&all, &number, sizeof all);
    bits = static_cast<unsigned short>((all + 0x7fff + (all >> 16 & 1)) >> 16);
  }
  operator float() const {
    const unsigned all = static_cast<unsigned>(bits) << 16;
    float number;
    std::memcpy(&number, &all, sizeof number);
    return number;
  }
};
)";

constexpr const char* kF8E4M3 = R"(
// Floats of 8 bits: 4 of exponent, 3 of significand, no infinities.
struct f8e4m3 {
  unsigned char bits;

  f8e4m3() = default;
  // Rounds to even; what is too large is 448.
  explicit f8e4m3(float number) {
    const float size = std::fabs(number);
    const int exponent = size < 0.015625f ? -6 : std::ilogb(size);  // 2^-6 is normal.
    unsigned magnitude = 0x7e;
    if (std::isnan(number)) {
      magnitude = 0x7f;
    } else if (size < 448) {
      const int steps = static_cast<int>(std::nearbyint(std::ldexp(size, 3 - exponent)));
      magnitude = static_cast<unsigned>((exponent + 6) * 8 + steps);
    }
    bits = static_cast<unsigned char>(magnitude | (std::signbit(number) ? 0x80 : 0));
  }
  operator float() const {
    const int exponent = bits >> 3 & 15, significand = bits & 7;
    const float size = (bits & 127) == 127 ? NAN
                       : exponent == 0     ? std::ldexp(static_cast<float>(significand), -9)
                                           : std::ldexp(8.0f + significand, exponent - 10);
    return (bits & 0x80) != 0 ? -size : size;
  }
};
)";

constexpr const char* kF8E5M2 = R"(
// Floats of 8 bits: 5 of exponent, 2 of significand.
struct f8e5m2 {
  unsigned char bits;

  f8e5m2() = default;
  // Rounds to even.
  explicit f8e5m2(float number) {
    const float size = std::fabs(number);
    const int exponent = size < 6.103515625e-05f ? -14 : std::ilogb(size);  // 2^-14 is normal.
    unsigned magnitude = 0x7c;
    if (std::isnan(number)) {
      magnitude = 0x7e;
    } else if (size < 61440) {
      const int steps = static_cast<int>(std::nearbyint(std::ldexp(size, 2 - exponent)));
      magnitude = static_cast<unsigned>((exponent + 14) * 4 + steps);
    }
    bits = static_cast<unsigned char>(magnitude | (std::signbit(number) ? 0x80 : 0));
  }
  operator float() const {
    const int exponent = bits >> 2 & 31, significand = bits & 3;
    const float size = exponent == 31  ? (significand == 0 ? INFINITY : NAN)
                       : exponent == 0 ? std::ldexp(static_cast<float>(significand), -16)
                                       : std::ldexp(4.0f + significand, exponent - 17);
    return (bits & 0x80) != 0 ? -size : size;
  }
};
)";

constexpr const char* kMemory = R"(
// What device memory is full of at first: an element that is never written, or a read of what lies
// around an array, shows in the result. Of floats it is NaN, no bool, and no usual integer.
template <typename T>
constexpr unsigned char kPoison = std::is_integral<T>::value ? 0xa5 : 0xff;

// Device memory between two guard zones.
class DeviceMemory {
 public:
  DeviceMemory(std::size_t bytes, unsigned char poison) : bytes_(bytes), poison_(poison) {
    CHECK(cudaMalloc(&memory_, bytes + 2 * kGuard));
    CHECK(cudaMemset(memory_, poison, bytes + 2 * kGuard));
  }

  // Did anything write around it?
  bool IsBroken() const {
    std::vector<unsigned char> guards(2 * kGuard);
    CHECK(cudaMemcpy(guards.data(), memory_, kGuard, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(guards.data() + kGuard, begin() + bytes_, kGuard, cudaMemcpyDeviceToHost));
    return std::any_of(guards.begin(), guards.end(), [&](unsigned char x) { return x != poison_; });
  }

 protected:
  unsigned char* begin() const { return memory_ + kGuard; }
  std::size_t bytes_;

 private:
  static constexpr std::size_t kGuard = 4096;  // A multiple of 16: arrays stay aligned.
  unsigned char poison_;
  unsigned char* memory_ = nullptr;
};

template <typename T>
class DeviceArray : public DeviceMemory {
 public:
  explicit DeviceArray(std::size_t elements) : DeviceMemory(elements * sizeof(T), kPoison<T>) {}
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
    CHECK(cudaMemcpy(begin(), values.data(), bytes_, cudaMemcpyHostToDevice));
  }

  T* data() const { return reinterpret_cast<T*>(begin()); }
  // Of narrow floats, as kernels take them.
  auto bits() const { return reinterpret_cast<decltype(T::bits)*>(begin()); }

  std::vector<T> Values() const {
    std::vector<T> values(bytes_ / sizeof(T));
    CHECK(cudaMemcpy(values.data(), begin(), bytes_, cudaMemcpyDeviceToHost));
    return values;
  }
  // Does an element hold what is there before a kernel runs?
  static bool IsUntouched(const T& value) {
    unsigned char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof bytes);
    return std::all_of(bytes, bytes + sizeof(T), [](unsigned char x) { return x == kPoison<T>; });
  }
};

)";

constexpr const char* kTolerance =
    R"(// What an element is in double precision, and how far from it single precision may be.
struct Expected {
  double value, tolerance;
};

// For a sum with that many single-precision roundings in a row, of terms with random signs and with
// `norm` as the root of the sum of their squares. An error of 26 u sqrt(n) norm is as good as
// impossible for a right kernel (u = 2^-24; Higham and Mary, A New Approach to Probabilistic
// Rounding Error Analysis, SIAM J. Sci. Comput. 41, 2019), and 2 n u sqrt(n) norm is twice the worst
// case.
[[maybe_unused]] double SumTolerance(double operations, double norm) {
  const double u = 1.0 / (1 << 24);
  return std::min(26.0, 2 * operations) * u * std::sqrt(operations) * norm;
}
)";

}  // namespace

std::string_view HostName(ir::Type type) {
  return ir::IsFloatBits(type) ? ir::WordOf(type) : codegen::ElementName(type);
}

std::string TestTools(const std::vector<ir::Array>& arrays) {
  const auto has = [&](ir::Type type) {
    return std::ranges::any_of(arrays, [&](const ir::Array& one) { return one.type == type; });
  };
  std::string text = kBegin;
  if (has(ir::Type::kF16)) text += kF16;
  if (has(ir::Type::kBf16)) text += kBf16;
  if (has(ir::Type::kF8E4M3)) text += kF8E4M3;
  if (has(ir::Type::kF8E5M2)) text += kF8E5M2;
  return text + kMemory + kTolerance;
}

}  // namespace exh::kernels::standalone

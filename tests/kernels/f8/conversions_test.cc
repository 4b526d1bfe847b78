// SPDX-License-Identifier: MIT
//
// Floats of 8 bits against a list of all their values: what each pattern of bits means, and which
// of them a number becomes. The list is made by the definition of the formats, and what is nearest
// is looked for among all of it.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "kernels/codegen/print/cpu_printer.h"
#include "kernels/ir/builder.h"
#include "kernels/ir/lowering.h"
#include "kernels/ir/number.h"
#include "kernels/ir/text/op_text.h"
#include "kernels/ir/types.h"
#include "tests/kernels/codegen/hand_backbone.h"
#include "tests/support/compiled_texts.h"

namespace exh::kernels::testing {
namespace {

using ir::Type;

constexpr Type kF8[] = {Type::kF8E4M3, Type::kF8E5M2};

/// What the formats are.
struct Format {
  Type type;
  int fraction, bias;
  bool has_infinities;

  explicit Format(Type of)
      : type(of),
        fraction(of == Type::kF8E4M3 ? 3 : 2),
        bias(of == Type::kF8E4M3 ? 7 : 15),
        has_infinities(of == Type::kF8E5M2) {}

  /// Of a pattern without its sign.
  double SizeOf(int bits) const {
    const int exponent = bits >> fraction, rest = bits & ((1 << fraction) - 1);
    if (has_infinities && bits >= 0x7c) return rest == 0 ? INFINITY : NAN;
    if (!has_infinities && bits == 0x7f) return NAN;
    const double steps = exponent == 0 ? rest : (1 << fraction) + rest;
    return std::ldexp(steps, std::max(exponent, 1) - bias - fraction);
  }
  double ValueOf(int bits) const {
    return (bits & 0x80) != 0 ? -SizeOf(bits & 0x7f) : SizeOf(bits);
  }
  int largest() const { return has_infinities ? 0x7b : 0x7e; }

  /// The pattern of the nearest value; of two the one that ends in 0.
  int Nearest(double number) const {
    const int sign = std::signbit(number) ? 0x80 : 0;
    const double size = std::abs(number);
    if (std::isnan(number)) return sign | (has_infinities ? 0x7e : 0x7f);
    // What would be the next number of the format is where infinity begins.
    const double next = 2 * SizeOf(largest()) - SizeOf(largest() - 1);
    if (has_infinities && size >= (SizeOf(largest()) + next) / 2) return sign | 0x7c;
    int best = 0;
    for (int bits = 0; bits <= largest(); ++bits) {
      const double off = std::abs(SizeOf(bits) - size), least = std::abs(SizeOf(best) - size);
      if (off < least || (off == least && bits % 2 == 0)) best = bits;
    }
    return sign | best;
  }

  /// Floats in the middle between neighbours, those beside these, the values themselves, what is
  /// beyond the range, and some at random.
  std::vector<float> Numbers() const {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    std::vector<float> sizes = {0,    0x1p-149f, 0x1p-126f, 0x1p-30f,   449,       463.99f,
                                464,  480,       61439.99f, 61440,      61440.01f, 65536,
                                1e9f, 3e38f,     kInfinity, 0x1.8p-10f, 0x1p-17f};
    for (int bits = 0; bits <= largest(); ++bits) {
      const double middle = (SizeOf(bits) + SizeOf(std::min(bits + 1, largest()))) / 2;
      for (const double near : {SizeOf(bits), middle}) {
        const auto exact = static_cast<float>(near);
        EXPECT_EQ(double{exact}, near);
        sizes.push_back(exact);
        sizes.push_back(std::nextafter(exact, 0.0f));
        sizes.push_back(std::nextafter(exact, kInfinity));
      }
    }
    std::mt19937 random(3);
    for (int i = 0; i < 2000; ++i) {
      const auto part = static_cast<float>(random()) * 0x1p-32f + 1;
      sizes.push_back(std::ldexp(part, static_cast<int>(random() % 40) - 22));
    }
    std::vector<float> numbers;
    for (const float size : sizes) {
      numbers.push_back(size);
      numbers.push_back(-size);
    }
    return numbers;
  }
};

int BitsOf(Type type, double number) {
  std::uint8_t bits = 0;
  ir::WriteElement(type, &bits, number);
  return bits;
}

TEST(F8, AllPatternsMeanWhatTheFormatsSay) {
  for (const Type type : kF8) {
    const Format format(type);
    const ir::TypeInfo& info = ir::InfoOf(type);
    EXPECT_EQ(info.bytes, 1u);
    EXPECT_EQ(info.bits, format.fraction + 1);
    EXPECT_EQ(info.largest, format.SizeOf(format.largest()));
    EXPECT_EQ(info.lowest, -info.largest);
    EXPECT_EQ(std::ldexp(1, info.min_exponent), format.SizeOf(1 << format.fraction));
    int nans = 0, infinities = 0;
    for (int bits = 0; bits < 256; ++bits) {
      const auto element = static_cast<std::uint8_t>(bits);
      const double value = ir::ReadElement(type, &element), wanted = format.ValueOf(bits);
      ASSERT_EQ(std::isnan(value), std::isnan(wanted)) << info.word << " " << bits;
      EXPECT_EQ(std::signbit(value), bits >= 128) << info.word << " " << bits;
      nans += std::isnan(value);
      infinities += std::isinf(value);
      if (std::isnan(value)) continue;
      ASSERT_EQ(value, wanted) << info.word << " " << bits;
      ASSERT_EQ(BitsOf(type, value), bits) << info.word;
    }
    EXPECT_EQ(nans, format.has_infinities ? 6 : 2);
    EXPECT_EQ(infinities, format.has_infinities ? 2 : 0);
  }
}

TEST(F8, NumbersBecomeTheNearest) {
  for (const Type type : kF8) {
    const Format format(type);
    for (const float number : format.Numbers()) {
      const int bits = format.Nearest(number);
      ASSERT_EQ(BitsOf(type, number), bits) << ir::WordOf(type) << " " << number;
      ASSERT_EQ(ir::Rounded(type, number), format.ValueOf(bits))
          << ir::WordOf(type) << " " << number;
      // Doubles beside it, which no float is, are rounded once.
      for (const double near : {std::nextafter(double{number}, 0.0),
                                std::nextafter(double{number}, std::copysign(1e300, number))}) {
        if (std::isinf(number)) continue;
        ASSERT_EQ(BitsOf(type, near), format.Nearest(near)) << ir::WordOf(type) << " " << near;
      }
    }
    EXPECT_TRUE(std::isnan(ir::Rounded(type, NAN)));
  }
  EXPECT_EQ(ir::Rounded(Type::kF8E4M3, INFINITY), 448);
  EXPECT_EQ(ir::Rounded(Type::kF8E4M3, -1e30), -448);
  EXPECT_EQ(ir::Rounded(Type::kF8E5M2, 61440), INFINITY);
  EXPECT_EQ(ir::Rounded(Type::kF8E5M2, std::nextafter(61440, 0)), 57344);
}

/// All bits, and all of Numbers(), by functions `from` and `to`.
template <typename From, typename To>
void ExpectConversions(const Format& format, const From& from, const To& to,
                       const std::string& how) {
  for (int bits = 0; bits < 256; ++bits) {
    const float value = from(static_cast<std::uint8_t>(bits));
    const double wanted = format.ValueOf(bits);
    ASSERT_EQ(std::isnan(value), std::isnan(wanted)) << how << " " << bits;
    if (std::isnan(value)) continue;
    ASSERT_EQ(double{value}, wanted) << how << " " << bits;
    ASSERT_EQ(std::signbit(value), bits >= 128) << how << " " << bits;
  }
  for (const float number : format.Numbers()) {
    ASSERT_EQ(int{to(number)}, format.Nearest(number)) << how << " " << number;
  }
  EXPECT_TRUE(std::isnan(format.ValueOf(to(NAN)))) << how;
  EXPECT_TRUE(std::isnan(format.ValueOf(to(-NAN)))) << how;
}

/// Of C++, of CUDA C++ in nothing but integers and floats, and of OpenCL C, whose functions stand
/// in the prologue.
TEST(F8, TextsConvertAsTheTypesSay) {
  constexpr ir::Dialect kDialects[] = {ir::Dialect::kCpp, ir::Dialect::kCuda, ir::Dialect::kOpenCl};
  const CompiledTexts compiled(
      std::size(kDialects),
      [&](std::size_t i) {
        ir::HelperFunctions called(kDialects[i]);
        std::string more;
        for (const Type type : kF8) {
          ir::FromElementText("x", type, called);
          ir::ToElementText("x", Type::kF32, type, called);
          more += fmt::format(
              "extern \"C\" float from_{0}_{1}(unsigned char x) {{ return exh_from_{0}(x); }}\n"
              "extern \"C\" unsigned char to_{0}_{1}(float x) {{ return exh_to_{0}(x); }}\n",
              ir::WordOf(type), i);
        }
        return fmt::format("namespace n{} {{\n{}{}}}\n", i, called.Text(), more);
      },
      R"(#define EXH_SHIM
#define __device__
#define __forceinline__ inline
static inline unsigned as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
static inline float as_float(unsigned x) { return __builtin_bit_cast(float, x); }
static inline unsigned __float_as_uint(float x) { return as_uint(x); }
static inline float __uint_as_float(unsigned x) { return as_float(x); }
)",
      "-O1 -Wall -Wextra -Werror");
  for (std::size_t i = 0; i < std::size(kDialects); ++i) {
    for (const Type type : kF8) {
      const auto find = [&](const char* way) {
        return compiled.Find(i, fmt::format("{}_{}_{}", way, ir::WordOf(type), i));
      };
      const auto from = reinterpret_cast<float (*)(unsigned char)>(find("from"));
      const auto to = reinterpret_cast<unsigned char (*)(float)>(find("to"));
      ASSERT_NE(from, nullptr) << compiled.CompilerError(i);
      ExpectConversions(Format(type), from, to, fmt::format("{} {}", ir::WordOf(type), i));
    }
  }
}

/// A text for a GPU has the instruction where there is one.
TEST(F8, TextsOfGpusConvertByInstructions) {
  ir::HelperFunctions called(ir::Dialect::kCuda);
  ir::FromElementText("x", Type::kF8E4M3, called);
  ir::ToElementText("x", Type::kF32, Type::kF8E5M2, called);
  const std::string text = called.Text();
  EXPECT_THAT(text, ::testing::HasSubstr("cvt.rn.f16x2.e4m3x2 both, %1;"));
  EXPECT_THAT(text, ::testing::HasSubstr("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;"));
  EXPECT_THAT(text, ::testing::HasSubstr("#if defined(__HIP__) || defined(EXH_SHIM) || "
                                         "!defined(__CUDA_ARCH__) || __CUDA_ARCH__ < 890\n"));
}

/// What vectors of a processor are converted by: a text that copies from f8 to f32 and back.
TEST(F8, LanesConvertAsTheTypesSay) {
  using namespace codegen::testing;
  constexpr std::uint32_t kLanes = 8;
  const CompiledTexts compiled(
      std::size(kF8),
      [&](std::size_t i) {
        ir::Function f;
        f.name = "lanes";
        ir::Builder b(f, true);
        const auto x = b.InputArray("x", kLanes, kF8[i]), z = b.InputArray("z", kLanes);
        const auto y = b.OutputArray("y", kLanes), w = b.OutputArray("w", kLanes, kF8[i]);
        const ir::AxisRef n = b.Axis("n", kLanes, {});
        const ir::Value wide = b.Load("load_x", x, {{n, 1}}),
                        narrow = b.Load("load_z", z, {{n, 1}});
        b.Store("store_y", y, {{n, 1}}, ir::InRegisters(wide));
        b.Store("store_w", w, {{n, 1}}, ir::InRegisters(narrow));
        ir::PlanLowering(f);
        const codegen::Schedule schedule =
            Draw(f, {Vector("load_x.n0 + load_z.n0 + store_y.n0 + store_w.n0", kLanes,
                            {Exec("load_x"), Exec("load_z"), Exec("store_y"), Exec("store_w")})});
        std::string text = codegen::PrintCpu(f, schedule);
        const std::string run = "exh_run(";
        for (std::size_t at = 0; (at = text.find(run, at)) != std::string::npos; at += run.size()) {
          text.insert(at + run.size() - 1, fmt::format("_{}", i));
        }
        return fmt::format("namespace n{} {{\n{}}}\n", i, text);
      },
      "", "-O2 -march=native -fopenmp -Wall -Werror -Wno-psabi -Wno-unused-function");
  for (std::size_t i = 0; i < std::size(kF8); ++i) {
    using Entry = void (*)(void* const*, const double*, int);
    const auto run = reinterpret_cast<Entry>(compiled.Find(i, fmt::format("exh_run_{}", i)));
    ASSERT_NE(run, nullptr) << compiled.CompilerError(i);
    std::uint8_t x[kLanes], w[kLanes];
    float y[kLanes], z[kLanes];
    void* const arrays[] = {x, z, y, w};
    // The lane moves on, so that each is asked for some.
    std::size_t lane = 0;
    const auto from = [&](std::uint8_t bits) {
      std::memset(x, 0, sizeof x);
      lane = (lane + 1) % kLanes;
      x[lane] = bits;
      std::memset(z, 0, sizeof z);
      run(arrays, nullptr, 1);
      return y[lane];
    };
    const auto to = [&](float number) {
      lane = (lane + 1) % kLanes;
      std::memset(z, 0, sizeof z);
      z[lane] = number;
      run(arrays, nullptr, 1);
      return w[lane];
    };
    ExpectConversions(Format(kF8[i]), from, to, fmt::format("lanes of {}", ir::WordOf(kF8[i])));
  }
}

}  // namespace
}  // namespace exh::kernels::testing

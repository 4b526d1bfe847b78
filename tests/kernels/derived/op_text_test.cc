// SPDX-License-Identifier: MIT
//
// Operators, numbers and conversions as text, compiled and run, and the functions that they call.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <tuple>

#include "kernels/derived/sources/op_text.h"
#include "kernels/ir/elements.h"
#include "kernels/ir/ops.h"
#include "kernels/ir/text/op_functions.h"
#include "tests/support/compiled_texts.h"

namespace exh::kernels::derived::testing {
namespace {

using kernels::testing::CompiledTexts;

/// What floats have, but casts.
std::vector<ir::Op> FloatOps() {
  std::vector<ir::Op> ops;
  for (const ir::OpInfo& info : ir::AllOps()) {
    const bool is_computed =
        info.operands > 0 && info.op != ir::Op::kConst && info.op != ir::Op::kGather;
    if (is_computed && info.takes != ir::Takes::kIntegers) ops.push_back(info.op);
  }
  return ops;
}

/// What integers have; their quotients are by 3.
std::vector<ir::Op> IntegerOps() {
  std::vector<ir::Op> ops;
  for (const ir::OpInfo& info : ir::AllOps()) {
    const bool is_computed =
        info.operands > 0 && info.op != ir::Op::kConst && info.op != ir::Op::kGather;
    const bool is_quotient = info.op == ir::Op::kDiv;
    if (is_computed && !is_quotient && info.takes != ir::Takes::kFloats) ops.push_back(info.op);
  }
  return ops;
}

/// Each operation with each other one as its first, second or third operand.
TEST(OpText, HoldsTogether) {
  struct Nested {
    ir::Op outer, inner;
    std::size_t position;
  };
  std::vector<Nested> all;
  const std::vector<ir::Op> ops = FloatOps();
  for (const ir::Op outer : ops) {
    for (const ir::Op inner : ops) {
      for (std::size_t i = 0; i < static_cast<std::size_t>(ir::InfoOf(outer).operands); ++i) {
        all.push_back({outer, inner, i});
      }
    }
  }
  const std::vector<Piece> names = {{"a"}, {"b"}, {"c"}};
  ir::HelperFunctions doubles(Dialect::kDouble), floats(Dialect::kCpp);
  const auto text = [&](const Nested& of, ir::HelperFunctions& in) {
    std::vector<Piece> operands = names;
    operands[of.position] = OpText(of.inner, names, in, ir::Type::kF32);
    return OpText(of.outer, operands, in, ir::Type::kF32).text;
  };
  const CompiledTexts compiled(
      1,
      [&](std::size_t) {
        std::string functions;
        for (std::size_t i = 0; i < all.size(); ++i) {
          functions += fmt::format(
              "extern \"C\" double in_double_{0}(double a, double b, double c) {{ return {1}; }}\n"
              "extern \"C\" float in_float_{0}(float a, float b, float c) {{ return {2}; }}\n",
              i, text(all[i], doubles), text(all[i], floats));
        }
        EXPECT_EQ(doubles.Text(), "");
        return floats.Text() + functions;
      },
      "#include <cmath>", "-O0");
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto in_double = reinterpret_cast<double (*)(double, double, double)>(
        compiled.Find(0, fmt::format("in_double_{}", i)));
    const auto in_float = reinterpret_cast<float (*)(float, float, float)>(
        compiled.Find(0, fmt::format("in_float_{}", i)));
    ASSERT_NE(in_double, nullptr) << compiled.CompilerError(0);
    for (const auto& [a, b, c] : {std::tuple(0.75, 1.5, 3.25), std::tuple(2.5, -1.25, 0.5)}) {
      double operands[] = {a, b, c};
      operands[all[i].position] = ir::Evaluate(all[i].inner, ir::Type::kF64, a, b, c);
      const double expected =
          ir::Evaluate(all[i].outer, ir::Type::kF64, operands[0], operands[1], operands[2]);
      const double got = in_double(a, b, c);
      if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(got)) << text(all[i], doubles);
        continue;
      }
      EXPECT_EQ(got, expected) << text(all[i], doubles);
      const auto float_got = static_cast<double>(
          in_float(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c)));
      if (float_got == expected) continue;  // Also an infinity.
      // Near 1 the logarithm of what is rounded has fewer digits.
      EXPECT_NEAR(float_got, expected, 1e-5 * std::abs(expected) + 1e-7) << text(all[i], floats);
    }
  }
}

TEST(OpText, HoldsTogetherOfIntegers) {
  struct Nested {
    ir::Op outer, inner;
    std::size_t position;
    ir::Type type;
  };
  std::vector<Nested> all;
  const std::vector<ir::Op> ops = IntegerOps();
  for (const ir::Type type : {ir::Type::kI32, ir::Type::kI64, ir::Type::kBool}) {
    for (const ir::Op outer : ops) {
      for (const ir::Op inner : ops) {
        for (std::size_t i = 0; i < static_cast<std::size_t>(ir::InfoOf(outer).operands); ++i) {
          all.push_back({outer, inner, i, type});
        }
      }
    }
  }
  const std::vector<Piece> names = {{"a"}, {"b"}, {"c"}};
  ir::HelperFunctions doubles(Dialect::kDouble), cpp(Dialect::kCpp);
  const auto text = [&](const Nested& of, ir::HelperFunctions& in) {
    std::vector<Piece> operands = names;
    operands[of.position] = OpText(of.inner, names, in, of.type);
    const ir::Type from = ir::ResultType(of.inner, of.type);  // Cast as in all texts.
    if (in.dialect() == Dialect::kCpp)
      operands[of.position] = CastText(operands[of.position], from, of.type);
    return OpText(of.outer, operands, in, of.type).text;
  };
  const CompiledTexts compiled(
      1,
      [&](std::size_t) {
        std::string functions;
        for (std::size_t i = 0; i < all.size(); ++i) {
          functions += fmt::format(
              "extern \"C\" double in_double_{0}(double a, double b, double c) {{ return {1}; }}\n"
              "extern \"C\" long long exact_{0}({3} a, {3} b, {3} c) {{ return {2}; }}\n",
              i, text(all[i], doubles), text(all[i], cpp),
              all[i].type == ir::Type::kI64 ? "long long" : "int");
        }
        return cpp.Text() + functions;
      },
      "#include <cmath>\n#include <cstdint>", "-O0");
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Nested& of = all[i];
    const auto in_double = reinterpret_cast<double (*)(double, double, double)>(
        compiled.Find(0, fmt::format("in_double_{}", i)));
    void* const exact = compiled.Find(0, fmt::format("exact_{}", i));
    ASSERT_NE(in_double, nullptr) << compiled.CompilerError(0);
    const bool is_bool = of.type == ir::Type::kBool;
    const auto computed = [&](ir::Op op) {
      return op == ir::Op::kNot ? of.type : ir::ComputeTypeOf(of.type);
    };
    for (const auto& [a, b, c] :
         {std::tuple(5, -3, 2), std::tuple(-7, 4, 0), std::tuple(1, 0, 1)}) {
      if (is_bool && (a < 0 || b < 0)) continue;
      double operands[] = {double(a), double(b), double(c)};
      operands[of.position] = ir::Evaluate(of.inner, computed(of.inner), a, b, c);
      // Of what is no bool, one that is has no value.
      if (is_bool && operands[of.position] != 0 && operands[of.position] != 1) continue;
      const double expected =
          ir::Evaluate(of.outer, computed(of.outer), operands[0], operands[1], operands[2]);
      EXPECT_EQ(in_double(a, b, c), expected) << text(of, doubles);
      const long long got =
          of.type == ir::Type::kI64
              ? reinterpret_cast<long long (*)(long long, long long, long long)>(exact)(a, b, c)
              : reinterpret_cast<long long (*)(int, int, int)>(exact)(a, b, c);
      EXPECT_EQ(static_cast<double>(got), expected) << text(of, cpp);
    }
  }
}

TEST(OpText, HasNumbersThatReadBack) {
  EXPECT_EQ(NumberText(0, Dialect::kCpp), "0.0f");
  EXPECT_EQ(NumberText(0.1f, Dialect::kCuda), "0.1f");
  EXPECT_EQ(NumberText(0.1f, Dialect::kDouble), "0.10000000149011612");
  EXPECT_EQ(NumberText(-1.5, Dialect::kDouble), "(-1.5)");
  EXPECT_EQ(NumberText(-0.0, Dialect::kCpp), "(-0.0f)");
  EXPECT_EQ(NumberText(1e20f, Dialect::kCpp), "1e+20f");
  EXPECT_EQ(NumberText(0.1, Dialect::kCpp, ir::Type::kF64), "0.1");
  EXPECT_EQ(NumberText(0.5, Dialect::kCpp, ir::Type::kF16), "0.5f");
  EXPECT_EQ(NumberText(-7, Dialect::kCpp, ir::Type::kI8), "(-7)");
  EXPECT_EQ(NumberText(7, Dialect::kCuda, ir::Type::kU32), "7u");
  EXPECT_EQ(NumberText(7, Dialect::kDouble, ir::Type::kI64), "7.0");
  for (const ir::Type type : {ir::Type::kI32, ir::Type::kI64}) {
    const std::string suffix = type == ir::Type::kI64 ? "ll" : "";
    const std::string largest = type == ir::Type::kI64 ? "9223372036854775807" : "2147483647";
    EXPECT_EQ(NumberText(ir::InfoOf(type).largest, Dialect::kCpp, type), largest + suffix);
    EXPECT_EQ(NumberText(ir::InfoOf(type).lowest, Dialect::kCpp, type),
              "(-" + largest + suffix + " - 1)");
  }
}

/// Of scalars and vectors, in both languages: a NaN is the larger and the smaller one, whichever
/// operand it is.
TEST(OpFunctions, KeepNans) {
  const std::set<std::string_view> names = {"exh_max", "exh_min"};
  const CompiledTexts compiled(
      2,
      [&](std::size_t i) {
        ir::HelperFunctions called(i == 0 ? ir::Dialect::kCpp : ir::Dialect::kCuda);
        std::string vectors = "typedef float vec4 __attribute__((vector_size(16)));\n";
        for (const std::string& line :
             ir::VectorOpFunctions(names, ir::Type::kF32, 4, "vec4", called)) {
          vectors += line + "\n";
        }
        std::string text = called.Text() + vectors;
        for (const char* const name : {"max", "min"}) {
          text += fmt::format(
              "extern \"C\" float {0}_f32_{1}(float a, float b) {{ return exh_{0}(a, b); }}\n"
              "extern \"C\" double {0}_f64_{1}(double a, double b) {{ return exh_{0}(a, b); }}\n"
              "extern \"C\" float {0}_vector_{1}(float a, float b) {{\n"
              "  return exh_{0}(vec4{{0, 0, a, 0}}, vec4{{0, 0, b, 0}})[2];\n}}\n",
              name, i);
        }
        return fmt::format("namespace n{} {{\n{}}}\n", i, text);
      },
      "#define __device__\n#define __forceinline__ inline", "-O2 -Wall -Wextra -Werror");
  for (const std::size_t i : {0, 1}) {
    for (const ir::Op op : {ir::Op::kMax, ir::Op::kMin}) {
      const auto find = [&](const char* type) {
        return compiled.Find(i, fmt::format("{}_{}_{}", ir::InfoOf(op).word, type, i));
      };
      const auto in_f32 = reinterpret_cast<float (*)(float, float)>(find("f32"));
      const auto in_vector = reinterpret_cast<float (*)(float, float)>(find("vector"));
      const auto in_f64 = reinterpret_cast<double (*)(double, double)>(find("f64"));
      ASSERT_NE(in_f32, nullptr) << compiled.CompilerError(i);
      const double numbers[] = {NAN, -INFINITY, -1.5, 0, 2, INFINITY};
      for (const double a : numbers) {
        for (const double b : numbers) {
          const double more = op == ir::Op::kMax ? std::max(a, b) : std::min(a, b);
          const double expected = std::isnan(a) || std::isnan(b) ? NAN : more;
          const auto x = static_cast<float>(a), y = static_cast<float>(b);
          for (const double got : {double{in_f32(x, y)}, double{in_vector(x, y)}, in_f64(a, b),
                                   ir::Evaluate(op, ir::Type::kF32, a, b, 0)}) {
            EXPECT_TRUE(got == expected || (std::isnan(got) && std::isnan(expected)))
                << ir::InfoOf(op).word << " of " << a << " and " << b << " is " << got;
          }
        }
      }
    }
  }
}

/// Integers at the ends of their range wrap around, of scalars and of vectors, and no compiler
/// takes it that they do not.
TEST(OpFunctions, WrapAround) {
  struct Of {
    ir::Op op;
    ir::Type type;
  };
  std::vector<Of> all;
  std::set<std::string_view> names;
  for (const ir::Op op : {ir::Op::kAdd, ir::Op::kSub, ir::Op::kMul, ir::Op::kMad, ir::Op::kDiv,
                          ir::Op::kNeg, ir::Op::kAbs}) {
    names.insert(ir::OpFunction(op, ir::Type::kI32));
    for (const ir::Type type : {ir::Type::kI32, ir::Type::kI64}) all.push_back({op, type});
  }
  const CompiledTexts compiled(
      1,
      [&](std::size_t) {
        std::string text;
        ir::HelperFunctions called(Dialect::kCpp);
        for (const ir::Type type : {ir::Type::kI32, ir::Type::kI64}) {
          const std::string vector = fmt::format("vec4_{}", ir::WordOf(type));
          text += fmt::format("typedef {} {} __attribute__((vector_size({})));\n",
                              ir::ElementName(type), vector, 4 * ir::BytesOf(type));
          for (const std::string& line : ir::VectorOpFunctions(names, type, 4, vector, called)) {
            text += line + "\n";
          }
        }
        for (std::size_t i = 0; i < all.size(); ++i) {
          const ir::Type type = all[i].type;
          std::vector<Piece> scalars = {{"a"}, {"b"}, {"c"}};
          scalars.resize(static_cast<std::size_t>(ir::InfoOf(all[i].op).operands));
          std::string vectors;
          for (const Piece& one : scalars) {
            vectors += fmt::format("{}V{{1, {}, 1, 1}}", vectors.empty() ? "" : ", ", one.text);
          }
          // As `x + 1 > x`: what has no meaning on overflow is folded.
          text += fmt::format(
              "extern \"C\" long long one_{0}({1} a, {1} b, {1} c) {{ return {2}; }}\n"
              "extern \"C\" long long lane_{0}({1} a, {1} b, {1} c) {{\n"
              "  typedef vec4_{3} V; return {4}({5})[1]; }}\n"
              "extern \"C\" int grows_{0}({1} a, {1} b, {1} c) {{ return {2} > a; }}\n",
              i, ir::ElementName(type), OpText(all[i].op, scalars, called, type).text,
              ir::WordOf(type), ir::OpFunction(all[i].op, type), vectors);
        }
        return called.Text() + text;
      },
      "", "-O3");
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto [op, type] = all[i];
    const bool is_wide = type == ir::Type::kI64;
    const auto call = [&](const char* name, std::int64_t a, std::int64_t b,
                          std::int64_t c) -> long long {
      void* const function = compiled.Find(0, fmt::format("{}_{}", name, i));
      EXPECT_NE(function, nullptr) << compiled.CompilerError(0);
      if (function == nullptr) return 0;
      if (is_wide) {
        return reinterpret_cast<long long (*)(long long, long long, long long)>(function)(a, b, c);
      }
      return reinterpret_cast<long long (*)(int, int, int)>(function)(
          static_cast<int>(a), static_cast<int>(b), static_cast<int>(c));
    };
    const std::int64_t least = is_wide ? std::numeric_limits<std::int64_t>::min()
                                       : std::numeric_limits<std::int32_t>::min();
    const std::int64_t numbers[] = {least, least + 1, -3, -1, 1, 7, -(least + 1), -(least + 2)};
    for (const std::int64_t a : numbers) {
      for (const std::int64_t b : numbers) {
        // What the operator is, in more bits than any of them needs.
        const __int128 x = a, y = b;
        const __int128 wide = op == ir::Op::kAdd   ? x + y
                              : op == ir::Op::kSub ? x - y
                              : op == ir::Op::kMul ? x * y
                              : op == ir::Op::kMad ? x * y + x
                              : op == ir::Op::kDiv ? x / y
                              : op == ir::Op::kNeg ? -x
                                                   : (x < 0 ? -x : x);
        const std::int64_t expected =
            is_wide ? static_cast<std::int64_t>(wide) : static_cast<std::int32_t>(wide);
        const std::string what =
            fmt::format("{} of {} and {} in {}", ir::InfoOf(op).word, a, b, ir::WordOf(type));
        EXPECT_EQ(call("one", a, b, a), expected) << what;
        EXPECT_EQ(call("lane", a, b, a), expected) << what;
        EXPECT_EQ(ir::EvaluateWhole(op, type, a, b, a), expected) << what;
        void* const grows = compiled.Find(0, fmt::format("grows_{}", i));
        ASSERT_NE(grows, nullptr);
        const int says =
            is_wide ? reinterpret_cast<int (*)(long long, long long, long long)>(grows)(a, b, a)
                    : reinterpret_cast<int (*)(int, int, int)>(grows)(
                          static_cast<int>(a), static_cast<int>(b), static_cast<int>(a));
        EXPECT_EQ(says, expected > a ? 1 : 0) << what;
      }
    }
  }
}

/// All halves, and floats that are nearly between two of them.
TEST(HalfFunctions, ConvertAsTheTypesSay) {
  EXPECT_EQ(ir::HelperFunctions(ir::Dialect::kCpp).Text(), "");
  const CompiledTexts compiled(
      2,
      [&](std::size_t i) {
        ir::HelperFunctions called(i == 0 ? ir::Dialect::kCpp : ir::Dialect::kCuda);
        for (const ir::Type type : {ir::Type::kF16, ir::Type::kBf16}) {
          ir::FromElementText("x", type, called);
          ir::ToElementText("x", ir::Type::kF32, type, called);
        }
        std::string text = called.Text();
        for (const char* const type : {"f16", "bf16"}) {
          text += fmt::format(
              "extern \"C\" float from_{0}_{1}(unsigned short x) {{ return exh_from_{0}(x); }}\n"
              "extern \"C\" unsigned short to_{0}_{1}(float x) {{ return exh_to_{0}(x); }}\n",
              type, i);
        }
        return fmt::format("namespace n{} {{\n{}}}\n", i, text);
      },
      "#define __device__\n#define __forceinline__ inline\n#define EXH_SHIM",
      "-O1 -Wall -Wextra -Werror");
  for (const std::size_t i : {0, 1}) {
    for (const ir::Type type : {ir::Type::kF16, ir::Type::kBf16}) {
      const auto find = [&](const char* way) {
        return compiled.Find(i, fmt::format("{}_{}_{}", way, ir::WordOf(type), i));
      };
      const auto from = reinterpret_cast<float (*)(unsigned short)>(find("from"));
      const auto to = reinterpret_cast<unsigned short (*)(float)>(find("to"));
      ASSERT_NE(from, nullptr) << compiled.CompilerError(i);
      for (std::uint32_t bits = 0; bits < 1 << 16; ++bits) {
        const auto half = static_cast<std::uint16_t>(bits);
        const double value = ir::ReadElement(type, &half);
        const float got = from(half);
        ASSERT_EQ(std::isnan(got), std::isnan(value)) << bits;
        if (std::isnan(value)) {
          ASSERT_TRUE(std::isnan(from(to(got)))) << bits;
          continue;
        }
        ASSERT_EQ(double{got}, value) << bits;
        ASSERT_EQ(std::signbit(got), std::signbit(value)) << bits;
        const auto next = static_cast<std::uint16_t>(bits + 1);
        const float middle = static_cast<float>((value + ir::ReadElement(type, &next)) / 2);
        for (const float near : {got, middle, std::nextafter(middle, 0.0f),
                                 std::nextafter(middle, std::copysign(INFINITY, middle))}) {
          if (std::isnan(near)) continue;
          ASSERT_EQ(double{from(to(near))}, ir::Rounded(type, near)) << bits << " " << near;
        }
      }
    }
  }
}

}  // namespace
}  // namespace exh::kernels::derived::testing

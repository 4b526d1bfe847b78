// SPDX-License-Identifier: MIT
//
// The texts that are derived from backbones, compiled and run: the naive ones of both devices, and
// the element of the reference.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>

#include "kernels/derived/sources/element_source.h"
#include "kernels/derived/sources/naive_source.h"
#include "kernels/derived/tolerance.h"
#include "kernels/ir/ops.h"
#include "kernels/ir/text/op_text.h"
#include "tests/kernels/derived/cases.h"
#include "tests/support/compiled_texts.h"

namespace exh::kernels::derived::testing {
namespace {

using kernels::testing::CompiledTexts;
using ::testing::HasSubstr;
using ::testing::Not;

/// In a namespace of its own, with `entry` numbered.
std::string Numbered(std::string text, const std::string& entry, std::size_t number) {
  text.replace(text.find(entry), entry.size(), fmt::format("{}_{}", entry, number));
  return fmt::format("namespace n{} {{\n{}\n}}\n", number, text);
}

/// What is wrong with the outputs; empty if nothing is.
std::string Mistakes(const Case& c, const Data& data) {
  for (const auto& [array, results] : ExactResults(c.function, data)) {
    const Elements& got = data.arrays[static_cast<std::size_t>(array)];
    for (std::size_t i = 0; i < got.size(); ++i) {
      if (std::abs(got[i] - results[i].value) <= results[i].tolerance()) continue;
      return fmt::format("element {} is {}, not {}", i, got[i], results[i].value);
    }
  }
  return "";
}

const Case& Find(const std::vector<Case>& cases, const std::string& name) {
  return *std::ranges::find(cases, name, &Case::name);
}

// ---- programs ----

std::vector<Case> CasesOfAllTypes() {
  std::vector<Case> cases = AllCases();
  for (Case& c : TypedCases()) cases.push_back(std::move(c));
  for (Case& c : ScanCases()) cases.push_back(std::move(c));
  return cases;
}

TEST(NaiveSource, ComputesWhatTheBackboneSays) {
  const std::vector<Case> cases = CasesOfAllTypes();
  std::vector<std::string> texts;
  for (const Case& c : cases) texts.push_back(NaiveSource(c.function));
  const CompiledTexts compiled(
      cases.size(), [&](std::size_t i) { return Numbered(texts[i], "exh_run", i); }, "",
      "-O1 -Wall -Wextra -Werror -Wno-unused-variable");
  for (std::size_t i = 0; i < cases.size(); ++i) {
    using Entry = void (*)(void* const*, const double*, int);
    const auto run = reinterpret_cast<Entry>(compiled.Find(i, fmt::format("exh_run_{}", i)));
    ASSERT_NE(run, nullptr) << cases[i].name << compiled.CompilerError(i) << "\n" << texts[i];
    Data data(cases[i].function);
    for (int time = 0; time < 2; ++time) run(data.pointers().data(), data.scalars.data(), 1);
    EXPECT_EQ(Mistakes(cases[i], data), "") << cases[i].name << "\n" << texts[i];
  }
}

TEST(NaiveSource, KeepsARowOfWhatIsReadAtOtherPoints) {
  const std::vector<Case> cases = AllCases();
  const std::string text = NaiveSource(Find(cases, "matmul2 k=11 m=7 n=5 p=13").function);
  EXPECT_EQ(text, R"(extern "C" void exh_run(void* const* arrays, const double* scalars, int) {
  const float* a = static_cast<const float*>(arrays[0]);
  const float* b = static_cast<const float*>(arrays[1]);
  const float* c = static_cast<const float*>(arrays[2]);
  const float* d = static_cast<const float*>(arrays[3]);
  float* e = static_cast<float*>(arrays[4]);
  const float alpha = static_cast<float>(scalars[0]);
  const float beta = static_cast<float>(scalars[1]);
  static float scale[5];
  for (long m = 0; m < 7; ++m) {
    for (long n = 0; n < 5; ++n) {
      float mad_ab = 0.0f;
      for (long k = 0; k < 11; ++k) {
        mad_ab += a[m * 11 + k] * b[k * 5 + n];
      }
      scale[n] = alpha * mad_ab;
    }
    for (long p = 0; p < 13; ++p) {
      float mad_e = beta * d[m * 13 + p];
      for (long n = 0; n < 5; ++n) {
        mad_e += scale[n] * c[n * 13 + p];
      }
      e[m * 13 + p] = mad_e;
    }
  }
}
)");
}

TEST(NaiveSource, SharesLoopsOfSumsThatDoNotNeedEachOther) {
  const std::vector<Case> cases = AllCases();
  EXPECT_THAT(NaiveSource(Find(cases, "gesummv m=37 n=29").function),
              HasSubstr(R"(    float mad_a = 0.0f;
    float mad_b = 0.0f;
    for (long n = 0; n < 29; ++n) {
      mad_a += a[m * 29 + n] * x[n];
      mad_b += b[m * 29 + n] * x[n];
    }
    y[m] = beta * mad_b + alpha * mad_a;
)"));
  // The second sum reads the first.
  EXPECT_THAT(NaiveSource(Find(cases, "centered").function), HasSubstr(R"(    float sum = 0.5f;
    for (long n = 0; n < 7; ++n) {
      sum += x[m * 7 + n];
    }
    float squares = 0.0f;
    for (long n = 0; n < 7; ++n) {
      const float centered = x[m * 7 + n] + (-0.14285715f) * sum;
      squares += centered * centered;
    }
    for (long n = 0; n < 7; ++n) {
)"));
}

TEST(NaiveSource, ScansRunInTheLoopOverTheOutput) {
  const std::vector<Case> cases = ScanCases();
  EXPECT_THAT(NaiveSource(Find(cases, "scan").function),
              HasSubstr(R"(  for (long m = 0; m < 5; ++m) {
    float scan = 0.0f;
    for (long n = 0; n < 7; ++n) {
      scan += x[m * 7 + n];
      y[m * 7 + n] = scan;
    }
  }
)"));
  EXPECT_THAT(NaiveSource(Find(cases, "scan down before").function),
              HasSubstr(R"(  for (long n = 0; n < 7; ++n) {
    float scan = c[n];
    for (long m = 0; m < 5; ++m) {
      y[m * 7 + n] = scan;
      scan += x[m * 7 + n];
    }
  }
)"));
  // It is read once before the output.
  EXPECT_THAT(NaiveSource(Find(cases, "scan and its largest").function), HasSubstr(R"(
    float scan_sum = 0.0f;
    for (long n = 0; n < 7; ++n) {
      scan_sum += x[m * 7 + n];
      scan[n] = scan_sum;
    }
)"));
}

TEST(NaiveSource, SaysTypesGuardsAndIndices) {
  const std::vector<Case> cases = TypedCases();
  EXPECT_THAT(NaiveSource(Find(cases, "product f16").function),
              HasSubstr("sum += exh_from_f16(a[m * 11 + k]) * exh_from_f16(b[k * 7 + n]);"));
  EXPECT_THAT(NaiveSource(Find(cases, "product f16").function),
              HasSubstr("c[m * 7 + n] = exh_to_f16(sum);"));
  EXPECT_THAT(NaiveSource(Find(cases, "product i8").function), HasSubstr(R"(      int sum = 0;
      for (long k = 0; k < 11; ++k) {
        sum = exh_mad(a[m * 11 + k], b[k * 7 + n], sum);
)"));
  EXPECT_THAT(NaiveSource(Find(cases, "product f32 f64").function),
              HasSubstr("sum += static_cast<double>(a[m * 11 + k]) * "
                        "static_cast<double>(b[k * 7 + n]);"));
  EXPECT_THAT(NaiveSource(Find(cases, "padded convolution").function),
              HasSubstr("(n + k - 2 >= 0 && n + k - 2 < 9 ? x[n + k - 2] : 0.0f) * w[k]"));
  EXPECT_THAT(NaiveSource(Find(cases, "triangle").function),
              HasSubstr("static_cast<int>(n) < static_cast<int>(m + 1)"));
}

TEST(NaiveCuda, HasSquareBlocksOverAMatrix) {
  const std::vector<Case> cases = AllCases();
  const Source source = NaiveCuda(Find(cases, "matmul k=20 m=33 n=18").function);
  EXPECT_EQ(source.text, R"(extern "C" __global__ void exh_kernel(const float* __restrict__ a, )"
                         R"(const float* __restrict__ b, float* __restrict__ c) {
  const long m = blockIdx.x / 2 * 16 + threadIdx.x / 16;
  const long n = blockIdx.x % 2 * 16 + threadIdx.x % 16;
  if (m >= 33 || n >= 18) return;
  float mad = 0.0f;
  for (long k = 0; k < 20; ++k) {
    mad += a[m * 20 + k] * b[k * 18 + n];
  }
  c[m * 18 + n] = mad;
}
)");
  ASSERT_TRUE(source.gpu);
  EXPECT_EQ(source.gpu->launch, (Launch{.grid = 6, .threads = 256}));
}

TEST(NaiveCuda, HasLinearBlocksOverAVector) {
  const std::vector<Case> cases = AllCases();
  const Source source = NaiveCuda(Find(cases, "axpy n=97").function);
  EXPECT_EQ(source.text, R"(extern "C" __global__ void exh_kernel(const float* __restrict__ x, )"
                         R"(const float* __restrict__ y, float* __restrict__ z, float alpha) {
  const long n = blockIdx.x * 256l + threadIdx.x;
  if (n >= 97) return;
  z[n] = fmaf(alpha, x[n], y[n]);
}
)");
  ASSERT_TRUE(source.gpu);
  EXPECT_EQ(source.gpu->launch, (Launch{.grid = 1, .threads = 256}));
}

TEST(NaiveCuda, HasAThreadForEachScan) {
  const std::vector<Case> cases = ScanCases();
  const Source source = NaiveCuda(Find(cases, "scan down before").function);
  EXPECT_THAT(source.text, HasSubstr(R"(  const long n = blockIdx.x * 256l + threadIdx.x;
  if (n >= 7) return;
  float scan = c[n];
  for (long m = 0; m < 5; ++m) {
    y[m * 7 + n] = scan;
    scan += x[m * 7 + n];
  }
)"));
  ASSERT_TRUE(source.gpu);
  EXPECT_EQ(source.gpu->launch, (Launch{.grid = 1, .threads = 256}));
}

/// A call of the kernel for each thread of each block.
std::string CudaRunner(const Case& c, const Source& source, std::size_t number) {
  std::string arguments;
  for (std::size_t i = 0; i < c.function.arrays.size(); ++i) {
    arguments += fmt::format("{}static_cast<{}*>(arrays[{}])", i == 0 ? "" : ", ",
                             ElementName(c.function.arrays[i].type), i);
  }
  for (std::size_t i = 0; i < c.function.scalars.size(); ++i) {
    arguments += ", " + ir::FromCellText(fmt::format("scalars[{}]", i), c.function.scalars[i].type);
  }
  return Numbered(
      source.text + fmt::format(R"(
extern "C" void exh_run(void* const* arrays, [[maybe_unused]] const double* scalars) {{
  for (blockIdx.x = 0; blockIdx.x < {}; ++blockIdx.x) {{
    for (threadIdx.x = 0; threadIdx.x < {}; ++threadIdx.x) exh_kernel({});
  }}
}})",
                                source.gpu->launch.grid, source.gpu->launch.threads, arguments),
      "exh_run", number);
}

TEST(NaiveCuda, ComputesWhatTheBackboneSays) {
  std::vector<Case> cases = CasesOfAllTypes();
  std::erase_if(cases, [](const Case& c) {
    const bool has_none = c.name.starts_with("matmul2") || c.name.starts_with("two layers") ||
                          c.name == "two outputs" || c.name == "sums of rows and columns" ||
                          c.name == "attention" || c.name == "broadcast product" ||
                          c.name == "sums of rectangles" || c.name == "scan and its largest" ||
                          c.name == "sum of a scan";
    EXPECT_EQ(NaiveCuda(c.function).text.empty(), has_none) << c.name;
    return has_none;
  });
  const CompiledTexts compiled(
      cases.size(),
      [&](std::size_t i) {
        std::string text = CudaRunner(cases[i], NaiveCuda(cases[i].function), i);
        // Names without a mangled one may be in one namespace only.
        const std::string c = "extern \"C\" __global__";
        return text.replace(text.find(c), c.size(), "static");
      },
      R"(#include <cmath>
#include <cstdlib>
#define __device__
#define __forceinline__ inline
#define EXH_SHIM
static float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
static float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
static unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
static double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
static float rsqrtf(float x) { return 1 / std::sqrt(x); }
static double rsqrt(double x) { return 1 / std::sqrt(x); }
static struct { unsigned x; } blockIdx, threadIdx;)",
      "-O1");
  for (std::size_t i = 0; i < cases.size(); ++i) {
    using Entry = void (*)(void* const*, const double*);
    const auto run = reinterpret_cast<Entry>(compiled.Find(i, fmt::format("exh_run_{}", i)));
    ASSERT_NE(run, nullptr) << cases[i].name << compiled.CompilerError(i);
    Data data(cases[i].function);
    run(data.pointers().data(), data.scalars.data());
    EXPECT_EQ(Mistakes(cases[i], data), "") << cases[i].name << "\n"
                                            << NaiveCuda(cases[i].function).text;
  }
}

struct Expected {
  double value, tolerance;
};
using Element = Expected (*)(void* const*, const double*, std::int64_t);

/// What an input is to the text; halves are classes.
std::string HostName(ir::Type type) {
  const bool is_half = ir::IsFloat(type) && ir::InfoOf(type).is_narrow();
  return std::string(is_half ? ir::WordOf(type) : ElementName(type));
}

std::string ElementFunction(const ir::Function& function, const std::string& body,
                            std::size_t number) {
  std::string parameters, arguments;
  for (const ir::Array& array : function.arrays) {
    if (array.role == ir::ArrayRole::kOutput) continue;
    const std::string type = "const " + HostName(array.type) + "*";
    parameters += "[[maybe_unused]] " + type + " " + array.name + ", ";
    arguments += fmt::format("static_cast<{}>(arrays[{}]), ", type, array.id.index());
  }
  for (std::size_t i = 0; i < function.scalars.size(); ++i) {
    const std::string_view type = RegisterName(function.scalars[i].type);
    parameters += fmt::format("{} {}, ", type, function.scalars[i].name);
    arguments += ir::FromCellText(fmt::format("scalars[{}]", i), function.scalars[i].type) + ", ";
  }
  return fmt::format(R"(
namespace n{0} {{
static Expected Reference({1}[[maybe_unused]] std::int64_t i) {{
{2}}}
extern "C" Expected exh_element_{0}([[maybe_unused]] void* const* arrays,
                                    [[maybe_unused]] const double* scalars, std::int64_t i) {{
  return Reference({3}i);
}}
}}
)",
                     number, parameters, body, arguments);
}

CompiledTexts Compiled(const std::vector<std::string>& functions) {
  ir::HelperFunctions halves(ir::Dialect::kCpp);
  for (const ir::Type type :
       {ir::Type::kF16, ir::Type::kBf16, ir::Type::kF8E4M3, ir::Type::kF8E5M2}) {
    ir::FromElementText("bits", type, halves);
  }
  const std::string prologue = R"(#include <cmath>
#include <cstdint>
#include "kernels/derived/tolerance.h"
using exh::kernels::SumTolerance;
struct Expected { double value, tolerance; };
)" + halves.Text() +
                               R"(
struct f16 {
  unsigned short bits;
  operator float() const { return exh_from_f16(bits); }
};
struct bf16 {
  unsigned short bits;
  operator float() const { return exh_from_bf16(bits); }
};
struct f8e4m3 {
  unsigned char bits;
  operator float() const { return exh_from_f8e4m3(bits); }
};
struct f8e5m2 {
  unsigned char bits;
  operator float() const { return exh_from_f8e5m2(bits); }
};)";
  return CompiledTexts(
      functions.size(), [&](std::size_t i) { return functions[i]; }, prologue,
      "-std=c++20 -Wall -Wextra -Werror -Itree");
}

TEST(ReferenceElement, IsThatOfTheRecursion) {
  std::vector<Case> cases = AllCases();
  for (Case& c : ScanCases()) cases.push_back(std::move(c));
  std::erase_if(cases, [](const Case& c) {
    // Nor have products, and sums of what has roundings in common.
    const bool has_none = c.name == "two outputs" || c.name == "sums of rows and columns" ||
                          c.name == "products so far" || c.name == "scan of a scan" ||
                          c.name == "sum of a scan";
    EXPECT_EQ(ReferenceElement(c.function).empty(), has_none) << c.name;
    // The recursion has no rules for functions and conditions; tests/kernels/computations has.
    return has_none || c.name == "softmax" || c.name == "choices";
  });
  std::vector<std::string> texts;
  for (const Case& c : cases) {
    texts.push_back(ElementFunction(c.function, ReferenceElement(c.function), texts.size()));
  }
  const CompiledTexts compiled = Compiled(texts);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto element =
        reinterpret_cast<Element>(compiled.Find(i, fmt::format("exh_element_{}", i)));
    ASSERT_NE(element, nullptr) << cases[i].name << compiled.CompilerError(i) << texts[i];
    Data data(cases[i].function);
    const std::vector<Exact> results = ExactResults(cases[i].function, data).begin()->second;
    std::mt19937 random(1);
    // One after the other, and then in any order.
    for (std::size_t n = 0; n < 2 * results.size(); ++n) {
      const std::size_t at = n < results.size() ? n : random() % results.size();
      const Expected got =
          element(data.pointers().data(), data.scalars.data(), static_cast<std::int64_t>(at));
      const double tolerance = results[at].tolerance();
      ASSERT_NEAR(got.value, results[at].value, 1e-12) << cases[i].name << texts[i];
      ASSERT_NEAR(got.tolerance, tolerance, 1e-9 * tolerance) << cases[i].name << texts[i];
    }
  }
}

TEST(ReferenceElement, OfAllTypes) {
  std::vector<Case> cases = TypedCases();
  std::erase_if(cases, [](const Case& c) {
    const bool has_none = c.name.starts_with("casts") || c.name == "f64 f32 f32" ||
                          c.name == "i32 f32 f32" || c.name == "whole parts" ||
                          c.name == "operators u32" || c.name == "powers of what is rounded";
    EXPECT_EQ(ReferenceElement(c.function).empty(), has_none) << c.name;
    return has_none;
  });
  std::vector<std::string> texts;
  for (const Case& c : cases) {
    texts.push_back(ElementFunction(c.function, ReferenceElement(c.function), texts.size()));
  }
  const CompiledTexts compiled = Compiled(texts);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto element =
        reinterpret_cast<Element>(compiled.Find(i, fmt::format("exh_element_{}", i)));
    ASSERT_NE(element, nullptr) << cases[i].name << compiled.CompilerError(i) << texts[i];
    Data data(cases[i].function);
    const auto all = ExactResults(cases[i].function, data);
    const auto& [array, results] = *all.begin();
    const ir::Type type = cases[i].function.arrays[static_cast<std::size_t>(array)].type;
    for (std::size_t at = 0; at < results.size(); ++at) {
      const Expected got =
          element(data.pointers().data(), data.scalars.data(), static_cast<std::int64_t>(at));
      ASSERT_NEAR(Converted(type, got.value), results[at].value, 1e-6 * std::abs(got.value))
          << cases[i].name << texts[i];
      if (std::isnan(results[at].count)) continue;  // The recursion has no rules for functions.
      ASSERT_GE(got.tolerance, 0.5 * results[at].tolerance()) << cases[i].name << texts[i];
      // A value that only loses something by being stored is not known to be exact.
      const LastPlace last = ir::IsFloat(type) ? LastPlaceOf(type) : LastPlace{};
      const double most = 2 * results[at].tolerance() + last.relative * std::abs(got.value);
      ASSERT_LE(got.tolerance, 2 * most + 2 * last.absolute) << cases[i].name << texts[i];
      if (!ir::IsFloat(type)) {
        ASSERT_EQ(got.tolerance, 0) << cases[i].name;
      }
    }
  }
}

TEST(ReferenceElement, IsAboutThatOfTheKernels) {
  const std::vector<Case> cases = LibraryCases();
  std::vector<std::string> texts;
  for (const Case& c : cases) {
    for (const std::string& body :
         {ReferenceElement(c.function), c.kernel->ReferenceElement(c.sizes)}) {
      texts.push_back(ElementFunction(c.function, body, texts.size()));
    }
  }
  const CompiledTexts compiled = Compiled(texts);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    Element elements[2];
    for (std::size_t of = 0; of < 2; ++of) {
      const std::size_t text = 2 * i + of;
      elements[of] =
          reinterpret_cast<Element>(compiled.Find(text, fmt::format("exh_element_{}", text)));
      ASSERT_NE(elements[of], nullptr) << compiled.CompilerError(text) << texts[text];
    }
    Data data(cases[i].function);
    // Of a single sum both are the same; others say in other ways how its parts add up.
    const bool is_one_sum =
        cases[i].name.find("matmul ") != std::string::npos || cases[i].name.starts_with("mv");
    const double factor = is_one_sum ? 1 + 1e-12 : 2.5;
    for (std::int64_t at = 0; at < static_cast<std::int64_t>(data.arrays.back().size()); ++at) {
      const Expected got = elements[0](data.pointers().data(), data.scalars.data(), at);
      const Expected hand = elements[1](data.pointers().data(), data.scalars.data(), at);
      ASSERT_NEAR(got.value, hand.value, 1e-12) << cases[i].name;
      ASSERT_LE(got.tolerance, factor * hand.tolerance) << cases[i].name;
      ASSERT_GE(got.tolerance, hand.tolerance / factor) << cases[i].name;
    }
  }
}

TEST(ReferenceElement, IsShort) {
  const std::vector<Case> cases = AllCases();
  EXPECT_EQ(ReferenceElement(Find(cases, "matmul k=20 m=33 n=18").function),
            R"(const std::int64_t m = i / 18;
const std::int64_t n = i % 18;
double mad = 0.0, mad_squares = 0.0;
for (std::int64_t k = 0; k < 20; ++k) {
  const double mad_term = double(a[m * 20 + k]) * double(b[k * 18 + n]);
  mad += mad_term;
  mad_squares += mad_term * mad_term;
}
return {mad, SumTolerance(21, std::sqrt((21 * mad_squares + 20 * mad * mad) / 21))};
)");
  EXPECT_EQ(ReferenceElement(Find(cases, "transposition").function),
            R"(const std::int64_t n = i / 5;
const std::int64_t m = i % 5;
return {double(x[m * 7 + n]), 0};
)");
  EXPECT_THAT(ReferenceElement(Find(cases, "row max").function), Not(HasSubstr("squares")));
}

}  // namespace
}  // namespace exh::kernels::derived::testing

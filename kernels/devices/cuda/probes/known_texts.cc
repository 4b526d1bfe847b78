// SPDX-License-Identifier: MIT
#include "kernels/devices/cuda/probes/known_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <utility>

#include "base/numbers.h"
#include "kernels/codegen/print/gpu/printer.h"
#include "kernels/ir/fragments.h"

namespace exh::kernels::cuda {
namespace {

using ir::MatrixUnit;

// Blocks of one warp multiply 16 x 16 elements of `a` with 16 x 8 of `b`, as each of the units
// does, or 16 x 32 with 32 x 8. Behind those of `a` are 8 values that the columns of the result
// begin with, in the first block alone.
constexpr const ir::UnitShape& kShape = ir::kDeepShape;
constexpr std::size_t kRows = kShape.rows.size(), kColumns = kShape.columns.size(),
                      kMostDepth = kShape.depth.size(), kThreads = kShape.lanes;
static_assert(kRows == 16 && kColumns == 8 && kMostDepth == 32 && kThreads == 32);
static_assert(ir::kWarpShape.rows == kShape.rows && ir::kWarpShape.columns == kShape.columns &&
              ir::kWarpShape.depth.size() == 16);
constexpr std::size_t kA = kRows * kMostDepth + kColumns, kB = kMostDepth * kColumns,
                      kOut = kRows * kColumns, kBlocks = 2;

constexpr const char* kExpect = R"(
extern "C" __global__ void exh_expect(const float* a, const float* b, float* out) {{
  for (int e = threadIdx.x; e < 128; e += 32) {{
    const int row = e / 8, column = e % 8;
    float sum = 0.0f;
    if (blockIdx.x == 0) sum = {scale}a[{behind} + column];
    #pragma unroll 1
    for (int k = 0; k < {depth}; ++k) sum += a[row * {depth} + k] * b[k * 8 + column];
    out[blockIdx.x * 128 + e] = sum;
  }}
}}
)";

/// One lane of a unit: it has two rows and two columns of the sums (kernels/ir/fragments.h).
constexpr const char* kKnown = R"(
extern "C" __global__ void exh_known(const float* a, const float* b, float* out) {{
  const int g = threadIdx.x / 4, q = threadIdx.x % 4;
  const {value} v0 = {scale}__ldcs(a + {behind} + 2 * q), v1 = {scale}__ldcs(a + {behind} + 1 + 2 * q);
  {sum} c0 = {begin}(blockIdx.x == 0 ? v0 : {zero});
  {sum} c1 = {begin}(blockIdx.x == 0 ? v1 : {zero});
  {sum} c2 = {begin}(blockIdx.x == 0 ? v0 : {zero});
  {sum} c3 = {begin}(blockIdx.x == 0 ? v1 : {zero});
  {step}
  float* const to = out + blockIdx.x * 128 + g * 8 + 2 * q;
  to[0] = static_cast<float>(c0), to[1] = static_cast<float>(c1);
  to[64] = static_cast<float>(c2), to[65] = static_cast<float>(c3);
}}
)";

/// Elements as a unit takes them: whole numbers of few bits.
constexpr const char* kElements = R"(
static __device__ __forceinline__ unsigned short exh_f16(float x) {
  unsigned short half; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(x)); return half;
}
static __device__ __forceinline__ unsigned short exh_bf16(float x) {
  return static_cast<unsigned short>(__float_as_uint(x) >> 16);
}
static __device__ __forceinline__ unsigned char exh_f8e4m3(float x) {
  const unsigned f = __float_as_uint(x);
  return x == 0 ? 0 : (f >> 24 & 0x80) | ((f >> 20 & 0x7ff) - (120 << 3));
}
static __device__ __forceinline__ unsigned char exh_f8e5m2(float x) {
  const unsigned f = __float_as_uint(x);
  return x == 0 ? 0 : (f >> 24 & 0x80) | ((f >> 21 & 0x3ff) - (112 << 2));
}
static __device__ __forceinline__ signed char exh_i8(float x) { return static_cast<signed char>(x); }
)";

/// "exh_pair(exh_f16(…), exh_f16(…))": the operands of a step, `at_once` elements in each.
/// `element` makes one of a float.
std::string Operands(const std::string& pair, const std::string& element, int at_once,
                     int of_lane) {
  std::string text;
  const auto word = [&](int depth, const auto& place) {
    std::string elements;
    for (int k = depth; k < depth + at_once; ++k) {
      elements += (k == depth ? "" : ", ") + element + "(" + place(k) + ")";
    }
    text += ", " + (pair.empty() ? elements : pair + "(" + elements + ")");
  };
  for (int depth = 0; depth < of_lane; depth += at_once) {
    for (const int row : {0, 8}) {
      word(depth, [&](int k) {
        return fmt::format("a[(g + {}) * {} + {} * q + {}]", row, 4 * of_lane, of_lane, k);
      });
    }
  }
  for (int depth = 0; depth < of_lane; depth += at_once) {
    word(depth, [&](int k) { return fmt::format("b[({} * q + {}) * 8 + g]", of_lane, k); });
  }
  return text;
}

/// How a text has it.
struct Form {
  std::string value, sum, zero, begin;
  std::string scale = "";  ///< "1024.0f * ": of what sums begin with.
};

/// Both kernels.
std::string Known(const Form& form, const std::string& step, int depth) {
  return fmt::format(fmt::runtime(std::string(kKnown) + kExpect), fmt::arg("value", form.value),
                     fmt::arg("sum", form.sum), fmt::arg("zero", form.zero),
                     fmt::arg("begin", form.begin), fmt::arg("scale", form.scale),
                     fmt::arg("depth", depth), fmt::arg("behind", 16 * depth),
                     fmt::arg("step", step));
}

std::string OfUnit(MatrixUnit unit, ir::Type element, const Form& form) {
  std::set<ir::Type> begins;
  if (!form.begin.empty()) {
    begins.insert(form.value == "double" ? ir::Type::kF64 : ir::Type::kF32);
  }
  std::string text;
  for (const std::string& function : codegen::UnitFunctions({{unit, element}}, begins)) {
    text += function + "\n";
  }
  const std::string word(ir::WordOf(element)), make = "exh_" + word;
  const auto of_lane = static_cast<int>(ir::ShapeOf(unit).depth.registers);
  const std::string operands =
      unit == MatrixUnit::kDmma ? Operands("", "static_cast<double>", 1, of_lane)
      : unit == MatrixUnit::kMma
          ? Operands("exh_pair", make, 2, of_lane)
          : Operands(unit == MatrixUnit::kImma ? "exh_four" : "exh_four_bits", make, 4, of_lane);
  const std::string step = unit == MatrixUnit::kDmma ? "exh_dmma" : "exh_mma_" + word;
  return text + kElements + Known(form, step + "(c0, c1, c2, c3" + operands + ");", 4 * of_lane);
}

/// Without a unit: every lane adds up.
std::string OfLanes() {
  const std::string step = R"(#pragma unroll
  for (int k = 0; k < 16; ++k) {
    c0 = fmaf(a[g * 16 + k], b[k * 8 + 2 * q], c0);
    c1 = fmaf(a[g * 16 + k], b[k * 8 + 2 * q + 1], c1);
    c2 = fmaf(a[(g + 8) * 16 + k], b[k * 8 + 2 * q], c2);
    c3 = fmaf(a[(g + 8) * 16 + k], b[k * 8 + 2 * q + 1], c3);
  })";
  return Known({"float", "float", "0.0f", ""}, step, 16);
}

/// The results of a kernel; NaN where it wrote none.
std::vector<float> Run(const Gpu& gpu, const Module& module, const char* kernel, DeviceBuffer& a,
                       DeviceBuffer& b, DeviceBuffer& out) {
  constexpr unsigned int kNan = 0x7fc00000;
  gpu.Fill(out.data(), kNan, kBlocks * kOut);
  CUdeviceptr pointers[] = {a.data(), b.data(), out.data()};
  void* arguments[] = {&pointers[0], &pointers[1], &pointers[2]};
  Launch launch;
  launch.grid = kBlocks;
  launch.threads = kThreads;
  gpu.Launch(module.Function(kernel), launch, arguments);
  gpu.Synchronize();
  std::vector<float> results(kBlocks * kOut);
  gpu.Download(results.data(), out.data(), results.size() * sizeof(float));
  return results;
}

KnownTry Try(const Nvrtc& nvrtc, const Gpu& gpu, const KnownText& text,
             const std::vector<std::string>& options) {
  using Outcome = KnownAnswer::Outcome;
  const Cubin cubin = nvrtc.Compile(text.source, gpu.facts().architecture(), options);
  if (!cubin.ok()) {
    const std::string log = cubin.trouble.empty() ? cubin.log : cubin.trouble;
    return {Outcome::kUnknown, "it does not compile: " + log.substr(0, log.find('\n'))};
  }
  std::vector<float> first(kA), second(kB);
  for (std::size_t i = 0; i < kA; ++i) first[i] = static_cast<float>(i * 7 % 11) - 5;
  for (std::size_t i = 0; i < kB; ++i) second[i] = static_cast<float>(i * 5 % 13) - 6;
  const Module module(gpu, cubin.bytes);
  DeviceBuffer a(gpu, kA * sizeof(float)), b(gpu, kB * sizeof(float));
  DeviceBuffer out(gpu, kBlocks * kOut * sizeof(float));
  gpu.Upload(a.data(), first.data(), kA * sizeof(float));
  gpu.Upload(b.data(), second.data(), kB * sizeof(float));
  const std::vector<float> expected = Run(gpu, module, "exh_expect", a, b, out);
  const std::vector<float> got = Run(gpu, module, "exh_known", a, b, out);
  std::size_t wrong = 0, where = 0;
  for (std::size_t i = expected.size(); i-- > 0;) {
    if (std::isnan(expected[i])) return {Outcome::kUnknown, "what it is compared with fails"};
    if (got[i] == expected[i]) continue;
    ++wrong;
    where = i;
  }
  if (wrong == 0) return {Outcome::kRight, ""};
  return {Outcome::kWrong, fmt::format("{} of {} results, the first is {} and not {}", wrong,
                                       expected.size(), got[where], expected[where])};
}

}  // namespace

std::vector<KnownText> KnownTexts(const std::string& architecture) {
  constexpr int kUnits = 80, kFloatsOf8Bits = 89, kDoubles = 90;
  const int capability = static_cast<int>(
      ParseInteger(architecture.substr(std::min<std::size_t>(3, architecture.size()))).value_or(0));
  const Form floats = {"float", "float", "0.0f", ""};
  std::vector<KnownText> texts = {
      {"sums that begin with what a condition chooses", " ? ", OfLanes(), false}};
  const auto add = [&](const std::string& what, const std::string& mark, const std::string& source,
                       bool is_avoided = false) {
    texts.push_back({what + " that begin with what a condition chooses", mark, source, is_avoided});
  };
  if (capability >= kUnits) {
    add("sums of the unit of f16", "exh_mma_f16(",
        OfUnit(MatrixUnit::kMma, ir::Type::kF16, floats));
    add("sums of the unit of bf16", "exh_mma_bf16(",
        OfUnit(MatrixUnit::kMma, ir::Type::kBf16, floats));
    add("sums of the unit of i8", "exh_mma_i8(",
        OfUnit(MatrixUnit::kImma, ir::Type::kI8, {"int", "int", "0", ""}));
  }
  if (capability >= kFloatsOf8Bits) {
    for (const ir::Type type : {ir::Type::kF8E4M3, ir::Type::kF8E5M2}) {
      const std::string word(ir::WordOf(type)), mark = "exh_mma_" + word + "(";
      add("sums of the unit of " + word, mark, OfUnit(MatrixUnit::kQmma, type, floats));
      // 21 bits: a unit that adds with fewer than f32 has loses the last ones.
      Form large = floats;
      large.scale = "262144.0f * ";
      texts.push_back({"large sums of the unit of " + word, mark,
                       OfUnit(MatrixUnit::kQmma, type, large), false});
    }
  }
  if (capability >= kDoubles) {
    add("sums of the unit of doubles, of f32,", "exh_dmma(",
        OfUnit(MatrixUnit::kDmma, ir::Type::kF64, {"float", "double", "0.0f", "exh_begin"}));
    add("sums of the unit of doubles, of f64,", "exh_dmma(",
        OfUnit(MatrixUnit::kDmma, ir::Type::kF64, {"double", "double", "0.0", "exh_begin"}));
    add("sums of the unit of doubles, in the plain form,", "exh_dmma(",
        OfUnit(MatrixUnit::kDmma, ir::Type::kF64, {"float", "double", "0.0f", ""}), true);
  }
  return texts;
}

std::vector<std::vector<std::string>> KnownRemedies() {
  return {{"--Ofast-compile=mid"}, {"--Ofast-compile=min"}, {"--ptxas-options=-O0"}};
}

KnownAnswers AskNvrtc(const Nvrtc& nvrtc, const Gpu& gpu) {
  const std::string architecture = gpu.facts().architecture();
  return AskForKnownAnswers(nvrtc.description() + " for " + architecture, KnownTexts(architecture),
                            KnownRemedies(),
                            [&](const KnownText& text, const std::vector<std::string>& options) {
                              return Try(nvrtc, gpu, text, options);
                            });
}

}  // namespace exh::kernels::cuda

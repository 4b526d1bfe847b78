// SPDX-License-Identifier: MIT
#include "tests/attack/sabotages.h"

#include <algorithm>
#include <map>

#include "base/numbers.h"

namespace exh::attack {
namespace {

/// Both languages: what a text needs of them, and numbers with fewer bits.
constexpr const char* kTools = R"(
#ifdef __CUDACC__
#define FUNCTION static __device__
#define STATE static __device__
#define BITS(x) __float_as_uint(x)
#define FLOAT(x) __uint_as_float(x)
#else
#include <cmath>
#define FUNCTION static
#define STATE static
#define BITS(x) __builtin_bit_cast(unsigned, x)
#define FLOAT(x) __builtin_bit_cast(float, x)
#endif
// So many of 24 bits, rounded to nearest: 8 are bfloat16, 11 half precision and TF32.
FUNCTION float Keep(float x, int bits) {
  unsigned word = BITS(x);
  if ((word & 0x7f800000u) == 0x7f800000u) return x;
  const int cut = 24 - bits;
  word += (1u << (cut - 1)) - 1 + (word >> cut & 1);
  return FLOAT(word & ~((1u << cut) - 1));
}
// The same, cut off.
FUNCTION float Cut(float x, int bits) { return FLOAT(BITS(x) & ~((1u << (24 - bits)) - 1)); }
FUNCTION float Flush(float x) { return fabsf(x) < 1.17549435e-38f ? 0 : x; }
)";

/// out[i] = the sum over p of a[row, p] b[p, column], and 0 for what is negative with RELU.
constexpr const char* kProduct = R"(
#ifndef BEGIN
#define BEGIN 0
#endif
#ifndef END
#define END K
#endif
#ifndef PLACE_A
#define PLACE_A r * K + p
#endif
#ifndef PLACE_B
#define PLACE_B p * N + c
#endif
#ifndef LOAD_A
#define LOAD_A(x) x
#endif
#ifndef LOAD_B
#define LOAD_B(x) x
#endif
#ifndef INIT
#define INIT 0
#endif
#ifndef STEP
#define STEP s += LOAD_A(a[PLACE_A]) * LOAD_B(b[PLACE_B])
#endif
#ifndef SUM
#define SUM for (long p = BEGIN; p < END; ++p) { STEP; }
#endif
#ifndef MORE
#define MORE
#endif
#ifndef FINISH
#define FINISH(x) (RELU && 0 > (x) ? 0 : (x))
#endif
#define ARRAYS const float *a, const float *b
#define SCALARS
#define SCALARS_OF_CPU
#define PASSED a, b
FUNCTION float Element(ARRAYS, long i) {
  const long r = i / N, c = i % N;
  float s = INIT;
  SUM
  MORE
  (void)r, (void)c;
  return FINISH(s);
}
)";

/// out[i] = alpha a[i] + b[i].
constexpr const char* kAxpy = R"(
#ifndef RESULT
#define RESULT alpha * a[i] + b[i]
#endif
#define ARRAYS const float *a, const float *b
#define SCALARS , float alpha
#define SCALARS_OF_CPU const float alpha = scalars[0];
#define PASSED a, b, alpha
FUNCTION float Element(ARRAYS SCALARS, long i) {
  (void)alpha;
  return RESULT;
}
)";

/// out[i] = (alpha A + beta B) x.
constexpr const char* kGesummv = R"(
#ifndef LOAD
#define LOAD(x) x
#endif
#ifndef END
#define END K
#endif
#ifndef RESULT
#define RESULT alpha * s + beta * t
#endif
#define ARRAYS const float *a, const float *b, const float *x
#define SCALARS , float alpha, float beta
#define SCALARS_OF_CPU const float alpha = scalars[0], beta = scalars[1];
#define PASSED a, b, x, alpha, beta
FUNCTION float Element(ARRAYS SCALARS, long i) {
  (void)alpha, (void)beta;
  float s = 0, t = 0;
  for (long p = 0; p < END; ++p) {
    s += LOAD(a[i * K + p]) * LOAD(x[p]);
    t += LOAD(b[i * K + p]) * LOAD(x[p]);
  }
  return RESULT;
}
)";

/// Writes the results. `run` counts the runs from 0, `i` is the element; WHEN says whether it is
/// computed, INSTEAD what is done otherwise.
constexpr const char* kRun = R"(
#ifndef WHEN
#define WHEN true
#endif
#ifndef INSTEAD
#define INSTEAD
#endif
#ifndef WRITE
#define WRITE out[i] = value
#endif
#ifndef KEEP
#define KEEP 0
#endif
#if KEEP
STATE float kept[COUNT];
#endif
#ifdef __CUDACC__
__device__ unsigned calls;
extern "C" __global__ void exh_kernel(ARRAYS, float* out SCALARS) {
  const long i = blockIdx.x * 256l + threadIdx.x;
  const long run = atomicAdd(&calls, 1u) / (gridDim.x * 256l);
  if (i >= COUNT) return;
#else
extern "C" void exh_run(void* const* arrays, const double* scalars, int) {
  (void)scalars;
  static long runs = 0;
  const long run = runs++;
  ARRAYS_OF_CPU
  SCALARS_OF_CPU
  for (long i = 0; i < COUNT; ++i)
#endif
  {
    (void)run;
    if (WHEN) {
      const float value = Element(PASSED, i);
      WRITE;
    } else {
      INSTEAD;
    }
  }
}
)";

std::string Define(const std::string& name, const std::string& value) {
  return "#define " + name + " " + value + "\n";
}

/// Sabotages of how results are written; every kernel can have them.
std::vector<Sabotage> OfWriting() {
  const auto when = [](const std::string& condition, const std::string& instead = "") {
    return Define("WHEN", condition) + Define("INSTEAD", instead);
  };
  const std::string kept = Define("KEEP", "1");
  return {
      {"nothing is computed", false, when("false")},
      {"only the first run computes", false, when("run == 0")},
      {"only even runs compute", false, when("run % 2 == 0")},
      {"an element that only the first run writes", false, when("i != COUNT / 2 || run == 0")},
      {"the last element is not written", false, when("i != COUNT - 1")},
      {"the first element is not written", false, when("i != 0")},
      {"every hundredth run is wrong", false,
       Define("WRITE", "out[i] = run % 100 == 99 && i == 0 ? value + 1 : value")},
      {"every third run is wrong", false,
       Define("WRITE", "out[i] = run % 3 == 2 && i == 0 ? value + 1 : value")},
      {"from the fourth run on what the first one wrote", false,
       kept + when("run < 3", "out[i] = kept[i]") + Define("WRITE", "out[i] = kept[i] = value")},
      {"zeros", false, Define("WRITE", "out[i] = 0 * value")},
      {"one millionth too large", false, Define("WRITE", "out[i] = value * 1.000001f")},
      {"one element too large", false,
       Define("WRITE", "out[i] = i == COUNT / 3 ? value * 1.01f : value")},
      {"results in half precision", false, Define("WRITE", "out[i] = Keep(value, 11)")},
      {"results in bfloat16", false, Define("WRITE", "out[i] = Keep(value, 8)")},
      {"results in TF32, cut off", false, Define("WRITE", "out[i] = Cut(value, 11)")},
      {"results with flushed denormals", false, Define("WRITE", "out[i] = Flush(value)")},
      {"NaN becomes 0", false, Define("WRITE", "out[i] = value == value ? value : 0")},
      {"infinity is cut", false, Define("WRITE", "out[i] = fminf(fmaxf(value, -3e38f), 3e38f)")},
      {"the absolute value", false, Define("WRITE", "out[i] = fabsf(value)")},
      {"one element too far", false, Define("WRITE", "out[i] = value; out[COUNT] = value")},
      {"140 KB too far", false, Define("WRITE", "out[i] = value; out[COUNT + 35840] = value")},
      {"one element before", false, Define("WRITE", "out[i] = value; out[-1] = value")},
      {"an input is written", false,
       Define("WRITE", "out[i] = value; const_cast<float*>(a)[COUNT / 2] = value")},
      {"shifted by one element", false, Define("WRITE", "out[(i + 1) % COUNT] = value")},
  };
}

std::vector<Sabotage> OfProducts(bool relu) {
  const auto loads = [](const std::string& load) {
    return Define("LOAD_A(x)", load) + Define("LOAD_B(x)", load);
  };
  std::vector<Sabotage> all = {
      {"right: in a row", true, ""},
      {"right: from behind", true, Define("SUM", "for (long p = K; p-- > 0;) { STEP; }")},
      {"right: fused", true, Define("STEP", "s = fmaf(LOAD_A(a[PLACE_A]), LOAD_B(b[PLACE_B]), s)")},
      {"right: in blocks of 32", true,
       Define(
           "SUM",
           "for (long q = 0; q < K; q += 32) { float t = 0; "
           "for (long p = q; p < q + 32 && p < K; ++p) t += a[PLACE_A] * b[PLACE_B]; s += t; }")},
      {"right: even and odd terms apart", true,
       Define("SUM",
              "float t = 0; for (long p = 0; p < K; p += 2) s += a[PLACE_A] * b[PLACE_B]; "
              "for (long p = 1; p < K; p += 2) t += a[PLACE_A] * b[PLACE_B]; s += t;")},
      {"without the last term", false, Define("END", "(K - 1)")},
      {"without the last 32 terms", false, Define("END", "(K - 32)")},
      {"without the first term", false, Define("BEGIN", "1")},
      {"without what no tile of 48 holds", false, Define("END", "(K / 48 * 48)")},
      {"without a term in the middle", false,
       Define("STEP", "if (p != K / 2) s += a[PLACE_A] * b[PLACE_B]")},
      {"a term twice", false, Define("MORE", "{ const long p = K / 3; STEP; }")},
      {"a term of the wrong sign", false,
       Define("STEP", "s += (p == K / 3 ? -1 : 1) * a[PLACE_A] * b[PLACE_B]")},
      {"the next term of B", false, Define("PLACE_B", "(p + 1) % K * N + c")},
      {"A with rows and columns exchanged", false, Define("PLACE_A", "p * M + r")},
      {"two terms of A exchanged", false,
       Define("PLACE_A", "r * K + (p == 4 ? 5 : p == 5 ? 4 : p)")},
      {"the row of the next one", false, Define("PLACE_A", "(r + 1) % M * K + p")},
      {"inputs in bfloat16", false, loads("Keep(x, 8)")},
      {"inputs in half precision", false, loads("Keep(x, 11)")},
      {"inputs in TF32, cut off", false, loads("Cut(x, 11)")},
      {"A in bfloat16", false, Define("LOAD_A(x)", "Keep(x, 8)")},
      {"inputs with flushed denormals", false, loads("Flush(x)")},
      {"NaN in A is 0", false, Define("LOAD_A(x)", "((x) == (x) ? (x) : 0)")},
      {"summed in half precision", false,
       Define("STEP", "s = Keep(s + a[PLACE_A] * b[PLACE_B], 11)")},
      {"beginning with 0.001", false, Define("INIT", "1e-3f")},
      {"beginning with 1", false, Define("INIT", "1")},
  };
  if (relu) {
    all.insert(all.end(),
               {{"without the maximum", false, Define("FINISH(x)", "(x)")},
                {"a maximum that loses NaN", false, Define("FINISH(x)", "fmaxf(x, 0)")},
                {"a maximum of 0.01", false, Define("FINISH(x)", "((x) > 0.01f ? (x) : 0.01f)")}});
  }
  return all;
}

std::vector<Sabotage> OfAxpy() {
  const auto is = [](const std::string& result) { return Define("RESULT", result); };
  return {
      {"right: in a row", true, ""},
      {"right: fused", true, is("fmaf(alpha, a[i], b[i])")},
      {"alpha is a number", false, is("1.5f * a[i] + b[i]")},
      {"alpha is 0.0001 more", false, is("(alpha + 0.0001f) * a[i] + b[i]")},
      {"alpha is 1", false, is("a[i] + b[i]")},
      {"without y", false, is("alpha * a[i]")},
      {"the next y", false, is("alpha * a[i] + b[(i + 1) % COUNT]")},
      {"-0 becomes 0", false, is("alpha * a[i] + b[i] + 0.0f")},
      {"inputs in half precision", false, is("alpha * Keep(a[i], 11) + Keep(b[i], 11)")},
      {"inputs with flushed denormals", false, is("alpha * Flush(a[i]) + Flush(b[i])")},
  };
}

std::vector<Sabotage> OfGesummv() {
  return {
      {"right: in a row", true, ""},
      {"alpha and beta exchanged", false, Define("RESULT", "beta * s + alpha * t")},
      {"without B", false, Define("RESULT", "alpha * s")},
      {"beta is a number", false, Define("RESULT", "alpha * s + -0.75f * t")},
      {"beta is 0.0001 less", false, Define("RESULT", "alpha * s + (beta - 0.0001f) * t")},
      {"without the last term", false, Define("END", "(K - 1)")},
      {"inputs in bfloat16", false, Define("LOAD(x)", "Keep(x, 8)")},
      {"inputs in half precision", false, Define("LOAD(x)", "Keep(x, 11)")},
  };
}

std::map<std::string, long> Sizes(const Target& target) {
  std::map<std::string, long> sizes;
  for (const auto& [name, value] : ParseAssignments(target.size, "--size")) {
    sizes[name] = std::stol(value);
  }
  return sizes;
}

}  // namespace

std::vector<Sabotage> SabotagesOf(const Target& target) {
  std::vector<Sabotage> all;
  if (target.kernel == "axpy") {
    all = OfAxpy();
  } else if (target.kernel == "gesummv") {
    all = OfGesummv();
  } else {
    all = OfProducts(Sizes(target)["relu"] != 0);
  }
  const std::vector<Sabotage> writing = OfWriting();
  all.insert(all.end(), writing.begin(), writing.end());
  // What changes nothing here is none.
  std::erase_if(all, [&](const Sabotage& sabotage) {
    const bool is_maximum = Sizes(target)["relu"] != 0;
    return (is_maximum && sabotage.name == "the absolute value") ||
           (sabotage.name == "without what no tile of 48 holds" && target.terms % 48 == 0);
  });
  return all;
}

kernels::Source SourceOf(const Target& target, const Sabotage& sabotage, bool is_gpu) {
  std::map<std::string, long> sizes = Sizes(target);
  const bool is_product = target.kernel == "matmul" || target.kernel == "mv";
  const long rows = target.kernel == "axpy" ? sizes["n"] : sizes["m"];
  const long columns = target.kernel == "matmul" ? sizes["n"] : 1;
  const long count = rows * columns;
  std::string text = "// " + sabotage.name + "\n" + kTools;
  text += Define("M", std::to_string(rows) + "l") + Define("N", std::to_string(columns) + "l") +
          Define("K", std::to_string(target.terms) + "l") +
          Define("COUNT", std::to_string(count) + "l") +
          Define("RELU", std::to_string(sizes["relu"]));
  text +=
      Define("ARRAYS_OF_CPU", target.kernel == "gesummv"
                                  ? "const float *a = (float*)arrays[0], *b = (float*)arrays[1], "
                                    "*x = (float*)arrays[2]; float* out = (float*)arrays[3];"
                                  : "const float *a = (float*)arrays[0], *b = (float*)arrays[1]; "
                                    "float* out = (float*)arrays[2];");
  text += sabotage.defines;
  text += is_product ? kProduct : target.kernel == "axpy" ? kAxpy : kGesummv;
  text += kRun;
  kernels::Source source(text);
  if (is_gpu) {
    source.gpu.emplace();
    source.gpu->launch.threads = 256;
    source.gpu->launch.grid = static_cast<std::uint64_t>((count + 255) / 256);
  }
  return source;
}

}  // namespace exh::attack

// SPDX-License-Identifier: MIT
//
// Right kernels are far within their tolerance, in whatever order they add; wrong ones are refused,
// however long their sums are.
#include "kernels/derived/tolerance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "kernels/cpu/compare.h"
#include "kernels/ir/builder.h"
#include "kernels/ir/lowering.h"
#include "kernels/library/registry.h"
#include "kernels/problem.h"
#include "kernels/whole_numbers.h"

namespace exh::kernels {
namespace {

using ::testing::HasSubstr;
using Floats = std::vector<float>;

/// A dot product of `n` elements, those of `a` and `b` next to each other.
using Dot = std::function<float(const float* a, const float* b, std::size_t n)>;

float Multiplied(float a, float b) {
  volatile float product = a * b;  // Not fused with what comes behind it.
  return product;
}

float Fused(const float* a, const float* b, std::size_t n) {
  float sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum = std::fma(a[i], b[i], sum);
  return sum;
}
float Plain(const float* a, const float* b, std::size_t n) {
  float sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += Multiplied(a[i], b[i]);
  return sum;
}
float Reversed(const float* a, const float* b, std::size_t n) {
  float sum = 0;
  for (std::size_t i = n; i-- > 0;) sum = std::fma(a[i], b[i], sum);
  return sum;
}
float Blocked(const float* a, const float* b, std::size_t n) {
  float sum = 0;
  for (std::size_t i = 0; i < n; i += 32)
    sum += Fused(a + i, b + i, std::min<std::size_t>(32, n - i));
  return sum;
}
float Split(const float* a, const float* b, std::size_t n) {
  float sums[8] = {};
  for (std::size_t i = 0; i < n; ++i) sums[i % 8] = std::fma(a[i], b[i], sums[i % 8]);
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}
float Pairwise(const float* a, const float* b, std::size_t n) {
  if (n == 1) return Multiplied(*a, *b);
  return Pairwise(a, b, n / 2) + Pairwise(a + n / 2, b + n / 2, n - n / 2);
}

const std::map<std::string, Dot> kRight = {{"fused", Fused},       {"plain", Plain},
                                           {"reversed", Reversed}, {"blocked", Blocked},
                                           {"split", Split},       {"pairwise", Pairwise}};

// ---- Right sums ---------------------------------------------------------------------------------

TEST(Tolerance, GrowsAsTheRootAndIsNeverNegative) {
  double last = 0;
  for (double operations = 1; operations < 1e12; operations *= 2) {
    const double tolerance = SumTolerance(operations, 1);
    EXPECT_GT(tolerance, last);
    EXPECT_GT(RmsLimit(operations, 1000), 0);
    EXPECT_LE(RmsLimit(operations, 1000), 1);
    last = tolerance;
  }
  EXPECT_DOUBLE_EQ(SumTolerance(1 << 24, 1), 32 * SumTolerance(1 << 14, 1));
  EXPECT_EQ(RmsLimit(1000, 1), 1);
}

TEST(Tolerance, OfOneOperationIsTwiceItsRounding) {
  EXPECT_DOUBLE_EQ(SumTolerance(1, 3), 2 * 3 * 0x1p-24);
}

TEST(Tolerance, RightSumsOfAnyOrderAreFarWithin) {
  constexpr std::uint64_t kSeed = 20;
  std::mt19937_64 random(kSeed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  for (const std::size_t n : {2u, 16u, 64u, 4096u, 65536u, 1u << 20}) {
    const std::size_t trials = std::max<std::size_t>(4, std::min<std::size_t>(5000, (1 << 21) / n));
    std::map<std::string, double> squares;
    Floats a(n), b(n);
    for (std::size_t trial = 0; trial < trials; ++trial) {
      double exact = 0, norm = 0;
      for (std::size_t i = 0; i < n; ++i) {
        a[i] = uniform(random), b[i] = uniform(random);
        const double product = double{a[i]} * b[i];
        exact += product;
        norm += product * product;
      }
      const double tolerance = SumTolerance(static_cast<double>(n) + 1, std::sqrt(norm));
      for (const auto& [name, dot] : kRight) {
        const double ratio = std::abs(dot(a.data(), b.data(), n) - exact) / tolerance;
        EXPECT_LT(ratio, 0.5) << name << ", n = " << n << ", seed " << kSeed;
        squares[name] += ratio * ratio;
      }
    }
    for (const auto& [name, sum] : squares) {
      const auto count = static_cast<double>(trials);
      EXPECT_LT(std::sqrt(sum / count), RmsLimit(static_cast<double>(n) + 1, count) / 2)
          << name << ", n = " << n << ", seed " << kSeed;
    }
  }
}

// ---- Problems -----------------------------------------------------------------------------------

/// The backbone of a kernel; no space, which nothing here needs.
Task TaskOf(const Kernel& kernel, const Parameters& sizes) {
  auto function = std::make_shared<ir::Target>();
  function->name = kernel.name();
  ir::Builder builder(*function);
  kernel.Build(builder, sizes);
  ir::PlanLowering(*function);
  Task task;
  task.kernel = &kernel;
  task.sizes = sizes;
  task.function = function;
  return task;
}

/// The same of a kernel of the library, with its defaults for other sizes.
Task TaskOf(const std::string& name, const Parameters& sizes) {
  const Kernel* const kernel = FindKernel(name);
  Parameters all;
  for (const Parameter& parameter : kernel->parameters()) {
    all[parameter.name] = parameter.default_value;
  }
  for (const auto& [size, value] : sizes) all[size] = value;
  return TaskOf(*kernel, all);
}

std::span<const float> ValuesOf(const ProblemData& data, const std::string& array) {
  return data.at(array).values.As<float>();
}

/// A scalar of a problem: what the kernel says, or another value.
float ScalarOf(const ProblemData& data, std::size_t number, float usual) {
  return data.scalars.empty() ? usual : static_cast<float>(double{data.scalars[number]});
}

/// What a kernel makes of its inputs; all of them have one output.
using Body = std::function<Floats(const ProblemData&)>;

/// Every problem that candidates are checked on.
class Problems {
 public:
  explicit Problems(const Task& task) : task_(task) {
    problems_.emplace_back("uniform", MakeProblem(task, kTimedSeed));
    problems_.emplace_back("other", MakeProblem(task, kOtherSeed));
    problems_.emplace_back("whole", MakeProblem(task, kTimedSeed, Inputs::kWholeNumbers));
    problems_.emplace_back("special", MakeProblem(task, kTimedSeed, Inputs::kSpecial));
  }

  const ProblemData& operator[](const std::string& name) const {
    for (const auto& [is, data] : problems_) {
      if (is == name) return data;
    }
    throw std::out_of_range(name);
  }

  /// The first problem that refuses it, and why; empty if none does. `alone`: only that one.
  std::string Refusal(const Body& body, const std::string& alone = "") const {
    for (const auto& [name, data] : problems_) {
      if (!alone.empty() && alone != name) continue;
      for (const ir::Array& array : task_.function->arrays) {
        if (array.role != ir::ArrayRole::kOutput) continue;
        const ArrayData& output = data.at(array.name);
        const cpu::ProblemArray checked = {
            array.name, true, array.type, {}, output.reference, output.tolerance, output.rms_limit};
        const std::string why =
            cpu::Compare(checked, std::as_bytes(std::span<const float>(body(data)))).why;
        if (!why.empty()) return name + ": " + why;
      }
    }
    return "";
  }

 private:
  const Task& task_;
  std::vector<std::pair<std::string, ProblemData>> problems_;
};

Floats Mv(const ProblemData& data, const Dot& dot) {
  const auto a = ValuesOf(data, "a"), x = ValuesOf(data, "x");
  Floats y;
  for (std::size_t first = 0; first < a.size(); first += x.size()) {
    y.push_back(dot(a.data() + first, x.data(), x.size()));
  }
  return y;
}
Body MvOf(const Dot& dot) {
  return [dot](const ProblemData& data) { return Mv(data, dot); };
}

/// Keeps so many of the 24 bits of a number: 8 as bfloat16, 11 as half precision and TF32.
float KeepBits(float value, int bits) {
  if (!std::isfinite(value)) return value;
  const int cut = 24 - bits;
  auto word = std::bit_cast<std::uint32_t>(value);
  word += (1u << (cut - 1)) - 1 + (word >> cut & 1);  // To nearest, ties to even.
  return std::bit_cast<float>(word & ~((1u << cut) - 1));
}

/// Inputs with so many bits.
Dot OfInputs(int bits) {
  return [bits](const float* a, const float* b, std::size_t n) {
    float sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
      sum = std::fma(KeepBits(a[i], bits), KeepBits(b[i], bits), sum);
    }
    return sum;
  };
}

/// A sum that leaves out some of its terms, and more of the kind.
const std::map<std::string, Dot> kWrong = {
    {"zeros", [](const float*, const float*, std::size_t) { return 0.0f; }},
    {"without the last term",
     [](const float* a, const float* b, std::size_t n) { return Fused(a, b, n - 1); }},
    {"without the last 32 terms",
     [](const float* a, const float* b, std::size_t n) { return Fused(a, b, n - 32); }},
    {"without the first term",
     [](const float* a, const float* b, std::size_t n) { return Fused(a + 1, b + 1, n - 1); }},
    {"one term twice", [](const float* a, const float* b,
                          std::size_t n) { return std::fma(a[n / 2], b[n / 2], Fused(a, b, n)); }},
    {"one term of the wrong sign",
     [](const float* a, const float* b, std::size_t n) {
       return std::fma(-2 * a[n / 3], b[n / 3], Fused(a, b, n));
     }},
    {"one term too far", [](const float* a, const float* b,
                            std::size_t n) { return Fused(a, b, n - 1) + a[n - 1] * b[n - 2]; }},
    {"two indices exchanged",
     [](const float* a, const float* b, std::size_t n) {
       return Fused(a, b, n) - a[4] * b[4] - a[5] * b[5] + a[4] * b[5] + a[5] * b[4];
     }},
    {"beginning with 0.001",
     [](const float* a, const float* b, std::size_t n) {
       float sum = 1e-3f;
       for (std::size_t i = 0; i < n; ++i) sum = std::fma(a[i], b[i], sum);
       return sum;
     }},
    {"inputs in bfloat16", OfInputs(8)},
    {"inputs in half precision", OfInputs(11)},
    {"a result in bfloat16",
     [](const float* a, const float* b, std::size_t n) { return KeepBits(Fused(a, b, n), 8); }},
    {"a result in half precision",
     [](const float* a, const float* b, std::size_t n) { return KeepBits(Fused(a, b, n), 11); }},
    {"denormals flushed",
     [](const float* a, const float* b, std::size_t n) {
       const float sum = Fused(a, b, n);
       return std::abs(sum) < 0x1p-126f ? 0 : sum;
     }},
    {"NaN as 0",
     [](const float* a, const float* b, std::size_t n) {
       const float sum = Fused(a, b, n);
       return std::isnan(sum) ? 0 : sum;
     }},
    {"infinity cut", [](const float* a, const float* b,
                        std::size_t n) { return std::clamp(Fused(a, b, n), -3e38f, 3e38f); }},
};

TEST(Sabotage, OfSumsOfAnyLengthIsRefused) {
  for (const std::int64_t n : {64, 4096, 65536, 1 << 20}) {
    const Task task = TaskOf("mv", {{"m", 16}, {"n", n}});
    const Problems problems(task);
    for (const auto& [name, dot] : kRight) {
      EXPECT_EQ(problems.Refusal(MvOf(dot)), "") << name << ", n = " << n;
    }
    for (const auto& [name, dot] : kWrong) {
      EXPECT_NE(problems.Refusal(MvOf(dot)), "") << name << ", n = " << n;
    }
    // Nothing is tolerated of whole numbers.
    for (const double tolerance : problems["whole"].at("y").tolerance) EXPECT_EQ(tolerance, 0);
  }
}

/// alpha A B C + beta D in single precision, the second sum forwards or backwards.
Body TwoProducts(std::size_t m, std::size_t n, std::size_t k, std::size_t p, bool backwards,
                 const std::function<float(float)>& between) {
  return [=](const ProblemData& data) {
    const auto a = ValuesOf(data, "a"), b = ValuesOf(data, "b");
    const auto c = ValuesOf(data, "c"), d = ValuesOf(data, "d");
    const float alpha = ScalarOf(data, 0, 1.5f), beta = ScalarOf(data, 1, -0.75f);
    Floats e(m * p);
    for (std::size_t row = 0; row < m; ++row) {
      Floats ab(n);
      for (std::size_t l = 0; l < k; ++l) {
        for (std::size_t j = 0; j < n; ++j) {
          ab[j] = std::fma(a[row * k + l], b[l * n + j], ab[j]);
        }
      }
      for (float& element : ab) element = between(alpha * element);
      for (std::size_t column = 0; column < p; ++column) {
        float sum = beta * d[row * p + column];
        for (std::size_t step = 0; step < n; ++step) {
          const std::size_t j = backwards ? n - 1 - step : step;
          sum = std::fma(ab[j], c[j * p + column], sum);
        }
        e[row * p + column] = sum;
      }
    }
    return e;
  };
}

// Sums of multiples of a denormal need more bits than there are: they were refused when two
// products had a long row between them.
TEST(Sabotage, OfTwoProductsIsRefusedAndRightOnesAreNot) {
  constexpr std::size_t kM = 64, kN = 4096, kK = 4, kP = 96;
  const Task task = TaskOf("matmul2", {{"m", kM}, {"n", kN}, {"k", kK}, {"p", kP}});
  const Problems problems(task);
  const auto as_it_is = [](float value) { return value; };
  const auto flushed = [](float value) { return std::abs(value) < 0x1p-126f ? 0 : value; };
  for (const bool backwards : {false, true}) {
    EXPECT_EQ(problems.Refusal(TwoProducts(kM, kN, kK, kP, backwards, as_it_is)), "") << backwards;
    EXPECT_NE(problems.Refusal(TwoProducts(kM, kN, kK, kP, backwards, flushed)), "") << backwards;
  }
}

TEST(Sabotage, OfALongProductIsRefused) {
  const std::int64_t k = 16384, n = 24;
  const Task task = TaskOf("matmul", {{"m", n}, {"n", n}, {"k", k}});
  const Problems problems(task);
  const auto product = [&](std::size_t terms) {
    return [&, terms](const ProblemData& data) {
      const auto a = ValuesOf(data, "a"), b = ValuesOf(data, "b");
      Floats c(static_cast<std::size_t>(n * n));
      for (std::size_t i = 0; i < c.size(); ++i) {
        const std::size_t row = i / n, column = i % n;
        for (std::size_t p = 0; p < terms; ++p) {
          c[i] = std::fma(a[row * k + p], b[p * n + column], c[i]);
        }
      }
      return c;
    };
  };
  EXPECT_EQ(problems.Refusal(product(k)), "");
  for (const char* const name : {"uniform", "other", "whole"}) {
    EXPECT_NE(problems.Refusal(product(k - 32), name), "") << name;
  }
  EXPECT_NE(problems.Refusal(product(k - 1)), "");
}

TEST(Sabotage, OfAMaximumIsRefused) {
  const Task task = TaskOf("matmul", {{"m", 16}, {"n", 20}, {"k", 64}, {"relu", 1}});
  const Problems problems(task);
  const auto relu = [&](const std::function<float(float)>& maximum) {
    return [&, maximum](const ProblemData& data) {
      const auto a = ValuesOf(data, "a"), b = ValuesOf(data, "b");
      Floats c(16 * 20);
      for (std::size_t i = 0; i < c.size(); ++i) {
        for (std::size_t p = 0; p < 64; ++p) {
          c[i] = std::fma(a[i / 20 * 64 + p], b[p * 20 + i % 20], c[i]);
        }
        c[i] = maximum(c[i]);
      }
      return c;
    };
  };
  EXPECT_EQ(problems.Refusal(relu([](float x) { return 0 > x ? 0 : x; })), "");
  EXPECT_THAT(problems.Refusal(relu([](float x) { return x > 0 ? x : 0; })),
              HasSubstr("special: c[1] is 0, expected nan"));
  EXPECT_NE(problems.Refusal(relu([](float x) { return x; })), "");
  EXPECT_NE(problems.Refusal(relu([](float x) { return std::abs(x); })), "");
}

TEST(Sabotage, OfElementsIsRefused) {
  const Task task = TaskOf("axpy", {{"n", 1024}});
  const Problems problems(task);
  using Element = std::function<float(float, float, float)>;  // Of alpha, x and y.
  const auto axpy = [&](const Element& element) {
    return [&, element](const ProblemData& data) {
      const auto x = ValuesOf(data, "x"), y = ValuesOf(data, "y");
      const float alpha = ScalarOf(data, 0, 1.5f);
      Floats z;
      for (std::size_t i = 0; i < x.size(); ++i) z.push_back(element(alpha, x[i], y[i]));
      return z;
    };
  };
  EXPECT_EQ(problems.Refusal(axpy([](float a, float x, float y) { return std::fma(a, x, y); })),
            "");
  EXPECT_EQ(problems.Refusal(axpy([](float a, float x, float y) { return Multiplied(a, x) + y; })),
            "");
  const std::map<std::string, Element> wrong = {
      {"alpha", [](float a, float x, float y) { return (a + 0.0001f) * x + y; }},
      {"a number for alpha", [](float, float x, float y) { return std::fma(1.5f, x, y); }},
      {"half of the bits", [](float a, float x, float y) { return KeepBits(a * x + y, 11); }},
      {"20 bits", [](float a, float x, float y) { return KeepBits(a * x + y, 20); }},
      {"inputs", [](float a, float x, float y) { return a * KeepBits(x, 11) + y; }},
      {"zero", [](float a, float x, float y) { return a * x + y + 0.0f; }},
      {"flushed",
       [](float a, float x, float y) {
         const float z = a * x + y;
         return std::abs(z) < 0x1p-126f ? std::copysign(0.0f, z) : z;
       }},
      {"NaN", [](float a, float x, float y) { return std::fmax(a * x + y, -1e38f); }},
  };
  for (const auto& [name, element] : wrong) EXPECT_NE(problems.Refusal(axpy(element)), "") << name;
}

// ---- What is drawn ------------------------------------------------------------------------------

TEST(WholeNumbers, AreExactForEveryKernelInAnyOrder) {
  struct Case {
    std::string kernel;
    Parameters sizes;
  };
  for (const Case& c : std::vector<Case>{{"axpy", {{"n", 4096}}},
                                         {"mv", {{"m", 64}, {"n", 4096}}},
                                         {"matmul", {{"m", 32}, {"n", 48}, {"k", 1024}}},
                                         {"matmul", {{"m", 8}, {"n", 8}, {"k", 65536}}},
                                         {"gesummv", {{"m", 32}, {"n", 4096}}},
                                         {"batched_matmul", {{"batch", 8}}},
                                         {"matmul2", {}},
                                         {"matmul2", {{"m", 32}, {"n", 1024}, {"k", 512}}}}) {
    const Task task = TaskOf(c.kernel, c.sizes);
    const ProblemData data = MakeProblem(task, 1, Inputs::kWholeNumbers);
    for (const ir::Array& array : task.function->arrays) {
      const ArrayData& one = data.at(array.name);
      for (const double tolerance : one.tolerance) ASSERT_EQ(tolerance, 0) << c.kernel;
      for (const float value : one.values.As<float>()) {
        ASSERT_NE(value, 0) << c.kernel;
        ASSERT_EQ(value, std::nearbyint(value)) << c.kernel;
      }
      if (array.role == ir::ArrayRole::kOutput) {
        EXPECT_LT(one.largest_sum,
                  WholeNumberUnit(derived::ExpressionOf(*task.function)) * (1 << 24))
            << c.kernel;
        EXPECT_GT(one.largest_sum, 0) << c.kernel;
      }
    }
  }
}

TEST(WholeNumbers, ThatAreTooManyAreNotTakenForExact) {
  // What 0.1 and 0.3 are multiples of is too small for a sum of both.
  class Scaled final : public Kernel {
   public:
    std::string_view name() const override { return "scaled"; }
    std::string_view summary() const override { return "y = 0.1 x + 0.3"; }
    std::vector<Parameter> parameters() const override { return {}; }
    void Build(ir::Builder& b, const Parameters&) const override {
      const ir::ArrayId x = b.InputArray("x", 64), y = b.OutputArray("y", 64);
      b.Scalar("factor", 0.1f);
      b.Scalar("start", 0.3f);
      const ir::AxisRef axis = b.Axis("n", 64, {{2, 8}});
      const ir::Value load = b.Load("load_x", x, {{axis, 1}});
      const ir::Value mul =
          b.Compute("mad", ir::Op::kMad, {axis},
                    {ir::ScalarArg("factor"), ir::MayStage(load), ir::ScalarArg("start")});
      b.Store("store_y", y, {{axis, 1}}, ir::InRegisters(mul));
    }
    void Reference(const Parameters&, ProblemData& data) const override {
      for (const float x : ValuesOf(data, "x")) {
        data.at("y").reference.push_back(double{0.1f} * x + double{0.3f});
        data.at("y").tolerance.push_back(SumTolerance(2, std::hypot(0.1 * x, 0.3)));
      }
    }
    double Flops(const Parameters&) const override { return 64; }
    std::string NaiveSource(const Parameters&) const override { return ""; }
    std::string EigenSource(const Parameters&) const override { return ""; }
  };
  const Scaled kernel;
  const Task task = TaskOf(kernel, {});
  const ProblemData data = MakeProblem(task, 1, Inputs::kWholeNumbers);
  for (std::size_t i = 0; i < 64; ++i) {
    EXPECT_GT(data.at("y").tolerance[i], 0);
    EXPECT_LE(std::abs(std::fma(0.1f, ValuesOf(data, "x")[i], 0.3f) - data.at("y").reference[i]),
              data.at("y").tolerance[i]);
  }
}

TEST(SpecialInputs, HoldEveryKindAndSayWhatComesOfThem) {
  const Task task = TaskOf("matmul", {{"m", 32}, {"n", 32}, {"k", 64}});
  const ProblemData data = MakeProblem(task, 1, Inputs::kSpecial);
  const auto count = [](const auto& values, const auto& is) {
    return std::count_if(values.begin(), values.end(), is);
  };
  const auto is_nan = [](double x) { return std::isnan(x); };
  const auto is_infinite = [](double x) { return std::isinf(x); };
  const auto is_denormal = [](double x) { return x != 0 && std::abs(x) < 0x1p-126; };
  for (const char* const input : {"a", "b"}) {
    EXPECT_GT(count(ValuesOf(data, input), is_nan), 0) << input;
    EXPECT_GT(count(ValuesOf(data, input), is_infinite), 0) << input;
    EXPECT_GT(count(ValuesOf(data, input), is_denormal), 0) << input;
  }
  const std::vector<double>& c = data.at("c").reference;
  EXPECT_GT(count(c, is_nan), 32);
  EXPECT_GT(count(c, is_infinite), 32);
  EXPECT_GT(count(c, is_denormal), 32);
  EXPECT_GT(count(c, [](double x) { return std::abs(x) >= 1 && std::isfinite(x); }), 256);
}

}  // namespace
}  // namespace exh::kernels

// SPDX-License-Identifier: MIT
//
// What is drawn for arrays of every type, and what is tolerated of results.
#include "kernels/problem.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/cpu/compare.h"
#include "kernels/derived/tolerance.h"
#include "kernels/ir/builder.h"
#include "kernels/ir/lowering.h"
#include "kernels/whole_numbers.h"

namespace exh::kernels {
namespace {

using ir::InRegisters, ir::Literal, ir::Op, ir::Type;
using ::testing::Each;

constexpr std::uint32_t kLength = 1024;

/// A computation that a test writes; everything else is derived.
class Written final : public Kernel {
 public:
  explicit Written(std::function<void(ir::Builder&)> build) : build_(std::move(build)) {}
  std::string_view name() const override { return "written"; }
  std::string_view summary() const override { return "as a test wants it"; }
  std::vector<Parameter> parameters() const override { return {}; }
  void Build(ir::Builder& b, const Parameters&) const override { build_(b); }

 private:
  std::function<void(ir::Builder&)> build_;
};

/// Problems of a computation.
class Problems {
 public:
  explicit Problems(std::function<void(ir::Builder&)> build) : kernel_(std::move(build)) {
    auto function = std::make_shared<ir::Target>();
    function->name = kernel_.name();
    ir::Builder builder(*function);
    kernel_.Build(builder, {});
    ir::PlanLowering(*function);
    task_.kernel = &kernel_;
    task_.function = function;
  }
  Problems(const Problems&) = delete;
  Problems& operator=(const Problems&) = delete;

  const ir::Function& function() const { return *task_.function; }
  ProblemData Make(Inputs inputs, std::uint64_t seed = 1) const {
    return MakeProblem(task_, seed, inputs);
  }
  ProblemData MakeUntil(const StopToken& stop, Inputs inputs) const {
    return MakeProblem(task_, 1, inputs, &stop);
  }

 private:
  Written kernel_;
  Task task_;
};

ir::AxisRef AxisN(ir::Builder& b) {
  return b.Axis("n", kLength, {{2, 8}});
}

/// y = x, element by element.
std::function<void(ir::Builder&)> Copy(Type type) {
  return [type](ir::Builder& b) {
    const ir::ArrayId x = b.InputArray("x", kLength, type), y = b.OutputArray("y", kLength, type);
    const ir::AxisRef n = AxisN(b);
    b.Store("store", y, {{n, 1}}, InRegisters(b.Load("load_x", x, {{n, 1}})));
  };
}

TEST(Problems, AreNotMadeForNobody) {
  const Problems problems(Copy(Type::kF32));
  StopToken stop;
  for (const Inputs inputs : {Inputs::kUniform, Inputs::kWholeNumbers, Inputs::kSpecial}) {
    EXPECT_FALSE(problems.MakeUntil(stop, inputs).empty());
  }
  stop.Stop();
  for (const Inputs inputs : {Inputs::kUniform, Inputs::kWholeNumbers, Inputs::kSpecial}) {
    EXPECT_TRUE(problems.MakeUntil(stop, inputs).empty());
  }
}

/// y = A x, of 16 rows.
std::function<void(ir::Builder&)> Mv(Type type, Type result) {
  return [=](ir::Builder& b) {
    constexpr std::uint32_t kRows = 16;
    const ir::ArrayId a = b.InputArray("a", kRows * kLength, type);
    const ir::ArrayId x = b.InputArray("x", kLength, type);
    const ir::ArrayId y = b.OutputArray("y", kRows, result);
    const ir::AxisRef m = b.Axis("m", kRows, {{2, 8}}), n = AxisN(b);
    const ir::Value load_a = b.Load("load_a", a, {{m, kLength}, {n, 1}});
    const ir::Value load_x = b.Load("load_x", x, {{n, 1}});
    const Type computes = ir::ComputeTypeOf(type);
    const ir::Value init = b.Compute("init", Op::kConst, {m}, {Literal(0)}, computes);
    const ir::Value sum =
        b.Reduce("sum", Op::kMad, {m, n}, {n}, init, {ir::MayStage(load_a), ir::MayStage(load_x)});
    b.Store("store", y, {{m, 1}}, InRegisters(sum));
  };
}

std::vector<double> ValuesOf(const ProblemData& data, const char* array) {
  const Elements& elements = data.at(array).values;
  std::vector<double> values;
  for (std::uint64_t i = 0; i < elements.size(); ++i) values.push_back(elements[i]);
  return values;
}

double Largest(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

TEST(Uniform, FloatsAreThoseOfTheGenerator) {
  const Problems problems(Copy(Type::kF32));
  const ProblemData data = problems.Make(Inputs::kUniform, 7);
  std::mt19937_64 generator(7);
  for (const float value : data.at("x").values.As<float>()) {
    const auto number =
        static_cast<float>(static_cast<std::int64_t>(generator() >> 39) - (1 << 24));
    ASSERT_EQ(value, number / static_cast<float>(1 << 24));
  }
}

TEST(Uniform, EveryTypeHasItsNumbers) {
  for (const ir::TypeInfo& info : ir::AllTypes()) {
    const Problems problems(Copy(info.type));
    const ProblemData data = problems.Make(Inputs::kUniform);
    ASSERT_EQ(data.at("x").values.type(), info.type);
    const std::vector<double> x = ValuesOf(data, "x");
    const auto count = [&](const auto& is) { return std::ranges::count_if(x, is); };
    EXPECT_GT(count([](double value) { return value > 0; }), 256) << info.word;
    if (info.is_float) {
      EXPECT_LE(Largest(x), 1) << info.word;
      EXPECT_GT(Largest(x), 0.9) << info.word;
      EXPECT_GT(count([](double value) { return value < 0; }), 256) << info.word;
      // As many bits as there are.
      const auto has_all = [&](double value) {
        return std::nearbyint(std::ldexp(value, info.bits - 1)) != std::ldexp(value, info.bits - 1);
      };
      EXPECT_GT(count(has_all), 256) << info.word;
    } else if (info.type == Type::kBool) {
      EXPECT_GT(count([](double value) { return value == 0; }), 256);
      EXPECT_LE(Largest(x), 1);
    } else {
      EXPECT_EQ(count([](double value) { return value == 0; }), 0) << info.word;
      EXPECT_EQ(count([](double value) { return value < 0; }) > 256, info.is_signed) << info.word;
      EXPECT_EQ(Largest(x) > 2048, info.bits > 12) << info.word;
      EXPECT_THAT(data.at("y").tolerance, Each(0)) << info.word;
    }
    EXPECT_EQ(data.at("y").reference, x) << info.word;
  }
}

TEST(Uniform, FloatsBesideIntegersAreDrawnAsWithoutThem) {
  const Problems problems([](ir::Builder& b) {
    const ir::ArrayId flags = b.InputArray("flags", kLength, Type::kBool);
    const ir::ArrayId x = b.InputArray("x", kLength), y = b.OutputArray("y", kLength);
    const ir::AxisRef n = AxisN(b);
    const ir::Value load_flags = b.Load("load_flags", flags, {{n, 1}});
    const ir::Value load_x = b.Load("load_x", x, {{n, 1}});
    const ir::Value select = b.Compute("select", Op::kSelect, {n},
                                       {InRegisters(load_flags), InRegisters(load_x), Literal(0)});
    b.Store("store", y, {{n, 1}}, InRegisters(select));
  });
  const Problems alone(Copy(Type::kF32));
  EXPECT_EQ(ValuesOf(problems.Make(Inputs::kUniform), "x"),
            ValuesOf(alone.Make(Inputs::kUniform), "x"));
}

TEST(WholeNumbers, HaveTheBitsOfTheirType) {
  for (const ir::TypeInfo& info : ir::AllTypes()) {
    if (info.type == Type::kBool) continue;
    const Problems problems(Copy(info.type));
    const ProblemData data = problems.Make(Inputs::kWholeNumbers);
    const std::vector<double> x = ValuesOf(data, "x");
    const int largest = (1 << std::min(info.bits, 12)) - 1;
    EXPECT_EQ(LargestWhole(info.type), largest) << info.word;
    EXPECT_LE(Largest(x), largest) << info.word;
    EXPECT_GT(Largest(x), largest / 2) << info.word;
    for (const double value : x) {
      ASSERT_NE(value, 0) << info.word;
      ASSERT_EQ(value, std::nearbyint(value)) << info.word;
      if (!info.is_signed) {
        ASSERT_GT(value, 0) << info.word;
      }
    }
    EXPECT_EQ(data.at("y").reference, x) << info.word;
    EXPECT_THAT(data.at("y").tolerance, Each(0)) << info.word;
  }
}

TEST(WholeNumbers, SumsOfEveryTypeAreExactAndSomeAreWide) {
  const std::pair<Type, Type> cases[] = {
      {Type::kF64, Type::kF64},    {Type::kF32, Type::kF32},    {Type::kF16, Type::kF32},
      {Type::kF8E4M3, Type::kF32}, {Type::kF8E5M2, Type::kF32}, {Type::kF8E4M3, Type::kBf16},
      {Type::kF16, Type::kF16},    {Type::kBf16, Type::kF32},   {Type::kBf16, Type::kBf16},
      {Type::kI64, Type::kI64},    {Type::kI32, Type::kI32},    {Type::kU32, Type::kU32},
      {Type::kI8, Type::kI32},
  };
  for (const auto& [type, result] : cases) {
    const Problems problems(Mv(type, result));
    const std::string what =
        std::string(ir::WordOf(type)) + " to " + std::string(ir::WordOf(result));
    const ProblemData data = problems.Make(Inputs::kWholeNumbers);
    EXPECT_THAT(data.at("y").tolerance, Each(0)) << what;
    const std::vector<double> a = ValuesOf(data, "a"), x = ValuesOf(data, "x");
    // Odd numbers with the highest bit that the type has.
    const double wide = std::ldexp(1, WideBits(type) - 1);
    const auto is_wide = [&](double value) {
      return std::abs(value) > wide && std::fmod(value, 2) != 0;
    };
    EXPECT_TRUE(std::ranges::any_of(a, is_wide)) << what;
    EXPECT_LT(Largest(a), 2 * wide) << what;
    // The reference is what comes of them.
    for (std::size_t row = 0; row < 16; ++row) {
      double sum = 0;
      for (std::size_t i = 0; i < kLength; ++i) sum += a[row * kLength + i] * x[i];
      EXPECT_EQ(data.at("y").reference[row], ir::Rounded(result, sum)) << what;
      EXPECT_LE(std::abs(sum), ir::InfoOf(ir::ComputeTypeOf(result)).largest) << what;
    }
  }
}

/// y[i] = x[i] times the root of x[i], a thousand of them.
TEST(WholeNumbers, WhereRoundingsAreNotAtRandomNoMeanIsLimited) {
  const Problems problems([](ir::Builder& b) {
    const ir::ArrayId x = b.InputArray("x", kLength), y = b.OutputArray("y", kLength);
    const ir::AxisRef n = AxisN(b);
    const ir::Value load = b.Load("load_x", x, {{n, 1}});
    const ir::Value root = b.Compute("root", Op::kSqrt, {n}, {ir::MayStage(load)});
    const ir::Value times =
        b.Compute("times", Op::kMul, {n}, {ir::MayStage(load), InRegisters(root)});
    b.Store("store", y, {{n, 1}}, InRegisters(times));
  });
  EXPECT_LT(problems.Make(Inputs::kUniform).at("y").rms_limit, 1);
  EXPECT_EQ(problems.Make(Inputs::kWholeNumbers).at("y").rms_limit, 1);
}

/// The variance of as many numbers as one accumulator adds up.
void Variance(ir::Builder& b, std::uint32_t length) {
  const ir::AxisRef n = b.Axis("n", length, {});
  const ir::ArrayId x = b.InputArray("x", length);
  const ir::ArrayId y = b.OutputArray("y", 1);
  const ir::Value zero = b.Compute("zero", Op::kConst, {}, {Literal(0)});
  const ir::Value sum =
      b.Reduce("sum", Op::kAdd, {n}, {n}, zero, {InRegisters(b.Load("load", x, {{n, 1}}))});
  const ir::Value mean =
      b.Compute("mean", Op::kDiv, {}, {InRegisters(sum), Literal(double(length))});
  const ir::Value off = b.Compute("off", Op::kSub, {n},
                                  {InRegisters(b.Load("load_2", x, {{n, 1}})), InRegisters(mean)});
  const ir::Value other = b.Compute("other", Op::kConst, {}, {Literal(0)});
  const ir::Value squares =
      b.Reduce("squares", Op::kMad, {n}, {n}, other, {InRegisters(off), InRegisters(off)});
  b.Store("store", y, {}, InRegisters(squares));
  b.Finish();
}

// Few terms differ, and each may be rounded the same way: one accumulator is right.
TEST(WholeNumbers, OfALongSumMayAllBeRoundedOneWay) {
  for (const std::uint32_t length : {1024U, 65536U, 1U << 20}) {
    const Problems problems([&](ir::Builder& b) { Variance(b, length); });
    for (const Inputs inputs : {Inputs::kWholeNumbers, Inputs::kUniform}) {
      const ArrayData y = problems.Make(inputs)["y"];
      const double worst = std::ldexp(length, -25);  // n u / 2
      const bool is_more = y.tolerance[0] > worst * y.reference[0];
      EXPECT_EQ(is_more, length == 1024 || inputs == Inputs::kWholeNumbers)
          << length << ": " << y.tolerance[0] / y.reference[0] << " of " << worst;
    }
  }
  // 2^-10 is the mean, and all roundings go up.
  float sum = 0;
  double exact = 0;
  for (int i = 0; i < 65536; ++i) {
    const float off = (i % 2 == 0 ? 1.0F : -1.0F) - 0x1p-10F;
    sum = std::fma(off, off, sum);
    exact += double{off} * off;
  }
  EXPECT_GT(std::abs(double{sum} - exact) / exact, kErrorFactor * std::ldexp(256, -24));
  EXPECT_LT(std::abs(double{sum} - exact) / exact, std::ldexp(65536, -25));
}

TEST(WholeNumbers, NoIntegerOverflows) {
  // The fourth power of 12 bits is too much for an i32, and not for an i64.
  for (const Type type : {Type::kI32, Type::kI64}) {
    const Problems problems([type](ir::Builder& b) {
      const ir::ArrayId x = b.InputArray("x", kLength, type), y = b.OutputArray("y", kLength, type);
      const ir::AxisRef n = AxisN(b);
      const ir::Value load = b.Load("load", x, {{n, 1}});
      const ir::Value square =
          b.Compute("square", Op::kMul, {n}, {InRegisters(load), InRegisters(load)});
      const ir::Value fourth =
          b.Compute("fourth", Op::kMul, {n}, {InRegisters(square), InRegisters(square)});
      b.Store("store", y, {{n, 1}}, InRegisters(fourth));
    });
    for (const Inputs inputs : {Inputs::kUniform, Inputs::kWholeNumbers, Inputs::kSpecial}) {
      const ProblemData data = problems.Make(inputs);
      const std::vector<double> x = ValuesOf(data, "x");
      EXPECT_LE(std::pow(Largest(x), 4), ir::InfoOf(type).largest);
      EXPECT_EQ(Largest(x) > 2048, type == Type::kI64 && inputs != Inputs::kSpecial);
      if (inputs == Inputs::kUniform) {
        EXPECT_EQ(Largest(x), type == Type::kI64 ? 32767 : 127);
      }
      for (std::size_t i = 0; i < x.size(); ++i) {
        const auto whole = static_cast<std::int64_t>(x[i]);
        ASSERT_EQ(data.at("y").reference[i], static_cast<double>(whole * whole * whole * whole));
      }
      EXPECT_THAT(data.at("y").tolerance, Each(0));
    }
  }
}

// What is computed in 16 bits, or in any other number of them, is wrong somewhere: integers are as
// long as they may be, and of all lengths below.
TEST(Uniform, IntegersAreOfAllLengthsUpToTheLongest) {
  for (const Type type : {Type::kI64, Type::kI32, Type::kU32, Type::kI8}) {
    const Problems problems(Copy(type));
    const ProblemData data = problems.Make(Inputs::kUniform);
    const int bits = std::min(ir::InfoOf(type).bits, 62);
    std::vector<int> lengths(64);
    bool reaches_end = false;
    const Elements& x = data.at("x").values;
    ir::WithType(type, [&]<typename T>(T) {
      if constexpr (std::is_integral_v<T>) {
        for (const T value : x.As<T>()) {
          const auto size = static_cast<std::uint64_t>(value < 0 ? -std::int64_t{value} : value);
          ++lengths[static_cast<std::size_t>(std::bit_width(size))];
          reaches_end |= size == (std::uint64_t{1} << bits) - 1;
        }
      }
    });
    for (int length = 1; length <= bits; ++length) {
      EXPECT_GT(lengths[static_cast<std::size_t>(length)], 0) << ir::WordOf(type) << " " << length;
    }
    EXPECT_EQ(lengths[0], 0);
    EXPECT_EQ(std::accumulate(lengths.begin() + bits + 1, lengths.end(), 0), 0);
    EXPECT_TRUE(reaches_end);
  }
  // A sum of products may be as long as its type, and no longer.
  const Problems sums(Mv(Type::kI32, Type::kI32));
  const ProblemData data = sums.Make(Inputs::kUniform);
  EXPECT_GT(Largest(data.at("y").reference), 1 << 20);
  double most = 0;
  for (const char* const name : {"a", "x"}) most = std::max(most, Largest(ValuesOf(data, name)));
  EXPECT_LE(most * most * kLength, 0x1p31);
  EXPECT_GT(most, 1000);
}

// In the place of a scalar, a number that happens to be its value is right in one problem alone.
TEST(Uniform, OtherInputsComeWithOtherScalars) {
  const auto build = [](ir::Builder& b) {
    b.Scalar("alpha", 1.5);
    b.Scalar("zero", 0.0);
    b.Scalar("count", 3, Type::kI32);
    b.Scalar("least", std::int64_t{-1}, Type::kI64);
    const ir::ArrayId x = b.InputArray("x", kLength), y = b.OutputArray("y", kLength);
    const ir::AxisRef n = AxisN(b);
    const ir::Value load = b.Load("load", x, {{n, 1}});
    const ir::Value scale = b.Compute(
        "scale", Op::kMad, {n}, {InRegisters(load), ir::ScalarArg("alpha"), ir::ScalarArg("zero")});
    b.Store("store", y, {{n, 1}}, InRegisters(scale));
  };
  const Problems problems(build);
  const ProblemData timed = problems.Make(Inputs::kUniform, kTimedSeed);
  EXPECT_TRUE(timed.scalars.empty());
  EXPECT_EQ(timed.at("y").reference[7], 1.5 * timed.at("x").values[7]);
  const ProblemData other = problems.Make(Inputs::kUniform, kOtherSeed);
  ASSERT_EQ(other.scalars.size(), 4U);
  const double alpha = other.scalars[0], zero = other.scalars[1];
  EXPECT_GT(alpha, 1.5);
  EXPECT_NE(zero, 0);
  EXPECT_EQ(other.scalars[2].whole(), 4);
  EXPECT_EQ(other.scalars[3].whole(), -2);  // A divisor that is no 0 is none.
  EXPECT_EQ(other.at("y").reference[7], alpha * other.at("x").values[7] + zero);
}

/// What becomes an integer has a place in it, as far as inputs can see to that.
TEST(Uniform, CastsToIntegersMeanSomething) {
  const auto build = [](Type to, double factor, double offset) {
    return [=](ir::Builder& b) {
      const ir::ArrayId x = b.InputArray("x", kLength), y = b.OutputArray("y", kLength, to);
      const ir::AxisRef n = AxisN(b);
      const ir::Value load = b.Load("load", x, {{n, 1}});
      const ir::Value value =
          b.Compute("value", Op::kMad, {n}, {InRegisters(load), Literal(factor), Literal(offset)});
      const ir::Value cast = b.Compute("cast", Op::kConst, {n}, {InRegisters(value)}, to);
      b.Store("store", y, {{n, 1}}, InRegisters(cast));
    };
  };
  for (const auto& [to, factor, offset] : {std::tuple(Type::kU32, 255.0, 0.0),
                                           {Type::kU32, -255.0, 0.0},
                                           {Type::kI32, 1e12, 0.0},
                                           {Type::kU32, 1e20, 0.0},
                                           {Type::kI8, 300.0, 0.0},
                                           {Type::kI64, 1e3, -500.0}}) {
    const Problems problems(build(to, factor, offset));
    for (const Inputs inputs : {Inputs::kUniform, Inputs::kWholeNumbers, Inputs::kSpecial}) {
      const ProblemData data = problems.Make(inputs);
      const ArrayData& y = data.at("y");
      std::set<double> values;
      for (std::size_t i = 0; i < kLength; ++i) {
        if (inputs == Inputs::kUniform || factor < 1e6) {
          ASSERT_TRUE(std::isfinite(y.tolerance[i])) << ir::WordOf(to) << " " << factor;
        }
        values.insert(y.reference[i]);
      }
      EXPECT_GT(values.size(), inputs == Inputs::kUniform ? 50U : 1U) << factor;
    }
  }
  // Nothing could be checked of this.
  const Problems beyond(build(Type::kU32, 1.0, -1e9));
  EXPECT_THROW(
      {
        try {
          beyond.Make(Inputs::kUniform);
        } catch (const Error& error) {
          EXPECT_THAT(error.what(), ::testing::HasSubstr("nothing of 'y' could be checked"));
          throw;
        }
      },
      Error);
}

TEST(WholeNumbers, NothingIsDividedByZero) {
  const Problems problems([](ir::Builder& b) {
    const ir::ArrayId x = b.InputArray("x", kLength, Type::kI32);
    const ir::ArrayId by = b.InputArray("by", kLength, Type::kBool);
    const ir::ArrayId y = b.OutputArray("y", kLength, Type::kI32);
    const ir::AxisRef n = AxisN(b);
    const ir::Value load_x = b.Load("load_x", x, {{n, 1}}),
                    load_by = b.Load("load_by", by, {{n, 1}});
    const ir::Value quotient =
        b.Compute("quotient", Op::kDiv, {n}, {InRegisters(load_x), InRegisters(load_by)});
    b.Store("store", y, {{n, 1}}, InRegisters(quotient));
  });
  for (const Inputs inputs : {Inputs::kUniform, Inputs::kWholeNumbers, Inputs::kSpecial}) {
    EXPECT_THAT(ValuesOf(problems.Make(inputs), "by"), Each(1));
  }
}

/// y[n] = table[4 * (2 * at[n] - 3) + n % 4], of 10 rows of 4.
std::function<void(ir::Builder&)> Rows(Type type) {
  return [type](ir::Builder& b) {
    const ir::ArrayId at = b.InputArray("at", 256, type), table = b.InputArray("table", 40);
    const ir::ArrayId y = b.OutputArray("y", 256);
    const ir::AxisRef m = b.Axis("m", 64, {{2, 8}}), n = b.Axis("n", 4, {});
    const auto one = [&](const char* name, Op op, ir::Value of, double number) {
      return b.Compute(name, op, {m, n}, {InRegisters(of), Literal(number)});
    };
    ir::Value index = b.Load("load_at", at, {{m, 4}, {n, 1}});
    if (type != Type::kI32) {
      index = b.Compute("cast", Op::kConst, {m, n}, {InRegisters(index)}, Type::kI32);
    }
    index = one("twice", Op::kMul, index, 2);
    index = one("less", Op::kSub, index, 3);
    index = one("row", Op::kMul, index, 4);
    const ir::Value gather = b.Gather("gather", table, {{m, 0}, {n, 1}}, 0, InRegisters(index));
    b.Store("store", y, {{m, 4}, {n, 1}}, InRegisters(gather));
  };
}

TEST(Indices, NameElementsThatAreThere) {
  for (const Type type : {Type::kI32, Type::kI8, Type::kU32, Type::kI64}) {
    const Problems problems(Rows(type));
    for (const Inputs inputs : {Inputs::kUniform, Inputs::kWholeNumbers, Inputs::kSpecial}) {
      const ProblemData data = problems.Make(inputs);
      const std::vector<double> at = ValuesOf(data, "at");
      const std::set<double> drawn(at.begin(), at.end());
      // Where it is not about time, some are none.
      const bool goes_beyond = inputs != Inputs::kUniform;
      EXPECT_TRUE(std::ranges::includes(drawn, std::set<double>{2, 3, 4, 5, 6}));
      EXPECT_EQ(drawn.size() > 5, goes_beyond) << ir::WordOf(type);
      EXPECT_GE(*drawn.begin(), goes_beyond ? 0 : 2);
      EXPECT_LE(*drawn.rbegin(), goes_beyond ? 8 : 6);
      const std::vector<double>& y = data.at("y").reference;
      const std::vector<double> table = ValuesOf(data, "table");
      ASSERT_EQ(y.size(), at.size());
      for (std::size_t i = 0; i < y.size(); ++i) {
        const auto element =
            static_cast<std::int64_t>(4 * (2 * at[i] - 3)) + static_cast<std::int64_t>(i) % 4;
        const bool is_there = element >= 0 && element < 40;
        const double wanted = is_there ? table[static_cast<std::size_t>(element)] : 0;
        EXPECT_TRUE(y[i] == wanted || (std::isnan(y[i]) && std::isnan(wanted))) << i;
      }
    }
  }
}

TEST(Special, ValuesAreThoseThatTheTypeHas) {
  for (const ir::TypeInfo& info : ir::AllTypes()) {
    const Problems problems(Copy(info.type));
    const ProblemData data = problems.Make(Inputs::kSpecial);
    const std::vector<double> x = ValuesOf(data, "x");
    const auto count = [&](const auto& is) { return std::ranges::count_if(x, is); };
    const auto is_denormal = [&](double value) {
      return value != 0 && std::abs(value) < std::ldexp(1, info.min_exponent);
    };
    const auto is_negative_zero = [](double value) { return value == 0 && std::signbit(value); };
    EXPECT_EQ(count([](double value) { return std::isnan(value); }) > 0, info.is_float);
    // Where a type has no infinities, its largest numbers stand in their place.
    const bool has_infinities = info.is_float && info.type != Type::kF8E4M3;
    EXPECT_EQ(count([](double value) { return std::isinf(value); }) > 0, has_infinities);
    const auto is_largest = [&](double value) { return std::abs(value) == info.largest; };
    EXPECT_EQ(info.is_float && count(is_largest) > 0, info.type == Type::kF8E4M3) << info.word;
    EXPECT_EQ(count(is_negative_zero) > 0, info.is_float) << info.word;
    EXPECT_EQ(info.is_float && count(is_denormal) > 0, info.type == Type::kF32) << info.word;
    if (!info.is_float) continue;
    // The sign of a zero is what the operations say.
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (x[i] != 0) continue;
      ASSERT_EQ(data.at("y").tolerance[i], cpu::kSameBits) << info.word;
      ASSERT_EQ(std::signbit(data.at("y").reference[i]), std::signbit(x[i])) << info.word;
    }
  }
}

TEST(Special, WhatBecomesAnIntegerIsANumber) {
  const Problems problems([](ir::Builder& b) {
    const ir::ArrayId x = b.InputArray("x", kLength), y = b.OutputArray("y", kLength, Type::kI32);
    const ir::AxisRef n = AxisN(b);
    const ir::Value load = b.Load("load", x, {{n, 1}});
    const ir::Value cast = b.Compute("cast", Op::kConst, {n}, {InRegisters(load)}, Type::kI32);
    b.Store("store", y, {{n, 1}}, InRegisters(cast));
  });
  EXPECT_TRUE(CutsFloats(derived::ExpressionOf(problems.function())));
  for (const double value : ValuesOf(problems.Make(Inputs::kSpecial), "x")) {
    ASSERT_TRUE(std::isfinite(value) && value != 0);
  }
  EXPECT_FALSE(CutsFloats(derived::ExpressionOf(Problems(Copy(Type::kI32)).function())));
}

TEST(ExactLimit, IsThatOfTheTypesOnTheWay) {
  const auto limit = [](Type type, Type result) {
    const Problems problems(Mv(type, result));
    return ExactLimit(derived::ExpressionOf(problems.function()),
                      problems.function().arrays.back().id);
  };
  EXPECT_EQ(limit(Type::kF32, Type::kF32), 0x1p24);
  EXPECT_EQ(limit(Type::kF16, Type::kF16), 0x1p24);
  EXPECT_EQ(limit(Type::kF64, Type::kF64), 0x1p53);
  EXPECT_EQ(limit(Type::kI8, Type::kI32), INFINITY);
}

/// What a unit adds up with few bits is exact where it says so: the numbers are small.
TEST(ExactLimit, OfFloatsOf8BitsIsThatOfTheirUnits) {
  const auto limit = [](const WholeNumbers* plan) {
    const Problems problems(Mv(Type::kF8E4M3, Type::kF32));
    return ExactLimit(derived::ExpressionOf(problems.function()),
                      problems.function().arrays.back().id, plan);
  };
  const WholeNumbers small{.range = 8, .element = 8}, large{.range = 16, .element = 16};
  EXPECT_EQ(limit(nullptr), 0x1p14);
  EXPECT_EQ(limit(&small), 0x1p24);
  EXPECT_EQ(limit(&large), 0x1p14);
}

TEST(ProblemBytes, CountsTheElementsOfEachType) {
  const auto bytes = [](Type type) { return ProblemBytes(Problems(Copy(type)).function().arrays); };
  EXPECT_EQ(bytes(Type::kF32), std::uint64_t{kLength} * (36 + 104));
  EXPECT_EQ(bytes(Type::kF64) - bytes(Type::kF32), std::uint64_t{kLength} * 4 * 7);
  EXPECT_EQ(bytes(Type::kF32) - bytes(Type::kI8), std::uint64_t{kLength} * 3 * 7);
}

}  // namespace
}  // namespace exh::kernels

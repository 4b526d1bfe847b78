// SPDX-License-Identifier: MIT
//
// What programs calculate: words of the language by hand, products, convolutions and chains of
// kernels against plain loops; and each of them against an oracle that interprets the program.
#include "functional/expression/expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "dsl/diagnostics/render.h"
#include "kernels/derived/reference/reference.h"
#include "kernels/ir/ops.h"
#include "kernels/problem.h"
#include "runtime/candidate.h"
#include "search/solve/solution_text.h"
#include "search/solve/solver.h"
#include "tests/functional/oracle/calculate.h"
#include "tests/functional/programs.h"
#include "tests/functional/random_program.h"

namespace exh::functional {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Numbers = std::vector<double>;
using Inputs = std::map<std::string, Numbers>;

std::unique_ptr<Program> ProgramOf(const std::string& text, const Given& given = {}) {
  dsl::DiagnosticSink sink;
  auto program = ReadText("p.fun", text, given, sink);
  EXPECT_TRUE(program != nullptr) << dsl::RenderText(sink);
  return program;
}

/// Of a result: no element is farther from the oracle's than what both tolerate.
void ExpectAlike(const kernels::ArrayData& result, const Reference& oracle) {
  ASSERT_EQ(result.reference.size(), oracle.values.size());
  for (std::size_t i = 0; i < oracle.values.size(); ++i) {
    const double ours = result.reference[i], other = oracle.values[i];
    if (std::isinf(oracle.tolerances[i])) continue;  // Roundings decide what it is.
    if (!std::isfinite(other)) {
      ASSERT_TRUE(std::isnan(other) ? std::isnan(ours) : ours == other) << i;
      continue;
    }
    const double of_references = 1e-13 * std::max(1.0, std::abs(other));
    ASSERT_LE(std::abs(ours - other),
              of_references + std::max(result.tolerance[i], 0.0) + oracle.tolerances[i])
        << "element " << i << " is " << ours << ", not " << other;
  }
}

/// The results of all kernels.
std::vector<kernels::ArrayData> ResultsOf(const Program& program, const Assignment& parameters,
                                          const Inputs& inputs) {
  const kernels::derived::Expression expression = ExpressionOf(program, parameters);
  kernels::ProblemData data;
  for (const kernels::ir::Array& array : expression.arrays) {
    kernels::ArrayData& of = data[array.name];
    if (array.role != kernels::ir::ArrayRole::kInput) continue;
    const Numbers& numbers = inputs.at(array.name);
    of.values = kernels::Elements(array.type, numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) of.values.Set(i, numbers[i]);
  }
  kernels::derived::ComputeReference(expression, data);
  const std::vector<Reference> oracle = Calculate(program, parameters, inputs);
  std::vector<kernels::ArrayData> results;
  for (std::size_t i = 0; i < program.kernels.size(); ++i) {
    results.push_back(data.at(program.kernels[i].name));
    ExpectAlike(results.back(), oracle[i]);
  }
  return results;
}

Numbers ValuesOf(const std::string& text, const Inputs& inputs, const Assignment& parameters = {},
                 const Given& given = {}) {
  return ResultsOf(*ProgramOf(text, given), parameters, inputs).back().reference;
}

/// first, first + 1, …
Numbers Count(std::int64_t count, double first = 0) {
  Numbers numbers;
  for (std::int64_t i = 0; i < count; ++i) numbers.push_back(first + static_cast<double>(i));
  return numbers;
}

/// Multiples of 1/8 from -2 to 2, without a pattern; their products and sums are exact.
Numbers Some(std::int64_t count, std::uint32_t seed) {
  Numbers numbers;
  for (std::int64_t i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    numbers.push_back(static_cast<double>(static_cast<int>(seed >> 16) % 33 - 16) / 8);
  }
  return numbers;
}

double At(const Numbers& numbers, std::int64_t i) {
  return numbers[static_cast<std::size_t>(i)];
}

/// x has 6 elements, 0 to 5; `body` is what is calculated.
Numbers OfSix(const std::string& body) {
  return ValuesOf("input x: [float]6\nkernel k = " + body, {{"x", Count(6)}});
}

TEST(Expression, OfViewsIsWhatTheirNamesSay) {
  EXPECT_THAT(OfSix("map(r -> map(id, r), transpose(split(3, x)))"), ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_THAT(OfSix("map(id, join(transpose(split(2, x))))"), ElementsAre(0, 2, 4, 1, 3, 5));
  EXPECT_THAT(OfSix("map(r -> map(id, r), slide(3, 2, x))"), ElementsAre(0, 1, 2, 2, 3, 4));
  EXPECT_THAT(OfSix("map(r -> map(id, r), slideStrict(2, 4, x))"), ElementsAre(0, 1, 4, 5));
  // Element i is that at i div 2 + 3 * (i % 2).
  EXPECT_THAT(OfSix("map(id, reorder(3, x))"), ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_THAT(OfSix("map(id, asScalar(map(v -> v * 2, asVector(3, x))))"),
              ElementsAre(0, 2, 4, 6, 8, 10));
  EXPECT_THAT(OfSix("map(id, asVector(2, x))"), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(Expression, OfPad) {
  EXPECT_THAT(OfSix("map(id, pad(1, 2, 0.5, x))"), ElementsAre(.5, 0, 1, 2, 3, 4, 5, .5, .5));
  EXPECT_THAT(OfSix("map(id, pad(-2, -1, 0.0, x))"), ElementsAre(2, 3, 4));
  EXPECT_THAT(OfSix("map(id, pad(-4, 2, 7, x))"), ElementsAre(4, 5, 7, 7));
  EXPECT_THAT(OfSix("map(id, pad(3, -4, 7, x))"), ElementsAre(7, 7, 7, 0, 1));
  EXPECT_THAT(OfSix("map(id, pad(-7, 3, 7, x))"), ElementsAre(7, 7));
  // Around rows that are padded themselves.
  EXPECT_THAT(OfSix("map(r -> map(id, r), pad(0, 1, 9, map(r -> pad(1, 0, 8, r), split(3, x))))"),
              ElementsAre(8, 0, 1, 2, 8, 3, 4, 5, 9, 9, 9, 9));
}

TEST(Expression, OfViewsThatNoStrideDescribes) {
  // Windows over columns, one after the other: 0 3 1 4 2 5.
  EXPECT_THAT(OfSix("map(r -> map(id, r), slide(3, 1, join(transpose(split(3, x)))))"),
              ElementsAre(0, 3, 1, 3, 1, 4, 1, 4, 2, 4, 2, 5));
  EXPECT_THAT(OfSix("map(id, asScalar(map(id, asVector(3, join(transpose(split(3, x)))))))"),
              ElementsAre(0, 3, 1, 4, 2, 5));
  // For each element of a map of views.
  EXPECT_THAT(OfSix("map(w -> map(p -> map(id, p), w), "
                    "map(w -> split(2, join(transpose(split(2, w)))), slide(4, 2, x)))"),
              ElementsAre(0, 2, 1, 3, 2, 4, 3, 5));
  EXPECT_THAT(OfSix("map(w -> map(id, w), map(w -> pad(1, 0, 9, w), split(3, x)))"),
              ElementsAre(9, 0, 1, 2, 9, 3, 4, 5));
  EXPECT_THAT(OfSix("map(w -> map(id, w), map(w -> pad(-1, 0, 9, reorder(2, w)), slide(4, 2, x)))"),
              ElementsAre(2, 1, 3, 4, 3, 5));
}

TEST(Expression, OfUserFunctions) {
  EXPECT_THAT(OfSix("map(e -> -e, x)"), ElementsAre(0, -1, -2, -3, -4, -5));
  EXPECT_THAT(OfSix("map(e -> (12 - e) / 4, x)"), ElementsAre(3, 2.75, 2.5, 2.25, 2, 1.75));
  EXPECT_THAT(OfSix("map(e -> max(min(e, 3.5), 2), x)"), ElementsAre(2, 2, 2, 3, 3.5, 3.5));
  EXPECT_THAT(OfSix("map(e -> dot(e, e), x)"), ElementsAre(0, 1, 4, 9, 16, 25));
  EXPECT_THAT(OfSix("map(e -> dot(e, e), asVector(3, x))"), ElementsAre(5, 50));
  EXPECT_THAT(OfSix("map(e -> dot(2, e), asVector(2, x))"), ElementsAre(2, 10, 18));
  EXPECT_THAT(OfSix("map(e -> 1 - e, asVector(2, x))"), ElementsAre(1, 0, -1, -2, -3, -4));
}

TEST(Expression, OfZipsTuplesAndConstants) {
  EXPECT_THAT(OfSix("map((a, b) -> a + b, zip(x, reorder(3, x)))"), ElementsAre(0, 4, 3, 7, 6, 10));
  EXPECT_THAT(OfSix("map((a, b) -> a * b, zip(x, fill(6, 0.5)))"),
              ElementsAre(0, .5, 1, 1.5, 2, 2.5));
  EXPECT_THAT(OfSix("map(r -> map((a, b) -> a - b, r), split(3, zip(x, pad(1, -1, 1, x))))"),
              ElementsAre(-1, 1, 1, 1, 1, 1));
  EXPECT_THAT(OfSix("map((a, (b, c)) -> a * b + c, zip(x, map(e -> (e, e), x)))"),
              ElementsAre(0, 2, 6, 12, 20, 30));
  EXPECT_THAT(OfSix("map((a, b) -> a + b, map(e -> let d = toPrivate(e * 2) in (d, d), x))"),
              ElementsAre(0, 4, 8, 12, 16, 20));
  EXPECT_THAT(OfSix("map(e -> id(3), x)"), ElementsAre(3, 3, 3, 3, 3, 3));
}

TEST(Expression, OfReductions) {
  EXPECT_THAT(OfSix("toGlobal(id(reduce(toPrivate(id(1)), (s, e) -> s + e, x)))"), ElementsAre(16));
  // Sums of columns.
  EXPECT_THAT(OfSix("toGlobal(map(id, reduce(toPrivate(map(id, fill(3, 0.0))), "
                    "(s, r) -> map((a, b) -> a + b, zip(s, r)), split(3, x))))"),
              ElementsAre(3, 5, 7));
  // Each round turns what there is so far: it must be read before it is written.
  EXPECT_THAT(OfSix("toGlobal(map(id, reduce(toPrivate(map(id, fill(2, 1))), "
                    "(s, e) -> map((a, b) -> a * 2 + b * e, "
                    "zip(join(transpose(split(1, s))), pad(-1, 1, 1, s))), slide(1, 3, x) |> "
                    "join)))"),
              // (1, 1) -> (2 + 0, 2 + 0) -> (4 + 2 * 3, 4 + 3).
              ElementsAre(10, 7));
  // Two at once.
  EXPECT_THAT(OfSix("toGlobal(id(reduce((toPrivate(id(0)), toPrivate(id(1))), "
                    "((a, b), e) -> (b + e, a + b), x) |> ((a, b) -> a)))"),
              ElementsAre(20));
}

// What has one element is no axis, wherever it stands among those that are.
TEST(Expression, OfArraysOfOneElement) {
  const std::string text = R"(
size rows = 3
size columns = 4
input x: [[[[float]1]columns]1]rows
kernel y: [[[[float]1]columns]1]rows = map(a -> map(b -> map(c -> map(d -> d * 2.0, c), b), a), x)
)";
  const auto doubled = [](const Numbers& numbers) {
    Numbers all;
    for (const double number : numbers) all.push_back(2 * number);
    return all;
  };
  for (const auto& [rows, columns] : {std::pair(3, 4), std::pair(1, 4), std::pair(3, 1)}) {
    const Numbers x = Some(rows * columns, 5);
    EXPECT_EQ(ValuesOf(text, {{"x", x}}, {}, {{"rows", rows}, {"columns", columns}}), doubled(x));
  }
}

TEST(Expression, OfAMatrixProduct) {
  const Given given = {{"m", 3}, {"n", 2}, {"k", 4}};
  const Numbers a = Some(12, 1), b = Some(8, 2);
  Numbers expected;
  for (std::int64_t i = 0; i < 3; ++i) {
    for (std::int64_t j = 0; j < 2; ++j) {
      double sum = 0;
      for (std::int64_t l = 0; l < 4; ++l) sum += At(a, i * 4 + l) * At(b, l * 2 + j);
      expected.push_back(sum);
    }
  }
  const std::string text = FileText("examples/lift/programs/matmul.fun");
  EXPECT_EQ(ValuesOf(text, {{"a", a}, {"b", b}}, {}, given), expected);
}

TEST(Expression, OfListing3) {
  const std::string text = FileText("examples/lift/programs/listing_3.fun");
  const Inputs inputs = {{"x", Count(12)}, {"y", {3}}, {"z", {0.5}}};
  Numbers expected;
  for (const double x : Count(12)) expected.push_back(x * 3 + 0.5);
  for (const Assignment& tiles :
       {Assignment{{"s0", 6}, {"s1", 2}}, {{"s0", 12}, {"s1", 12}}, {{"s0", 1}, {"s1", 1}}}) {
    EXPECT_EQ(ValuesOf(text, inputs, tiles, {{"n", 12}}), expected);
  }
}

// ---- Convolutions.

struct Layer {
  std::int64_t channels, side, kernels, window, stride, border;

  std::int64_t out() const { return (side + 2 * border - window) / stride + 1; }
  Numbers image() const { return Some(side * side * channels, 3); }
  Numbers weights() const { return Some(kernels * window * window * channels, 4); }
  Numbers bias() const { return Some(kernels, 5); }
  Given given() const {
    return {{"channels", channels}, {"side", side},     {"kernels", kernels},
            {"window", window},     {"stride", stride}, {"border", border}};
  }
};

/// Of one kernel and place: the sum over the window, zeros around the image.
double SumOf(const Layer& layer, const Numbers& image, const Numbers& weights, std::int64_t kernel,
             std::int64_t y, std::int64_t x) {
  double sum = 0;
  for (std::int64_t i = 0; i < layer.window * layer.window * layer.channels; ++i) {
    const std::int64_t c = i % layer.channels, at = i / layer.channels;
    const std::int64_t row = y * layer.stride + at / layer.window - layer.border;
    const std::int64_t column = x * layer.stride + at % layer.window - layer.border;
    if (row < 0 || column < 0 || row >= layer.side || column >= layer.side) continue;
    sum += At(image, (row * layer.side + column) * layer.channels + c) *
           At(weights, kernel * layer.window * layer.window * layer.channels + i);
  }
  return sum;
}

/// [[[float]out]out]kernels.
Numbers Convolution(const Layer& layer) {
  const Numbers image = layer.image(), weights = layer.weights(), bias = layer.bias();
  Numbers all;
  for (std::int64_t i = 0; i < layer.kernels * layer.out() * layer.out(); ++i) {
    const std::int64_t kernel = i / (layer.out() * layer.out()),
                       at = i % (layer.out() * layer.out());
    all.push_back(At(bias, kernel) +
                  SumOf(layer, image, weights, kernel, at / layer.out(), at % layer.out()));
  }
  return all;
}

struct Setting {
  Layer layer;
  Assignment parameters;
};

class PublishedConvolution : public ::testing::TestWithParam<Setting> {};

TEST_P(PublishedConvolution, IsAPlainOne) {
  const auto& [layer, parameters] = GetParam();
  const Inputs inputs = {
      {"image", layer.image()}, {"weights", layer.weights()}, {"bias", layer.bias()}};
  const auto program = ProgramOf(FileText("examples/conv_space/conv.fun"), layer.given());
  const auto results = ResultsOf(*program, parameters, inputs);
  ASSERT_EQ(results.size(), 4u);
  EXPECT_EQ(results.back().reference, Convolution(layer));
}

Assignment Parameters(std::int64_t rho, std::int64_t theta, std::int64_t kappa, std::int64_t sigma,
                      std::int64_t omega, std::int64_t v) {
  return {{"rho", rho},     {"theta", theta}, {"kappa", kappa},
          {"sigma", sigma}, {"omega", omega}, {"v", v}};
}

INSTANTIATE_TEST_SUITE_P(
    Settings, PublishedConvolution,
    ::testing::Values(Setting{{4, 6, 4, 3, 1, 1}, Parameters(0, 4, 2, 2, 12, 4)},
                      Setting{{4, 6, 4, 3, 1, 1}, Parameters(1, 3, 4, 1, 9, 1)},
                      Setting{{4, 6, 4, 3, 1, 1}, Parameters(0, 8, 1, 6, 36, 1)},
                      Setting{{4, 6, 4, 3, 1, 1}, Parameters(0, 5, 1, 1, 4, 4)},
                      Setting{{2, 7, 6, 3, 2, 0}, Parameters(0, 7, 3, 9, 2, 1)},
                      Setting{{2, 7, 6, 3, 2, 0}, Parameters(2, 5, 6, 2, 6, 1)},
                      Setting{{3, 5, 2, 1, 1, 0}, Parameters(0, 1, 2, 1, 3, 1)}));

/// One point of the space for each way to tile the layer.
std::map<std::pair<std::int64_t, std::int64_t>, Assignment> TilingsOf(const Layer& layer) {
  Given given = layer.given();
  given.insert({{"v", 1}, {"omega", layer.channels}, {"kappa", 1}, {"threads", 0}});
  const auto instance = FrozenProgram(FileText("examples/conv_space/conv.fun"), given);
  std::map<std::pair<std::int64_t, std::int64_t>, Assignment> tilings;
  const search::ChoiceOrder order = search::ChoiceOrder::Default(*instance);
  search::Solver(*instance, order)
      .Run(runtime::Candidate(instance), [&](const runtime::Candidate& solution) {
        const auto json = search::SolutionJson(solution);
        Assignment parameters = Parameters(0, 0, 1, 1, layer.channels, 1);
        for (const char* name : {"rho", "theta", "sigma"}) {
          parameters[name] = json.at(name).get<std::int64_t>();
        }
        tilings.try_emplace({parameters.at("rho"), parameters.at("theta")}, parameters);
        return true;
      });
  return tilings;
}

TEST(Expression, EveryTilingOfThePublishedSpaceIsAPlainConvolution) {
  for (const Layer& layer :
       {Layer{2, 6, 1, 3, 1, 1}, Layer{2, 9, 1, 3, 2, 1}, Layer{2, 31, 1, 5, 3, 0},
        Layer{2, 29, 1, 5, 3, 0}, Layer{1, 22, 1, 4, 4, 1}, Layer{1, 28, 2, 3, 5, 0}}) {
    SCOPED_TRACE("stride " + std::to_string(layer.stride));
    const Inputs inputs = {
        {"image", layer.image()}, {"weights", layer.weights()}, {"bias", layer.bias()}};
    const auto program = ProgramOf(FileText("examples/conv_space/conv.fun"), layer.given());
    const auto tilings = TilingsOf(layer);
    EXPECT_GT(tilings.size(), 2u);
    for (const auto& [tiling, parameters] : tilings) {
      SCOPED_TRACE("rho " + std::to_string(tiling.first) + ", theta " +
                   std::to_string(tiling.second));
      EXPECT_EQ(ResultsOf(*program, parameters, inputs).back().reference, Convolution(layer));
    }
  }
}

/// Tiles of 18 in steps of 16 with a stride of 3: nothing but `whole_steps` keeps it out.
TEST(Expression, TilesThatBeginBetweenWindowsAreNoConvolution) {
  const Layer layer = {8, 31, 1, 5, 3, 0};
  EXPECT_FALSE(TilingsOf(layer).contains({3, 18}));
  const Inputs inputs = {
      {"image", layer.image()}, {"weights", layer.weights()}, {"bias", layer.bias()}};
  const auto program = ProgramOf(FileText("examples/conv_space/conv.fun"), layer.given());
  const Numbers made = ResultsOf(*program, Parameters(3, 18, 1, 1, 8, 1), inputs).back().reference;
  const Numbers right = Convolution(layer);
  ASSERT_EQ(made.size(), right.size());
  int wrong = 0;
  for (std::size_t i = 0; i < made.size(); ++i) wrong += made[i] != right[i];
  EXPECT_EQ(wrong, 56);
}

TEST(Expression, OfTheConvolutionOfLift) {
  const Layer layer = {4, 6, 5, 3, 1, 0};
  Numbers expected;
  for (std::int64_t y = 0; y < layer.out(); ++y) {
    for (std::int64_t x = 0; x < layer.out(); ++x) {
      for (std::int64_t kernel = 0; kernel < layer.kernels; ++kernel) {
        expected.push_back(SumOf(layer, layer.image(), layer.weights(), kernel, y, x));
      }
    }
  }
  EXPECT_EQ(ValuesOf(FileText("examples/lift/programs/convolution.fun"),
                     {{"image", layer.image()}, {"weights", layer.weights()}}, {},
                     {{"channels", 4}, {"side", 6}, {"kernels", 5}, {"window", 3}}),
            expected);
}

// ---- Several kernels, errors.

constexpr const char* kThirds =
    "input x: [float]2\ninput y: float\n"
    "kernel thirds = map(e -> e / 3, x)\n"
    "kernel sums = map(e -> e + y, thirds)\n";

TEST(Expression, HasTolerancesOfAllRoundingsOnTheWay) {
  const auto results = ResultsOf(*ProgramOf(kThirds), {}, {{"x", {1, 0.75}}, {"y", {1}}});
  constexpr double kEps = 0x1p-24;
  EXPECT_THAT(results[0].reference, ElementsAre(1.0 / 3, 0.25));
  EXPECT_DOUBLE_EQ(results[0].tolerance[0], 2 * kEps / 3);
  EXPECT_THAT(results[1].reference, ElementsAre(4.0 / 3, 1.25));
  EXPECT_DOUBLE_EQ(results[1].tolerance[0], 2 * 2 * kEps * std::sqrt(1.0 / 9 + 16.0 / 9));
  const auto copied =
      ResultsOf(*ProgramOf("input x: [float]2\nkernel k = map(id, x)\n"), {}, {{"x", {1, 0.75}}});
  EXPECT_THAT(copied[0].tolerance, ElementsAre(0, 0));
}

TEST(Expression, IsWhatItIsWhereThatIsNoNumber) {
  const auto of = [](const std::string& text, const Inputs& inputs) {
    return ResultsOf(*ProgramOf(text), {}, inputs)[0].reference;
  };
  EXPECT_THAT(of("input x: [float]2\nkernel k = map(e -> 1.0 / e, x)\n", {{"x", {0, 4}}}),
              ElementsAre(std::numeric_limits<double>::infinity(), 0.25));
  const double nan = std::nan("");
  for (const char* name : {"min", "max"}) {
    const Numbers result = of(std::string("input x: [float]2\ninput y: [float]2\n"
                                          "kernel k = map((a, b) -> ") +
                                  name + "(a, b), zip(x, y))\n",
                              {{"x", {nan, 1}}, {"y", {1, nan}}});
    EXPECT_TRUE(std::isnan(result[0]) && std::isnan(result[1])) << name;
  }
}

/// A sum in floats is within the tolerance, and that is no wide one.
TEST(Expression, HasTolerancesThatFloatsKeep) {
  const std::int64_t n = 1000;
  Numbers x;
  float sum = 0;
  for (const double each : Some(n, 7)) {
    x.push_back(static_cast<double>(static_cast<float>(each / 3)));
    sum += static_cast<float>(x.back()) * static_cast<float>(x.back());
  }
  const auto result =
      ResultsOf(*ProgramOf("input x: [float]1000\nkernel k = "
                           "toGlobal(id(reduce(toPrivate(id(0)), (s, e) -> s + e * e, x)))"),
                {}, {{"x", x}});
  const double off = std::abs(result[0].reference[0] - static_cast<double>(sum));
  EXPECT_LE(off, result[0].tolerance[0]);
  EXPECT_GT(off, 0);
  EXPECT_LE(result[0].tolerance[0], 1000 * 0x1p-24 * result[0].reference[0]);
}

TEST(Expression, ListsInputsAndResults) {
  const auto program = ProgramOf(
      "param m\ninput z: [vector(float, 4)]2\ninput y: float\ninput unused: [float]3\n"
      "input a: [float]12\nkernel parts = map(p -> map(e -> e * y, p), split(m, a))\n"
      "kernel all = map(id, asScalar(z))\n"
      "kernel sum = toGlobal(id(reduce(toPrivate(id(0)), (s, e) -> s + e, join(parts))))\n");
  const Assignment parameters = {{"m", 3}};
  std::string text;
  for (const kernels::ir::Array& array : ArraysOf(*program, parameters)) {
    const bool is_input = array.role == kernels::ir::ArrayRole::kInput;
    text += array.name + (is_input ? "<" : ">") + std::to_string(array.elements) + " ";
  }
  EXPECT_EQ(text, "a<12 y<1 z<8 parts>12 all>8 sum>1 ");
  const auto results =
      ResultsOf(*program, parameters, {{"a", Count(12)}, {"y", {2}}, {"z", Count(8)}});
  EXPECT_THAT(results[2].reference, ElementsAre(132));
}

/// Its nodes, by operator: "load 2, mad 1, store 1".
std::string NodesOf(const kernels::derived::Expression& expression) {
  std::map<std::string, int> counts;
  for (const auto& node : expression.nodes) {
    ++counts[std::string(kernels::ir::InfoOf(node.op).word)];
  }
  std::string text;
  for (const auto& [word, count] : counts) {
    text += (text.empty() ? "" : ", ") + word + " " + std::to_string(count);
  }
  return text;
}

TEST(Expression, OfProductsAndConvolutionsIsThatOfKernels) {
  const std::string folder = "examples/lift/programs/";
  const auto of = [&](const char* file, const Given& given) {
    const auto program = ProgramOf(FileText(folder + file), given);
    Assignment values;
    for (const ProgramParameter& parameter : program->parameters) {
      values[parameter.name] = parameter.values.at(0);
    }
    return ExpressionOf(*program, values);
  };
  const auto product = of("matmul.fun", {{"m", 9}, {"n", 10}, {"k", 7}});
  EXPECT_EQ(NodesOf(product), "copy 1, load 2, mad 1, store 1");
  const auto convolution =
      of("convolution.fun", {{"channels", 3}, {"side", 6}, {"kernels", 5}, {"window", 3}});
  EXPECT_EQ(NodesOf(convolution), "copy 1, load 2, mad 1, store 1");
  const auto tiled =
      of("tiled_convolution.fun",
         {{"channels", 4}, {"side", 6}, {"kernels", 6}, {"theta", 4}, {"kappa", 3}, {"sigma", 2}});
  EXPECT_EQ(NodesOf(tiled), "copy 1, load 2, mad 1, store 1");
  for (const auto& node : tiled.nodes) EXPECT_LT(node.index, 0);
}

TEST(Expression, TellsRoundByRoundWhatIsNoSum) {
  // A polynomial: what there is so far is multiplied, too.
  Numbers x;
  double expected = 0;
  for (int i = 0; i < 600; ++i) {
    x.push_back(i % 5 - 2);
    expected = expected * 0.5 + x.back();
  }
  EXPECT_THAT(ValuesOf("input x: [float]600\nkernel k = "
                       "toGlobal(id(reduce(toPrivate(id(0)), (s, e) -> s * 0.5 + e, x)))",
                       {{"x", x}}),
              ElementsAre(testing::DoubleNear(expected, 1e-12)));
}

std::string ErrorOf(const std::string& text) {
  try {
    ExpressionOf(*ProgramOf(text), {});
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Expression, SaysWhatIsMissing) {
  EXPECT_EQ(ErrorOf("user f(float): float\ninput x: [float]2\nkernel k = map(f, x)\n"),
            "kernel 'k': user function 'f' is known by its type alone");
  EXPECT_EQ(ErrorOf("param m\ninput x: [float]6\nkernel k = map(p -> map(id, p), split(m, x))\n"),
            "parameter 'm' has no value");
  EXPECT_THAT(ErrorOf("input x: [int]2\nkernel k = map(id, x)\n"),
              HasSubstr("'x' is [int]2: only floats"));
  EXPECT_THAT(ErrorOf("input x: [float]2\nkernel k = map(e -> (e + 1, e + 2), x)\n"),
              HasSubstr("'k' is [(float, float)]2: only floats"));
}

/// How many elements of all results must be exact.
std::int64_t Exact(const std::vector<double>& tolerances) {
  return std::ranges::count_if(tolerances, [](double each) { return each <= 0; });
}

/// Problems of random programs: results are the oracle's, and as many of them exact.
TEST(Expression, OfRandomProgramsIsWhatTheOracleSays) {
  std::int64_t exact = 0, exact_of_oracle = 0, all = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    Random random(seed);
    const std::string text = tests::RandomProgram(random);
    SCOPED_TRACE(text);
    const auto program = ProgramOf(text);
    const kernels::derived::Expression expression = ExpressionOf(*program, {});
    for (const kernels::CheckedProblem& one : kernels::kCheckedProblems) {
      SCOPED_TRACE(one.name);
      const kernels::ProblemData data = kernels::MakeProblem(expression, one.seed, one.inputs);
      Inputs inputs;
      for (const kernels::ir::Array& array : expression.arrays) {
        const kernels::Elements& values = data.at(array.name).values;
        for (std::size_t i = 0; i < values.size(); ++i) inputs[array.name].push_back(values[i]);
      }
      const std::vector<Reference> oracle = Calculate(*program, {}, inputs);
      for (std::size_t i = 0; i < oracle.size(); ++i) {
        const kernels::ArrayData& result = data.at(program->kernels[i].name);
        ExpectAlike(result, oracle[i]);
        if (one.inputs != kernels::Inputs::kWholeNumbers) continue;
        exact += Exact(result.tolerance);
        exact_of_oracle += Exact(oracle[i].tolerances);
        all += static_cast<std::int64_t>(result.tolerance.size());
      }
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GE(exact, exact_of_oracle);
  EXPECT_GT(exact, all * 9 / 10);
}

}  // namespace
}  // namespace exh::functional

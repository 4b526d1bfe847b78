// SPDX-License-Identifier: MIT
//
// What programs calculate: words of the language by hand, and products, convolutions and chains of
// kernels against plain loops.
#include "functional/reference/calculate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "dsl/diagnostics/render.h"
#include "runtime/candidate.h"
#include "search/solve/solution_text.h"
#include "search/solve/solver.h"
#include "tests/functional/programs.h"

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

Numbers ValuesOf(const std::string& text, const Inputs& inputs, const Assignment& parameters = {},
                 const Given& given = {}) {
  return Calculate(*ProgramOf(text, given), parameters, inputs, 1).back().values;
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

TEST(Reference, OfViewsIsWhatTheirNamesSay) {
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

TEST(Reference, OfPad) {
  EXPECT_THAT(OfSix("map(id, pad(1, 2, 0.5, x))"), ElementsAre(.5, 0, 1, 2, 3, 4, 5, .5, .5));
  EXPECT_THAT(OfSix("map(id, pad(-2, -1, 0.0, x))"), ElementsAre(2, 3, 4));
  EXPECT_THAT(OfSix("map(id, pad(-4, 2, 7, x))"), ElementsAre(4, 5, 7, 7));
  EXPECT_THAT(OfSix("map(id, pad(3, -4, 7, x))"), ElementsAre(7, 7, 7, 0, 1));
  EXPECT_THAT(OfSix("map(id, pad(-7, 3, 7, x))"), ElementsAre(7, 7));
  // Around rows that are padded themselves.
  EXPECT_THAT(OfSix("map(r -> map(id, r), pad(0, 1, 9, map(r -> pad(1, 0, 8, r), split(3, x))))"),
              ElementsAre(8, 0, 1, 2, 8, 3, 4, 5, 9, 9, 9, 9));
}

TEST(Reference, OfViewsThatNoStrideDescribes) {
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

TEST(Reference, OfUserFunctions) {
  EXPECT_THAT(OfSix("map(e -> -e, x)"), ElementsAre(0, -1, -2, -3, -4, -5));
  EXPECT_THAT(OfSix("map(e -> (12 - e) / 4, x)"), ElementsAre(3, 2.75, 2.5, 2.25, 2, 1.75));
  EXPECT_THAT(OfSix("map(e -> max(min(e, 3.5), 2), x)"), ElementsAre(2, 2, 2, 3, 3.5, 3.5));
  EXPECT_THAT(OfSix("map(e -> dot(e, e), x)"), ElementsAre(0, 1, 4, 9, 16, 25));
  EXPECT_THAT(OfSix("map(e -> dot(e, e), asVector(3, x))"), ElementsAre(5, 50));
  EXPECT_THAT(OfSix("map(e -> dot(2, e), asVector(2, x))"), ElementsAre(2, 10, 18));
  EXPECT_THAT(OfSix("map(e -> 1 - e, asVector(2, x))"), ElementsAre(1, 0, -1, -2, -3, -4));
}

TEST(Reference, OfZipsTuplesAndConstants) {
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

TEST(Reference, OfReductions) {
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

TEST(Reference, OfAMatrixProduct) {
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

TEST(Reference, OfListing3) {
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
  const auto results = Calculate(*program, parameters, inputs, 2);
  ASSERT_EQ(results.size(), 4u);
  EXPECT_EQ(results.back().values, Convolution(layer));
  const auto kernels = KernelsOf(*program, parameters);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    EXPECT_EQ(static_cast<std::int64_t>(results[i].values.size()), kernels[i].elements);
  }
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

TEST(Reference, EveryTilingOfThePublishedSpaceIsAPlainConvolution) {
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
      EXPECT_EQ(Calculate(*program, parameters, inputs, 2).back().values, Convolution(layer));
    }
  }
}

/// Tiles of 18 in steps of 16 with a stride of 3: nothing but `whole_steps` keeps it out.
TEST(Reference, TilesThatBeginBetweenWindowsAreNoConvolution) {
  const Layer layer = {8, 31, 1, 5, 3, 0};
  EXPECT_FALSE(TilingsOf(layer).contains({3, 18}));
  const Inputs inputs = {
      {"image", layer.image()}, {"weights", layer.weights()}, {"bias", layer.bias()}};
  const auto program = ProgramOf(FileText("examples/conv_space/conv.fun"), layer.given());
  const Numbers made = Calculate(*program, Parameters(3, 18, 1, 1, 8, 1), inputs, 2).back().values;
  const Numbers right = Convolution(layer);
  ASSERT_EQ(made.size(), right.size());
  int wrong = 0;
  for (std::size_t i = 0; i < made.size(); ++i) wrong += made[i] != right[i];
  EXPECT_EQ(wrong, 56);
}

TEST(Reference, OfTheConvolutionOfLift) {
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

// ---- Several kernels, errors, threads.

constexpr const char* kThirds =
    "input x: [float]2\ninput y: float\n"
    "kernel thirds = map(e -> e / 3, x)\n"
    "kernel sums = map(e -> e + y, thirds)\n";

TEST(Reference, RoundsWhatLiesBetweenKernels) {
  const auto results = Calculate(*ProgramOf(kThirds), {}, {{"x", {1, 0.75}}, {"y", {1}}}, 1);
  EXPECT_THAT(results[0].values, ElementsAre(1.0 / 3, 0.25));
  EXPECT_THAT(results[1].values, ElementsAre(1 + static_cast<double>(1.0f / 3), 1.25));
}

TEST(Reference, HasTolerancesOfRoundings) {
  const auto results = Calculate(*ProgramOf(kThirds), {}, {{"x", {1, 0.75}}, {"y", {1}}}, 1);
  const double eps = 0x1p-24;
  EXPECT_DOUBLE_EQ(results[0].tolerances[0], 4 * eps / 3);
  // 0.25 is exact, and 1.25, too: nothing else can come of them.
  EXPECT_EQ(results[0].tolerances[1], 0);
  EXPECT_EQ(results[1].tolerances[1], 0);
  const auto rounded = static_cast<double>(1.0f / 3);
  EXPECT_DOUBLE_EQ(results[1].tolerances[0],
                   4 * (eps / 3 + std::abs(rounded - 1.0 / 3) + eps * (1 + rounded)));
  const auto copied = Calculate(*ProgramOf("input x: [float]2\nkernel k = map(id, x)\n"), {},
                                {{"x", {1, 0.75}}}, 1);
  EXPECT_THAT(copied[0].tolerances, ElementsAre(0, 0));
}

TEST(Reference, KnowsWhatRoundingsDecide) {
  const auto of = [](double x, double y) {
    return Calculate(*ProgramOf("input x: [float]1\ninput y: [float]1\n"
                                "kernel k = map((a, b) -> 1.0 / (a * 0.1 - b), zip(x, y))\n"),
                     {}, {{"x", {x}}, {"y", {y}}}, 1)[0];
  };
  const double product = static_cast<double>(1 / 3.0f) * static_cast<double>(0.1f);
  EXPECT_FALSE(of(static_cast<double>(1 / 3.0f), product).IsKnown());
  EXPECT_TRUE(of(1, 2).IsKnown());
  // What comes of exact numbers is known, even where it is none.
  const auto exact = Calculate(*ProgramOf("input x: [float]2\nkernel k = map(e -> 1.0 / e, x)\n"),
                               {}, {{"x", {0, 4}}}, 1)[0];
  EXPECT_TRUE(exact.IsKnown());
  EXPECT_THAT(exact.values, ElementsAre(std::numeric_limits<double>::infinity(), 0.25));
  EXPECT_THAT(exact.tolerances, ElementsAre(0, 0));
}

TEST(Reference, ANanWinsInExtremes) {
  const double nan = std::nan("");
  for (const char* name : {"min", "max"}) {
    const auto program = ProgramOf(std::string("input x: [float]2\ninput y: [float]2\n"
                                               "kernel k = map((a, b) -> ") +
                                   name + "(a, b), zip(x, y))\n");
    const auto result = Calculate(*program, {}, {{"x", {nan, 1}}, {"y", {1, nan}}}, 1)[0];
    EXPECT_TRUE(std::isnan(result.values[0]) && std::isnan(result.values[1])) << name;
  }
}

/// A sum in floats is within the tolerance, and that is no wide one.
TEST(Reference, HasTolerancesThatFloatsKeep) {
  const std::int64_t n = 1000;
  Numbers x;
  float sum = 0;
  for (const double each : Some(n, 7)) {
    x.push_back(static_cast<double>(static_cast<float>(each / 3)));
    sum += static_cast<float>(x.back()) * static_cast<float>(x.back());
  }
  const auto result =
      Calculate(*ProgramOf("input x: [float]1000\nkernel k = "
                           "toGlobal(id(reduce(toPrivate(id(0)), (s, e) -> s + e * e, x)))"),
                {}, {{"x", x}}, 1);
  const double off = std::abs(result[0].values[0] - static_cast<double>(sum));
  EXPECT_LE(off, result[0].tolerances[0]);
  EXPECT_GT(off, 0);
  EXPECT_LE(result[0].tolerances[0], 4 * 1000 * 0x1p-24 * result[0].values[0]);
}

TEST(Reference, ListsInputsAndKernels) {
  const auto program = ProgramOf(
      "param m\ninput z: [vector(float, 4)]2\ninput y: float\ninput unused: [float]3\n"
      "input a: [float]12\nkernel parts = map(p -> map(e -> e * y, p), split(m, a))\n"
      "kernel all = map(id, asScalar(z))\n"
      "kernel sum = toGlobal(id(reduce(toPrivate(id(0)), (s, e) -> s + e, join(parts))))\n");
  const Assignment parameters = {{"m", 3}};
  const auto facts = [](const std::vector<ArrayFacts>& all) {
    std::string text;
    for (const ArrayFacts& each : all) {
      text += each.name + " " + std::to_string(each.elements) + (each.is_scalar ? "s " : " ");
    }
    return text;
  };
  EXPECT_EQ(facts(InputsOf(*program, parameters)), "a 12 y 1s z 8 ");
  EXPECT_EQ(facts(KernelsOf(*program, parameters)), "parts 12 all 8 sum 1s ");
  const auto results =
      Calculate(*program, parameters, {{"a", Count(12)}, {"y", {2}}, {"z", Count(8)}}, 1);
  EXPECT_THAT(results[2].values, ElementsAre(132));
}

TEST(Reference, IsTheSameForAllNumbersOfThreads) {
  const Layer layer = {8, 12, 8, 3, 1, 1};
  const auto program = ProgramOf(FileText("examples/conv_space/conv.fun"), layer.given());
  const Inputs inputs = {
      {"image", layer.image()}, {"weights", layer.weights()}, {"bias", Some(8, 9)}};
  // One tile, so loops within are shared; and many.
  for (const Assignment& parameters :
       {Parameters(0, 14, 2, 4, 24, 4), Parameters(0, 4, 4, 2, 8, 1)}) {
    const auto one = Calculate(*program, parameters, inputs, 1);
    for (const int threads : {3, 16}) {
      const auto many = Calculate(*program, parameters, inputs, threads);
      for (std::size_t i = 0; i < one.size(); ++i) {
        EXPECT_EQ(one[i].values, many[i].values);
        EXPECT_EQ(one[i].tolerances, many[i].tolerances);
      }
    }
  }
}

std::string ErrorOf(const std::string& text, const Inputs& inputs,
                    const Assignment& parameters = {}) {
  try {
    Calculate(*ProgramOf(text), parameters, inputs, 1);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Reference, SaysWhatIsMissing) {
  EXPECT_EQ(
      ErrorOf("user f(float): float\ninput x: [float]2\nkernel k = map(f, x)\n", {{"x", {1, 2}}}),
      "kernel 'k': user function 'f' is known by its type alone");
  const std::string copy = "input x: [float]2\nkernel k = map(id, x)\n";
  EXPECT_EQ(ErrorOf(copy, {}), "input 'x' is missing");
  EXPECT_EQ(ErrorOf(copy, {{"x", {1}}}), "input 'x' has 2 elements, not 1");
  EXPECT_EQ(ErrorOf("param m\ninput x: [float]6\nkernel k = map(p -> map(id, p), split(m, x))\n",
                    {{"x", Count(6)}}),
            "parameter 'm' has no value");
  EXPECT_THAT(ErrorOf("input x: [int]2\nkernel k = map(id, x)\n", {{"x", {1, 2}}}),
              HasSubstr("'x' is [int]2: only floats"));
  EXPECT_THAT(
      ErrorOf("input x: [float]2\nkernel k = map(e -> (e + 1, e + 2), x)\n", {{"x", {1, 2}}}),
      HasSubstr("'k' is [(float, float)]2: only floats"));
}

TEST(Reference, HearsItsToken) {
  const auto program = ProgramOf("input x: [float]20000\nkernel k = map(id, x)\n");
  const Inputs inputs = {{"x", Count(20000)}};
  StopToken stop;
  EXPECT_EQ(Calculate(*program, {}, inputs, 2, &stop).size(), 1U);
  stop.Stop();
  EXPECT_THROW(Calculate(*program, {}, inputs, 1, &stop), Interrupted);
  EXPECT_THROW(Calculate(*program, {}, inputs, 2, &stop), Interrupted);
}

TEST(Reference, SaysWhatDoesNotFit) {
  const std::string split =
      "param m\ninput x: [float]6\nkernel k = map(p -> map(id, p), split(m, x))\n";
  EXPECT_THAT(ErrorOf(split, {{"x", Count(6)}}, {{"m", 4}}), HasSubstr("has no value"));
  const std::string window =
      "param m in 1 .. 9\ninput x: [float]6\nkernel k = map(p -> map(id, p), slide(m, 1, x))\n";
  EXPECT_THAT(ErrorOf(window, {{"x", Count(6)}}, {{"m", 8}}), HasSubstr("a length is at least 1"));
  const std::string zip =
      "param m in 1 .. 9\ninput x: [float]6\n"
      "kernel k = map((a, b) -> a + b, zip(x, fill(m, 0.0)))\n";
  EXPECT_EQ(ErrorOf(zip, {{"x", Count(6)}}, {{"m", 5}}), "kernel 'k': zip of 6 and 5 elements");
}

}  // namespace
}  // namespace exh::functional

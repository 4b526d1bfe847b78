// SPDX-License-Identifier: MIT
//
// The published space of direct convolutions (examples/conv_space/conv.fun): as many points as were
// published for layers 0 and 7 of VGG-16, and on small layers, of strides too, those that loops
// over all parameters find which know nothing of the program.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "runtime/candidate.h"
#include "search/solve/solution_text.h"
#include "search/solve/solver.h"
#include "tests/functional/programs.h"

namespace exh::functional {
namespace {

constexpr const char* kFile = "examples/conv_space/conv.fun";

Given Layer(int layer) {
  if (layer == 0) return {{"channels", 3}, {"side", 224}, {"kernels", 64}};
  return {{"channels", 128}, {"side", 112}, {"kernels", 128}};
}

Given With(Given given, const Given& more) {
  given.insert(more.begin(), more.end());
  return given;
}

struct Published {
  int layer;
  std::int64_t v;
  std::int64_t threads;  ///< 0: what the algorithm asks for alone.
  const char* count;
};

class PublishedCounts : public ::testing::TestWithParam<Published> {};

TEST_P(PublishedCounts, AreThoseOfTheProgram) {
  const Published& published = GetParam();
  Given given = With(Layer(published.layer), {{"v", published.v}, {"threads", published.threads}});
  if (published.threads == 0) given = With(given, {{"buffer", 0}, {"private", 0}});
  EXPECT_EQ(CountOf(FileText(kFile), given), published.count);
}

INSTANTIATE_TEST_SUITE_P(
    Conv, PublishedCounts,
    ::testing::Values(Published{0, 1, 0, "440580"}, Published{0, 4, 0, "0"},
                      Published{0, 1, 384, "41591"}, Published{0, 4, 384, "0"},
                      Published{0, 1, 1024, "62295"}, Published{0, 4, 1024, "0"},
                      Published{7, 1, 0, "1197504"}, Published{7, 4, 0, "898128"},
                      Published{7, 1, 384, "83015"}, Published{7, 4, 384, "79964"},
                      Published{7, 1, 1024, "128824"}, Published{7, 4, 1024, "123517"}),
    [](const auto& test) {
      return "Layer" + std::to_string(test.param.layer) + "V" + std::to_string(test.param.v) +
             "Threads" + std::to_string(test.param.threads);
    });

// ---- The oracle.

struct Small {
  std::int64_t channels, side, kernels, window, stride, border, threads, buffer, accumulators;
};

using Point = std::array<std::int64_t, 6>;  // rho, theta, kappa, sigma, omega, v

/// Every point by loops.
std::set<Point> PointsOf(const Small& s) {
  std::set<Point> points;
  const std::int64_t base = s.side + 2 * s.border, all = s.channels * s.window * s.window;
  const std::int64_t halo = s.window - s.stride;
  const std::int64_t out = (base - s.window) / s.stride + 1;
  for (std::int64_t rho = 0; rho < base; ++rho) {
    const std::int64_t padded = base + rho;
    if (rho % s.stride != 0) continue;  // What is cropped is whole.
    for (std::int64_t theta = s.window; theta <= padded && theta < 2 * base; ++theta) {
      const std::int64_t step = theta - halo;
      if (step < 1 || (padded - theta) % step != 0) continue;
      // Every tile begins at a window of the layer.
      if (step % s.stride != 0) continue;
      const std::int64_t tiles = (padded - theta) / step + 1;
      const std::int64_t side = (theta - s.window) / s.stride + 1, windows = side * side;
      if (tiles * side - rho / s.stride != out) continue;  // Tiles make the whole output.
      for (std::int64_t kappa = 1; kappa <= s.kernels; ++kappa) {
        if (s.kernels % kappa != 0 || windows > s.threads || kappa > s.threads ||
            windows * kappa > s.threads) {
          continue;
        }
        for (std::int64_t sigma = 1; sigma <= windows; ++sigma) {
          if (windows % sigma != 0 || kappa * sigma > s.accumulators) continue;
          for (std::int64_t omega = 1; omega <= all; ++omega) {
            if (all % omega != 0) continue;
            const std::int64_t chunks = all / omega, groups = windows / sigma;
            if (chunks * groups > s.threads) continue;
            if (4 * tiles * tiles * s.kernels * windows * chunks > s.buffer) continue;
            for (const std::int64_t v : {1, 4}) {
              if (omega % v == 0) points.insert({rho, theta, kappa, sigma, omega, v});
            }
          }
        }
      }
    }
  }
  return points;
}

std::set<Point> SolutionsOf(const Small& s) {
  const Given given = {
      {"channels", s.channels}, {"side", s.side},     {"kernels", s.kernels},
      {"window", s.window},     {"stride", s.stride}, {"border", s.border},
      {"threads", s.threads},   {"buffer", s.buffer}, {"private", 4 * s.accumulators}};
  const auto instance = FrozenProgram(FileText(kFile), given);
  std::set<Point> points;
  if (instance->root_result() == runtime::Propagation::kDeadEnd) return points;
  const search::ChoiceOrder order = search::ChoiceOrder::Default(*instance);
  search::Solver solver(*instance, order);
  solver.Run(runtime::Candidate(instance), [&](const runtime::Candidate& solution) {
    const auto json = search::SolutionJson(solution);
    Point point;
    for (std::size_t i = 0; const char* name : {"rho", "theta", "kappa", "sigma", "omega", "v"}) {
      point[i++] = json.at(name).get<std::int64_t>();
    }
    EXPECT_TRUE(points.insert(point).second);
    return true;
  });
  return points;
}

class SmallLayers : public ::testing::TestWithParam<Small> {};

TEST_P(SmallLayers, HaveThePointsThatLoopsFind) {
  const std::set<Point> expected = PointsOf(GetParam());
  EXPECT_GT(expected.size(), 10u);
  EXPECT_EQ(SolutionsOf(GetParam()), expected);
}

INSTANTIATE_TEST_SUITE_P(Conv, SmallLayers,
                         ::testing::Values(Small{4, 6, 4, 3, 1, 1, 64, 1 << 20, 20},
                                           Small{3, 5, 6, 2, 1, 0, 40, 6000, 9},
                                           Small{8, 7, 2, 1, 1, 0, 100, 40000, 1000},
                                           Small{4, 9, 4, 3, 2, 1, 64, 1 << 20, 20},
                                           Small{2, 11, 3, 5, 2, 2, 200, 1 << 20, 50},
                                           Small{1, 31, 1, 5, 3, 0, 200, 1 << 20, 50},
                                           Small{2, 22, 1, 4, 4, 1, 200, 1 << 20, 50},
                                           Small{1, 29, 2, 3, 5, 0, 200, 1 << 20, 50}));

}  // namespace
}  // namespace exh::functional

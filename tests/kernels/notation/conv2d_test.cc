// SPDX-License-Identifier: MIT
//
// The library's convolution against the loops that one would write, and what it refuses.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "base/error.h"
#include "base/random.h"
#include "kernels/library/registry.h"

namespace exh::kernels {
namespace {

Parameters SizesWith(const Parameters& changed) {
  Parameters sizes;
  for (const Parameter& p : FindKernel("conv2d")->parameters()) sizes[p.name] = p.default_value;
  for (const auto& [name, value] : changed) sizes[name] = value;
  return sizes;
}

std::string Text(const Parameters& sizes) {
  std::string text;
  for (const auto& [name, value] : sizes) text += fmt::format(" {}={}", name, value);
  return text;
}

/// Numbers of elements, by the layout.
struct Places {
  const Parameters& sizes;
  std::int64_t rows = 0, columns = 0;  ///< Of y.

  std::int64_t of(const char* name) const { return sizes.at(name); }
  std::int64_t Image(std::int64_t i, std::int64_t row, std::int64_t column, std::int64_t channel,
                     std::int64_t height, std::int64_t width, std::int64_t channels) const {
    if (of("layout") == 0) return ((i * height + row) * width + column) * channels + channel;
    return ((i * channels + channel) * height + row) * width + column;
  }
  std::int64_t Filter(std::int64_t r, std::int64_t s, std::int64_t c, std::int64_t m) const {
    switch (of("filter_layout")) {
      case 0:
        return ((r * of("s") + s) * of("c") + c) * of("m") + m;
      case 1:
        return ((m * of("r") + r) * of("s") + s) * of("c") + c;
      default:
        return ((m * of("c") + c) * of("r") + r) * of("s") + s;
    }
  }
};

void ExpectAsLoops(const Parameters& changed) {
  const Parameters sizes = SizesWith(changed);
  const std::string what = Text(changed);
  Places at{sizes};
  const std::int64_t stride = at.of("stride"), dilation = at.of("dilation"), pad = at.of("pad");
  at.rows = (at.of("h") + 2 * pad - dilation * (at.of("r") - 1) - 1) / stride + 1;
  at.columns = (at.of("w") + 2 * pad - dilation * (at.of("s") - 1) - 1) / stride + 1;
  constexpr std::uint64_t kSeed = 3;
  Random random(kSeed);
  ProblemData data;
  const auto draw = [&](const char* name, std::int64_t elements) {
    Elements& values = data[name].values;
    values = Elements(ir::Type::kF32, static_cast<std::uint64_t>(elements));
    for (std::uint64_t i = 0; i < values.size(); ++i) {
      values.Set(i, static_cast<double>(random.Below(2001)) / 1000 - 1);
    }
  };
  draw("x", at.of("n") * at.of("h") * at.of("w") * at.of("c"));
  draw("filter", at.of("r") * at.of("s") * at.of("c") * at.of("m"));
  data["y"].values = {};
  FindKernel("conv2d")->Reference(sizes, data);
  const Elements &x = data.at("x").values, &filter = data.at("filter").values;
  const std::vector<double>& y = data.at("y").reference;
  ASSERT_EQ(y.size(), static_cast<std::size_t>(at.of("n") * at.rows * at.columns * at.of("m")))
      << what;
  for (std::int64_t n = 0; n < at.of("n"); ++n)
    for (std::int64_t i = 0; i < at.rows; ++i)
      for (std::int64_t j = 0; j < at.columns; ++j)
        for (std::int64_t m = 0; m < at.of("m"); ++m) {
          double sum = 0;
          for (std::int64_t r = 0; r < at.of("r"); ++r)
            for (std::int64_t s = 0; s < at.of("s"); ++s)
              for (std::int64_t c = 0; c < at.of("c"); ++c) {
                const std::int64_t row = i * stride + r * dilation - pad;
                const std::int64_t column = j * stride + s * dilation - pad;
                if (row < 0 || row >= at.of("h") || column < 0 || column >= at.of("w")) continue;
                const auto of_x = static_cast<std::uint64_t>(
                    at.Image(n, row, column, c, at.of("h"), at.of("w"), at.of("c")));
                sum += x[of_x] * filter[static_cast<std::uint64_t>(at.Filter(r, s, c, m))];
              }
          const auto of_y =
              static_cast<std::size_t>(at.Image(n, i, j, m, at.rows, at.columns, at.of("m")));
          ASSERT_NEAR(y[of_y], sum, 1e-9)
              << what << ": " << n << ", " << i << ", " << j << ", " << m;
        }
}

TEST(Conv2d, ComputesWhatLoopsCompute) {
  for (std::int64_t layout = 0; layout < 2; ++layout) {
    for (std::int64_t filter = 0; filter < 3; ++filter) {
      const auto with = [&](Parameters sizes) {
        sizes["layout"] = layout;
        sizes["filter_layout"] = filter;
        ExpectAsLoops(sizes);
      };
      with({{"n", 2}, {"h", 7}, {"w", 5}, {"c", 3}, {"m", 4}});
      with({{"h", 9}, {"w", 8}, {"c", 2}, {"m", 3}, {"stride", 2}});
      with({{"h", 9}, {"w", 10}, {"c", 2}, {"m", 3}, {"dilation", 2}, {"pad", 2}});
      with({{"h", 6}, {"w", 7}, {"c", 5}, {"m", 2}, {"r", 1}, {"s", 1}, {"pad", 0}});
      with({{"n", 2},
            {"h", 6},
            {"w", 7},
            {"c", 3},
            {"m", 2},
            {"r", 1},
            {"s", 1},
            {"pad", 0},
            {"stride", 2}});
      with({{"h", 8}, {"w", 6}, {"c", 2}, {"m", 3}, {"r", 5}, {"s", 5}, {"pad", 2}});
      with({{"h", 19},
            {"w", 23},
            {"c", 3},
            {"m", 4},
            {"r", 11},
            {"s", 11},
            {"pad", 2},
            {"stride", 4}});
      with({{"h", 4}, {"w", 9}, {"c", 1}, {"m", 1}, {"r", 2}, {"s", 3}, {"pad", 1}});
      with({{"h", 3}, {"w", 3}, {"c", 2}, {"m", 2}, {"r", 5}, {"s", 5}, {"pad", 4}, {"stride", 3}});
    }
  }
}

std::string Refusal(const Parameters& changed) {
  ir::Function function;
  ir::Builder builder(function);
  try {
    FindKernel("conv2d")->Build(builder, SizesWith(changed));
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(Conv2d, RefusesWhatIsNoConvolution) {
  using ::testing::HasSubstr;
  EXPECT_EQ(Refusal({}), "");
  EXPECT_THAT(Refusal({{"h", 2}, {"w", 9}, {"r", 5}, {"s", 5}}),
              HasSubstr("a window is no larger than x with its padding; here dilation=1, r=5, h=2, "
                        "pad=1, s=5, w=9"));
  EXPECT_THAT(Refusal({{"w", 4}, {"dilation", 3}}), HasSubstr("a window is no larger than x"));
  EXPECT_THAT(Refusal({{"pad", 3}}), HasSubstr("padding is smaller than a window: none lies in it "
                                               "alone; here pad=3, dilation=1, r=3, s=3"));
  EXPECT_THAT(Refusal({{"r", 1}, {"s", 1}}), HasSubstr("padding is smaller than a window"));
  EXPECT_THAT(Refusal({{"n", 65536}, {"h", 65536}, {"w", 65536}, {"c", 65536}}),
              HasSubstr("'x' has more than 2^60 elements"));
  // Sizes of 0 are outside of the ranges.
  for (const Parameter& p : FindKernel("conv2d")->parameters()) {
    if (!p.words.empty()) continue;
    EXPECT_EQ(p.min, p.name == "pad" ? 0 : 1) << p.name;
  }
}

}  // namespace
}  // namespace exh::kernels

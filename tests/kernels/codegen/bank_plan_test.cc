// SPDX-License-Identifier: MIT
#include "kernels/codegen/memory/bank_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <random>
#include <set>
#include <vector>

namespace exh::kernels::codegen {
namespace {

constexpr std::uint32_t kFloat = 4;

/// Wavefronts, as the text says it: lanes in groups, and in each the distinct words of each bank.
std::uint32_t ByHand(const std::vector<std::int64_t>& lanes, std::uint32_t bytes) {
  const std::size_t group = bytes <= 4 ? 32 : bytes == 8 ? 16 : 8;
  std::uint32_t sum = 0;
  for (std::size_t first = 0; first < lanes.size(); first += group) {
    std::map<std::int64_t, std::set<std::int64_t>> words_of_bank;
    for (std::size_t lane = first; lane < std::min(first + group, lanes.size()); ++lane) {
      if (lanes[lane] < 0) continue;
      for (std::int64_t byte = lanes[lane]; byte < lanes[lane] + bytes; ++byte) {
        words_of_bank[byte / 4 % 32].insert(byte / 4);
      }
    }
    std::size_t most = 0;
    for (const auto& [bank, words] : words_of_bank) most = std::max(most, words.size());
    sum += static_cast<std::uint32_t>(most);
  }
  return sum;
}

std::vector<std::int64_t> Lanes(const auto& address) {
  std::vector<std::int64_t> lanes;
  for (std::int64_t lane = 0; lane < 32; ++lane) lanes.push_back(address(lane));
  return lanes;
}

TEST(Wavefronts, OfKnownAccesses) {
  const auto count = [](std::uint32_t bytes, const auto& address) {
    return Wavefronts(Lanes(address), bytes);
  };
  EXPECT_EQ(count(4, [](auto lane) { return 4 * lane; }), 1u);
  EXPECT_EQ(count(4, [](auto) { return 64; }), 1u);  // All want one word.
  EXPECT_EQ(count(4, [](auto lane) { return 128 * lane; }), 32u);
  EXPECT_EQ(count(4, [](auto lane) { return 8 * lane; }), 2u);
  EXPECT_EQ(count(4, [](auto lane) { return 132 * lane; }), 1u);
  EXPECT_EQ(count(8, [](auto lane) { return 8 * lane; }), 2u);
  EXPECT_EQ(count(16, [](auto lane) { return 16 * lane; }), 4u);
  EXPECT_EQ(count(16, [](auto lane) { return 128 * lane; }), 32u);
  EXPECT_EQ(count(1, [](auto lane) { return lane; }), 1u);
  EXPECT_EQ(count(2, [](auto lane) { return 66 * lane; }), 1u);
  EXPECT_EQ(count(2, [](auto lane) { return 64 * lane; }), 16u);
  EXPECT_EQ(count(16, [](auto lane) { return lane < 8 ? 16 * lane : kIdleLane; }), 1u);
  EXPECT_EQ(count(4, [](auto) { return kIdleLane; }), 0u);
}

TEST(Wavefronts, AsCountedByHand) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 2000; ++trial) {
    const std::uint32_t bytes = 1u << random() % 5;
    const std::uint32_t words = 1u << random() % 10;
    const auto lanes = Lanes([&](std::int64_t) -> std::int64_t {
      return random() % 8 == 0 ? kIdleLane : static_cast<std::int64_t>(random() % words * bytes);
    });
    ASSERT_EQ(Wavefronts(lanes, bytes), ByHand(lanes, bytes)) << trial;
  }
}

/// What the accesses take in a layout.
double CostOf(const std::vector<WarpAccess>& accesses, const XorLayout& layout,
              std::uint32_t element_bytes = kFloat) {
  double cost = 0;
  for (const WarpAccess& access : accesses) {
    std::vector<std::int64_t> lanes;
    for (const std::int64_t e : access.elements) {
      lanes.push_back(e < 0 ? e : layout.Place(e) * element_bytes);
    }
    cost += access.weight * ByHand(lanes, access.width * element_bytes);
  }
  return cost;
}

int ChangesOf(const XorLayout& layout) {
  int changes = 0;
  for (const std::uint32_t column : layout.columns) changes += std::popcount(column);
  return changes;
}

/// The best of all matrices of so many columns: what it costs, and how many bits it has.
std::pair<double, int> BestByHand(const std::vector<WarpAccess>& accesses, XorLayout layout,
                                  std::size_t columns, std::uint32_t values) {
  std::pair<double, int> best = {CostOf(accesses, {}), 0};
  std::uint64_t matrices = 1;
  for (std::size_t i = 0; i < columns; ++i) matrices *= values;
  for (std::uint64_t matrix = 0; matrix < matrices; ++matrix) {
    layout.columns.clear();
    for (std::uint64_t rest = matrix; layout.columns.size() < columns; rest /= values) {
      layout.columns.push_back(static_cast<std::uint32_t>(rest % values));
    }
    best = std::min(best, {CostOf(accesses, layout), ChangesOf(layout)});
  }
  return best;
}

TEST(XorLayout, IsABijectionWithinRows) {
  const XorLayout layout = {2, 5, {3, 0, 5, 6}};
  std::set<std::int64_t> places;
  for (std::int64_t e = 0; e < 32 * 16; ++e) {
    const std::int64_t place = layout.Place(e);
    EXPECT_EQ(place / 32, e / 32);  // Its row,
    EXPECT_EQ(place % 4, e % 4);    // its place in a piece,
    EXPECT_EQ(place, layout.Place(e & ~7) ^ layout.Place(e & 7));
    places.insert(place);
  }
  EXPECT_EQ(places.size(), 32u * 16);
  EXPECT_EQ(layout.Place(32), 32 + 3 * 4);
  EXPECT_EQ(XorLayout().Place(77), 77);
}

// A fragment of the left operand of a product of 16 x 8 x 16: lane (g = lane / 4, q = lane % 4)
// reads four k from 4q on, in row g. It is filled row by row, in vectors.
TEST(XorLayout, FragmentsOfRowsTakeFourWavefronts) {
  for (const std::int64_t row : {16, 32, 64, 128}) {
    const auto fragment = Lanes([&](auto lane) { return lane / 4 * row + lane % 4 * 4; });
    const auto fill =
        Lanes([&](auto lane) { return lane / (row / 4) * row + lane % (row / 4) * 4; });
    const std::vector<WarpAccess> accesses = {{fill, 4, 1}, {fragment, 4, 8}};
    const std::vector<WarpAccess> reads = {{fragment, 4, 1}};
    EXPECT_EQ(CostOf(reads, {}), row == 16 ? 4 : 8);
    const XorLayout layout = FindXorLayout(accesses, kFloat, 4, static_cast<std::uint32_t>(row));
    EXPECT_EQ(CostOf(accesses, layout), 4 + 8 * 4) << row;
    EXPECT_EQ(layout.empty(), row == 16);
    if (row == 64) {  // Sixteen empty elements do the same, four do not.
      const auto padded = [&](std::int64_t pad) {
        return CostOf(
            {{Lanes([&](auto lane) { return lane / 4 * (row + pad) + lane % 4 * 4; }), 4, 1}}, {});
      };
      EXPECT_EQ(padded(16), 4);
      EXPECT_EQ(padded(4), 8);
    }
  }
}

// One of the right operand: a lane reads four n, piece g, in row 4q + i.
TEST(XorLayout, FragmentsOfColumnsTakeFourWavefronts) {
  for (const std::int64_t row : {32, 64, 128}) {
    for (const std::int64_t i : {0, 1, 2, 3}) {
      const auto fragment = [&](std::int64_t length) {
        return Lanes([&](auto lane) { return (lane % 4 * 4 + i) * length + lane / 4 * 4; });
      };
      const auto fill =
          Lanes([&](auto lane) { return lane / (row / 4) * row + lane % (row / 4) * 4; });
      EXPECT_EQ(CostOf({{fragment(row), 4, 1}}, {}), 16) << row;
      for (const std::int64_t pad : {1, 2, 4, 8, 16}) {
        if (pad % 4 != 0) continue;  // Accesses must stay aligned.
        EXPECT_GE(CostOf({{fragment(row + pad), 4, 1}}, {}), 8) << row << " " << pad;
      }
      const std::vector<WarpAccess> accesses = {{fill, 4, 1}, {fragment(row), 4, 8}};
      const XorLayout layout = FindXorLayout(accesses, kFloat, 4, static_cast<std::uint32_t>(row));
      EXPECT_EQ(CostOf(accesses, layout), 4 + 8 * 4) << row;
      EXPECT_EQ(ChangesOf(layout), 2);  // Each bit of q changes one of the piece.
    }
  }
}

// Lanes along a column write what others read along rows: a transposition.
TEST(XorLayout, TranspositionsTakeOneWavefront) {
  const auto down = Lanes([](auto lane) { return lane * 32; });
  const auto along = Lanes([](auto lane) { return lane; });
  const std::vector<WarpAccess> accesses = {{down, 1, 1}, {along, 1, 1}};
  EXPECT_EQ(CostOf(accesses, {}), 33);
  const XorLayout layout = FindXorLayout(accesses, kFloat, 1, 32);
  EXPECT_EQ(CostOf(accesses, layout), 2);
  EXPECT_EQ(layout.columns, (std::vector<std::uint32_t>{1, 2, 4, 8, 16}));
}

TEST(XorLayout, ChangesNothingInVain) {
  const auto along = Lanes([](auto lane) { return lane; });
  EXPECT_TRUE(FindXorLayout(std::vector<WarpAccess>{{along, 1, 1}}, kFloat, 1, 32).empty());
  const auto one = Lanes([](auto) { return 32 * 5; });
  EXPECT_TRUE(FindXorLayout(std::vector<WarpAccess>{{one, 1, 1}}, kFloat, 1, 32).empty());
}

/// Two accesses whose lanes move by powers of two, in some order of their bits.
std::vector<WarpAccess> RandomAccesses(std::mt19937& random, std::uint32_t width,
                                       std::uint32_t row_bits, std::uint32_t columns) {
  std::vector<WarpAccess> accesses;
  for (int side = 0; side < 2; ++side) {
    std::vector<std::int64_t> steps;
    for (std::uint32_t bit = 0; bit < row_bits + columns; ++bit) {
      if ((1u << bit) >= width) steps.push_back(std::int64_t{1} << bit);
    }
    std::ranges::shuffle(steps, random);
    if (random() % 4 == 0) steps[random() % 3] = 0;  // Lanes that repeat each other's work.
    accesses.push_back({Lanes([&](std::int64_t lane) {
                          std::int64_t element = 0;
                          for (std::size_t bit = 0; bit < 5 && bit < steps.size(); ++bit) {
                            if ((lane >> bit & 1) != 0) element += steps[bit];
                          }
                          return element;
                        }),
                        width, static_cast<double>(1 + random() % 4)});
  }
  return accesses;
}

TEST(XorLayout, IsTheBestOfAll) {
  std::mt19937 random(11);
  for (int trial = 0; trial < 150; ++trial) {
    // Pieces of 16 bytes in rows of up to 128 bytes, of 8 bytes, of 4.
    const std::uint32_t width = 1u << random() % 3;
    const std::uint32_t row_bits = 3 + random() % 3, columns = width == 1 ? 2 : 2 + random() % 2;
    const auto accesses = RandomAccesses(random, width, row_bits, columns);
    const std::uint32_t values = std::min(32 / width, (1u << row_bits) / width);
    const XorLayout layout = FindXorLayout(accesses, kFloat, width, 1u << row_bits);
    const XorLayout empty = {static_cast<std::uint32_t>(std::countr_zero(width)), row_bits, {}};
    const auto [cost, changes] = BestByHand(accesses, empty, columns, values);
    ASSERT_EQ(CostOf(accesses, layout), cost) << trial;
    if (layout.empty()) continue;
    ASSERT_EQ(ChangesOf(layout), changes) << trial;
  }
}

// Where there are too many to try them all.
TEST(XorLayout, IsHardlyWorseThanTheBestOfMany) {
  std::mt19937 random(13);
  double found = 0, best = 0, plain = 0;
  for (int trial = 0; trial < 12; ++trial) {
    const auto accesses = RandomAccesses(random, 4, 5, 5);
    const XorLayout layout = FindXorLayout(accesses, kFloat, 4, 32);
    const double cost = BestByHand(accesses, {2, 5, {}}, 5, 8).first;
    EXPECT_GE(CostOf(accesses, layout), cost);
    found += CostOf(accesses, layout);
    best += cost;
    plain += CostOf(accesses, {});
  }
  EXPECT_LT(best, 0.6 * plain);
  EXPECT_LE(found, 1.02 * best);
}

TEST(XorLayout, OfOtherElements) {
  for (const std::uint32_t bytes : {1u, 2u, 8u}) {
    const std::uint32_t piece = std::max(1u, 4 / bytes), row = 128 / bytes;
    const auto down = Lanes([&](auto lane) { return lane * row; });
    const auto along = Lanes([&](auto lane) { return lane * piece; });
    const std::vector<WarpAccess> accesses = {{down, 1, 1}, {along, 1, 1}};
    const XorLayout layout = FindXorLayout(accesses, bytes, piece, row);
    EXPECT_EQ(CostOf(accesses, layout, bytes), bytes == 8 ? 4 : 2) << bytes;
  }
}

}  // namespace
}  // namespace exh::kernels::codegen

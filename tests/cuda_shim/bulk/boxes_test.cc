// SPDX-License-Identifier: MIT
//
// Where the elements of a box go: each against a formula of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/cuda_shim/bulk/boxes.h"
#include "tests/cuda_shim/bulk/bulk_program.h"

namespace exh_shim {
namespace {

using exh::kernels::TensorMap;
using ::testing::HasSubstr;

std::vector<unsigned short> Numbers(std::size_t count) {
  std::vector<unsigned short> a;
  for (std::size_t i = 0; i < count; ++i) a.push_back(static_cast<unsigned short>(i + 1));
  return a;
}

constexpr unsigned kTile = 1024;  // Elements behind the place where the box goes, at most.

/// Copies a box to `byte` of shared memory, and stores `count` elements that lie from there on.
std::string CopyAndStore(const std::string& coordinates, unsigned byte, std::size_t count) {
  return R"(
  unsigned long long* const full = reinterpret_cast<unsigned long long*>(exh_bytes + 8192);
  if (t == 0) {
    exh_barrier_init(full, 1);
    exh_barriers_made();
  }
  __syncthreads();
  const auto box = exh_bytes + )" +
         std::to_string(byte) + R"(;
  if (t == 0) {
    exh_expect(full, )" +
         std::to_string(2 * count) + R"();
    exh_bulk_copy(box, &map_0, full, )" +
         coordinates + R"();
  }
  exh_await(full, 0);
  for (int e = t; e < )" +
         std::to_string(count) +
         R"(; e += 128) arg_c[e] = reinterpret_cast<unsigned short*>(box)[e];
)";
}

/// What lies at each place is the number that `expected` says of it.
void ExpectElements(const TensorMap& map, const std::string& coordinates, std::size_t in_array,
                    std::size_t in_box, unsigned byte,
                    const std::function<unsigned(unsigned)>& expected) {
  const BulkProgram<unsigned short> program(
      CopyAndStore(coordinates, byte, in_box),
      {.grid = 1, .threads = 128, .shared_bytes = 8200, .maps = {map}}, in_array, in_box);
  for (const int order : kOrders) {
    const Result result = program.Run(Numbers(in_array), order);
    ASSERT_EQ(result.error, "") << "order " << order;
    for (unsigned e = 0; e < in_box; ++e) {
      EXPECT_EQ(result.c[e], static_cast<float>(expected(e))) << "element " << e;
    }
  }
}

TEST(CudaShimBoxes, OneAxis) {
  const TensorMap map = {.extents = {100}, .strides = {}, .box = {64}};
  ExpectElements(map, "-3", 100, 64, 0, [](unsigned e) { return e < 3 ? 0 : e - 3 + 1; });
  ExpectElements(map, "60", 100, 64, 128, [](unsigned e) { return e < 40 ? e + 60 + 1 : 0; });
}

TEST(CudaShimBoxes, TwoAxesAndWhatIsOutside) {
  // 40 wide of rows of 48, and 10 high.
  const TensorMap map = {.extents = {40, 10}, .strides = {96}, .box = {16, 6}};
  const auto at = [](int x0, int y0) {
    return [x0, y0](unsigned e) -> unsigned {
      const int x = x0 + static_cast<int>(e % 16), y = y0 + static_cast<int>(e / 16);
      return x < 0 || x >= 40 || y < 0 || y >= 10 ? 0 : static_cast<unsigned>(y * 48 + x + 1);
    };
  };
  ExpectElements(map, "5, 2", 480, 96, 0, at(5, 2));
  ExpectElements(map, "-9, -1", 480, 96, 256, at(-9, -1));
  ExpectElements(map, "31, 7", 480, 96, 0, at(31, 7));
  ExpectElements(map, "40, 0", 480, 96, 0, at(40, 0));
}

TEST(CudaShimBoxes, ThreeAxes) {
  const TensorMap map = {.extents = {24, 5, 4}, .strides = {48, 240}, .box = {8, 3, 2}};
  ExpectElements(map, "8, -1, 3", 480, 48, 0, [](unsigned e) -> unsigned {
    const int x = 8 + static_cast<int>(e % 8), y = -1 + static_cast<int>(e / 8 % 3);
    const int z = 3 + static_cast<int>(e / 24);
    return y < 0 || z >= 4 ? 0 : static_cast<unsigned>((z * 5 + y) * 24 + x + 1);
  });
}

TEST(CudaShimBoxes, FiveAxes) {
  const TensorMap map = {
      .extents = {8, 2, 3, 2, 3}, .strides = {16, 32, 96, 192}, .box = {8, 1, 2, 1, 2}};
  ExpectElements(map, "0, 1, 1, 0, 1", 288, 32, 0, [](unsigned e) -> unsigned {
    return e % 8 + 8 * (1 + 2 * (1 + e / 8 % 2 + 3 * (0 + 2 * (1 + e / 16)))) + 1;
  });
}

/// `change`: which bits of the number of 16 bytes in its row change, by row.
void ExpectSwizzle(unsigned bytes, unsigned at, unsigned (*change)(unsigned row)) {
  const unsigned wide = bytes / 2;
  const TensorMap map = {
      .extents = {wide, 40}, .strides = {bytes}, .box = {wide, 16}, .swizzle_bytes = bytes};
  std::vector<unsigned> expected(16 * wide);
  for (unsigned row = 0; row < 16; ++row) {
    for (unsigned x = 0; x < wide; ++x) {
      expected[row * wide + (x / 8 ^ change(row)) * 8 + x % 8] = (row + 3) * wide + x + 1;
    }
  }
  ExpectElements(map, "0, 3", 40 * wide, 16 * wide, at, [&](unsigned e) { return expected[e]; });
}

TEST(CudaShimBoxes, Swizzles) {
  ExpectSwizzle(128, 1024, [](unsigned row) { return row % 8; });
  ExpectSwizzle(64, 1024, [](unsigned row) { return row / 2 % 4; });
  ExpectSwizzle(32, 1024, [](unsigned row) { return row / 4 % 2; });
}

// It is the address that says it.
TEST(CudaShimBoxes, SwizzlesOfBoxesThatBeginElsewhere) {
  ExpectSwizzle(128, 384, [](unsigned row) { return (row + 3) % 8; });
  ExpectSwizzle(64, 384, [](unsigned row) { return (row / 2 + 3) % 4; });
  ExpectSwizzle(32, 384, [](unsigned row) { return (row / 4 + 1) % 2; });
}

TEST(CudaShimBoxes, RegionsOfOtherTypes) {
  const std::vector<float> a = {1, 2, 3, 4, 5, 6, 7, 8};
  const BulkProgram<float> program(
      R"(
  unsigned long long* const full = reinterpret_cast<unsigned long long*>(exh_bytes + 128);
  if (t == 0) {
    exh_barrier_init(full, 1);
    exh_barriers_made();
  }
  __syncthreads();
  if (t == 0) {
    exh_expect(full, 32);
    exh_bulk_copy(exh_shared, &map_0, full, 0, 0);
  }
  exh_await(full, 0);
  if (t < 8) arg_c[t] = reinterpret_cast<float*>(exh_bytes)[t];
)",
      {.threads = 32,
       .shared_bytes = 136,
       .maps = {{.element_bytes = 8, .extents = {2, 2}, .strides = {16}, .box = {2, 2}}}},
      8, 8);
  const Result result = program.Run(a, 2);
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(result.c, a);
}

TEST(CudaShimBoxes, WhatADriverWouldRefuse) {
  const exh_tensor_map map = {.array = nullptr,
                              .element_bytes = 2,
                              .axes = 2,
                              .extents = {64, 10},
                              .strides = {2, 128},
                              .box = {64, 8},
                              .swizzle_bytes = 128};
  EXPECT_EQ(WrongMap(map, 2, 1280), "");
  EXPECT_THAT(WrongMap(map, 3, 1280), HasSubstr("with 3 coordinates by a map of 2 axes"));
  EXPECT_THAT(WrongMap(map, 2, 1278), HasSubstr("of 1280 bytes, of an array of 1278"));
  const auto changed = [&](const auto& change) {
    exh_tensor_map other = map;
    change(other);
    return WrongMap(other, 2, 1 << 20);
  };
  EXPECT_THAT(changed([](exh_tensor_map& m) { m.box[1] = 257; }), HasSubstr("257 elements long"));
  EXPECT_THAT(changed([](exh_tensor_map& m) { m.box[1] = 0; }), HasSubstr("0 elements long"));
  EXPECT_THAT(changed([](exh_tensor_map& m) { m.strides[1] = 136; }), HasSubstr("136 bytes"));
  EXPECT_THAT(changed([](exh_tensor_map& m) { m.box[0] = 12; }), HasSubstr("rows of 24 bytes"));
  EXPECT_THAT(changed([](exh_tensor_map& m) { m.box[0] = 128; }), HasSubstr("a swizzle of 128"));
  EXPECT_THAT(changed([](exh_tensor_map& m) { m.extents[0] = 0; }), HasSubstr("nothing along"));
  EXPECT_THAT(changed([](exh_tensor_map& m) { m.axes = 6; }), HasSubstr("6 axes"));
}

}  // namespace
}  // namespace exh_shim

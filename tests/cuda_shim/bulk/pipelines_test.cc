// SPDX-License-Identifier: MIT
//
// Right programs that bring tiles by bulk copies: with threads of different roles and without.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/cuda_shim/bulk/bulk_program.h"

namespace exh_shim {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

/// In every order; `neighbour`: thread t stores the sum of thread t ^ neighbour.
void ExpectSums(const std::string& body, unsigned threads, unsigned neighbour = 0) {
  const BulkProgram<float> program(body, TileSums::Launch(threads), TileSums::Input().size());
  for (const int order : kOrders) {
    const Result result = program.Run(TileSums::Input(), order);
    ASSERT_EQ(result.error, "") << "order " << order;
    EXPECT_THAT(result.written, Each(1)) << "order " << order;
    for (unsigned t = 0; t < kElements; ++t) EXPECT_EQ(result.c[t], TileSums::Sum(t ^ neighbour));
  }
}

TEST(CudaShimBulk, OneThreadFillsARing) {
  ExpectSums(TileSums::kRoles, 256);
}

TEST(CudaShimBulk, AProgramMayLookAtTheClock) {
  ExpectSums("const unsigned long long exh_end = 7;\n" +
                 Replaced(TileSums::kRoles, "exh_await(full + slot, tile / 3 % 2)",
                          "exh_await(full + slot, tile / 3 % 2, exh_end)"),
             256);
}

// Who has met the others may say for all of them that a slot is free.
TEST(CudaShimBulk, ThreadsThatHaveMetSpeakForEachOther) {
  std::string body = Replaced(TileSums::kRoles, "exh_arrive(empty + slot);",
                              "exh_meet(128);\n    if (t == 0) exh_arrive(empty + slot);");
  ExpectSums(Replaced(body, "empty + slot, 128", "empty + slot, 1"), 256);
}

TEST(CudaShimBulk, WhoMeetsKnowsWhatOthersWrote) {
  ExpectSums(TileSums::kRing + TileSums::kFill + TileSums::kTake + R"(
  float* const sums = tiles + 3 * 256;
  sums[t] = sum;
  exh_meet(128);
  arg_c[t] = sums[t ^ 37];
)",
             256, 37);
}

// Threads that nothing orders may repeat each other's work, whatever was there before.
TEST(CudaShimBulk, ThreadsMayWriteTheSame) {
  ExpectSums(TileSums::kRing + TileSums::kFill + TileSums::kTake + R"(
  float* const one = tiles + 3 * 256;
  if (t == 0) {
    one[0] = 2.0f;
    one[0] = 3.0f;
  }
  exh_meet(128);
  one[0] = 1.0f;
  arg_c[t] = one[0] * sum;
)",
             256);
}

TEST(CudaShimBulk, MeetingsOrderAsynchronousCopies) {
  const std::string program = TileSums::kRing + TileSums::kFill + TileSums::kTake + R"(
  float* const first = tiles + 3 * 256;
  exh_copy_ca<4>(first + t, arg_a + t);
  exh_commit();
  exh_wait<0>();
  exh_meet(128);
  arg_c[t] = sum + first[t ^ 1] - arg_a[t ^ 1];
)";
  ExpectSums(program, 256);
  const BulkProgram<float> wrong(Replaced(program, "  exh_meet(128);\n", ""), TileSums::Launch(256),
                                 TileSums::Input().size());
  for (const int order : kOrders) {
    EXPECT_THAT(wrong.Run(TileSums::Input(), order).error, HasSubstr("nothing orders the two"));
  }
}

// Each block has barriers and threads of its own.
TEST(CudaShimBulk, BlocksOneAfterTheOtherAndInClusters) {
  const std::string body = TileSums::kRing + TileSums::kFill + TileSums::kTake +
                           "if (t / 32 == blockIdx.x) arg_c[t] = sum;\n";
  for (const unsigned cluster : {1, 2}) {
    exh::kernels::Launch launch = TileSums::Launch(256);
    launch.grid = 4;
    launch.cluster = cluster;
    const BulkProgram<float> program(body, launch, TileSums::Input().size());
    for (const int order : kOrders) {
      const Result result = program.Run(TileSums::Input(), order);
      ASSERT_EQ(result.error, "") << "order " << order;
      for (unsigned t = 0; t < kElements; ++t) EXPECT_EQ(result.c[t], TileSums::Sum(t));
    }
  }
}

// Warps whose threads wait for a barrier one after the other go on together.
TEST(CudaShimBulk, WarpsShuffleBehindABarrier) {
  ExpectSums(Replaced(TileSums::kRoles, "sum += tiles[slot * 256 + t];", R"(
    sum += __shfl_xor_sync(0xffffffffu, float(tiles[slot * 256 + (t ^ 5)]), 5);
)"),
             256);
}

TEST(CudaShimBulk, BarriersOfTheBlockMayOrderSlots) {
  ExpectSums(R"(
  float* const tiles = reinterpret_cast<float*>(exh_shared);
  unsigned long long* const full = reinterpret_cast<unsigned long long*>(exh_bytes + 4096);
  if (t == 0) {
    for (int slot = 0; slot < 3; ++slot) exh_barrier_init(full + slot, 1);
    exh_barriers_made();
  }
  __syncthreads();
  if (t == 0) {
    for (int tile = 0; tile < 2; ++tile) {
      exh_expect(full + tile, 1024);
      exh_bulk_copy(tiles + tile * 256, &map_0, full + tile, 0, tile * 8);
    }
  }
  float sum = 0.0f;
  for (int tile = 0; tile < 12; ++tile) {
    const int slot = tile % 3, next = (tile + 2) % 3;
    if (t == 0 && tile + 2 < 12) {
      exh_expect(full + next, 1024);
      exh_bulk_copy(tiles + next * 256, &map_0, full + next, 0, (tile + 2) * 8);
    }
    exh_await(full + slot, tile / 3 % 2);
    sum += tiles[slot * 256 + t];
    sum += tiles[slot * 256 + 128 + t];
    __syncthreads();
  }
  arg_c[t] = sum;
)",
             128);
}

// A thread that has waited may tell others by a barrier of the block.
TEST(CudaShimBulk, OneThreadMayWaitForAll) {
  ExpectSums(R"(
  float* const tile = reinterpret_cast<float*>(exh_shared);
  unsigned long long* const full = reinterpret_cast<unsigned long long*>(exh_bytes + 4096);
  if (t == 0) {
    exh_barrier_init(full, 1);
    exh_barriers_made();
  }
  __syncthreads();
  float sum = 0.0f;
  for (int i = 0; i < 12; ++i) {
    if (t == 0) {
      exh_expect(full, 1024);
      exh_bulk_copy(exh_shared, &map_0, full, 0, i * 8);
      exh_await(full, i % 2);
    }
    __syncthreads();
    sum += tile[t] + tile[128 + t];
    __syncthreads();
  }
  arg_c[t] = sum;
)",
             128);
}

TEST(CudaShimBulk, GroupsMultiplyWhatCopiesBring) {
  const BulkProgram<unsigned short> program(Product::kBody, Product::Launch(),
                                            Product::Input().size());
  for (const int order : kOrders) {
    const Result result = program.Run(Product::Input(), order);
    ASSERT_EQ(result.error, "") << "order " << order;
    for (unsigned t = 0; t < kElements; ++t) EXPECT_EQ(result.c[t], Product::Stored(t)) << t;
  }
}

}  // namespace
}  // namespace exh_shim

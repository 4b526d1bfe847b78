// SPDX-License-Identifier: MIT
//
// Blocks of a cluster that share bulk copies and arrive at each other's barriers: right programs,
// and each defect that the shim must report.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/cuda_shim/bulk/bulk_program.h"

namespace exh_shim {
namespace {

using ::testing::AnyOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Matcher;

constexpr unsigned kBlocks = 4;

/// TileSums in each of the blocks, in clusters of so many. Each block brings as many rows of each
/// tile to all blocks of its cluster, and all of these release a slot at the barriers of all.
exh::kernels::Launch InClusters(unsigned cluster, unsigned rows) {
  exh::kernels::Launch launch = TileSums::Launch(256);
  launch.grid = kBlocks;
  launch.cluster = cluster;
  launch.maps[0].box = {32, rows};
  return launch;
}

const std::string kNames = R"(
  float* const tiles = reinterpret_cast<float*>(exh_shared);
  unsigned long long* const full = reinterpret_cast<unsigned long long*>(exh_bytes + 4096);
  unsigned long long* const empty = full + 3;
  const unsigned blocks = 2, rank = blockIdx.x % blocks;
)";
const std::string kMake = R"(
  if (t == 0) {
    for (int slot = 0; slot < 3; ++slot) {
      exh_barrier_init(full + slot, 1);
      exh_barrier_init(empty + slot, 4 * blocks);
    }
    exh_barriers_made();
  }
)";
const std::string kMeet = "  exh_cluster_arrive();\n  exh_cluster_wait();\n";
const std::string kFill = R"(
  if (t >= 128) {
    exh_fewer_registers<24>();
    if (t != 160) return;
    for (int tile = 0; tile < 12; ++tile) {
      const int slot = tile % 3, rows = 8 / blocks;
      exh_await(empty + slot, tile / 3 % 2 ^ 1u);
      exh_expect(full + slot, 1024);
      exh_bulk_share(tiles + slot * 256 + rank * rows * 32, &map_0, full + slot, (1u << blocks) - 1, 0, tile * 8 + rank * rows);
    }
    return;
  }
)";
const std::string kTake = R"(
  exh_more_registers<240>();
  float sum = 0.0f;
  for (int tile = 0; tile < 12; ++tile) {
    const int slot = tile % 3;
    exh_await(full + slot, tile / 3 % 2);
    sum += tiles[slot * 256 + t];
    sum += tiles[slot * 256 + 128 + t];
    __syncwarp();
    if (t % 32 < blocks) exh_arrive_at(empty + slot, t % 32);
  }
  arg_c[blockIdx.x * 128 + t] = sum;
)";
const std::string kBegin = kNames + kMake + kMeet;
const std::string kBody = kBegin + kFill + kTake;
/// Nobody ends before all are done with its memory.
const std::string kRoles = kBody + "  // The end.\n" + kMeet;

Result RunOf(const BulkProgram<float>& program, int order) {
  return program.Run(TileSums::Input(), order);
}

/// In every order.
void ExpectSums(const std::string& body, unsigned cluster = 2) {
  const BulkProgram<float> program(body, InClusters(cluster, 8 / cluster), TileSums::Input().size(),
                                   kBlocks * kElements);
  for (const int order : kOrders) {
    const Result result = RunOf(program, order);
    ASSERT_EQ(result.error, "") << "order " << order;
    EXPECT_THAT(result.written, Each(1)) << "order " << order;
    for (unsigned i = 0; i < kBlocks * kElements; ++i) {
      EXPECT_EQ(result.c[i], TileSums::Sum(i % kElements)) << "order " << order;
    }
  }
}

void ExpectError(const std::string& body, const Matcher<std::string>& what, unsigned rows = 4) {
  const BulkProgram<float> program(body, InClusters(2, rows), TileSums::Input().size(),
                                   kBlocks * kElements);
  for (const int order : kOrders) {
    EXPECT_THAT(RunOf(program, order).error, what) << "order " << order;
  }
}
void ExpectErrorOf(const std::string& what, const std::string& by,
                   const Matcher<std::string>& error) {
  ExpectError(Replaced(kRoles, what, by), error);
}

/// What is seen of a slot that several use and nothing orders depends on who comes first.
Matcher<std::string> IsMess() {
  return AnyOf(HasSubstr("where the bulk copy of line"), HasSubstr("read: nothing orders the two"),
               HasSubstr("has ended, too"));
}

TEST(CudaShimSharing, BlocksFillTheRingsOfAll) {
  ExpectSums(kRoles);
}

TEST(CudaShimSharing, ClustersHaveAnyNumberOfBlocks) {
  ExpectSums(Replaced(kRoles, "blocks = 2,", "blocks = 4,"), 4);
  ExpectSums(Replaced(kRoles, "blocks = 2,", "blocks = 1,"), 1);
}

// One of them brings all, and the other one only counts.
TEST(CudaShimSharing, OneBlockMayFillAllRings) {
  const std::string body = Replaced(kRoles, "rows = 8 / blocks;", "rows = 8;");
  const BulkProgram<float> program(
      Replaced(Replaced(body, "      exh_bulk_share(", "      if (rank == 0) exh_bulk_share("),
               "(1u << blocks) - 1", "3"),
      InClusters(2, 8), TileSums::Input().size(), kBlocks * kElements);
  for (const int order : kOrders) {
    const Result result = RunOf(program, order);
    ASSERT_EQ(result.error, "") << "order " << order;
    for (unsigned i = 0; i < kBlocks * kElements; ++i) {
      EXPECT_EQ(result.c[i], TileSums::Sum(i % kElements)) << "order " << order;
    }
  }
}

// Here they always come before they are expected, where they do not come late.
TEST(CudaShimSharing, BytesMayComeBeforeTheyAreExpected) {
  const std::string body = kBegin + R"(
  if (t == 0 && rank == 0) {
    exh_expect(full, 1024);
    exh_bulk_share(tiles, &map_0, full, 3, 0, 0);
    exh_arrive_at(full + 1, 1);
  }
  if (t == 0 && rank == 1) {
    exh_await(full + 1, 0);
    exh_expect(full, 1024);
  }
  exh_await(full, 0);
  if (t < 128) arg_c[blockIdx.x * 128 + t] = tiles[t];
)" + kMeet;
  const BulkProgram<float> program(body, InClusters(2, 8), TileSums::Input().size(),
                                   kBlocks * kElements);
  for (const int order : kOrders) {
    const Result result = RunOf(program, order);
    ASSERT_EQ(result.error, "") << "order " << order;
    for (unsigned i = 0; i < kBlocks * kElements; ++i) {
      EXPECT_EQ(result.c[i], TileSums::Input()[i % kElements]) << "order " << order;
    }
  }
  // It is told first, and that is why it knows too little.
  ExpectError(Replaced(body, "    exh_expect(full, 1024);\n  }\n", "    exh_arrive(full);\n  }\n"),
              AnyOf(HasSubstr("1024 bytes more than are expected in phase 0"), IsMess()), 8);
}

// What a block writes to another one's memory may be ordered by a barrier in shared memory, too.
TEST(CudaShimSharing, ArrivalsOrderWhatBlocksTellEachOther) {
  const std::string body = kBegin + R"(
  if (t >= 128) return;
  exh_in_block(tiles + t, 1 - rank)[0] = 1.0f + rank;
  __syncwarp();
  if (t % 32 < 2) exh_arrive_at(empty, 1 - rank);
  exh_await(empty, 0);
  arg_c[blockIdx.x * 128 + t] = tiles[t ^ 77];
)" + kMeet;
  const BulkProgram<float> program(body, InClusters(2, 8), 4, kBlocks * kElements);
  for (const int order : kOrders) {
    const Result result = program.Run(std::vector<float>(4), order);
    ASSERT_EQ(result.error, "") << "order " << order;
    for (unsigned i = 0; i < kBlocks * kElements; ++i) {
      EXPECT_EQ(result.c[i], i / kElements % 2 == 0 ? 2.0f : 1.0f);
    }
  }
  ExpectError(Replaced(body, "  exh_await(empty, 0);\n", ""), HasSubstr("nothing orders the two"));
  ExpectError(Replaced(body, "  __syncwarp();\n", ""), HasSubstr("nothing orders the two"));
}

// Slots.

TEST(CudaShimSharingDefects, SlotsAreReleasedToAllWhoFillThem) {
  const std::string own = Replaced(kRoles, "4 * blocks", "4");
  const std::string arrive = "if (t % 32 < blocks) exh_arrive_at(empty + slot, t % 32);";
  // Each block to itself, or each to the other one.
  ExpectError(Replaced(own, arrive, "if (t % 32 == 0) exh_arrive(empty + slot);"), IsMess());
  ExpectError(Replaced(own, arrive, "if (t % 32 == 0) exh_arrive_at(empty + slot, 1 - rank);"),
              AnyOf(IsMess(), HasSubstr("need not have gone on")));
}

TEST(CudaShimSharingDefects, SlotsAreReleasedBehindTheReads) {
  const std::string arrive = "    if (t % 32 < blocks) exh_arrive_at(empty + slot, t % 32);\n";
  const std::string body = Replaced(kRoles, arrive, "");
  // To the other block.
  const std::string early =
      "    if (t % 32 == 1 - rank) exh_arrive_at(empty + slot, t % 32);\n"
      "    sum += tiles[slot * 256 + t];";
  const std::string own = "    if (t % 32 == rank) exh_arrive(empty + slot);\n";
  ExpectError(Replaced(Replaced(body, "    sum += tiles[slot * 256 + t];", early),
                       "    __syncwarp();\n", "    __syncwarp();\n" + own),
              IsMess());
  // By the whole warp.
  ExpectErrorOf("    __syncwarp();\n", "", IsMess());
}

TEST(CudaShimSharingDefects, FreeSlotsAreWaitedFor) {
  ExpectErrorOf("      exh_await(empty + slot, tile / 3 % 2 ^ 1u);\n",
                "      if (rank == 0) exh_await(empty + slot, tile / 3 % 2 ^ 1u);\n",
                AnyOf(IsMess(), HasSubstr("and has had them")));
}

TEST(CudaShimSharingDefects, ReadersWaitAtTheirOwnBarriers) {
  const std::string await = "    exh_await(full + slot, tile / 3 % 2);\n";
  ExpectErrorOf(await, "", IsMess());
  ExpectErrorOf(await, "    if (rank == 0) exh_await(full + slot, tile / 3 % 2);\n", IsMess());
  ExpectErrorOf(await, "    if (t != 77) exh_await(full + slot, tile / 3 % 2);\n", IsMess());
  // There is no waiting for those of others.
  ExpectErrorOf(await, "    exh_await(exh_in_block(full + slot, 1 - rank), tile / 3 % 2);\n",
                HasSubstr("has not been initialised"));
}

TEST(CudaShimSharingDefects, StoresArePublishedBeforeCopies) {
  ExpectErrorOf("    __syncwarp();\n", "    tiles[slot * 256 + t] = 1.0f;\n    __syncwarp();\n",
                HasSubstr("has not published"));
  ExpectSums(
      Replaced(kRoles, "    __syncwarp();\n",
               "    tiles[slot * 256 + t] = 1.0f;\n    exh_publish();\n    __syncwarp();\n"));
}

TEST(CudaShimSharingDefects, CopiesDoNotMeet) {
  ExpectErrorOf("tiles + slot * 256 + rank * rows * 32", "tiles + slot * 256",
                HasSubstr("where the bulk copy of line"));
}

// The beginning and the end.

TEST(CudaShimSharingDefects, BarriersOfOthersAreKnownBehindABarrierOfTheCluster) {
  const std::string barrier = "a barrier of the cluster", none = "no barrier of the ";
  ExpectError(kNames + kMake + "__syncthreads();\n" + kFill + kTake + kMeet,
              AnyOf(HasSubstr("before " + barrier), HasSubstr(none + "cluster")));
  // Who has arrived before has told nothing.
  ExpectError(
      kNames + "exh_cluster_arrive();\n" + kMake + "exh_cluster_wait();\n" + kFill + kTake + kMeet,
      HasSubstr(none));
  // Nor do arrivals reach what is not there.
  ExpectError(
      kNames + kMake + "__syncthreads();\n if (t == 0) exh_arrive_at(empty, 1 - rank);\n" + kMeet,
      AnyOf(HasSubstr("before " + barrier), HasSubstr(none + "cluster")));
  ExpectError(kNames + kMeet + "if (t == 0) exh_arrive_at(empty, 1 - rank);\n" + kMeet,
              HasSubstr("before " + barrier));
}

TEST(CudaShimSharingDefects, BlocksDoNotEndBeforeOthersAreDoneWithThem) {
  const auto is_gone =
      AnyOf(HasSubstr("which has ended"), HasSubstr("no barrier of the cluster is between"));
  ExpectError(kBody, is_gone);
  // Who arrives and does not wait has ended, too.
  ExpectError(kBody + "  exh_cluster_arrive();\n", is_gone);
  ExpectError(kBody + "  __syncwarp();\n  exh_meet(128);\n", is_gone);
  ExpectError(kBody + "  if (rank == 1) return;\n" + kMeet,
              AnyOf(is_gone, HasSubstr("of its cluster")));
}

TEST(CudaShimSharingDefects, BlocksDoNotEndWhileCopiesToThemAreUnderWay) {
  const std::string fill = kBegin + R"(
  if (t == 0) exh_expect(full, 1024);
  if (t == 0 && rank == 0) exh_bulk_share(tiles, &map_0, full, 3, 0, 0);
  if (rank == 0) exh_await(full, 0);
)";
  const auto is_left = AnyOf(HasSubstr("copies a box to block"), HasSubstr("nobody has waited at"),
                             HasSubstr("1024 bytes expected"));
  ExpectError(fill, is_left, 8);
  ExpectError(fill + kMeet, is_left, 8);
  ExpectError(
      Replaced(fill, "if (t == 0) exh_expect", "if (t == 0 && rank == 0) exh_expect") + kMeet,
      AnyOf(HasSubstr("1024 bytes that nobody expected"), is_left), 8);
}

// Counts.

TEST(CudaShimSharingDefects, ArrivalsAreCounted) {
  const auto is_wrong =
      AnyOf(IsMess(), HasSubstr("and has had them"), HasSubstr("need not have gone on"));
  ExpectErrorOf("4 * blocks", "4 * blocks - 1", is_wrong);
  ExpectErrorOf("4 * blocks", "4 * blocks + 1", HasSubstr("waits forever for phase"));
  // All to one block.
  ExpectErrorOf("exh_arrive_at(empty + slot, t % 32);", "exh_arrive_at(empty + slot, 0);",
                AnyOf(is_wrong, HasSubstr("waits forever")));
}

TEST(CudaShimSharingDefects, BytesOfAllBlocksAreExpected) {
  const std::string expect = "exh_expect(full + slot, 1024);";
  const auto is_more = AnyOf(HasSubstr("512 bytes more than are expected in phase 0"), IsMess());
  const auto is_less = HasSubstr("waits forever for phase");
  ExpectErrorOf(expect, "exh_expect(full + slot, 512);", is_more);
  ExpectErrorOf(expect, "exh_expect(full + slot, rank == 0 ? 512 : 1024);", is_more);
  ExpectErrorOf(expect, "exh_expect(full + slot, 2048);", is_less);
  // A block that brings nothing to the other one.
  ExpectErrorOf("(1u << blocks) - 1", "rank == 0 ? 1 : 3", is_less);
}

TEST(CudaShimSharingDefects, BlocksAreThoseOfTheCluster) {
  for (const char* const mask : {"0", "4", "7"}) {
    ExpectErrorOf("(1u << blocks) - 1", mask, HasSubstr("of its cluster, which has 2"));
  }
  for (const char* const rank : {"2", "-1"}) {
    ExpectErrorOf("exh_arrive_at(empty + slot, t % 32)",
                  std::string("exh_arrive_at(empty + slot, ") + rank + ")",
                  HasSubstr("of its cluster, which has 2"));
  }
}

// Groups of warps.

/// A product in each of two blocks, of whose second factor each brings half to both.
exh::kernels::Launch InPairs() {
  exh::kernels::Launch launch = Product::Launch();
  launch.grid = launch.cluster = 2;
  launch.maps[1].box = {64, 4};
  return launch;
}

std::string PairOfProducts() {
  std::string body = Replaced(Product::kBody, "  __syncthreads();\n", kMeet);
  body = Replaced(body, "exh_barrier_init(empty, 128)", "exh_barrier_init(empty, 8)");
  body = Replaced(body, "exh_bulk_copy(exh_bytes + 8192, &map_1, full, i * 64, 64);",
                  "exh_bulk_share(exh_bytes + 8192 + blockIdx.x * 512, &map_1, full, 3, i * 64, "
                  "64 + blockIdx.x * 4);");
  body = Replaced(body, "    exh_arrive(empty);\n",
                  "    __syncwarp();\n    if (t % 32 < 2) exh_arrive_at(empty, t % 32);\n");
  return Replaced(body, "arg_c[t]", "arg_c[blockIdx.x * 128 + t]") + kMeet;
}

TEST(CudaShimSharing, GroupsMultiplyWhatOtherBlocksBring) {
  const BulkProgram<unsigned short> program(PairOfProducts(), InPairs(), Product::Input().size(),
                                            2 * kElements);
  for (const int order : kOrders) {
    const Result result = program.Run(Product::Input(), order);
    ASSERT_EQ(result.error, "") << "order " << order;
    for (unsigned i = 0; i < 2 * kElements; ++i) {
      EXPECT_EQ(result.c[i], Product::Stored(i % kElements)) << i;
    }
  }
}

void ExpectErrorOfPair(const std::string& what, const std::string& by,
                       const Matcher<std::string>& error) {
  const BulkProgram<unsigned short> program(Replaced(PairOfProducts(), what, by), InPairs(),
                                            Product::Input().size(), 2 * kElements);
  for (const int order : kOrders) {
    EXPECT_THAT(program.Run(Product::Input(), order).error, error) << "order " << order;
  }
}

TEST(CudaShimSharingDefects, GroupsWaitForWhatOtherBlocksBring) {
  ExpectErrorOfPair("    exh_await(full, i);\n", "    if (blockIdx.x == 0) exh_await(full, i);\n",
                    IsMess());
}

TEST(CudaShimSharingDefects, BatchesAreWaitedForBeforeSlotsOfAllAreReleased) {
  const std::string wait = "    exh_group_wait<0>();\n";
  const std::string release =
      "    __syncwarp();\n    if (t % 32 < 2) exh_arrive_at(empty, t % 32);\n";
  ExpectErrorOfPair(wait + release, release + wait,
                    AnyOf(IsMess(), HasSubstr("has not waited for a step")));
  // Only one block does so, and the other one overwrites what it takes.
  ExpectErrorOfPair(
      wait + release,
      "    if (blockIdx.x == 0) exh_group_wait<0>();\n" + release + "    exh_group_wait<0>();\n",
      AnyOf(IsMess(), HasSubstr("has not waited for a step")));
}

}  // namespace
}  // namespace exh_shim

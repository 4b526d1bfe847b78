// SPDX-License-Identifier: MIT
//
// Blocks of a cluster that write to each other's shared memory: a right program, and each defect
// that the shim must report.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/cuda_shim/hand_program.h"

namespace exh_shim {
namespace {

using ::testing::HasSubstr;

/// Two clusters of two blocks.
exh::kernels::Launch InClusters() {
  exh::kernels::Launch launch = {.grid = 4, .threads = 32, .shared_bytes = 16};
  launch.cluster = 2;
  return launch;
}

const std::string kBegin = R"(
  exh_cluster_arrive();
  float* const here = reinterpret_cast<float*>(exh_shared);
)";
const std::string kWait = "exh_cluster_wait();\n";
/// Each block tells both its number.
const std::string kTell = R"(
  if (t < 2) {
    auto there = exh_in_block(here + block % 2, t);
    there[0] = 1.0f + block;
  }
)";
const std::string kMeet = "exh_cluster_arrive();\nexh_cluster_wait();\n";
const std::string kTake = "arg_c[block * 32 + t] = here[0] + here[1];\n";

void ExpectError(const std::string& text, const std::string& body) {
  const HandProgram program(body, InClusters());
  for (const int order : kOrders) {
    EXPECT_THAT(program.Run(order).error, HasSubstr(text)) << "order " << order;
  }
}

TEST(CudaShimClusters, BlocksTellEachOther) {
  const HandProgram program(kBegin + kWait + kTell + kMeet + kTake, InClusters());
  for (const int order : kOrders) {
    const Result result = program.Run(order);
    ASSERT_EQ(result.error, "") << "order " << order;
    for (unsigned i = 0; i < kElements; ++i) {
      EXPECT_EQ(result.c[i], i < 64 ? 1 + 2 : 3 + 4);
      EXPECT_EQ(result.written[i], 1);
    }
  }
}

TEST(CudaShimClusters, WhoTellsWaitsUntilTheOthersHaveBegun) {
  ExpectError("which may not have begun", kBegin + kTell + kWait + kMeet + kTake);
}

TEST(CudaShimClusters, WhoTakesWaitsUntilTheOthersHaveTold) {
  // A barrier of the block is none of the cluster.
  ExpectError("no barrier of the cluster is between",
              kBegin + kWait + kTell + "__syncthreads();" + kTake + kMeet);
  // Before what it tells it has told nothing.
  ExpectError("no barrier of the cluster is between",
              kBegin + kWait + "exh_cluster_arrive();" + kTell + "exh_cluster_wait();" + kTake);
}

TEST(CudaShimClusters, NobodyTellsAgainBeforeTheOthersHaveTaken) {
  ExpectError("no barrier of the cluster is between",
              kBegin + kWait + kTell + kMeet + kTake + "__syncthreads();" + kTell + kMeet);
  const HandProgram program(kBegin + kWait + kTell + kMeet + kTake + kMeet + kTell + kMeet,
                            InClusters());
  for (const int order : kOrders) EXPECT_EQ(program.Run(order).error, "") << "order " << order;
}

TEST(CudaShimClusters, BlocksGoOnTogether) {
  ExpectError("waits for its cluster, and has not arrived", kBegin + kWait + kWait);
  ExpectError("of its cluster", kBegin + kWait + "if (block % 2 == 1) return;" + kMeet);
}

TEST(CudaShimClusters, ThreadsThatHaveEndedHaveArrived) {
  const HandProgram program(kBegin + kWait + kTell + "if (t >= 8) return;" + kMeet + kTake,
                            InClusters());
  for (const int order : kOrders) {
    const Result result = program.Run(order);
    ASSERT_EQ(result.error, "") << "order " << order;
    EXPECT_EQ(result.c[7], 1 + 2);
    EXPECT_EQ(result.c[8], -1);
  }
}

TEST(CudaShimClusters, OthersAreNotReached) {
  ExpectError("outside of all arrays", kBegin + kWait + "exh_in_block(here, 2)[0] = 1.0f;" + kMeet);
  ExpectError("outside of all arrays",
              kBegin + kWait + "exh_in_block(here, -1)[0] = 1.0f;" + kMeet);
}

TEST(CudaShimClusters, BlocksDoNotEndWhileOthersTell) {
  ExpectError("which has ended", kBegin + kWait + kTell);
}

}  // namespace
}  // namespace exh_shim

// SPDX-License-Identifier: MIT
//
// Kernels whose blocks say what they have to those behind them: right ones, and each defect that
// the shim must report.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/cuda_shim/hand_program.h"

namespace exh_shim {
namespace {

using exh::kernels::Launch;
using ::testing::HasSubstr;

constexpr unsigned kBlocks = 8, kEach = 16;  ///< c[b] is the sum of the first 16 * b of a.

Launch LookingLaunch(unsigned threads) {
  constexpr std::uint64_t kBytes = 16 + 8 * kBlocks;
  return {.grid = kBlocks, .threads = threads, .workspace_bytes = kBytes, .ticket_bytes = kBytes};
}

const std::string kStatuses = R"(
  unsigned long long* const begun = reinterpret_cast<unsigned long long*>(exh_bytes + 0);
  unsigned long long* const statuses = reinterpret_cast<unsigned long long*>(exh_bytes + 16);
)";
const std::string kDraw = R"(
  const unsigned long long turn = atomicAdd(begun, 1ull);
  const int number = static_cast<int>(turn % 8ull);
  const unsigned tag = static_cast<unsigned>(turn / 8ull) * 2u + 2u;
)";
const std::string kPart = R"(
  float part = 0.0f;
  for (int i = 0; i < 16; ++i) part += arg_a[number * 16 + i];
  exh_tell(statuses + number, static_cast<unsigned long long>(number == 0 ? tag + 1u : tag) << 32 |
                                  __float_as_uint(part));
)";
const std::string kLook = R"(
  float before = 0.0f;
  for (int at = number - 1; at >= 0; --at) {
    unsigned long long word = exh_hear(statuses + at);
    while ((static_cast<unsigned>(word >> 32) | 1u) != tag + 1u) word = exh_hear(statuses + at);
    before += __uint_as_float(static_cast<unsigned>(word));
    if ((word >> 32 & 1u) != 0) break;
  }
  if (number > 0) {
    exh_tell(statuses + number, static_cast<unsigned long long>(tag + 1u) << 32 |
                                    __float_as_uint(before + part));
  }
  arg_c[number] = before;
)";

/// Does the program write the sums, each once, in every order?
void ExpectSums(const std::string& body, unsigned threads = 1) {
  const HandProgram program(body, LookingLaunch(threads));
  for (const int order : kOrders) {
    const Result result = program.Run(order);
    ASSERT_EQ(result.error, "") << "order " << order;
    float sum = 0;
    for (unsigned b = 0; b < kBlocks; ++b) {
      EXPECT_EQ(result.written[b], 1) << "order " << order;
      EXPECT_EQ(result.c[b], sum) << "order " << order;
      for (unsigned i = 0; i < kEach; ++i) sum += static_cast<float>(kEach * b + i);
    }
  }
}

TEST(CudaShimLookBack, SumsBeforeEachBlock) {
  ExpectSums(kStatuses + kDraw + kPart + kLook);
}

TEST(CudaShimLookBack, OneWarpAloneSwaps) {
  // Threads of the first of two warps have parts of the part.
  ExpectSums(kStatuses + R"(

  const int number = block;
  const unsigned tag = 2u;
  if (t < 32) {
    float sum = 0.0f;
    if (t < number) {
      for (int i = 0; i < 16; ++i) sum += arg_a[t * 16 + i];
    }
    for (int bit = 1; bit < 32; bit *= 2) sum += exh_swap(sum, bit);
    const unsigned some = exh_ballot(t < number);
    if (t == 0 && some == (1u << number) - 1u) arg_c[number] = sum;
  }
  (void)begun, (void)statuses, (void)tag;
)",
             64);
  const std::string alone = "if (t < 31) exh_swap(1.0f, 1);";
  EXPECT_THAT(HandProgram(alone, LookingLaunch(64)).Run(0).error,
              HasSubstr("but not thread 31 of its warp"));
}

// Blocks have the numbers that the launch gives them, and come in another order.
TEST(CudaShimLookBack, WaitsForNoBlockThatHasNotBegun) {
  const HandProgram program(
      kStatuses + "const int number = block; const unsigned tag = 2u; (void)begun;" + kPart + kLook,
      LookingLaunch(1));
  for (const int order : {1, 2}) {
    EXPECT_THAT(program.Run(order).error, HasSubstr("which no block that has begun says"));
  }
}

// The second launch finds what the first one has said.
TEST(CudaShimLookBack, ShowsWhatAnEarlierLaunchHasSaid) {
  std::string body = kStatuses + kDraw + kPart + kLook;
  body.replace(body.find("static_cast<unsigned>(turn / 8ull) * 2u + 2u"), 44, "2u");
  const Result result = HandProgram(body, LookingLaunch(1)).Run(1);
  EXPECT_EQ(result.error, "");
  EXPECT_NE(result.c[2], 496.0f);
}

TEST(CudaShimLookBack, SaysNothingBehindTheTickets) {
  Launch launch = LookingLaunch(1);
  launch.ticket_bytes = 16;
  EXPECT_THAT(HandProgram(kStatuses + kDraw + kPart + kLook, launch).Run(0).error,
              HasSubstr("which is no ticket"));
}

}  // namespace
}  // namespace exh_shim

// SPDX-License-Identifier: MIT
//
// Programs of several kernels, and kernels whose blocks make one value of what each has: right
// ones, and each defect that the shim must report.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/cuda_shim/hand_program.h"

namespace exh_shim {
namespace {

using exh::kernels::Launch;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr unsigned kSums = 16, kParts = 8;  ///< c[j] is the sum of a[16 * part + j].

float Sum(unsigned j) {
  float sum = 0;
  for (unsigned part = 0; part < kParts; ++part) sum += static_cast<float>(kSums * part + j);
  return sum;
}

/// The program writes the sums, each once, and nothing else, in every order.
void ExpectSums(const std::string& body, const Launch& launch,
                const std::vector<std::string>& sides = {}) {
  const HandProgram program(body, launch, sides);
  for (const int order : kOrders) {
    const Result result = program.Run(order);
    ASSERT_EQ(result.error, "") << "order " << order;
    for (unsigned j = 0; j < kElements; ++j) {
      EXPECT_EQ(result.written[j], j < kSums ? 1 : 0) << "order " << order;
      EXPECT_EQ(result.c[j], j < kSums ? Sum(j) : -1.0f) << "order " << order;
    }
  }
}

/// Every order reports an error that holds the text.
void ExpectError(const std::string& text, const std::string& body, const Launch& launch,
                 const std::vector<std::string>& sides = {}) {
  const HandProgram program(body, launch, sides);
  for (const int order : kOrders) {
    EXPECT_THAT(program.Run(order).error, HasSubstr(text)) << "order " << order;
  }
}

/// A fill of c, then what blocks of so many threads add to it.
Launch AtomicLaunch(unsigned threads) {
  return {.grid = kParts, .threads = threads, .sides = {{"exh_fill", true, 2, 8, 0}}};
}

const std::string kFill = "arg_c[block * 8 + t] = 0.0f;";

/// Partial results behind 16 bytes of tickets.
Launch MeetingLaunch() {
  return {.grid = kParts,
          .threads = kSums,
          .workspace_bytes = 16 + 4 * kSums * kParts,
          .ticket_bytes = 16};
}

/// Partial results, and a second launch.
Launch SecondLaunch() {
  return {.grid = kParts,
          .threads = kSums,
          .workspace_bytes = 16 + 4 * kSums * kParts,
          .sides = {{"exh_finish", false, 1, kSums, 0}}};
}

const std::string kWorkspace = R"(
  unsigned* const exh_ticket_0 = reinterpret_cast<unsigned*>(exh_bytes + 0);
  float* const exh_partial_x = reinterpret_cast<float*>(exh_bytes + 16);
)";
const std::string kHandOver = R"(
  {
    auto* const exh_part = exh_partial_x + ((0) * 8 + block) * 16 + t;
    exh_part[0] = arg_a[block * 16 + t];
  }
)";
const std::string kMeet = R"(
  __threadfence();
  __syncthreads();
  const bool exh_last_0 = __syncthreads_or(t == 0 && atomicAdd(exh_ticket_0 + 0, 1u) == 7u);
)";
const std::string kReset = "if (t == 0) atomicExch(exh_ticket_0 + 0, 0u);";
const std::string kTakeAll = R"(
  float v_sum = 0.0f;
  {
    const auto* const exh_part = exh_partial_x + t;
    for (int s = 0; s < 8; ++s) v_sum = v_sum + __ldcv(exh_part + s * 16);
  }
)";
const std::string kStore = "arg_c[t] = v_sum;";
const std::string kReturn = "if (!exh_last_0) return;";

// Right programs.

TEST(CudaShimPrograms, AtomicSums) {
  ExpectSums("atomicAdd(arg_c + t, arg_a[block * 16 + t]);", AtomicLaunch(16), {kFill});
  ExpectSums(
      "atomicAdd(reinterpret_cast<float4*>(arg_c + 4 * t), load4(arg_a + block * 16 + 4 * t));",
      AtomicLaunch(4), {kFill});
  ExpectSums(
      "atomicAdd(reinterpret_cast<float2*>(arg_c + 2 * t), load2(arg_a + block * 16 + 2 * t));",
      AtomicLaunch(8), {kFill});
}

TEST(CudaShimPrograms, SumsByCompareAndSwap) {
  ExpectSums(R"(
  unsigned* const words = reinterpret_cast<unsigned*>(arg_c + t);
  unsigned seen = __float_as_uint(0.0f);
  while (true) {
    const float sum = __uint_as_float(seen) + arg_a[block * 16 + t];
    const unsigned before = atomicCAS(words, seen, __float_as_uint(sum));
    if (before == seen) return;
    seen = before;
  }
)",
             AtomicLaunch(16), {kFill});
}

TEST(CudaShimPrograms, TheLastBlockSums) {
  ExpectSums(kWorkspace + kHandOver + kMeet + kReturn + kReset + kTakeAll + kStore,
             MeetingLaunch());
  // All go on.
  ExpectSums(kWorkspace + kHandOver + kMeet + "if (exh_last_0) {" + kReset + kTakeAll + kStore +
                 "} __syncthreads();",
             MeetingLaunch());
}

TEST(CudaShimPrograms, OneFenceBehindABarrierIsEnough) {
  ExpectSums(kWorkspace + kHandOver + R"(
  __syncthreads();
  bool is_last = false;
  if (t == 3) {
    __threadfence();
    is_last = atomicAdd(exh_ticket_0 + 0, 1u) == 7u;
  }
  if (!__syncthreads_or(is_last)) return;
)" + kReset + kTakeAll +
                 kStore,
             MeetingLaunch());
}

TEST(CudaShimPrograms, EveryTileHasATicket) {
  // Two tiles of eight sums, of four blocks of two parts each.
  Launch launch = MeetingLaunch();
  launch.threads = 8;
  ExpectSums(kWorkspace + R"(
  const int tile = block / 4, split = block % 4;
  const float v_own = arg_a[split * 32 + tile * 8 + t] + arg_a[split * 32 + 16 + tile * 8 + t];
  exh_partial_x[(tile * 4 + split) * 8 + t] = v_own;
  __threadfence();
  __syncthreads();
  const bool is_last = __syncthreads_or(t == 0 && atomicAdd(exh_ticket_0 + tile, 1u) == 3u);
  if (!is_last) return;
  if (t == 0) atomicExch(exh_ticket_0 + tile, 0u);
  float v_sum = 0.0f;
  for (int s = 0; s < 4; ++s) v_sum += __ldcv(exh_partial_x + (tile * 4 + s) * 8 + t);
  arg_c[tile * 8 + t] = v_sum;
)",
             launch);
}

TEST(CudaShimPrograms, ASecondLaunchSums) {
  Launch launch = SecondLaunch();
  ExpectSums(kWorkspace + kHandOver, launch, {kWorkspace + kTakeAll + kStore});
  launch.sides = {{"exh_finish", false, 1, 8, 128}, {"exh_finish1", false, 1, 8, 0}};
  const std::string rest = "for (int s = 0; s < 8; ++s) v_sum += exh_partial_x[s * 16 + ";
  const std::string shared = "float* const tmp = reinterpret_cast<float*>(exh_shared) + 0;";
  ExpectSums(kWorkspace + kHandOver, launch,
             {kWorkspace + "float v_sum = 0.0f;" + rest + "t];" + shared +
                  "tmp[31 - t] = v_sum; __syncthreads(); arg_c[t] = tmp[31 - t];",
              kWorkspace + "float v_sum = 0.0f;" + rest + "8 + t]; arg_c[8 + t] = v_sum;"});
}

/// The launches behind the first may begin before the ones before them have ended.
Launch Early(Launch launch) {
  launch.overlaps = true;
  return launch;
}

const std::string kLet = "exh_let_next_begin();", kAwait = "exh_await_previous();";
const std::string kAdd = "atomicAdd(arg_c + t, arg_a[block * 16 + t]);";

TEST(CudaShimPrograms, LaunchesMayOverlap) {
  const std::string value = "const float v = arg_a[block * 16 + t];";
  ExpectSums(value + kAwait + "atomicAdd(arg_c + t, v);", Early(AtomicLaunch(16)), {kLet + kFill});
  ExpectSums(kWorkspace + kLet + kHandOver, Early(SecondLaunch()),
             {kAwait + kWorkspace + kTakeAll + kStore});
  // A thread that uses nothing of the others need not wait, when another of its block does.
  Launch launch = AtomicLaunch(20);
  launch.sides.push_back({"exh_finish", false, 1, 32, 0});
  ExpectSums("if (t < 16) {" + kAwait + kAdd + "}" + kLet, Early(launch),
             {kLet + kFill, "if (t == 7) " + kAwait});
}

TEST(CudaShimPrograms, AtomicOperationsOfEveryType) {
  const Launch launch = {.grid = 4,
                         .threads = 8,
                         .workspace_bytes = 256,
                         .sides = {{"exh_fill", true, 1, 1, 0}, {"exh_finish", false, 1, 1, 0}}};
  const std::string places = R"(
  int* const i = reinterpret_cast<int*>(exh_bytes + 0);
  unsigned* const u = reinterpret_cast<unsigned*>(exh_bytes + 32);
  unsigned long long* const w = reinterpret_cast<unsigned long long*>(exh_bytes + 64);
  long long* const l = reinterpret_cast<long long*>(exh_bytes + 128);
  double* const d = reinterpret_cast<double*>(exh_bytes + 160);
  float* const f = reinterpret_cast<float*>(exh_bytes + 192);
)";
  const HandProgram program(places + R"(
  const int x = static_cast<int>(block * 8 + t);  // 0 … 31
  atomicAdd(i, x), atomicMin(i + 1, -x), atomicMax(i + 2, x);
  atomicAnd(u, ~(1u << x)), atomicOr(u + 1, 1u << x), atomicXor(u + 2, 1u << x);
  atomicAdd(w, 1ull << 32), atomicMin(w + 1, (1ull << 40) - x), atomicMax(w + 2, (1ull << 40) + x);
  atomicAnd(w + 3, ~(1ull << x)), atomicOr(w + 4, 1ull << x), atomicXor(w + 5, 1ull << x);
  atomicMin(l, -5ll * x), atomicMax(l + 1, 5ll * x);
  atomicAdd(d, 0.5), atomicAdd(f, 0.5f), atomicExch(f + 1, 7.0f), atomicExch(u + 3, 9u);
  // A product.
  unsigned long long* const words = reinterpret_cast<unsigned long long*>(d + 1);
  unsigned long long seen = __double_as_longlong(1.0);
  while (true) {
    const unsigned long long before =
        atomicCAS(words, seen, static_cast<unsigned long long>(__double_as_longlong(__longlong_as_double(seen) * 2.0)));
    if (before == seen) break;
    seen = before;
  }
)",
                            launch,
                            {places + R"(
  i[0] = 0, i[1] = 0, i[2] = -9;
  u[0] = ~0u, u[1] = 0u, u[2] = 1u, u[3] = 0u;
  w[0] = 0, w[1] = ~0ull, w[2] = 0, w[3] = ~0ull, w[4] = 0, w[5] = 1;
  l[0] = 0, l[1] = 0;
  d[0] = 0.0, d[1] = 1.0, f[0] = 0.0f, f[1] = 0.0f;
)",
                             places + R"(
  arg_c[0] = i[0], arg_c[1] = i[1], arg_c[2] = i[2];
  arg_c[3] = u[0], arg_c[4] = u[1], arg_c[5] = u[2], arg_c[6] = u[3];
  arg_c[7] = w[0] >> 32, arg_c[8] = (1ull << 40) - w[1], arg_c[9] = w[2] - (1ull << 40);
  arg_c[10] = w[3] == 0xffffffff00000000ull, arg_c[11] = w[4] == 0xffffffffull, arg_c[12] = w[5] == 0xfffffffeull;
  arg_c[13] = l[0], arg_c[14] = l[1], arg_c[15] = d[0], arg_c[16] = f[0], arg_c[17] = f[1];
  arg_c[18] = d[1] == 4294967296.0;
)"});
  const std::vector<float> wanted = {496, -31, 31, 0, 4294967295.0f, 4294967294.0f, 9,  32, 31,
                                     31,  1,   1,  1, -155,          155,           16, 16, 7,
                                     1};
  for (const int order : kOrders) {
    const Result result = program.Run(order);
    ASSERT_EQ(result.error, "") << "order " << order;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      EXPECT_EQ(result.c[i], wanted[i]) << i << ", order " << order;
    }
  }
}

TEST(CudaShimPrograms, ABarrierTellsAllThreads) {
  const HandProgram program(R"(
  int found = 0;
  for (int i = 0; i < 4; ++i) found = 2 * found + __syncthreads_or(i % 2 == 0 && t == 5 + i ? 8 : 0);
  arg_c[t] = static_cast<float>(found);
)",
                            {.threads = 64});
  for (const int order : kOrders) {
    const Result result = program.Run(order);
    ASSERT_EQ(result.error, "");
    for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(result.c[i], 10) << i;
  }
  ExpectError("thread 0 waits at the barrier of line 1, but thread 1 has ended",
              "if (t == 0) __syncthreads_or(1);", {.threads = 64});
}

// Defects.

TEST(CudaShimPrograms, ReportsAMissingFence) {
  const std::string error = "read of a partial result that no fence orders";
  const std::string rest = kReturn + kReset + kTakeAll + kStore;
  const std::string meet_without = R"(
  __syncthreads();
  const bool exh_last_0 = __syncthreads_or(t == 0 && atomicAdd(exh_ticket_0 + 0, 1u) == 7u);
)";
  const Launch launch = MeetingLaunch();
  ExpectError(error, kWorkspace + kHandOver + meet_without + rest, launch);
  // Before the write.
  ExpectError(error, kWorkspace + "__threadfence();" + kHandOver + meet_without + rest, launch);
  // Of a thread that knows nothing of the others.
  ExpectError(error, kWorkspace + kHandOver + "if (t == 0) __threadfence();" + meet_without + rest,
              launch);
  // After the ticket.
  ExpectError(error, kWorkspace + kHandOver + meet_without + "__threadfence();" + rest, launch);
  // No barrier between the fences and the ticket.
  ExpectError(error,
              kWorkspace + kHandOver +
                  "__threadfence(); const bool exh_last_0 = "
                  "__syncthreads_or(t == 0 && atomicAdd(exh_ticket_0 + 0, 1u) == 7u);" +
                  rest,
              launch);
}

TEST(CudaShimPrograms, ReportsReadersWithoutTheTicket) {
  const Launch launch = MeetingLaunch();
  // Whoever runs second reads what the first wrote.
  const std::string look = "arg_c[t] = exh_partial_x[(block ^ 1) * 16 + t];";
  const HandProgram none(kWorkspace + kHandOver + kMeet + look + kReset, launch);
  EXPECT_EQ(none.Run(0).error,
            "block 1: thread 0 writes global[20], which another block reads in the kernel");
  const std::string without_ticket = kWorkspace + kHandOver + "__threadfence(); __syncthreads();" +
                                     "if (t == 0) atomicAdd(exh_ticket_0 + (block == 7), 1u);" +
                                     "__syncthreads(); if (block == 7) ";
  const std::string error = HandProgram(without_ticket + look, launch).Run(0).error;
  EXPECT_EQ(error,
            "block 7: thread 0 reads global[100], which block 6 wrote: read of a partial result "
            "that no fence orders");
  // The ticket of another thread, with no barrier behind it.
  const std::string meet_without_barrier = R"(
  __threadfence();
  __syncthreads();
  if (t == 0) atomicAdd(exh_ticket_0 + 0, 1u);
  if (block == 7 && t == 1) arg_c[t] = __ldcv(exh_partial_x + 3 * 16);
  __syncthreads();
  if (t == 0 && block == 7) atomicExch(exh_ticket_0 + 0, 0u);
)";
  EXPECT_THAT(HandProgram(kWorkspace + kHandOver + meet_without_barrier, launch).Run(0).error,
              HasSubstr("block 7: thread 1 reads global[52], which block 3 wrote"));
}

TEST(CudaShimPrograms, ReportsBlocksThatWriteTheSamePartialResult) {
  ExpectError("which another block writes in the kernel",
              kWorkspace + "exh_partial_x[t] = arg_a[block * 16 + t];", MeetingLaunch());
}

TEST(CudaShimPrograms, ReportsADirtyTicket) {
  ExpectError("a ticket was left dirty: global[0] is 8",
              kWorkspace + kHandOver + kMeet + kReturn + kTakeAll + kStore, MeetingLaunch());
}

TEST(CudaShimPrograms, ReportsAMissingFill) {
  const Launch launch = {.grid = kParts, .threads = kSums};
  ExpectError("]: an atomic operation on an element that nothing filled",
              "atomicAdd(arg_c + t, arg_a[block * 16 + t]);", launch);
  ExpectError("thread 3 changes c[15]: an atomic operation on an element that nothing filled",
              "atomicAdd(reinterpret_cast<float4*>(arg_c + 4 * t), load4(arg_a + 4 * t));",
              {.grid = 1, .threads = 4, .sides = {{"exh_fill", true, 1, 15, 0}}},
              {"arg_c[t] = 0.0f;"});
}

TEST(CudaShimPrograms, ReportsKernelsThatDoNotWait) {
  const std::string add = "which a kernel before uses, and has not waited for it";
  ExpectError(add, kAdd, Early(AtomicLaunch(16)), {kFill});
  ExpectError(add, kAdd + kAwait, Early(AtomicLaunch(16)), {kFill});
  // That another thread waits is not enough.
  ExpectError(add, "if (t == 3) " + kAwait + kAdd, Early(AtomicLaunch(16)), {kFill});
  ExpectError("which a kernel before writes, and has not waited for it", kWorkspace + kHandOver,
              Early(SecondLaunch()), {kWorkspace + kTakeAll + kAwait + kStore});
  // What an earlier kernel reads may not be written, either.
  ExpectError("which a kernel before uses, and has not waited for it",
              "arg_c[64 + block * 8 + t % 8] = arg_c[block * 8 + t % 8];", Early(SecondLaunch()),
              {"arg_c[t] = 1.0f;" + kAwait});
  // Not even the one before the one before, which that one waits for.
  Launch three = Early(AtomicLaunch(16));
  three.sides.push_back({"exh_finish", false, 1, kSums, 0});
  ExpectError("exh_finish: block 0: thread ", kAwait, three,
              {kFill, "arg_c[64] = arg_c[t];" + kAwait});
}

TEST(CudaShimPrograms, ReportsBlocksThatEndTooEarly) {
  // They use nothing, but the launch would end before the one before.
  EXPECT_EQ(HandProgram("if (block != 5) {" + kAwait + kAdd + "}", Early(AtomicLaunch(16)), {kFill})
                .Run(0)
                .error,
            "block 5 has ended, and has not waited for the kernel before");
  EXPECT_EQ(HandProgram("", Early(SecondLaunch()), {""}).Run(0).error,
            "exh_finish: block 0 has ended, and has not waited for the kernel before");
}

TEST(CudaShimPrograms, AWrongIdentityShows) {
  const HandProgram filled("atomicAdd(arg_c + t, arg_a[block * 16 + t]);", AtomicLaunch(16),
                           {"arg_c[block * 8 + t] = 1.0f;"});
  // The first value of the sum in each block.
  const HandProgram begun(kWorkspace +
                              "exh_partial_x[block * 16 + t] = 3.0f + arg_a[block * 16 + t];" +
                              kMeet + kReturn + kReset + kTakeAll + kStore,
                          MeetingLaunch());
  for (const int order : kOrders) {
    EXPECT_EQ(filled.Run(order).error, "");
    EXPECT_EQ(filled.Run(order).c[5], Sum(5) + 1);
    EXPECT_EQ(begun.Run(order).error, "");
    EXPECT_EQ(begun.Run(order).c[5], Sum(5) + 3 * kParts);
  }
}

TEST(CudaShimPrograms, ReportsAccessesBesideAtomicOperations) {
  const std::string add = "atomicAdd(arg_c + t, arg_a[t]);";
  ExpectError("of the kernel changes by an atomic operation",
              add + "__syncthreads(); arg_c[64 + t] = arg_c[t ^ 1];", AtomicLaunch(16), {kFill});
  ExpectError("of the kernel accesses without an atomic operation",
              "arg_c[t] = 1.0f; __syncthreads(); atomicAdd(arg_c + (t ^ 1), 1.0f);",
              AtomicLaunch(16), {kFill});
  // A thread knows what it does itself.
  const HandProgram own("arg_c[64 + t] = 0.0f; atomicAdd(arg_c + 64 + t, 2.0f);", {.threads = 8});
  EXPECT_EQ(own.Run(0).error, "");
  EXPECT_EQ(own.Run(0).c[70], 2.0f);
}

TEST(CudaShimPrograms, ReportsAtomicOperationsOfTheWrongMemory) {
  const Launch launch = {.threads = 1, .shared_bytes = 64, .sides = {{"exh_fill", true, 2, 8, 0}}};
  const auto expect = [&](const std::string& error, const std::string& body) {
    ExpectError(error, body, launch, {kFill});
  };
  expect("changes 16 bytes at c[2], which is not aligned to that",
         "atomicAdd(reinterpret_cast<float4*>(arg_c + 2), make_float4(1, 1, 1, 1));");
  expect("changes 8 bytes at c[1], which is not aligned to that",
         "atomicAdd(reinterpret_cast<float2*>(arg_c + 1), make_float2(1, 1));");
  expect("changes c[128], which has 128 elements", "atomicAdd(arg_c + 128, 1.0f);");
  expect("changes a[0]: an input", "atomicAdd(reinterpret_cast<float*>(arg_a), 1.0f);");
  expect("changes shared[0]: an atomic operation on shared memory",
         "atomicAdd(reinterpret_cast<float*>(exh_shared), 1.0f);");
  expect("changes c[0]: an atomic operation on 8 bytes, and an element has 4",
         "atomicAdd(reinterpret_cast<unsigned long long*>(arg_c), 1ull);");
  // There is no such instruction.
  expect("did not compile", "atomicMax(arg_c, 1.0f);");
}

TEST(CudaShimPrograms, SaysWhichKernelAnErrorIsIn) {
  const Launch launch = {.threads = 1,
                         .sides = {{"exh_fill", true, 2, 1, 0}, {"exh_finish", false, 1, 1, 0}}};
  ExpectError("exh_fill: block 0: thread 0 writes c[128]", "",
              {.threads = 1, .sides = {launch.sides[0]}}, {"arg_c[128 - block] = 0.0f;"});
  EXPECT_EQ(HandProgram("", launch, {"", "arg_c[128] = 0.0f;"}).Run(0).error,
            "exh_finish: block 0: thread 0 writes c[128], which has 128 elements");
}

TEST(CudaShimPrograms, AreasHoldWhatTheyMust) {
  // Tickets are 0, the rest is NaN: the workspace before the program, temporaries before each
  // kernel.
  const Launch launch = {.grid = 2,
                         .threads = 1,
                         .global_bytes = 16,
                         .workspace_bytes = 32,
                         .ticket_bytes = 16,
                         .sides = {{"exh_finish", false, 2, 1, 0}}};
  const HandProgram program(R"(
  arg_c[block] = static_cast<float>(reinterpret_cast<unsigned*>(exh_bytes)[block]);
  arg_c[2 + block] = exh_global[4 + block];
  arg_c[4 + block] = exh_global[8 + block * 4];
  exh_global[4 + block] = 5.0f, exh_global[8 + block * 4] = 5.0f;
)",
                            launch, {R"(
  arg_c[6 + block] = exh_global[5 - block];
  arg_c[8 + block] = exh_global[8 + block * 4];
)"});
  for (const int order : kOrders) {
    const Result result = program.Run(order);
    EXPECT_EQ(result.error, "");
    for (const unsigned i : {0u, 1u}) {
      EXPECT_EQ(result.c[i], 0);
      EXPECT_TRUE(std::isnan(result.c[2 + i]));
      EXPECT_TRUE(std::isnan(result.c[4 + i]));
      EXPECT_EQ(result.c[6 + i], 5);
      EXPECT_TRUE(std::isnan(result.c[8 + i]));
    }
  }
}

TEST(CudaShimPrograms, BlocksTakeTheOrderOfTheThreads) {
  // The block that comes last leaves its number.
  const Launch launch = {.grid = 64, .threads = 1, .workspace_bytes = 16, .ticket_bytes = 16};
  const HandProgram program(R"(
  unsigned* const ticket = reinterpret_cast<unsigned*>(exh_bytes);
  if (atomicAdd(ticket, 1u) != 63u) return;
  atomicExch(ticket, 0u);
  arg_c[0] = static_cast<float>(block);
)",
                            launch);
  EXPECT_EQ(program.Run(0).c[0], 63);
  EXPECT_EQ(program.Run(1).c[0], 0);
  EXPECT_EQ(program.Run(5).c[0], program.Run(5).c[0]);
  std::vector<float> last;
  for (int seed = 2; seed < 10; ++seed) last.push_back(program.Run(seed).c[0]);
  EXPECT_THAT(last, Not(::testing::Each(last[0])));
}

}  // namespace
}  // namespace exh_shim

// SPDX-License-Identifier: MIT
//
// Each defect of programs with bulk copies, barriers in shared memory and roles that the shim must
// report: right programs in which one thing is wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/cuda_shim/bulk/bulk_program.h"

namespace exh_shim {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Matcher;

template <typename T>
void ExpectErrors(const BulkProgram<T>& program, const std::vector<T>& a,
                  const Matcher<std::string>& what) {
  for (const int order : kOrders) {
    EXPECT_THAT(program.Run(a, order).error, what) << "order " << order;
  }
}

/// Every order reports it, of a program that adds up tiles.
void ExpectError(const std::string& body, const Matcher<std::string>& what,
                 unsigned threads = 256) {
  const BulkProgram<float> program(body, TileSums::Launch(threads), TileSums::Input().size());
  ExpectErrors(program, TileSums::Input(), what);
}
/// The ring with its roles, where something is something else.
void ExpectErrorOf(const std::string& what, const std::string& by,
                   const Matcher<std::string>& error) {
  ExpectError(Replaced(TileSums::kRoles, what, by), error);
}

const char* const kTaken = "where the bulk copy of line";

/// What a slot holds, and what comes to it, are used by several that nothing orders: what is seen
/// of that first depends on who comes first.
Matcher<std::string> IsMess() {
  return AnyOf(HasSubstr(kTaken), HasSubstr("read: nothing orders the two"),
               HasSubstr("has ended, too"));
}

// Phases.

TEST(CudaShimBulkDefects, ParitiesAreThoseOfThePhases) {
  ExpectErrorOf("exh_await(full + slot, tile / 3 % 2)", "exh_await(full + slot, tile / 3 % 2 ^ 1u)",
                IsMess());
  ExpectErrorOf("exh_await(empty + slot, tile / 3 % 2 ^ 1u)",
                "exh_await(empty + slot, tile / 3 % 2)",
                HasSubstr("waits forever for phase 0 of the barrier at byte"));
  ExpectErrorOf("exh_await(empty + slot, tile / 3 % 2 ^ 1u)", "exh_await(empty + slot, 2)",
                HasSubstr("for parity 2"));
}

TEST(CudaShimBulkDefects, SlotsAreReleasedBehindTheReads) {
  std::string body = Replaced(TileSums::kRoles, "    exh_arrive(empty + slot);\n", "");
  body = Replaced(body, "    sum += tiles[slot * 256 + t];",
                  "    exh_arrive(empty + slot);\n    sum += tiles[slot * 256 + t];");
  ExpectError(body, IsMess());
  // Between two reads of it.
  body = Replaced(TileSums::kRoles, "    exh_arrive(empty + slot);\n", "");
  body = Replaced(body, "    sum += tiles[slot * 256 + 128 + t];",
                  "    exh_arrive(empty + slot);\n    sum += tiles[slot * 256 + 128 + t];");
  ExpectError(body, IsMess());
}

TEST(CudaShimBulkDefects, CopiesAreWaitedFor) {
  ExpectErrorOf("    exh_await(full + slot, tile / 3 % 2);\n", "", IsMess());
  // By each thread that reads, for none tells the others.
  ExpectErrorOf("    exh_await(full + slot, tile / 3 % 2);\n",
                "    if (t != 77) exh_await(full + slot, tile / 3 % 2);\n", IsMess());
}

TEST(CudaShimBulkDefects, FreeSlotsAreWaitedFor) {
  ExpectErrorOf("      exh_await(empty + slot, tile / 3 % 2 ^ 1u);\n", "",
                AnyOf(HasSubstr(kTaken), HasSubstr("read: nothing orders the two"),
                      HasSubstr("and has had them")));
}

TEST(CudaShimBulkDefects, BytesAreExpected) {
  ExpectErrorOf("exh_expect(full + slot, 1024);", "exh_arrive(full + slot);", HasSubstr(kTaken));
  ExpectErrorOf("exh_expect(full + slot, 1024);", "exh_expect(full + slot, 512);",
                HasSubstr("512 bytes more than are expected in phase 0"));
  ExpectErrorOf("exh_expect(full + slot, 1024);", "exh_expect(full + slot, 2048);",
                HasSubstr("waits forever for phase 0"));
  ExpectErrorOf("exh_expect(full + slot, 1024);", "exh_expect(full + slot, 1 << 20);",
                HasSubstr("more than it can count"));
}

TEST(CudaShimBulkDefects, BytesThatNobodyExpectsAreFoundBehindTheCopy) {
  const std::string copy =
      "      exh_bulk_copy(tiles + slot * 256, &map_0, full + slot, 0, tile * 8);\n";
  const std::string expect = "      exh_expect(full + slot, 1024);\n";
  ExpectError(Replaced(Replaced(TileSums::kRoles, expect, ""), copy,
                       copy + "      exh_arrive(full + slot);\n"),
              HasSubstr("1024 bytes more than are expected in phase 0"));
  // Later than the copy is in time.
  const BulkProgram<float> program(
      Replaced(Replaced(TileSums::kRoles, expect, ""), copy, copy + expect), TileSums::Launch(256),
      TileSums::Input().size());
  for (const int order : kOrders) EXPECT_EQ(program.Run(TileSums::Input(), order).error, "");
}

TEST(CudaShimBulkDefects, ArrivalsAreCounted) {
  ExpectErrorOf("empty + slot, 128", "empty + slot, 127", IsMess());
  ExpectErrorOf("empty + slot, 128", "empty + slot, 129",
                HasSubstr("which lacks 1 arrivals and 0 bytes"));
  ExpectErrorOf("full + slot, 1)", "full + slot, 2)", HasSubstr("waits forever for phase 0"));
  ExpectErrorOf("exh_expect(full + slot, 1024);",
                "exh_expect(full + slot, 1024);\n exh_arrive(full + slot);",
                HasSubstr("takes 1 arrivals in a phase, and has had them"));
  ExpectErrorOf("empty + slot, 128", "empty + slot, 0", HasSubstr("for 0 arrivals"));
}

TEST(CudaShimBulkDefects, PhasesDoNotOverrunThoseWhoWait) {
  // Thread 0 ends a phase, and the next one, whatever thread 32 does.
  ExpectError(TileSums::kRing + R"(
  if (t == 0) {
    exh_arrive(full);
    exh_arrive(full);
  }
  if (t == 32) exh_await(full, 0);
)",
              AnyOf(HasSubstr("ends phase 1 of the barrier at byte 4096 of shared memory, and "
                              "thread 32 need not have gone on that waits for phase 0"),
                    HasSubstr("for phase 0, and 1 has ended, too")));
}

// Barriers in shared memory.

TEST(CudaShimBulkDefects, BarriersAreInitialised) {
  ExpectErrorOf("      exh_barrier_init(full + slot, 1);\n", "",
                HasSubstr("which has not been initialised"));
  ExpectErrorOf("    exh_barriers_made();\n", "", HasSubstr("which has not been made known"));
  ExpectErrorOf("__syncthreads();", "", HasSubstr("initialis"));
  ExpectErrorOf("exh_barriers_made();", "exh_barriers_made(); exh_barrier_init(full, 1);",
                HasSubstr("again"));
  ExpectErrorOf("exh_bytes + 4096", "exh_bytes + 4100", HasSubstr("not aligned"));
  ExpectErrorOf("exh_bytes + 4096", "exh_bytes + 4096 + 96", HasSubstr("elements"));
}

TEST(CudaShimBulkDefects, MeetingsAreNoBarriersOfTheBlock) {
  ExpectErrorOf("__syncthreads();", "exh_meet(256);", HasSubstr("no barrier of the block is"));
}

TEST(CudaShimBulkDefects, BarriersAreTouchedByNothingElse) {
  ExpectErrorOf(TileSums::kStore, "arg_c[t] = reinterpret_cast<float*>(exh_bytes + 4096)[0];\n",
                HasSubstr("of a barrier"));
  ExpectErrorOf(TileSums::kStore, "tiles[1025] = 0;\n", HasSubstr("of a barrier"));
  ExpectErrorOf("tiles + slot * 256, &map_0", "tiles + 1024 - slot * 256, &map_0",
                HasSubstr("of a barrier"));
}

TEST(CudaShimBulkDefects, NothingIsLeftUndone) {
  const std::string fill = TileSums::kRing + R"(
  if (t == 0) {
    exh_expect(full, $);
    exh_bulk_copy(exh_bytes, &map_0, full, 0, 0);
  }
)";
  ExpectError(Replaced(fill, "$", "1024"),
              AnyOf(HasSubstr("nobody has waited at"), HasSubstr("bytes expected")));
  ExpectError(Replaced(fill, "$", "1040"), HasSubstr("bytes expected"));
}

// Copies.

TEST(CudaShimBulkDefects, CopiesGoWhereTheHardwareTakesThem) {
  ExpectErrorOf("tiles + slot * 256, &map_0", "tiles + slot * 256 + 16, &map_0",
                HasSubstr("not aligned to 128"));
  ExpectErrorOf("tiles + slot * 256, &map_0", "tiles + slot * 256 + 4096, &map_0",
                HasSubstr("shared memory behind its 4224 bytes"));
  ExpectErrorOf("tiles + slot * 256, &map_0", "arg_c, &map_0", HasSubstr("no shared memory"));
  ExpectErrorOf("full + slot, 0, tile * 8", "full + slot, tile * 8",
                HasSubstr("with 1 coordinates"));
}

TEST(CudaShimBulkDefects, CopiesDoNotMeet) {
  ExpectErrorOf("tiles + slot * 256, &map_0", "tiles + slot * 128, &map_0", HasSubstr(kTaken));
}

// In some orders it is there where it was written before.
TEST(CudaShimBulkDefects, StoresArePublishedBeforeCopies) {
  const std::string store = "  tiles[t] = 1.0f;\n  __syncthreads();\n";
  ExpectError(TileSums::kRing + store + TileSums::kFill + TileSums::kTake + TileSums::kStore,
              HasSubstr("has not published"));
  const BulkProgram<float> program(TileSums::kRing + "  tiles[t] = 1.0f;\n  exh_publish();\n" +
                                       "  __syncthreads();\n" + TileSums::kFill + TileSums::kTake +
                                       TileSums::kStore,
                                   TileSums::Launch(256), TileSums::Input().size());
  for (const int order : kOrders) EXPECT_EQ(program.Run(TileSums::Input(), order).error, "");
  ExpectErrorOf("    exh_arrive(empty + slot);\n",
                "    exh_arrive(empty + slot);\n    tiles[slot * 256 + t] = 1.0f;\n",
                AnyOf(HasSubstr(kTaken), HasSubstr("wrote: nothing orders the two")));
}

TEST(CudaShimBulkDefects, CopiesDoNotSeeWhatTheKernelWrites) {
  exh::kernels::Launch launch = TileSums::Launch(32);
  launch.maps[0].array = 1;
  launch.maps[0].extents = {32, 8};
  const BulkProgram<float> program(TileSums::kRing + R"(
  arg_c[t] = 1.0f;
  __syncthreads();
  if (t == 0) {
    exh_expect(full, 1024);
    exh_bulk_copy(exh_bytes, &map_0, full, 0, 0);
  }
  exh_await(full, 0);
)",
                                   launch, 4, 256);
  ExpectErrors(program, std::vector<float>(4), HasSubstr("which the kernel writes"));
}

// Groups of warps.

void ExpectErrorOfProduct(const std::string& what, const std::string& by,
                          const Matcher<std::string>& error) {
  const BulkProgram<unsigned short> program(Replaced(Product::kBody, what, by), Product::Launch(),
                                            Product::Input().size());
  ExpectErrors(program, Product::Input(), error);
}

TEST(CudaShimBulkDefects, GroupsWaitForCopies) {
  ExpectErrorOfProduct("    exh_await(full, i);\n", "", IsMess());
  // All of their threads.
  ExpectErrorOfProduct("    exh_await(full, i);\n", "    if (t != 100) exh_await(full, i);\n",
                       IsMess());
}

TEST(CudaShimBulkDefects, BatchesAreWaitedForBeforeSlotsAreReleased) {
  const std::string step = "has not waited for a step";
  ExpectErrorOfProduct("    exh_group_wait<0>();\n    exh_arrive(empty);\n",
                       "    exh_arrive(empty);\n    exh_group_wait<0>();\n", IsMess());
  // Its thread knows of the copy that spoils it.
  ExpectErrorOfProduct("    exh_group_wait<0>();\n    exh_arrive(empty);\n  }\n",
                       "    exh_group_wait<1>();\n    exh_arrive(empty);\n  }\n"
                       "  exh_group_wait<0>();\n",
                       HasSubstr(step));
  ExpectErrorOfProduct("    exh_group_wait<0>();\n", "", HasSubstr(step));
}

TEST(CudaShimBulkDefects, GroupsTakeWhatThreadsWroteOnlyWhenItIsPublished) {
  ExpectErrorOfProduct("    exh_group_begin();\n",
                       "    if (i == 0) reinterpret_cast<unsigned short*>(exh_bytes)[t] = 0;\n"
                       "    exh_meet(128);\n    exh_group_begin();\n",
                       HasSubstr("has not published"));
}

// Threads that meet.

TEST(CudaShimBulkDefects, AllWhoMeetAreThere) {
  ExpectErrorOf(TileSums::kStore, "if (t != 5) exh_meet(128);\n arg_c[t] = sum;\n",
                HasSubstr("but thread 5 has ended"));
  ExpectErrorOf(TileSums::kStore, "exh_meet(256);\n arg_c[t] = sum;\n",
                HasSubstr("threads 0 to 255 meet in line"));
  ExpectErrorOf(TileSums::kStore, "exh_meet(100);\n", HasSubstr("meets threads 0 to 99"));
  ExpectErrorOf(TileSums::kStore, "exh_meet(64);\n", HasSubstr("meets threads 0 to 63"));
  ExpectErrorOf(TileSums::kStore, "exh_meet(t < 32 ? 64 : 128);\n", HasSubstr("others do in line"));
  ExpectErrorOf(TileSums::kStore,
                "if (t == 5) __shfl_xor_sync(0xffffffffu, sum, 1); else exh_meet(128);\n",
                HasSubstr("but thread 5 waits for its warp"));
}

TEST(CudaShimBulkDefects, WhoHasEndedMeetsNobody) {
  ExpectErrorOf(TileSums::kStore, "__syncthreads();\n", HasSubstr("waits at the barrier of line"));
}

TEST(CudaShimBulkDefects, MeetingsOrderWhatTheyAreBetween) {
  const std::string exchange = "tiles[768 + t] = sum;\narg_c[t] = tiles[768 + (t ^ 1)];\n";
  ExpectErrorOf(TileSums::kStore, exchange, HasSubstr("nothing orders the two"));
  // What was done behind a meeting is not before what others do there.
  ExpectErrorOf(TileSums::kStore, "exh_meet(128);\n" + exchange,
                HasSubstr("nothing orders the two"));
  ExpectErrorOf(TileSums::kStore,
                "tiles[768 + t % 64] = sum;\nexh_meet(128);\narg_c[t] = tiles[768 + t % 64];\n",
                HasSubstr("with another value"));
  ExpectErrorOf(TileSums::kStore, "tiles[768] = 1.0f;\ntiles[768] = 2.0f;\n",
                HasSubstr("with another value"));
}

}  // namespace
}  // namespace exh_shim

// SPDX-License-Identifier: MIT
//
// The linear-algebra space against the code it yields: random implementations of every kernel are
// printed, compiled, run and compared with the reference; the sample must be broad; and defects
// planted into the printer must show.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/library/registry.h"
#include "tests/kernels/space/compiled_batch.h"
#include "tests/kernels/space/sample.h"

namespace exh::kernels::testing {
namespace {

struct Part {
  Parameters sizes;
  std::uint32_t max_threads;
  int count;
  bool paper = true;
};

/// Draws, runs and counts all parts; every implementation must be right. `block` is a temporary
/// array: the result is how many of the implementations have it.
int RunAll(const std::string& kernel, const std::vector<Part>& parts,
           const std::string& block = "") {
  Coverage coverage, beyond_paper;
  std::uint64_t seed = 20;
  int drawn = 0, with_block = 0;
  for (const Part& part : parts) {
    ++seed;
    drawn += part.count;
    const Sample sample = Draw(kernel, part.sizes, TestDevice(part.max_threads), part.count, seed,
                               part.paper ? coverage : beyond_paper, part.paper);
    const std::vector<std::string> messages = RunPrinted(sample);
    for (std::size_t i = 0; i < messages.size(); ++i) {
      EXPECT_EQ(messages[i], "") << kernel << " part " << seed - 21 << " implementation " << i
                                 << " (seed " << seed << "):\n"
                                 << sample.decisions[i];
      if (::testing::Test::HasFailure()) return with_block;  // One is enough to read.
    }
    for (const ir::MemBlock& temporary : sample.task.function->blocks) {
      if (temporary.name() != block) continue;
      for (const codegen::Schedule& schedule : sample.schedules) {
        with_block += schedule.InBlocks(temporary.id);
      }
    }
  }
  fmt::print("{} {}", kernel, coverage.Table());
  fmt::print("{} beyond the paper {}", kernel, beyond_paper.Table());
  EXPECT_EQ(coverage.implementations() + beyond_paper.implementations(), drawn);
  EXPECT_GE(coverage.share_with_temporary(), 0.2);
  EXPECT_GE(coverage.share_with_two_thread_dims(), 0.15);
  EXPECT_EQ(coverage.Rare(0.01), std::vector<std::string>());
  return with_block;
}

TEST(LinalgSpace, AxpyImplementationsAreRight) {
  RunAll("axpy", {{{{"n", 96}}, 64, 75},
                  {{{"n", 96}}, 64, 50, false},
                  {{{"n", 100}}, 64, 125},
                  {{{"n", 60}}, 64, 100},
                  {{{"n", 84}}, 1, 100},
                  {{{"n", 97}}, 64, 50},
                  {{{"n", 1000}}, 64, 30, false},
                  {{{"n", 97}}, 64, 30, false}});
}

TEST(LinalgSpace, MvImplementationsAreRight) {
  RunAll("mv", {{{{"m", 96}, {"n", 64}}, 64, 105},
                {{{"m", 96}, {"n", 96}}, 64, 50, false},
                {{{"m", 100}, {"n", 100}}, 64, 125},
                {{{"m", 60}, {"n", 36}}, 64, 100},
                {{{"m", 36}, {"n", 84}}, 1, 100},
                {{{"m", 97}, {"n", 101}}, 64, 50},
                {{{"m", 67}, {"n", 101}}, 64, 40, false}});
}

TEST(LinalgSpace, MatmulImplementationsAreRight) {
  RunAll("matmul", {{{{"m", 96}, {"n", 96}, {"k", 96}}, 64, 100},
                    {{{"m", 32}, {"n", 48}, {"k", 32}}, 64, 50, false},
                    {{{"m", 100}, {"n", 100}, {"k", 100}, {"transpose_a", 1}}, 64, 100},
                    {{{"m", 60}, {"n", 36}, {"k", 84}, {"transpose_b", 1}, {"relu", 1}}, 64, 100},
                    {{{"m", 60}, {"n", 36}, {"k", 84}, {"a_stride", 3}}, 1, 125},
                    {{{"m", 97}, {"n", 89}, {"k", 101}}, 64, 50},
                    {{{"m", 37}, {"n", 53}, {"k", 29}}, 64, 40, false},
                    {{{"m", 13}, {"n", 35}, {"k", 53}, {"transpose_a", 1}}, 1, 30, false}});
}

TEST(LinalgSpace, GesummvImplementationsAreRight) {
  RunAll("gesummv", {{{{"m", 60}, {"n", 36}}, 64, 60},
                     {{{"m", 32}, {"n", 12}}, 1, 40, false},
                     {{{"m", 32}, {"n", 64}}, 1, 30},
                     {{{"m", 53}, {"n", 41}}, 64, 40}});
}

TEST(LinalgSpace, BatchedMatmulImplementationsAreRight) {
  RunAll("batched_matmul",
         {{{{"batch", 6}, {"m", 32}, {"n", 16}, {"k", 28}}, 64, 40},
          {{{"batch", 9}, {"m", 8}, {"n", 6}, {"k", 10}, {"transpose_a", 1}}, 1, 40, false},
          {{{"batch", 10}, {"m", 12}, {"n", 36}, {"k", 18}, {"reuse_b", 1}}, 64, 40},
          {{{"batch", 7}, {"m", 20}, {"n", 12}, {"k", 30}, {"transpose_b", 1}}, 1, 30}});
}

// Small axes: to set up the space takes a time that grows with the cube of the number of tile
// levels.
TEST(LinalgSpace, Matmul2ImplementationsAreRight) {
  const std::vector<Part> parts = {{{{"m", 6}, {"n", 7}, {"k", 5}, {"p", 16}}, 64, 50},
                                   {{{"m", 6}, {"n", 4}, {"k", 5}, {"p", 10}}, 1, 40, false},
                                   {{{"m", 7}, {"n", 11}, {"k", 13}, {"p", 5}}, 64, 40}};
  // The first product reaches the second in registers and through a temporary.
  const int staged = RunAll("matmul2", parts, "tmp.scale");
  EXPECT_GT(staged, 0);
  EXPECT_LT(staged, 130);
}

/// Reductions of which lanes have parts, with threads and without, over axes that are covered or
/// not.
TEST(LinalgSpace, LanesOfReductionsAreRight) {
  struct Case {
    const char* kernel;
    Parameters sizes;
    std::uint32_t max_threads;
  };
  const std::vector<Case> cases = {{"dot", {{"n", 192}}, 1},
                                   {"dot", {{"n", 1000}}, 64},
                                   {"dot", {{"n", 157}}, 1},
                                   {"mv", {{"m", 12}, {"n", 64}}, 1},
                                   {"mv", {{"m", 7}, {"n", 101}}, 64},
                                   {"reduce", {{"b", 6}, {"c", 101}, {"op", 1}}, 1},
                                   {"reduce", {{"b", 6}, {"c", 101}, {"op", 3}}, 64},
                                   {"moments", {{"m", 6}, {"n", 64}}, 1},
                                   {"softmax", {{"m", 6}, {"n", 37}}, 1}};
  std::uint64_t seed = 60;
  for (const Case& c : cases) {
    Coverage coverage;
    const Sample sample = Draw(c.kernel, c.sizes, TestDevice(c.max_threads), 40, ++seed, coverage);
    const std::vector<std::string> messages = RunPrinted(sample);
    int with_lanes = 0;
    for (std::size_t i = 0; i < messages.size(); ++i) {
      ASSERT_EQ(messages[i], "") << c.kernel << " (seed " << seed << "):\n" << sample.decisions[i];
      with_lanes += std::ranges::any_of(sample.task.function->dims, [&](const ir::Dimension& dim) {
        return dim.is_reduction && sample.schedules[i].dim_kind(dim.id) == codegen::DimKind::VECTOR;
      });
    }
    EXPECT_GE(with_lanes, 2) << c.kernel << " (seed " << seed << ")";
  }
}

/// The paper's space takes the steps of a reduction one after the other.
TEST(LinalgSpace, ThePapersReductionsHaveNoLanes) {
  for (const bool is_paper : {true, false}) {
    Parameters sizes;
    for (const Parameter& p : FindKernel("mv")->parameters()) sizes[p.name] = p.default_value;
    const Task task = MakeTask(*FindKernel("mv"), sizes, TestDevice(1), is_paper);
    const ir::Target& function = *task.function;
    const bool may = std::ranges::any_of(
        function.dims, [&](const ir::Dimension& dim) { return function.may_take_lanes(dim); });
    EXPECT_NE(may, is_paper);
  }
}

/// Threads of a processor may be numbered by patches, too: no user's device offers it, a test's
/// may.
TEST(LinalgSpace, PatchesOfThreadsAreRight) {
  Coverage coverage;
  const Sample sample = Draw("matmul", {{"m", 32}, {"n", 32}, {"k", 16}}, TestDevice(64), 6, 4,
                             coverage, false, "patch()=2|4|8\n");
  for (const std::string& message : RunPrinted(sample)) EXPECT_EQ(message, "");
}

/// How many of the implementations a defect spoils.
int Spoiled(codegen::Fault fault, const Parameters& sizes = {{"m", 24}, {"n", 24}, {"k", 24}}) {
  Coverage coverage;
  const Sample sample = Draw("matmul", sizes, TestDevice(64), 80, 3, coverage);
  int spoiled = 0;
  const std::vector<std::string> messages = RunPrinted(sample, fault);
  for (std::size_t i = 0; i < messages.size(); ++i) {
    spoiled += !messages[i].empty();
    if (fault == codegen::Fault::kNone) {
      EXPECT_EQ(messages[i], "") << sample.decisions[i];
    }
  }
  return spoiled;
}

TEST(LinalgSpace, NoDefectSpoilsNothing) {
  EXPECT_EQ(Spoiled(codegen::Fault::kNone), 0);
}
TEST(LinalgSpace, WrongStrideShows) {
  EXPECT_GT(Spoiled(codegen::Fault::kWrongStride), 0);
}
TEST(LinalgSpace, MissingBarrierShows) {
  EXPECT_GT(Spoiled(codegen::Fault::kMissingBarrier), 0);
}
TEST(LinalgSpace, DroppedGuardShows) {
  EXPECT_GT(Spoiled(codegen::Fault::kDroppedGuard), 0);
}
TEST(LinalgSpace, LostSurplusShows) {
  const Parameters covered = {{"m", 37}, {"n", 29}, {"k", 35}};
  EXPECT_EQ(Spoiled(codegen::Fault::kNone, covered), 0);
  EXPECT_EQ(Spoiled(codegen::Fault::kLostSurplus, covered), 80);
}

}  // namespace
}  // namespace exh::kernels::testing

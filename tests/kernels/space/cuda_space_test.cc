// SPDX-License-Identifier: MIT
//
// The linear-algebra space against the CUDA C++ that it yields: random implementations of every
// kernel are printed, run on the CPU thread by thread (tests/cuda_shim) and compared with the
// reference; the sample must be broad; and defects planted into the code must show. Where NVRTC is
// installed, some of them are compiled for a GPU, too.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include "kernels/codegen/plan/lowered_code.h"
#include "kernels/codegen/print/gpu/printer.h"
#include "kernels/devices/cuda/driver/nvrtc.h"
#include "tests/kernels/space/cuda_batch.h"
#include "tests/kernels/space/sample.h"

namespace exh::kernels::testing {
namespace {

struct Part {
  Parameters sizes;
  std::uint32_t max_threads;
  int count;
  bool paper = false;
};

std::vector<CudaText> Print(const Sample& sample, codegen::Fault fault) {
  std::vector<CudaText> texts;
  for (const codegen::Schedule& schedule : sample.schedules) {
    const codegen::LoweredCode code =
        codegen::LowerSchedule(*sample.task.function, schedule, fault);
    EXPECT_EQ(code.error, "");
    const codegen::GpuText text = codegen::PrintGpu(code, {.overlaps = true});
    texts.push_back({text.source, text.launch});
  }
  return texts;
}

/// Draws, runs and counts all parts; every implementation must be right.
void RunAll(const std::string& kernel, const std::vector<Part>& parts) {
  Coverage coverage;
  int expected = 0;
  std::uint64_t seed = 40;
  for (const Part& part : parts) {
    ++seed;
    expected += part.count;
    const Sample sample = Draw(kernel, part.sizes, CudaTestDevice(part.max_threads), part.count,
                               seed, coverage, part.paper);
    const std::vector<CudaText> texts = Print(sample, codegen::Fault::kNone);
    const std::vector<std::string> messages = RunCudaSources(sample.task, texts);
    for (std::size_t i = 0; i < messages.size(); ++i) {
      EXPECT_EQ(messages[i], "") << kernel << " part " << seed - 41 << " implementation " << i
                                 << " (seed " << seed << "):\n"
                                 << texts[i].source;
      if (::testing::Test::HasFailure()) return;  // One is enough to read.
    }
  }
  fmt::print("{} {}", kernel, coverage.Table());
  EXPECT_EQ(coverage.implementations(), expected);
  EXPECT_GE(coverage.share_with_temporary(), 0.2);
  EXPECT_GE(coverage.share_with_two_thread_dims(), 0.2);
  for (const std::string& rare : coverage.Rare(0.005)) {
    // Of the many sizes that a level may have, each is rare, and so is each way to divide a
    // reduction, which EachWayToDivideIsRight asks for. Tiles of sums in registers are rare where
    // two products share the code that the device of the tests takes.
    // Layouts that rows seldom fit, Units.FragmentsOfSkewedRowsAreRight asks for; patches, which
    // blocks of few threads seldom have, and rasters Places.ComputeTheProduct. Matrix units need
    // whole warps; exh_units_test asks for them.
    EXPECT_TRUE(rare.starts_with("size=") || rare.starts_with("across_blocks=") ||
                rare.starts_with("skew=") || rare.starts_with("patch=") ||
                rare.starts_with("raster=") || rare.starts_with("unit=DMMA") ||
                rare.starts_with("dim_kind=TENSOR") ||
                (kernel == "matmul2" &&
                 (rare.starts_with("walk=SERPENTINE") || rare.starts_with("stages="))))
        << rare;
  }
}

TEST(CudaSpace, AxpyImplementationsAreRight) {
  RunAll("axpy", {{{{"n", 96}}, 64, 80},
                  {{{"n", 100}}, 64, 60},
                  {{{"n", 97}}, 128, 20},
                  {{{"n", 84}}, 32, 40, true}});
}

TEST(CudaSpace, MvImplementationsAreRight) {
  RunAll("mv", {{{{"m", 48}, {"n", 32}}, 64, 80},
                {{{"m", 60}, {"n", 36}}, 64, 60},
                {{{"m", 37}, {"n", 41}}, 64, 20},
                {{{"m", 36}, {"n", 84}}, 32, 40, true}});
}

TEST(CudaSpace, MatmulImplementationsAreRight) {
  RunAll("matmul", {{{{"m", 32}, {"n", 32}, {"k", 32}}, 64, 80},
                    {{{"m", 20}, {"n", 12}, {"k", 28}, {"transpose_b", 1}, {"relu", 1}}, 64, 40},
                    {{{"m", 24}, {"n", 36}, {"k", 16}, {"transpose_a", 1}}, 32, 30},
                    {{{"m", 36}, {"n", 24}, {"k", 12}, {"a_stride", 3}}, 64, 20},
                    {{{"m", 37}, {"n", 53}, {"k", 29}}, 64, 20},
                    {{{"m", 13}, {"n", 50}, {"k", 44}, {"transpose_b", 1}}, 64, 20},
                    {{{"m", 32}, {"n", 48}, {"k", 24}}, 64, 40, true}});
}

// Small axes and few parts in the space with all decisions: to set it up takes a time that grows
// with the cube of the number of tile levels.
TEST(CudaSpace, GesummvImplementationsAreRight) {
  RunAll("gesummv", {{{{"m", 6}, {"n", 8}}, 64, 80},
                     {{{"m", 7}, {"n", 16}}, 64, 60, true},
                     {{{"m", 23}, {"n", 13}}, 64, 60, true}});
}

TEST(CudaSpace, BatchedMatmulImplementationsAreRight) {
  RunAll("batched_matmul",
         {{{{"batch", 3}, {"m", 8}, {"n", 12}, {"k", 5}, {"transpose_a", 1}}, 32, 80},
          {{{"batch", 5}, {"m", 12}, {"n", 8}, {"k", 6}, {"reuse_b", 1}}, 64, 60, true},
          {{{"batch", 6}, {"m", 4}, {"n", 10}, {"k", 9}, {"transpose_b", 1}}, 64, 60, true}});
}

TEST(CudaSpace, Matmul2ImplementationsAreRight) {
  RunAll("matmul2", {{{{"m", 3}, {"n", 5}, {"k", 8}, {"p", 7}}, 64, 60},
                     {{{"m", 4}, {"n", 5}, {"k", 3}, {"p", 7}}, 64, 80, true},
                     {{{"m", 7}, {"n", 11}, {"k", 13}, {"p", 5}}, 64, 60, true}});
}

TEST(CudaSpace, EachWayToDivideIsRight) {
  const ir::Device all = CudaTestDevice(64);
  EXPECT_EQ(all.across_blocks.size(), 7u);
  for (const std::string& way : all.across_blocks) {
    if (way == ir::kLookBack) continue;  // Of scans, which have tests of their own.
    ir::Device device = all;
    device.across_blocks = {way};
    Coverage coverage;
    const Sample sample = Draw("mv", {{"m", 16}, {"n", 48}}, device, 80, 11, coverage);
    int divided = 0;
    for (const codegen::Schedule& schedule : sample.schedules) {
      for (const ir::Instruction& inst : sample.task.function->insts) {
        divided += schedule.across_blocks.Or(codegen::AcrossBlocks::NOT_ACROSS, inst.id) !=
                   codegen::AcrossBlocks::NOT_ACROSS;
      }
    }
    EXPECT_GE(divided, 3) << way;
    for (const std::string& message : RunCudaSources(sample.task, Print(sample, {}))) {
      EXPECT_EQ(message, "") << way;
    }
  }
}

TEST(CudaSpace, RingsAreRight) {
  int rings = 0, longer = 0, asynchronous = 0, through_registers = 0;
  for (const Parameters& sizes : {Parameters{{"m", 16}, {"n", 16}, {"k", 48}},
                                  Parameters{{"m", 13}, {"n", 22}, {"k", 46}, {"transpose_b", 1}},
                                  Parameters{{"m", 32}, {"n", 8}, {"k", 64}, {"a_stride", 2}}}) {
    Coverage coverage;
    const Sample sample = Draw("matmul", sizes, CudaTestDevice(64), 60, 17, coverage);
    for (const codegen::Schedule& schedule : sample.schedules) {
      for (const ir::MemBlock& block : sample.task.function->blocks) {
        const std::uint32_t stages =
            schedule.InBlocks(block.id) ? schedule.stages(block.id) : std::uint32_t{1};
        if (stages == 1) continue;
        const bool is_async = schedule.transfer(block.id) == codegen::Transfer::ASYNC;
        ++rings;
        longer += stages > 2;
        (is_async ? asynchronous : through_registers) += 1;
      }
    }
    const std::vector<CudaText> texts = Print(sample, {});
    const std::vector<std::string> messages = RunCudaSources(sample.task, texts);
    for (std::size_t i = 0; i < messages.size(); ++i) {
      ASSERT_EQ(messages[i], "") << texts[i].source;
    }
  }
  fmt::print("{} rings: {} with more than two slots, {} asynchronous, {} through registers\n",
             rings, longer, asynchronous, through_registers);
  EXPECT_GE(longer, 5);
  EXPECT_GE(asynchronous, 10);
  EXPECT_GE(through_registers, 10);
}

TEST(CudaSpace, PaddedArraysFit) {
  ir::Device device = CudaTestDevice(64);
  device.shared_bytes = 4096;
  Coverage coverage;
  std::uint64_t most = 0;
  for (const char* skew : {"PAD_4_BYTES", "PAD_16_BYTES", "XOR"}) {
    const Sample sample = Draw("matmul", {{"m", 64}, {"n", 64}, {"k", 64}}, device, 40, 29,
                               coverage, false, fmt::format("skew(tmp.load_a)={}\n", skew));
    for (const CudaText& text : Print(sample, {})) {
      ASSERT_LE(text.launch.shared_bytes, device.shared_bytes) << skew << "\n" << text.source;
      if (std::string_view(skew) == "PAD_16_BYTES") most = std::max(most, text.launch.shared_bytes);
    }
  }
  // Only where rows are known to be no shorter than what is behind them.
  EXPECT_GT(most, device.shared_bytes / 2);
}

// Of sums of floats, and not of what is the same in any order.
TEST(CudaSpace, AtomicSumsMayVaryInTheirBits) {
  const auto vary = [](const std::string& way, std::int64_t op, std::string* ways) {
    ir::Device device = CudaTestDevice(32);
    device.across_blocks = {way};
    Coverage coverage;
    const Sample sample =
        Draw("reduce", {{"b", 4}, {"c", 512}, {"op", op}}, device, 40, 5, coverage);
    int count = 0;
    for (const codegen::Schedule& schedule : sample.schedules) {
      const codegen::LoweredCode code = codegen::LowerSchedule(*sample.task.function, schedule);
      const std::string words = codegen::WaysInWords(code.splits);
      if (!words.empty()) *ways = words;
      const bool varies = codegen::BitsMayVary(*sample.task.function, code.splits);
      EXPECT_FALSE(varies && words.empty()) << "what is not divided";
      count += varies;
    }
    return count;
  };
  const std::int64_t sum = 0, min = 2;
  std::string ways;
  for (const std::string way : {"ATOMIC_CAS", "ATOMIC_RED"}) {
    EXPECT_GT(vary(way, sum, &ways), 0) << way;
    EXPECT_EQ(ways, way);
  }
  for (const std::string way : {"LAST_BLOCK", "SECOND_LAUNCH"}) {
    EXPECT_EQ(vary(way, sum, &ways), 0) << way;
    EXPECT_EQ(ways, way);
  }
  EXPECT_EQ(vary("ATOMIC_CAS", min, &ways), 0);
  EXPECT_EQ(ways, "ATOMIC_CAS");
}

/// How many of the messages hold the text; where that is empty, how many there are.
int Spoiled(const Sample& sample, codegen::Fault fault, const std::string& text = "") {
  int spoiled = 0;
  for (const std::string& message : RunCudaSources(sample.task, Print(sample, fault))) {
    spoiled += !message.empty() && message.find(text) != std::string::npos;
  }
  return spoiled;
}

/// How many of the implementations a defect spoils.
int Spoiled(codegen::Fault fault, const Parameters& sizes = {{"m", 24}, {"n", 24}, {"k", 24}}) {
  Coverage coverage;
  return Spoiled(Draw("matmul", sizes, CudaTestDevice(64), 30, 3, coverage), fault);
}

/// Of sums of which many are divided among blocks; `way`: in no other way than that.
int SpoiledSums(codegen::Fault fault, const std::string& text = "", std::int64_t n = 96,
                const std::string& way = "") {
  ir::Device device = CudaTestDevice(32);
  if (!way.empty()) device.across_blocks = {way};
  Coverage coverage;
  return Spoiled(Draw("dot", {{"n", n}}, device, 60, 3, coverage), fault, text);
}

/// What is computed of one divided reduction waits for the last block, which comes behind all of
/// them: it is in no loop of another one.
TEST(CudaSpace, WhatComesOfDividedSumsIsInNoLoopOfOthers) {
  const auto draw = [](const std::string& way) {
    Coverage coverage;
    return Draw("cross_entropy", {{"m", 4}, {"n", 64}}, CudaTestDevice(32), 1, 3, coverage, false,
                "across_blocks(sum_total)=" + way +
                    "\ndim_kind(log.i0)=THREAD\norder(sum_wanted.i0,log.i0)=MERGED\n");
  };
  EXPECT_EQ(draw("NOT_ACROSS").schedules.size(), 1u);
  EXPECT_ANY_THROW(draw("LAST_BLOCK"));
}

TEST(CudaSpace, NoDefectSpoilsNothing) {
  EXPECT_EQ(Spoiled(codegen::Fault::kNone), 0);
}
TEST(CudaSpace, WrongStrideShows) {
  EXPECT_GT(Spoiled(codegen::Fault::kWrongStride), 0);
}
TEST(CudaSpace, MissingBarrierShows) {
  EXPECT_GT(Spoiled(codegen::Fault::kMissingBarrier), 0);
}
TEST(CudaSpace, DroppedGuardShows) {
  EXPECT_GT(Spoiled(codegen::Fault::kDroppedGuard), 0);
}
TEST(CudaSpace, DefectsOfRingsShow) {
  const Parameters sizes = {{"m", 16}, {"n", 16}, {"k", 48}};
  EXPECT_EQ(Spoiled(codegen::Fault::kNone, sizes), 0);
  EXPECT_GT(Spoiled(codegen::Fault::kMissingCopyWait, sizes), 0);
  EXPECT_GT(Spoiled(codegen::Fault::kShortRing, sizes), 0);
  EXPECT_GT(Spoiled(codegen::Fault::kEarlyRefill, sizes), 0);
}
TEST(CudaSpace, NoDefectSpoilsNoSum) {
  EXPECT_EQ(SpoiledSums(codegen::Fault::kNone), 0);
  EXPECT_EQ(SpoiledSums(codegen::Fault::kNone, "", 101), 0);  // Covered.
}
TEST(CudaSpace, MissingFillShows) {
  EXPECT_GT(SpoiledSums(codegen::Fault::kMissingFill, "that nothing filled"), 0);
}
TEST(CudaSpace, MissingFenceShows) {
  EXPECT_GT(SpoiledSums(codegen::Fault::kMissingFence, "that no fence orders", 96, "LAST_BLOCK"),
            0);
}
TEST(CudaSpace, DirtyTicketShows) {
  EXPECT_GT(SpoiledSums(codegen::Fault::kDirtyTicket, "a ticket was left dirty", 96, "LAST_BLOCK"),
            0);
}
TEST(CudaSpace, MissingWaitShows) {
  // Of each way that has several launches, all that are divided.
  for (const std::string way : {"ATOMIC_CAS", "SECOND_LAUNCH"}) {
    ir::Device device = CudaTestDevice(32);
    device.across_blocks = {way};
    Coverage coverage;
    // So many results that several blocks fill them.
    const Sample sample = Draw("mv", {{"m", 320}, {"n", 24}}, device, 60, 3, coverage);
    const std::vector<CudaText> texts = Print(sample, codegen::Fault::kMissingWait);
    const auto overlap =
        std::ranges::count_if(texts, [](const CudaText& text) { return text.launch.overlaps; });
    EXPECT_GT(overlap, 0) << way;
    EXPECT_EQ(Spoiled(sample, codegen::Fault::kMissingWait, "has not waited"), overlap) << way;
    EXPECT_EQ(Spoiled(sample, codegen::Fault::kNone), 0) << way;
  }
}
TEST(CudaSpace, LostSurplusShows) {
  const Parameters covered = {{"m", 37}, {"n", 29}, {"k", 35}};
  EXPECT_EQ(Spoiled(codegen::Fault::kNone, covered), 0);
  EXPECT_EQ(Spoiled(codegen::Fault::kLostSurplus, covered), 30);
}

TEST(CudaSpace, PrintedImplementationsCompile) {
  const auto nvrtc = cuda::Nvrtc::Load(cuda::Nvrtc::LibraryNames());
  if (!nvrtc.nvrtc) GTEST_SKIP() << nvrtc.problem;
  for (const char* kernel : {"axpy", "mv", "matmul"}) {
    Coverage coverage;
    const Sample sample = Draw(kernel, {}, CudaTestDevice(64), 10, 5, coverage);
    for (const CudaText& text : Print(sample, codegen::Fault::kNone)) {
      const cuda::Cubin cubin = nvrtc.nvrtc->Compile(text.source, "sm_90");
      ASSERT_TRUE(cubin.ok()) << cubin.log << "\n" << text.source;
    }
  }
}

}  // namespace
}  // namespace exh::kernels::testing

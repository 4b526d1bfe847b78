// SPDX-License-Identifier: MIT
//
// Reads that take the registers of earlier ones: of random implementations of norms, in the shim of
// CUDA, all are right, and those that hold their row read it once.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "kernels/codegen/print/gpu/printer.h"
#include "kernels/codegen/print/repeated_reads.h"
#include "tests/kernels/space/cuda_batch.h"
#include "tests/kernels/space/sample.h"

namespace exh::kernels::testing {
namespace {

/// How many reads of the implementation take registers of others.
std::ptrdiff_t Repeats(const codegen::LoweredCode& code) {
  return std::ranges::count_if(code.values.repeats, [](const codegen::RepeatedRead& repeat) {
    return repeat.first.valid();
  });
}

std::ptrdiff_t Count(const std::string& text, const std::string& what) {
  std::ptrdiff_t count = 0;
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++count;
  return count;
}

TEST(KeptReads, AreRight) {
  int implementations = 0;
  for (const char* const kernel : {"rms_norm", "layer_norm", "softmax"}) {
    Coverage coverage;
    // Copies of a row in registers: then some are kept.
    const Sample sample =
        Draw(kernel, {{"m", 4}, {"n", 16}}, CudaTestDevice(16), 40, 6, coverage, false,
             "size(load_x.j3)=4\nsize(load_x_2.j3)=4\n"
             "dim_kind(load_x.j3)=UNROLL\ndim_kind(load_x_2.j3)=UNROLL\n");
    std::vector<CudaText> texts;
    for (const codegen::Schedule& schedule : sample.schedules) {
      codegen::LoweredCode code = codegen::LowerSchedule(*sample.task.function, schedule);
      ASSERT_EQ(code.error, "");
      const codegen::GpuText text = codegen::PrintGpu(code, {});
      texts.push_back({text.source, text.launch});
      codegen::KeepRepeatedReads(code);
      implementations += Repeats(code) > 0;
    }
    const auto messages = RunCudaSources(sample.task, texts);
    for (std::size_t i = 0; i < messages.size(); ++i) {
      ASSERT_EQ(messages[i], "") << sample.decisions[i];
    }
  }
  EXPECT_GE(implementations, 1);
}

/// Copies of one loop may be the outer level of a row for one read and the inner one for the other.
/// Then the later read comes to elements that the earlier one has not read yet.
TEST(KeptReads, OfLevelsThatCrossAreReadAgain) {
  Coverage coverage;
  const Sample sample =
      Draw("logsumexp", {{"m", 6}, {"n", 24}}, CudaTestDevice(32), 24, 9, coverage, false,
           "size(load_x.j1)=2\nsize(load_x_2.j1)=2\nsize(load_x.j0)=3\nsize(load_x_2.j0)=3\n"
           "dim_kind(load_x.j0)=BLOCK\ndim_kind(load_x_2.j0)=BLOCK\n"
           "dim_kind(load_x.j1)=UNROLL\ndim_kind(load_x_2.j1)=UNROLL\n"
           "across_blocks(max_top)=SECOND_LAUNCH\nacross_blocks(sum_total)=SECOND_LAUNCH\n"
           "pace(max_top:sub)=RUNNING\n"
           "size(load_x.j2)=2\nsize(load_x.j3)=2\nsize(load_x_2.j2)=2\nsize(load_x_2.j3)=2\n"
           "dim_kind(load_x.j2)=UNROLL\ndim_kind(load_x.j3)=UNROLL\n"
           "order(load_x.j2,load_x_2.j3)=MERGED\norder(load_x.j3,load_x_2.j2)=MERGED\n");
  std::vector<CudaText> texts;
  for (const codegen::Schedule& schedule : sample.schedules) {
    const codegen::LoweredCode code = codegen::LowerSchedule(*sample.task.function, schedule);
    ASSERT_EQ(code.error, "");
    const codegen::GpuText text = codegen::PrintGpu(code, {});
    texts.push_back({text.source, text.launch});
  }
  for (const std::string& message : RunCudaSources(sample.task, texts)) EXPECT_EQ(message, "");
}

/// Two threads have four elements of each row, in copies.
TEST(KeptReads, AreNotReadAgain) {
  Coverage coverage;
  const Sample sample =
      Draw("rms_norm", {{"m", 4}, {"n", 8}}, CudaTestDevice(16), 40, 7, coverage, false,
           "size(mad.j3)=4\nsize(load_x.j3)=4\nsize(load_x_2.j3)=4\n"
           "size(mad.j2)=2\nsize(load_x.j2)=2\nsize(load_x_2.j2)=2\n"
           "dim_kind(mad.j2)=THREAD\ndim_kind(load_x.j2)=THREAD\n"
           "dim_kind(load_x_2.j2)=THREAD\ndim_kind(load_x.j3)=UNROLL\n"
           "dim_kind(load_x_2.j3)=UNROLL\n");
  int implementations = 0;
  for (const codegen::Schedule& schedule : sample.schedules) {
    codegen::LoweredCode code = codegen::LowerSchedule(*sample.task.function, schedule);
    ASSERT_EQ(code.error, "");
    codegen::KeepRepeatedReads(code);
    if (Repeats(code) == 0) continue;  // Other threads have the elements.
    ++implementations;
    const std::string text = codegen::PrintGpu(code, {}).source;
    EXPECT_EQ(Count(text, "= arg_x"), 1) << "whichever comes later is none\n" << text;
  }
  EXPECT_GE(implementations, 1);
}

}  // namespace
}  // namespace exh::kernels::testing

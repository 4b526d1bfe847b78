// SPDX-License-Identifier: MIT
//
// `search export --format cu` on logs of random implementations: the text, what nvcc says of it,
// and what it says of itself when it runs on the processor.
#include "search/report/export_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include <map>

#include "base/error.h"
#include "kernels/devices/backend.h"
#include "search/log/decisions.h"
#include "search/log/replay.h"
#include "search/subject/decision_file.h"
#include "tests/search/gpu_log.h"
#include "tests/search/temp_folder.h"
#include "tests/support/compiled_texts.h"
#include "tests/support/cuda_program.h"

namespace exh::search {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// A log, and its best as a program.
struct Export {
  TempFolder folder;
  GpuLog log;
  std::string text;

  explicit Export(const GpuRun& run)
      : log(WriteGpuLog(run, folder.path())),
        text(ExportProgram(folder.path(), std::nullopt, "cu")) {}
};

const Export& Axpy() {
  static const Export exported({"axpy", "n=4096", {"exh_shared", "float4"}, {"exh_global"}});
  return exported;
}

const std::vector<const Export*>& AllKernels() {
  // Temporaries in shared and in main memory.
  static const Export mv(
      {"mv",
       "m=48,n=64",
       {"exh_shared", "exh_global", "float4"},
       {"exh_fill", "exh_finish", "__threadfence", "__shfl_xor_sync", "exh_cluster_arrive"}});
  static const Export matmul(
      {"matmul", "m=32,n=16,k=7", {"exh_shared", "float4"}, {"exh_global"}, "paper"});
  static const Export strided(
      {"matmul", "m=8,n=12,k=5,transpose_a=1,transpose_b=1,a_stride=3", {}, {}, "paper"});
  // Several launches that overlap.
  static const Export atomic({"mv",
                              "m=512,n=16",
                              {"exh_fill", "exh_await_previous"},
                              {"__shfl_xor_sync", "exh_cluster_arrive"}});
  static const Export second(
      {"dot", "n=4096", {"exh_finish"}, {"__shfl_xor_sync", "exh_cluster_arrive"}});
  static const std::vector<const Export*> all = {&Axpy(), &mv, &matmul, &strided, &atomic, &second};
  return all;
}

/// Lines of the comment on top, without their slashes.
std::string TopComment(const std::string& text) {
  std::string comment;
  for (std::size_t begin = 0; text.compare(begin, 2, "//") == 0;) {
    const std::size_t end = text.find('\n', begin);
    comment += text.substr(begin + 2, end + 1 - begin - 2);
    begin = end + 1;
  }
  return comment;
}

TEST(ExportCuda, SaysWhereItComesFrom) {
  const std::string comment = TopComment(Axpy().text);
  for (const char* part : {
           " axpy: z = alpha * x + y, for inner_tile=16,n=4096\n",
           "search 0.1.0, seed 7, record 2, in a run that began 2026-01-31T12:00:00Z\n",
           "h200: NVIDIA H200, driver 13.0, warm L2\n",
           " limits      global_bytes=65536 max_threads=64 max_unroll=16\n",
           " time        40.0 us, 95 % interval 36.0 us to 44.0 us, 0.205 GFLOP/s\n",
           "1.25x the speed of cuBLAS",
           "10x the speed of the naive loop nest",
           "of the other finalists, 1 is slower beyond doubt",
           "of the device's copy bandwidth",
           "2.1e-05 at most when it was checked, 0.035 of what is allowed",
           "nvcc -O3 -arch=sm_90 axpy.cu -o axpy && ./axpy\n",
       }) {
    EXPECT_THAT(comment, HasSubstr(part));
  }
  EXPECT_THAT(comment, HasSubstr(Axpy().log.run.fingerprint));
  // Which implementation the log has is drawn: how many threads, the kernel says, and how many
  // blocks and how much shared memory, its launch.
  std::smatch threads, shared, resources;
  ASSERT_TRUE(std::regex_search(Axpy().text, threads, std::regex("__launch_bounds__\\((\\d+)")));
  ASSERT_TRUE(std::regex_search(Axpy().text, shared, std::regex("arguments, (\\d+), stream")));
  const std::string words = std::regex_replace(comment, std::regex("\\s+"), " ");
  ASSERT_TRUE(std::regex_search(words, resources, std::regex("resources (\\d+) blocks? of ")));
  EXPECT_THAT(Axpy().text, HasSubstr("dim3(" + resources[1].str()));
  EXPECT_THAT(words, HasSubstr(" of " + threads[1].str() + " threads and " + shared[1].str() +
                               " bytes of shared memory, 96 registers a thread, 5 blocks at once "
                               "on a multiprocessor, at 1980 MHz"));
}

TEST(ExportCuda, WhatIsWrittenOverlapsNothing) {
  const tests::ProgramRun run =
      tests::RunOnProcessor("#define EXHAUST_NO_MAIN\n" + Axpy().text + R"(
#include <cstdio>

alignas(256) float a[3 * 4096], b[4096];

int main() {
  const auto launch = [](const float* x, const float* y, float* z) {
    return axpy_launch(x, y, z, 3, nullptr) == cudaErrorInvalidValue;
  };
  std::printf("%d%d %d%d%d\n", launch(a, a, b), launch(a, a + 4096, a + 8192), launch(a, b, b),
              launch(a, b, a), launch(a, b, a + 4092));
}
)");
  EXPECT_EQ(run.compiler, "");
  EXPECT_EQ(run.out, "00 111\n");
}

TEST(ExportCuda, OtherRecordsHaveTheirOwnTimes) {
  const std::string& run = Axpy().folder.path();
  const std::string no_finalist = TopComment(ExportProgram(run, 3, "cu"));
  EXPECT_THAT(no_finalist, HasSubstr("record 3"));
  EXPECT_THAT(
      no_finalist,
      HasSubstr(
          "time        40.2 us, 0.204 GFLOP/s; the fastest of 3 batches, the slowest "
          "41.3 us; not measured\n             in turn with others, so without an interval\n"));
  EXPECT_THAT(no_finalist, Not(HasSubstr("cuBLAS")));
  const std::string finalist = TopComment(ExportProgram(run, 4, "cu"));
  EXPECT_THAT(finalist, HasSubstr("time        60.0 us, 95 % interval 54.0 us to 66.0 us"));
  EXPECT_THAT(finalist, HasSubstr("0.833x the speed of cuBLAS"));
  EXPECT_THAT(finalist, Not(HasSubstr("other finalists")));
}

TEST(ExportCuda, ItsCommentHoldsADecisionFile) {
  const Export& axpy = Axpy();
  const std::string comment = TopComment(axpy.text);
  const std::size_t begin = comment.find("   kernel: ");
  const DecisionFile file =
      ParseDecisionFile(comment.substr(begin, comment.find("\n\n", begin) - begin), "comment");
  const Problem problem = MakeProblem(axpy.log.run);
  runtime::Candidate candidate = problem.root();
  EXPECT_EQ(file.kernel, "axpy");
  ASSERT_EQ(file.decisions.size(), axpy.log.path.size());
  for (std::size_t i = 0; i < file.decisions.size(); ++i) {
    EXPECT_EQ(file.decisions[i].text, StepText(candidate.instance(), axpy.log.path[i]));
  }
  ApplyDecisions(file, candidate);
  ASSERT_TRUE(candidate.IsImplementation());
  EXPECT_EQ(WithoutComments(kernels::EmitSource(problem.task, candidate).text),
            WithoutComments(axpy.log.source.text));
}

TEST(ExportCuda, HoldsTheKernelAndWhatItNeedsInOrder) {
  int overlapping = 0;
  for (const Export* exported : AllKernels()) {
    const std::string& text = exported->text;
    overlapping += exported->log.source.gpu->launch.overlaps;
    const kernels::Launch& launch = exported->log.source.gpu->launch;
    const std::string name = exported->log.run.kernel;
    SCOPED_TRACE(name);
    // The very text that was measured, from its first line that is no comment.
    const std::string& source = exported->log.source.text;
    const std::string kernel = source.substr(source.find("\n\n") + 2);
    const bool is_early = launch.overlaps && launch.sides.front().is_before;
    std::size_t at = 0;
    for (const std::string& part :
         {std::string("// ") + name + ": ", "#define exh_kernel " + name + "_kernel\n", kernel,
          "extern \"C\" cudaError_t " + name + "_launch(",
          is_early ? "cudaLaunchKernelEx(&next, " + name + "_kernel, "
                   : "cudaLaunchKernel(" + name + "_kernel, dim3(" + std::to_string(launch.grid) +
                         "), dim3(" + std::to_string(launch.threads) + "), arguments, " +
                         std::to_string(launch.shared_bytes) + ", stream)",
          std::string("#ifndef EXHAUST_NO_MAIN\n"), std::string("int main() {\n")}) {
      const std::size_t found = text.find(part, at);
      ASSERT_NE(found, std::string::npos) << part;
      at = found + part.size();
    }
    EXPECT_THAT(text, HasSubstr("_workspace_bytes() {\n  return " +
                                std::to_string(launch.scratch_bytes()) + ";"));
  }
  EXPECT_EQ(overlapping, 2);
}

TEST(ExportCuda, CompilesWithoutWarnings) {
  if (tests::FindNvcc().empty()) GTEST_SKIP() << "there is no nvcc";
  const auto& all = AllKernels();
  std::vector<std::string> said(all.size());
  kernels::testing::InParallel(
      all.size(), [&](std::size_t i) { said[i] = tests::CompileWithNvcc(all[i]->text, "sm_90"); });
  EXPECT_THAT(said, testing::Each(""));
}

TEST(ExportCuda, IsRightAboutItself) {
  const auto& all = AllKernels();
  std::vector<tests::ProgramRun> runs(all.size());
  kernels::testing::InParallel(
      all.size(), [&](std::size_t i) { runs[i] = tests::RunOnProcessor(all[i]->text); });
  for (std::size_t i = 0; i < all.size(); ++i) {
    SCOPED_TRACE(all[i]->log.run.kernel);
    EXPECT_EQ(runs[i].compiler, "");
    EXPECT_EQ(runs[i].code, 0) << runs[i].err;
    EXPECT_THAT(runs[i].out, AllOf(HasSubstr(": correct (all of "), HasSubstr(" GFLOP/s\n")));
  }
}

TEST(ExportCuda, MistakesAreTold) {
  const std::string& run = Axpy().folder.path();
  EXPECT_EQ(Thrown<UsageError>([&] { ExportProgram(run, 1, "cu"); }),
            "record 1 of '" + run + "' is not correct, but wrong");
  EXPECT_THAT(Thrown<UsageError>([&] { ExportProgram(run, 9, "cu"); }),
              HasSubstr("has no record 9; it has 1 to 4"));
  EXPECT_THAT(Thrown<UsageError>([&] { ExportProgram(run + "/nowhere", std::nullopt, "cu"); }),
              HasSubstr("nowhere"));
  TempFolder cpu;
  WriteGpuLog({"axpy", "n=64", {}, {}, "default", "cpu"}, cpu.path());
  EXPECT_EQ(Thrown<UsageError>([&] { ExportProgram(cpu.path(), std::nullopt, "cu"); }),
            "'" + cpu.path() + "' is a run on cpu, whose programs are --format cc, not cu");
}

}  // namespace
}  // namespace exh::search

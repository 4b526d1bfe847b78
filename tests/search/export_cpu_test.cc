// SPDX-License-Identifier: MIT
//
// `search export --format cc` and `--format header` on logs of random implementations: a program in
// C includes the header, is linked with the kernel, and compares it with a plain loop.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>

#include "base/error.h"
#include "base/system/process.h"
#include "search/report/export_program.h"
#include "tests/search/gpu_log.h"
#include "tests/search/temp_folder.h"
#include "tests/support/cuda_program.h"

namespace exh::search {
namespace {

using testing::HasSubstr;
using testing::Not;

void Write(const std::string& path, const std::string& text) {
  std::ofstream(path) << text;
}

/// What the shell said; "exit N" behind it where that is not 0.
std::string Shell(const std::string& folder, const std::string& command) {
  ProcessRequest request;
  request.argv = {"/bin/sh", "-c", "cd '" + folder + "' && " + command};
  request.timeout_s = 120;
  const ProcessResult result = RunProcess(request);
  const std::string said = result.out + result.err + result.error;
  return result.ok() ? said : said + "exit " + std::to_string(result.code);
}

/// Files of a run's best, and a program in C beside them.
struct Export {
  TempFolder folder;
  std::string kernel, text, header;

  /// `name`: of the kernel, where the run takes it from a file.
  explicit Export(const GpuRun& run, const std::string& name = "")
      : kernel(name.empty() ? run.kernel : name) {
    WriteGpuLog(run, folder.path());
    text = ExportProgram(folder.path(), std::nullopt, "cc");
    header = ExportProgram(folder.path(), std::nullopt, "header");
    Write(folder / (kernel + ".cc"), text);
    Write(folder / (kernel + ".h"), header);
  }

  /// Builds the kernel as its comment says, and `program` as C; runs it.
  std::string Run(const std::string& program) const {
    Write(folder / "main.c", program);
    std::smatch build;
    if (!std::regex_search(text, build, std::regex("// +(g\\+\\+ .* -c " + kernel + "\\.cc)\n"))) {
      return "the comment does not say how to build it";
    }
    const std::string built = Shell(
        folder.path(), build[1].str() +
                           " -Wall && gcc -std=c11 -Wall -Wextra -Werror -c main.c && g++ -fopenmp "
                           "main.o " +
                           kernel + ".o -o program");
    return built.empty() ? Shell(folder.path(), "./program") : built;
  }
};

const Export& Matmul() {
  static const Export exported({"matmul", "m=24,n=16,k=7,a_stride=3", {}, {}, "paper", "cpu"});
  return exported;
}

TEST(ExportCpu, IsCalledFromC) {
  EXPECT_EQ(Matmul().Run(R"(
#include <math.h>
#include <stdio.h>
#include "matmul.h"
enum { M = MATMUL_SIZE_M, N = MATMUL_SIZE_N, K = MATMUL_SIZE_K, S = MATMUL_SIZE_A_STRIDE };
static _Alignas(64) float a[M * K * S + 4], b[K * N], c[M * N + 4];
int main(void) {
  int bad = 0;
  for (int i = 0; i < M * K * S; ++i) a[i] = (float)(i % 11 - 5);
  for (int i = 0; i < K * N; ++i) b[i] = (float)(i % 7 - 3);
  if (matmul_run(a, b, c, 2) != MATMUL_OK) return 1;
  for (int i = 0; i < M; ++i) {
    for (int j = 0; j < N; ++j) {
      float sum = 0;
      for (int k = 0; k < K; ++k) sum += a[(i * K + k) * S] * b[k * N + j];
      bad += sum != c[i * N + j];
    }
  }
  printf("%d %d ", matmul_run(a, b, a, 2) == MATMUL_OVERLAP, matmul_run(a, a, c, 2));
  printf("%d wrong, %d %d %d %d\n", bad, matmul_run(a, 0, c, 2) == MATMUL_NULL_POINTER,
         matmul_run(a, b, (float*)((char*)c + 1), 2) == MATMUL_MISALIGNED,
         matmul_run(a, b, c, 0) == MATMUL_BAD_THREADS, MATMUL_SIZE_M);
  return 0;
}
)"),
            "1 0 0 wrong, 1 1 1 24\n");
}

TEST(ExportCpu, ScalarsAreParameters) {
  const Export axpy({"axpy", "n=256", {}, {}, "default", "cpu"});
  EXPECT_EQ(axpy.Run(R"(
#include <stdio.h>
#include "axpy.h"
static _Alignas(64) float x[AXPY_SIZE_N], y[AXPY_SIZE_N], z[AXPY_SIZE_N];
int main(void) {
  int bad = 0;
  for (int i = 0; i < AXPY_SIZE_N; ++i) x[i] = (float)i, y[i] = (float)(2 * i);
  if (axpy_run(x, y, z, 3.0f, 1) != AXPY_OK) return 1;
  for (int i = 0; i < AXPY_SIZE_N; ++i) bad += z[i] != 5.0f * (float)i;
  printf("%d wrong\n", bad);
  return 0;
}
)"),
            "0 wrong\n");
}

// An integer of 64 bits is more than a double has.
TEST(ExportCpu, LongScalarsAreExact) {
  const TempFolder folder;
  Write(folder / "shift.kernel", R"(kernel shift
  size n = 64
  scalar s: i64 = 3
  input x: i64[n]
  output y: i64[n]
  y[i] = x[i] + s - 9007199254740993
end
)");
  const Export shift({folder / "shift.kernel", "n=64", {}, {}, "default", "cpu"}, "shift");
  EXPECT_EQ(shift.Run(R"(
#include <stdio.h>
#include "shift.h"
static _Alignas(64) long long x[SHIFT_SIZE_N], y[SHIFT_SIZE_N];
int main(void) {
  int bad = 0;
  for (int i = 0; i < SHIFT_SIZE_N; ++i) x[i] = (1ll << 60) + i;
  for (long long s = 9007199254740993ll; s >= -9007199254740993ll; s -= 9007199254740992ll) {
    if (shift_run(x, y, s, 1) != SHIFT_OK) return 1;
    for (int i = 0; i < SHIFT_SIZE_N; ++i) bad += y[i] != x[i] + s - 9007199254740993ll;
  }
  printf("%d wrong\n", bad);
  return 0;
}
)"),
            "0 wrong\n");
}

TEST(ExportCpu, SaysWhatItIsAndNoMore) {
  const std::string& text = Matmul().text;
  EXPECT_THAT(text, HasSubstr("// matmul: C = A * B, for\n//             a_stride=3,"));
  EXPECT_THAT(text, HasSubstr("record 2, in a run that began 2026-01-31T12:00:00Z\n"));
  EXPECT_THAT(text, HasSubstr("time        40.0 us, 95 % interval 36.0 us to 44.0 us"));
  EXPECT_THAT(text, HasSubstr("//   a: [24, 7], with strides (21, 3), 504 floats, aligned to "));
  EXPECT_THAT(text, HasSubstr("//   c: [24, 16], 384 floats, aligned to "));
  EXPECT_THAT(text, HasSubstr("all of them written\n"));
  EXPECT_THAT(text, Not(HasSubstr("resources")));
  // The header has the interface, and none of the decisions.
  const std::string& header = Matmul().header;
  EXPECT_THAT(header, HasSubstr("//   a: [24, 7], with strides (21, 3), 504 floats, aligned to "));
  EXPECT_THAT(header, HasSubstr("40.0 us"));
  EXPECT_THAT(header, HasSubstr("#define MATMUL_SIZE_K 7\n"));
  EXPECT_THAT(header, Not(HasSubstr("SIZE_INNER_TILE")));  // It says nothing of what is computed.
  EXPECT_THAT(header, Not(HasSubstr("dim_kind")));
  EXPECT_LT(std::ranges::count(header, '\n'), 60);
}

TEST(ExportCpu, TheHeaderOfAGpuKernelDeclaresItsLauncher) {
  TempFolder folder;
  WriteGpuLog({"dot", "n=4096", {"exh_finish"}, {"__shfl_xor_sync"}}, folder.path());
  const std::string header = ExportProgram(folder.path(), std::nullopt, "header");
  EXPECT_THAT(header, HasSubstr("cudaError_t dot_launch("));
  EXPECT_THAT(header, HasSubstr("size_t workspace_bytes"));
  EXPECT_THAT(header, HasSubstr("//   x: [4096], 4096 floats, aligned to 16 bytes\n"));
  EXPECT_THAT(header, HasSubstr("//   s: 1 floats, aligned to "));  // It has no dimensions.
  EXPECT_THAT(header, HasSubstr("size_t dot_workspace_bytes(void);"));
  // The compiler compares the declarations with the functions.
  const tests::ProgramRun run =
      tests::RunOnProcessor(header.substr(header.find("#pragma once") + 13) +
                            ExportProgram(folder.path(), std::nullopt, "cu"));
  EXPECT_EQ(run.compiler, "");
  EXPECT_EQ(run.code, 0) << run.err;
}

TEST(ExportCpu, MistakesAreTold) {
  const std::string& run = Matmul().folder.path();
  EXPECT_EQ(Thrown<UsageError>([&] { ExportProgram(run, 1, "cc"); }),
            "record 1 of '" + run + "' is not correct, but wrong");
  EXPECT_EQ(Thrown<UsageError>([&] { ExportProgram(run, std::nullopt, "cu"); }),
            "'" + run + "' is a run on cpu, whose programs are --format cc, not cu");
}

}  // namespace
}  // namespace exh::search

// SPDX-License-Identifier: MIT
//
// Tuned libraries of GPUs without one: units of random implementations are compiled by g++ against
// a runtime that is the processor, and called through tuned.h. Where there is an nvcc, it builds
// them as CMakeLists.txt says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "base/system/process.h"
#include "search/install/install.h"
#include "search/install/tuned_library.h"
#include "search/install/whole_folder.h"
#include "search/install/wisdom.h"
#include "tests/search/gpu_log.h"
#include "tests/search/temp_folder.h"
#include "tests/support/cuda_program.h"
#include "tests/support/tree.h"

namespace exh::search {
namespace {

using testing::HasSubstr;

/// Two sizes of a product, and a sum whose blocks meet.
const std::vector<Wisdom>& Units() {
  static const std::vector<Wisdom> all = [] {
    std::vector<Wisdom> made;
    for (const GpuRun& run :
         std::vector<GpuRun>{{"matmul", "m=32,n=16,k=7", {"exh_shared"}, {"exh_global"}, "paper"},
                             {"matmul", "m=8,n=12,k=5", {}, {}, "paper"},
                             {"axpy", "n=256", {}, {"exh_global"}, "paper"},
                             {"dot", "n=4096", {"exh_finish"}, {"__shfl_xor_sync"}}}) {
      const TempFolder folder;
      WriteGpuLog(run, folder.path());
      Merge(WisdomOf(ReadProgram(folder.path(), std::nullopt), ""), made);
    }
    return made;
  }();
  return all;
}

/// What it said, and "exit N" where that is not 0.
std::string RunCommand(const std::vector<std::string>& command, double timeout_s = 120) {
  ProcessRequest request;
  request.argv = command;
  request.timeout_s = timeout_s;
  const ProcessResult result = RunProcess(request);
  const std::string said = result.out + result.err + result.error;
  return result.ok() ? said : said + "exit " + std::to_string(result.code);
}

constexpr const char* kProgram = R"(
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "tuned.h"

alignas(256) float a[4096], b[4096], c[4096], workspace[1 << 16];

int Matmul(int m, int n, int k) {
  for (int i = 0; i < m * k; ++i) a[i] = i % 11 - 5;
  for (int i = 0; i < k * n; ++i) b[i] = i % 7 - 3;
  const int status = exh_matmul(nullptr, m, n, k, 0, 0, 0, 1, 0, a, b, c, nullptr, 0);
  if (status != EXH_OK) return -status;
  int wrong = 0;
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int p = 0; p < k; ++p) sum += a[i * k + p] * b[p * n + j];
      wrong += c[i * n + j] != sum;
    }
  }
  return wrong;
}

int Dot(std::size_t bytes) {
  for (int i = 0; i < 4096; ++i) a[i] = i % 5, b[i] = 1;
  float expected = 0;
  for (int i = 0; i < 4096; ++i) expected += a[i];
  for (float& x : workspace) x = 1e30f;
  if (bytes > 0 && exh_dot_workspace_init(nullptr, 4096, workspace, bytes) != EXH_OK) return -100;
  const int status = exh_dot(nullptr, 4096, a, b, c, workspace, bytes);
  return status == EXH_OK ? c[0] != expected : -status;
}

int main(int, char** arguments) {
  fake_name = arguments[1];
  fake_capability = std::atoi(arguments[2]);
  fake_devices = fake_capability == 90 ? 1 : 2;  // Of other architectures there are two.
  const std::size_t bytes = exh_dot_workspace_bytes(4096);
  std::printf("%d %d %d, ", Matmul(32, 16, 7), Matmul(8, 12, 5), Matmul(8, 16, 7));
  for (int i = 0; i < 256; ++i) a[i] = i, b[i] = 1;
  const int axpy = exh_axpy(nullptr, 256, a, b, c, 3, nullptr, 0);
  std::printf("%d %g, ", axpy, c[255]);
  std::printf("%d %d %d, ", Dot(bytes), Dot(0), bytes == 0 ? 0 : Dot(bytes - 1));
  // What is written overlaps what is read; a workspace overlaps that.
  std::printf("%d %d\n", exh_axpy(nullptr, 256, a, b, b + 128, 3, nullptr, 0),
              exh_dot(nullptr, 4096, a, b, c, b + 1024, bytes));
}
)";

/// A library and a program that calls it, compiled for the processor.
class Library {
 public:
  explicit Library(const std::vector<Wisdom>& units) {
    auto files = LibraryFiles(units);
    files["main.cc"] = kProgram;
    WholeFolder(folder_ / "tuned").Write(files, {});
    std::vector<std::string> command = {"g++",
                                        "-std=c++20",
                                        "-w",
                                        "-I",
                                        std::string(kSourceDir) + "/tests/support/fake_cuda",
                                        "-o",
                                        program(),
                                        "-x",
                                        "c++",
                                        folder_ / "tuned/tuned.cu",
                                        folder_ / "tuned/main.cc"};
    for (const Wisdom& wisdom : units) {
      command.push_back(folder_ / "tuned/kernels/" + wisdom.unit.symbol + ".cu");
    }
    compiler = RunCommand(command);
  }
  std::string On(const std::string& name, const std::string& capability) const {
    return RunCommand({program(), name, capability});
  }
  std::string program() const { return folder_ / "program"; }

  std::string compiler;

 private:
  TempFolder folder_;
};

TEST(InstallGpu, PicksBySizesAndDevice) {
  const Library library(Units());
  ASSERT_EQ(library.compiler, "");
  // Right at both sizes, refused at a third; a workspace that is missing or too small is told, the
  // latter as soon as it is made ready.
  EXPECT_EQ(library.On("NVIDIA H200", "90"), "0 0 -1, 0 766, 0 -5 -100, 7 7\n");
  // The same architecture will do; another one will not, whatever the GPU is called.
  EXPECT_EQ(library.On("NVIDIA H100", "90"), "0 0 -1, 0 766, 0 -5 -100, 7 7\n");
  EXPECT_THAT(library.On("NVIDIA H200", "100"), HasSubstr("-1 -1 -1, 1 "));
}

TEST(InstallGpu, ThisVeryDeviceComesFirst) {
  std::vector<Wisdom> units = Units();
  // The same product, faster by what was measured, on another GPU of the architecture; it says
  // that it was compiled for another one.
  Wisdom other = units.front();
  const std::string symbol = other.unit.symbol;
  other.unit.device = "NVIDIA H100";
  other.ns /= 2;
  other.unit.symbol += "_other";
  for (std::size_t at = 0; (at = other.unit.text.find(symbol, at)) != std::string::npos;) {
    other.unit.text.replace(at, symbol.size(), other.unit.symbol);
    at += other.unit.symbol.size();
  }
  const std::string call = "  return " + other.unit.symbol + "_launch(";
  const std::size_t at = other.unit.text.find(call);
  ASSERT_NE(at, std::string::npos);
  other.unit.text.insert(at, "  return cudaErrorNoKernelImageForDevice;\n");
  units.push_back(other);
  const Library library(units);
  ASSERT_EQ(library.compiler, "");
  EXPECT_THAT(library.On("NVIDIA H200", "90"), testing::StartsWith("0 0 -1, "));
  EXPECT_THAT(library.On("NVIDIA H100", "90"), testing::StartsWith("-4 0 -1, "));
  // A third GPU has none of its own: the faster one is taken.
  EXPECT_THAT(library.On("NVIDIA GH200", "90"), testing::StartsWith("-4 0 -1, "));
}

TEST(InstallGpu, WisdomIsReadAsItWasWritten) {
  const std::string text = WriteWisdom(Units());
  const std::vector<Wisdom> again = ReadWisdom(text, "wisdom.jsonl");
  EXPECT_EQ(WriteWisdom(again), text);
  EXPECT_EQ(LibraryFiles(again), LibraryFiles(Units()));
  const Wisdom& matmul = again.front();
  EXPECT_EQ(matmul.unit.device, "NVIDIA H200");
  EXPECT_EQ(matmul.unit.architecture, "sm_90");
  EXPECT_EQ(matmul.ns, 40000);  // The median of its finals.
  std::vector<std::string> rivals;
  for (const Rival& rival : matmul.compared) rivals.push_back(rival.name);
  EXPECT_THAT(rivals, testing::ElementsAre("naive", "cublas"));
}

TEST(InstallGpu, ProcessorsDoNotMixWithGpus) {
  const TempFolder cpu, gpu, out;
  WriteGpuLog({"axpy", "n=64", {}, {}, "default", "cpu"}, cpu.path());
  WriteGpuLog({"axpy", "n=64", {}, {}, "paper"}, gpu.path());
  EXPECT_THAT(Thrown<UsageError>([&] {
                Install({{gpu.path(), cpu.path()}, out / "tuned", ""});
              }),
              HasSubstr("is for another kind of device than axpy n=64 on NVIDIA H200 (sm_90)"));
  EXPECT_FALSE(std::filesystem::exists(out / "tuned"));
}

TEST(InstallGpu, NvccBuildsIt) {
  if (tests::FindNvcc().empty()) GTEST_SKIP() << "there is no nvcc";
  const TempFolder folder;
  WholeFolder(folder / "tuned").Write(LibraryFiles(Units()), {});
  const std::string build = folder / "build";
  EXPECT_THAT(RunCommand({"cmake", "-S", folder / "tuned", "-B", build,
                          "-DCMAKE_CUDA_COMPILER=" + tests::FindNvcc(),
                          "-DCMAKE_CUDA_FLAGS=-Werror all-warnings"}),
              testing::EndsWith(build + "\n"));
  EXPECT_THAT(RunCommand({"cmake", "--build", build}, 600), HasSubstr("Built target tuned\n"));
  EXPECT_TRUE(std::filesystem::exists(build + "/libtuned.so"));
}

}  // namespace
}  // namespace exh::search

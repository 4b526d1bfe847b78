// SPDX-License-Identifier: MIT
//
// Units of processors whose runs share memory: blocks that divide a reduction leave their parts in
// one array for all runs. Threads that call such a unit at the same time must wait for each other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/system/process.h"
#include "search/install/install.h"
#include "search/install/tuned_library.h"
#include "search/install/whole_folder.h"
#include "search/install/wisdom.h"
#include "tests/search/gpu_log.h"
#include "tests/search/temp_folder.h"

namespace exh::search {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kProgram = R"(
#include <cstdio>
#include <thread>
#include <vector>

#include "tuned.h"

alignas(64) float ones[4096];

int main() {
  for (float& x : ones) x = 1;
  std::vector<int> wrong(8);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&wrong, thread] {
      alignas(64) static thread_local float x[4096], s[16];
      for (float& element : x) element = thread + 1;
      for (int i = 0; i < 300; ++i) {
        if (exh_dot(4096, x, ones, s) != EXH_OK || s[0] != 4096.0f * (thread + 1)) ++wrong[thread];
      }
    });
  }
  int sum = 0;
  for (std::thread& thread : threads) thread.join();
  for (const int count : wrong) sum += count;
  std::printf("%d wrong\n", sum);
}
)";

std::string RunCommand(const std::vector<std::string>& command) {
  ProcessRequest request;
  request.argv = command;
  request.timeout_s = 120;
  const ProcessResult result = RunProcess(request);
  return result.out + result.err + result.error;
}

std::vector<Wisdom> UnitOf(const GpuRun& run) {
  const TempFolder folder;
  WriteGpuLog(run, folder.path());
  return {WisdomOf(ReadProgram(folder.path(), std::nullopt), "")};
}

/// What a program says that is linked with a library.
std::string Said(const std::vector<Wisdom>& units, const char* program) {
  const TempFolder folder;
  auto files = LibraryFiles(units);
  files["main.cc"] = program;
  WholeFolder(folder / "tuned").Write(files, {});
  std::vector<std::string> command = {"g++", "-std=c++17", "-w", "-pthread"};
  for (const std::string& flag : units.front().unit.flags) command.push_back(flag);
  command.insert(command.end(),
                 {"-o", folder / "program", folder / "tuned/main.cc", folder / "tuned/tuned.cc",
                  folder / "tuned/kernels/" + units.front().unit.symbol + ".cc"});
  const std::string compiler = RunCommand(command);
  return compiler.empty() ? RunCommand({folder / "program"}) : compiler;
}

TEST(InstallCpu, RunsThatShareMemoryWaitForEachOther) {
  const std::vector<Wisdom> units = UnitOf({"dot", "n=4096", {"Finish"}, {}, "default", "cpu"});
  EXPECT_TRUE(units.front().unit.one_at_a_time);
  EXPECT_EQ(Said(units, kProgram), "0 wrong\n");
}

constexpr const char* kOverlaps = R"(
#include <cstdio>

#include "tuned.h"

alignas(64) float a[4096], b[4096];

// y = 3 x + y at 256, as z.
int Axpy(const float* x, const float* y, float* z) { return exh_axpy(256, x, y, z, 3); }

int main() {
  std::printf("%d %d %d\n", Axpy(a, a, b), Axpy(a, b, b), Axpy(a, b, a));
  std::printf("%d %d %d\n", Axpy(a + 64, b, a), Axpy(a, b, a + 64), Axpy(a + 256, a, a + 512));
  std::printf("%s\n", exh_status_text(Axpy(a, b, b + 240)));
}
)";

TEST(InstallCpu, WhatIsWrittenOverlapsNothing) {
  EXPECT_EQ(Said(UnitOf({"axpy", "n=256", {}, {}, "default", "cpu"}), kOverlaps),
            "0 7 7\n7 7 0\nan array that is written overlaps another one, or the workspace does\n");
}

TEST(InstallCpu, WhatLostIsSaid) {
  const TempFolder folder;
  const auto install = [&](double cublas_ns, bool only_faster) {
    const TempFolder run;
    WriteGpuLog({"axpy", "n=256", {}, {}, "default", "cpu", cublas_ns}, run.path());
    return Install({{run.path()}, folder / "tuned", "", only_faster});
  };
  // The winner takes 40000; intervals are of a tenth.
  EXPECT_EQ(install(50000, true).said.find("cublas"), std::string::npos);
  std::filesystem::remove_all(folder / "tuned");
  EXPECT_THAT(
      install(20000, false).said,
      HasSubstr("\n  cublas is faster: cublas takes 20.0 us, this one 40.0 us, 2.00 times as "
                "long\n"));
  EXPECT_THAT(ReadAll(folder / "tuned/tuned.h"), HasSubstr("cublas 20.0 us (faster)\n"));
  std::filesystem::remove_all(folder / "tuned");
  const InstallResult none = install(20000, true);
  EXPECT_FALSE(none.has_library);
  EXPECT_THAT(none.said, HasSubstr(": left out; cublas is faster: "));
  EXPECT_FALSE(std::filesystem::exists(folder / "tuned"));
  const InstallResult tied = install(38000, true);
  EXPECT_TRUE(tied.has_library);
  EXPECT_THAT(tied.said, HasSubstr("this one 40.0 us, which is within the noise\n"));
}

TEST(InstallCpu, OthersDoNot) {
  const std::vector<Wisdom> units = UnitOf({"axpy", "n=256", {}, {}, "default", "cpu"});
  EXPECT_FALSE(units.front().unit.one_at_a_time);
  EXPECT_THAT(LibraryFiles(units).at("tuned.cc"), Not(HasSubstr("_lock;")));
}

TEST(InstallCpu, WisdomKnowsTheMachineOfItsRun) {
  std::vector<Wisdom> units = UnitOf({"axpy", "n=256", {}, {}, "default", "cpu"});
  EXPECT_TRUE(units.front().machine.empty()) << "the log does not say it";
  units.front().machine = {{"compiler", "g++ 12.2.0"}, {"processor", "model A"}};
  const std::vector<Wisdom> read = ReadWisdom(WriteWisdom(units), "wisdom.jsonl");
  EXPECT_EQ(read.front().machine, units.front().machine);
  Wisdom faster = units.front();
  faster.ns /= 2;
  EXPECT_THAT(Merge(faster, units), Not(HasSubstr("another machine")));
  faster.ns /= 2;
  faster.machine["processor"] = "model B";
  EXPECT_THAT(Merge(faster, units),
              HasSubstr("; measured on another machine:\nprocessor: model A -> "
                        "model B"));
  faster.ns *= 2;
  faster.machine["processor"] = "model C";
  EXPECT_THAT(Merge(faster, units), HasSubstr("processor: model B -> model C"));
}

}  // namespace
}  // namespace exh::search

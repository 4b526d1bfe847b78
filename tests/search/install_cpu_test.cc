// SPDX-License-Identifier: MIT
//
// Units of processors whose runs share memory: blocks that divide a reduction leave their parts in
// one array for all runs. Threads that call such a unit at the same time must wait for each other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/system/process.h"
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

TEST(InstallCpu, RunsThatShareMemoryWaitForEachOther) {
  const std::vector<Wisdom> units = UnitOf({"dot", "n=4096", {"Finish"}, {}, "default", "cpu"});
  EXPECT_TRUE(units.front().unit.one_at_a_time);
  const TempFolder folder;
  auto files = LibraryFiles(units);
  files["main.cc"] = kProgram;
  WriteWholeFolder(folder / "tuned", files);
  std::vector<std::string> command = {"g++", "-std=c++17", "-w", "-pthread"};
  for (const std::string& flag : units.front().unit.flags) command.push_back(flag);
  command.insert(command.end(),
                 {"-o", folder / "program", folder / "tuned/main.cc", folder / "tuned/tuned.cc",
                  folder / "tuned/kernels/" + units.front().unit.symbol + ".cc"});
  ASSERT_EQ(RunCommand(command), "");
  EXPECT_EQ(RunCommand({folder / "program"}), "0 wrong\n");
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

// SPDX-License-Identifier: MIT
#include "kernels/cpu/process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "tests/kernels/codegen/temporary_folder.h"

namespace exh::kernels::cpu {
namespace {

using ::testing::HasSubstr;
using Status = ProcessResult::Status;

ProcessRequest Shell(const std::string& script) {
  ProcessRequest request;
  request.argv = {"sh", "-c", script};
  request.timeout_s = 30;
  return request;
}

TEST(Process, CapturesBothStreamsAndTheCode) {
  const ProcessResult result = RunProcess(Shell("echo out; echo err >&2; exit 3"));
  EXPECT_EQ(result.status, Status::kExited);
  EXPECT_EQ(result.code, 3);
  EXPECT_EQ(result.out, "out\n");
  EXPECT_EQ(result.err, "err\n");
}

TEST(Process, PassesInputLargerThanAPipe) {
  ProcessRequest request = Shell("wc -c");
  request.input.assign(1 << 20, 'x');
  EXPECT_THAT(RunProcess(request).out, HasSubstr("1048576"));
  // Nobody reads: no block, no SIGPIPE.
  request.argv = {"true"};
  EXPECT_TRUE(RunProcess(request).ok());
}

TEST(Process, KeepsOnlyTheFirstOutput) {
  ProcessRequest request = Shell("head -c 300000 /dev/zero; echo done >&2");
  request.max_output = 1000;
  const ProcessResult result = RunProcess(request);
  EXPECT_EQ(result.out.size(), 1000U);
  EXPECT_EQ(result.err, "done\n");
}

TEST(Process, SignalsAreValues) {
  const ProcessResult result = RunProcess(Shell("kill -SEGV $$"));
  EXPECT_EQ(result.status, Status::kSignalled);
  EXPECT_EQ(result.code, SIGSEGV);
  EXPECT_THAT(SignalText(result.code), HasSubstr("SIGSEGV"));
}

TEST(Process, TimeOutKillsTheWholeGroup) {
  const kernels::testing::TemporaryFolder folder;
  const std::string pid_file = folder.path() + "/pid";
  ProcessRequest request = Shell("sleep 1000 & echo $! > " + pid_file + "; wait");
  request.timeout_s = 0.5;
  EXPECT_EQ(RunProcess(request).status, Status::kTimedOut);
  pid_t grandchild = 0;
  std::ifstream(pid_file) >> grandchild;
  ASSERT_GT(grandchild, 1);
  // Its reaper may take a moment; a zombie still answers to kill(0), so look at its state.
  for (int i = 0; i < 200; ++i) {
    std::ifstream stat("/proc/" + std::to_string(grandchild) + "/stat");
    std::string pid, name, state;
    if (!(stat >> pid >> name >> state) || state == "Z") return;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ADD_FAILURE() << "the grandchild outlived its group";
}

TEST(Process, GrandchildThatKeepsTheStreamsOpenDoesNotBlock) {
  ProcessRequest request = Shell("sleep 1000 & echo parent");
  const ProcessResult result = RunProcess(request);
  EXPECT_EQ(result.status, Status::kExited);
  EXPECT_EQ(result.out, "parent\n");
}

TEST(Process, MissingProgramIsAValue) {
  ProcessRequest request;
  request.argv = {"no-such-program-anywhere"};
  const ProcessResult result = RunProcess(request);
  EXPECT_EQ(result.status, Status::kNotStarted);
  EXPECT_THAT(result.error, HasSubstr("'no-such-program-anywhere' was not found on PATH"));
  EXPECT_EQ(FindProgram("no-such-program-anywhere"), "");
  EXPECT_NE(FindProgram("sh"), "");
}

TEST(Process, EnvironmentAndMemoryLimit) {
  ProcessRequest request = Shell("echo $EXH_TEST_VALUE; ulimit -v");
  request.environment = {"EXH_TEST_VALUE=7"};
  request.max_memory_bytes = 1ULL << 30;
  EXPECT_EQ(RunProcess(request).out, "7\n1048576\n");
}

}  // namespace
}  // namespace exh::kernels::cpu

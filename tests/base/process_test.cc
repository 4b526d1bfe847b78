// SPDX-License-Identifier: MIT
#include "base/system/process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <limits>
#include <thread>
#include <vector>

#include "tests/kernels/codegen/temporary_folder.h"

namespace exh {
namespace {

using ::testing::HasSubstr;
using Status = ProcessResult::Status;

ProcessRequest Shell(const std::string& script) {
  ProcessRequest request;
  request.argv = {"sh", "-c", script};
  request.timeout_s = 30;
  return request;
}

/// Whether a process has ended within two seconds. Its reaper may take a moment; a zombie still
/// answers to kill(0), so look at its state.
bool IsGone(pid_t process) {
  for (int look = 0; look < 200; ++look) {
    std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
    std::string pid, name, state;
    if (!(stat >> pid >> name >> state) || state == "Z") return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
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
  EXPECT_TRUE(IsGone(grandchild)) << "the grandchild outlived its group";
}

TEST(Process, GrandchildThatKeepsTheStreamsOpenDoesNotBlock) {
  ProcessRequest request = Shell("sleep 1000 & echo parent");
  const ProcessResult result = RunProcess(request);
  EXPECT_EQ(result.status, Status::kExited);
  EXPECT_EQ(result.out, "parent\n");
}

TEST(Process, EndsWithItsTokenAndTakesItsGroupAlong) {
  const kernels::testing::TemporaryFolder folder;
  const std::string pid_file = folder.path() + "/pid";
  ProcessRequest request = Shell("sleep 1000 & echo $! > " + pid_file + "; wait");
  std::atomic<bool> signalled = false;
  StopToken stop(&signalled);
  request.stop = &stop;
  std::thread signal([&] {
    while (!std::filesystem::exists(pid_file) || std::filesystem::file_size(pid_file) == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    signalled = true;
  });
  EXPECT_EQ(RunProcess(request).status, Status::kStopped);
  signal.join();
  pid_t grandchild = 0;
  std::ifstream(pid_file) >> grandchild;
  ASSERT_GT(grandchild, 1);
  EXPECT_TRUE(IsGone(grandchild));
  // What is stopped before it begins does not begin.
  request.argv = {"touch", folder.path() + "/begun"};
  EXPECT_EQ(RunProcess(request).status, Status::kStopped);
  EXPECT_FALSE(std::filesystem::exists(folder.path() + "/begun"));
}

TEST(Process, DaemonsGoWithTheProgramThatStartedThem) {
  const kernels::testing::TemporaryFolder folder;
  const std::string pids = folder.path() + "/pids";
  // In groups and sessions of their own, the second without its streams, and generations deep.
  const ProcessResult result =
      RunProcess(Shell("for i in 1 2 3 4 5 6 7 8; do"
                       "  setsid sh -c 'setsid sleep 1000 & echo $! >> " +
                       pids +
                       "; sleep 1000' &"
                       "  setsid sleep 1000 < /dev/null > /dev/null 2>&1 & echo $! >> " +
                       pids +
                       ";"
                       "done; while [ $(wc -l < " +
                       pids + ") -lt 16 ]; do sleep 0.01; done; exit 5"));
  EXPECT_EQ(result.code, 5);
  std::ifstream file(pids);
  int count = 0;
  for (pid_t pid = 0; file >> pid; ++count) EXPECT_EQ(::kill(pid, 0), -1) << pid;
  EXPECT_EQ(count, 16);
}

TEST(Process, AKilledSupervisorTakesItsProgramsAlong) {
  const kernels::testing::TemporaryFolder folder;
  const std::string pids = folder.path() + "/pids";
  const ProcessResult result = RunProcess(
      Shell("setsid sleep 1000 & echo $! $$ > " + pids + "; kill -KILL $PPID; sleep 1000"));
  EXPECT_EQ(result.status, Status::kSignalled);
  EXPECT_EQ(result.code, SIGKILL);
  std::ifstream file(pids);
  int count = 0;
  for (pid_t pid = 0; file >> pid; ++count) EXPECT_TRUE(IsGone(pid)) << pid;
  EXPECT_EQ(count, 2);
}

TEST(Process, AKilledStarterIsReplaced) {
  // The third field behind the name is the parent: of the shell, then of its supervisor.
  const std::string script =
      "starter=$(sed 's/.*) . //' /proc/$PPID/stat | cut -d' ' -f1); kill -KILL $starter; echo "
      "done";
  for (int i = 0; i < 3; ++i) {
    RunProcess(Shell(script));
    EXPECT_EQ(RunProcess(Shell("echo after")).out, "after\n");
  }
}

TEST(Process, SignalsForSupervisorsEndNothing) {
  for (const char* const signal : {"INT", "TERM", "HUP", "QUIT"}) {
    EXPECT_EQ(RunProcess(Shell(std::string("kill -") + signal + " $PPID; echo on")).out, "on\n");
  }
}

TEST(Process, KeepsTheFolderThatTheCallerIsIn) {
  const kernels::testing::TemporaryFolder folder;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  const ProcessResult result = RunProcess(Shell("pwd -P"));
  std::filesystem::current_path(before);
  EXPECT_EQ(result.out, std::filesystem::canonical(folder.path()).string() + "\n");
}

TEST(Process, StandardStreamsMayBeClosed) {
  // Whoever opens a file then gets one of their numbers.
  const int saved[3] = {::dup(0), ::dup(1), ::dup(2)};
  for (int standard = 0; standard < 3; ++standard) ::close(standard);
  ProcessRequest request = Shell("cat; echo err >&2");
  request.input = "in";
  const ProcessResult result = RunProcess(request);
  for (int standard = 0; standard < 3; ++standard) {
    ::dup2(saved[standard], standard);
    ::close(saved[standard]);
  }
  EXPECT_EQ(result.out, "in");
  EXPECT_EQ(result.err, "err\n");
}

TEST(Process, ManyAtOnce) {
  std::vector<std::thread> threads;
  std::atomic<int> good = 0;
  for (int thread = 0; thread < 16; ++thread) {
    threads.emplace_back([&] {
      for (int i = 0; i < 5; ++i) good += RunProcess(Shell("echo x")).out == "x\n" ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 80);
}

TEST(Stop, ComposesFlagsAndDeadlines) {
  std::atomic<bool> flag = false;
  StopToken outer(&flag), inner(nullptr, &outer);
  EXPECT_FALSE(inner.stopped());
  EXPECT_EQ(inner.SecondsLeft(), std::numeric_limits<double>::infinity());
  outer.StopIn(1000);
  inner.StopIn(2000);
  EXPECT_GT(inner.SecondsLeft(), 900);
  EXPECT_LE(inner.SecondsLeft(), 1000);
  inner.StopIn(-1);
  EXPECT_TRUE(inner.stopped());
  EXPECT_FALSE(outer.stopped());
  EXPECT_EQ(inner.SecondsLeft(), 0);
  inner.StopIn(std::numeric_limits<double>::infinity());
  EXPECT_FALSE(inner.stopped());
  flag = true;
  EXPECT_TRUE(inner.stopped());
  EXPECT_TRUE(IsStopped(&outer));
  EXPECT_FALSE(IsStopped(nullptr));
  StopToken by_hand, follows(nullptr, &by_hand);
  by_hand.Stop();
  EXPECT_TRUE(follows.stopped());
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
}  // namespace exh

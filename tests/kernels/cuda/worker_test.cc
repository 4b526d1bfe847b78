// SPDX-License-Identifier: MIT
#include "kernels/devices/cuda/process/worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/kernels/cuda/await_end.h"

namespace exh::kernels::cuda {
namespace {

using testing::AwaitEnd;
using ::testing::HasSubstr;
using Reply = Worker::Reply;

constexpr double kLong = 60;  ///< Seconds that no test takes.

Worker Shell(const std::string& script) {
  return Worker({"sh", "-c", script});
}

/// The next line, or how there is none.
std::string Next(Worker& worker, double timeout_s = kLong) {
  std::string line;
  switch (worker.Receive(timeout_s, line)) {
    case Reply::kLine:
      return line;
    case Reply::kTimedOut:
      return "(timed out)";
    case Reply::kDied:
      return "(died) " + worker.obituary();
    case Reply::kStopped:
      return "(stopped)";
  }
  return "";
}

TEST(Worker, AnswersManyRequests) {
  Worker worker = Shell("while read x; do echo got $x; done");
  for (int i = 0; i < 100; ++i) {
    worker.Send("line " + std::to_string(i));
    EXPECT_EQ(Next(worker), "got line " + std::to_string(i));
  }
  worker.Send("a");
  worker.Send("b\n");
  EXPECT_EQ(Next(worker), "got a");
  EXPECT_EQ(Next(worker), "got b");
  EXPECT_TRUE(worker.alive());
}

TEST(Worker, PassesLinesThatNoBufferHolds) {
  Worker worker({"cat"});
  const std::string line(5'000'000, 'x');
  worker.Send(line);  // Nobody reads yet: this does not wait.
  worker.Send("end");
  EXPECT_TRUE(Next(worker) == line);
  EXPECT_EQ(Next(worker), "end");
}

TEST(Worker, LivesOnAfterATimeOut) {
  Worker worker = Shell("read x; echo $x; read x");
  EXPECT_EQ(Next(worker, 0.05), "(timed out)");
  EXPECT_TRUE(worker.alive());
  worker.Send("late");
  EXPECT_EQ(Next(worker), "late");
}

TEST(Worker, WaitsNoLongerThanItsTokenSays) {
  Worker worker = Shell("read x; echo $x; read x");
  StopToken stop;
  std::string line;
  std::thread signal([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop.Stop();
  });
  EXPECT_EQ(worker.Receive(kLong, line, &stop), Reply::kStopped);
  signal.join();
  EXPECT_TRUE(worker.alive());
  worker.Send("late");
  EXPECT_EQ(Next(worker), "late");
  StopToken deadline;
  deadline.StopIn(0.05);
  EXPECT_EQ(worker.Receive(kLong, line, &deadline), Reply::kStopped);
}

TEST(Worker, OneThatDoesNotReadIsATimeOut) {
  Worker worker({"sleep", "1000"});
  worker.Send(std::string(5'000'000, 'x'));
  EXPECT_EQ(Next(worker, 0.05), "(timed out)");
}

TEST(Worker, ObituariesTellCodeSignalAndLastWords) {
  Worker worker = Shell("exit 3");
  EXPECT_EQ(Next(worker), "(died) it ended with code 3");
  EXPECT_FALSE(worker.alive());
  worker = Shell("echo first >&2; echo last words >&2; exit 1");
  EXPECT_EQ(Next(worker), "(died) it ended with code 1: last words");
  worker = Shell("printf 'no end of line' >&2; kill -SEGV $$");
  EXPECT_EQ(Next(worker), "(died) signal 11 (SIGSEGV: Segmentation fault): no end of line");
  worker = Shell("head -c 100000 /dev/zero | tr '\\0' x >&2; echo >&2; echo short >&2");
  EXPECT_EQ(Next(worker), "(died) it ended with code 0: short");
  worker = Shell("echo ready; sleep 1000");
  EXPECT_EQ(Next(worker), "ready");
  worker.Kill();
  EXPECT_EQ(worker.obituary(), "it was killed");
  EXPECT_EQ(Next(worker), "(died) it was killed");
}

TEST(Worker, LastWordsAreNotThoseOfAnEarlierRequest) {
  Worker worker = Shell("echo old >&2; echo ready; read x; exit 1");
  EXPECT_EQ(Next(worker), "ready");
  worker.Send("x");
  EXPECT_EQ(Next(worker), "(died) it ended with code 1");
  worker = Shell("echo old >&2; echo ready; read x; echo new >&2; exit 1");
  EXPECT_EQ(Next(worker), "ready");
  worker.Send("x");
  EXPECT_EQ(Next(worker), "(died) it ended with code 1: new");
}

TEST(Worker, WhatCannotBeStartedSaysWhy) {
  Worker worker({"no-such-program-anywhere"});
  EXPECT_FALSE(worker.alive());
  worker.Send("hello");
  EXPECT_EQ(Next(worker), "(died) 'no-such-program-anywhere' was not found on PATH");
  worker = Worker(std::vector<std::string>{});
  EXPECT_EQ(Next(worker), "(died) no program was named");
  worker = Worker();
  EXPECT_FALSE(worker.alive());
  worker.Drain();
  worker.Kill();
}

TEST(Worker, WhatItSaidBeforeItDiedIsRead) {
  Worker worker = Shell("echo one; echo two; printf half; exit 5");
  EXPECT_EQ(Next(worker), "one");
  EXPECT_EQ(Next(worker), "two");
  EXPECT_EQ(Next(worker), "(died) it ended with code 5");  // Half a line is none.
}

TEST(Worker, OneThatClosesItsStreamIsEnded) {
  Worker worker = Shell("exec <&- >&-; sleep 1000");
  EXPECT_THAT(Next(worker), HasSubstr("signal 9"));
  EXPECT_FALSE(worker.alive());
}

TEST(Worker, ALineWithoutAnEndIsNoAnswer) {
  Worker worker = Shell("head -c 80000000 /dev/zero; sleep 1000");
  EXPECT_THAT(Next(worker), HasSubstr("signal 9"));
}

TEST(Worker, DrainDropsWhatNobodyAskedFor) {
  Worker worker = Shell("printf 'one\\nunasked\\n'; while read x; do echo got $x; done");
  EXPECT_EQ(Next(worker), "one");  // The other came with it.
  worker.Drain();
  EXPECT_TRUE(worker.alive());
  worker.Send("a");
  EXPECT_EQ(Next(worker), "got a");
}

TEST(Worker, DrainNoticesAnEnd) {
  Worker worker = Shell("echo $$; exit 7");
  ASSERT_TRUE(AwaitEnd(std::stoi(Next(worker))));
  EXPECT_TRUE(worker.alive());
  worker.Drain();
  EXPECT_FALSE(worker.alive());
  EXPECT_EQ(worker.obituary(), "it ended with code 7");
}

TEST(Worker, DrainEndsOneThatDoesNotStopTalking) {
  Worker worker({"yes"});
  EXPECT_EQ(Next(worker), "y");
  for (int i = 0; i < 1000 && worker.alive(); ++i) worker.Drain();
  // It may be slower than this; then what it said is dropped, and no more.
  EXPECT_TRUE(worker.alive() || worker.obituary() == "it was killed");
}

TEST(Worker, ItsGroupGoesWithIt) {
  pid_t grandchild = 0;
  {
    Worker worker = Shell("sleep 1000 & echo $!; wait");
    grandchild = std::stoi(Next(worker));
  }
  EXPECT_EQ(::kill(grandchild, 0), -1);
}

TEST(Worker, WhatLeftItsGroupGoesWithItToo) {
  pid_t grandchild = 0;
  {
    Worker worker = Shell("setsid sh -c 'setsid sleep 1000 & echo $!' & wait; sleep 1000");
    grandchild = std::stoi(Next(worker));
    EXPECT_EQ(::kill(grandchild, 0), 0);
  }
  EXPECT_EQ(::kill(grandchild, 0), -1);
}

TEST(Worker, GoesWithItsOwner) {
  std::optional<Worker> worker = Shell("echo $$; sleep 1000");
  const pid_t pid = std::stoi(Next(*worker));
  Worker other = std::move(*worker);
  worker.reset();
  EXPECT_EQ(::kill(pid, 0), 0);
  other = Worker();
  EXPECT_EQ(::kill(pid, 0), -1);
}

TEST(Worker, DiesWhenTheProcessThatStartedItIsKilled) {
  Worker parent({EXH_CUDA_WORKER_PARENT, "sh", "-c", "echo $$; exec sleep 1000"});
  const std::string pid = Next(parent);
  ASSERT_GT(std::atoi(pid.c_str()), 1) << pid;
  parent.Kill();
  EXPECT_TRUE(AwaitEnd(std::stoi(pid)));
}

TEST(Worker, OutlivesTheThreadThatStartedIt) {
  Worker worker;
  std::thread([&] { worker = Shell("while read x; do echo got $x; done"); }).join();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  worker.Send("a");
  EXPECT_EQ(Next(worker), "got a");
}

TEST(Worker, ManyThreadsStartManyAtOnce) {
  std::vector<std::thread> threads;
  std::vector<std::string> answers(16);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    threads.emplace_back([&answers, i] {
      for (int round = 0; round < 5; ++round) {
        Worker worker = Shell("read x; echo got $x");
        worker.Send(std::to_string(i));
        answers[i] = Next(worker);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < answers.size(); ++i) {
    EXPECT_EQ(answers[i], "got " + std::to_string(i));
  }
}

TEST(Worker, InheritsNoFilesOfOthers) {
  const std::string count = "ls /proc/self/fd | wc -l";
  Worker alone = Shell(count);
  const std::string expected = Next(alone);
  std::vector<Worker> others;
  for (int i = 0; i < 5; ++i) others.push_back(Shell("read x"));
  Worker worker = Shell(count);
  EXPECT_EQ(Next(worker), expected);
}

TEST(Worker, BlocksNoSignals) {
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  Worker worker = Shell("grep SigBlk /proc/self/status");
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_EQ(Next(worker), "SigBlk:\t0000000000000000");
}

}  // namespace
}  // namespace exh::kernels::cuda

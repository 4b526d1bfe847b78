// SPDX-License-Identifier: MIT
//
// Candidates in real processes, on the fake driver: whatever becomes of one is a verdict, and the
// next one runs.
#include "kernels/devices/cuda/pools/gpu_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "kernels/cpu/problem_file.h"
#include "kernels/devices/cuda/process/worker.h"
#include "tests/kernels/codegen/temporary_folder.h"
#include "tests/kernels/cuda/await_end.h"
#include "tests/kernels/cuda/axpy_problem.h"

namespace exh::kernels::cuda {
namespace {

using ::testing::AllOf;
using testing::AwaitEnd;
using testing::AxpyProblem;
using testing::CandidateText;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::ProgramLaunch;
using testing::ProgramsText;
using testing::ProgramText;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr double kInf = std::numeric_limits<double>::infinity();

/// "verdict: why", as a search would log it.
std::string Text(const Measurement& m) {
  return std::string(VerdictName(m.verdict)) + (m.why.empty() ? "" : ": " + m.why);
}

class Pool : public ::testing::Test {
 protected:
  Pool() {
    setup_.drivers = {EXH_FAKE_DRIVER};
    setup_.problems = {Path("uniform"), Path("whole"), Path("other"), Path("special")};
    setup_.programs = Written("programs", ProgramsText());
    EXPECT_EQ(cpu::WriteProblemFile(setup_.problems[0], AxpyProblem(0.25f).problem()), "");
    EXPECT_EQ(cpu::WriteProblemFile(setup_.problems[1], AxpyProblem(3, 0).problem()), "");
    EXPECT_EQ(cpu::WriteProblemFile(setup_.problems[2], AxpyProblem(5).problem()), "");
    EXPECT_EQ(cpu::WriteProblemFile(setup_.problems[3], AxpyProblem(7, -1).problem()), "");
    limits_.answer_s = 30;
    request_.launch = {8, 128, 0, 0};
    request_.patience_ns = 20e9;
  }

  std::string Path(const std::string& name) const { return folder_.path() + "/" + name; }
  std::string Written(const std::string& name, const std::string& text) const {
    std::ofstream(Path(name)) << text;
    return Path(name);
  }

  GpuPool MakePool(int spares = 1) const { return {Command(), setup_, spares, limits_}; }
  /// Every process writes its number to a file before anything else.
  std::vector<std::string> Command() const {
    return {"sh", "-c", "echo $$ >> " + Path("pids") + "; exec " EXH_CUDA_PROCESS_PROGRAM " run"};
  }
  /// The processes that were started, once there are `count`.
  std::vector<pid_t> Pids(std::size_t count) const {
    std::vector<pid_t> pids;
    for (int look = 0; look < 1000; ++look) {
      pids.clear();
      std::ifstream file(Path("pids"));
      for (pid_t pid = 0; file >> pid;) pids.push_back(pid);
      if (pids.size() >= count) return pids;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ADD_FAILURE() << pids.size() << " processes were started, not " << count;
    return pids;
  }

  /// A candidate with this written of it.
  Measurement Run(GpuPool& pool, const std::string& what) {
    request_.cubin = Written("candidate", CandidateText(what));
    return pool.Run(request_);
  }
  /// A program of three kernels.
  Measurement RunProgram(GpuPool& pool, const std::string& kernel, const std::string& finish = "") {
    request_.cubin = Written("candidate", ProgramText(kernel, finish));
    return pool.Run(request_);
  }
  /// Such a candidate, and one without a fault behind it: what they come to.
  std::vector<std::string> RunTwo(GpuPool& pool, const std::string& what) {
    std::vector<std::string> texts = {Text(Run(pool, what))};
    texts.push_back(Text(Run(pool, "")));
    return texts;
  }

  kernels::testing::TemporaryFolder folder_;
  RunSetup setup_;
  RunRequest request_;
  GpuPoolLimits limits_;
};

// ---- Verdicts of candidates ---------------------------------------------------------------------

TEST_F(Pool, ARightCandidateIsTimed) {
  GpuPool pool = MakePool();
  EXPECT_EQ(pool.Start(), "");
  EXPECT_EQ(pool.ready().gpu, "Fake GPU");
  EXPECT_EQ(pool.ready().driver, "13.0");
  const Measurement m = Run(pool, "us=40");
  EXPECT_EQ(Text(m), "correct");
  EXPECT_NEAR(m.best_ns, 40e3, 1);
  EXPECT_THAT(m.runtimes_ns, SizeIs(5));
  EXPECT_THAT(m.clocks_mhz, SizeIs(5));
  EXPECT_NEAR(m.clocks_mhz.front(), 1980, 1);
  EXPECT_EQ(m.blocks_per_sm, 16);
  EXPECT_EQ(m.max_error, 0);
  EXPECT_EQ(pool.replaced(), 0u);
}

TEST_F(Pool, ManyCandidatesRunInOneProcess) {
  request_.full = true;
  GpuPool pool = MakePool();
  for (int i = 1; i <= 20; ++i) {
    const Measurement m = Run(pool, "us=" + std::to_string(i));
    EXPECT_EQ(Text(m), "correct");
    EXPECT_NEAR(m.best_ns, 1e3 * i, 1);
  }
  EXPECT_EQ(pool.replaced(), 0u);
  EXPECT_THAT(Pids(2), SizeIs(2));
}

TEST_F(Pool, InputsThatAreNotInL2) {
  setup_.cold = true;
  GpuPool pool = MakePool();
  EXPECT_EQ(Text(Run(pool, "")), "correct");
}

TEST_F(Pool, TemporariesInMainMemoryAreThere) {
  GpuPool pool = MakePool();
  for (const std::uint64_t floats : {100u, 1000u, 10u}) {
    request_.launch.global_bytes = 4 * floats;
    EXPECT_EQ(Text(Run(pool, "scratch=" + std::to_string(floats))), "correct");
  }
}

TEST_F(Pool, AWrongElementIsNamed) {
  GpuPool pool = MakePool();
  const Measurement m = Run(pool, "fault=wrong at=17");
  EXPECT_EQ(Text(m), "wrong: z[17] is 60.875, expected 59.875 within 0.001 (1 element is wrong)");
  EXPECT_EQ(m.max_error, 1);
  EXPECT_THAT(m.runtimes_ns, IsEmpty());
  EXPECT_EQ(Text(Run(pool, "")), "correct");
  EXPECT_EQ(pool.replaced(), 0u);
}

TEST_F(Pool, WhatIsRightOnKnownInputsAloneIsWrong) {
  GpuPool pool = MakePool();
  // The result of the inputs that it saw all the time, for inputs that it has not seen before.
  EXPECT_THAT(Text(Run(pool, "fault=stale after=1")),
              AllOf(StartsWith("wrong: z[0] is 0.375, expected 4.5 within 0 "),
                    EndsWith(" on whole numbers, after the timed runs")));
  // One that is wrong by less than is tolerated of drawn inputs.
  EXPECT_EQ(Text(Run(pool, "")), "correct");
}

TEST_F(Pool, ProblemsMayBeOthersLater) {
  for (const int spares : {0, 1}) {
    GpuPool pool = MakePool(spares);
    EXPECT_EQ(Text(Run(pool, "fault=wrong at=17")),
              "wrong: z[17] is 60.875, expected 59.875 within 0.001 (1 element is wrong)");
    ASSERT_EQ(pool.SetProblems({Path("whole")}), "");
    // The same candidate on whole numbers, which are exact, in the process that there was.
    EXPECT_THAT(Text(Run(pool, "fault=wrong at=17")),
                AllOf(StartsWith("wrong: z[17] is "), HasSubstr("within 0 ")));
    EXPECT_EQ(Text(Run(pool, "")), "correct");
    EXPECT_EQ(pool.replaced(), 0u);
    // One that takes the place of another has them as well.
    EXPECT_THAT(Text(Run(pool, "fault=exit")), StartsWith("crash"));
    EXPECT_THAT(Text(Run(pool, "fault=wrong at=17")), HasSubstr("within 0 "));
    EXPECT_NE(pool.SetProblems({Path("none")}), "");
    ASSERT_EQ(pool.SetProblems({Path("uniform")}), "");
    EXPECT_EQ(Text(Run(pool, "")), "correct");
  }
}

TEST_F(Pool, AFullCheckHasEveryProblem) {
  GpuPool pool = MakePool();
  // Two launches and 5 batches of 20, or 100 and 256 more, come before the special values.
  const auto only = [&](std::size_t number) { setup_.problems[number] = setup_.problems[kTimed]; };
  only(kWholeNumbers);
  GpuPool without = MakePool();
  EXPECT_EQ(Text(Run(without, "fault=stale after=1")), "correct");
  request_.full = true;
  EXPECT_THAT(Text(Run(without, "fault=stale after=1")),
              EndsWith(" on other inputs, after the timed runs"));
  only(kOtherSeed);
  GpuPool special = MakePool();
  EXPECT_THAT(Text(Run(special, "fault=stale after=1")),
              AllOf(HasSubstr("expected 10.5 bit by bit"), EndsWith(" on special values")));
}

TEST_F(Pool, WhatIsWrongNowAndThenIsFoundByManyRuns) {
  request_.full = true;
  GpuPool pool = MakePool();
  EXPECT_THAT(Text(Run(pool, "us=100 fault=wrong at=17 after=1 every=100")),
              AllOf(StartsWith("wrong: run "),
                    EndsWith(" with the same inputs yields something else than the first one")));
}

TEST_F(Pool, ARunThatComputesNothingLeavesNothing) {
  GpuPool pool = MakePool();
  for (const char* const us : {"us=10", "us=50", "us=300"}) {
    EXPECT_THAT(Text(Run(pool, std::string("fault=nan after=1 ") + us)),
                AllOf(HasSubstr("nan, expected 0.375"), EndsWith(" after a timed batch")));
  }
}

TEST_F(Pool, AnOutputThatIsNotWrittenIsWrong) {
  GpuPool pool = MakePool();
  const Measurement m = Run(pool, "fault=nan");
  EXPECT_EQ(m.verdict, Verdict::kWrong);
  EXPECT_THAT(m.why, HasSubstr("nan, expected 0.375 within 0.001 (1000 elements are wrong)"));
  EXPECT_EQ(m.max_error, kInf);
}

TEST_F(Pool, WhatGoesWrongOnlyLaterIsSeenAfterTheTimedRuns) {
  GpuPool pool = MakePool();
  EXPECT_THAT(Text(Run(pool, "fault=wrong at=17 after=3")),
              AllOf(StartsWith("wrong: z[17]"), EndsWith(" after a timed batch")));
}

TEST_F(Pool, AWriteIntoAGuardZoneIsWrongAndSpoilsNothing) {
  GpuPool pool = MakePool();
  EXPECT_THAT(
      RunTwo(pool, "fault=writes at=1003"),
      ElementsAre("wrong: z was written outside its bounds, 3 elements behind its end", "correct"));
  EXPECT_THAT(RunTwo(pool, "fault=writes of=y at=-2 after=2"),
              ElementsAre("wrong: y was written outside its bounds, 2 elements before its start "
                          "after the timed runs",
                          "correct"));
}

TEST_F(Pool, AnIllegalAddressEndsItsProcessAndNoOther) {
  GpuPool pool = MakePool();
  EXPECT_THAT(RunTwo(pool, "fault=writes at=1099511627776"),
              ElementsAre(AllOf(StartsWith("crash: "), HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS")),
                          "correct"));
  EXPECT_EQ(pool.replaced(), 1u);
  // While it is timed, in a graph and without one.
  for (const char* const us : {"us=10", "us=50"}) {
    EXPECT_THAT(RunTwo(pool, std::string("fault=writes at=1099511627776 after=4 ") + us),
                ElementsAre(HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS"), "correct"));
  }
  EXPECT_EQ(pool.replaced(), 3u);
}

TEST_F(Pool, ALostContextEndsItsProcessAndNoOther) {
  GpuPool pool = MakePool();
  EXPECT_THAT(
      RunTwo(pool, "fault=lost"),
      ElementsAre(AllOf(StartsWith("crash: "), HasSubstr("CUDA_ERROR_UNKNOWN")), "correct"));
  EXPECT_THAT(RunTwo(pool, "fault=lost after=2"),
              ElementsAre(HasSubstr("CUDA_ERROR_UNKNOWN"), "correct"));
  EXPECT_EQ(pool.replaced(), 2u);
}

TEST_F(Pool, AKernelThatDoesNotEndIsGivenUp) {
  request_.patience_ns = 200e6;
  GpuPool pool = MakePool();
  EXPECT_EQ(Text(Run(pool, "fault=hang")), "slow: did not end in 205 ms, the cap is 5 ms");
  EXPECT_EQ(pool.replaced(), 1u);
  request_.patience_ns = 20e9;
  EXPECT_EQ(Text(Run(pool, "")), "correct");
}

TEST_F(Pool, ATryWithCareIsOneLaunchThatGivesUp) {
  request_.give_up_ns = 10e6;
  GpuPool pool = MakePool();
  EXPECT_EQ(Text(Run(pool, "us=10000")), "slow: gave up after 10 ms, the cap is 5 ms");
  // What it computes is another run's business.
  EXPECT_EQ(Text(Run(pool, "us=9000 fault=wrong at=0")), "correct");
  EXPECT_EQ(pool.replaced(), 0u);
}

TEST_F(Pool, AboveTheCapIsSlow) {
  GpuPool pool = MakePool();
  const Measurement m = Run(pool, "us=30000");
  EXPECT_EQ(Text(m), "slow: 30000 us, the cap is 5000 us");
  EXPECT_THAT(m.runtimes_ns, SizeIs(1));
  EXPECT_EQ(pool.replaced(), 0u);
  // So slow that nobody waits for its end: the spare process goes on.
  request_.patience_ns = 100e6;
  EXPECT_EQ(Text(Run(pool, "us=3600e6")), "slow: did not end in 105 ms, the cap is 5 ms");
  EXPECT_EQ(pool.replaced(), 1u);
  request_.patience_ns = 20e9;
  EXPECT_EQ(Text(Run(pool, "")), "correct");
}

// ---- A part of the blocks -----------------------------------------------------------------------

/// A program of 256 blocks on a GPU that holds 64 at once.
class PoolOfParts : public Pool {
 protected:
  PoolOfParts() {
    request_.launch.grid = 256;
    request_.worth_ns = 1e6;
  }
};

TEST_F(PoolOfParts, WhatTakesTooLongByAPartOfItIsNotRunWhole) {
  GpuPool pool = MakePool();
  const Measurement slow = Run(pool, "us=0 block_us=10 grid=256");
  EXPECT_EQ(Text(slow), "slow: about 2.56 ms by 64 of 256 blocks; it is not run whole above 1 ms");
  EXPECT_NEAR(slow.estimate_ns, 2.56e6, 1e3);
  EXPECT_EQ(slow.estimate_blocks, 64u);
  EXPECT_EQ(slow.best_ns, 0);
  EXPECT_THAT(slow.runtimes_ns, IsEmpty());
  const Measurement fast = Run(pool, "us=0 block_us=3 grid=256");
  EXPECT_EQ(Text(fast), "correct");
  EXPECT_NEAR(fast.estimate_ns, 768e3, 1e3);
  EXPECT_NEAR(fast.best_ns, 768e3, 1e3);
  EXPECT_THAT(fast.runtimes_ns, SizeIs(5));
  EXPECT_EQ(Text(Run(pool, "us=0 block_us=3 grid=256 fault=wrong at=999")).substr(0, 13),
            "wrong: z[999]");
  EXPECT_EQ(pool.replaced(), 0u);
}

TEST_F(PoolOfParts, APartIsEnoughOfTheWhole) {
  GpuPool pool = MakePool();
  request_.launch.grid = 64 * 64;  // Of 64 waves four.
  EXPECT_EQ(Run(pool, "us=0 block_us=1 grid=4096").estimate_blocks, 256u);
  request_.launch.grid = 64 * 31;
  EXPECT_EQ(Run(pool, "us=0 block_us=1 grid=1984").estimate_blocks, 64u);
}

TEST_F(PoolOfParts, WhatWasDelayedOnceIsLookedAtAgain) {
  GpuPool pool = MakePool();
  const Measurement m = Run(pool, "us=0 block_us=3 grid=256 fault=late every=1000");
  EXPECT_EQ(Text(m), "correct");
  EXPECT_NEAR(m.estimate_ns, 768e3, 1e3);
  EXPECT_EQ(Run(pool, "us=0 block_us=3 grid=256 fault=late").verdict, Verdict::kSlow);
}

TEST_F(PoolOfParts, WhatAPartMustNotTouchIsLookedAt) {
  GpuPool pool = MakePool();
  EXPECT_THAT(
      RunTwo(pool, "us=0 block_us=10 grid=256 fault=writes at=1003"),
      ElementsAre("wrong: z was written outside its bounds, 3 elements behind its end", "correct"));
  EXPECT_THAT(RunTwo(pool, "us=0 block_us=10 grid=256 fault=writes of=y at=5"),
              ElementsAre("wrong: y was written, and is an input", "correct"));
  EXPECT_EQ(pool.replaced(), 2u);
}

TEST_F(PoolOfParts, APartThatDoesNotEndIsGivenUp) {
  request_.patience_ns = 200e6;
  GpuPool pool = MakePool();
  const Measurement m = Run(pool, "fault=hang");
  EXPECT_EQ(Text(m), "slow: 64 of 256 blocks: did not end in 201 ms, the cap is 5 ms");
  EXPECT_EQ(m.estimate_ns, 0);
  EXPECT_EQ(pool.replaced(), 1u);
}

TEST_F(PoolOfParts, WhoseBlocksMeetIsRunWhole) {
  GpuPool pool = MakePool();
  const auto estimate = [&](const Launch& launch, const std::string& what) {
    request_.launch = launch;
    const Measurement m = Run(pool, what);
    EXPECT_EQ(Text(m), "correct");
    return m.estimate_ns;
  };
  request_.worth_ns = 1;
  Launch launch = request_.launch;
  launch.workspace_bytes = launch.ticket_bytes = 16;
  EXPECT_EQ(estimate(launch, "us=2000"), 0);
  launch = request_.launch;
  launch.grid = 127;  // Less than two waves.
  EXPECT_EQ(estimate(launch, "us=2000"), 0);
  request_.launch = ProgramLaunch();
  request_.launch.grid = 256;
  const Measurement program = RunProgram(pool, "us=2000");
  EXPECT_EQ(Text(program), "correct");
  EXPECT_EQ(program.estimate_ns, 0);
}

TEST_F(PoolOfParts, ATryWithCareIsOfAPartAsWell) {
  request_.give_up_ns = request_.worth_ns = 10e6;
  GpuPool pool = MakePool();
  const Measurement slow = Run(pool, "us=0 block_us=100 grid=256");
  EXPECT_EQ(Text(slow), "slow: gave up after 6.4 ms for 0.25 of its blocks, the cap is 5 ms");
  EXPECT_EQ(slow.best_ns, 0);
  EXPECT_EQ(Text(Run(pool, "us=0 block_us=30 grid=256")), "correct");
  EXPECT_EQ(pool.replaced(), 0u);
}

// ---- Processes that fail ------------------------------------------------------------------------

TEST_F(Pool, ADriverThatDoesNotReturnIsATimeOut) {
  limits_.answer_s = 0.5;
  request_.patience_ns = 0;
  GpuPool pool = MakePool();
  ASSERT_EQ(pool.Start(), "");
  EXPECT_THAT(Text(Run(pool, "fault=stuck")), StartsWith("timeout: no answer in "));
  EXPECT_EQ(pool.replaced(), 1u);
  EXPECT_EQ(::kill(Pids(2).front(), 0), -1);
  request_.patience_ns = 20e9;
  EXPECT_EQ(Text(Run(pool, "")), "correct");
}

TEST_F(Pool, AProcessThatDiesIsACrash) {
  GpuPool pool = MakePool();
  EXPECT_THAT(RunTwo(pool, "fault=crash"),
              ElementsAre(AllOf(StartsWith("crash: the process that ran it died: signal 6"),
                                HasSubstr("Aborted")),
                          "correct"));
  EXPECT_THAT(RunTwo(pool, "fault=exit"),
              ElementsAre("crash: the process that ran it died: it ended with code 3", "correct"));
  EXPECT_EQ(pool.replaced(), 2u);
}

TEST_F(Pool, AProcessThatSomebodyKillsIsNotTheCandidatesFault) {
  GpuPool pool = MakePool();
  ASSERT_EQ(pool.Start(), "");
  const pid_t works = Pids(1).front();
  std::thread kills([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    ::kill(works, SIGKILL);
  });
  EXPECT_THAT(Text(Run(pool, "fault=stuck")),
              StartsWith("broken: the process that ran it died: signal 9"));
  kills.join();
  EXPECT_EQ(Text(Run(pool, "")), "correct");
}

TEST_F(Pool, StopsWithItsToken) {
  StopToken stop;
  limits_.stop = &stop;
  GpuPool pool = MakePool();
  ASSERT_EQ(pool.Start(), "");
  std::thread stops([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    stop.Stop();
  });
  EXPECT_EQ(Text(Run(pool, "fault=stuck")), "stopped");
  stops.join();
  EXPECT_EQ(Text(Run(pool, "")), "stopped");
}

TEST_F(Pool, WhatADriverPrintsIsNoAnswer) {
  GpuPool pool = MakePool();
  EXPECT_THAT(RunTwo(pool, "fault=chatter"), Each("correct"));
}

TEST_F(Pool, AMultiprocessorThatHoldsNoBlock) {
  request_.launch.threads = 1024;
  GpuPool pool = MakePool();
  EXPECT_THAT(RunTwo(pool, "registers=255"),
              ElementsAre("crash: no multiprocessor holds a block of 1024 threads with 0 bytes",
                          "correct"));
  EXPECT_EQ(pool.replaced(), 0u);
}

TEST_F(Pool, MachineCodeThatIsNone) {
  GpuPool pool = MakePool();
  request_.cubin = Path("nowhere");
  EXPECT_EQ(Text(pool.Run(request_)), "broken: cannot read " + Path("nowhere"));
  request_.cubin = Written("bad", "something else");
  EXPECT_THAT(Text(pool.Run(request_)), HasSubstr("cuModuleLoadData: CUDA_ERROR_INVALID_IMAGE"));
  request_.cubin = setup_.programs;
  EXPECT_THAT(Text(pool.Run(request_)), HasSubstr("cuModuleGetFunction: CUDA_ERROR_NOT_FOUND"));
  EXPECT_EQ(Text(Run(pool, "")), "correct");
}

// ---- Programs of several kernels ----------------------------------------------------------------

TEST_F(Pool, AllKernelsOfAProgramAreLaunchedAndTimed) {
  request_.launch = ProgramLaunch();
  request_.full = true;
  GpuPool pool = MakePool();
  // From a graph, and one by one.
  for (const int us : {10, 40}) {
    const Measurement m = RunProgram(pool, "us=" + std::to_string(us));
    EXPECT_EQ(Text(m), "correct");
    EXPECT_NEAR(m.best_ns, 1e3 * (us + 3), 1);
    EXPECT_EQ(m.blocks_per_sm, 16);
  }
  EXPECT_EQ(pool.replaced(), 0u);
}

TEST_F(Pool, LaunchesOfAProgramOverlapWhereTheGpuCan) {
  request_.launch = ProgramLaunch();
  request_.launch.overlaps = true;
  for (const char* const gpu : {"sm_90", "sm_80"}) {
    ::setenv("EXH_FAKE_GPU", gpu, 1);
    GpuPool pool = MakePool();
    const int longer = std::string_view(gpu) == "sm_90" ? 1 : 3;
    for (const int us : {10, 40}) {
      const Measurement m = RunProgram(pool, "us=" + std::to_string(us));
      EXPECT_EQ(Text(m), "correct");
      EXPECT_NEAR(m.best_ns, 1e3 * (us + longer), 1) << gpu;
    }
  }
  ::unsetenv("EXH_FAKE_GPU");
}

TEST_F(Pool, KernelsOfAProgramHaveAnOrder) {
  GpuPool pool = MakePool();
  const auto run = [&](const std::vector<SideLaunch>& sides) {
    request_.launch = ProgramLaunch();
    request_.launch.sides = sides;
    return RunProgram(pool, "").verdict;
  };
  const SideLaunch fill = ProgramLaunch().sides[0], finish = ProgramLaunch().sides[1];
  SideLaunch late = fill, early = finish;
  late.is_before = false;
  early.is_before = true;
  EXPECT_EQ(run({fill, finish}), Verdict::kCorrect);
  EXPECT_EQ(run({late, finish}), Verdict::kCorrect);
  EXPECT_EQ(run({finish, late}), Verdict::kWrong);
  EXPECT_EQ(run({fill, early}), Verdict::kWrong);
  EXPECT_EQ(run({fill}), Verdict::kWrong);
  EXPECT_EQ(run({finish}), Verdict::kWrong);
}

TEST_F(Pool, TicketsAreZeroWhateverWasBefore) {
  request_.launch = ProgramLaunch();
  GpuPool pool = MakePool();
  EXPECT_THAT(Text(RunProgram(pool, "fault=ticket")),
              AllOf(StartsWith("wrong: z[0] is "), EndsWith(" after a timed batch")));
  EXPECT_EQ(Text(RunProgram(pool, "")), "correct");
  // One launch, which leaves a ticket, and others that try.
  request_.give_up_ns = 10e6;
  EXPECT_EQ(Text(RunProgram(pool, "fault=ticket")), "correct");
  EXPECT_THAT(Text(RunProgram(pool, "us=10000")), StartsWith("slow: gave up after "));
  request_.give_up_ns = 0;
  EXPECT_EQ(Text(RunProgram(pool, "")), "correct");
  EXPECT_EQ(pool.replaced(), 0u);
}

TEST_F(Pool, SumsInAnyOrderMayBeRoundedOtherwise) {
  request_.full = true;
  GpuPool pool = MakePool();
  const std::string rounds = "us=100 fault=rounds at=17 every=3";
  EXPECT_THAT(Text(Run(pool, rounds)), EndsWith(" yields something else than the first one"));
  request_.launch = ProgramLaunch();
  EXPECT_EQ(Text(RunProgram(pool, rounds)), "correct");
  EXPECT_THAT(Text(RunProgram(pool, "us=100 fault=wrong at=17 after=1 every=100")),
              AllOf(StartsWith("wrong: z[17] is "), EndsWith(" in one of many runs")));
}

TEST_F(Pool, LaunchesOneByOneSayHowTheyDiffer) {
  request_.launches = 20;
  GpuPool pool = MakePool();
  const Measurement same = Run(pool, "us=100");
  EXPECT_EQ(Text(same), "correct");
  EXPECT_EQ(same.results, 1u);
  EXPECT_EQ(same.runtimes_ns.size(), 20u);
  EXPECT_NEAR(same.best_ns, 100e3, 1);
  const Measurement rounded = Run(pool, "us=100 fault=rounds at=17 every=3");
  EXPECT_EQ(Text(rounded), "correct");
  EXPECT_EQ(rounded.results, 2u);
  EXPECT_THAT(Text(Run(pool, "us=100 fault=wrong at=17 after=5")),
              AllOf(StartsWith("wrong: z[17] is "), EndsWith(" in one of many launches")));
}

TEST_F(Pool, AProgramThatCannotBeLaunchedIsACrash) {
  request_.launch = ProgramLaunch();
  request_.launch.sides[1].threads = 1024;
  GpuPool pool = MakePool();
  EXPECT_THAT(Text(RunProgram(pool, "", "registers=255")),
              StartsWith("crash: no multiprocessor holds a block of 1024 threads with 61440 bytes, "
                         "of exh_finish"));
  EXPECT_EQ(pool.replaced(), 0u);
  request_.launch = ProgramLaunch();
  request_.launch.sides[1].kernel = "exh_finish1";
  EXPECT_THAT(Text(RunProgram(pool, "")), HasSubstr("cuModuleGetFunction: CUDA_ERROR_NOT_FOUND"));
  request_.launch = ProgramLaunch();
  request_.launch.workspace_bytes = std::uint64_t{1} << 40;
  EXPECT_THAT(Text(RunProgram(pool, "")), HasSubstr("cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY"));
  request_.launch = ProgramLaunch();
  EXPECT_EQ(Text(RunProgram(pool, "")), "correct");
}

// ---- Processes ----------------------------------------------------------------------------------

TEST_F(Pool, ManyFaultsInARow) {
  request_.patience_ns = 1e9;
  GpuPool pool = MakePool(2);
  for (const char* const fault : {"crash", "lost", "exit", "hang", "crash", "lost"}) {
    EXPECT_NE(Run(pool, std::string("fault=") + fault).verdict, Verdict::kCorrect) << fault;
  }
  EXPECT_EQ(Text(Run(pool, "")), "correct");
  EXPECT_EQ(pool.replaced(), 6u);
}

TEST_F(Pool, NoDriverOrNoGpuIsSaid) {
  setup_.drivers = {"libthat-is-nowhere.so.1"};
  EXPECT_THAT(MakePool().Start(), HasSubstr("libthat-is-nowhere.so.1 is not there"));
  setup_.drivers = {EXH_FAKE_DRIVER};
  setup_.ordinal = 1;
  GpuPool pool = MakePool();
  EXPECT_EQ(pool.Start(), "there is no GPU 1: the driver shows 1");
  EXPECT_EQ(Text(Run(pool, "")), "broken: there is no GPU 1: the driver shows 1");
}

TEST_F(Pool, ASetupThatDoesNotWorkIsSaid) {
  RunSetup setup = setup_;
  setup.problems = {Path("nowhere")};
  EXPECT_THAT(GpuPool(Command(), setup).Start(), HasSubstr(Path("nowhere")));
  setup = setup_;
  setup.programs = Written("bad", "something else");
  EXPECT_THAT(GpuPool(Command(), setup).Start(), HasSubstr("CUDA_ERROR_INVALID_IMAGE"));
}

TEST_F(Pool, ProgramsThatAreNoSuchProcess) {
  limits_.start_s = 0.3;
  const auto start = [&](const std::vector<std::string>& command) {
    return GpuPool(command, setup_, 1, limits_).Start();
  };
  EXPECT_EQ(start({"sleep", "1000"}), "the process for the GPU did not start in 0.3 s");
  limits_.start_s = 60;
  EXPECT_EQ(start({"sh", "-c", "echo last words >&2; exit 4"}),
            "the process for the GPU died: it ended with code 4: last words");
  EXPECT_EQ(start({"echo", "something"}), "the process for the GPU did not say that it is ready");
  EXPECT_THAT(start({"no-such-program"}), HasSubstr("'no-such-program' was not found on PATH"));
}

TEST_F(Pool, AnAnswerThatCannotBeReadIsACrash) {
  const std::string ready = ToJsonLine(RunReady{});
  GpuPool pool({"sh", "-c",
                "echo '" + ready.substr(0, ready.size() - 1) +
                    "'; read setup; read request; echo nonsense; sleep 1000"},
               setup_, 1, limits_);
  EXPECT_EQ(Text(Run(pool, "")), "crash: the process that ran it gave no answer that can be read");
  EXPECT_EQ(pool.replaced(), 1u);
}

TEST_F(Pool, ProcessesThatDieWhileNothingRunsAreNobodysFault) {
  GpuPool pool = MakePool();
  EXPECT_EQ(Text(Run(pool, "")), "correct");
  for (const pid_t pid : Pids(2)) {  // The one that works and the spare one.
    ::kill(pid, SIGKILL);
    ASSERT_TRUE(AwaitEnd(pid));
  }
  EXPECT_EQ(Text(Run(pool, "")), "correct");
  EXPECT_EQ(pool.replaced(), 2u);
}

TEST_F(Pool, ALineThatNobodyAskedForIsNoAnswer) {
  GpuPool pool({"sh", "-c", EXH_CUDA_PROCESS_PROGRAM " run | sed -u '/verdict/s/.*/&\\n&/'"},
               setup_, 0, limits_);
  EXPECT_EQ(Text(Run(pool, "")), "correct");
  EXPECT_EQ(Run(pool, "fault=wrong").verdict, Verdict::kWrong);
}

TEST_F(Pool, AGpuThatIsGoneForGoodIsBroken) {
  // Processes that start later find no GPU.
  GpuPool pool({"sh", "-c",
                "test -e " + Path("gone") + " && export EXH_FAKE_CUDA=no-device; exec " +
                    EXH_CUDA_PROCESS_PROGRAM " run"},
               setup_, 0, limits_);
  EXPECT_EQ(Text(Run(pool, "")), "correct");
  Written("gone", "");
  EXPECT_THAT(Text(Run(pool, "fault=lost")), HasSubstr("CUDA_ERROR_UNKNOWN"));
  EXPECT_THAT(Text(Run(pool, "")),
              AllOf(StartsWith("broken: "), HasSubstr("CUDA_ERROR_NO_DEVICE")));
}

TEST_F(Pool, NoProcessIsLeftWhenItGoes) {
  std::vector<pid_t> pids;
  {
    GpuPool pool = MakePool(2);
    EXPECT_NE(Run(pool, "fault=lost").verdict, Verdict::kCorrect);
    EXPECT_EQ(Text(Run(pool, "")), "correct");
    pids = Pids(4);
    EXPECT_THAT(pids, SizeIs(4));
    EXPECT_EQ(::kill(pids.back(), 0), 0);
  }
  for (const pid_t pid : pids) EXPECT_EQ(::kill(pid, 0), -1) << pid;
}

TEST_F(Pool, NoProcessIsLeftWhenItsParentIsKilled) {
  const std::string setup = Written("setup", ToJsonLine(setup_));
  for (const char* const fault : {"", "fault=stuck"}) {
    std::ofstream(Path("pids"), std::ios::trunc);
    std::vector<std::string> argv = {EXH_CUDA_POOL_PARENT, setup};
    if (*fault != 0) argv.push_back(Written("candidate", CandidateText(fault)));
    argv.push_back("--");
    for (const std::string& word : Command()) argv.push_back(word);
    Worker parent(argv);
    std::string line;
    ASSERT_EQ(parent.Receive(60, line), Worker::Reply::kLine) << parent.obituary();
    ASSERT_EQ(line, "ready");
    const std::vector<pid_t> pids = Pids(2);
    parent.Kill();
    for (const pid_t pid : pids) EXPECT_TRUE(AwaitEnd(pid)) << fault;
  }
}

}  // namespace
}  // namespace exh::kernels::cuda

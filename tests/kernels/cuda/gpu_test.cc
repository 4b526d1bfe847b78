// SPDX-License-Identifier: MIT
//
// What the process that runs candidates does to a GPU, step by step on the fake driver: it does
// nothing before it is waited for, and what is read too early is wrong.
#include "kernels/devices/cuda/driver/gpu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "kernels/devices/cuda/driver/timer.h"
#include "kernels/devices/cuda/process/data_set.h"
#include "tests/kernels/cuda/axpy_problem.h"

namespace exh::kernels::cuda {
namespace {

using testing::AxpyProblem;
using testing::CandidateText;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::kElements;
using testing::ProgramsText;
using ::testing::SizeIs;

constexpr Launch kLaunch{8, 128, 0, 0};

class OnFakeGpu : public ::testing::Test {
 protected:
  OnFakeGpu()
      : gpu_(*Driver::Load(std::vector<std::string>{EXH_FAKE_DRIVER}).driver, 0),
        programs_(gpu_, ProgramsText()),
        timer_(gpu_, programs_.Function("exh_clock")),
        set_(gpu_, problem_.problem(),
             {programs_.Function("exh_check"), programs_.Function("exh_guard"),
              programs_.Function("exh_hash")},
             2) {}

  /// One launch of a candidate, and what is found then.
  DataSet::Verdict Run(const std::string& what) {
    const Module module(gpu_, CandidateText(what));
    set_.PoisonOutputs();
    CUdeviceptr scratch = 0;
    std::vector<void*> arguments = set_.Arguments(0, &scratch);
    gpu_.Launch(module.Function("exh_kernel"), kLaunch, arguments.data());
    return set_.Check();
  }

  AxpyProblem problem_{0};
  Gpu gpu_;
  Module programs_;
  Timer timer_;
  DataSet set_;
};

TEST_F(OnFakeGpu, WhatIsUploadedIsThereForTheNextLaunch) {
  const Buffer from(gpu_, 8), to(gpu_, 8);
  for (const std::uint64_t value : {7u, 8u}) {
    std::uint64_t own = value;
    gpu_.Upload(from.data(), &own, sizeof own);
    own = 0;  // It is not looked at any more.
    gpu_.Check(gpu_.cu().cuMemcpyDtoDAsync(to.data(), from.data(), 8, gpu_.stream()), "copy");
    gpu_.Synchronize();
    std::uint64_t got = 0;
    gpu_.Download(&got, to.data(), sizeof got);
    EXPECT_EQ(got, value);
  }
}

TEST_F(OnFakeGpu, GuardZonesLieAroundAnySize) {
  for (const std::size_t bytes : {1, 4, 10, 4096}) {
    const Buffer buffer(gpu_, bytes);
    gpu_.Synchronize();
    unsigned int words[2] = {};
    gpu_.Download(&words[0], buffer.data() - 4, 4);
    gpu_.Download(&words[1], buffer.guard_after(), 4);
    EXPECT_THAT(words, Each(Buffer::kGuardWord)) << bytes;
    EXPECT_GE(buffer.guard_after(), buffer.data() + bytes);
    EXPECT_EQ(buffer.guard_after() % 4, 0u);
  }
}

TEST_F(OnFakeGpu, ThereIsNoSecondGpu) {
  const Driver driver = *Driver::Load(std::vector<std::string>{EXH_FAKE_DRIVER}).driver;
  EXPECT_THROW(Gpu(driver, 1), GpuError);
  EXPECT_THROW(Gpu(driver, -1), GpuError);
}

TEST_F(OnFakeGpu, TheFirstOneThatAnswersKeepsItsNumber) {
  ::setenv("EXH_FAKE_CUDA", "second", 1);
  const Driver driver = *Driver::Load(std::vector<std::string>{EXH_FAKE_DRIVER}).driver;
  EXPECT_THROW(Gpu(driver, 0), GpuError);
  EXPECT_EQ(Gpu(driver, 1).facts().ordinal, 1);
  ::unsetenv("EXH_FAKE_CUDA");
}

TEST_F(OnFakeGpu, RightResultsAreRight) {
  const DataSet::Verdict verdict = Run("");
  EXPECT_EQ(verdict.why, "");
  EXPECT_EQ(verdict.max_error, 0);
}

TEST_F(OnFakeGpu, TheFirstWrongElementIsNamed) {
  const DataSet::Verdict verdict = Run("fault=wrong at=17");
  EXPECT_EQ(verdict.why, "z[17] is 60.5, expected 59.5 within 0.001 (1 element is wrong)");
  EXPECT_EQ(verdict.max_error, 1);
  EXPECT_EQ(verdict.max_ratio, 1000);
  EXPECT_EQ(Run("").why, "");
}

TEST_F(OnFakeGpu, WhatIsNotWrittenIsNan) {
  const DataSet::Verdict verdict = Run("fault=nan");
  EXPECT_THAT(verdict.why, HasSubstr("nan, expected 0 within 0.001 (1000 elements are wrong)"));
  EXPECT_EQ(verdict.max_error, std::numeric_limits<double>::infinity());
}

TEST_F(OnFakeGpu, EqualOutputsHaveEqualHashes) {
  EXPECT_EQ(Run("").why, "");
  set_.TakeHash(0, 0);
  EXPECT_EQ(Run("").why, "");
  set_.TakeHash(0, 3);
  EXPECT_NE(Run("fault=wrong at=999").why, "");
  set_.TakeHash(0, 1);
  set_.PoisonOutputs();
  set_.TakeHash(0, 2);
  const std::vector<std::uint64_t> hashes = set_.Hashes(4);
  EXPECT_EQ(hashes[0], hashes[3]);
  EXPECT_NE(hashes[0], hashes[1]);
  EXPECT_NE(hashes[0], hashes[2]);
}

TEST_F(OnFakeGpu, AWriteFarBeyondAnArrayIsFound) {
  EXPECT_EQ(Run("fault=writes at=36000").why,
            "z was written outside its bounds, 35000 elements behind its end");
}

TEST_F(OnFakeGpu, WritesOutsideOfArraysAreFoundWithTheirPlace) {
  EXPECT_EQ(Run("fault=writes at=1002").why,
            "z was written outside its bounds, 2 elements behind its end");
  // The zone stays as it is: this set is no judge of others any more.
  EXPECT_NE(Run("").why, "");
}

TEST_F(OnFakeGpu, AWriteIntoAnInputIsFound) {
  EXPECT_EQ(Run("fault=writes of=y at=999").why, "y was written, and is an input");
}

TEST_F(OnFakeGpu, WritesBeforeInputsAreFound) {
  EXPECT_EQ(Run("fault=writes of=x at=-1").why,
            "x was written outside its bounds, 1 elements before its start");
}

TEST_F(OnFakeGpu, EveryCopyHasTheInputs) {
  const Module module(gpu_, CandidateText());
  CUdeviceptr scratch = 0;
  for (std::size_t copy = 0; copy < set_.copies(); ++copy) {
    std::vector<void*> arguments = set_.Arguments(copy, &scratch);
    gpu_.Launch(module.Function("exh_kernel"), kLaunch, arguments.data());
    gpu_.Synchronize();
    float last = 0;
    CUdeviceptr z = 0;
    std::memcpy(&z, arguments[2], sizeof z);
    gpu_.Download(&last, z + 4 * (kElements - 1), sizeof last);
    EXPECT_EQ(last, static_cast<float>(problem_.z.back())) << copy;
  }
}

TEST_F(OnFakeGpu, OneLaunchHasItsTimeOrNoneWhenItLastsTooLong) {
  const Module module(gpu_, CandidateText("us=3000"));
  CUdeviceptr scratch = 0;
  std::vector<void*> arguments = set_.Arguments(0, &scratch);
  const auto launch = [&] {
    gpu_.Launch(module.Function("exh_kernel"), kLaunch, arguments.data());
  };
  const std::optional<double> ns = timer_.Once(launch, 60e9);
  ASSERT_TRUE(ns.has_value());
  EXPECT_NEAR(*ns, 3e6, 1);
  EXPECT_FALSE(timer_.Once(launch, 1e3).has_value());
  gpu_.Synchronize();
}

TEST_F(OnFakeGpu, BatchesAreLongEnoughWithAndWithoutAGraph) {
  for (const double us : {0.5, 7.0, 19.0, 21.0, 300.0}) {
    const Module module(gpu_, CandidateText("us=" + std::to_string(us)));
    CUdeviceptr scratch = 0;
    std::vector<void*> arguments = set_.Arguments(0, &scratch);
    int launches = 0;
    const Timing timing = timer_.Time(
        [&](int) {
          ++launches;
          gpu_.Launch(module.Function("exh_kernel"), kLaunch, arguments.data());
        },
        1e3 * us, {200e3, 3, 0});
    ASSERT_THAT(timing.batch_ns, SizeIs(3)) << us;
    for (const double ns : timing.batch_ns) EXPECT_NEAR(ns, 1e3 * us, 1) << us;
    for (const double mhz : timing.clocks_mhz) EXPECT_NEAR(mhz, 1980, 1);
    // A graph is recorded once, whatever it is replayed; without one every launch counts.
    const int needed = static_cast<int>(std::ceil(200 / us));
    EXPECT_EQ(launches, us < 20 ? std::min(needed, 50) : 3 * needed) << us;
  }
}

TEST_F(OnFakeGpu, AFirstBatchThatIsTooSlowIsTheLast) {
  const Module module(gpu_, CandidateText("us=100"));
  CUdeviceptr scratch = 0;
  std::vector<void*> arguments = set_.Arguments(0, &scratch);
  const auto launch = [&](int) {
    gpu_.Launch(module.Function("exh_kernel"), kLaunch, arguments.data());
  };
  EXPECT_THAT(timer_.Time(launch, 100e3, {200e3, 5, 90e3}).batch_ns, SizeIs(1));
  EXPECT_THAT(timer_.Time(launch, 100e3, {200e3, 5, 110e3}).batch_ns, SizeIs(5));
}

TEST_F(OnFakeGpu, BlocksOfAMultiprocessorAreCounted) {
  const Module module(gpu_, CandidateText("registers=128"));
  const CUfunction function = module.Function("exh_kernel");
  EXPECT_EQ(gpu_.Occupancy(function, {1, 256, 0, 0}), 2);
  EXPECT_EQ(gpu_.Occupancy(function, {1, 1024, 0, 0}), 0);
  EXPECT_EQ(gpu_.Occupancy(function, {1, 32, 100 << 10, 0}), 0);
  gpu_.AllowShared(function, 100 << 10);
  EXPECT_EQ(gpu_.Occupancy(function, {1, 32, 100 << 10, 0}), 2);
  EXPECT_THROW(gpu_.AllowShared(function, 1 << 20), GpuError);
}

TEST_F(OnFakeGpu, MistakesNameTheCall) {
  const auto text = [](const auto& action) -> std::string {
    try {
      action();
    } catch (const GpuError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(text([&] { Module(gpu_, "no cubin"); }),
              HasSubstr("cuModuleLoadData: CUDA_ERROR_INVALID_IMAGE"));
  EXPECT_THAT(text([&] { programs_.Function("exh_kernel"); }),
              HasSubstr("cuModuleGetFunction: CUDA_ERROR_NOT_FOUND"));
  EXPECT_THAT(text([&] { Buffer(gpu_, std::size_t{1} << 40); }),
              HasSubstr("cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY"));
}

TEST(ColdL2, TakesEnoughCopies) {
  EXPECT_EQ(CopiesForColdL2(100, 1000), 21u);
  EXPECT_EQ(CopiesForColdL2(1 << 30, 1000), 3u);
  EXPECT_EQ(CopiesForColdL2(0, 1 << 30), 1024u);
}

}  // namespace
}  // namespace exh::kernels::cuda

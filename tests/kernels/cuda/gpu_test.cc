// SPDX-License-Identifier: MIT
//
// What the process that runs candidates does to a GPU, step by step on the fake driver: it does
// nothing before it is waited for, and what is read too early is wrong.
#include "kernels/devices/cuda/driver/gpu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "kernels/devices/cuda/driver/timer.h"
#include "kernels/devices/cuda/process/data_set.h"
#include "kernels/ir/elements.h"
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

const Launch kLaunch{8, 128, 0, 0};

class OnFakeGpu : public ::testing::Test {
 protected:
  OnFakeGpu()
      : gpu_(*Driver::Load(std::vector<std::string>{EXH_FAKE_DRIVER}).driver, 0),
        programs_(gpu_, ProgramsText()),
        timer_(gpu_, programs_.Function("exh_clock")),
        set_(gpu_, problem_.problem(), programs_, 2) {}

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
  const DeviceBuffer from(gpu_, 8), to(gpu_, 8);
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
    const DeviceBuffer buffer(gpu_, bytes);
    gpu_.Synchronize();
    unsigned int words[2] = {};
    gpu_.Download(&words[0], buffer.data() - 4, 4);
    gpu_.Download(&words[1], buffer.guard_after(), 4);
    EXPECT_THAT(words, Each(DeviceBuffer::kGuardWord)) << bytes;
    EXPECT_EQ(buffer.guard_after() + buffer.data_in_guard(), buffer.data() + bytes);
    EXPECT_EQ(buffer.guard_after() % 4, 0u);
    EXPECT_EQ(buffer.words(), (bytes + 3) / 4);
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

// ---- ir::Elements of other types
// --------------------------------------------------------------------

/// y = x, with whole numbers that every type has.
struct CopyProblem {
  ir::Elements x;
  std::vector<double> y, tolerance;

  CopyProblem(ir::Type type, std::size_t elements, double value)
      : x(type, elements), y(elements, value), tolerance(elements, 0) {
    for (std::size_t i = 0; i < elements; ++i) x.Set(i, value);
  }
  cpu::Problem problem() const {
    return {{{"x", false, x.type(), x.bytes(), {}, {}}, {"y", true, x.type(), {}, y, tolerance}},
            {}};
  }
};

class CopyOnFakeGpu : public OnFakeGpu {
 protected:
  DataSet::Verdict Copy(const CopyProblem& problem, const std::string& what) {
    const Module module(
        gpu_, "fake cubin\nkernel exh_kernel copy n=" + std::to_string(problem.x.bytes().size()) +
                  " us=10 " + what + "\n");
    DataSet set(gpu_, problem.problem(), programs_, 2);
    set.PoisonOutputs();
    gpu_.Launch(module.Function("exh_kernel"), kLaunch, set.Arguments(0, nullptr).data());
    return set.Check();
  }
};

TEST_F(CopyOnFakeGpu, EveryTypeIsChecked) {
  for (const ir::TypeInfo& info : ir::AllTypes()) {
    // Whole words, and what ends within one.
    for (const std::size_t elements : {1000, 1001, 3}) {
      const CopyProblem problem(info.type, elements, 1);
      EXPECT_EQ(Copy(problem, "").why, "") << info.word;
      EXPECT_THAT(Copy(problem, "fault=wrong at=0").why, HasSubstr("y[0] is ")) << info.word;
      EXPECT_THAT(Copy(problem, "fault=nan").why,
                  HasSubstr("(" + std::to_string(elements) + " elements are wrong)"))
          << info.word;
    }
  }
}

TEST_F(CopyOnFakeGpu, WhatIsNotWrittenIsNoRightInteger) {
  for (const ir::Type type : {ir::Type::kI8, ir::Type::kI32, ir::Type::kU32, ir::Type::kI64}) {
    // Whichever byte outputs are filled with by default.
    for (int byte = 0; byte < 256; byte += 15) {
      const std::vector<unsigned char> bytes(sizeof(std::int64_t),
                                             static_cast<unsigned char>(byte));
      const CopyProblem problem(type, 5, ir::ReadElement(type, bytes.data()));
      EXPECT_NE(Copy(problem, "fault=nan").why, "") << byte;
    }
  }
}

TEST_F(CopyOnFakeGpu, ABoolIsZeroOrOne) {
  EXPECT_THAT(Copy({ir::Type::kBool, 7, 1}, "fault=wrong at=6").why,
              HasSubstr("y[6] is 2, expected 1"));
  EXPECT_EQ(Copy({ir::Type::kBool, 7, 0}, "").why, "");
}

TEST_F(CopyOnFakeGpu, GuardZonesBeginAtTheLastByte) {
  for (const std::size_t elements : {1000, 1001, 1002, 1003}) {
    const CopyProblem problem(ir::Type::kI8, elements, 1);
    const std::string end = std::to_string(elements);
    EXPECT_EQ(Copy(problem, "fault=writes at=" + end).why,
              "y was written outside its bounds, 0 elements behind its end");
    EXPECT_EQ(Copy(problem, "fault=writes at=" + std::to_string(elements + 5)).why,
              "y was written outside its bounds, 5 elements behind its end");
    EXPECT_EQ(Copy(problem, "fault=writes of=x at=-1").why,
              "x was written outside its bounds, 1 elements before its start");
    EXPECT_EQ(Copy(problem, "fault=writes of=x at=" + std::to_string(elements - 1)).why,
              "x was written, and is an input");
  }
}

TEST_F(OnFakeGpu, ScalarsAreWhatTheirTypeIsComputedIn) {
  cpu::Problem problem;
  problem.scalars = {
      {ir::Type::kF16, 1.0001}, {ir::Type::kF64, 0.1}, {ir::Type::kBool, 3}, {ir::Type::kI64, -7}};
  DataSet set(gpu_, problem, programs_, 1);
  const std::vector<void*> arguments = set.Arguments(0, nullptr);
  ASSERT_THAT(arguments, SizeIs(4));
  EXPECT_EQ(*static_cast<const float*>(arguments[0]), 1);
  EXPECT_EQ(*static_cast<const double*>(arguments[1]), 0.1);
  EXPECT_EQ(*static_cast<const int*>(arguments[2]), 1);
  EXPECT_EQ(*static_cast<const std::int64_t*>(arguments[3]), -7);
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
  EXPECT_THAT(text([&] { DeviceBuffer(gpu_, std::size_t{1} << 40); }),
              HasSubstr("cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY"));
}

TEST(ColdL2, TakesEnoughCopies) {
  EXPECT_EQ(CopiesForColdL2(100, 1000), 21u);
  EXPECT_EQ(CopiesForColdL2(1 << 30, 1000), 3u);
  EXPECT_EQ(CopiesForColdL2(0, 1 << 30), 1024u);
}

}  // namespace
}  // namespace exh::kernels::cuda

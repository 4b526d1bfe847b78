// SPDX-License-Identifier: MIT
//
// Programs with tensor maps on the fake driver: what is in a map, when one is made, where kernels
// find it, and who has none.
#include "kernels/devices/cuda/driver/tensor_maps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "kernels/devices/cuda/pools/gpu_pool.h"
#include "tests/kernels/codegen/temporary_folder.h"
#include "tests/kernels/cuda/axpy_problem.h"
#include "tests/support/fake_cuda/tensor_map.h"

namespace exh::kernels::cuda {
namespace {

using testing::AxpyProblem;
using testing::CandidateText;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::kElements;
using testing::ProgramLaunch;
using testing::ProgramsText;
using testing::ProgramText;
using ::testing::SizeIs;
using ::testing::StartsWith;

/// Of an array of 100 rows of 40 halves that lie 64 apart.
const TensorMap kOfHalves = {1, 2, {40, 100}, {128}, {64, 8}, 128};
/// Of the floats of the axpy, from the front.
const TensorMap kOfFloats = {0, 4, {kElements}, {}, {64}, 0};

Gpu GpuOf(const char* driver) {
  return {*Driver::Load(std::vector<std::string>{driver}).driver, 0};
}

FakeTensorMap MapAt(const void* argument) {
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(argument) % 64, 0u);
  FakeTensorMap map;
  std::memcpy(&map, argument, sizeof map);
  EXPECT_EQ(map.mark, FakeTensorMap::kMark);
  return map;
}

/// Pointers to arguments: two arrays, and a scalar behind them.
struct Arguments {
  const DeviceBuffer x, y;
  std::array<CUdeviceptr, 2> arrays = {x.data(), y.data()};
  float scalar = 7;

  explicit Arguments(const Gpu& gpu) : x(gpu, 64 << 10), y(gpu, 64 << 10) {}
  std::vector<void*> Pointers() { return {&arrays[0], &arrays[1], &scalar}; }
};

TEST(TensorMaps, SayWhatTheDriverIsTold) {
  const Gpu gpu = GpuOf(EXH_FAKE_DRIVER);
  Arguments given(gpu);
  TensorMaps maps(gpu, {kOfHalves, kOfFloats});
  std::vector<void*> pointers = given.Pointers();
  const void* const scalar = pointers[2];
  maps.AddTo(pointers);
  ASSERT_THAT(pointers, SizeIs(5));
  EXPECT_EQ(pointers[2], scalar);
  const FakeTensorMap halves = MapAt(pointers[3]), floats = MapAt(pointers[4]);
  EXPECT_EQ(halves.array, given.y.data());
  EXPECT_EQ(halves.type, kMapOf2Bytes);
  EXPECT_EQ(halves.axes, 2);
  EXPECT_THAT(halves.extents, ElementsAre(40, 100, 0, 0, 0));
  EXPECT_THAT(halves.strides, ElementsAre(128, 0, 0, 0));
  EXPECT_THAT(halves.box, ElementsAre(64, 8, 0, 0, 0));
  EXPECT_EQ(halves.swizzle, kMapSwizzle128);
  EXPECT_EQ(halves.promotion, kMapL2Promotion256);
  EXPECT_EQ(floats.array, given.x.data());
  EXPECT_EQ(floats.type, kMapOf4Bytes);
  EXPECT_EQ(floats.axes, 1);
  EXPECT_EQ(floats.swizzle, kMapSwizzleNone);
}

TEST(TensorMaps, HaveElementsOfAnySizeAndEverySwizzle) {
  const Gpu gpu = GpuOf(EXH_FAKE_DRIVER);
  Arguments given(gpu);
  TensorMaps maps(gpu, {{0, 1, {64, 2, 3, 4, 5}, {64, 128, 384, 1536}, {32, 1, 1, 2, 2}, 32},
                        {0, 8, {64, 2, 3}, {512, 1024}, {8, 1, 3}, 64}});
  std::vector<void*> pointers = given.Pointers();
  maps.AddTo(pointers);
  ASSERT_THAT(pointers, SizeIs(5));
  const FakeTensorMap bytes = MapAt(pointers[3]), doubles = MapAt(pointers[4]);
  EXPECT_EQ(bytes.type, kMapOf1Byte);
  EXPECT_EQ(bytes.axes, 5);
  EXPECT_THAT(bytes.strides, ElementsAre(64, 128, 384, 1536));
  EXPECT_THAT(bytes.box, ElementsAre(32, 1, 1, 2, 2));
  EXPECT_EQ(bytes.swizzle, kMapSwizzle32);
  EXPECT_EQ(doubles.type, kMapOf8Bytes);
  EXPECT_EQ(doubles.swizzle, kMapSwizzle64);
}

TEST(TensorMaps, AreMadeOnceForArraysThatStayWhereTheyAre) {
  const Gpu gpu = GpuOf(EXH_FAKE_DRIVER);
  Arguments given(gpu), other(gpu);
  TensorMaps maps(gpu, {kOfHalves});
  const auto added = [&](Arguments& arguments) {
    std::vector<void*> pointers = arguments.Pointers();
    maps.AddTo(pointers);
    return pointers.back();
  };
  void* const first = added(given);
  void* const second = added(other);
  EXPECT_NE(first, second);
  EXPECT_EQ(MapAt(first).array, given.y.data());
  EXPECT_EQ(MapAt(second).array, other.y.data());
  EXPECT_EQ(added(given), first);
  EXPECT_EQ(added(other), second);
  // Of an array that no map is of, nobody cares where it lies.
  given.arrays[0] = other.x.data();
  EXPECT_EQ(added(given), first);
}

TEST(TensorMaps, ThatTheDriverRefusesAreNamed) {
  const Gpu gpu = GpuOf(EXH_FAKE_DRIVER);
  Arguments given(gpu);
  TensorMap wide = kOfHalves;
  wide.box = {128, 8};  // More than the swizzle.
  TensorMaps maps(gpu, {kOfHalves, wide});
  try {
    maps.Prepare(given.Pointers());
    ADD_FAILURE() << "it was made";
  } catch (const GpuError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("cuTensorMapEncodeTiled (map 1): CUDA_ERROR_INVALID_VALUE"));
  }
}

TEST(TensorMaps, NeedAGpuAndADriverThatHaveThem) {
  EXPECT_EQ(ProblemOfTensorMaps(GpuOf(EXH_FAKE_DRIVER)), "");
  EXPECT_EQ(ProblemOfTensorMaps(GpuOf(EXH_FAKE_DRIVER_WITHOUT_MAPS)),
            "its bulk copies need 'cuTensorMapEncodeTiled', which this driver has not");
  ::setenv("EXH_FAKE_GPU", "sm_89", 1);
  EXPECT_EQ(ProblemOfTensorMaps(GpuOf(EXH_FAKE_DRIVER)),
            "its bulk copies need a GPU of sm_90 or later, this one is sm_89");
  ::unsetenv("EXH_FAKE_GPU");
}

// ---- Candidates in their process ----------------------------------------------------------------

class MapsPool : public ::testing::Test {
 protected:
  MapsPool() {
    setup_.drivers = {EXH_FAKE_DRIVER};
    setup_.programs = Written("programs", ProgramsText());
    for (const float offset : {0.25f, 3.0f, 5.0f}) {
      setup_.problems.push_back(Path("problem" + std::to_string(offset)));
      EXPECT_EQ(cpu::WriteProblemFile(setup_.problems.back(), AxpyProblem(offset).problem()), "");
    }
    limits_.answer_s = 30;
    request_.launch = {256, 128, 0, 0};
    request_.launch.maps = {kOfFloats, {1, 4, {kElements}, {}, {32}, 0}};
    request_.patience_ns = 20e9;
  }

  std::string Path(const std::string& name) const { return folder_.path() + "/" + name; }
  std::string Written(const std::string& name, const std::string& text) const {
    std::ofstream(Path(name)) << text;
    return Path(name);
  }
  GpuPool MakePool() const { return {{EXH_CUDA_PROCESS_PROGRAM, "run"}, setup_, 0, limits_}; }
  /// "verdict: why" of a program.
  std::string Run(GpuPool& pool, const std::string& text) {
    request_.cubin = Written("candidate", text);
    const Measurement m = pool.Run(request_);
    return std::string(VerdictName(m.verdict)) + (m.why.empty() ? "" : ": " + m.why);
  }

  kernels::testing::TemporaryFolder folder_;
  RunSetup setup_;
  RunRequest request_;
  GpuPoolLimits limits_;
};

TEST_F(MapsPool, KernelsHaveTheirsBehindTheOtherArguments) {
  request_.full = true;
  GpuPool pool = MakePool();
  // From a graph, and one by one.
  for (const std::string us : {"10", "40"}) {
    EXPECT_EQ(Run(pool, CandidateText("map_at=4 us=" + us)), "correct");
  }
  // The second map is none of x.
  EXPECT_THAT(Run(pool, CandidateText("map_at=5")), HasSubstr("wrong: z[0] is nan"));
  request_.launch.global_bytes = 16;
  EXPECT_EQ(Run(pool, CandidateText("scratch=4 map_at=5")), "correct");
  EXPECT_EQ(pool.replaced(), 0u);
}

TEST_F(MapsPool, EveryKernelOfAProgramHasThem) {
  const std::vector<TensorMap> maps = request_.launch.maps;
  request_.launch = ProgramLaunch();
  request_.launch.maps = maps;
  GpuPool pool = MakePool();
  EXPECT_EQ(Run(pool, ProgramText("map_at=5", "map_at=5")), "correct");
  request_.launch.maps.clear();
  EXPECT_EQ(Run(pool, ProgramText()), "correct");
}

TEST_F(MapsPool, BuffersThatRotateHaveTheirOwn) {
  setup_.cold = true;
  GpuPool pool = MakePool();
  EXPECT_EQ(Run(pool, CandidateText("map_at=4 us=10")), "correct");
}

TEST_F(MapsPool, LaunchesInPartHaveThem) {
  // Too slow by a part, whose results nobody looks at; only who does something spoils an input.
  request_.worth_ns = 1;
  const std::string spoils = CandidateText("us=10 map_at=4 fault=writes of=x at=0");
  GpuPool pool = MakePool();
  EXPECT_EQ(Run(pool, spoils), "wrong: x was written, and is an input");
  request_.launch.maps[0].array = 1;
  EXPECT_THAT(Run(pool, spoils), StartsWith("slow: about 0.04 ms by 64 of 256 blocks"));
}

TEST_F(MapsPool, LaunchesWithCareHaveThem) {
  // Behind a place for temporaries, and a deadline. Nobody looks at results here either.
  request_.give_up_ns = 10e6;
  const std::string breaks = CandidateText("us=100 map_at=6 fault=lost");
  GpuPool pool = MakePool();
  EXPECT_THAT(Run(pool, breaks), StartsWith("crash: the kernel: CUDA_ERROR_UNKNOWN"));
  request_.launch.maps[0].array = 1;
  EXPECT_EQ(Run(pool, breaks), "correct");
}

TEST_F(MapsPool, AreRefusedWhereThereAreNone) {
  setup_.drivers = {EXH_FAKE_DRIVER_WITHOUT_MAPS};
  GpuPool pool = MakePool();
  EXPECT_EQ(Run(pool, CandidateText("map_at=4")),
            "broken: its bulk copies need 'cuTensorMapEncodeTiled', which this driver has not");
  // Nothing else needs them.
  request_.launch.maps.clear();
  EXPECT_EQ(Run(pool, CandidateText()), "correct");
  EXPECT_EQ(pool.replaced(), 0u);
}

TEST_F(MapsPool, OneThatCannotBeIsACrash) {
  request_.launch.maps[1].box = {512};
  GpuPool pool = MakePool();
  EXPECT_THAT(Run(pool, CandidateText()),
              HasSubstr("crash: cuTensorMapEncodeTiled (map 1): CUDA_ERROR_INVALID_VALUE"));
}

}  // namespace
}  // namespace exh::kernels::cuda

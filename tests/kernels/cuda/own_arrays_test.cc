// SPDX-License-Identifier: MIT
//
// The arrays of kernels of users on the fake driver: the reference is what one configuration
// computes, and others are compared with it.
#include "kernels/devices/cuda/own/own_arrays.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/kernels/cuda/programs_text.h"

namespace exh::kernels::cuda {
namespace {

using ::testing::HasSubstr;
using Role = OwnArgument::Role;

constexpr std::uint64_t kCount = 100;

class OwnArraysOnFakeGpu : public ::testing::Test {
 protected:
  OwnArraysOnFakeGpu()
      : gpu_(*Driver::Load(std::vector<std::string>{EXH_FAKE_DRIVER}).driver, 0),
        programs_(gpu_, testing::ProgramsText()) {
    setup_.tolerance = 1e-3;
  }

  /// Arrays whose reference is what the kernel of this line computes.
  void Make(const std::string& line) {
    const Module module(gpu_, Text(line));
    arrays_.emplace(gpu_, programs_, setup_, [&](void** arguments) {
      gpu_.LaunchWide(module.Function("k"), wide_, arguments);
      gpu_.Synchronize();
    });
  }
  DataSet::Verdict Run(const std::string& line) {
    const Module module(gpu_, Text(line));
    arrays_->Restore();
    gpu_.LaunchWide(module.Function("k"), wide_, arrays_->Arguments(setup_.reference).data());
    return arrays_->Check();
  }
  static std::string Text(const std::string& line) {
    return "fake cubin\nkernel k " + line + " n=" + std::to_string(kCount) + "\n";
  }

  Gpu gpu_;
  Module programs_;
  OwnSetup setup_;
  WideLaunch wide_;
  std::optional<OwnArrays> arrays_;
};

TEST_F(OwnArraysOnFakeGpu, OutputsAreComparedWithTheReference) {
  setup_.arguments = {{"x", ir::Type::kF32, Role::kIn, kCount, "", {}},
                      {"y", ir::Type::kF32, Role::kIn, kCount, "", 2},
                      {"z", ir::Type::kF32, Role::kOut, kCount, "", {}},
                      {"alpha", ir::Type::kF32, Role::kScalar, 0, "", {}}};
  setup_.reference.scalars = {1.5};
  Make("axpy");
  EXPECT_EQ(Run("axpy").why, "");
  EXPECT_THAT(Run("axpy fault=wrong at=7").why, HasSubstr("z[7] is "));
  EXPECT_GT(Run("axpy fault=wrong at=7").max_ratio, 1);
  EXPECT_EQ(Run("axpy fault=rounds at=7").why, "");
  EXPECT_THAT(Run("axpy fault=nan").why, HasSubstr("nan"));
  setup_.reference.scalars = {1.25};
  EXPECT_THAT(Run("axpy").why, HasSubstr("z["));
  setup_.reference.scalars = {1.5};
  EXPECT_TRUE(Run("axpy fault=writes of=x at=3").is_spoilt);
}

TEST_F(OwnArraysOnFakeGpu, WhatIsReadAndWrittenIsRestored) {
  setup_.arguments = {{"x", ir::Type::kF32, Role::kIn, kCount, "", {}},
                      {"y", ir::Type::kF32, Role::kInOut, kCount, "", {}}};
  Make("add");
  EXPECT_EQ(Run("add").why, "");
  EXPECT_EQ(Run("add").why, "");
  EXPECT_THAT(Run("add fault=wrong at=3").why, HasSubstr("y[3] is "));
}

TEST_F(OwnArraysOnFakeGpu, IntegersAreTheSame) {
  setup_.arguments = {{"x", ir::Type::kI8, Role::kIn, kCount, "", {}},
                      {"y", ir::Type::kI8, Role::kOut, kCount, "", {}}};
  Make("copy");
  EXPECT_EQ(Run("copy").why, "");
  EXPECT_THAT(Run("copy fault=wrong at=9").why, HasSubstr("y[9] is "));
  EXPECT_NE(Run("copy fault=nan").why, "");
}

TEST_F(OwnArraysOnFakeGpu, WhatIsNoReferenceIsRefused) {
  setup_.arguments = {{"x", ir::Type::kF32, Role::kIn, kCount, "", {}},
                      {"y", ir::Type::kF32, Role::kOut, kCount, "", {}}};
  try {
    Make("add");  // It reads what nobody wrote.
    ADD_FAILURE();
  } catch (const GpuError& error) {
    EXPECT_THAT(error.what(), HasSubstr("y[0] is NaN, or was not written"));
  }
}

TEST(OwnContents, AreTheSameInEveryProcessAndOthersForEachName) {
  const OwnArgument x = {"x", ir::Type::kF32, Role::kIn, kCount, "", {}};
  const OwnArgument y = {"y", ir::Type::kF32, Role::kIn, kCount, "", {}};
  const ir::Elements first = ContentsOf(x), again = ContentsOf(x), other = ContentsOf(y);
  int same = 0;
  for (std::uint64_t i = 0; i < kCount; ++i) {
    EXPECT_EQ(first[i], again[i]);
    EXPECT_LE(std::abs(first[i]), 1);
    same += first[i] == other[i] ? 1 : 0;
  }
  EXPECT_LT(same, 5);
  EXPECT_THROW(ContentsOf({"x", ir::Type::kF32, Role::kIn, 1, "/no/such/file", {}}), GpuError);
}

}  // namespace
}  // namespace exh::kernels::cuda

// SPDX-License-Identifier: MIT
//
// The arrays of kernels of users on the fake driver: the reference is what one configuration
// computes, and others are compared with it.
#include "kernels/devices/cuda/own/own_arrays.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "kernels/devices/cuda/own/own_constants.h"
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

TEST_F(OwnArraysOnFakeGpu, IntegersThatAreNoneOfOursAreShownAsTheyAre) {
  const OwnType half = *OwnType::OfWord("u16"), byte = *OwnType::OfWord("u8");
  setup_.arguments = {{"x", half, Role::kIn, kCount / 2, "", 40000},
                      {"y", half, Role::kOut, kCount / 2, "", {}}};
  Make("copy");
  EXPECT_EQ(Run("copy").why, "");
  EXPECT_EQ(Run("copy fault=wrong at=18").why,
            "y[9] is 40001, expected 40000 (1 bytes of it are wrong)");
  EXPECT_EQ(Run("copy fault=wrong at=19").why,
            "y[9] is 40256, expected 40000 (1 bytes of it are wrong)");
  EXPECT_THAT(Run("copy fault=writes of=y at=103").why, HasSubstr("1 elements behind its end"));
  setup_.arguments = {{"x", byte, Role::kIn, kCount, "", 200},
                      {"y", byte, Role::kOut, kCount, "", {}}};
  Make("copy");
  EXPECT_EQ(Run("copy fault=wrong at=9").why, "y[9] is 201, expected 200 (1 element is wrong)");
  EXPECT_NE(Run("copy fault=nan").why, "");
}

TEST_F(OwnArraysOnFakeGpu, VariablesOfTheFileAreFilledWhereTheyAre) {
  const OwnConstants constants(gpu_, {{"filter", ir::Type::kF32, Role::kIn, 4, "", 0.5}});
  OwnConstants::Places places;
  const Module none(gpu_, Text("axpy")), three(gpu_, Text("axpy variable=filter:12")),
      four(gpu_, Text("axpy variable=filter:16"));
  EXPECT_EQ(constants.Find(none, false, places), "");
  EXPECT_FALSE(places.at(0));
  constants.Fill(places);
  EXPECT_THAT(constants.Find(none, true, places), HasSubstr("no variable 'filter'"));
  EXPECT_THAT(constants.Find(three, false, places), HasSubstr("has 12 bytes, and should hold 16"));
  EXPECT_EQ(constants.Find(four, true, places), "");
  constants.Fill(places);
  gpu_.Synchronize();
  std::array<float, 4> held{};
  gpu_.Download(held.data(), places.at(0)->data, sizeof held);
  EXPECT_THAT(held, ::testing::Each(0.5f));
}

TEST(OwnTypes, NumbersBecomeElementsAsInC) {
  const auto text = [](const char* word, double value) {
    std::array<std::byte, 8> element{};
    const OwnType type = *OwnType::OfWord(word);
    type.Write(element.data(), value);
    return type.TextOf(element.data());
  };
  EXPECT_EQ(text("u8", 255.9), "255");
  EXPECT_EQ(text("u8", -1), "255");
  EXPECT_EQ(text("u8", 257), "1");
  EXPECT_EQ(text("i16", -32768), "-32768");
  EXPECT_EQ(text("i16", 32768), "-32768");
  EXPECT_EQ(text("u16", 65535), "65535");
  EXPECT_EQ(text("u64", 0x1p63), "9223372036854775808");
  EXPECT_EQ(text("u64", 1e30), "18446744073709551615");
  EXPECT_FALSE(OwnType::OfWord("u128"));
  EXPECT_TRUE(OwnType::OfWord("bool")->is_ours());
  EXPECT_EQ(OwnType::OfWord("u16")->bytes(), 2u);
  EXPECT_EQ(OwnType::Words().size(), ir::AllTypes().size() + 4);
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
  const auto numbers = [](const OwnArgument& argument) {
    std::vector<double> read;
    const std::vector<std::byte> bytes = ContentsOf(argument);
    for (std::uint64_t i = 0; i < argument.elements; ++i) {
      read.push_back(ir::ReadElement(ir::Type::kF32, bytes.data() + 4 * i));
    }
    return read;
  };
  const std::vector<double> first = numbers(x), again = numbers(x), other = numbers(y);
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

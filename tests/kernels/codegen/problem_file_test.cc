// SPDX-License-Identifier: MIT
#include "kernels/cpu/problem_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <span>

#include "kernels/ir/elements.h"
#include "tests/kernels/codegen/temporary_folder.h"

namespace exh::kernels::cpu {
namespace {

using ::testing::HasSubstr;

/// x, and z = 2 * x, of 1000 elements, and an odd number of smaller ones.
class ProblemFileTest : public ::testing::Test {
 protected:
  ProblemFileTest() : path_(folder_.path() + "/problem") {
    for (int i = 0; i < 1000; ++i) {
      x_.push_back(static_cast<float>(i));
      reference_.push_back(2.0 * i);
      tolerance_.push_back(0.5);
    }
    Problem problem;
    for (int i = 0; i < kOdd; ++i) flags_.Set(i, i % 3);
    for (int i = 0; i < kOdd; ++i) halves_.Set(i, 0.5 * i);
    problem.arrays = {
        {"x", false, ir::Type::kF32, std::as_bytes(std::span(x_)), {}, {}},
        {"flags", false, flags_.type(), flags_.bytes(), {}, {}},
        {"halves", false, halves_.type(), halves_.bytes(), {}, {}},
        {"z", true, ir::Type::kI64, {}, reference_, tolerance_, 0.25},
    };
    problem.scalars = {{ir::Type::kF32, 2},
                       {ir::Type::kI64, std::int64_t{9007199254740993}},
                       {ir::Type::kF64, 0.1}};
    EXPECT_EQ(WriteProblemFile(path_, problem), "");
  }

  kernels::testing::TemporaryFolder folder_;
  std::string path_;
  static constexpr int kOdd = 77;
  std::vector<float> x_;
  ir::Elements flags_{ir::Type::kBool, kOdd}, halves_{ir::Type::kF16, kOdd};
  std::vector<double> reference_, tolerance_;
};

TEST_F(ProblemFileTest, ComesBackWhole) {
  const MappedProblem mapped(path_);
  ASSERT_EQ(mapped.error(), "");
  const Problem& problem = mapped.problem();
  ASSERT_EQ(problem.arrays.size(), 4U);
  EXPECT_EQ(problem.arrays[0].name, "x");
  const auto element = [&](std::size_t array, std::size_t i) {
    const ProblemArray& data = problem.arrays[array];
    return ir::ReadElement(data.type, data.values.data() + i * ir::BytesOf(data.type));
  };
  EXPECT_EQ(element(0, 999), 999);
  const ProblemArray& z = problem.arrays[3];
  EXPECT_EQ(z.reference[999], 1998);
  EXPECT_EQ(z.tolerance[999], 0.5);
  EXPECT_EQ(z.rms_limit, 0.25);
}

TEST_F(ProblemFileTest, TypesComeBack) {
  const MappedProblem mapped(path_);
  ASSERT_EQ(mapped.error(), "");
  const Problem& problem = mapped.problem();
  ASSERT_EQ(problem.arrays.size(), 4U);
  const ProblemArray &flags = problem.arrays[1], &halves = problem.arrays[2];
  EXPECT_EQ(problem.arrays[0].type, ir::Type::kF32);
  EXPECT_EQ(problem.arrays[3].type, ir::Type::kI64);
  EXPECT_EQ(problem.arrays[3].elements(), 1000U);
  EXPECT_EQ(flags.type, ir::Type::kBool);
  EXPECT_EQ(flags.elements(), std::size_t{kOdd});
  EXPECT_TRUE(std::ranges::equal(flags.values, flags_.bytes()));
  EXPECT_EQ(halves.type, ir::Type::kF16);
  EXPECT_EQ(halves.elements(), std::size_t{kOdd});
  EXPECT_TRUE(std::ranges::equal(halves.values, halves_.bytes()));
  for (const ProblemArray& array : problem.arrays) {
    const void* const data = array.is_output ? static_cast<const void*>(array.reference.data())
                                             : static_cast<const void*>(array.values.data());
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % 64, 0U) << array.name;
  }
  ASSERT_EQ(problem.scalars.size(), 3U);
  EXPECT_EQ(problem.scalars[0].type, ir::Type::kF32);
  EXPECT_EQ(problem.scalars[0].value, 2);
  EXPECT_EQ(problem.scalars[1].type, ir::Type::kI64);
  EXPECT_EQ(problem.scalars[1].value.whole(), 9007199254740993);  // No double is.
  EXPECT_EQ(problem.scalars[2].type, ir::Type::kF64);
  EXPECT_EQ(problem.scalars[2].value, 0.1);
}

TEST_F(ProblemFileTest, DamagedProblemFiles) {
  std::string bytes;
  {
    std::ifstream file(path_, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(file), {});
  }
  const std::string damaged = folder_.path() + "/damaged";
  const auto error_of = [&](const std::string& text) {
    std::ofstream(damaged, std::ios::binary) << text;
    return MappedProblem(damaged).error();
  };
  EXPECT_EQ(error_of(bytes), "");
  EXPECT_THAT(error_of(bytes.substr(0, bytes.size() - 4000)), HasSubstr("cut off in array z"));
  EXPECT_NE(error_of(bytes.substr(0, 40)), "");
  EXPECT_NE(error_of(""), "");
  EXPECT_THAT(error_of("something else entirely"), HasSubstr("no problem file"));
  std::string unknown = bytes;
  unknown.replace(unknown.find("\"f16\""), 5, "\"f61\"");
  EXPECT_THAT(error_of(unknown), HasSubstr("type 'f61'"));
  bytes[20] = '!';
  EXPECT_NE(error_of(bytes), "");
  EXPECT_THAT(WriteProblemFile("/proc/no/file", {}), HasSubstr("/proc/no/file"));
}

}  // namespace
}  // namespace exh::kernels::cpu

// SPDX-License-Identifier: MIT
#include "kernels/cpu/problem_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>

#include "tests/kernels/codegen/temporary_folder.h"

namespace exh::kernels::cpu {
namespace {

using ::testing::HasSubstr;

/// x, and z = 2 * x, of 1000 elements.
class ProblemFileTest : public ::testing::Test {
 protected:
  ProblemFileTest() : path_(folder_.path() + "/problem") {
    for (int i = 0; i < 1000; ++i) {
      x_.push_back(static_cast<float>(i));
      reference_.push_back(2.0 * i);
      tolerance_.push_back(0.5);
    }
    Problem problem;
    problem.arrays = {{"x", false, x_, {}, {}}, {"z", true, {}, reference_, tolerance_}};
    problem.scalars = {2};
    EXPECT_EQ(WriteProblemFile(path_, problem), "");
  }

  kernels::testing::TemporaryFolder folder_;
  std::string path_;
  std::vector<float> x_;
  std::vector<double> reference_, tolerance_;
};

TEST_F(ProblemFileTest, ComesBackWhole) {
  const MappedProblem mapped(path_);
  ASSERT_EQ(mapped.error(), "");
  const Problem& problem = mapped.problem();
  ASSERT_EQ(problem.arrays.size(), 2U);
  EXPECT_EQ(problem.arrays[0].name, "x");
  EXPECT_EQ(problem.arrays[0].values[999], 999);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(problem.arrays[0].values.data()) % 64, 0U);
  EXPECT_EQ(problem.arrays[1].reference[999], 1998);
  EXPECT_EQ(problem.arrays[1].tolerance[999], 0.5);
  EXPECT_EQ(problem.scalars, std::vector<float>{2});
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
  bytes[20] = '!';
  EXPECT_NE(error_of(bytes), "");
  EXPECT_THAT(WriteProblemFile("/proc/no/file", {}), HasSubstr("/proc/no/file"));
}

}  // namespace
}  // namespace exh::kernels::cpu

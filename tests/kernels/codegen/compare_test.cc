// SPDX-License-Identifier: MIT
#include "kernels/cpu/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace exh::kernels::cpu {
namespace {

using ::testing::HasSubstr;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kDenormal = std::numeric_limits<float>::denorm_min();

/// One output, what became of it, and what Compare() says.
Comparison Of(const std::vector<double>& reference, const std::vector<double>& tolerance,
              const std::vector<float>& got, double rms_limit = 1) {
  return Compare({"z", true, {}, reference, tolerance, rms_limit}, got);
}
bool IsRight(double reference, double tolerance, float got) {
  return Of({reference}, {tolerance}, {got}).why.empty();
}

TEST(Compare, ElementsWithinTheirToleranceAreRight) {
  EXPECT_TRUE(IsRight(1, 0.25, 1.25f));
  EXPECT_TRUE(IsRight(1, 0, 1));
  EXPECT_FALSE(IsRight(1, 0.25, 1.26f));
  EXPECT_FALSE(IsRight(1, 0, 1.0001f));
  EXPECT_FALSE(IsRight(1, 0.25, kNan));
  EXPECT_FALSE(IsRight(1, 0.25, kInfinity));
}

TEST(Compare, NanAndInfinityMatchThemselvesAlone) {
  EXPECT_TRUE(IsRight(kNan, 0, kNan));
  EXPECT_FALSE(IsRight(kNan, 1e30, 0));
  EXPECT_FALSE(IsRight(kNan, kSameBits, 0));
  EXPECT_TRUE(IsRight(kNan, kSameBits, -kNan));
  EXPECT_TRUE(IsRight(kInfinity, 0, kInfinity));
  EXPECT_FALSE(IsRight(kInfinity, 0, -kInfinity));
  EXPECT_FALSE(IsRight(kInfinity, kInfinity, 3e38f));
  EXPECT_FALSE(IsRight(kInfinity, 0, kNan));
}

TEST(Compare, WhereNothingIsKnownANumberIsRight) {
  EXPECT_TRUE(IsRight(0, kInfinity, 3e38f));
  EXPECT_FALSE(IsRight(0, kInfinity, kNan));
  EXPECT_EQ(Of({0, 1}, {kInfinity, 1}, {7, 1.5f}).rms_ratio, 0.5);
}

TEST(Compare, ZerosAreEqualUnlessBitsCount) {
  EXPECT_TRUE(IsRight(-0.0, 0, 0.0f));
  EXPECT_FALSE(IsRight(-0.0, kSameBits, 0.0f));
  EXPECT_TRUE(IsRight(-0.0, kSameBits, -0.0f));
  EXPECT_FALSE(IsRight(0.0, kSameBits, -0.0f));
}

TEST(Compare, AFlushedDenormalIsWrong) {
  EXPECT_TRUE(IsRight(double{kDenormal}, 0, kDenormal));
  EXPECT_FALSE(IsRight(double{kDenormal}, 0, 0));
  EXPECT_FALSE(IsRight(double{kDenormal}, kSameBits, 0));
}

TEST(Compare, SaysWhichElementIsTheFirst) {
  const Comparison comparison = Of({1, 2, 3, 4}, {0.5, 0.5, 0.5, kSameBits}, {1, 3, 9, 4});
  EXPECT_EQ(comparison.why, "z[1] is 3, expected 2 within 0.5 (2 elements are wrong)");
  EXPECT_EQ(comparison.first_wrong, 1u);
  EXPECT_EQ(comparison.wrong, 2u);
  EXPECT_EQ(comparison.max_error, 6);
  EXPECT_EQ(comparison.max_ratio, 12);
  EXPECT_EQ(Of({1}, {kSameBits}, {2}).why, "z[0] is 2, expected 1 bit by bit (1 element is wrong)");
  EXPECT_EQ(Of({1}, {0}, {2}).max_ratio, double{kInfinity});
}

TEST(Compare, ErrorsThatAreSmallEverywhereAddUp) {
  const std::vector<double> reference(100, 1), tolerance(100, 0.1);
  const std::vector<float> got(100, 1.05f);
  EXPECT_EQ(Of(reference, tolerance, got).why, "");
  EXPECT_NEAR(Of(reference, tolerance, got).rms_ratio, 0.5, 1e-4);
  EXPECT_THAT(Of(reference, tolerance, got, 0.4).why,
              HasSubstr("z: the root mean square of error / tolerance over all elements is 0.5, at "
                        "most 0.4"));
  // What must be exact counts for nothing here.
  EXPECT_NEAR(Of({1, 1}, {0.1, 0}, {1.05f, 1}).rms_ratio, 0.5, 1e-4);
}

}  // namespace
}  // namespace exh::kernels::cpu

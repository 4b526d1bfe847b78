// SPDX-License-Identifier: MIT
#include "kernels/cpu/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "kernels/ir/elements.h"

namespace exh::kernels::cpu {
namespace {

using ::testing::HasSubstr;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kDenormal = std::numeric_limits<float>::denorm_min();

/// One output, what became of it, and what Compare() says.
OutputComparison Of(const std::vector<double>& reference, const std::vector<double>& tolerance,
                    const std::vector<float>& got, double rms_limit = 1) {
  return Compare({"z", true, ir::Type::kF32, {}, reference, tolerance, rms_limit},
                 std::as_bytes(std::span(got)));
}
/// The same of one element of a type.
OutputComparison OfOne(ir::Type type, double reference, double tolerance, double got) {
  ir::Elements elements(type, 1);
  elements.Set(0, got);
  const std::vector<double> references = {reference}, tolerances = {tolerance};
  return Compare({"z", true, type, {}, references, tolerances}, elements.bytes());
}
bool IsRight(ir::Type type, double reference, double tolerance, double got) {
  return OfOne(type, reference, tolerance, got).why.empty();
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
  EXPECT_TRUE(IsRight(kInfinity, kAnything, 3e38f));
  EXPECT_TRUE(IsRight(kNan, kAnything, 1));
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
  const OutputComparison comparison = Of({1, 2, 3, 4}, {0.5, 0.5, 0.5, kSameBits}, {1, 3, 9, 4});
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

// ---- Types --------------------------------------------------------------------------------------

TEST(CompareTypes, WhatIsRightIsAndOneUnitOffIsNot) {
  for (const ir::TypeInfo& info : ir::AllTypes()) {
    const ir::Type type = info.type;
    EXPECT_TRUE(IsRight(type, 1, 0, 1)) << info.word;
    EXPECT_TRUE(IsRight(type, 1, kSameBits, 1)) << info.word;
    if (type == ir::Type::kBool) continue;
    const double next = info.is_float ? 1 + std::ldexp(1, 1 - info.bits) : 2;
    EXPECT_FALSE(IsRight(type, 1, 0, next)) << info.word;
    EXPECT_FALSE(IsRight(type, 1, kSameBits, next)) << info.word;
    EXPECT_TRUE(IsRight(type, 1, next - 1, next)) << info.word;
    EXPECT_EQ(OfOne(type, 1, 0, next).max_error, next - 1) << info.word;
  }
  EXPECT_FALSE(IsRight(ir::Type::kI8, -128, 0, 127));
  EXPECT_FALSE(IsRight(ir::Type::kU32, 4294967295.0, 0, 4294967294.0));
  EXPECT_FALSE(IsRight(ir::Type::kI64, 0x1p53, 0, 0x1p53 - 1));
}

TEST(CompareTypes, BitsAreThoseOfTheReferenceInTheType) {
  const double third = 1.0 / 3;
  for (const ir::TypeInfo& info : ir::AllTypes()) {
    if (!info.is_float) continue;
    EXPECT_TRUE(IsRight(info.type, third, kSameBits, third)) << info.word;
    EXPECT_FALSE(IsRight(info.type, -0.0, kSameBits, 0)) << info.word;
    EXPECT_TRUE(IsRight(info.type, -0.0, kSameBits, -0.0)) << info.word;
  }
}

TEST(CompareTypes, NanAndInfinityOfEveryFloat) {
  for (const ir::TypeInfo& info : ir::AllTypes()) {
    if (!info.is_float) continue;
    EXPECT_TRUE(IsRight(info.type, kNan, 0, kNan)) << info.word;
    EXPECT_FALSE(IsRight(info.type, kNan, 1e30, 0)) << info.word;
    EXPECT_FALSE(IsRight(info.type, 1, 1e30, kNan)) << info.word;
    // What an f8e4m3 makes of an infinity is its largest number.
    const double lowest = ir::Rounded(info.type, -kInfinity);
    EXPECT_TRUE(IsRight(info.type, lowest, 0, -kInfinity)) << info.word;
    EXPECT_FALSE(IsRight(info.type, kInfinity, 0, kNan)) << info.word;
  }
  EXPECT_EQ(OfOne(ir::Type::kF16, 1, 0, kNan).why,
            "z[0] is nan, expected 1 within 0 (1 element is wrong)");
}

TEST(CompareTypes, ABoolIsOneOfTwoBytes) {
  const std::vector<double> reference = {0, 1, 1}, tolerance = {0, kInfinity, 0};
  const auto why = [&](std::vector<std::uint8_t> bytes) {
    return Compare({"z", true, ir::Type::kBool, {}, reference, tolerance},
                   std::as_bytes(std::span(bytes)))
        .why;
  };
  EXPECT_EQ(why({0, 0, 1}), "");
  EXPECT_EQ(why({1, 1, 1}), "z[0] is 1, expected 0 within 0 (1 element is wrong)");
  EXPECT_EQ(why({0, 2, 1}), "z[1] is 2, expected 1 within inf (1 element is wrong)");
  EXPECT_EQ(why({0, 1, 255}), "z[2] is 255, expected 1 within 0 (1 element is wrong)");
}

TEST(CompareTypes, NumbersAreWrittenAsTheirTypeHasThem) {
  EXPECT_THAT(OfOne(ir::Type::kF32, 1, 0, 0.1).why, HasSubstr("z[0] is 0.1, "));
  EXPECT_THAT(OfOne(ir::Type::kF64, 1, 0, 0.1).why, HasSubstr("z[0] is 0.1, "));
  EXPECT_THAT(OfOne(ir::Type::kF64, 1, 0, 1 + 0x1p-52).why,
              HasSubstr("z[0] is 1.0000000000000002, "));
  EXPECT_THAT(OfOne(ir::Type::kI64, 1e18, 0, -1e17).why,
              HasSubstr("z[0] is -100000000000000000, expected 1000000000000000000 within 0"));
  EXPECT_THAT(OfOne(ir::Type::kI8, 5, 0, -7).why, HasSubstr("z[0] is -7, expected 5 within 0"));
}

}  // namespace
}  // namespace exh::kernels::cpu

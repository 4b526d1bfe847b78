// SPDX-License-Identifier: MIT
#include "base/numbers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/search/temp_folder.h"

namespace exh {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

TEST(ParseInteger, TakesTheWholeTextOrNothing) {
  EXPECT_EQ(ParseInteger("512"), 512);
  EXPECT_EQ(ParseInteger("-3"), -3);
  EXPECT_EQ(ParseInteger(""), std::nullopt);
  EXPECT_EQ(ParseInteger("12x"), std::nullopt);
  EXPECT_EQ(ParseInteger("1.5"), std::nullopt);
  EXPECT_EQ(ParseInteger("99999999999999999999"), std::nullopt);
}

TEST(ParseReal, RefusesWhatIsNoFiniteDecimal) {
  EXPECT_EQ(ParseReal("1.5"), 1.5);
  EXPECT_EQ(ParseReal("inf"), std::nullopt);
  EXPECT_EQ(ParseReal("nan"), std::nullopt);
  EXPECT_EQ(ParseReal("0x10"), std::nullopt);
  EXPECT_EQ(ParseReal(""), std::nullopt);
}

TEST(ParseAssignments, KeepsTheOrder) {
  EXPECT_THAT(ParseAssignments("m=512, n = 4", "--size"),
              ElementsAre(Pair("m", "512"), Pair("n", "4")));
  EXPECT_TRUE(ParseAssignments("", "--size").empty());
  EXPECT_THAT(search::Thrown<UsageError>([] { ParseAssignments("m=1,512", "--size"); }),
              HasSubstr("'512' is not name=value"));
  EXPECT_THAT(search::Thrown<UsageError>([] { ParseAssignments("m=1,", "--size"); }),
              HasSubstr("not name=value"));
}

TEST(ParseBytes, NeedsAUnit) {
  EXPECT_EQ(ParseBytes("512MiB"), std::uint64_t{512} << 20);
  EXPECT_EQ(ParseBytes("1.5GiB"), std::uint64_t{3} << 29);
  for (const char* bad : {"", "4", "GiB", "-1GiB", "0MiB", "4 GiB", "4GB", "9e9TiB"}) {
    EXPECT_EQ(ParseBytes(bad), std::nullopt) << bad;
  }
}

TEST(ParseTime, NeedsAUnit) {
  EXPECT_EQ(ParseTime("12us"), 12000);
  EXPECT_EQ(ParseTime("1.5ms"), 1.5e6);
  EXPECT_EQ(ParseTime("800ns"), 800);
  EXPECT_EQ(ParseTime("2s"), 2e9);
  for (const char* bad : {"", "12", "us", "12 us s", "12 m"})
    EXPECT_EQ(ParseTime(bad), std::nullopt);
}

TEST(FormatTime, PicksTheUnitThatFits) {
  EXPECT_EQ(FormatTime(1.24), "1.24 ns");
  EXPECT_EQ(FormatTime(82400), "82.4 us");
  EXPECT_EQ(FormatTime(123.4e6), "123 ms");
  EXPECT_EQ(FormatTime(2e9), "2.00 s");
}

TEST(FormatRate, NeedsATime) {
  EXPECT_EQ(FormatRate(2e9, 1e8), "20.0 GFLOP/s");
  EXPECT_EQ(FormatRate(2e9, 1e12), "0.002 GFLOP/s");
  EXPECT_EQ(FormatRate(2e9, 0), "-");
}

}  // namespace
}  // namespace exh

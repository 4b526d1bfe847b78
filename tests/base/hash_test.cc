// SPDX-License-Identifier: MIT
#include "base/hash.h"

#include <gtest/gtest.h>

namespace exh {
namespace {

TEST(Crc32c, IsTheCastagnoliPolynomial) {
  EXPECT_EQ(Crc32c(""), 0u);
  EXPECT_EQ(Crc32c("123456789"), 0xE3069283u);
}

TEST(Fnv1a64, IsTheSameEverywhere) {
  EXPECT_EQ(Fnv1a64(""), 0xCBF29CE484222325u);
  EXPECT_EQ(Fnv1a64("a"), 0xAF63DC4C8601EC8Cu);
}

TEST(CacheKey, HasAllOfTheText) {
  EXPECT_EQ(CacheKey("").size(), 32u);
  EXPECT_NE(CacheKey("a"), CacheKey("b"));
  EXPECT_EQ(CacheKey("a"), CacheKey("a"));
}

}  // namespace
}  // namespace exh

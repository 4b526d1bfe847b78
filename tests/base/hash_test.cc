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

// What is in caches was found by these.
TEST(CacheKey, IsTheSameEverywhere) {
  EXPECT_EQ(CacheKey(""), "cbf29ce4842223259ae16a3b2f90404f");
  EXPECT_EQ(CacheKey("a").substr(0, 16), "af63dc4c8601ec8c");
  EXPECT_NE(CacheKey("ab"), CacheKey("ba"));
}

}  // namespace
}  // namespace exh

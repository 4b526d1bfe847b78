// SPDX-License-Identifier: MIT
#include "base/hash.h"

#include <gtest/gtest.h>

#include <string>

namespace exh {
namespace {

TEST(Crc32c, IsTheCastagnoliPolynomial) {
  EXPECT_EQ(Crc32c(""), 0u);
  EXPECT_EQ(Crc32c("123456789"), 0xE3069283u);
}

// Eight bytes are taken at once: texts of every length, and bytes of both signs, against bits that
// are taken one by one.
TEST(Crc32c, IsTheSameBitByBit) {
  std::string text;
  for (int i = 0; i < 70; ++i) {
    std::uint32_t crc = 0xFFFFFFFFu;
    for (const char c : text) {
      crc ^= static_cast<unsigned char>(c);
      for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82F63B78u : 0u);
    }
    ASSERT_EQ(Crc32c(text), ~crc) << text.size();
    text += static_cast<char>(i * 89 + 17);
  }
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

// SPDX-License-Identifier: MIT
#include "base/hash.h"

#include <gtest/gtest.h>

#include <set>
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

// What is in caches was found by these: the answers of `xxh128sum`, for texts of every branch of
// the function: none, up to 3, 8, 16, 128, 240 bytes, and more.
TEST(CacheKey, IsXxh3OfTheWholeText) {
  const auto alphabet = [](std::size_t length) {
    std::string text(length, '\0');
    for (std::size_t at = 0; at < length; ++at) text[at] = static_cast<char>('a' + at % 26);
    return text;
  };
  EXPECT_EQ(CacheKey(alphabet(0)), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(CacheKey(alphabet(1)), "a96faf705af16834e6c632b61e964e1f");
  EXPECT_EQ(CacheKey(alphabet(3)), "06b05ab6733a618578af5f94892f3950");
  EXPECT_EQ(CacheKey(alphabet(4)), "8d6b60383dfa90c21be79eecd1b1353d");
  EXPECT_EQ(CacheKey(alphabet(8)), "dac23237af37353342b702b313880f12");
  EXPECT_EQ(CacheKey(alphabet(9)), "b43ff5bc5ff2e0adc0646b2d7986db98");
  EXPECT_EQ(CacheKey(alphabet(16)), "1f58fc809b1b8c4b3e8e153ff12f6330");
  EXPECT_EQ(CacheKey(alphabet(17)), "11078c38a5ca3a8dc3acc9940596efab");
  EXPECT_EQ(CacheKey(alphabet(128)), "a87f157ac617df254c5499b1fc6dae1e");
  EXPECT_EQ(CacheKey(alphabet(129)), "8ebb4a9854af5bc41ac468f67a442b6a");
  EXPECT_EQ(CacheKey(alphabet(240)), "ee81fc0343b09d3079750202eaee16bc");
  EXPECT_EQ(CacheKey(alphabet(241)), "4c1a7e587365bd1ebb0a906af5b5c211");
  EXPECT_EQ(CacheKey(alphabet(1024)), "a0e8f48f4e7973c45e6a406e127165a8");
  EXPECT_EQ(CacheKey(alphabet(5000)), "0acf3f2690e48fadeb0f5845c1ec4cc2");
}

// A text may have any bytes, also zeros, and every one of them counts.
TEST(CacheKey, EachByteCounts) {
  std::string text(600, '\0');
  std::set<std::string> keys = {CacheKey(text)};
  for (char& c : text) {
    c = '\1';
    EXPECT_TRUE(keys.insert(CacheKey(text)).second);
  }
  EXPECT_NE(CacheKey(text), CacheKey(text + '\0'));
}

}  // namespace
}  // namespace exh

// SPDX-License-Identifier: MIT
#include "base/hash.h"

#include <fmt/format.h>

#include <array>

namespace exh {
namespace {

constexpr std::array<std::uint32_t, 256> MakeTable() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82F63B78u : 0u);
    table[byte] = crc;
  }
  return table;
}

constexpr std::array<std::uint32_t, 256> kTable = MakeTable();

}  // namespace

std::uint32_t Crc32c(std::string_view bytes) {
  std::uint32_t crc = 0xFFFFFFFFu;
  for (const char c : bytes)
    crc = (crc >> 8) ^ kTable[(crc ^ static_cast<unsigned char>(c)) & 0xFF];
  return ~crc;
}

std::uint32_t Crc32cDifference(std::uint32_t difference) {
  return (difference >> 8) ^ kTable[difference & 0xFF];
}

std::uint64_t Fnv1a64(std::string_view bytes, std::uint64_t hash) {
  for (const char c : bytes) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001B3u;
  }
  return hash;
}

std::string CacheKey(std::string_view text) {
  // Two hashes side by side: FNV-1a, and one that mixes in another way.
  std::uint64_t a = kFnvStart, b = 0x9ae16a3b2f90404fULL;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    a = (a ^ byte) * 0x100000001B3ULL;
    b = (b ^ (byte + 0x55U)) * 0xc6a4a7935bd1e995ULL;
    b ^= b >> 29;
  }
  return fmt::format("{:016x}{:016x}", a, b);
}

}  // namespace exh

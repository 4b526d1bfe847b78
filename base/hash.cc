// SPDX-License-Identifier: MIT
#include "base/hash.h"

#include <fmt/format.h>

#include <array>

// All of it is compiled here: nobody who links this library needs one more.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace exh {
namespace {

/// Eight bytes are taken at once ("slicing by 8"): table k says what a byte does to the checksum of
/// a text in which k more bytes follow.
constexpr std::size_t kSlices = 8;
using Tables = std::array<std::array<std::uint32_t, 256>, kSlices>;

constexpr Tables MakeTables() {
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82F63B78u : 0u);
    tables[0][byte] = crc;
  }
  for (std::size_t slice = 1; slice < kSlices; ++slice) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t crc = tables[slice - 1][byte];
      tables[slice][byte] = (crc >> 8) ^ tables[0][crc & 0xFF];
    }
  }
  return tables;
}

constexpr Tables kTables = MakeTables();
constexpr const std::array<std::uint32_t, 256>& kTable = kTables[0];

/// The next four bytes, the first one lowest, whatever the machine's own order is.
std::uint32_t FourBytes(const char* at) {
  std::uint32_t value = 0;
  for (int byte = 3; byte >= 0; --byte) value = value << 8 | static_cast<unsigned char>(at[byte]);
  return value;
}

}  // namespace

std::uint32_t Crc32c(std::string_view bytes) {
  std::uint32_t crc = 0xFFFFFFFFu;
  for (; bytes.size() >= kSlices; bytes.remove_prefix(kSlices)) {
    const std::uint32_t low = crc ^ FourBytes(bytes.data()), high = FourBytes(bytes.data() + 4);
    crc = kTables[7][low & 0xFF] ^ kTables[6][low >> 8 & 0xFF] ^ kTables[5][low >> 16 & 0xFF] ^
          kTables[4][low >> 24] ^ kTables[3][high & 0xFF] ^ kTables[2][high >> 8 & 0xFF] ^
          kTables[1][high >> 16 & 0xFF] ^ kTables[0][high >> 24];
  }
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
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace exh

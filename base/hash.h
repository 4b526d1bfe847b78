// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace exh {

/// CRC-32C (Castagnoli), as in iSCSI and ext4: Crc32c("123456789") == 0xE3069283.
std::uint32_t Crc32c(std::string_view bytes);

/// Two texts of the same length whose checksums differ in these bits: the bits in which they differ
/// when both texts go on with the same byte.
std::uint32_t Crc32cDifference(std::uint32_t difference);

/// 64-bit FNV-1a; the same on every machine, so hashes in logs can be compared. A text in pieces
/// has the hash of the whole when each piece goes on from the hash of those before.
inline constexpr std::uint64_t kFnvStart = 0xCBF29CE484222325u;
std::uint64_t Fnv1a64(std::string_view bytes, std::uint64_t hash = kFnvStart);

/// XXH3-128 as 32 hex digits, the canonical form of `xxh128sum`: for what is kept on a disk by the
/// text that it was made of, also where many machines keep it in one folder. The same on every
/// machine. No secret is in it: it tells texts apart that nobody made to be confused.
std::string CacheKey(std::string_view text);

}  // namespace exh

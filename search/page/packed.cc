// SPDX-License-Identifier: MIT
#include "search/page/packed.h"

#include <zlib.h>

#include <algorithm>
#include <cstdint>

#include "base/error.h"

namespace exh::search {
namespace {

std::string Base64(std::string_view bytes) {
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t three = 0;
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    for (std::size_t i = 0; i < 3; ++i) {
      three = three << 8 | (i < count ? static_cast<unsigned char>(bytes[at + i]) : 0u);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      text += i <= count ? kLetters[three >> (18 - 6 * i) & 63] : '=';
    }
  }
  return text;
}

}  // namespace

std::string Packed(std::string_view text) {
  constexpr int kFast = 1;  // Columns of decisions pack well at once; more effort is no gain.
  uLongf size = ::compressBound(text.size());
  std::string bytes(size, '\0');
  if (::compress2(reinterpret_cast<Bytef*>(bytes.data()), &size,
                  reinterpret_cast<const Bytef*>(text.data()), text.size(), kFast) != Z_OK) {
    throw Error("a column of the page cannot be compressed: there is too little memory");
  }
  bytes.resize(size);
  return Base64(bytes);
}

}  // namespace exh::search

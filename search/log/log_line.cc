// SPDX-License-Identifier: MIT
#include "search/log/log_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/hash.h"

namespace exh::search {
namespace {

constexpr std::string_view kLine = ",\"line\":", kAfter = ",\"after\":\"", kCrc = ",\"crc\":\"";
constexpr std::string_view kEnd = "\"}";
constexpr std::size_t kDigits = 8;
constexpr std::size_t kSealLength = kCrc.size() + kDigits + kEnd.size();
/// Records nest four deep; readers of JSON that call themselves would run out of stack.
constexpr int kMostDepth = 64;
/// Stands where a long text was: a character that records hardly ever have.
constexpr char kMark = '\x7f';

/// Eight hexadecimal digits of lower case.
std::optional<std::uint32_t> ParseChecksum(std::string_view text) {
  std::uint32_t value = 0;
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value, 16);
  const bool has_capitals = text.find_first_of("ABCDEF") != text.npos;
  if (text.size() != kDigits || result.ec != std::errc() || result.ptr != end || has_capitals) {
    return std::nullopt;
  }
  return value;
}

std::string SealOf(std::uint32_t checksum) {
  return fmt::format("{}{:08x}{}", kCrc, checksum, kEnd);
}

/// Takes `,"line":17,"after":"5c1d0b3e"` off the end of the record, if that is how it ends.
void SplitChain(SealedLine& line) {
  std::string_view text = line.record;
  if (!text.ends_with('"') || text.size() < kAfter.size() + kDigits + 1) return;
  text.remove_suffix(1);
  const auto after = ParseChecksum(text.substr(text.size() - kDigits));
  text.remove_suffix(kDigits);
  if (!after || !text.ends_with(kAfter)) return;
  text.remove_suffix(kAfter.size());
  const std::size_t begin = text.rfind(kLine);
  if (begin == text.npos) return;
  const std::string_view digits = text.substr(begin + kLine.size());
  std::uint64_t number = 0;
  const char* const end = digits.data() + digits.size();
  const auto result = std::from_chars(digits.data(), end, number);
  if (digits.empty() || result.ec != std::errc() || result.ptr != end) return;
  line.record = text.substr(0, begin);
  line.number = number;
  line.after = *after;
}

int DifferentBits(std::string_view a, std::string_view b) {
  int bits = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    bits += std::popcount(static_cast<unsigned char>(a[i] ^ b[i]));
  }
  return bits;
}

/// The bit whose change turns one checksum into the other, for a text of this length: a checksum is
/// linear, so that the difference depends on nothing but how far the bit is from the end.
std::optional<std::size_t> ChangedBit(std::size_t size, std::uint32_t difference) {
  std::array<std::uint32_t, 8> differences{};
  const std::uint32_t of_zero = Crc32c(std::string_view("\0", 1));
  for (int bit = 0; bit < 8; ++bit) {
    const char changed = static_cast<char>(1 << bit);
    differences[static_cast<std::size_t>(bit)] = Crc32c({&changed, 1}) ^ of_zero;
  }
  for (std::size_t byte = size; byte-- > 0;) {
    for (std::size_t bit = 0; bit < differences.size(); ++bit) {
      if (differences[bit] == difference) return byte * 8 + bit;
      differences[bit] = Crc32cDifference(differences[bit]);
    }
  }
  return std::nullopt;
}

/// Where a text ends that begins behind a quotation mark at `at`: at the one that closes it, or at
/// the end of the record. `is_plain`: it stands for itself, without escapes or letters that are not
/// ASCII.
std::size_t EndOfText(std::string_view record, std::size_t at, bool& is_plain) {
  const std::size_t begin = at;
  const std::size_t quote = record.find('"', begin);
  const std::string_view text = record.substr(begin, quote - begin);
  is_plain = quote != record.npos && text.find('\\') == text.npos;
  if (is_plain) {
    // All at once, as compilers do this with vectors.
    bool is_printable = true;
    for (const char c : text) is_printable &= c >= ' ' && c != kMark;
    is_plain = is_printable;
    return quote;
  }
  for (; at < record.size() && record[at] != '"'; ++at) {
    if (record[at] == '\\') ++at;
  }
  return std::min(at, record.size());
}

/// A record without its long texts, which a parser of JSON reads letter by letter: decision vectors
/// are most of a log.
struct LongTexts {
  std::string rest;                     ///< A mark and a number in the place of each.
  std::vector<std::string_view> taken;  ///< In the record.
};

/// Texts that are no names of members, if they stand for themselves. Nothing is taken out of a
/// record that has the mark somewhere, or could have it as an escape. Throws Error for a record
/// that is nested too deep.
LongTexts TakeOutLongTexts(std::string_view record) {
  constexpr std::size_t kLong = 256;
  LongTexts texts;
  const bool may_take = record.find(kMark) == record.npos && record.find("\\u") == record.npos;
  int depth = 0;
  std::size_t copied = 0;
  for (std::size_t at = 0; at < record.size(); ++at) {
    const char c = record[at];
    if (c == '"') {
      bool is_plain = false;
      const std::size_t begin = at + 1;
      at = EndOfText(record, begin, is_plain);
      const bool is_value = begin >= 2 && record[begin - 2] == ':';
      if (!may_take || !is_plain || !is_value || at - begin < kLong) continue;
      texts.rest += record.substr(copied, begin - copied);
      texts.rest += fmt::format("{}{}", kMark, texts.taken.size());
      texts.taken.push_back(record.substr(begin, at - begin));
      copied = at;
    } else if (c == '{' || c == '[') {
      if (++depth > kMostDepth) {
        throw Error(
            fmt::format("its record is nested deeper than {} lists and objects", kMostDepth));
      }
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  texts.rest += record.substr(copied);
  texts.rest += '}';
  return texts;
}

void PutBack(const std::vector<std::string_view>& taken, Json& json) {
  if (json.is_structured()) {
    for (Json& member : json) PutBack(taken, member);
    return;
  }
  if (!json.is_string()) return;
  auto& text = json.get_ref<std::string&>();
  if (!text.starts_with(kMark)) return;
  std::size_t index = 0;
  std::from_chars(text.data() + 1, text.data() + text.size(), index);
  text = taken.at(index);
}

}  // namespace

std::string RecordText(const Json& record) {
  // Compilers complain in any encoding: what is not UTF-8 becomes a replacement character.
  std::string text = record.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.pop_back();
  return text;
}

std::string SealLine(std::string record_text, LogTail& tail) {
  std::string line = std::move(record_text);
  ++tail.lines;
  line += fmt::format("{}{}{}{:08x}\"", kLine, tail.lines, kAfter, tail.checksum);
  tail.checksum = Crc32c(line);
  line += SealOf(tail.checksum) + "\n";
  tail.bytes += line.size();
  tail.ends_line = true;
  return line;
}

std::optional<SealedLine> Unseal(std::string_view line) {
  if (line.size() < kSealLength) return std::nullopt;
  SealedLine sealed;
  sealed.record = line.substr(0, line.size() - kSealLength);
  sealed.checksum = Crc32c(sealed.record);
  if (line.substr(sealed.record.size()) != SealOf(sealed.checksum)) return std::nullopt;
  SplitChain(sealed);
  return sealed;
}

std::optional<std::string> MendBit(std::string_view line) {
  if (line.size() < kSealLength) return std::nullopt;
  std::string mended(line);
  const std::size_t size = line.size() - kSealLength;
  const std::uint32_t is = Crc32c(line.substr(0, size));
  const std::string seal = SealOf(is);
  if (DifferentBits(line.substr(size), seal) == 1) return mended.replace(size, seal.size(), seal);
  const auto said = ParseChecksum(line.substr(size + kCrc.size(), kDigits));
  if (!said || line.substr(size) != SealOf(*said)) return std::nullopt;
  const auto bit = ChangedBit(size, is ^ *said);
  if (!bit) return std::nullopt;
  mended[*bit / 8] = static_cast<char>(mended[*bit / 8] ^ (1 << *bit % 8));
  return mended;
}

Json ParseRecord(std::string_view record) {
  const LongTexts texts = TakeOutLongTexts(record);
  Json json = Json::parse(texts.rest);
  if (!texts.taken.empty()) PutBack(texts.taken, json);
  return json;
}

}  // namespace exh::search

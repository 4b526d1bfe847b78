// SPDX-License-Identifier: MIT
#include "dsl/diagnostics/characters.h"

#include <fmt/format.h>

namespace exh::dsl {
namespace {

// Characters that look like nothing, like a blank, or like another one.
std::string_view NameOf(std::uint32_t code) {
  switch (code) {
    case 0x00:
      return "a NUL";
    case 0xA0:
      return "a no-break space";
    case 0xAD:
      return "a soft hyphen";
    case 0x200B:
      return "a zero-width space";
    case 0x202F:
      return "a narrow no-break space";
    case 0x2013:
    case 0x2014:
      return "a dash";
    case 0x2018:
    case 0x2019:
    case 0x201C:
    case 0x201D:
      return "a typographic quote";
    case 0x3000:
      return "an ideographic space";
    case 0xFEFF:
      return "a byte order mark";
    default:
      return "";
  }
}

bool IsSeen(std::uint32_t code) {
  const bool control = code < 0x20 || (code >= 0x7F && code < 0xA0);
  const bool format = (code >= 0x2000 && code <= 0x200F) || (code >= 0x2028 && code <= 0x202F);
  return !control && !format && code != ' ' && NameOf(code).empty();
}

}  // namespace

Utf8 FirstCharacter(std::string_view text) {
  if (text.empty()) return {std::nullopt, 0};
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return {};
  std::uint32_t code = lead & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3F);
  }
  constexpr std::uint32_t kSmallest[] = {0x80, 0x800, 0x10000};  // By length: no longer form.
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < kSmallest[length - 2] || code > 0x10FFFF || surrogate) return {};
  return {code, length};
}

bool IsPrintable(std::string_view text) {
  while (!text.empty()) {
    const Utf8 first = FirstCharacter(text);
    if (!first.code || !IsSeen(*first.code)) return false;
    text.remove_prefix(first.length);
  }
  return true;
}

std::string CharacterInWords(std::string_view text) {
  const Utf8 first = FirstCharacter(text);
  if (!first.code) {
    return fmt::format("the byte {:#04x} (no UTF-8)", static_cast<unsigned char>(text.front()));
  }
  if (IsSeen(*first.code)) return fmt::format("'{}'", text.substr(0, first.length));
  const std::string_view name = NameOf(*first.code);
  return name.empty() ? fmt::format("U+{:04X}", *first.code)
                      : fmt::format("U+{:04X} ({})", *first.code, name);
}

}  // namespace exh::dsl

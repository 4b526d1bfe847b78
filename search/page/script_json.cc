// SPDX-License-Identifier: MIT
#include "search/page/script_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/check.h"
#include "search/page/packed.h"

namespace exh::search {
namespace {

/// Where to cut so that no character of UTF-8 is cut in two.
std::size_t CutAt(std::string_view text, std::size_t most) {
  std::size_t end = most;
  while (end > 0 && most - end < 4 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return end;
}

/// Of letters that stand for themselves, as columns of decisions are.
bool IsPlain(std::string_view text) {
  bool is_plain = true;  // All at once, as compilers do this with vectors.
  for (const char c : text) {
    is_plain &=
        (c >= ' ') & (c < '\x7f') & (c != '"') & (c != '\\') & (c != '<') & (c != '>') & (c != '&');
  }
  return is_plain;
}

}  // namespace

std::string ScriptString(std::string_view text, std::size_t most) {
  if (text.size() <= most && IsPlain(text)) {
    std::string safe;
    safe.reserve(text.size() + 2);
    return safe.append(1, '"').append(text).append(1, '"');
  }
  std::string shown(text);
  if (text.size() > most) {
    shown = fmt::format("{}… ({} bytes)", text.substr(0, CutAt(text, most)), text.size());
  }
  return ScriptSafe(
      nlohmann::json(shown).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

std::string ScriptSafe(std::string_view json) {
  std::string safe;
  safe.reserve(json.size());
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '<' || c == '>' || c == '&') {
      safe += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else if (json.compare(i, 3, "\xe2\x80\xa8") == 0 || json.compare(i, 3, "\xe2\x80\xa9") == 0) {
      safe += json[i + 2] == '\xa8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      safe += c;
    }
  }
  return safe;
}

void ScriptJson::Comma() {
  if (needs_comma_) text_ += ',';
  needs_comma_ = true;
}

void ScriptJson::Open(char bracket) {
  Comma();
  text_ += bracket;
  open_ += bracket == '{' ? '}' : ']';
  needs_comma_ = false;
}

void ScriptJson::Close() {
  EXH_CHECK(!open_.empty());
  text_ += open_.back();
  open_.pop_back();
  needs_comma_ = true;
}

ScriptJson& ScriptJson::Key(std::string_view name) {
  Comma();
  text_ += ScriptString(name, kMostText);
  text_ += ':';
  needs_comma_ = false;
  return *this;
}

void ScriptJson::Text(std::string_view text, std::size_t most) {
  Comma();
  text_ += ScriptString(text, most);
}

void ScriptJson::Number(double value) {
  Comma();
  if (std::isfinite(value)) {
    fmt::format_to(std::back_inserter(text_), "{:.6g}", value);
  } else {
    text_ += "null";
  }
}

void ScriptJson::Integer(std::int64_t value) {
  Comma();
  fmt::format_to(std::back_inserter(text_), "{}", value);
}

void ScriptJson::Bool(bool value) {
  Comma();
  text_ += value ? "true" : "false";
}

void ScriptJson::Null() {
  Comma();
  text_ += "null";
}

void ScriptJson::Texts(const std::vector<std::string>& texts, std::size_t most) {
  Open('[');
  for (const std::string& text : texts) Text(text, most);
  Close();
}

void ScriptJson::Column(std::string_view value) {
  constexpr std::size_t kLong = 1 << 14;
  Comma();
  if (value.size() <= kLong) {
    text_ += value;
    return;
  }
  const std::size_t begin = text_.size();
  text_ += "{\"packed\":\"" + Packed(value) + "\"}";
  saved_ += value.size() - std::min(value.size(), text_.size() - begin);
}

void ScriptJson::Written(std::string_view value) {
  Comma();
  text_ += value;
}

void ScriptJson::Members(std::string_view object) {
  EXH_CHECK(object.starts_with('{') && object.ends_with('}'));
  if (object.size() == 2) return;
  Comma();
  text_ += object.substr(1, object.size() - 2);
}

std::string ScriptJson::Take() {
  EXH_CHECK(open_.empty());
  needs_comma_ = false;
  return std::exchange(text_, {});
}

}  // namespace exh::search

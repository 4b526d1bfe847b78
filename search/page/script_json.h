// SPDX-License-Identifier: MIT
//
// JSON as text for a page: it may stand between <script> and </script>, whatever the strings in it
// hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace exh::search {

/// Writes JSON from front to back. Commas are put where they belong. Nothing of it is longer than
/// need be: numbers have few digits, texts a most length.
class ScriptJson {
 public:
  static constexpr std::size_t kMostText = 20000;

  void Open(char bracket);  ///< '{' or '['.
  void Close();             ///< What was opened last.
  /// The name of the next value, within braces.
  ScriptJson& Key(std::string_view name);

  /// A text. Bytes that are not UTF-8 are replaced. Of one with more than `most` bytes the
  /// beginning stays, and it says how long it was: "beginning… (12345 bytes)".
  void Text(std::string_view text, std::size_t most = kMostText);
  /// Six digits; null for what is no number.
  void Number(double value);
  void Integer(std::int64_t value);
  void Bool(bool value);
  void Null();

  /// Lists of the same.
  void Texts(const std::vector<std::string>& texts, std::size_t most = kMostText);
  /// A list of pairs.
  template <typename Map>
  void Pairs(const Map& map) {
    Open('[');
    for (const auto& [key, value] : map) {
      Open('[');
      Text(key);
      Value(value);
      Close();
    }
    Close();
  }

  /// A value that another one wrote. A long one becomes {"packed": "…"}, packed.h's letters, so
  /// that a browser reads it when it needs it.
  void Column(std::string_view value);
  /// A value that another one wrote, as it is.
  void Written(std::string_view value);
  /// All members of an object that another one wrote.
  void Members(std::string_view object);

  /// All of it. Everything that was opened is closed.
  std::string Take();
  /// Bytes so far, as if nothing were packed.
  std::size_t size() const { return text_.size() + saved_; }

 private:
  void Value(const std::string& text) { Text(text); }
  void Value(double value) { Number(value); }
  void Value(std::int64_t value) { Integer(value); }
  void Value(std::uint64_t value) { Integer(static_cast<std::int64_t>(value)); }
  void Comma();

  std::string text_, open_;
  std::size_t saved_ = 0;  ///< Bytes, by packing.
  bool needs_comma_ = false;
};

/// JSON that another one wrote, with the same meaning, as it may stand in a script: no string in it
/// holds `<`, `>` and `&`, or an end of a line in any language.
std::string ScriptSafe(std::string_view json);

/// A text as a string of JSON that holds no `<`, `>` and `&`, and no end of a line in any language.
std::string ScriptString(std::string_view text, std::size_t most);

}  // namespace exh::search

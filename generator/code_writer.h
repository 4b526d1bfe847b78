// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace exh::generator {

/// Builds the text of one C++ file: indentation, brackets that close by themselves, and the line
/// number that `#line` needs.
class CodeWriter {
 public:
  /// Closes its bracket when it dies.
  class Scope {
   public:
    Scope(CodeWriter& writer, std::string close, int indent);
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope();

   private:
    CodeWriter& writer_;
    std::string close_;
    int indent_;
  };

  /// One line at the current indentation; an unknown placeholder does not compile.
  template <typename... Args>
  void Line(fmt::format_string<Args...> format, Args&&... args) {
    Text(fmt::format(format, std::forward<Args>(args)...));
  }
  /// One line, as it is.
  void Text(std::string_view line);
  void Blank();
  /// Text without indentation; ends the line.
  void Raw(std::string_view text);

  /// `// text`, one comment line per line of text.
  void Comment(std::string_view text);
  /// `/// doc        file:line` with the position at the right margin.
  void Doc(std::string_view doc, std::string_view position);
  /// `// ---- title        position`.
  void Title(std::string_view title, std::string_view position);

  /// `head {` … `}` + tail.
  [[nodiscard]] Scope Block(std::string_view head, std::string_view tail = "");
  /// `head(items, lambda {` … `});`, broken before the lambda where that passes 100 columns.
  [[nodiscard]] Scope CallWith(std::string_view head, const std::vector<std::string>& items,
                               std::string_view lambda);
  /// `head { statement }`, on one line if it fits.
  void Inline(std::string_view head, std::string_view statement);
  /// `head = value;`, broken after `=` when that would pass 100 columns.
  void Assign(std::string_view head, std::string_view value);
  /// `namespace name {` … `}  // namespace name`, not indented.
  [[nodiscard]] Scope Namespace(std::string_view name);
  /// Indents what follows.
  [[nodiscard]] Scope Indented(int columns = 2);

  /// `head` + `(`items`)` + tail, broken after items where a line would pass 100 columns.
  void Call(std::string_view head, const std::vector<std::string>& items, std::string_view tail);
  /// `head{items}tail`, or one item a line when that would pass 100 columns.
  void List(std::string_view head, const std::vector<std::string>& items, std::string_view tail);

  /// Number of the next line, from 1.
  int next_line() const { return lines_ + 1; }
  const std::string& text() const { return text_; }
  /// What stands between these keeps its form: snippets keep their columns.
  void FormatOff() { Text("// clang-format off"); }
  void FormatOn() { Text("// clang-format on"); }

 private:
  std::string text_;
  int lines_ = 0;
  int indent_ = 0;
};

}  // namespace exh::generator

// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text_writer.h"

namespace exh::generator {

/// Builds the text of one C++ file: indentation, brackets that close by themselves, and the line
/// number that `#line` needs.
class CodeWriter : private TextWriter {
 public:
  using TextWriter::indent;
  using TextWriter::next_line;
  using TextWriter::Raw;
  using TextWriter::text;

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
  void Text(std::string_view line) { TextWriter::Line(line); }
  void Blank() { Text(""); }

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

  /// What stands between these keeps its form: snippets keep their columns.
  void FormatOff() { Text("// clang-format off"); }
  void FormatOn() { Text("// clang-format on"); }

 private:
  std::size_t margin() const { return static_cast<std::size_t>(indent()); }
};

}  // namespace exh::generator

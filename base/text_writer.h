// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace exh {

/// Lines of a text with indentation. Writers of one kind of text derive from it.
class TextWriter {
 public:
  /// One line at the current indentation. An empty one has no blanks.
  void Line(std::string_view text = "");
  /// Text without indentation, of any number of lines; ends the last.
  void Raw(std::string_view text);
  /// `text {`, and two columns deeper until Close().
  void Open(std::string_view text, std::string_view comment = "");
  void Close();
  /// What follows stands `columns` further to the right; to the left, when below 0.
  void Indent(int columns) { indent_ += columns; }

  int indent() const { return indent_; }
  /// Number of the next line, from 1.
  int next_line() const { return lines_ + 1; }
  const std::string& text() const { return text_; }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
  int lines_ = 0;
  int indent_ = 0;
};

}  // namespace exh

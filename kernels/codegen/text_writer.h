// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace exh::kernels::codegen {

/// Lines of C++ with indentation.
class TextWriter {
 public:
  void Line(std::string_view text = "") {
    if (!text.empty()) text_.append(2 * depth_, ' ').append(text);
    text_ += '\n';
  }
  /// `text {`, and one level deeper until Close.
  void Open(std::string_view text, std::string_view comment = "") {
    std::string line(text);
    line += text.empty() ? "{" : " {";
    if (!comment.empty()) line.append("  // ").append(comment);
    Line(line);
    ++depth_;
  }
  void Close() {
    --depth_;
    Line("}");
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
  std::size_t depth_ = 0;
};

}  // namespace exh::kernels::codegen

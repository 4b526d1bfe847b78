// SPDX-License-Identifier: MIT
#include "base/text_writer.h"

#include <algorithm>

namespace exh {

void TextWriter::Line(std::string_view text) {
  if (!text.empty()) text_.append(static_cast<std::size_t>(indent_), ' ').append(text);
  text_ += '\n';
  ++lines_;
}

void TextWriter::Raw(std::string_view text) {
  text_.append(text) += '\n';
  lines_ += 1 + static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

void TextWriter::Open(std::string_view text, std::string_view comment) {
  std::string line(text);
  line += text.empty() ? "{" : " {";
  if (!comment.empty()) line.append("  // ").append(comment);
  Line(line);
  Indent(2);
}

void TextWriter::Close() {
  Indent(-2);
  Line("}");
}

}  // namespace exh

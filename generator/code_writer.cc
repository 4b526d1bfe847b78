// SPDX-License-Identifier: MIT
#include "generator/code_writer.h"

#include <algorithm>

namespace exh::generator {
namespace {

constexpr std::size_t kColumns = 100;

/// `left`, blanks, `right` so that the line ends at the margin; two blanks at least.
std::string AtMargin(std::string left, std::string_view right, std::size_t used) {
  if (right.empty()) return left;
  const std::size_t taken = used + left.size() + right.size();
  left.append(taken + 2 > kColumns ? 2 : kColumns - taken, ' ');
  left.append(right);
  return left;
}

/// `text` in lines of at most `width` characters, broken at blanks.
std::vector<std::string> Wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    std::size_t end = std::min(text.find('\n'), text.size());
    if (end > width) {
      const std::size_t blank = text.rfind(' ', width);
      end = blank == std::string_view::npos || blank == 0 ? std::min(end, text.find(' ')) : blank;
    }
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end, text.size()));
    if (!text.empty() && (text.front() == ' ' || text.front() == '\n')) text.remove_prefix(1);
  }
  return lines;
}

}  // namespace

CodeWriter::Scope::Scope(CodeWriter& writer, std::string close, int indent)
    : writer_(writer), close_(std::move(close)), indent_(indent) {
  writer_.Indent(indent_);
}

CodeWriter::Scope::~Scope() {
  writer_.Indent(-indent_);
  if (!close_.empty()) writer_.Text(close_);
}

void CodeWriter::Comment(std::string_view text) {
  // An indented text keeps its indentation; what does not fit hangs two columns further in.
  const std::size_t blanks = std::min(text.find_first_not_of(' '), text.size());
  const std::string begin = "// " + std::string(blanks, ' ');
  const std::size_t used = begin.size() + margin() + 2;
  std::string hang;
  for (const std::string& line : Wrapped(text.substr(blanks), kColumns - used)) {
    Text(begin + hang + line);
    if (blanks > 0) hang = "  ";
  }
}

void CodeWriter::Doc(std::string_view doc, std::string_view position) {
  const std::size_t indent = margin();
  const std::size_t width = kColumns - 4 - indent;
  std::vector<std::string> lines = Wrapped(doc, width);
  if (lines.empty()) lines.emplace_back();
  if (lines.size() == 1 && lines[0].size() + position.size() + 6 + indent > kColumns) {
    lines = Wrapped(doc, width - position.size() - 2);
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string left = lines[i].empty() ? "///" : "/// " + lines[i];
    const bool fits = lines[i].size() + position.size() + 6 + indent <= kColumns;
    Text(i == 0 && fits ? AtMargin(left, position, indent) : left);
    if (i == 0 && !fits) Text(AtMargin("///", position, indent));
  }
}

void CodeWriter::Title(std::string_view title, std::string_view position) {
  Text(AtMargin("// ---- " + std::string(title), position, margin()));
}

CodeWriter::Scope CodeWriter::Block(std::string_view head, std::string_view tail) {
  Text(head.empty() ? "{" : std::string(head) + " {");
  return Scope(*this, "}" + std::string(tail), 2);
}

CodeWriter::Scope CodeWriter::CallWith(std::string_view head, const std::vector<std::string>& items,
                                       std::string_view lambda) {
  const std::string call = fmt::format("{}({},", head, fmt::join(items, ", "));
  const std::string opening = std::string(lambda) + " {";
  if (margin() + call.size() + 1 + opening.size() <= kColumns) {
    Text(call + " " + opening);
  } else {
    Text(call);
    const Scope further = Indented(4);
    Text(opening);
  }
  return Scope(*this, "});", 2);
}

void CodeWriter::Inline(std::string_view head, std::string_view statement) {
  if (margin() + head.size() + statement.size() + 5 <= kColumns) {
    Text(fmt::format("{} {{ {} }}", head, statement));
    return;
  }
  const Scope body = Block(head);
  Text(statement);
}

void CodeWriter::Assign(std::string_view head, std::string_view value) {
  if (margin() + head.size() + value.size() + 4 <= kColumns) {
    Text(fmt::format("{} = {};", head, value));
    return;
  }
  Text(std::string(head) + " =");
  const Scope value_line = Indented(4);
  Text(std::string(value) + ";");
}

CodeWriter::Scope CodeWriter::Namespace(std::string_view name) {
  if (name.empty()) {
    Text("namespace {");
    return Scope(*this, "}  // namespace", 0);
  }
  Text("namespace " + std::string(name) + " {");
  return Scope(*this, "}  // namespace " + std::string(name), 0);
}

CodeWriter::Scope CodeWriter::Indented(int columns) {
  return Scope(*this, "", columns);
}

void CodeWriter::List(std::string_view head, const std::vector<std::string>& items,
                      std::string_view tail) {
  const std::string line = fmt::format("{}{{{}}}{}", head, fmt::join(items, ", "), tail);
  if (margin() + line.size() <= kColumns) {
    Text(line);
    return;
  }
  const Scope body(*this, "}" + std::string(tail), 0);
  Text(std::string(head) + "{");
  const Scope inner = Indented(4);
  for (const std::string& item : items) Text(item + ",");
}

void CodeWriter::Call(std::string_view before, const std::vector<std::string>& items,
                      std::string_view after) {
  const std::string head = std::string(before) + "(";
  const std::string tail = ")" + std::string(after);
  // Items stand behind the bracket when the longest fits there, else four columns in.
  std::size_t longest = 0;
  for (const std::string& item : items) longest = std::max(longest, item.size() + 1);
  const std::size_t indent = margin();
  const bool behind = indent + head.size() + longest + tail.size() <= kColumns;
  const std::string pad(behind ? head.size() : 4, ' ');
  std::string line(head);
  bool fresh = behind;
  if (!behind) {
    Text(line);
    line = pad;
    fresh = true;
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    const bool last = i + 1 == items.size();
    const std::size_t end = last ? tail.size() : 1;
    if (!fresh && indent + line.size() + 1 + items[i].size() + end > kColumns) {
      Text(line);
      line = pad;
      fresh = true;
    }
    if (!fresh) line += ' ';
    line += items[i];
    if (!last) line += ',';
    fresh = false;
  }
  Text(line + std::string(tail));
}

}  // namespace exh::generator

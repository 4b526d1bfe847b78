// SPDX-License-Identifier: MIT
#include "kernels/devices/standalone/text.h"

#include <algorithm>
#include <utility>

namespace exh::kernels::standalone {
namespace {

std::string Replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) {
    text.replace(at, what.size(), by);
  }
  return text;
}

}  // namespace

std::string Fill(std::string text, const std::map<std::string, std::string>& values) {
  for (const auto& [name, value] : values)
    text = Replaced(std::move(text), "$" + name + "$", value);
  return text;
}

std::string Listed(const std::string& before, const std::vector<std::string>& items,
                   const std::string& after) {
  const std::string indent(before.find_first_not_of(' ') + 4, ' ');
  if (items.empty()) return before + after;
  std::string text, line = before;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const bool is_last = i + 1 == items.size();
    const std::string item = items[i] + (is_last ? after : ",");
    const bool fits = line.size() + item.size() + (i > 0 ? 1 : 0) <= kColumns;
    if (!fits) text += line + "\n";
    line = (!fits ? indent : i > 0 ? line + " " : line) + item;
  }
  return text + line;
}

std::string Heading(const std::string& title) {
  std::string line = "// ---- " + title + " ";
  line.append(kColumns - std::min(kColumns, line.size()), '-');
  return line + "\n";
}

std::string Comment(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    out += line.empty() ? "//" : "// ";
    out += line;
    out += line.ends_with('\\') ? " .\n" : "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string_view WithoutHeader(std::string_view source) {
  while (source.starts_with("//") || source.starts_with("\n")) {
    source.remove_prefix(std::min(source.find('\n'), source.size() - 1) + 1);
  }
  return source;
}

}  // namespace exh::kernels::standalone

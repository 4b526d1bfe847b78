// SPDX-License-Identifier: MIT
#include "kernels/devices/cuda/own/kernel_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "base/spelling.h"

namespace exh::kernels::cuda {
namespace {

constexpr std::string_view kGlobal = "__global__";
constexpr std::string_view kBlanks = " \t\r\n";

bool IsWordCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// The same with blanks in the place of comments.
std::string WithoutRemarks(const std::string& text) {
  std::string code = text;
  std::size_t i = 0;
  const auto blank_until = [&](std::size_t end) {
    for (; i < std::min(end, code.size()); ++i) {
      if (code[i] != '\n') code[i] = ' ';
    }
  };
  while (i < code.size()) {
    if (text.compare(i, 2, "//") == 0) {
      blank_until(text.find('\n', i));
    } else if (text.compare(i, 2, "/*") == 0) {
      const std::size_t end = text.find("*/", i + 2);
      blank_until(end == text.npos ? end : end + 2);
    } else if (text[i] == '"') {
      for (++i; i < code.size() && text[i] != '"' && text[i] != '\n'; ++i) {
        if (text[i] == '\\') ++i;
      }
      ++i;
    } else {
      ++i;
    }
  }
  return code;
}

/// The next place from `at` on where the word stands by itself.
std::size_t FindWord(std::string_view code, std::string_view word, std::size_t at) {
  for (; (at = code.find(word, at)) != code.npos; at += word.size()) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !IsWordCharacter(code[at - 1]);
    if (begins && (end == code.size() || !IsWordCharacter(code[end]))) return at;
  }
  return code.npos;
}

/// Is `extern "C"` followed by a bracket anywhere before `end`? It may hold what comes then.
bool HasOpenLinkage(std::string_view code, std::size_t end) {
  for (std::size_t at = 0; (at = FindWord(code, "extern", at)) < end; ++at) {
    std::size_t next = code.find_first_not_of(kBlanks, at + 6);
    if (next == code.npos || code.compare(next, 3, "\"C\"") != 0) continue;
    next = code.find_first_not_of(kBlanks, next + 3);
    if (next != code.npos && code[next] == '{') return true;
  }
  return false;
}

/// The name of what is declared behind `__global__` at `at`; empty: it is not seen.
std::string NameBehind(std::string_view code, std::size_t at) {
  const std::size_t end = std::min(code.find_first_of(";{}", at), code.size());
  for (std::size_t paren = code.find('(', at); paren < end; paren = code.find('(', paren + 1)) {
    std::size_t last = paren;
    while (last > at && kBlanks.find(code[last - 1]) != kBlanks.npos) --last;
    std::size_t first = last;
    while (first > at && IsWordCharacter(code[first - 1])) --first;
    const std::string_view name = code.substr(first, last - first);
    if (!name.empty() && !name.starts_with("__")) return std::string(name);
  }
  return "";
}

}  // namespace

std::string WithPlainName(const std::string& text, const std::string& path,
                          const std::string& entry) {
  const std::string code = WithoutRemarks(text);
  std::vector<std::string> names;
  for (std::size_t at = 0; (at = FindWord(code, kGlobal, at)) != code.npos; ++at) {
    const std::string name = NameBehind(code, at);
    if (name.empty()) continue;
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    if (name != entry) continue;
    const std::size_t before = at == 0 ? code.npos : code.find_last_of(";{}", at - 1);
    const std::size_t begin = before == code.npos ? 0 : before + 1;
    const std::string_view head = std::string_view(code).substr(begin, at - begin);
    if (FindWord(head, "template", 0) != head.npos) {
      throw UsageError(fmt::format(
          "{}: kernel '{}' is a template, which has no name that can be launched; write a kernel "
          "without parameters that calls it, with defines in their place",
          path, entry));
    }
    if (FindWord(head, "extern", 0) != head.npos || HasOpenLinkage(code, at)) return text;
    return text.substr(0, at) + "extern \"C\" " + text.substr(at);
  }
  // The preprocessor may make it.
  if (FindWord(code, "extern", 0) != code.npos && FindWord(code, entry, 0) != code.npos) {
    return text;
  }
  if (names.empty()) {
    throw UsageError(fmt::format(
        "{}: there is no kernel in it: 'extern \"C\" __global__ void {}(…)'", path, entry));
  }
  throw UsageError(fmt::format("{}: {}", path, UnknownName("kernel", entry, names)));
}

std::string WithDefines(std::string_view defines, const std::string& text) {
  return fmt::format("{}#line 1 \"kernel.cu\"\n{}", defines, text);
}

}  // namespace exh::kernels::cuda

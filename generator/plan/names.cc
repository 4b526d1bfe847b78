// SPDX-License-Identifier: MIT
#include "generator/plan/names.h"

#include <algorithm>
#include <cctype>
#include <iterator>

namespace exh::generator {
namespace {

// Words that cannot name anything of ours: C++20 keywords, and macros of the headers we include.
constexpr std::string_view kWords[] = {"alignas",       "alignof",     "and",
                                       "and_eq",        "asm",         "auto",
                                       "bitand",        "bitor",       "bool",
                                       "break",         "case",        "catch",
                                       "char",          "char16_t",    "char32_t",
                                       "char8_t",       "class",       "co_await",
                                       "co_return",     "co_yield",    "compl",
                                       "concept",       "const",       "const_cast",
                                       "consteval",     "constexpr",   "constinit",
                                       "continue",      "decltype",    "default",
                                       "delete",        "do",          "double",
                                       "dynamic_cast",  "else",        "enum",
                                       "explicit",      "export",      "extern",
                                       "false",         "float",       "for",
                                       "friend",        "goto",        "if",
                                       "inline",        "int",         "long",
                                       "mutable",       "namespace",   "new",
                                       "noexcept",      "not",         "not_eq",
                                       "nullptr",       "operator",    "or",
                                       "or_eq",         "private",     "protected",
                                       "public",        "register",    "reinterpret_cast",
                                       "requires",      "return",      "short",
                                       "signed",        "sizeof",      "static",
                                       "static_assert", "static_cast", "struct",
                                       "switch",        "template",    "this",
                                       "thread_local",  "throw",       "true",
                                       "try",           "typedef",     "typeid",
                                       "typename",      "union",       "unsigned",
                                       "using",         "virtual",     "void",
                                       "volatile",      "wchar_t",     "while",
                                       "xor",           "xor_eq",      "assert",
                                       "errno",         "linux",       "stderr",
                                       "stdin",         "stdout",      "unix",
                                       "BUFSIZ",        "EDOM",        "EOF",
                                       "ERANGE",        "INFINITY",    "NAN",
                                       "NDEBUG",        "NULL",        "RAND_MAX"};

bool IsWord(std::string_view name) {
  return std::find(std::begin(kWords), std::end(kWords), name) != std::end(kWords);
}

}  // namespace

std::string CamelCase(std::string_view name) {
  std::string camel;
  bool upper = true;
  for (const char c : name) {
    if (c == '_') {
      upper = true;
      continue;
    }
    camel += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = false;
  }
  return Identifier(camel);
}

std::string SnakeCase(std::string_view name) {
  std::string snake;
  bool was_lower = false;
  for (const char c : name) {
    const bool upper = std::isupper(static_cast<unsigned char>(c)) != 0;
    if (upper && was_lower) snake += '_';
    snake += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    was_lower = !upper && c != '_';
  }
  return Identifier(snake);
}

std::string Identifier(std::string_view name) {
  std::string identifier;
  for (const char c : name) {
    identifier += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  }
  if (identifier.empty() || std::isdigit(static_cast<unsigned char>(identifier[0])) != 0) {
    identifier.insert(0, "_");
  }
  if (IsWord(identifier)) identifier += '_';
  return identifier;
}

std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '\n') {
      quoted += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

std::string NameScope::Unique(std::string_view name) {
  const std::string wanted = Identifier(name);
  std::string unique = wanted;
  for (int n = 2; !taken_.insert(unique).second; ++n) unique = wanted + "_" + std::to_string(n);
  return unique;
}

}  // namespace exh::generator

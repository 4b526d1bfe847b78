// SPDX-License-Identifier: MIT
#include "kernels/devices/standalone/names.h"

#include <cctype>

namespace exh::kernels::standalone {
namespace {

/// Words of C and C++ that a kernel may call an array.
constexpr const char* kReserved[] = {
    "alignas",  "alignof",  "asm",      "auto",      "bool",     "break",    "case",   "catch",
    "char",     "class",    "const",    "constexpr", "continue", "default",  "delete", "do",
    "double",   "else",     "enum",     "explicit",  "export",   "extern",   "false",  "float",
    "for",      "friend",   "goto",     "if",        "inline",   "int",      "long",   "mutable",
    "new",      "noexcept", "operator", "private",   "public",   "register", "return", "short",
    "signed",   "sizeof",   "static",   "struct",    "switch",   "template", "this",   "throw",
    "true",     "try",      "typedef",  "typeid",    "typename", "union",    "using",  "virtual",
    "unsigned", "void",     "volatile", "while",     "restrict", "nullptr",  "concept"};

}  // namespace

std::string Identifier(const std::string& name, std::set<std::string>& taken) {
  std::string text;
  for (const char c : name) text += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0])) != 0) text = "_" + text;
  while (!taken.insert(text).second) text += "_";
  return text;
}

Names::Names(const ir::Function& function) {
  std::set<std::string> none(std::begin(kReserved), std::end(kReserved));
  kernel = Identifier(function.name, none);
  // Those of the launchers, and of the function that knows the result.
  std::set<std::string> taken = {
      "stream", "workspace", "workspace_bytes", "pointers", "pointer",   "device",
      "major",  "minor",     "shared_bytes",    "status",   "arguments", "i",
      "early",  "next",      "arrays",          "scalars",  "threads",   "alignment"};
  taken.insert(std::begin(kReserved), std::end(kReserved));
  for (const ir::Array& array : function.arrays) arrays.push_back(Identifier(array.name, taken));
  for (const ir::Scalar& scalar : function.scalars) {
    scalars.push_back(Identifier(scalar.name, taken));
  }
}

std::string UpperCase(const std::string& name) {
  std::string text;
  for (const char c : name) {
    text += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return text;
}

}  // namespace exh::kernels::standalone

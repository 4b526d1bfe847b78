// SPDX-License-Identifier: MIT
#include "generator/format_files.h"

#include <cerrno>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <sstream>
#include <system_error>

#include "dsl/dsl.h"
#include "dsl/syntax/format.h"
#include "generator/output.h"

namespace exh::generator {
namespace {

std::optional<std::string> Read(const std::string& path) {
  if (path == "-") return std::string(std::istreambuf_iterator<char>(std::cin), {});
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file.peek() != std::ifstream::traits_type::eof()) text << file.rdbuf();
  if (file.is_open() && !file.bad() && errno == 0) return std::move(text).str();
  std::cerr << "exhc: cannot read '" << path
            << "': " << std::generic_category().message(errno != 0 ? errno : EIO) << "\n";
  return std::nullopt;
}

bool FormatFile(const std::string& path, bool check) {
  const std::optional<std::string> text = Read(path);
  if (!text) return false;
  const std::string name = path == "-" ? "<stdin>" : path;
  dsl::DiagnosticSink sink;
  if (!dsl::CheckSyntax(name, *text, sink)) {
    std::cerr << dsl::RenderText(sink);
    return false;
  }
  dsl::FormatError error;
  const std::optional<std::string> formatted = dsl::FormatText(*text, &error);
  if (!formatted) {
    std::cerr << name << ":" << error.line << ":" << error.column << ": error: " << error.message
              << "\n";
    return false;
  }
  if (check) {
    if (*formatted == *text) return true;
    std::cerr << name << ": not formatted; run 'exhc fmt " << path << "'\n";
    return false;
  }
  if (path == "-") {
    std::cout << *formatted;
    return true;
  }
  std::string message;
  if (WriteIfChanged(path, *formatted, &message)) return true;
  std::cerr << "exhc: " << message << "\n";
  return false;
}

}  // namespace

int FormatFiles(const std::vector<std::string>& files, bool check) {
  bool all_well = true;
  for (const std::string& file : files) all_well &= FormatFile(file, check);
  return all_well ? 0 : 1;
}

}  // namespace exh::generator

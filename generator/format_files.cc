// SPDX-License-Identifier: MIT
#include "generator/format_files.h"

#include <algorithm>
#include <iostream>
#include <iterator>
#include <optional>
#include <system_error>

#include "base/system/user_file.h"
#include "dsl/dsl.h"
#include "dsl/syntax/format.h"
#include "generator/output.h"

namespace exh::generator {
namespace {

std::optional<std::string> Read(const std::string& path) {
  if (path == "-") return std::string(std::istreambuf_iterator<char>(std::cin), {});
  std::string error;
  auto text = ReadFile(path, &error);
  if (!text) std::cerr << "exhc: cannot read '" << path << "': " << error << "\n";
  return text;
}

/// The exit code; what is not 0 is said: 1 for what stands in the file, 2 where it cannot be read.
int FormatFile(const std::string& path, bool check) {
  const std::optional<std::string> text = Read(path);
  if (!text) return 2;
  const std::string name = path == "-" ? "<stdin>" : path;
  dsl::DiagnosticSink sink;
  if (!dsl::CheckSyntax(name, *text, sink)) {
    std::cerr << dsl::RenderText(sink);
    return 1;
  }
  dsl::FormatError error;
  const std::optional<std::string> formatted = dsl::FormatText(*text, &error);
  if (!formatted) {
    std::cerr << name << ":" << error.line << ":" << error.column << ": error: " << error.message
              << "\n";
    return 1;
  }
  if (check) {
    if (*formatted == *text) return 0;
    std::cerr << name << ": not formatted; run 'exhc fmt " << path << "'\n";
    return 1;
  }
  if (path == "-") {
    std::cout << *formatted;
    return 0;
  }
  std::string message;
  if (WriteIfChanged(path, *formatted, &message)) return 0;
  std::cerr << "exhc: " << message << "\n";
  return 1;
}

}  // namespace

int FormatFiles(const std::vector<std::string>& files, bool check) {
  int code = 0;
  for (const std::string& file : files) code = std::max(code, FormatFile(file, check));
  return code;
}

}  // namespace exh::generator

// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/system/user_file.h"
#include "base/system/whole_file.h"
#include "kernels/notation/syntax/format.h"
#include "search/commands/command.h"

namespace exh::search {
namespace {

struct FormatOptions {
  std::vector<std::string> files;
  bool check = false;
};

std::string Reason(int code) {
  return std::generic_category().message(code != 0 ? code : EIO);
}

/// `-` is standard input.
std::optional<std::string> Read(const std::string& path) {
  if (path == "-") return std::string(std::istreambuf_iterator<char>(std::cin), {});
  std::string error;
  auto text = ReadFile(path, &error);
  if (!text) fmt::print(stderr, "search: cannot read '{}': {}\n", path, error);
  return text;
}

/// The exit code; what is not 0 is said: 1 for what stands in the file, 2 where it cannot be read.
int FormatFile(const std::string& path, bool check) {
  const std::optional<std::string> text = Read(path);
  if (!text) return 2;
  const std::string name = path == "-" ? "<stdin>" : path;
  std::string messages;
  const auto formatted = kernels::notation::FormatKernel(name, *text, &messages);
  if (!formatted) {
    fmt::print(stderr, "{}", messages);
    return 1;
  }
  if (check) {
    if (*formatted == *text) return 0;
    fmt::print(stderr, "{}: not formatted; run 'search format {}'\n", name, path);
    return 1;
  }
  if (path == "-") {
    fmt::print("{}", *formatted);
    return 0;
  }
  if (*formatted == *text) return 0;
  const int code = WriteWholeFile(path, *formatted);
  if (code != 0) fmt::print(stderr, "search: cannot write '{}': {}\n", path, Reason(code));
  return code == 0 ? 0 : 1;
}

int Format(const FormatOptions& options) {
  if (options.files.empty()) throw UsageError("format what? search format FILE.kernel");
  int code = 0;
  for (const std::string& file : options.files) {
    code = std::max(code, FormatFile(file, options.check));
  }
  return code;
}

}  // namespace

void AddFormatCommand(CLI::App& app, Invocation& invocation) {
  CLI::App* const command =
      app.add_subcommand("format", "put kernels as text in the style of the tree");
  const auto options = std::make_shared<FormatOptions>();
  command->add_option("file", options->files, "the .kernel files; - is standard input");
  command->add_flag("--check", options->check, "change nothing, name the files that differ");
  command->callback(
      [options, &invocation] { invocation.run = [options] { return Format(*options); }; });
}

}  // namespace exh::search

// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
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
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();  // Unlike iterators, it does not throw for a folder.
  if (file.is_open() && errno == 0) return std::move(text).str();
  fmt::print(stderr, "search: cannot read '{}': {}\n", path, Reason(errno));
  return std::nullopt;
}

/// False when there is something to say, which it says.
bool FormatFile(const std::string& path, bool check) {
  const std::optional<std::string> text = Read(path);
  if (!text) return false;
  const std::string name = path == "-" ? "<stdin>" : path;
  std::string messages;
  const auto formatted = kernels::notation::FormatKernel(name, *text, &messages);
  if (!formatted) {
    fmt::print(stderr, "{}", messages);
    return false;
  }
  if (check) {
    if (*formatted == *text) return true;
    fmt::print(stderr, "{}: not formatted; run 'search format {}'\n", name, path);
    return false;
  }
  if (path == "-") {
    fmt::print("{}", *formatted);
    return true;
  }
  if (*formatted == *text) return true;
  const int code = WriteWholeFile(path, *formatted);
  if (code != 0) fmt::print(stderr, "search: cannot write '{}': {}\n", path, Reason(code));
  return code == 0;
}

int Format(const FormatOptions& options) {
  if (options.files.empty()) throw UsageError("format what? search format FILE.kernel");
  bool all_well = true;
  for (const std::string& file : options.files) all_well &= FormatFile(file, options.check);
  return all_well ? 0 : 1;
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

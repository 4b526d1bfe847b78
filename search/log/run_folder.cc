// SPDX-License-Identifier: MIT
#include "search/log/run_folder.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cstring>
#include <ctime>
#include <filesystem>
#include <system_error>

#include "base/error.h"
#include "base/system/whole_file.h"

namespace exh::search {
namespace {

std::string DefaultFolder(const std::string& kernel) {
  const std::string base =
      fmt::format("runs/{}-{:%Y%m%d-%H%M%S}", kernel, fmt::localtime(std::time(nullptr)));
  std::string folder = base;
  std::error_code ignored;
  for (int number = 2; std::filesystem::exists(folder, ignored); ++number) {
    folder = fmt::format("{}-{}", base, number);
  }
  return folder;
}

}  // namespace

std::string TimeStamp() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

void MakeFolder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!error && !std::filesystem::is_directory(path, error)) {
    if (!error) error = std::make_error_code(std::errc::not_a_directory);
  }
  if (error) throw Error(fmt::format("cannot make folder '{}': {}", path, error.message()));
}

std::string MakeRunFolder(const std::string& wanted, const std::string& kernel) {
  const std::string folder = wanted.empty() ? DefaultFolder(kernel) : wanted;
  std::error_code error;
  if (std::filesystem::exists(folder + "/log.jsonl", error)) {
    throw UsageError(fmt::format(
        "'{}' already holds a run: give another --out, or go on with it: --resume", folder));
  }
  if (std::filesystem::is_directory(folder, error) && !std::filesystem::is_empty(folder, error) &&
      !error) {
    throw UsageError(fmt::format(
        "'{}' is not empty: a run has a folder of its own; give another --out", folder));
  }
  MakeFolder(folder);
  return folder;
}

void WriteFile(const std::string& path, std::string_view text) {
  const int error = WriteWholeFile(path, text);
  if (error != 0) throw Error(fmt::format("cannot write '{}': {}", path, std::strerror(error)));
}

}  // namespace exh::search

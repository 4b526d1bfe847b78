// SPDX-License-Identifier: MIT
#include "search/run_folder.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "search/error.h"

namespace exh::search {
namespace {

std::string DefaultFolder(const std::string& kernel) {
  const std::string base =
      fmt::format("runs/{}-{:%Y%m%d-%H%M%S}", kernel, fmt::localtime(std::time(nullptr)));
  std::string folder = base;
  for (int number = 2; std::filesystem::exists(folder); ++number) {
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
  if (!error && !std::filesystem::is_directory(path)) {
    error = std::make_error_code(std::errc::not_a_directory);
  }
  if (error) throw Error(fmt::format("cannot make folder '{}': {}", path, error.message()));
}

std::string MakeRunFolder(const std::string& wanted, const std::string& kernel) {
  const std::string folder = wanted.empty() ? DefaultFolder(kernel) : wanted;
  if (std::filesystem::exists(folder + "/log.jsonl")) {
    throw UsageError(fmt::format("'{}' already holds a run: give another --out", folder));
  }
  MakeFolder(folder);
  return folder;
}

void WriteFile(const std::string& path, std::string_view text) {
  errno = 0;
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) throw Error(fmt::format("cannot write '{}': {}", path, std::strerror(errno)));
}

}  // namespace exh::search

// SPDX-License-Identifier: MIT
#include "search/log/run_folder.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cstring>
#include <ctime>
#include <filesystem>
#include <system_error>

#include "base/error.h"
#include "base/system/user_file.h"
#include "base/system/whole_file.h"
#include "search/log/event_log.h"
#include "search/log/log_reader.h"

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

/// A log of which not even the first line is whole, and that nobody writes to.
bool HasNotBegun(const std::string& log) {
  std::string error;
  constexpr std::size_t kLargestLine = std::size_t{1} << 24;
  const auto text = ReadFile(log, &error, kLargestLine);
  if (!text || text->find('\n') != std::string::npos) return false;
  EventLog::Reopen(log);  // Throws UsageError where another process does.
  return true;
}

}  // namespace

std::string TimeStamp() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

std::string WhyPath(const std::string& run) {
  return (std::filesystem::path(LogPath(run)).parent_path() / "why.json").string();
}

void MakeFolder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!error && !std::filesystem::is_directory(path, error)) {
    if (!error) error = std::make_error_code(std::errc::not_a_directory);
  }
  if (error) throw Error(fmt::format("cannot make folder '{}': {}", path, error.message()));
}

RunFolder::RunFolder(const std::string& wanted, const std::string& kernel)
    : path_(wanted.empty() ? DefaultFolder(kernel) : wanted) {
  std::error_code error;
  if (std::filesystem::exists(log_path(), error)) {
    if (!HasNotBegun(log_path())) {
      throw UsageError(fmt::format(
          "'{}' already holds a run: give another --out, or go on with it: --resume", path_));
    }
    std::filesystem::remove(log_path(), error);
  }
  const bool exists = std::filesystem::is_directory(path_, error);
  if (exists && !std::filesystem::is_empty(path_, error) && !error) {
    throw UsageError(
        fmt::format("'{}' is not empty: a run has a folder of its own; give another --out", path_));
  }
  MakeFolder(path_);
  is_new_ = !exists;
}

RunFolder::~RunFolder() {
  if (is_kept_) return;
  std::error_code ignored;
  std::filesystem::remove(log_path(), ignored);
  if (is_new_) std::filesystem::remove(path_, ignored);  // Only if it is empty.
}

void WriteFile(const std::string& path, std::string_view text) {
  const int error = WriteWholeFile(path, text);
  if (error != 0) throw Error(fmt::format("cannot write '{}': {}", path, std::strerror(error)));
}

}  // namespace exh::search

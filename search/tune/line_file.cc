// SPDX-License-Identifier: MIT
#include "search/tune/line_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "base/error.h"
#include "base/system/user_file.h"
#include "base/user_json.h"
#include "search/tune/shapes/lines.h"

namespace exh::search {
namespace {

[[noreturn]] void ThrowErrno(const std::string& path) {
  throw Error(fmt::format("{}: {}", path, std::strerror(errno)));
}

}  // namespace

bool LockFile(const Descriptor& file, bool shared) {
  constexpr int kTries = 20;
  constexpr std::chrono::milliseconds kPause(50);
  for (int tries = 0; tries < kTries; ++tries) {
    if (::flock(file.get(), (shared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0) return true;
    if (errno != EWOULDBLOCK && errno != EINTR) return true;
    std::this_thread::sleep_for(kPause);
  }
  return false;
}

LineFile::LineFile(std::string path) : path_(std::move(path)) {
  file_ = Descriptor(::open(path_.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0644));
  if (!file_.valid()) ThrowErrno(path_);
  if (!LockFile(file_, /*shared=*/false)) {
    throw UsageError(fmt::format("'{}' is in use: another process writes to it", path_));
  }
  struct stat status = {};
  if (::fstat(file_.get(), &status) != 0) ThrowErrno(path_);
  is_new_ = status.st_size == 0;
  char last = '\n';
  if (!is_new_ && ::pread(file_.get(), &last, 1, status.st_size - 1) == 1 && last != '\n' &&
      ::write(file_.get(), "\n", 1) != 1) {
    ThrowErrno(path_);
  }
}

void LineFile::Append(const nlohmann::ordered_json& line) {
  const std::string text =
      line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  struct stat status = {};
  if (::fstat(file_.get(), &status) != 0) ThrowErrno(path_);
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t count = ::write(file_.get(), text.data() + written, text.size() - written);
    if (count >= 0) {
      written += static_cast<std::size_t>(count);
    } else if (errno != EINTR) {
      const int error = errno;
      if (::ftruncate(file_.get(), status.st_size) != 0) errno = error;
      errno = error;
      ThrowErrno(path_);
    }
  }
  is_new_ = false;
}

std::vector<ReadLine> ReadLines(const std::string& path) {
  std::string error;
  const auto text = ReadFile(path, &error);
  std::vector<ReadLine> lines;
  if (!text) return lines;
  ForEachLine(*text, [&](int number, std::string_view line) {
    auto json = TryUserJson<nlohmann::ordered_json>(line);
    if (json.is_object()) lines.push_back({number, std::move(json)});
  });
  return lines;
}

bool IsWritten(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return false;
  return ::flock(file.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

}  // namespace exh::search

// SPDX-License-Identifier: MIT
#include "search/event_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "search/crc32c.h"
#include "search/error.h"

namespace exh::search {
namespace {

[[noreturn]] void ThrowErrno(const std::string& path, int error) {
  throw Error(fmt::format("{}: {}", path, std::strerror(error)));
}

}  // namespace

std::string SealLine(const Json& record) {
  // Compilers complain in any encoding: what is not UTF-8 becomes a replacement character.
  std::string line = record.dump(-1, ' ', false, Json::error_handler_t::replace);
  line.pop_back();
  line += fmt::format(",\"crc\":\"{:08x}\"}}", Crc32c(line));
  return line;
}

EventLog::EventLog(std::string path) : EventLog(std::move(path), O_CREAT | O_EXCL) {}

EventLog::EventLog(std::string path, int flags) : path_(std::move(path)) {
  file_ = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | flags, 0644);
  if (file_ < 0) ThrowErrno(path_, errno);
  // A file system without locks is no reason not to search.
  if (::flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(file_);
    throw UsageError(fmt::format("'{}' is in use: another process writes to this run", path_));
  }
}

EventLog::~EventLog() {
  ::close(file_);
}

void EventLog::Keep(std::size_t size, bool ends_line) {
  {
    const std::lock_guard lock(mutex_);
    if (::ftruncate(file_, static_cast<off_t>(size)) != 0) ThrowErrno(path_, errno);
    size_ = size;
  }
  if (!ends_line) Append("\n");
}

void EventLog::Append(std::string_view line) {
  const std::lock_guard lock(mutex_);
  if (broken_) return;
  std::size_t written = 0;
  while (written < line.size()) {
    const ssize_t count = ::write(file_, line.data() + written, line.size() - written);
    if (count >= 0) {
      written += static_cast<std::size_t>(count);
    } else if (errno != EINTR) {
      const int error = errno;
      // Half a line in the middle would cost the line after it as well.
      if (::ftruncate(file_, static_cast<off_t>(size_)) != 0) broken_ = true;
      ThrowErrno(path_, error);
    }
  }
  size_ += line.size();
}

}  // namespace exh::search

// SPDX-License-Identifier: MIT
#include "search/log/event_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/error.h"

namespace exh::search {
namespace {

[[noreturn]] void ThrowErrno(const std::string& path, int error) {
  throw Error(fmt::format("{}: {}", path, std::strerror(error)));
}

}  // namespace

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

void EventLog::Keep(const LogTail& tail) {
  const std::lock_guard lock(mutex_);
  if (::ftruncate(file_, static_cast<off_t>(tail.bytes)) != 0) ThrowErrno(path_, errno);
  tail_ = tail;
  if (tail.ends_line) return;
  WriteBytes("\n");
  ++tail_.bytes;
  tail_.ends_line = true;
}

void EventLog::MakeDurable() {
  const std::lock_guard lock(mutex_);
  Sync();
  // The name of a new file is in its folder.
  const std::string folder = std::filesystem::absolute(path_).parent_path().string();
  const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) ThrowErrno(folder, errno);
  const int error = ::fsync(file) == 0 ? 0 : errno;
  ::close(file);
  if (error != 0) ThrowErrno(folder, error);
  durable_ = true;
}

void EventLog::Append(std::string record_text, bool matters) {
  const std::lock_guard lock(mutex_);
  if (broken_) return;
  LogTail tail = tail_;
  WriteBytes(SealLine(std::move(record_text), tail));
  tail_ = tail;
  if (durable_ && matters) Sync();
}

void EventLog::WriteBytes(std::string_view bytes) {
  std::size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t count = ::write(file_, bytes.data() + written, bytes.size() - written);
    if (count >= 0) {
      written += static_cast<std::size_t>(count);
    } else if (errno != EINTR) {
      const int error = errno;
      // Half a line in the middle would cost the line after it as well.
      if (::ftruncate(file_, static_cast<off_t>(tail_.bytes)) != 0) broken_ = true;
      ThrowErrno(path_, error);
    }
  }
}

void EventLog::Sync() {
  if (::fdatasync(file_) != 0) ThrowErrno(path_, errno);
}

}  // namespace exh::search

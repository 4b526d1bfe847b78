// SPDX-License-Identifier: MIT
#include "base/system/whole_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>

namespace exh {
namespace {

constexpr mode_t kPermissions = 07777;

/// 0 or an errno.
int WriteAll(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(file, text.data(), text.size());
    if (count >= 0) {
      text.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

/// Closes the file, whatever came before. Some file systems say only then that a disk is full.
int Close(int file, int error) {
  const bool closed = ::close(file) == 0;
  return error == 0 && !closed && errno != EINTR ? errno : error;
}

int WriteInto(const std::string& path, std::string_view text) {
  const int file = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY);
  return file < 0 ? errno : Close(file, WriteAll(file, text));
}

/// A new file beside `path`, which nobody else has. Negative: none, and errno says why.
int OpenBeside(const std::string& path, std::string& name) {
  static std::atomic<unsigned> counter{0};
  constexpr mode_t kNewFile = 0666;
  for (;;) {
    name = path + ".part-" + std::to_string(::getpid()) + "-" + std::to_string(counter++);
    const int file =
        ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kNewFile);
    // Left behind by a process of the same number.
    if (file >= 0 || errno != EEXIST) return file;
  }
}

}  // namespace

int WriteWholeFile(const std::string& path, std::string_view text, bool durable) {
  if (path.starts_with("/dev/") || path.starts_with("/proc/")) return WriteInto(path, text);
  struct stat old {};
  const bool is_there = ::lstat(path.c_str(), &old) == 0;
  if (is_there && S_ISDIR(old.st_mode)) return EISDIR;
  if (is_there && !S_ISREG(old.st_mode) && !S_ISLNK(old.st_mode)) return WriteInto(path, text);
  std::string own;
  const int file = OpenBeside(path, own);
  if (file < 0) return errno;
  int error = WriteAll(file, text);
  if (error == 0 && is_there && S_ISREG(old.st_mode) &&
      ::fchmod(file, old.st_mode & kPermissions) != 0) {
    error = errno;
  }
  if (error == 0 && durable && ::fsync(file) != 0) error = errno;
  error = Close(file, error);
  if (error == 0 && std::rename(own.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) ::unlink(own.c_str());
  return error;
}

}  // namespace exh

// SPDX-License-Identifier: MIT
#include "base/system/user_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace exh {

std::string NoRegularFile(int file) {
  struct stat facts {};
  if (::fstat(file, &facts) != 0) return std::strerror(errno);
  if (S_ISDIR(facts.st_mode)) return std::strerror(EISDIR);
  return S_ISREG(facts.st_mode) ? "" : "not a regular file";
}

std::optional<std::string> ReadFile(const std::string& path, std::string* error, std::size_t most) {
  // Opening a pipe that nobody writes to would wait for ever.
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (file < 0) {
    *error = std::strerror(errno);
    return std::nullopt;
  }
  const struct Closed {
    int file;
    ~Closed() { ::close(file); }
  } closed{file};
  if (*error = NoRegularFile(file); !error->empty()) return std::nullopt;
  struct stat facts {};
  ::fstat(file, &facts);
  const auto size = static_cast<std::size_t>(std::max<off_t>(0, facts.st_size));
  const auto too_large = [&](std::size_t bytes) {
    *error = fmt::format("it has {} bytes, more than the {} that are read", bytes, most);
    return std::nullopt;
  };
  if (size > most) return too_large(size);
  // What /proc has says 0; and a file may grow while it is read.
  std::string text;
  text.reserve(size + 1);
  char piece[1 << 16];
  while (true) {
    const ssize_t count = ::read(file, piece, sizeof piece);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      *error = std::strerror(errno);
      return std::nullopt;
    }
    if (count == 0) return text;
    text.append(piece, static_cast<std::size_t>(count));
    if (text.size() > most) return too_large(text.size());
  }
}

std::string ReadUserFile(const std::string& path, std::size_t most) {
  std::string error;
  auto text = ReadFile(path, &error, most);
  if (!text) throw UsageError(fmt::format("cannot read '{}': {}", path, error));
  return std::move(*text);
}

}  // namespace exh

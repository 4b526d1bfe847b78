// SPDX-License-Identifier: MIT
#include "base/system/scratch_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/error.h"

namespace exh {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "exhaust-";
constexpr std::size_t kRandom = 6;  ///< Letters behind it.
const char* VariableOfParent() {
  const char* const value = std::getenv("TMPDIR");
  return value != nullptr && *value != '\0' ? value : nullptr;
}

bool IsName(std::string_view name) {
  return name.starts_with(kPrefix) && name.size() == kPrefix.size() + kRandom;
}

/// Opens a folder, never through a link; -1 when it is none or cannot be read.
int OpenFolder(int parent, const char* name) {
  return ::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/// Removes a folder of ours whose owner is dead. The lock on it is held until it is gone: whoever
/// has just made it and wants to lock it then finds it taken, and makes another one. If this
/// process is killed on the way, the rest of the folder is nobody's, and the next one removes it.
void RemoveIfAbandoned(int parent, const std::string& path, const char* name) {
  const int folder = OpenFolder(parent, name);
  if (folder < 0) return;
  struct stat facts;
  if (::fstat(folder, &facts) == 0 && facts.st_uid == ::geteuid() &&
      ::flock(folder, LOCK_EX | LOCK_NB) == 0) {
    std::error_code ignored;
    fs::remove_all(path, ignored);  // Links in it are removed as such.
  }
  ::close(folder);
}

void RemoveAbandoned(const std::string& parent) {
  DIR* const folder = ::opendir(parent.c_str());
  if (folder == nullptr) return;
  while (const dirent* const entry = ::readdir(folder)) {
    if (!IsName(entry->d_name)) continue;
    RemoveIfAbandoned(::dirfd(folder), (fs::path(parent) / entry->d_name).string(), entry->d_name);
  }
  ::closedir(folder);
}

/// Locks a new folder. -1: another process took it for an abandoned one just then.
int Lock(const std::string& path) {
  const int lock = OpenFolder(AT_FDCWD, path.c_str());
  if (lock < 0) return -1;
  // A file system without locks has folders that stay when their owner is killed.
  const bool is_taken = ::flock(lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  struct stat ours, there;
  const bool is_there = ::fstat(lock, &ours) == 0 && ::stat(path.c_str(), &there) == 0 &&
                        ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
  if (!is_taken && is_there) return lock;
  ::close(lock);
  return -1;
}

}  // namespace

std::string TemporaryParent() {
  const char* const value = VariableOfParent();
  return value == nullptr ? "/tmp" : value;
}

ScratchFolder::ScratchFolder() {
  const std::string parent = TemporaryParent();
  int error = 0;
  for (int attempt = 0; attempt < 10 && lock_ < 0; ++attempt) {
    path_ = (fs::path(parent) / (std::string(kPrefix) + std::string(kRandom, 'X'))).string();
    if (::mkdtemp(path_.data()) == nullptr) {
      error = errno;
      break;
    }
    lock_ = Lock(path_);
    error = errno;
    std::error_code ignored;
    if (lock_ < 0) fs::remove_all(path_, ignored);
  }
  if (lock_ < 0) {
    throw Error(fmt::format(
        "cannot make a folder for temporary files in '{}'{}: {}; set TMPDIR to "
        "a folder that can be written to",
        parent, VariableOfParent() == nullptr ? "" : ", which TMPDIR names", std::strerror(error)));
  }
  path_ = fs::absolute(path_).string();
  RemoveAbandoned(parent);
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  ::close(lock_);
}

}  // namespace exh

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
#include <ctime>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/error.h"

namespace exh {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "exhaust-";
constexpr std::size_t kRandom = 6;  ///< Letters behind it.
constexpr const char* kOwner = "owner";

const char* VariableOfParent() {
  const char* const value = std::getenv("TMPDIR");
  return value != nullptr && *value != '\0' ? value : nullptr;
}

bool IsName(std::string_view name) {
  return name.starts_with(kPrefix) && name.size() == kPrefix.size() + kRandom;
}

/// Is it a folder of ours whose owner is dead? Looks at the folder itself, never through a link.
bool IsAbandoned(int parent, const char* name) {
  const int folder = ::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return false;
  struct stat facts;
  bool is_abandoned = false;
  if (::fstat(folder, &facts) == 0 && facts.st_uid == ::geteuid()) {
    const int lock = ::openat(folder, kOwner, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (lock >= 0) {
      is_abandoned = ::flock(lock, LOCK_EX | LOCK_NB) == 0;
      ::close(lock);
    } else if (errno == ENOENT) {
      // It is about to get its file, or was made before there were any.
      constexpr std::time_t kHour = 3600;
      is_abandoned = facts.st_mtime + kHour < std::time(nullptr);
    }
  }
  ::close(folder);
  return is_abandoned;
}

void RemoveAbandoned(const std::string& parent) {
  DIR* const folder = ::opendir(parent.c_str());
  if (folder == nullptr) return;
  while (const dirent* const entry = ::readdir(folder)) {
    if (!IsName(entry->d_name) || !IsAbandoned(::dirfd(folder), entry->d_name)) continue;
    std::error_code ignored;
    fs::remove_all(fs::path(parent) / entry->d_name, ignored);  // Links in it are removed as such.
  }
  ::closedir(folder);
}

/// Locks a new folder. -1: another process took it for an abandoned one just then.
int Lock(const std::string& path) {
  const std::string file = path + "/" + kOwner;
  const int lock = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (lock < 0) return -1;
  // A file system without locks has folders that stay when their owner is killed.
  const bool is_taken = ::flock(lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  struct stat facts;
  if (!is_taken && ::fstat(lock, &facts) == 0 && facts.st_nlink > 0) return lock;
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

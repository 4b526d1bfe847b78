// SPDX-License-Identifier: MIT
#include "search/install/whole_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <system_error>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/system/whole_file.h"

namespace exh::search {
namespace {

namespace fs = std::filesystem;

/// Where new files are until all of them are there.
constexpr const char* kBegun = ".exh-begun";
/// Within it: the files, and a list of those that shall go.
constexpr const char* kFiles = "files";
constexpr const char* kGone = "gone";
/// Where a file system locks no folders.
constexpr const char* kLockFile = ".exh-lock";

/// The files below a folder by their paths in it: those of its sub-folders first, as what is beside
/// them speaks of them.
std::vector<fs::path> FilesBelow(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_directory()) files.push_back(entry.path().lexically_relative(folder));
  }
  std::ranges::sort(files, [](const fs::path& a, const fs::path& b) {
    return a.has_parent_path() != b.has_parent_path() ? a.has_parent_path() : a < b;
  });
  return files;
}

/// 0 or an errno. `waits`: until it may.
int LockOnce(int file, bool waits) {
  for (;;) {
    if (::flock(file, waits ? LOCK_EX : LOCK_EX | LOCK_NB) == 0) return 0;
    if (errno != EINTR) return errno;
  }
}

}  // namespace

void WholeFolder::Fail(const std::string& why) const {
  throw Error(fmt::format("cannot write the folder '{}': {}; nothing was changed", name_, why));
}

WholeFolder::WholeFolder(const std::string& folder) : name_(folder) {
  std::error_code error;
  path_ = fs::weakly_canonical(fs::absolute(folder, error), error);
  if (error) Fail(error.message());
  if (!path_.has_filename()) path_ = path_.parent_path();
  try {
    Lock();
    Finish();
  } catch (...) {
    Unlock();
    throw;
  }
}

WholeFolder::~WholeFolder() {
  Unlock();
}

/// Makes the folder and those around it.
void WholeFolder::Make() {
  std::vector<fs::path> missing;
  for (fs::path path = path_; !path.empty() && ::access(path.c_str(), F_OK) != 0;
       path = path.parent_path()) {
    missing.push_back(path);
    if (path == path.parent_path()) break;
  }
  constexpr mode_t kNewFolder = 0777;
  for (auto path = missing.rbegin(); path != missing.rend(); ++path) {
    if (::mkdir(path->c_str(), kNewFolder) == 0) {
      made_.push_back(*path);
    } else if (errno != EEXIST) {
      Fail(std::strerror(errno));
    }
  }
}

/// The lock is that of the folder itself, so that none is left behind. It goes with the process.
void WholeFolder::Lock() {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kPause(10);
  constexpr std::chrono::seconds kPatience(1);
  for (const auto begin = Clock::now();;) {
    Make();
    lock_ = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock_ < 0 && errno == ENOENT) continue;  // Whoever made it has found nothing to write.
    if (lock_ < 0) Fail(std::strerror(errno));
    struct stat folder {};
    ::fstat(lock_, &folder);
    int error = LockOnce(lock_, false);
    if (error != 0 && error != EWOULDBLOCK) {
      constexpr mode_t kNewFile = 0666;
      ::close(lock_);
      lock_ = ::open((path_ / kLockFile).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kNewFile);
      if (lock_ < 0 && errno == ENOENT) continue;
      if (lock_ < 0) Fail(std::strerror(errno));
      error = LockOnce(lock_, false);
    }
    if (error == EWOULDBLOCK && Clock::now() - begin < kPatience) {
      ::close(std::exchange(lock_, -1));
      std::this_thread::sleep_for(kPause);
      continue;
    }
    if (error == EWOULDBLOCK) {
      std::fputs(fmt::format("waiting for another process, which writes '{}'\n", name_).c_str(),
                 stderr);
      error = LockOnce(lock_, true);
    }
    if (error != 0) Fail(std::string("it cannot be locked: ") + std::strerror(error));
    // It may be gone, and another one in its place.
    struct stat now {};
    if (::stat(path_.c_str(), &now) == 0 && now.st_ino == folder.st_ino &&
        now.st_dev == folder.st_dev) {
      return;
    }
    ::close(std::exchange(lock_, -1));
  }
}

void WholeFolder::Unlock() {
  if (!is_written_ && lock_ >= 0 && !made_.empty() && is_empty()) {
    ::unlink((path_ / kLockFile).c_str());
  }
  // Of those that others have put something into none goes.
  for (; !is_written_ && !made_.empty(); made_.pop_back()) ::rmdir(made_.back().c_str());
  if (lock_ >= 0) ::close(std::exchange(lock_, -1));
}

bool WholeFolder::is_empty() const {
  std::error_code error;
  const fs::directory_iterator all(path_, error);
  return std::all_of(begin(all), end(all),
                     [](const auto& entry) { return entry.path().filename() == kLockFile; });
}

/// What keeps a file from its place is found while nothing has changed.
void WholeFolder::CheckPlaces(const std::map<std::string, std::string>& files) const {
  for (const auto& [name, text] : files) {
    const fs::path place = path_ / name;
    if (fs::is_directory(fs::symlink_status(place))) {
      Fail(fmt::format("'{}' is a folder", name));
    }
    for (fs::path around = place.parent_path(); around != path_; around = around.parent_path()) {
      if (!fs::exists(fs::symlink_status(around))) continue;
      if (::access((around / ".").c_str(), W_OK | X_OK) != 0) {
        Fail(fmt::format("'{}': {}", around.lexically_relative(path_).string(),
                         std::strerror(errno)));
      }
    }
  }
}

void WholeFolder::Write(const std::map<std::string, std::string>& files,
                        const std::set<std::string>& before) {
  const fs::path begun = path_ / kBegun;
  try {
    CheckPlaces(files);
    fs::create_directory(begun);
    std::string gone;
    for (const std::string& name : before) {
      if (files.count(name) == 0) gone += name + "\n";
    }
    const auto write = [&](const fs::path& path, const std::string& text) {
      fs::create_directories(path.parent_path());
      const int code = WriteWholeFile(path.string(), text);
      if (code != 0) Fail(std::strerror(code));
    };
    for (const auto& [name, text] : files) write(begun / kFiles / name, text);
    write(begun / kGone, gone);
    fs::rename(begun, path_ / kUnfinished);
  } catch (const std::exception& error) {
    std::error_code ignored;
    fs::remove_all(begun, ignored);
    const auto* const system = dynamic_cast<const fs::filesystem_error*>(&error);
    if (system != nullptr) Fail(system->code().message());
    throw;
  }
  is_written_ = true;
  Finish();
}

/// Files that are whole take their places. What a process was writing when it was killed goes.
void WholeFolder::Finish() {
  const fs::path whole = path_ / kUnfinished;
  try {
    if (fs::exists(fs::symlink_status(whole))) {
      is_written_ = true;
      for (const fs::path& name : FilesBelow(whole / kFiles)) {
        fs::create_directories((path_ / name).parent_path());
        fs::rename(whole / kFiles / name, path_ / name);
      }
      std::ifstream gone(whole / kGone);
      for (std::string name; std::getline(gone, name);) {
        const fs::path path = fs::path(name).lexically_normal();
        if (path.empty() || path.is_absolute() || *path.begin() == "..") continue;
        fs::remove(path_ / path);
        std::error_code is_not_empty;
        if (path.has_parent_path()) fs::remove(path_ / path.parent_path(), is_not_empty);
      }
      gone.close();
      fs::remove_all(path_ / kBegun);
      fs::rename(whole, path_ / kBegun);  // It is done, and what follows may be half done.
    }
    fs::remove_all(path_ / kBegun);
  } catch (const fs::filesystem_error& error) {
    if (!is_written_) Fail(error.code().message());
    throw Error(
        fmt::format("the folder '{}' is written in part: {}; the rest lies in '{}', and the next "
                    "call that writes this folder goes on with it",
                    name_, error.what(), whole.string()));
  }
}

}  // namespace exh::search

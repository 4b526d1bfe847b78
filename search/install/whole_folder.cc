// SPDX-License-Identifier: MIT
#include "search/install/whole_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>
#include <system_error>

#include "base/error.h"
#include "base/system/whole_file.h"

namespace exh::search {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void Fail(const std::string& folder, const std::string& why) {
  throw Error(fmt::format("cannot write the folder '{}': {}; nothing was changed", folder, why));
}

/// Gone at the end, whatever it has become.
struct Scratch {
  fs::path path;
  bool stays = false;
  ~Scratch() {
    std::error_code ignored;
    if (!stays) fs::remove_all(path, ignored);
  }
};

/// Each takes the place of the other; 0 or an errno.
int Exchange(const fs::path& a, const fs::path& b) {
  if (::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  // A file system that cannot do it at once.
  const fs::path aside = a.string() + ".old";
  std::error_code error, ignored;
  fs::rename(b, aside, error);
  if (!error) {
    fs::rename(a, b, error);
    if (error) fs::rename(aside, b, ignored);
  }
  if (!error) fs::rename(aside, a, error);
  return error.value();
}

}  // namespace

void WriteWholeFolder(const std::string& folder, const std::map<std::string, std::string>& files) {
  std::error_code error;
  // A link stays one: the folder that it leads to is written.
  fs::path target = fs::weakly_canonical(fs::absolute(folder, error), error);
  if (error) Fail(folder, error.message());
  if (!target.has_filename()) target = target.parent_path();
  fs::create_directories(target.parent_path(), error);
  if (error) Fail(folder, error.message());
  Scratch made{target.parent_path() /
               fmt::format(".{}.{}", target.filename().string(), ::getpid())};
  fs::remove_all(made.path, error);
  fs::create_directory(made.path, error);
  if (error) Fail(folder, error.message());
  std::set<std::string> ours;  // The first parts of all paths.
  for (const auto& [name, text] : files) {
    const fs::path path = made.path / name;
    ours.insert(fs::path(name).begin()->string());
    fs::create_directories(path.parent_path(), error);
    if (error) Fail(folder, error.message());
    if (const int code = WriteWholeFile(path.string(), text); code != 0) {
      Fail(folder, std::strerror(code));
    }
  }
  if (!fs::exists(target, error)) {
    fs::rename(made.path, target, error);
    if (error) Fail(folder, error.message());
    return;
  }
  if (const int code = Exchange(made.path, target); code != 0) Fail(folder, std::strerror(code));
  // What was there lies in the scratch folder now. Strangers go back.
  for (const fs::directory_entry& entry : fs::directory_iterator(made.path, error)) {
    const fs::path name = entry.path().filename();
    if (ours.count(name.string()) > 0) continue;
    std::error_code trouble;
    fs::rename(entry.path(), target / name, trouble);
    if (!trouble) continue;
    made.stays = true;
    throw Error(
        fmt::format("'{}' is written, but '{}' could not go back to it: {}; it lies in '{}'",
                    folder, name.string(), trouble.message(), made.path.string()));
  }
}

}  // namespace exh::search

// SPDX-License-Identifier: MIT
//
// A folder that several write to: what stays, what goes, and what a failure leaves. Writers are
// killed at each of their steps: this program has the calls of the system that change folders, and
// counts them. Several write at once.
#include "search/install/whole_folder.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <filesystem>
#include <fstream>
#include <map>

#include "base/error.h"
#include "tests/search/temp_folder.h"

namespace {

/// So many steps are left until this process is killed; negative: it lives.
int steps_left = -1;

void Step() {
  if (steps_left < 0) return;
  if (steps_left-- == 0) ::kill(::getpid(), SIGKILL);
}

template <typename... Arguments>
int Call(long number, Arguments... arguments) {
  Step();
  return static_cast<int>(::syscall(number, arguments...));
}

}  // namespace

// What changes a folder, in place of the functions of the library.
extern "C" {
int rename(const char* from, const char* to) noexcept {
  return Call(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to);
}
int mkdir(const char* path, mode_t mode) noexcept {
  return Call(SYS_mkdirat, AT_FDCWD, path, mode);
}
int unlink(const char* path) noexcept {
  return Call(SYS_unlinkat, AT_FDCWD, path, 0);
}
int unlinkat(int folder, const char* path, int flags) noexcept {
  return Call(SYS_unlinkat, folder, path, flags);
}
int rmdir(const char* path) noexcept {
  return Call(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR);
}
int remove(const char* path) noexcept {
  const int code = unlink(path);
  return code != 0 && errno == EISDIR ? rmdir(path) : code;
}
ssize_t write(int file, const void* text, size_t count) {
  Step();
  return ::syscall(SYS_write, file, text, count);
}
int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = va_arg(more, mode_t);
  va_end(more);
  return Call(SYS_openat, AT_FDCWD, path, flags, mode);
}
}

namespace exh::search {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Pair;
using testing::UnorderedElementsAre;
using Files = std::map<std::string, std::string>;
using Names = std::set<std::string>;

void Write(const std::string& folder, const Files& files, const Names& before = {}) {
  WholeFolder(folder).Write(files, before);
}

void Make(const std::string& path, const std::string& text) {
  fs::create_directories(fs::path(path).parent_path());
  std::ofstream(path) << text;
}

/// All files below a folder, with their texts; "(link)" for a link, "(folder)" for an empty one.
Files FilesIn(const std::string& folder) {
  Files files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().lexically_relative(folder).string();
    if (entry.is_symlink()) {
      files[name] = "(link)";
    } else if (entry.is_regular_file()) {
      files[name] = ReadAll(entry.path().string());
    } else if (fs::is_empty(entry.path())) {
      files[name] = "(folder)";
    }
  }
  return files;
}

TEST(WholeFolder, IsMadeWithItsParents) {
  const TempFolder home;
  Write(home / "a/b/", {{"one", "1"}, {"sub/two", "2"}});
  EXPECT_THAT(FilesIn(home.path()),
              UnorderedElementsAre(Pair("a/b/one", "1"), Pair("a/b/sub/two", "2")));
}

TEST(WholeFolder, OursAreReplacedAndStrangersStay) {
  const TempFolder home;
  Write(home / "out", {{"one", "1"}, {"sub/old", "2"}, {"gone/old", "3"}});
  Make(home / "out/build/deep/mine", "mine");
  Make(home / "out/sub/mine", "mine");
  fs::create_symlink("one", home / "out/link");
  Write(home / "out", {{"one", "one"}, {"sub/new", "new"}}, {"one", "sub/old", "gone/old"});
  EXPECT_THAT(FilesIn(home.path()),
              UnorderedElementsAre(
                  Pair("out/one", "one"), Pair("out/sub/new", "new"), Pair("out/sub/mine", "mine"),
                  Pair("out/build/deep/mine", "mine"), Pair("out/link", "(link)")));
}

TEST(WholeFolder, ALinkToItStaysOne) {
  const TempFolder home;
  fs::create_directory(home / "there");
  fs::create_directory_symlink("there", home / "out");
  Write(home / "out", {{"one", "1"}});
  EXPECT_TRUE(fs::is_symlink(home / "out"));
  EXPECT_EQ(ReadAll(home / "there/one"), "1");
}

TEST(WholeFolder, AFailureLeavesWhatWasThere) {
  const TempFolder home;
  Write(home / "out", {{"one", "1"}});
  fs::create_directory(home / "out/mine");
  const Files before = FilesIn(home.path());
  // A name that no file system takes, behind one that it takes; a folder of the user's in the way.
  for (const auto& [name, why] : Files{{std::string(300, 'x'), "File name too long"},
                                       {"mine", "'mine' is a folder"},
                                       {"one/deep", "'one': Not a directory"}}) {
    EXPECT_THAT(Thrown<Error>([&, &name = name] {
                  Write(home / "out", {{"a", "2"}, {name, "3"}});
                }),
                testing::AllOf(HasSubstr("cannot write the folder '" + (home / "out") + "'"),
                               HasSubstr(why + "; nothing was changed")));
    EXPECT_EQ(FilesIn(home.path()), before);
  }
  EXPECT_THAT(Thrown<Error>([&] {
                Write(home / "out/one/deep", {{"a", "2"}});
              }),
              HasSubstr("nothing was changed"));
  EXPECT_EQ(FilesIn(home.path()), before);
}

TEST(WholeFolder, OneThatGotNoFilesIsGoneAgain) {
  const TempFolder home;
  { const WholeFolder folder(home / "a/b"); }
  EXPECT_TRUE(fs::is_empty(home.path()));
  fs::create_directory(home / "a");
  { const WholeFolder folder(home / "a/b"); }
  EXPECT_THAT(FilesIn(home.path()), UnorderedElementsAre(Pair("a", "(folder)")));
}

/// Does `work` in a process of its own, which is killed before its step number `steps`; negative:
/// never. Was it killed?
template <typename Work>
bool IsKilled(int steps, const Work& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    steps_left = steps;
    work();
    ::_exit(0);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  if (WIFSIGNALED(status)) {
    EXPECT_EQ(WTERMSIG(status), SIGKILL);
  } else {
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
  return WIFSIGNALED(status);
}

const Files kOld = {{"CMakeLists.txt", "old"},
                    {"kernels/a", "1"},
                    {"kernels/b", "2"},
                    {"more/old", "3"},
                    {"wisdom", "old"}};
const Files kNew = {
    {"CMakeLists.txt", "new"}, {"kernels/b", "two"}, {"kernels/c", "3"}, {"wisdom", "new"}};
const Files kUsers = {{"build/deep/mine", "mine"}, {"kernels/mine", "mine"}, {"a note", "mine"}};

Names NamesOf(const Files& files) {
  Names names;
  for (const auto& [name, text] : files) names.insert(name);
  return names;
}
Files With(Files all, const Files& more) {
  all.insert(more.begin(), more.end());
  return all;
}

/// Do all of the user's files lie where the user put them?
bool HasUsers(const std::string& folder) {
  for (const auto& [name, text] : kUsers) {
    if (ReadAll(folder + "/" + name) != text) return false;
  }
  return true;
}

void Begin(const std::string& out) {
  fs::remove_all(out);
  for (const auto& [name, text] : With(kOld, kUsers)) Make(out + "/" + name, text);
}

/// Kills a writer at its step `steps`, and whoever comes next at its step `later`; then it is as it
/// was or as it shall be. Were both killed?
std::pair<bool, bool> KillTwice(const TempFolder& home, int steps, int later) {
  const std::string out = home / "out";
  Begin(out);
  const bool first = IsKilled(steps, [&] { Write(out, kNew, NamesOf(kOld)); });
  EXPECT_TRUE(HasUsers(out)) << steps;
  const bool second = IsKilled(later, [&] { const WholeFolder folder(out); });
  EXPECT_TRUE(HasUsers(out)) << steps << " " << later;
  { const WholeFolder folder(out); }
  const Files now = FilesIn(home.path());
  Files old, changed;
  for (const auto& [name, text] : With(kOld, kUsers)) old["out/" + name] = text;
  for (const auto& [name, text] : With(kNew, kUsers)) changed["out/" + name] = text;
  EXPECT_TRUE(now == old || now == changed)
      << steps << " " << later << ": " << testing::PrintToString(now);
  EXPECT_TRUE(first || now == changed);
  Write(out, kNew, NamesOf(kOld));
  EXPECT_EQ(FilesIn(home.path()), changed) << steps << " " << later;
  return {first, second};
}

TEST(WholeFolder, WhoeverIsKilledHasChangedAllOrNothing) {
  const TempFolder home;
  int steps = 0, seconds = 0;
  for (bool goes_on = true; goes_on; ++steps) {
    for (int later = 0;; ++later) {
      const auto [first, second] = KillTwice(home, steps, later);
      goes_on = first;
      if (!second) break;
      ++seconds;
    }
  }
  EXPECT_GT(steps, 20);
  EXPECT_GT(seconds, 20);
}

TEST(WholeFolder, SeveralWritersWaitForEachOther) {
  const TempFolder home;
  const std::string out = home / "out";
  constexpr int kWriters = 4, kRounds = 20;
  std::vector<pid_t> children;
  for (int writer = 0; writer < kWriters; ++writer) {
    children.push_back(::fork());
    if (children.back() != 0) continue;
    for (int round = 0; round < kRounds; ++round) {
      WholeFolder folder(out);
      // A list that grows by a line, and a file for each of its lines.
      const std::string list = ReadAll(out + "/list");
      Names before;
      Files files;
      for (std::size_t at = 0; at < list.size(); at = list.find('\n', at) + 1) {
        before.insert("kernels/" + list.substr(at, list.find('\n', at) - at));
      }
      for (const std::string& name : before) files[name] = ReadAll(out + "/" + name);
      const std::string name = std::to_string(writer) + "-" + std::to_string(round);
      files["kernels/" + name] = name;
      files["list"] = list + name + "\n";
      folder.Write(files, before);
      Make(out + "/build/" + name, "mine");
    }
    ::_exit(0);
  }
  for (const pid_t child : children) {
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  const Files all = FilesIn(out);
  EXPECT_EQ(all.size(), 2u * kWriters * kRounds + 1);
  for (const auto& [name, text] : all) {
    EXPECT_TRUE(!name.starts_with("kernels/") || name == "kernels/" + text) << name;
  }
}

}  // namespace
}  // namespace exh::search

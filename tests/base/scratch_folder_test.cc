// SPDX-License-Identifier: MIT
#include "base/system/scratch_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "tests/search/temp_folder.h"

namespace exh {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Scratch : public ::testing::Test {
 protected:
  Scratch() { ::setenv("TMPDIR", folder_.path().c_str(), 1); }
  ~Scratch() override { ::unsetenv("TMPDIR"); }

  /// A folder whose owner ends without a chance to remove it, with a file and two links in it.
  std::string Abandoned() const {
    const pid_t owner = ::fork();
    if (owner == 0) {
      const ScratchFolder scratch;
      std::ofstream(scratch.path() + "/file") << "x";
      fs::create_directory(scratch.path() + "/sub");
      fs::create_directory_symlink(folder_ / "outside", scratch.path() + "/sub/link");
      fs::create_symlink(folder_ / "outside/file", scratch.path() + "/filelink");
      std::ofstream(folder_ / "name") << scratch.path();
      std::_Exit(0);
    }
    ::waitpid(owner, nullptr, 0);
    return search::ReadAll(folder_ / "name");
  }

  search::TempFolder folder_;
};

TEST_F(Scratch, GoesWithItsOwner) {
  std::optional<ScratchFolder> scratch;
  scratch.emplace();
  const std::string path = scratch->path();
  EXPECT_TRUE(path.starts_with(folder_.path())) << path;
  std::ofstream(path + "/file") << "x";
  scratch.reset();
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(Scratch, TheNextOneRemovesThoseOfDeadOwners) {
  fs::create_directory(folder_ / "outside");
  std::ofstream(folder_ / "outside/file") << "x";
  const ScratchFolder alive;
  const std::string dead = Abandoned();
  ASSERT_TRUE(fs::exists(dead + "/sub/link/file"));
  const ScratchFolder next;
  EXPECT_FALSE(fs::exists(dead));
  EXPECT_TRUE(fs::exists(alive.path()));
  EXPECT_TRUE(fs::exists(next.path()));
  EXPECT_TRUE(fs::exists(folder_ / "outside/file")) << "a link was followed";
}

TEST_F(Scratch, LeavesAloneWhatIsNotOurs) {
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(2);
  for (const char* const name :
       {"exhaust-abcde", "exhaust-abcdefg", "exhaust", "other-abcdef", "exhaust-target"}) {
    fs::create_directory(folder_ / name);
    fs::last_write_time(folder_ / name, long_ago);
  }
  // The name fits, but it is a link, or a file.
  fs::rename(folder_ / "exhaust-target", folder_ / "target");
  fs::create_directory_symlink(folder_ / "target", folder_ / "exhaust-linked");
  std::ofstream(folder_ / "exhaust-afile0") << "x";
  const ScratchFolder scratch;
  for (const char* const name : {"exhaust-abcde", "exhaust-abcdefg", "exhaust", "other-abcdef",
                                 "target", "exhaust-linked", "exhaust-afile0"}) {
    EXPECT_TRUE(fs::exists(folder_ / name)) << name;
  }
}

// An owner may be killed right after it has made its folder, or while it removes it.
TEST_F(Scratch, WhatAnOwnerLeftHalfMadeOrHalfRemovedIsRemoved) {
  fs::create_directory(folder_ / "exhaust-before");
  fs::create_directories(folder_ / "exhaust-halfof/sub");
  const ScratchFolder scratch;
  EXPECT_FALSE(fs::exists(folder_ / "exhaust-before"));
  EXPECT_FALSE(fs::exists(folder_ / "exhaust-halfof"));
  EXPECT_TRUE(fs::exists(scratch.path()));
}

// Many that begin at once take nothing away from each other.
TEST_F(Scratch, NewOnesAreLeftAloneByOthers) {
  std::vector<pid_t> owners;
  for (int i = 0; i < 16; ++i) {
    owners.push_back(::fork());
    if (owners.back() != 0) continue;
    for (int round = 0; round < 50; ++round) {
      const ScratchFolder scratch;
      std::ofstream(scratch.path() + "/file") << round;
      if (!fs::exists(scratch.path() + "/file")) std::_Exit(1);
    }
    std::_Exit(0);
  }
  for (const pid_t owner : owners) {
    int status = -1;
    ::waitpid(owner, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

TEST_F(Scratch, ABadTmpdirIsNamed) {
  ::setenv("TMPDIR", "/nonexistent", 1);
  EXPECT_EQ(TemporaryParent(), "/nonexistent");
  try {
    const ScratchFolder scratch;
    FAIL() << scratch.path();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("'/nonexistent', which TMPDIR names: No such file"));
    EXPECT_THAT(error.what(), HasSubstr("set TMPDIR to a folder that can be written to"));
  }
}

}  // namespace
}  // namespace exh

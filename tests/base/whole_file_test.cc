// SPDX-License-Identifier: MIT
#include "base/system/whole_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace exh {
namespace {

namespace fs = std::filesystem;

class WholeFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "exh-whole-file-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string Path(const std::string& name) const { return folder_ / name; }
  std::string Contents(const std::string& name) const {
    std::ifstream file(Path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::ptrdiff_t NumFiles() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }

  fs::path folder_;
};

TEST_F(WholeFile, IsWrittenAndReplaced) {
  for (const bool durable : {false, true}) {
    EXPECT_EQ(WriteWholeFile(Path("a"), "one", durable), 0);
    EXPECT_EQ(Contents("a"), "one");
    EXPECT_EQ(WriteWholeFile(Path("a"), "", durable), 0);
    EXPECT_EQ(Contents("a"), "");
  }
  EXPECT_EQ(NumFiles(), 1);
}

TEST_F(WholeFile, KeepsItsPermissions) {
  ASSERT_EQ(WriteWholeFile(Path("a"), "secret"), 0);
  ASSERT_EQ(::chmod(Path("a").c_str(), 0600), 0);
  ASSERT_EQ(WriteWholeFile(Path("a"), "secret again"), 0);
  EXPECT_EQ(fs::status(Path("a")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

/// Whoever plants a link where we are about to write gains nothing by it.
TEST_F(WholeFile, NeverFollowsALink) {
  ASSERT_EQ(WriteWholeFile(Path("precious"), "as it was"), 0);
  fs::create_symlink(Path("precious"), Path("best.cc"));
  fs::create_symlink(Path("nowhere"), Path("dangling"));
  EXPECT_EQ(WriteWholeFile(Path("best.cc"), "source"), 0);
  EXPECT_EQ(WriteWholeFile(Path("dangling"), "source"), 0);
  EXPECT_EQ(Contents("precious"), "as it was");
  EXPECT_FALSE(fs::exists(Path("nowhere")));
  EXPECT_FALSE(fs::is_symlink(Path("best.cc")));
  EXPECT_EQ(Contents("best.cc"), "source");
}

/// A limit on the size of files stands for a full disk.
TEST_F(WholeFile, OnAFullDiskTheOldOneStays) {
  ASSERT_EQ(WriteWholeFile(Path("a"), "old"), 0);
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &limit), 0);
  rlimit small = limit;
  small.rlim_cur = 100;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const int error = WriteWholeFile(Path("a"), std::string(1000, 'x'));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  EXPECT_EQ(error, EFBIG);
  EXPECT_EQ(Contents("a"), "old");
  EXPECT_EQ(NumFiles(), 1);  // And nothing is left behind.
}

TEST_F(WholeFile, SaysWhyNot) {
  EXPECT_EQ(WriteWholeFile(Path("no/such/folder"), "x"), ENOENT);
  EXPECT_EQ(WriteWholeFile(folder_.string(), "x"), EISDIR);
}

/// Devices stay what they are.
TEST_F(WholeFile, WritesIntoDevicesAndPipes) {
  EXPECT_EQ(WriteWholeFile("/dev/null", "gone"), 0);
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_EQ(WriteWholeFile("/dev/full", "gone"), ENOSPC);
  ASSERT_EQ(::mkfifo(Path("pipe").c_str(), 0600), 0);
  const int reader = ::open(Path("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  EXPECT_EQ(WriteWholeFile(Path("pipe"), "through"), 0);
  char text[16] = {};
  EXPECT_EQ(::read(reader, text, sizeof text), 7);
  EXPECT_EQ(std::string(text), "through");
  ::close(reader);
  EXPECT_TRUE(fs::is_fifo(Path("pipe")));
}

}  // namespace
}  // namespace exh

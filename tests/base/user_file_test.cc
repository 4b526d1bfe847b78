// SPDX-License-Identifier: MIT
#include "base/system/user_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/error.h"
#include "base/user_json.h"

namespace exh {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class UserFile : public testing::Test {
 protected:
  UserFile() : folder_(fs::path(testing::TempDir()) / ("user_file_" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~UserFile() override { fs::remove_all(folder_); }

  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  std::string Write(const std::string& name, const std::string& text) const {
    std::ofstream(Path(name), std::ios::binary) << text;
    return Path(name);
  }
  static std::string WhyNot(const std::string& path, std::size_t most = kLargestUserFile) {
    std::string error;
    EXPECT_FALSE(ReadFile(path, &error, most));
    return error;
  }

  const fs::path folder_;
};

TEST_F(UserFile, IsReadWhole) {
  const std::string large(300'000, 'x');
  EXPECT_EQ(ReadUserFile(Write("large", large)), large);
  EXPECT_EQ(ReadUserFile(Write("empty", "")), "");
  EXPECT_EQ(ReadUserFile(Write("zeros", std::string("a\0b\n", 4))).size(), 4u);
  // Of what /proc makes up, the size is not known before.
  EXPECT_THAT(ReadUserFile("/proc/self/status"), HasSubstr("Pid:"));
}

TEST_F(UserFile, WhatHasNoEndIsRefusedAtOnce) {
  EXPECT_EQ(WhyNot("/dev/zero"), "not a regular file");
  ASSERT_EQ(::mkfifo(Path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(WhyNot(Path("pipe")), "not a regular file");
  EXPECT_EQ(WhyNot(folder_.string()), "Is a directory");
  EXPECT_EQ(WhyNot(Path("nothing")), "No such file or directory");
  EXPECT_EQ(WhyNot(Write("large", "12345"), 4), "it has 5 bytes, more than the 4 that are read");
  EXPECT_EQ(WhyNot("/proc/self/status", 10).substr(0, 6), "it has");
  // A file of any size that takes no room.
  fs::resize_file(Write("sparse", ""), std::uintmax_t{1} << 40);
  EXPECT_THAT(WhyNot(Path("sparse")), HasSubstr("1099511627776 bytes, more than the 268435456"));
  try {
    ReadUserFile("/dev/zero");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "cannot read '/dev/zero': not a regular file");
  }
}

std::string MistakeOf(const std::string& text) {
  try {
    ParseUserJson(text);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(UserJson, MistakesAreOneShortLine) {
  EXPECT_EQ(MistakeOf("{\"a\": [1, 2.5, \"[[[{\", \"\\\"[\"]}"), "");
  EXPECT_EQ(
      MistakeOf("{\"a\":\n ?}"),
      "line 2, column 2: syntax error while parsing value - invalid literal; expected '[', '{', "
      "or a literal");
  EXPECT_EQ(MistakeOf("1e999"), "number overflow parsing '1e999'");
  const std::string deep = "[1,\n" + std::string(100'000, '[');
  EXPECT_EQ(MistakeOf(deep), "line 2, column 200: lists and objects nest deeper than 200");
  EXPECT_EQ(MistakeOf(std::string(200, '[') + std::string(200, ']')), "");
  EXPECT_THAT(MistakeOf("[" + std::string(28'000, '9') + "]"), HasSubstr("bytes more)"));
  EXPECT_LT(MistakeOf("[\"" + std::string(28'000, 'x')).size(), 400u);
  EXPECT_TRUE(TryUserJson("[").is_discarded());
  EXPECT_TRUE(TryUserJson(deep).is_discarded());
  EXPECT_EQ(TryUserJson("[1]").size(), 1u);
}

}  // namespace
}  // namespace exh

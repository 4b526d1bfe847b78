// SPDX-License-Identifier: MIT
//
// A folder that is there whole or not at all: what stays, what goes, and what a failure leaves.
#include "search/install/whole_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "base/error.h"
#include "tests/search/temp_folder.h"

namespace exh::search {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Pair;
using testing::UnorderedElementsAre;

/// All files below a folder, with their texts; "(link)" for a link.
std::map<std::string, std::string> FilesIn(const std::string& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().lexically_relative(folder).string();
    if (entry.is_symlink()) {
      files[name] = "(link)";
    } else if (entry.is_regular_file()) {
      files[name] = ReadAll(entry.path().string());
    }
  }
  return files;
}

TEST(WholeFolder, IsMadeWithItsParents) {
  const TempFolder home;
  WriteWholeFolder(home / "a/b/", {{"one", "1"}, {"sub/two", "2"}});
  EXPECT_THAT(FilesIn(home.path()),
              UnorderedElementsAre(Pair("a/b/one", "1"), Pair("a/b/sub/two", "2")));
}

TEST(WholeFolder, IsReplacedAndStrangersStay) {
  const TempFolder home;
  WriteWholeFolder(home / "out", {{"one", "1"}, {"sub/old", "2"}});
  fs::create_directories(home / "out/build/deep");
  std::ofstream(home / "out/build/deep/mine") << "mine";
  fs::create_symlink("one", home / "out/link");
  WriteWholeFolder(home / "out", {{"one", "one"}, {"sub/new", "new"}});
  EXPECT_THAT(
      FilesIn(home.path()),
      UnorderedElementsAre(Pair("out/one", "one"), Pair("out/sub/new", "new"),
                           Pair("out/build/deep/mine", "mine"), Pair("out/link", "(link)")));
}

TEST(WholeFolder, ALinkToItStaysOne) {
  const TempFolder home;
  fs::create_directory(home / "there");
  fs::create_directory_symlink("there", home / "out");
  WriteWholeFolder(home / "out", {{"one", "1"}});
  EXPECT_TRUE(fs::is_symlink(home / "out"));
  EXPECT_EQ(ReadAll(home / "there/one"), "1");
}

TEST(WholeFolder, AFailureLeavesWhatWasThere) {
  const TempFolder home;
  WriteWholeFolder(home / "out", {{"one", "1"}});
  // A name that no file system takes, behind one that it takes.
  const std::string name(300, 'x');
  EXPECT_THAT(Thrown<Error>([&] {
                WriteWholeFolder(home / "out", {{"a", "2"}, {name, "3"}});
              }),
              testing::AllOf(HasSubstr("cannot write the folder '" + (home / "out") + "'"),
                             HasSubstr("File name too long; nothing was changed")));
  EXPECT_THAT(FilesIn(home.path()), UnorderedElementsAre(Pair("out/one", "1")));
  EXPECT_THAT(Thrown<Error>([&] {
                WriteWholeFolder(home / "out/one/deep", {{"a", "2"}});
              }),
              HasSubstr("nothing was changed"));
  EXPECT_THAT(FilesIn(home.path()), UnorderedElementsAre(Pair("out/one", "1")));
}

}  // namespace
}  // namespace exh::search

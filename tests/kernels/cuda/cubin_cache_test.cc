// SPDX-License-Identifier: MIT
#include "kernels/devices/cuda/pools/cubin_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/kernels/codegen/temporary_folder.h"

namespace exh::kernels::cuda {
namespace {

namespace fs = std::filesystem;

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string Key(const std::string& source) {
  return CubinCache::Key(source, "sm_90", {}, "nvrtc 13");
}

TEST(CubinKey, IsOfWhatMatters) {
  const std::string text = "int x;\nint y;";
  const std::vector<std::string> one = {"-a"}, two = {"-a", "-b"}, joined = {"-a\n-b"};
  std::set<std::string> keys = {Key(text), CubinCache::Key(text, "sm_100", {}, "nvrtc 13"),
                                CubinCache::Key(text, "sm_90", one, "nvrtc 13"),
                                CubinCache::Key(text, "sm_90", two, "nvrtc 13"),
                                CubinCache::Key(text, "sm_90", {}, "nvrtc 12")};
  EXPECT_EQ(keys.size(), 5u);
  for (const std::string& key : keys) EXPECT_EQ(key.size(), 32u);
  EXPECT_EQ(Key(text), Key(text));
}

TEST(CubinKey, CommentsAndSpaceAroundLinesDoNotMatter) {
  // This text has no backslash: one with a backslash is taken as it is.
  const std::string key = Key("int x;\nf(\"a // b\", '\"');\n");
  for (const char* const source :
       {"// first\nint x;\nf(\"a // b\", '\"');", "  int x;  // an x\n\n  f(\"a // b\", '\"');\n",
        "int x; /* two\n lines */\nf(\"a // b\", '\"'); // 'quoted\n",
        "/* int z; */ int x;\n// f(\"c\");\nf(\"a // b\", '\"');\n"}) {
    EXPECT_EQ(Key(source), key) << source;
  }
}

TEST(CubinKey, EverythingElseMatters) {
  const std::vector<std::string> sources = {
      "int x;", "int y;", "int  x;", "int x; int y;", "int x;\nint y;", "intx;",
      "int/**/x;\n#define A", "f(\"// a\");", "f(\"// b\");", "f(\"/* a */\");", "f(\"/* b */\");",
      "f('\"', 1); // '\"'", "f('\"', 2); // '\"'", "x = 1'000; // '\ny = 1;",
      "x = 1'000; // '\ny = 2;", "f(\"\\\" // a\");", "f(\"\\\" // b\");",
      // A line that goes on in the next one, and one that does not.
      "// a \\\nint x;\nint z;", "// a\nint x;\nint z;", "#define F \\\nint x;\nint z;",
      "#define F \\\n\nint x;\nint z;", "#define F \\ \nint x;\nint z;", "f(R\"(// a)\");",
      "f(R\"(// b)\");", "f(R\"(\n)\");", "f(R\"(\n\n)\");", "f(R\"(  \n  )\");"};
  std::set<std::string> keys;
  for (const std::string& source : sources) {
    EXPECT_TRUE(keys.insert(Key(source)).second) << source;
  }
}

class Cache : public ::testing::Test {
 protected:
  static std::string KeyOf(int i) { return Key("text " + std::to_string(i)); }
  std::string Path(const std::string& name) const { return folder_.path() + "/" + name; }
  std::string Written(const std::string& name, const std::string& text) const {
    std::ofstream(Path(name)) << text;
    return Path(name);
  }
  static std::string Contents(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  /// Keeps an entry whose cubin has this many bytes, used so many hours ago.
  void KeepOld(int i, std::size_t bytes, int hours) const {
    cache_.Keep(KeyOf(i), {Written("new", std::string(bytes, 'x')), "", {}});
    SetAge(KeyOf(i) + ".cubin", hours);
    SetAge(KeyOf(i) + ".json", hours);
  }
  void SetAge(const std::string& name, int hours) const {
    fs::last_write_time(Path("cache/" + name),
                        fs::file_time_type::clock::now() - std::chrono::hours(hours));
  }
  /// Those of the first 10 entries that are there. This uses none.
  std::vector<int> There() const {
    std::vector<int> there;
    for (int i = 0; i < 10; ++i) {
      if (fs::exists(Path("cache/" + KeyOf(i) + ".json"))) there.push_back(i);
    }
    return there;
  }

  kernels::testing::TemporaryFolder folder_;
  CubinCache cache_{folder_.path() + "/cache"};
};

TEST_F(Cache, KeepsMachineCodeAndItsFacts) {
  EXPECT_FALSE(cache_.Find(KeyOf(1)).has_value());
  const std::string cubin = Written("new", std::string("\x7F"
                                                       "ELF\0code",
                                                       9));
  const std::string kept = cache_.Keep(KeyOf(1), {cubin, "", {32, 0, 4096, 0}});
  EXPECT_NE(kept, cubin);
  EXPECT_TRUE(fs::exists(cubin));
  const auto found = cache_.Find(KeyOf(1));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->path, kept);
  EXPECT_EQ(Contents(found->path), Contents(cubin));
  EXPECT_EQ(found->resources, (KernelResources{32, 0, 4096, 0}));
  EXPECT_FALSE(cache_.Find(KeyOf(2)).has_value());
}

TEST_F(Cache, KeepsWhatATextIsRefusedFor) {
  EXPECT_EQ(cache_.Keep(KeyOf(1), {"", "error: \xFF no", {0, 0, 99, 0}}), "");
  const auto found = cache_.Find(KeyOf(1));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->path, "");
  EXPECT_EQ(found->log, "error: \xEF\xBF\xBD no");  // What is no UTF-8 is replaced.
  EXPECT_EQ(found->resources.shared_bytes, 99);
}

TEST_F(Cache, WhatCannotBeReadIsNotKept) {
  EXPECT_EQ(cache_.Keep(KeyOf(1), {Path("nowhere"), "", {}}), Path("nowhere"));
  EXPECT_FALSE(cache_.Find(KeyOf(1)).has_value());
}

TEST_F(Cache, WithoutAFolderNothingIsKept) {
  const CubinCache none("");
  const std::string cubin = Written("new", "code");
  EXPECT_EQ(none.Keep(KeyOf(1), {cubin, "", {}}), cubin);
  EXPECT_FALSE(none.Find(KeyOf(1)).has_value());
  none.Trim(0);
}

TEST_F(Cache, TrimKeepsWhatWasUsedLast) {
  for (int i = 0; i < 6; ++i) KeepOld(i, 1000, 20 - i);
  EXPECT_TRUE(cache_.Find(KeyOf(0)).has_value());  // It was of use: now it is the newest.
  cache_.Trim(20000);
  EXPECT_THAT(There(), ElementsAre(0, 1, 2, 3, 4, 5));
  cache_.Trim(4500);
  EXPECT_THAT(There(), ElementsAre(0, 4, 5));
  for (const int i : There()) EXPECT_TRUE(cache_.Find(KeyOf(i)).has_value());
  cache_.Trim(0);
  EXPECT_TRUE(fs::is_empty(Path("cache")));
}

TEST_F(Cache, TrimRemovesWhatIsHalfDoneAndNothingElse) {
  KeepOld(0, 1000, 20);
  for (const int hours : {0, 20}) {
    const std::string key = KeyOf(5 + hours);
    for (const std::string& name : {key + ".cubin", key + ".json.77.0"}) {
      Written("cache/" + name, "half");
      SetAge(name, hours);
    }
  }
  Written("cache/README", "not ours");
  SetAge("README", 20);
  cache_.Trim(100000);
  EXPECT_THAT(There(), ElementsAre(0));
  EXPECT_TRUE(fs::exists(Path("cache/README")));
  EXPECT_TRUE(fs::exists(Path("cache/" + KeyOf(5) + ".cubin")));  // Somebody may be at it.
  EXPECT_FALSE(fs::exists(Path("cache/" + KeyOf(25) + ".cubin")));
  EXPECT_FALSE(fs::exists(Path("cache/" + KeyOf(25) + ".json.77.0")));
}

TEST_F(Cache, ManyMayUseItAtOnce) {
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 6; ++thread) {
    threads.emplace_back([this, thread] {
      const CubinCache own(Path("cache"));
      for (int i = 0; i < 100; ++i) {
        // All of them write the same entries, some trim.
        const int number = i % 5;
        const std::string text(1000, static_cast<char>('a' + number));
        const std::string cubin = Written("new" + std::to_string(thread), text);
        own.Keep(KeyOf(number), {cubin, "", {number, 0, 0, 0}});
        if (thread == 0 && i % 10 == 0) own.Trim(3000);
        const auto found = own.Find(KeyOf(number));
        EXPECT_TRUE(!found || found->resources.registers == number);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  // Nobody's half is left.
  for (const auto& file : fs::directory_iterator(Path("cache"))) {
    EXPECT_THAT(file.path().extension().string(), ::testing::AnyOf(".json", ".cubin"));
  }
}

TEST(CacheFolder, IsTheUsers) {
  const char* const home = std::getenv("HOME");
  const char* const xdg = std::getenv("XDG_CACHE_HOME");
  const std::string old_home = home == nullptr ? "" : home, old_xdg = xdg == nullptr ? "" : xdg;
  ::setenv("HOME", "/home/of/me", 1);
  ::setenv("XDG_CACHE_HOME", "/my/cache", 1);
  EXPECT_EQ(CubinCache::DefaultFolder(), "/my/cache/exhaust/cubin");
  ::setenv("XDG_CACHE_HOME", "not/absolute", 1);
  EXPECT_EQ(CubinCache::DefaultFolder(), "/home/of/me/.cache/exhaust/cubin");
  ::unsetenv("XDG_CACHE_HOME");
  ::unsetenv("HOME");
  EXPECT_EQ(CubinCache::DefaultFolder(), "");
  if (home != nullptr) ::setenv("HOME", old_home.c_str(), 1);
  if (xdg != nullptr) ::setenv("XDG_CACHE_HOME", old_xdg.c_str(), 1);
}

}  // namespace
}  // namespace exh::kernels::cuda

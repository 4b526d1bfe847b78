// SPDX-License-Identifier: MIT
#include "search/view/log_follower.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "search/log/log_line.h"
#include "tests/search/log_samples.h"
#include "tests/search/temp_folder.h"

namespace exh::search {
namespace {

using News = LogFollower::News;
using testing::ElementsAre;
using testing::HasSubstr;

/// A log whose lines are written when a test wants them.
class LogFollowerTest : public testing::Test {
 protected:
  LogFollowerTest() { path_ = (std::filesystem::path(folder_.path()) / "log.jsonl").string(); }

  /// The next line, which is not written yet.
  template <typename Record>
  std::string Line(const Record& record) {
    return SealLine(RecordText(ToJson(record)), tail_);
  }
  std::string Eval(std::uint64_t n) {
    EvalRecord eval;
    eval.n = n;
    eval.vector = "0";
    return Line(eval);
  }
  /// Between braces lines are made in the order in which they stand.
  void Append(std::initializer_list<std::string> texts) {
    std::ofstream file(path_, std::ios::binary | std::ios::app);
    for (const std::string& text : texts) file << text;
  }
  /// A file with nothing in it, in the place of the one before.
  void Cut() {
    std::ofstream(path_, std::ios::binary | std::ios::trunc).flush();
    tail_ = {};
  }
  /// Reads until nothing comes; numbers of the evaluations that came.
  static std::vector<std::uint64_t> Numbers(LogFollower& follower) {
    std::vector<std::uint64_t> numbers;
    while (follower.Read() == News::kLines) {
      for (const EvalRecord& eval : std::exchange(follower.log().evals, {})) {
        numbers.push_back(eval.n);
      }
    }
    return numbers;
  }

  TempFolder folder_;
  std::string path_;
  LogTail tail_;
};

TEST_F(LogFollowerTest, ReadsWhatCameSince) {
  LogFollower follower(path_);
  EXPECT_EQ(follower.Read(), News::kNone);
  EXPECT_EQ(follower.trouble(), "there is no log yet");
  Append({Line(SampleRun())});
  EXPECT_EQ(follower.Read(), News::kLines);
  EXPECT_TRUE(follower.log().run);
  EXPECT_EQ(follower.trouble(), "");
  EXPECT_EQ(follower.Read(), News::kNone);
  Append({Eval(1), Eval(2)});
  EXPECT_THAT(Numbers(follower), ElementsAre(1, 2));
  Append({Eval(3)});
  EXPECT_THAT(Numbers(follower), ElementsAre(3));
  EXPECT_TRUE(follower.log().problems.empty());
}

TEST_F(LogFollowerTest, LeavesHalfALine) {
  Append({Line(SampleRun())});
  LogFollower follower(path_);
  EXPECT_EQ(follower.Read(), News::kLines);
  EXPECT_FALSE(follower.ends_in_half_line());
  const std::string line = Eval(1);
  // Byte by byte, and the last byte is the end of the line.
  for (const char byte : line.substr(0, line.size() - 1)) {
    Append({std::string(1, byte)});
    EXPECT_EQ(follower.Read(), News::kNone);
    EXPECT_TRUE(follower.ends_in_half_line());
  }
  Append({"\n"});
  EXPECT_THAT(Numbers(follower), ElementsAre(1));
  EXPECT_FALSE(follower.ends_in_half_line());
}

TEST_F(LogFollowerTest, AHalfLineThatIsTakenBackIsNoOtherLog) {
  Append({Line(SampleRun()), Eval(1)});
  const auto whole = std::filesystem::file_size(path_);
  Append({"{\"t\":\"eval\",\"n\":2"});
  LogFollower follower(path_);
  EXPECT_THAT(Numbers(follower), ElementsAre(1));
  std::filesystem::resize_file(path_, whole);  // As a run does that goes on.
  Append({Eval(2)});
  EXPECT_THAT(Numbers(follower), ElementsAre(2));
}

TEST_F(LogFollowerTest, LinesMayBeLongerThanABlock) {
  LogFollower follower(path_, 64);
  Append({Line(SampleRun()), Eval(1)});
  EvalRecord eval;
  eval.n = 2;
  eval.vector = std::string(100'000, '0');
  Append({Line(eval), Eval(3)});
  EXPECT_THAT(Numbers(follower), ElementsAre(1, 2, 3));
}

TEST_F(LogFollowerTest, GoesOnWithManyBlocks) {
  std::string text = Line(SampleRun());
  for (std::uint64_t n = 1; n <= 500; ++n) text += Eval(n);
  Append({text});
  LogFollower follower(path_, 1000);
  EXPECT_EQ(follower.Read(), News::kLines);
  EXPECT_TRUE(follower.has_more());
  EXPECT_EQ(Numbers(follower).back(), 500u);
  EXPECT_FALSE(follower.has_more());
}

TEST_F(LogFollowerTest, ALogThatIsCutIsAnother) {
  Append({Line(SampleRun()), Eval(1), Eval(2)});
  LogFollower follower(path_);
  EXPECT_THAT(Numbers(follower), ElementsAre(1, 2));
  Cut();
  EXPECT_EQ(follower.Read(), News::kAnew);
  EXPECT_FALSE(follower.log().run);
  EXPECT_EQ(follower.Read(), News::kNone);
  Append({Line(SampleRun()), Eval(7)});
  EXPECT_THAT(Numbers(follower), ElementsAre(7));
  EXPECT_TRUE(follower.log().problems.empty());
}

TEST_F(LogFollowerTest, SoIsOneThatWasCutAndIsLongerNow) {
  Append({Line(SampleRun()), Eval(1)});
  LogFollower follower(path_);
  EXPECT_THAT(Numbers(follower), ElementsAre(1));
  Cut();
  Append({Line(SampleRun()), Eval(11), Eval(12), Eval(13)});
  EXPECT_EQ(follower.Read(), News::kAnew);
  EXPECT_THAT(Numbers(follower), ElementsAre(11, 12, 13));
}

TEST_F(LogFollowerTest, SoIsAnotherFileAtThePath) {
  Append({Line(SampleRun()), Eval(1)});
  LogFollower follower(path_);
  EXPECT_THAT(Numbers(follower), ElementsAre(1));
  std::filesystem::rename(path_, path_ + ".old");
  EXPECT_EQ(follower.Read(), News::kNone);
  EXPECT_EQ(follower.trouble(), "the log is not there any more");
  // The same lines, byte by byte, in another file.
  std::filesystem::copy_file(path_ + ".old", path_);
  EXPECT_EQ(follower.Read(), News::kAnew);
  EXPECT_THAT(Numbers(follower), ElementsAre(1));
  EXPECT_EQ(follower.trouble(), "");
}

TEST_F(LogFollowerTest, SaysWhatIsDamagedAndGoesOn) {
  LogFollower follower(path_);
  Append({Line(SampleRun())});
  std::string damaged = Eval(1);
  damaged[damaged.size() - 30] ^= 1;
  Append({damaged});
  Eval(2);  // Never written.
  Append({Eval(3)});
  EXPECT_THAT(Numbers(follower), ElementsAre(3));
  EXPECT_THAT(follower.log().problems, ElementsAre("line 2: checksum does not match"));
  EXPECT_THAT(follower.Missing(), ElementsAre("lines 2 to 3 are missing"));
}

TEST_F(LogFollowerTest, WhatIsNoFileIsATrouble) {
  std::filesystem::create_directory(path_);
  LogFollower follower(path_);
  EXPECT_EQ(follower.Read(), News::kNone);
  EXPECT_THAT(follower.trouble(), HasSubstr("cannot be read"));
}

}  // namespace
}  // namespace exh::search

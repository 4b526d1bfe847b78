// SPDX-License-Identifier: MIT
#include "search/own/line_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace exh::search {
namespace {

using End = LineProcess::End;
using ::testing::HasSubstr;

bool NoneIsOld(const std::string&) {
  return false;
}

TEST(LineProcess, AnswersEachQuestion) {
  LineProcess process("while read line; do echo noise; echo \"{$line $X}\"; done", {"X=7"});
  EXPECT_EQ(process.Ask("a", 10, nullptr, NoneIsOld).line, "{a 7}");
  EXPECT_EQ(process.Ask("b", 10, nullptr, NoneIsOld).line, "{b 7}");
  EXPECT_TRUE(process.has_answered());
}

TEST(LineProcess, PassesOverWhatIsOld) {
  LineProcess process("while read line; do echo '{old}'; echo '{new}'; done", {});
  const auto is_old = [](const std::string& line) { return line == "{old}"; };
  for (int i = 0; i < 3; ++i) EXPECT_EQ(process.Ask("a", 10, nullptr, is_old).line, "{new}");
}

TEST(LineProcess, SaysHowItEnded) {
  LineProcess process("read line; echo oops >&2; exit 3", {});
  const LineProcess::Reply reply = process.Ask("a", 10, nullptr, NoneIsOld);
  EXPECT_EQ(reply.end, End::kEnded);
  EXPECT_EQ(reply.why, "ended with code 3: oops");
  // And is started anew.
  EXPECT_EQ(process.Ask("a", 10, nullptr, NoneIsOld).end, End::kEnded);
  LineProcess killed("kill -SEGV $$", {});
  EXPECT_THAT(killed.Ask("a", 10, nullptr, NoneIsOld).why, HasSubstr("SEGV"));
  LineProcess missing("./no-such-program", {});
  EXPECT_THAT(missing.Ask("a", 10, nullptr, NoneIsOld).why, HasSubstr("code 127"));
}

TEST(LineProcess, AnswersThenEnds) {
  LineProcess process("read line; echo '{last}'", {});
  EXPECT_EQ(process.Ask("a", 10, nullptr, NoneIsOld).line, "{last}");
  EXPECT_EQ(process.Ask("b", 10, nullptr, NoneIsOld).line, "{last}") << "it was started again";
}

TEST(LineProcess, WaitsNoLongerThanItMay) {
  LineProcess process("sleep 1000", {});
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(process.Ask("a", 0.2, nullptr, NoneIsOld).end, End::kTimedOut);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
  EXPECT_FALSE(process.is_running());
  StopToken stop;
  std::thread stopper([&stop] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    stop.Stop();
  });
  EXPECT_EQ(process.Ask("a", 1000, &stop, NoneIsOld).end, End::kStopped);
  stopper.join();
}

TEST(LineProcess, ReadsNoMoreThanItMay) {
  LineProcess noise("read line; yes", {});
  EXPECT_EQ(noise.Ask("a", 60, nullptr, NoneIsOld).end, End::kFlooded);
  LineProcess line("read line; printf '{'; yes | tr -d '\\n'", {});
  EXPECT_EQ(line.Ask("a", 60, nullptr, NoneIsOld).end, End::kFlooded);
}

TEST(LineProcess, QuestionsMayBeLong) {
  LineProcess process("while read line; do echo \"{${#line}}\"; done", {});
  EXPECT_EQ(process.Ask(std::string(3000000, 'x'), 60, nullptr, NoneIsOld).line, "{3000000}");
  // Who reads none of it does not hold anybody up.
  LineProcess deaf("sleep 1000", {});
  EXPECT_EQ(deaf.Ask(std::string(3000000, 'x'), 0.2, nullptr, NoneIsOld).end, End::kTimedOut);
}

TEST(LineProcess, WhoClosesItsOutputIsNotWaitedFor) {
  LineProcess process("exec >&-; sleep 1000", {});
  EXPECT_EQ(process.Ask("a", 60, nullptr, NoneIsOld).end, End::kEnded);
  EXPECT_FALSE(process.is_running());
}

}  // namespace
}  // namespace exh::search

// SPDX-License-Identifier: MIT
#include "base/system/forked.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace exh {
namespace {

using Status = ForkedResult::Status;

constexpr double kLong = 300;  // Seconds that nothing here takes.

std::string ForEver() {
  while (true) ::pause();
}

TEST(Forked, HandsItsTextBack) {
  int number = 17;  // The copy sees what is there, and changes nothing of it.
  const ForkedResult result = RunForked([&] { return std::to_string(++number); }, kLong, nullptr);
  EXPECT_EQ(result.status, Status::kDone);
  EXPECT_EQ(result.text, "18");
  EXPECT_EQ(number, 17);
  EXPECT_EQ(RunForked([] { return std::string(); }, kLong, nullptr).status, Status::kDone);
}

TEST(Forked, HandsLongTextsBackWhole) {
  const std::string longer(1 << 20, 'x');  // Than a pipe holds.
  EXPECT_EQ(RunForked([&] { return longer; }, kLong, nullptr).text, longer);
}

TEST(Forked, SaysWhatWasThrown) {
  const auto work = []() -> std::string { throw std::runtime_error("no such thing"); };
  const ForkedResult result = RunForked(work, kLong, nullptr);
  EXPECT_EQ(result.status, Status::kThrew);
  EXPECT_EQ(result.text, "no such thing");
}

TEST(Forked, IsKilledWhenItsTimeIsOver) {
  EXPECT_EQ(RunForked(ForEver, 0.05, nullptr).status, Status::kTimedOut);
  // Even one that no signal but this ends.
  const auto deaf = [] {
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) std::signal(signal, SIG_IGN);
    return ForEver();
  };
  EXPECT_EQ(RunForked(deaf, 0.05, nullptr).status, Status::kTimedOut);
}

TEST(Forked, IsKilledWithItsToken) {
  StopToken stop;
  std::thread stopper([&] { stop.Stop(); });
  EXPECT_EQ(RunForked(ForEver, kLong, &stop).status, Status::kStopped);
  stopper.join();
  bool has_begun = false;  // Of this process: a copy would not show it, and none is made.
  EXPECT_EQ(RunForked(
                [&] {
                  has_begun = true;
                  return std::string();
                },
                kLong, &stop)
                .status,
            Status::kStopped);
  EXPECT_FALSE(has_begun);
}

TEST(Forked, SaysOfWhatItDied) {
  const auto killed = []() -> std::string {
    ::raise(SIGKILL);
    return "";
  };
  const ForkedResult result = RunForked(killed, kLong, nullptr);
  EXPECT_EQ(result.status, Status::kDied);
  EXPECT_NE(result.text.find("signal 9"), std::string::npos) << result.text;
  const auto leaves = []() -> std::string { ::_exit(3); };
  EXPECT_EQ(RunForked(leaves, kLong, nullptr).text, "it ended with 3");
}

/// Each copy has the writing ends of others open, which must keep nobody waiting.
TEST(Forked, DoesNotWaitForOthers) {
  StopToken stop;
  std::thread slow([&] { RunForked(ForEver, kLong, &stop); });
  std::vector<std::thread> others;
  std::vector<ForkedResult> results(8);
  for (std::size_t i = 0; i < results.size(); ++i) {
    others.emplace_back(
        [&, i] { results[i] = RunForked([i] { return std::to_string(i); }, kLong, nullptr); });
  }
  for (std::thread& other : others) other.join();
  stop.Stop();
  slow.join();
  for (std::size_t i = 0; i < results.size(); ++i) EXPECT_EQ(results[i].text, std::to_string(i));
}

}  // namespace
}  // namespace exh

// SPDX-License-Identifier: MIT
#include "base/system/descriptor.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <limits>
#include <string>
#include <thread>
#include <utility>

namespace exh {
namespace {

using End = DescriptorWait::End;

constexpr double kLong = 300;  // Seconds that nothing here takes.

struct Pipe {
  Pipe() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    read = Descriptor(ends[0]);
    write = Descriptor(ends[1]);
  }
  void Say(char byte) const { EXPECT_EQ(::write(write.get(), &byte, 1), 1); }
  char Hear() const {
    char byte = '\0';
    EXPECT_EQ(::read(read.get(), &byte, 1), 1);
    return byte;
  }
  pollfd Entry() const { return {read.get(), POLLIN, 0}; }
  Descriptor read, write;
};

bool IsOpen(int fd) {
  return ::fcntl(fd, F_GETFD) >= 0;
}

TEST(Descriptor, ClosesItselfOnce) {
  const int fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  {
    Descriptor first(fd);
    Descriptor second(std::move(first));
    EXPECT_FALSE(first.valid());
    first = std::move(second);
    EXPECT_EQ(first.get(), fd);
    EXPECT_TRUE(IsOpen(fd));
  }
  EXPECT_FALSE(IsOpen(fd));
  const int other = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  { EXPECT_EQ(Descriptor(other).Release(), other); }
  EXPECT_TRUE(IsOpen(other));
  Descriptor(other).Close();
  EXPECT_FALSE(IsOpen(other));
  EXPECT_FALSE(Descriptor().valid());
}

TEST(DescriptorWait, SaysWhichIsReady) {
  const Pipe one, two;
  pollfd entries[] = {one.Entry(), {-1, POLLIN, 0}, two.Entry()};
  two.Say('x');
  EXPECT_EQ(DescriptorWait(kLong).For(entries), End::kReady);
  EXPECT_EQ(entries[0].revents, 0);
  EXPECT_EQ(entries[1].revents, 0);
  EXPECT_EQ(entries[2].revents, POLLIN);
}

TEST(DescriptorWait, WaitsForASlowWriter) {
  const Pipe pipe;
  std::thread writer([&] {
    for (const char byte : std::string("slow")) {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      pipe.Say(byte);
    }
  });
  std::string heard;
  DescriptorWait wait(std::numeric_limits<double>::infinity());
  while (heard.size() < 4) {
    pollfd entry = pipe.Entry();
    ASSERT_EQ(wait.For({&entry, 1}), End::kReady);
    heard += pipe.Hear();
  }
  EXPECT_EQ(heard, "slow");
  writer.join();
}

TEST(DescriptorWait, AWriterThatNeverStopsGainsNoTime) {
  const Pipe pipe;
  DescriptorWait wait(0.1);
  End end = End::kReady;
  while (end == End::kReady) {
    pipe.Say('x');
    pollfd entry = pipe.Entry();
    end = wait.For({&entry, 1});
    pipe.Hear();
  }
  EXPECT_EQ(end, End::kTimedOut);
}

TEST(DescriptorWait, NoTimeIsOneLook) {
  const Pipe pipe;
  pollfd entry = pipe.Entry();
  EXPECT_EQ(DescriptorWait(0).For({&entry, 1}), End::kTimedOut);
  pipe.Say('x');
  DescriptorWait wait(0);
  EXPECT_EQ(wait.For({&entry, 1}), End::kReady);
  EXPECT_EQ(wait.For({&entry, 1}), End::kTimedOut);
}

TEST(DescriptorWait, ADeadWriterIsReadyAndSaysNothing) {
  Pipe pipe;
  pipe.Say('x');
  pipe.write.Close();
  EXPECT_TRUE(HasInput(pipe.read.get()));
  EXPECT_EQ(pipe.Hear(), 'x');
  EXPECT_FALSE(HasInput(pipe.read.get()));
  pollfd entry = pipe.Entry();
  EXPECT_EQ(DescriptorWait(kLong).For({&entry, 1}), End::kReady);
  EXPECT_EQ(entry.revents, POLLHUP);
  EXPECT_FALSE(HasInput(-1));
}

TEST(DescriptorWait, TellsWhenItIsQuiet) {
  const Pipe pipe;
  pollfd entry = pipe.Entry();
  DescriptorWait wait(kLong);
  EXPECT_EQ(wait.For({&entry, 1}, 0.01), End::kQuiet);
  EXPECT_EQ(wait.For({&entry, 1}, 0.01), End::kQuiet);
  pipe.Say('x');
  EXPECT_EQ(wait.For({&entry, 1}, kLong), End::kReady);
  // Its time is over before it could be called quiet.
  pipe.Hear();
  EXPECT_EQ(DescriptorWait(0.01).For({&entry, 1}, kLong), End::kTimedOut);
}

TEST(DescriptorWait, EndsWithItsToken) {
  const Pipe pipe;
  StopToken stop;
  std::thread stopper([&] { stop.Stop(); });
  pollfd entry = pipe.Entry();
  DescriptorWait wait(kLong, &stop);
  EXPECT_EQ(wait.For({&entry, 1}), End::kStopped);
  stopper.join();
  pipe.Say('x');  // Nobody waits for it any more.
  EXPECT_EQ(wait.For({&entry, 1}), End::kStopped);
}

TEST(DescriptorWait, ASignalDoesNotEndIt) {
  static std::atomic<int> signals = 0;
  struct sigaction action = {}, before = {};
  action.sa_handler = [](int) { ++signals; };  // Without SA_RESTART.
  ASSERT_EQ(::sigaction(SIGUSR1, &action, &before), 0);
  const Pipe pipe;
  std::atomic<bool> waits = false;
  std::thread waiter([&] {
    waits = true;
    pollfd entry = pipe.Entry();
    EXPECT_EQ(DescriptorWait(kLong).For({&entry, 1}), End::kReady);
    EXPECT_EQ(pipe.Hear(), 'x');
  });
  while (!waits) std::this_thread::yield();
  for (int i = 0; i < 20; ++i) {
    ::pthread_kill(waiter.native_handle(), SIGUSR1);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  pipe.Say('x');
  waiter.join();
  EXPECT_GT(signals, 0);
  ::sigaction(SIGUSR1, &before, nullptr);
}

}  // namespace
}  // namespace exh

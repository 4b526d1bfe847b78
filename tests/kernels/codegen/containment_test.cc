// SPDX-License-Identifier: MIT
//
// What a contained process cannot do. Each attempt runs in a child that contains itself first.
#include "kernels/cpu/contain/containment.h"

#include <errno.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <string>
#include <thread>

#include "tests/kernels/codegen/temporary_folder.h"

namespace exh::kernels::cpu {
namespace {

using ::testing::HasSubstr;

constexpr int kHolds = 0, kDoesNot = 1, kNotOffered = 2;

/// What became of a child that contains itself and then asks `refused`.
int Contained(const std::function<bool(const Containment&)>& offered,
              const std::function<bool()>& refused) {
  const ProcessAllowance allowance = AllowanceFor(1 << 20, 2);
  const pid_t child = ::fork();
  if (child == 0) {
    const Containment containment = Contain(allowance);
    ::_exit(!offered(containment) ? kNotOffered : refused() ? kHolds : kDoesNot);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

#define EXPECT_REFUSED(means, ...)                                                                \
  do {                                                                                            \
    const int outcome =                                                                           \
        Contained([](const Containment& c) { return bool(means); }, [&] { return __VA_ARGS__; }); \
    if (outcome == kNotOffered) GTEST_SKIP() << "this system does not offer " #means;             \
    EXPECT_EQ(outcome, kHolds) << #__VA_ARGS__;                                                   \
  } while (false)

TEST(ContainmentTest, NoProcesses) {
  EXPECT_REFUSED(c.calls, ::fork() < 0);
  EXPECT_REFUSED(c.calls, ::syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) < 0);
  EXPECT_REFUSED(c.calls, ::syscall(SYS_clone, CLONE_VM | CLONE_VFORK | SIGCHLD, 0, 0, 0, 0) < 0);
  EXPECT_REFUSED(c.calls, ::setsid() < 0);
  EXPECT_REFUSED(c.calls, ::setpgid(0, 0) < 0);
  EXPECT_REFUSED(c.calls, ::execl("/bin/true", "true", nullptr) < 0);
  EXPECT_REFUSED(c.calls, ::unshare(CLONE_NEWUSER) < 0);
}

TEST(ContainmentTest, NoSignalsToOthers) {
  const pid_t parent = ::getpid();
  for (const int signal : {SIGKILL, SIGTERM, SIGSTOP, SIGHUP, SIGABRT, 0}) {
    EXPECT_REFUSED(c.calls, ::kill(parent, signal) < 0 && errno == EPERM);
    EXPECT_REFUSED(c.calls, ::syscall(SYS_tkill, parent, signal) < 0);
    EXPECT_REFUSED(c.calls, ::syscall(SYS_tgkill, parent, parent, signal) < 0);
    EXPECT_REFUSED(c.calls, ::kill(0, signal) < 0);
    EXPECT_REFUSED(c.calls, ::kill(-1, signal) < 0);
  }
  // What a process cannot send itself was sent by somebody else.
  EXPECT_REFUSED(c.calls,
                 ::kill(::getpid(), SIGKILL) < 0 && ::raise(SIGTERM) != 0 && ::raise(SIGSTOP) != 0);
  EXPECT_EQ(Contained([](const Containment&) { return true; }, []() -> bool { ::abort(); }),
            -SIGABRT);
  EXPECT_REFUSED(c.calls, ::prctl(PR_SET_PDEATHSIG, 0) < 0);
}

TEST(ContainmentTest, NoLookingIntoOthers) {
  const pid_t parent = ::getpid();
  static char secret[] = "secret";
  EXPECT_REFUSED(c.calls, ::ptrace(PTRACE_ATTACH, parent, nullptr, nullptr) < 0);
  EXPECT_REFUSED(c.calls, [&] {
    char copy[8];
    iovec local{copy, 6}, remote{secret, 6};
    return ::process_vm_readv(parent, &local, 1, &remote, 1, 0) < 0 &&
           ::process_vm_writev(parent, &local, 1, &remote, 1, 0) < 0;
  }());
  const std::string memory = "/proc/" + std::to_string(parent) + "/mem";
  EXPECT_REFUSED(c.calls, ::open(memory.c_str(), O_RDWR) < 0);
  EXPECT_REFUSED(c.files > 0, ::open(memory.c_str(), O_RDONLY) < 0);
}

TEST(ContainmentTest, NoFilesAndNoNetwork) {
  const kernels::testing::TemporaryFolder folder;
  const std::string there = folder.path() + "/there", fresh = folder.path() + "/fresh";
  std::ofstream(there) << "text";
  // By the list of calls as by Landlock, each of which would do.
  EXPECT_REFUSED(c.calls || c.files > 0, ::open(fresh.c_str(), O_CREAT | O_WRONLY, 0600) < 0);
  EXPECT_REFUSED(c.calls || c.files > 0, ::open(there.c_str(), O_RDWR) < 0);
  EXPECT_REFUSED(c.calls || c.files > 0, ::open(there.c_str(), O_RDONLY | O_TRUNC) < 0);
  EXPECT_REFUSED(c.calls || c.files > 0, ::unlink(there.c_str()) < 0);
  EXPECT_REFUSED(c.calls || c.files > 0, ::mkdir(fresh.c_str(), 0700) < 0);
  EXPECT_REFUSED(c.calls || c.files > 0, ::rename(there.c_str(), fresh.c_str()) < 0);
  EXPECT_REFUSED(c.calls || c.files > 0, ::symlink("/", fresh.c_str()) < 0);
  EXPECT_REFUSED(c.calls, ::socket(AF_INET, SOCK_STREAM, 0) < 0);
  EXPECT_REFUSED(c.calls, ::socket(AF_UNIX, SOCK_DGRAM, 0) < 0);
  EXPECT_REFUSED(c.calls, ::memfd_create("memory", 0) < 0);
  EXPECT_TRUE(std::ifstream(there).good());
  EXPECT_FALSE(std::ifstream(fresh).good());
}

TEST(ContainmentTest, MemoryIsLimited) {
  const std::uint64_t allowed = AllowanceFor(1 << 20, 2).memory_bytes;
  const std::uint64_t more = allowed + (16 << 20);  // Than what it has, and a stack.
  EXPECT_LT(allowed, 512ULL << 20);
  EXPECT_REFUSED(c.limits, ::mmap(nullptr, more, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
  EXPECT_REFUSED(c.calls, ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                                 -1, 0) == MAP_FAILED);
  EXPECT_REFUSED(c.limits, ::sbrk(static_cast<std::intptr_t>(more)) == (void*)-1);
  // A third of it is there, and limits cannot be raised again.
  EXPECT_REFUSED(c.limits, ::mmap(nullptr, allowed / 3, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
  EXPECT_REFUSED(c.limits, [] {
    const rlimit none{RLIM_INFINITY, RLIM_INFINITY};
    return ::setrlimit(RLIMIT_DATA, &none) < 0 && ::setrlimit(RLIMIT_FSIZE, &none) < 0;
  }());
}

TEST(ContainmentTest, WhatComputingTakesIsThere) {
  const auto always = [](const Containment&) { return true; };
  EXPECT_EQ(Contained(always,
                      [] {
                        int sum = 0;
                        std::thread one([&] { sum += 1; });
                        one.join();
                        return sum == 1;
                      }),
            kHolds);
  EXPECT_EQ(Contained(always, [] { return std::ifstream("/proc/self/maps").good(); }), kHolds);
  EXPECT_EQ(Contained(always, [] { return ::usleep(1) == 0 && ::getpid() > 1; }), kHolds);
}

TEST(ContainmentTest, WhatHoldsHereIsSaid) {
  const Containment here = TryContainment();
  EXPECT_TRUE(here.limits && here.privileges);
  EXPECT_THAT(ContainmentText(here), HasSubstr("limits of memory"));
  EXPECT_EQ(MissingContainmentText(here).empty(), here.complete());
  const Containment nothing;
  EXPECT_EQ(ContainmentText(nothing), "");
  for (const char* part : {"memory", "privileges", "seccomp", "Landlock"}) {
    EXPECT_THAT(MissingContainmentText(nothing), HasSubstr(part));
  }
  Containment all{true, true, true, 7};
  const Containment back = ContainmentOfBits(ToBits(all));
  EXPECT_TRUE(back.complete() && back.signals() && back.files == 7);
}

}  // namespace
}  // namespace exh::kernels::cpu

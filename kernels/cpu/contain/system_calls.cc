// SPDX-License-Identifier: MIT
//
// A seccomp filter as a list of what is allowed; libseccomp makes the program for the kernel of it.
// An old call that a processor lacks has a negative number, and its rule is left out.
#include "kernels/cpu/contain/system_calls.h"

#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <initializer_list>

namespace exh::kernels::cpu {
namespace {

/// Allowed whatever their arguments.
constexpr int kAllowed[] = {
    SCMP_SYS(futex),
    SCMP_SYS(sched_yield),
    SCMP_SYS(read),
    SCMP_SYS(write),
    SCMP_SYS(clock_gettime),
    SCMP_SYS(rt_sigprocmask),
    SCMP_SYS(madvise),
    SCMP_SYS(munmap),
    SCMP_SYS(mprotect),
    SCMP_SYS(mremap),
    SCMP_SYS(brk),
    SCMP_SYS(nanosleep),
    SCMP_SYS(clock_nanosleep),
    SCMP_SYS(exit),
    SCMP_SYS(exit_group),
    SCMP_SYS(rt_sigaction),
    SCMP_SYS(rt_sigreturn),
    SCMP_SYS(sigaltstack),
    SCMP_SYS(restart_syscall),
    SCMP_SYS(set_robust_list),
    SCMP_SYS(get_robust_list),
    SCMP_SYS(set_tid_address),
    SCMP_SYS(rseq),
    SCMP_SYS(membarrier),
    SCMP_SYS(arch_prctl),
    SCMP_SYS(readv),
    SCMP_SYS(writev),
    SCMP_SYS(pread64),
    SCMP_SYS(lseek),
    SCMP_SYS(close),
    SCMP_SYS(fstat),
    SCMP_SYS(statx),
    SCMP_SYS(newfstatat),
    SCMP_SYS(faccessat),
    SCMP_SYS(faccessat2),
    SCMP_SYS(readlinkat),
    SCMP_SYS(getdents64),
    SCMP_SYS(getcwd),
    SCMP_SYS(stat),
    SCMP_SYS(lstat),
    SCMP_SYS(access),
    SCMP_SYS(readlink),
    SCMP_SYS(getpid),
    SCMP_SYS(gettid),
    SCMP_SYS(getppid),
    SCMP_SYS(getuid),
    SCMP_SYS(geteuid),
    SCMP_SYS(getgid),
    SCMP_SYS(getegid),
    SCMP_SYS(uname),
    SCMP_SYS(sysinfo),
    SCMP_SYS(getcpu),
    SCMP_SYS(getrandom),
    SCMP_SYS(getrlimit),
    SCMP_SYS(getrusage),
    SCMP_SYS(gettimeofday),
    SCMP_SYS(clock_getres),
    SCMP_SYS(times),
    SCMP_SYS(time),
    SCMP_SYS(sched_getaffinity),
    SCMP_SYS(sched_getparam),
    SCMP_SYS(sched_getscheduler),
    SCMP_SYS(sched_get_priority_max),
    SCMP_SYS(sched_get_priority_min),
    SCMP_SYS(mincore),
};

/// Signals that it may send itself: those that abort() and thread cancellation need. Above all not
/// SIGKILL and SIGSTOP: what dies of these was killed by somebody else.
constexpr int kOwnSignals[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL,
                               SIGTRAP, SIGSYS,  32,     33,     34};

/// The argument is this `int`. Its register has 64 bits, of which the kernel does not read the
/// upper half.
scmp_arg_cmp Is(unsigned argument, int value) {
  return {argument, SCMP_CMP_MASKED_EQ, 0xFFFFFFFF, static_cast<std::uint32_t>(value)};
}
/// The argument has none of these bits.
scmp_arg_cmp HasNone(unsigned argument, int bits) {
  return {argument, SCMP_CMP_MASKED_EQ, static_cast<std::uint32_t>(bits), 0};
}
/// The argument has all of these bits.
scmp_arg_cmp HasAll(unsigned argument, int bits) {
  const auto mask = static_cast<std::uint32_t>(bits);
  return {argument, SCMP_CMP_MASKED_EQ, mask, mask};
}

/// Calls that no rule allows fail with EPERM, those of another processor's numbers kill.
class Rules {
 public:
  Rules() : context_(seccomp_init(SCMP_ACT_ERRNO(EPERM))) {
    Note(seccomp_attr_set(context_, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS));
    constexpr std::uint32_t kSearchTree = 2;  // Instead of comparing with one number after another.
    Note(seccomp_attr_set(context_, SCMP_FLTATR_CTL_OPTIMIZE, kSearchTree));
  }
  ~Rules() { seccomp_release(context_); }
  Rules(const Rules&) = delete;
  Rules& operator=(const Rules&) = delete;

  /// `call` is allowed where all `conditions` hold. Rules of one call are alternatives.
  void Allow(int call, std::initializer_list<scmp_arg_cmp> conditions = {}) {
    Add(SCMP_ACT_ALLOW, call, conditions);
  }
  /// `call` fails with `error`.
  void Fail(int call, std::uint16_t error) { Add(SCMP_ACT_ERRNO(error), call, {}); }
  /// False: a rule could not be made, or the system offers no filters.
  bool Load() { return good_ && seccomp_load(context_) == 0; }

 private:
  void Note(int result) { good_ &= result == 0; }
  void Add(std::uint32_t answer, int call, std::initializer_list<scmp_arg_cmp> conditions) {
    if (call < 0) return;
    const auto count = static_cast<unsigned>(conditions.size());
    Note(seccomp_rule_add_array(context_, answer, call, count, conditions.begin()));
  }

  const scmp_filter_ctx context_;
  bool good_ = true;
};

}  // namespace

bool AllowOnlyComputing(bool may_pin_threads) {
  Rules rules;
  for (const int call : kAllowed) rules.Allow(call);
  // Threads, never processes. The flags of clone3 are behind a pointer, where no filter looks; the
  // C library then takes clone.
  rules.Allow(SCMP_SYS(clone), {HasAll(0, CLONE_THREAD | CLONE_VM | CLONE_SIGHAND)});
  rules.Fail(SCMP_SYS(clone3), ENOSYS);
  const int self = ::getpid();  // And no group.
  for (const int signal : kOwnSignals) {
    rules.Allow(SCMP_SYS(kill), {Is(0, self), Is(1, signal)});
    rules.Allow(SCMP_SYS(tgkill), {Is(0, self), Is(2, signal)});
  }
  constexpr int kWriting = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND;
  rules.Allow(SCMP_SYS(open), {HasNone(1, kWriting)});
  rules.Allow(SCMP_SYS(openat), {HasNone(2, kWriting)});
  // Memory of its own is limited. What is shared is not, so that is files, to be read.
  rules.Allow(SCMP_SYS(mmap), {HasNone(3, MAP_SHARED)});
  rules.Allow(SCMP_SYS(mmap), {HasNone(2, PROT_WRITE), HasNone(3, MAP_ANONYMOUS)});
  if (may_pin_threads) {
    rules.Allow(SCMP_SYS(sched_setaffinity));
  } else {
    rules.Allow(SCMP_SYS(sched_setaffinity), {Is(0, 0)});  // Of the caller.
  }
  for (const int command : {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL}) {
    rules.Allow(SCMP_SYS(fcntl), {Is(1, command)});
  }
  constexpr int kNameMemory = 0x53564d41;  // PR_SET_VMA, of the C library's malloc.
  for (const int option : {PR_SET_NAME, PR_GET_NAME, kNameMemory}) {
    rules.Allow(SCMP_SYS(prctl), {Is(0, option)});
  }
  // Its own limits, to be read: the new ones are a null pointer.
  rules.Allow(SCMP_SYS(prlimit64), {Is(0, 0), scmp_arg_cmp{2, SCMP_CMP_EQ, 0, 0}});
  return rules.Load();
}

}  // namespace exh::kernels::cpu

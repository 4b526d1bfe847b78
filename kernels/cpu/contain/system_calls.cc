// SPDX-License-Identifier: MIT
//
// A seccomp filter as a list of what is allowed. Names are those of the numbers in <sys/syscall.h>;
// a processor that lacks one of the old calls has no number for it, hence the #ifdefs.
#include "kernels/cpu/contain/system_calls.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace exh::kernels::cpu {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kArchitecture = 0;
#endif

/// Allowed whatever their arguments, the frequent ones first.
constexpr std::uint32_t kAllowed[] = {
    __NR_futex,
    __NR_sched_yield,
    __NR_read,
    __NR_write,
    __NR_clock_gettime,
    __NR_rt_sigprocmask,
    __NR_madvise,
    __NR_munmap,
    __NR_mprotect,
    __NR_mremap,
    __NR_brk,
    __NR_nanosleep,
    __NR_clock_nanosleep,
    __NR_exit,
    __NR_exit_group,
    __NR_rt_sigaction,
    __NR_rt_sigreturn,
    __NR_sigaltstack,
    __NR_restart_syscall,
    __NR_set_robust_list,
    __NR_get_robust_list,
    __NR_set_tid_address,
#ifdef __NR_rseq
    __NR_rseq,
#endif
#ifdef __NR_membarrier
    __NR_membarrier,
#endif
#ifdef __NR_arch_prctl
    __NR_arch_prctl,
#endif
    __NR_readv,
    __NR_writev,
    __NR_pread64,
    __NR_lseek,
    __NR_close,
    __NR_fstat,
    __NR_statx,
    __NR_newfstatat,
    __NR_faccessat,
#ifdef __NR_faccessat2
    __NR_faccessat2,
#endif
    __NR_readlinkat,
    __NR_getdents64,
    __NR_getcwd,
#ifdef __NR_stat
    __NR_stat,
    __NR_lstat,
    __NR_access,
    __NR_readlink,
#endif
    __NR_getpid,
    __NR_gettid,
    __NR_getppid,
    __NR_getuid,
    __NR_geteuid,
    __NR_getgid,
    __NR_getegid,
    __NR_uname,
    __NR_sysinfo,
    __NR_getcpu,
    __NR_getrandom,
    __NR_getrlimit,
    __NR_getrusage,
    __NR_gettimeofday,
    __NR_clock_getres,
    __NR_times,
#ifdef __NR_time
    __NR_time,
#endif
    __NR_sched_getaffinity,
    __NR_sched_getparam,
    __NR_sched_getscheduler,
    __NR_sched_get_priority_max,
    __NR_sched_get_priority_min,
    __NR_mincore,
};

/// Signals that it may send itself: those that abort() and thread cancellation need. Above all not
/// SIGKILL and SIGSTOP: what dies of these was killed by somebody else.
constexpr std::uint32_t kOwnSignals[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL,
                                         SIGTRAP, SIGSYS,  32,     33,     34};

/// A program for the kernel, one block for each call.
class Filter {
 public:
  void Load(std::size_t offset) {
    program_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
  }
  void LoadArgument(int index) {  // Its lower half: little-endian processors only.
    Load(offsetof(seccomp_data, args) + static_cast<std::size_t>(index) * sizeof(std::uint64_t));
  }
  void Answer(std::uint32_t answer) { program_.push_back(BPF_STMT(BPF_RET | BPF_K, answer)); }
  /// `answer` if the loaded value is `value`.
  void AnswerIf(std::uint32_t value, std::uint32_t answer) {
    program_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1));
    Answer(answer);
  }
  /// `answer` unless the loaded value is `value`.
  void AnswerUnless(std::uint32_t value, std::uint32_t answer) {
    program_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0));
    Answer(answer);
  }
  /// `answer` if the loaded value has any of these bits.
  void AnswerIfAny(std::uint32_t bits, std::uint32_t answer) {
    program_.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1));
    Answer(answer);
  }
  void Mask(std::uint32_t bits) { program_.push_back(BPF_STMT(BPF_ALU | BPF_AND | BPF_K, bits)); }
  /// The call `number` is decided by what `decide` adds, which must answer in all cases.
  template <typename Decide>
  void Call(std::uint32_t number, const Decide& decide) {
    const std::size_t jump = program_.size();
    program_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 0));
    decide();
    // Conditional jumps reach 255 instructions: every block is much shorter.
    program_[jump].jf = static_cast<std::uint8_t>(program_.size() - jump - 1);
  }

  bool Install() {
    sock_fprog program{static_cast<unsigned short>(program_.size()), program_.data()};
    return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
  }

 private:
  std::vector<sock_filter> program_;
};

constexpr std::uint32_t kYes = SECCOMP_RET_ALLOW;
constexpr std::uint32_t kNo = SECCOMP_RET_ERRNO | EPERM;

void AllowOwnSignals(Filter& filter, int signal_argument) {
  filter.LoadArgument(0);  // The process: itself, and no group.
  filter.AnswerUnless(static_cast<std::uint32_t>(::getpid()), kNo);
  filter.LoadArgument(signal_argument);
  for (const std::uint32_t signal : kOwnSignals) filter.AnswerIf(signal, kYes);
  filter.Answer(kNo);
}

void AllowReading(Filter& filter, int flags_argument) {
  filter.LoadArgument(flags_argument);
  filter.AnswerIfAny(O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND, kNo);
  filter.Answer(kYes);
}

}  // namespace

bool AllowOnlyComputing(bool may_pin_threads) {
  if (kArchitecture == 0) return false;
  Filter filter;
  filter.Load(offsetof(seccomp_data, arch));
  filter.AnswerUnless(kArchitecture, SECCOMP_RET_KILL_PROCESS);
  filter.Load(offsetof(seccomp_data, nr));
  // Numbers of the x32 ABI are no numbers of this list, and fail at its end.
  for (const std::uint32_t number : kAllowed) filter.AnswerIf(number, kYes);
  if (may_pin_threads) filter.AnswerIf(__NR_sched_setaffinity, kYes);

  filter.Call(__NR_clone, [&] {  // Threads, never processes.
    constexpr std::uint32_t kThread = CLONE_THREAD | CLONE_VM | CLONE_SIGHAND;
    filter.LoadArgument(0);
    filter.Mask(kThread);
    filter.AnswerIf(kThread, kYes);
    filter.Answer(kNo);
  });
#ifdef __NR_clone3
  // Its flags are behind a pointer, where no filter looks; the C library then takes clone.
  filter.AnswerIf(__NR_clone3, SECCOMP_RET_ERRNO | ENOSYS);
#endif
  filter.Call(__NR_kill, [&] { AllowOwnSignals(filter, 1); });
  filter.Call(__NR_tgkill, [&] { AllowOwnSignals(filter, 2); });
#ifdef __NR_open
  filter.Call(__NR_open, [&] { AllowReading(filter, 1); });
#endif
  filter.Call(__NR_openat, [&] { AllowReading(filter, 2); });
  filter.Call(__NR_mmap, [&] {  // Memory of its own is limited, what is shared is not.
    filter.LoadArgument(3);
    filter.Mask(MAP_SHARED);
    filter.AnswerIf(0, kYes);
    filter.LoadArgument(3);
    filter.AnswerIfAny(MAP_ANONYMOUS, kNo);
    filter.LoadArgument(2);
    filter.AnswerIfAny(PROT_WRITE, kNo);
    filter.Answer(kYes);
  });
  filter.Call(__NR_sched_setaffinity, [&] {  // Of the caller.
    filter.LoadArgument(0);
    filter.AnswerIf(0, kYes);
    filter.Answer(kNo);
  });
  filter.Call(__NR_fcntl, [&] {
    filter.LoadArgument(1);
    for (const int command : {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL}) {
      filter.AnswerIf(static_cast<std::uint32_t>(command), kYes);
    }
    filter.Answer(kNo);
  });
  filter.Call(__NR_prctl, [&] {
    constexpr std::uint32_t kNameMemory = 0x53564d41;  // PR_SET_VMA, of the C library's malloc.
    filter.LoadArgument(0);
    for (const std::uint32_t option :
         {std::uint32_t{PR_SET_NAME}, std::uint32_t{PR_GET_NAME}, kNameMemory}) {
      filter.AnswerIf(option, kYes);
    }
    filter.Answer(kNo);
  });
  filter.Call(__NR_prlimit64, [&] {  // Its own, to be read.
    filter.LoadArgument(0);
    filter.AnswerUnless(0, kNo);
    filter.LoadArgument(2);
    filter.AnswerUnless(0, kNo);
    filter.Load(offsetof(seccomp_data, args) + 2 * sizeof(std::uint64_t) + 4);
    filter.AnswerUnless(0, kNo);
    filter.Answer(kYes);
  });
  filter.Answer(kNo);
  return filter.Install();
}

}  // namespace exh::kernels::cpu

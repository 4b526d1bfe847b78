// SPDX-License-Identifier: MIT
//
// What a compiler of a newer system expects of glibc, and glibc 2.31 lacks. The programs of a
// release are linked with the libraries of 2.31 (OlderGlibc.cmake), and with libstdc++ and libgcc
// statically. Those of g++ 12 and Exhaust use those below. Whatever else 2.31 lacks, the linker
// names.
#include <dlfcn.h>
#include <link.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>

namespace {

struct Wanted {
  std::uintptr_t address;
  dl_find_object* found;
};

/// Of one program or library. 1: the address is in it, and `found` is filled.
int FindIn(dl_phdr_info* object, std::size_t /*size*/, void* data) {
  const Wanted& wanted = *static_cast<const Wanted*>(data);
  std::uintptr_t first = UINTPTR_MAX, last = 0, tables = 0;
  bool is_inside = false;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    const std::uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
    const std::uintptr_t end = begin + segment.p_memsz;
    if (segment.p_type == PT_GNU_EH_FRAME) tables = begin;
    if (segment.p_type != PT_LOAD) continue;
    first = std::min(first, begin);
    last = std::max(last, end);
    is_inside = is_inside || (begin <= wanted.address && wanted.address < end);
  }
  if (!is_inside) return 0;
  wanted.found->dlfo_map_start = reinterpret_cast<void*>(first);
  wanted.found->dlfo_map_end = reinterpret_cast<void*>(last);
  wanted.found->dlfo_eh_frame = reinterpret_cast<void*>(tables);
  return 1;
}

struct SignalText {
  int signal;
  const char *name, *what;
};

constexpr std::array kSignals = {
    SignalText{SIGHUP, "HUP", "Hangup"},
    SignalText{SIGINT, "INT", "Interrupt"},
    SignalText{SIGQUIT, "QUIT", "Quit"},
    SignalText{SIGILL, "ILL", "Illegal instruction"},
    SignalText{SIGTRAP, "TRAP", "Trace/breakpoint trap"},
    SignalText{SIGABRT, "ABRT", "Aborted"},
    SignalText{SIGBUS, "BUS", "Bus error"},
    SignalText{SIGFPE, "FPE", "Floating point exception"},
    SignalText{SIGKILL, "KILL", "Killed"},
    SignalText{SIGUSR1, "USR1", "User defined signal 1"},
    SignalText{SIGSEGV, "SEGV", "Segmentation fault"},
    SignalText{SIGUSR2, "USR2", "User defined signal 2"},
    SignalText{SIGPIPE, "PIPE", "Broken pipe"},
    SignalText{SIGALRM, "ALRM", "Alarm clock"},
    SignalText{SIGTERM, "TERM", "Terminated"},
    SignalText{SIGSTKFLT, "STKFLT", "Stack fault"},
    SignalText{SIGCHLD, "CHLD", "Child exited"},
    SignalText{SIGCONT, "CONT", "Continued"},
    SignalText{SIGSTOP, "STOP", "Stopped (signal)"},
    SignalText{SIGTSTP, "TSTP", "Stopped"},
    SignalText{SIGTTIN, "TTIN", "Stopped (tty input)"},
    SignalText{SIGTTOU, "TTOU", "Stopped (tty output)"},
    SignalText{SIGURG, "URG", "Urgent I/O condition"},
    SignalText{SIGXCPU, "XCPU", "CPU time limit exceeded"},
    SignalText{SIGXFSZ, "XFSZ", "File size limit exceeded"},
    SignalText{SIGVTALRM, "VTALRM", "Virtual timer expired"},
    SignalText{SIGPROF, "PROF", "Profiling timer expired"},
    SignalText{SIGWINCH, "WINCH", "Window changed"},
    SignalText{SIGIO, "POLL", "I/O possible"},
    SignalText{SIGPWR, "PWR", "Power failure"},
    SignalText{SIGSYS, "SYS", "Bad system call"},
};

const SignalText* TextOf(int signal) {
  const auto* const found = std::ranges::find(kSignals, signal, &SignalText::signal);
  return found == kSignals.end() ? nullptr : found;
}

}  // namespace

// Nobody outside of the program sees them: what it loads has the system's.
#pragma GCC visibility push(hidden)
extern "C" {

/// Since 2.32: not 0 while there is one thread, when counters need not be atomic. Nobody keeps it
/// up to date here, so there are always several.
extern char __libc_single_threaded;
char __libc_single_threaded = 0;

/// Since 2.36: std::random_device asks it.
__attribute__((visibility("hidden"))) std::uint32_t arc4random() noexcept {
  std::uint32_t value = 0;
  while (getrandom(&value, sizeof value, 0) != static_cast<ssize_t>(sizeof value)) {
    if (errno != EINTR) std::abort();
  }
  return value;
}

/// Since 2.35: where the tables are that say how the code at an address handles exceptions. Before,
/// libgcc looked for them in this way itself.
__attribute__((visibility("hidden"))) int _dl_find_object(void* address,
                                                          dl_find_object* found) noexcept {
  *found = {};
  Wanted wanted{reinterpret_cast<std::uintptr_t>(address), found};
  const bool is_found = dl_iterate_phdr(FindIn, &wanted) == 1;
  return is_found && found->dlfo_eh_frame != nullptr ? 0 : -1;
}

/// Both since 2.32. Null: there is no such signal.
__attribute__((visibility("hidden"))) const char* sigabbrev_np(int signal) noexcept {
  const SignalText* const text = TextOf(signal);
  return text == nullptr ? nullptr : text->name;
}

__attribute__((visibility("hidden"))) const char* sigdescr_np(int signal) noexcept {
  const SignalText* const text = TextOf(signal);
  return text == nullptr ? nullptr : text->what;
}

}  // extern "C"
#pragma GCC visibility pop

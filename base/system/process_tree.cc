// SPDX-License-Identifier: MIT
//
// Process groups do not hold what makes a group of its own, and the death signal of Linux reaches
// children only, so neither lets a compiler's helpers or a candidate's daemons end with us when we
// are killed. Here each program has a supervisor, a process that adopts whatever its descendants
// leave behind (a "subreaper") and so can find and kill all of them:
//
//   this process ── starter ─┬─ supervisor ── program ── …
//                            └─ supervisor ── program ── …
//
// The starter is a fork of this process, made once while it is small and one thread. It closes all
// that it inherited, forks the supervisors, and adopts what a supervisor leaves that was killed. A
// supervisor kills all below it when its program ends, or when the socket to the thread that asked
// for the program says so or closes; the starter does so when this process ends. Both do nothing
// but system calls: they are forks of a process with many threads, whose locks nobody would
// release.
#include "base/system/process_tree.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <limits>
#include <mutex>
#include <utility>

#include "base/system/descriptor.h"

namespace exh {
namespace {

/// What a supervisor, or the program before it runs, says on its socket: that it is there, then an
/// end. Of several ends the first counts.
constexpr auto kThere = static_cast<ProcessEnd::Kind>(100);
struct Report {
  ProcessEnd::Kind kind = ProcessEnd::Kind::kLost;
  int value = 0;
};

/// The beginning of the file that tells what to start; argv and the environment follow, each text
/// with its NUL, the program's path first.
struct Order {
  std::uint64_t max_memory_bytes = 0, stack_bytes = 0;
  std::uint64_t num_arguments = 0, num_variables = 0;
};

/// File descriptors that go with an order.
enum { kOrderFile, kControl, kIn, kOut, kErr, kFolder, kNumFiles };

// ---- In the starter and the supervisors: system calls only ------------------------------------

void Say(int control, ProcessEnd::Kind kind, int value) {
  const Report report{kind, value};
  ::send(control, &report, sizeof report, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void SetLimit(__rlimit_resource resource, std::uint64_t bytes) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0) return;
  limit.rlim_cur =
      limit.rlim_max == RLIM_INFINITY || bytes < limit.rlim_max ? bytes : limit.rlim_max;
  ::setrlimit(resource, &limit);
}

/// What is in `known` is left alone.
struct Known {
  const pid_t* begin = nullptr;
  std::size_t count = 0;
  bool Has(pid_t pid) const { return std::find(begin, begin + count, pid) != begin + count; }
};

void KillUnless(const Known& known, pid_t pid) {
  if (pid > 1 && !known.Has(pid)) ::kill(pid, SIGKILL);
}

/// The parent of a process by /proc, or 0.
pid_t ParentOf(const char* pid) {
  char path[64] = "/proc/";
  std::size_t at = 6;
  while (*pid != '\0' && at < 24) path[at++] = *pid++;
  std::memcpy(path + at, "/stat", 6);
  const int file = ::open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[512];
  const ssize_t n = ::read(file, text, sizeof text - 1);
  ::close(file);
  if (n <= 0) return 0;
  text[n] = '\0';
  const char* rest = std::strrchr(text, ')');  // "42 (name) S 41 …", and a name may be anything.
  if (rest == nullptr || std::strlen(rest) < 5) return 0;
  pid_t parent = 0;
  for (rest += 4; *rest >= '0' && *rest <= '9'; ++rest) parent = 10 * parent + (*rest - '0');
  return parent;
}

/// Kills the children of this process by a walk over all processes.
void KillByWalk(const Known& known) {
  const int folder = ::open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  const pid_t self = ::getpid();
  alignas(8) char buffer[8192];
  long n = 0;
  while ((n = ::syscall(SYS_getdents64, folder, buffer, sizeof buffer)) > 0) {
    for (long at = 0; at < n;) {
      constexpr std::size_t kLength = 16, kName = 19;  // Of struct linux_dirent64.
      std::uint16_t length = 0;
      std::memcpy(&length, buffer + at + kLength, sizeof length);
      const char* name = buffer + at + kName;
      pid_t pid = 0;
      for (const char* digit = name; *digit >= '0' && *digit <= '9'; ++digit) {
        pid = 10 * pid + (*digit - '0');
      }
      if (pid > 1 && ParentOf(name) == self) KillUnless(known, pid);
      at += length;
    }
  }
  ::close(folder);
}

/// Kills the children of this process. They are not reaped yet, so their numbers are theirs.
void KillChildren(const Known& known) {
  const int file = ::open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  if (file < 0) return KillByWalk(known);
  char text[4096];
  pid_t pid = 0;
  ssize_t n = 0;
  while ((n = ::read(file, text, sizeof text)) > 0) {
    for (ssize_t at = 0; at < n; ++at) {
      if (text[at] >= '0' && text[at] <= '9') {
        pid = 10 * pid + (text[at] - '0');
      } else {
        KillUnless(known, std::exchange(pid, 0));
      }
    }
  }
  KillUnless(known, pid);
  ::close(file);
}

/// Kills and reaps until this process has no descendants. What a child leaves behind when it dies
/// is a child of this one before wait() tells of the death, so that none is missed. The status of
/// `child` goes to `status`.
void KillDescendants(pid_t child, int& status) {
  long pause_ns = 100'000;
  while (true) {
    KillChildren({});
    bool reaped = false;
    while (true) {
      int one = 0;
      const pid_t pid = ::waitpid(-1, &one, WNOHANG);
      if (pid < 0 && errno == ECHILD) return;
      if (pid <= 0) break;
      if (pid == child) status = one;
      reaped = true;
    }
    if (reaped) continue;
    const timespec pause{0, pause_ns};
    ::nanosleep(&pause, nullptr);
    pause_ns = std::min(2 * pause_ns, 5'000'000L);
  }
}

extern "C" void WakeUp(int) {}

/// Waits for something to read, the end of a child, or the death signal.
bool WaitFor(int fd, const timespec* timeout) {
  sigset_t none;
  ::sigemptyset(&none);
  pollfd entry = {fd, POLLIN, 0};
  return ::ppoll(&entry, 1, timeout, &none) > 0;
}

/// Signals of terminals do not end it, and those that wake it are only delivered in WaitFor().
void TakeSignals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGTSTP, SIGXFSZ}) {
    ::signal(signal, SIG_IGN);
  }
  struct sigaction action {};
  action.sa_handler = WakeUp;
  ::sigaction(SIGCHLD, &action, nullptr);
  ::sigaction(SIGUSR1, &action, nullptr);
  sigset_t blocked;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGCHLD);
  ::sigaddset(&blocked, SIGUSR1);
  ::sigprocmask(SIG_SETMASK, &blocked, nullptr);
}

[[noreturn]] void BecomeProgram(const Order& order, const char* program, char* const* argv,
                                char* const* envp, const int* files, pid_t supervisor) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != supervisor) ::_exit(127);  // It was killed before the line above.
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  SetLimit(RLIMIT_CORE, 0);
  if (order.max_memory_bytes > 0) SetLimit(RLIMIT_AS, order.max_memory_bytes);
  if (order.stack_bytes > 0) SetLimit(RLIMIT_STACK, order.stack_bytes);
  int error = ::fchdir(files[kFolder]) == 0 ? 0 : errno;
  // None of them is 0, 1 or 2: the starter has these.
  for (int standard = 0; error == 0 && standard < 3; ++standard) {
    if (::dup2(files[kIn + standard], standard) < 0) error = errno;
  }
  if (error == 0) {
    ::execve(program, argv, envp);
    error = errno;
  }
  Say(files[kControl], ProcessEnd::Kind::kNotStarted, error);
  ::_exit(127);
}

/// The texts of an order as the arrays that exec() takes.
struct Texts {
  const char* program = nullptr;
  char** argv = nullptr;
  char** envp = nullptr;
};

/// Maps the order; null when there is no memory for it.
const Order* ReadOrder(int file, Texts& texts) {
  struct stat facts;
  if (::fstat(file, &facts) != 0) return nullptr;
  const auto size = static_cast<std::size_t>(facts.st_size);
  void* const map = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
  if (map == MAP_FAILED) return nullptr;
  const auto* const order = static_cast<const Order*>(map);
  const std::size_t pointers = order->num_arguments + order->num_variables + 2;
  void* const table = ::mmap(nullptr, pointers * sizeof(char*), PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (table == MAP_FAILED) return nullptr;
  char* text = static_cast<char*>(map) + sizeof(Order);
  const auto next = [&] { return std::exchange(text, text + std::strlen(text) + 1); };
  texts.program = next();
  texts.argv = static_cast<char**>(table);
  for (std::size_t i = 0; i < order->num_arguments; ++i) texts.argv[i] = next();
  texts.envp = texts.argv + order->num_arguments + 1;
  for (std::size_t i = 0; i < order->num_variables; ++i) texts.envp[i] = next();
  return order;
}

[[noreturn]] void Supervise(const int* files) {
  ::prctl(PR_SET_NAME, "exh-supervisor");
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  Texts texts;
  const Order* const order = ReadOrder(files[kOrderFile], texts);
  if (order == nullptr) {
    Say(files[kControl], ProcessEnd::Kind::kNotStarted, errno);
    ::_exit(1);
  }
  Say(files[kControl], kThere, 0);
  const pid_t self = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) BecomeProgram(*order, texts.program, texts.argv, texts.envp, files, self);
  if (child < 0) {
    Say(files[kControl], ProcessEnd::Kind::kNotStarted, errno);
    ::_exit(1);
  }
  for (const int one : {kOrderFile, kIn, kOut, kErr, kFolder}) ::close(files[one]);
  int status = 0;
  bool has_ended = false;
  while (!has_ended) {
    int one = 0;
    const pid_t pid = ::waitpid(-1, &one, WNOHANG);
    if (pid == child) {
      status = one;
      has_ended = true;
    } else if (pid <= 0 && WaitFor(files[kControl], nullptr)) {
      break;  // Nobody writes to it: it was closed.
    }
  }
  KillDescendants(child, status);
  Say(files[kControl], ProcessEnd::Kind::kEnded, status);
  ::_exit(0);
}

/// The process that forks the supervisors.
class Starter {
 public:
  [[noreturn]] static void Run(int socket, pid_t parent) { Starter(socket, parent).Loop(); }

 private:
  static constexpr int kSocket = 3;  ///< Behind the standard three.
  static constexpr std::size_t kMost = 4096;

  Starter(int socket, pid_t parent) : parent_(parent) {
    // Locks, pipes and logs of this process are none of its business, and end with it.
    socket = ::fcntl(socket, F_DUPFD_CLOEXEC, kSocket);
    const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int standard = 0; standard < 3; ++standard) ::dup2(null, standard);
    ::dup3(socket, kSocket, O_CLOEXEC);
    CloseFrom(kSocket + 1);
    if (null < 0 || ::fcntl(2, F_GETFD) < 0) ::_exit(1);
    ::setpgid(0, 0);  // A terminal's signals are for the group of this process.
    ::prctl(PR_SET_NAME, "exh-starter");
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    ::prctl(PR_SET_PDEATHSIG, SIGUSR1);  // Comes when a thread ends, too: then it means nothing.
    TakeSignals();
  }

  static void CloseFrom(int first) {
    if (::syscall(SYS_close_range, first, ~0U, 0) == 0) return;
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    const auto end = static_cast<int>(std::min<rlim_t>(limit.rlim_cur, 65536));
    for (int file = first; file < end; ++file) ::close(file);
  }

  [[noreturn]] void Loop() {
    while (::getppid() == parent_) {
      Reap();
      const timespec look{1, 0};
      if (WaitFor(kSocket, &look) && !Obey()) break;
    }
    int unused = 0;
    KillDescendants(-1, unused);
    ::_exit(0);
  }

  void Reap() {
    while (true) {
      int status = 0;
      const pid_t pid = ::waitpid(-1, &status, WNOHANG);
      if (pid <= 0) return;
      const auto end = supervisors_.begin() + static_cast<std::ptrdiff_t>(count_);
      const auto found = std::find(supervisors_.begin(), end, pid);
      if (found != end) *found = supervisors_[--count_];
      // Somebody killed a supervisor: what it had is adopted here.
      if (found == end || !WIFEXITED(status)) KillChildren({supervisors_.data(), count_});
    }
  }

  /// False: there is nobody any more who could ask.
  bool Obey() {
    char byte = 0;
    iovec data = {&byte, 1};
    alignas(cmsghdr) char room[CMSG_SPACE(kNumFiles * sizeof(int))];
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = room;
    message.msg_controllen = sizeof room;
    const ssize_t n = ::recvmsg(kSocket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (n < 0) return errno == EINTR || errno == EAGAIN || errno == ENOBUFS;
    if (n == 0) return false;
    const cmsghdr* const header = CMSG_FIRSTHDR(&message);
    if (header == nullptr || header->cmsg_type != SCM_RIGHTS) return true;
    std::array<int, kNumFiles> files;
    const std::size_t bytes = header->cmsg_len - CMSG_LEN(0);
    std::memcpy(files.data(), CMSG_DATA(header), std::min(bytes, sizeof files));
    const std::size_t num_files = std::min<std::size_t>(bytes / sizeof(int), kNumFiles);
    if (num_files == kNumFiles) Fork(files.data());
    for (std::size_t file = 0; file < num_files; ++file) ::close(files[file]);
    return true;
  }

  void Fork(const int* files) {
    if (count_ == kMost) return Say(files[kControl], ProcessEnd::Kind::kNotStarted, EAGAIN);
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::close(kSocket);
      ::prctl(PR_SET_PDEATHSIG, 0);
      Supervise(files);
    }
    if (pid < 0) return Say(files[kControl], ProcessEnd::Kind::kNotStarted, errno);
    supervisors_[count_++] = pid;
  }

  pid_t parent_;
  std::array<pid_t, kMost> supervisors_;
  std::size_t count_ = 0;
};

// ---- In this process ---------------------------------------------------------------------------

/// The way to the starter; a new one is made when it was killed.
class ToStarter {
 public:
  static ToStarter& Get() {
    static ToStarter* const only = new ToStarter;  // Never destroyed: threads may still use it.
    return *only;
  }

  /// A copy of the socket to a starter that was made at least `generation` times; -1 when none can
  /// be made (errno).
  int Socket(std::uint64_t& generation) {
    const std::lock_guard lock(mutex_);
    // A fork of this process that starts programs has a starter of its own.
    if (generation >= generation_ || owner_ != ::getpid()) {
      if (!Make()) return -1;
    }
    generation = generation_;
    return ::fcntl(socket_, F_DUPFD_CLOEXEC, 3);
  }

 private:
  bool Make() {
    if (socket_ >= 0) ::close(std::exchange(socket_, -1));
    if (pid_ > 0 && owner_ == ::getpid()) {
      ::kill(pid_, SIGKILL);  // It was killed already; it must not be waited for in vain.
      ::waitpid(pid_, nullptr, 0);
    }
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return false;
    const pid_t self = ::getpid();
    // Until it has its own handlers, those of this process must not run in it.
    sigset_t all, before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t pid = ::fork();
    if (pid == 0) Starter::Run(ends[1], self);
    const int error = errno;
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    ::close(ends[1]);
    if (pid < 0) {
      ::close(ends[0]);
      errno = error;
      return false;
    }
    socket_ = ends[0];
    pid_ = pid;
    owner_ = self;
    ++generation_;
    return true;
  }

  std::mutex mutex_;
  int socket_ = -1;
  pid_t pid_ = -1, owner_ = -1;
  std::uint64_t generation_ = 0;
};

/// A file in memory with what to start, or -1.
int WriteOrder(const ProgramStart& start) {
  const Order order{start.max_memory_bytes, start.stack_bytes, start.argv.size(),
                    start.environment.size()};
  std::string text(reinterpret_cast<const char*>(&order), sizeof order);
  text.append(start.program).push_back('\0');
  for (const std::string& argument : start.argv) text.append(argument).push_back('\0');
  for (const std::string& variable : start.environment) text.append(variable).push_back('\0');
  const int file = ::memfd_create("order", MFD_CLOEXEC);
  std::size_t done = 0;
  while (file >= 0 && done < text.size()) {
    const ssize_t n = ::write(file, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      ::close(file);
      return -1;
    }
    done += static_cast<std::size_t>(n);
  }
  return file;
}

/// Hands the files to the starter. False with errno: it is not there.
bool Send(int socket, const std::array<int, kNumFiles>& files) {
  char byte = 0;
  iovec data = {&byte, 1};
  alignas(cmsghdr) char room[CMSG_SPACE(sizeof files)] = {};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = room;
  message.msg_controllen = sizeof room;
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof files);
  std::memcpy(CMSG_DATA(header), files.data(), sizeof files);
  ssize_t n = 0;
  do {
    n = ::sendmsg(socket, &message, MSG_NOSIGNAL);
  } while (n < 0 && errno == EINTR);
  return n > 0;
}

}  // namespace

void StartSupervisor() {
  std::uint64_t generation = 0;
  if (const int socket = ToStarter::Get().Socket(generation); socket >= 0) ::close(socket);
}

ProcessTree::ProcessTree(ProcessTree&& other) noexcept
    : control_(std::exchange(other.control_, -1)) {}

ProcessTree& ProcessTree::operator=(ProcessTree&& other) noexcept {
  std::swap(control_, other.control_);
  return *this;
}

ProcessTree ProcessTree::Start(const ProgramStart& start, std::string& why) {
  ProcessTree tree;
  const Descriptor order(WriteOrder(start)), folder(::open(".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  int error = errno;
  std::uint64_t generation = 0;
  // A starter that is killed shows when it is written to, or when its answer does not come.
  for (int attempt = 0; attempt < 3 && order.get() >= 0 && folder.get() >= 0; ++attempt) {
    int ends[2];
    const Descriptor socket(ToStarter::Get().Socket(generation));
    if (socket.get() < 0 || ::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
      error = errno;
      break;
    }
    Descriptor near(ends[0]), far(ends[1]);
    const bool is_sent =
        Send(socket.get(), {order.get(), far.get(), start.in, start.out, start.err, folder.get()});
    error = is_sent ? ECHILD : errno;
    far.Close();  // Or the end of the supervisor would not show.
    Report report;
    ssize_t n = 0;
    do {
      n = is_sent ? ::recv(near.get(), &report, sizeof report, 0) : 0;
    } while (n < 0 && errno == EINTR);
    if (n != sizeof report) continue;
    if (report.kind == kThere) {
      tree.control_ = near.Release();
      return tree;
    }
    error = report.value;
    break;
  }
  why = std::strerror(error);
  return tree;
}

std::optional<ProcessEnd> ProcessTree::Wait(int timeout_ms) {
  pollfd entry = {control_, POLLIN, 0};
  DescriptorWait wait(timeout_ms < 0 ? std::numeric_limits<double>::infinity()
                                     : timeout_ms / 1000.0);
  if (wait.For({&entry, 1}) != DescriptorWait::End::kReady) return std::nullopt;
  Report report;
  const ssize_t n = ::recv(control_, &report, sizeof report, MSG_DONTWAIT);
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return std::nullopt;
  ::close(std::exchange(control_, -1));
  if (n != sizeof report) return ProcessEnd{};
  return ProcessEnd{report.kind, report.value};
}

ProcessEnd ProcessTree::Kill() {
  if (!is_running()) return {};
  ::shutdown(control_, SHUT_WR);
  while (true) {
    if (const auto end = Wait(-1)) return *end;
  }
}

}  // namespace exh

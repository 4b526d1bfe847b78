// SPDX-License-Identifier: MIT
//
// A request is one byte and four descriptors, an answer the number of the new process or an error
// of fork. The new process is made with CLONE_PARENT: so it is the search that waits for it, and it
// is killed when the search dies, though another process made it.
#include "kernels/cpu/contain/fork_server.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "base/system/descriptor.h"
#include "base/system/process.h"
#include "kernels/cpu/contain/channel.h"

extern char** environ;

namespace exh::kernels::cpu {
namespace {

/// For arrays by thread, on OpenMP's threads too.
constexpr char kWorkerStack[] = "OMP_STACKSIZE=64M";
/// Unrolled code with arrays by thread needs deep stacks.
constexpr std::uint64_t kStackBytes = 256ULL << 20;
/// Where a fork server is asked.
constexpr int kAskedFd = 3;
constexpr std::size_t kNumFiles = 4;
/// Nobody waits longer for a fork.
constexpr double kForkSeconds = 20;

struct Answer {
  std::int32_t pid = -1, error = 0;
};

/// A message with room for descriptors; where it is sent or received, `byte` is all its text.
struct Message {
  Message() {
    text = {.iov_base = &byte, .iov_len = 1};
    header.msg_iov = &text;
    header.msg_iovlen = 1;
    header.msg_control = room;
    header.msg_controllen = sizeof room;
  }
  char byte = 'f';
  iovec text{};
  msghdr header{};
  alignas(cmsghdr) char room[CMSG_SPACE(kNumFiles * sizeof(int))] = {};
};

/// All descriptors from `first` on.
void CloseFrom(int first) {
#ifdef SYS_close_range
  if (::syscall(SYS_close_range, static_cast<unsigned>(first), ~0U, 0U) == 0) return;
#endif
  rlimit limit{};
  constexpr rlim_t kMost = 1 << 16;
  const rlim_t last =
      ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? std::min(limit.rlim_cur, kMost) : kMost;
  for (rlim_t fd = static_cast<rlim_t>(first); fd < last; ++fd) ::close(static_cast<int>(fd));
}

/// Puts the files at 0, 1, … : out of the way first, for the numbers that they get may be in use by
/// one another.
template <std::size_t kNum>
void Place(int (&fds)[kNum]) {
  constexpr int kAbove = 16;
  for (int& fd : fds) fd = ::fcntl(fd, F_DUPFD_CLOEXEC, kAbove);
  int number = 0;
  for (const int fd : fds) ::dup2(fd, number++);
}

/// What the server needs, made before fork: between fork and exec nothing may allocate.
struct ServerPlan {
  std::string program;
  std::vector<char*> argv, envp;
  int asked = -1, failure = -1;
  pid_t parent = 0;
};

[[noreturn]] void BecomeServer(ServerPlan& plan) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != plan.parent) ::_exit(127);  // The parent died before the line above.
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int signal : {SIGINT, SIGTERM, SIGPIPE, SIGHUP, SIGXFSZ}) ::signal(signal, SIG_DFL);
  rlimit limit{};
  if (::getrlimit(RLIMIT_STACK, &limit) == 0) {
    limit.rlim_cur = std::min<rlim_t>(kStackBytes, limit.rlim_max);
    ::setrlimit(RLIMIT_STACK, &limit);
  }
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  int fds[] = {nothing, nothing, nothing, plan.asked, plan.failure};
  Place(fds);
  constexpr int kFailure = kAskedFd + 1;
  ::fcntl(kFailure, F_SETFD, FD_CLOEXEC);
  CloseFrom(kFailure + 1);
  ::execve(plan.program.c_str(), plan.argv.data(), plan.envp.data());
  const int error = errno;
  [[maybe_unused]] const ssize_t n = ::write(kFailure, &error, sizeof error);
  ::_exit(127);
}

void Close(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

}  // namespace

// ---- The side that asks -----------------------------------------------------------------------

ForkServer::~ForkServer() {
  Stop();
}

void ForkServer::Stop() {
  Close(socket_);
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

std::string ForkServer::Start() {
  ServerPlan plan;
  plan.program = command_.empty() ? "" : FindProgram(command_.front());
  if (plan.program.empty()) {
    return fmt::format("'{}' was not found", command_.empty() ? "" : command_.front());
  }
  for (const std::string& word : command_) plan.argv.push_back(const_cast<char*>(word.c_str()));
  plan.argv.push_back(nullptr);
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (std::strncmp(*variable, kWorkerStack, std::strlen("OMP_STACKSIZE=")) != 0) {
      plan.envp.push_back(*variable);
    }
  }
  plan.envp.push_back(const_cast<char*>(kWorkerStack));
  plan.envp.push_back(nullptr);

  int asked[2] = {-1, -1}, failure[2] = {-1, -1};
  std::string error;
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, asked) != 0 ||
      ::pipe2(failure, O_CLOEXEC) != 0) {
    error = fmt::format("no channel to '{}': {}", plan.program, std::strerror(errno));
  } else {
    plan.asked = asked[1];
    plan.failure = failure[1];
    plan.parent = ::getpid();
    pid_ = ::fork();
    if (pid_ == 0) BecomeServer(plan);
    if (pid_ < 0) error = fmt::format("fork failed: {}", std::strerror(errno));
  }
  Close(asked[1]);
  Close(failure[1]);
  socket_ = asked[0];
  if (error.empty()) {
    ::setpgid(pid_, pid_);  // Also here: whoever comes first.
    int exec_error = 0;
    ssize_t n = 0;
    do {  // Ends at once when exec closes the pipe.
      n = ::read(failure[0], &exec_error, sizeof exec_error);
    } while (n < 0 && errno == EINTR);
    if (n > 0) {
      error = fmt::format("'{}' cannot be run: {}", plan.program, std::strerror(exec_error));
    }
  }
  Close(failure[0]);
  if (!error.empty()) Stop();
  return error;
}

bool ForkServer::Ask(const CandidateFiles& files, pid_t& pid, int& fork_error) const {
  Message message;
  const int fds[kNumFiles] = {files.printed, files.channel, files.inputs, files.outputs};
  cmsghdr* const head = CMSG_FIRSTHDR(&message.header);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof fds);
  std::memcpy(CMSG_DATA(head), fds, sizeof fds);
  ssize_t n = 0;
  do {
    n = ::sendmsg(socket_, &message.header, MSG_NOSIGNAL);
  } while (n < 0 && errno == EINTR);
  if (n != 1) return false;
  pollfd waits{socket_, POLLIN, 0};
  Answer answer;
  if (DescriptorWait(kForkSeconds).For({&waits, 1}) != DescriptorWait::End::kReady ||
      ::recv(socket_, &answer, sizeof answer, MSG_DONTWAIT) != sizeof answer) {
    return false;
  }
  pid = answer.pid;
  fork_error = answer.error;
  return true;
}

pid_t ForkServer::Launch(const CandidateFiles& files, std::string& error) {
  const std::lock_guard lock(mutex_);
  // A server that is gone is found out by asking it; a new one that does not answer either is none.
  for (int tries = 0; tries < 2; ++tries) {
    if (pid_ <= 0) error = Start();
    if (!error.empty()) return -1;
    pid_t pid = -1;
    int fork_error = 0;
    if (Ask(files, pid, fork_error)) {
      if (pid <= 0) error = fmt::format("fork failed: {}", std::strerror(fork_error));
      return pid;
    }
    Stop();
  }
  error = fmt::format("'{}' does not start processes", command_.front());
  return -1;
}

// ---- The program's side -----------------------------------------------------------------------

namespace {

/// False: nobody asks any more, or who asks is no search.
bool AwaitRequest(int (&fds)[kNumFiles]) {
  Message message;
  ssize_t n = 0;
  do {
    n = ::recvmsg(kAskedFd, &message.header, MSG_CMSG_CLOEXEC);
  } while (n < 0 && errno == EINTR);
  const cmsghdr* const head = n == 1 ? CMSG_FIRSTHDR(&message.header) : nullptr;
  if (head == nullptr || head->cmsg_type != SCM_RIGHTS || head->cmsg_len != CMSG_LEN(sizeof fds)) {
    return false;
  }
  std::memcpy(fds, CMSG_DATA(head), sizeof fds);
  return true;
}

/// This process becomes the one of a candidate. Its parent is who asked.
void BecomeCandidate(const int (&files)[kNumFiles], pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);
  const auto [printed, channel, inputs, outputs] = files;
  int fds[] = {STDIN_FILENO, printed, printed, channel, inputs, outputs};
  static_assert(kChannelFd == 3 && kInputsFd == 4 && kOutputsFd == 5);
  Place(fds);
  CloseFrom(kOutputsFd + 1);
}

}  // namespace

bool ServeForks() {
  // What every candidate needs is loaded once. Where it is missing, they say so.
  ::dlopen("libgomp.so.1", RTLD_NOW | RTLD_LOCAL);
  const pid_t parent = ::getppid();
  int files[kNumFiles];
  while (AwaitRequest(files)) {
    Answer answer;
    // As fork(), but for the parent: this process has one thread, so there is nothing to prepare.
    const long pid = ::syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
    if (pid == 0) {
      BecomeCandidate(files, parent);
      return true;
    }
    answer.pid = static_cast<std::int32_t>(pid);
    answer.error = pid < 0 ? errno : 0;
    for (int& fd : files) Close(fd);
    if (::send(kAskedFd, &answer, sizeof answer, MSG_NOSIGNAL) != sizeof answer) break;
  }
  return false;
}

}  // namespace exh::kernels::cpu

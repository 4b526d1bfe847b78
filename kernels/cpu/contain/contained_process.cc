// SPDX-License-Identifier: MIT
#include "kernels/cpu/contain/contained_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/system/process.h"

extern char** environ;

namespace exh::kernels::cpu {
namespace {

using Clock = std::chrono::steady_clock;

/// For arrays by thread, on OpenMP's threads too.
constexpr char kWorkerStack[] = "OMP_STACKSIZE=64M";
/// Nobody is woken more often than this to look whether anybody still waits.
constexpr int kPollMs = 50;
constexpr std::size_t kKeptText = 4096;

double NsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

/// What the child needs, made before fork: between fork and exec nothing may allocate.
struct ChildPlan {
  std::string program;
  std::vector<char*> argv, envp;
  int fds[6] = {-1, -1, -1, -1, -1, -1};  ///< What becomes descriptor 0, 1, …
  int failure = -1;
  std::uint64_t stack_bytes = 0;
  pid_t parent = 0;
};

/// All descriptors above our own are closed by exec.
void CloseOthersOnExec() {
#ifdef SYS_close_range
  constexpr unsigned kOnExec = 1U << 2;  // CLOSE_RANGE_CLOEXEC, Linux 5.11.
  if (::syscall(SYS_close_range, kOutputsFd + 1U, ~0U, kOnExec) == 0) return;
#endif
  rlimit limit{};
  constexpr rlim_t kMost = 1 << 16;
  const rlim_t last =
      ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? std::min(limit.rlim_cur, kMost) : kMost;
  for (rlim_t fd = kOutputsFd + 1; fd < last; ++fd) {
    ::fcntl(static_cast<int>(fd), F_SETFD, FD_CLOEXEC);
  }
}

[[noreturn]] void BecomeChild(ChildPlan& plan) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != plan.parent) ::_exit(127);  // The parent died before the line above.
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int signal : {SIGINT, SIGTERM, SIGPIPE, SIGHUP, SIGXFSZ}) ::signal(signal, SIG_DFL);
  rlimit limit{};
  if (::getrlimit(RLIMIT_STACK, &limit) == 0) {
    limit.rlim_cur = std::min<rlim_t>(plan.stack_bytes, limit.rlim_max);
    ::setrlimit(RLIMIT_STACK, &limit);
  }
  // Out of the way first: the numbers that they get may be in use by one another.
  constexpr int kAbove = 16;
  for (int& fd : plan.fds) fd = ::fcntl(fd, F_DUPFD_CLOEXEC, kAbove);
  plan.failure = ::fcntl(plan.failure, F_DUPFD_CLOEXEC, kAbove);
  int number = 0;
  for (const int fd : plan.fds) ::dup2(fd, number++);
  CloseOthersOnExec();
  ::execve(plan.program.c_str(), plan.argv.data(), plan.envp.data());
  const int error = errno;
  [[maybe_unused]] const ssize_t n = ::write(plan.failure, &error, sizeof error);
  ::_exit(127);
}

void Close(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

}  // namespace

ContainedProcess::ContainedProcess(const Options& options) : stop_(options.stop) {
  constexpr int kThreadsBeside = 32, kThreadsFactor = 4;
  max_threads_ = kThreadsFactor * options.setup.threads + kThreadsBeside;
  ChildPlan plan;
  plan.program = options.command.empty() ? "" : FindProgram(options.command.front());
  if (plan.program.empty()) {
    error_ =
        fmt::format("'{}' was not found", options.command.empty() ? "" : options.command.front());
    return;
  }
  for (const std::string& word : options.command) {
    plan.argv.push_back(const_cast<char*>(word.c_str()));
  }
  plan.argv.push_back(nullptr);
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (std::strncmp(*variable, kWorkerStack, std::strlen("OMP_STACKSIZE=")) != 0) {
      plan.envp.push_back(*variable);
    }
  }
  plan.envp.push_back(const_cast<char*>(kWorkerStack));
  plan.envp.push_back(nullptr);

  int channel[2] = {-1, -1}, printed[2] = {-1, -1}, failure[2] = {-1, -1};
  int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing < 0 || ::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel) != 0 ||
      ::pipe2(printed, O_CLOEXEC | O_NONBLOCK) != 0 || ::pipe2(failure, O_CLOEXEC) != 0) {
    error_ = fmt::format("no channel to '{}': {}", plan.program, std::strerror(errno));
  } else {
    ::fcntl(printed[1], F_SETFL, 0);  // Only our end does not wait.
    const int fds[6] = {nothing,    printed[1],        printed[1],
                        channel[1], options.inputs_fd, options.outputs_fd};
    std::copy(std::begin(fds), std::end(fds), std::begin(plan.fds));
    plan.failure = failure[1];
    plan.stack_bytes = options.setup.allowance.stack_bytes;
    plan.parent = ::getpid();
    pid_ = ::fork();
    if (pid_ == 0) BecomeChild(plan);
    if (pid_ < 0) error_ = fmt::format("fork failed: {}", std::strerror(errno));
  }
  Close(nothing);
  Close(channel[1]);
  Close(printed[1]);
  Close(failure[1]);
  channel_ = channel[0];
  printed_ = printed[0];
  if (pid_ > 0) {
    ::setpgid(pid_, pid_);  // Also here: whoever comes first.
    int exec_error = 0;
    ssize_t n = 0;
    do {  // Ends at once when exec closes the pipe.
      n = ::read(failure[0], &exec_error, sizeof exec_error);
    } while (n < 0 && errno == EINTR);
    if (n > 0) {
      error_ = fmt::format("'{}' cannot be run: {}", plan.program, std::strerror(exec_error));
    }
    RunnerSetup setup = options.setup;
    setup.cookie = random_();
    cookie_ = setup.cookie;
    const std::string text = ToJson(setup);
    ::clock_getcpuclockid(pid_, &clock_);
    // A process that is gone already is noticed by who waits for its answer.
    ::send(channel_, text.data(), text.size(), MSG_NOSIGNAL);
  }
  Close(failure[0]);
}

ContainedProcess::~ContainedProcess() {
  Finish(0);
  Close(channel_);
  Close(printed_);
}

// ---- Asking -----------------------------------------------------------------------------------

ContainedProcess::Event ContainedProcess::AwaitReady(RunnerReply& reply, double seconds) {
  Meanwhile nothing;
  return Await(cookie_, reply, seconds, nothing);
}

ContainedProcess::Event ContainedProcess::Ask(RunnerCommand command, RunnerReply& reply,
                                              double seconds, Meanwhile meanwhile) {
  command.cookie = random_();
  const double cpu = CpuNs();
  const Clock::time_point start = Clock::now();
  ::send(channel_, &command, sizeof command, MSG_NOSIGNAL);
  if (frozen_) ::kill(pid_, SIGCONT);
  frozen_ = false;
  const Event event = Await(command.cookie, reply, seconds, meanwhile);
  wall_ns_ = NsSince(start);
  cpu_ns_ = CpuNs() - cpu;
  return event;
}

ContainedProcess::Event ContainedProcess::Await(std::uint64_t cookie, RunnerReply& reply,
                                                double seconds, Meanwhile& meanwhile) {
  const Clock::time_point start = Clock::now();
  while (true) {
    if (IsStopped(stop_)) return Event::kStopped;
    const double left_ms = seconds * 1e3 - NsSince(start) / 1e6;
    if (left_ms <= 0) return Event::kLate;
    double wait_ns = std::min<double>(left_ms + 1, kPollMs) * 1e6;
    if (meanwhile.act) {
      const double early_ns = meanwhile.after_ns - NsSince(start);
      if (early_ns <= 0) std::exchange(meanwhile.act, nullptr)();
      if (early_ns > 0) wait_ns = std::min(wait_ns, early_ns);
    }
    const timespec wait{0, static_cast<long>(wait_ns)};
    pollfd fds[2] = {{channel_, POLLIN, 0}, {printed_, POLLIN, 0}};
    const int ready = ::ppoll(fds, 2, &wait, nullptr);
    if (ready == 0 && !meanwhile.act && NumThreads() > max_threads_) return Event::kTooManyThreads;
    if (ready <= 0) continue;
    if (fds[1].revents != 0) Drain();
    if (fds[0].revents == 0) continue;
    const ssize_t n = ::recv(channel_, &reply, sizeof reply, MSG_DONTWAIT | MSG_TRUNC);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n <= 0) return Event::kEnded;
    reply.why[sizeof reply.why - 1] = '\0';
    const bool is_answer = n == sizeof reply && reply.cookie == cookie;
    return is_answer ? Event::kReply : Event::kOutOfTurn;
  }
}

void ContainedProcess::Drain() {
  char buffer[4096];
  while (printed_ >= 0) {
    const ssize_t n = ::read(printed_, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n == 0) Close(printed_);
    if (n <= 0) return;
    text_.append(buffer, static_cast<std::size_t>(n));
    if (text_.size() > 2 * kKeptText) text_.erase(0, text_.size() - kKeptText);
  }
}

std::string ContainedProcess::LastLine() {
  Drain();
  std::string text = text_;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const std::size_t begin = text.rfind('\n');
  return begin == std::string::npos ? text : text.substr(begin + 1);
}

double ContainedProcess::CpuNs() const {
  timespec time{};
  if (::clock_gettime(clock_, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

int ContainedProcess::NumThreads() const {
  std::FILE* const file = std::fopen(fmt::format("/proc/{}/stat", pid_).c_str(), "re");
  if (file == nullptr) return 0;
  char text[1024];
  const std::size_t n = std::fread(text, 1, sizeof text - 1, file);
  std::fclose(file);
  text[n] = '\0';
  // Behind the name, which may hold anything, the number of threads is the 18th word.
  const char* word = std::strrchr(text, ')');
  constexpr int kWords = 18;
  for (int i = 0; i < kWords && word != nullptr; ++i) word = std::strchr(word + 1, ' ');
  return word == nullptr ? 0 : std::atoi(word);
}

void ContainedProcess::Pause() {
  if (frozen_ || finished_) return;
  ::kill(pid_, SIGSTOP);
  siginfo_t info{};
  while (::waitid(P_PID, static_cast<id_t>(pid_), &info, WSTOPPED | WEXITED | WNOWAIT) != 0 &&
         errno == EINTR) {
  }
  frozen_ = true;
}

// ---- The end ----------------------------------------------------------------------------------

const ContainedProcess::End& ContainedProcess::Finish(double patience_s) {
  if (finished_ || pid_ <= 0) return end_;
  finished_ = true;
  const Clock::time_point start = Clock::now();
  int status = 0;
  while (::waitpid(pid_, &status, WNOHANG) != pid_) {
    if (NsSince(start) >= patience_s * 1e9) {
      end_.was_alive = true;
      ::kill(-pid_, SIGKILL);
      ::kill(pid_, SIGKILL);  // Before it is in its group, after it left it.
      while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
      }
      break;
    }
    ::usleep(1000);
  }
  ::kill(-pid_, SIGKILL);  // What it may have started, where that is not refused.
  end_.signalled = WIFSIGNALED(status);
  end_.code = end_.signalled ? WTERMSIG(status) : WEXITSTATUS(status);
  return end_;
}

}  // namespace exh::kernels::cpu

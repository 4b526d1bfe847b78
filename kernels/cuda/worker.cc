// SPDX-License-Identifier: MIT
#include "kernels/cuda/worker.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "kernels/cpu/process.h"

namespace exh::kernels::cuda {
namespace {

using Clock = std::chrono::steady_clock;

/// A line that is longer is no answer, but a process that has lost its mind.
constexpr std::size_t kMaxLine = std::size_t{64} << 20;

[[noreturn]] void BecomeChild(const char* program, char* const* argv, int socket, int errors,
                              pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);  // The parent died before the line above.
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int signal : {SIGINT, SIGTERM, SIGPIPE, SIGHUP}) ::signal(signal, SIG_DFL);
  const rlimit no_core{};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::dup2(socket, 0);
  ::dup2(socket, 1);
  ::dup2(errors, 2);
  ::execv(program, argv);
  const char* const why = ::strerrordesc_np(errno);
  if (why != nullptr && ::write(2, why, std::strlen(why)) < 0) ::_exit(126);
  ::_exit(127);
}

/// A process gets the death signal when the *thread* that forked it ends, so all of them are forked
/// by one thread that lives as long as this process.
class Forker {
 public:
  static Forker& Get() {
    static Forker* const forker = new Forker;  // Never destroyed: its thread does not end.
    return *forker;
  }

  /// fork(), but `child` runs in the child and does not return.
  pid_t Fork(const std::function<void()>& child) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return child_ == nullptr; });
    child_ = &child;
    const std::uint64_t mine = ++asked_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return answered_ == mine; });
    const pid_t pid = pid_;
    child_ = nullptr;
    changed_.notify_all();
    return pid;
  }

 private:
  Forker() { std::thread(&Forker::Loop, this).detach(); }

  void Loop() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return answered_ != asked_; });
      const pid_t pid = ::fork();
      if (pid == 0) (*child_)();
      pid_ = pid;
      answered_ = asked_;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void()>* child_ = nullptr;
  std::uint64_t asked_ = 0, answered_ = 0;
  pid_t pid_ = -1;
};

off_t SizeOf(int file) {
  struct stat facts;
  return ::fstat(file, &facts) == 0 ? facts.st_size : 0;
}

/// The last line of what stands in a file from here on.
std::string LastLine(int file, off_t begin) {
  char buffer[2048];
  const off_t from = std::max(begin, SizeOf(file) - static_cast<off_t>(sizeof buffer));
  const ssize_t n = ::pread(file, buffer, sizeof buffer, from);
  std::string text(buffer, n > 0 ? static_cast<std::size_t>(n) : 0);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

}  // namespace

Worker::Worker(const std::vector<std::string>& argv) {
  const std::string program = argv.empty() ? "" : cpu::FindProgram(argv.front());
  if (program.empty()) {
    obituary_ = argv.empty() ? "no program was named"
                             : fmt::format("'{}' was not found on PATH", argv.front());
    return;
  }
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    obituary_ = fmt::format("no socket for it: {}", std::strerror(errno));
    return;
  }
  socket_ = ends[0];
  errors_ = ::memfd_create("stderr", MFD_CLOEXEC);
  std::vector<char*> arguments;
  for (const std::string& argument : argv) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  const pid_t parent = ::getpid();
  pid_ = Forker::Get().Fork(
      [&] { BecomeChild(program.c_str(), arguments.data(), ends[1], errors_, parent); });
  if (pid_ < 0) obituary_ = fmt::format("cannot fork: {}", std::strerror(errno));
  ::close(ends[1]);
}

Worker::~Worker() {
  Kill();
  if (socket_ >= 0) ::close(socket_);
  if (errors_ >= 0) ::close(errors_);
}

Worker::Worker(Worker&& other) noexcept {
  *this = std::move(other);
}

Worker& Worker::operator=(Worker&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(socket_, other.socket_);
  std::swap(errors_, other.errors_);
  std::swap(heard_, other.heard_);
  std::swap(output_, other.output_);
  std::swap(sent_, other.sent_);
  std::swap(input_, other.input_);
  std::swap(obituary_, other.obituary_);
  return *this;
}

void Worker::Send(std::string line) {
  if (!line.ends_with('\n')) line += '\n';
  if (sent_ == output_.size()) {
    output_ = std::move(line);
    sent_ = 0;
  } else {
    output_ += line;
  }
  SendSome();
}

/// False: the other end is closed.
bool Worker::SendSome() {
  while (alive() && sent_ < output_.size()) {
    const ssize_t n = ::send(socket_, output_.data() + sent_, output_.size() - sent_,
                             MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno == EAGAIN;
    sent_ += static_cast<std::size_t>(n);
  }
  return true;
}

/// False: the other end is closed, or sends what cannot be a line.
bool Worker::ReadSome() {
  char buffer[65536];
  const ssize_t n = ::recv(socket_, buffer, sizeof buffer, MSG_DONTWAIT);
  if (n < 0) return errno == EINTR || errno == EAGAIN;
  input_.append(buffer, static_cast<std::size_t>(n));
  return n > 0 && input_.size() <= kMaxLine;
}

Worker::Reply Worker::Receive(double timeout_s, std::string& line, const StopToken* stop) {
  const double look_ms = stop == nullptr ? 1e9 : 20;
  const auto deadline = Clock::now() + std::chrono::duration<double>(timeout_s);
  std::size_t seen = 0;  // No line ends before here.
  while (alive()) {
    const std::size_t end = input_.find('\n', seen);
    if (end != std::string::npos) {
      line.assign(input_, 0, end);
      input_.erase(0, end + 1);
      heard_ = SizeOf(errors_);
      return Reply::kLine;
    }
    seen = input_.size();
    const double left_ms =
        std::chrono::duration<double, std::milli>(deadline - Clock::now()).count();
    if (left_ms <= 0) return Reply::kTimedOut;
    if (IsStopped(stop)) return Reply::kStopped;
    const bool sends = sent_ < output_.size();
    pollfd fd = {socket_, static_cast<short>(sends ? POLLIN | POLLOUT : POLLIN), 0};
    if (::poll(&fd, 1, static_cast<int>(std::min(left_ms + 1, look_ms))) <= 0) continue;
    // An end that shows when writing shows when reading too, behind what it said before.
    if ((fd.revents & POLLOUT) != 0 && !SendSome()) sent_ = output_.size();
    if ((fd.revents & ~POLLOUT) != 0 && !ReadSome()) Reap(false);
  }
  return Reply::kDied;
}

void Worker::Drain() {
  std::size_t dropped = 0;
  while (alive() && dropped <= kMaxLine) {
    dropped += std::exchange(input_, {}).size();
    pollfd fd = {socket_, POLLIN, 0};
    if (::poll(&fd, 1, 0) <= 0) return;
    if (!ReadSome()) Reap(false);
  }
  Kill();  // It does not stop talking.
}

void Worker::Kill() {
  if (!alive()) return;
  ::kill(-pid_, SIGKILL);
  ::kill(pid_, SIGKILL);  // It may not have made its group yet.
  Reap(true);
}

void Worker::Reap(bool killed) {
  int status = 0;
  pid_t reaped = 0;
  // Its stream ended, so it is about to end by itself; how it does is worth a moment.
  for (int look = 0; !killed && reaped == 0 && look < 200; ++look) {
    reaped = ::waitpid(pid_, &status, WNOHANG);
    if (reaped == 0) ::usleep(1000);
  }
  if (reaped != pid_) {
    ::kill(-pid_, SIGKILL);
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
  }
  pid_ = -1;
  if (killed) {
    obituary_ = "it was killed";
  } else if (WIFSIGNALED(status)) {
    obituary_ = cpu::SignalText(WTERMSIG(status));
  } else {
    obituary_ = fmt::format("it ended with code {}", WEXITSTATUS(status));
  }
  const std::string last = errors_ >= 0 ? LastLine(errors_, heard_) : "";
  if (!last.empty()) obituary_ += ": " + last;
}

}  // namespace exh::kernels::cuda

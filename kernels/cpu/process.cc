// SPDX-License-Identifier: MIT
#include "kernels/cpu/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <utility>

extern char** environ;

namespace exh::kernels::cpu {
namespace {

using Clock = std::chrono::steady_clock;

double MsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// A file descriptor that closes itself.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    Close();
    fd_ = std::exchange(other.fd_, -1);
    return *this;
  }
  ~Fd() { Close(); }
  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  void Close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

 private:
  int fd_ = -1;
};

struct Pipe {
  Fd read, write;
};

bool MakePipe(Pipe& pipe) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  pipe.read = Fd(ends[0]);
  pipe.write = Fd(ends[1]);
  return true;
}

/// stdin is a file in memory: writing a pipe could block, or raise SIGPIPE if nobody reads.
Fd InputFile(const std::string& input) {
  Fd file(::memfd_create("stdin", MFD_CLOEXEC));
  std::size_t done = 0;
  while (file.valid() && done < input.size()) {
    const ssize_t n = ::write(file.get(), input.data() + done, input.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return {};
    done += static_cast<std::size_t>(n);
  }
  if (file.valid()) ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

/// What the child needs, made before fork: between fork and exec nothing may allocate.
struct ChildPlan {
  std::string program;
  std::vector<char*> argv, envp;
  int in = -1, out = -1, err = -1, failure = -1;
  std::uint64_t max_memory_bytes = 0, stack_bytes = 0;
  pid_t parent = 0;
};

void SetLimit(int resource, std::uint64_t bytes) {
  rlimit limit{};
  if (::getrlimit(static_cast<__rlimit_resource_t>(resource), &limit) != 0) return;
  limit.rlim_cur =
      limit.rlim_max == RLIM_INFINITY || bytes < limit.rlim_max ? bytes : limit.rlim_max;
  ::setrlimit(static_cast<__rlimit_resource_t>(resource), &limit);
}

[[noreturn]] void BecomeChild(const ChildPlan& plan) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != plan.parent) ::_exit(127);  // The parent died before the line above.
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int signal : {SIGINT, SIGTERM, SIGPIPE, SIGHUP}) ::signal(signal, SIG_DFL);
  SetLimit(RLIMIT_CORE, 0);
  if (plan.max_memory_bytes > 0) SetLimit(RLIMIT_AS, plan.max_memory_bytes);
  if (plan.stack_bytes > 0) SetLimit(RLIMIT_STACK, plan.stack_bytes);
  ::dup2(plan.in, 0);
  ::dup2(plan.out, 1);
  ::dup2(plan.err, 2);
  ::execve(plan.program.c_str(), plan.argv.data(), plan.envp.data());
  const int error = errno;
  [[maybe_unused]] const ssize_t n = ::write(plan.failure, &error, sizeof error);
  ::_exit(127);
}

/// Our environment with the request's additions, as pointers into `added` and `environ`.
std::vector<char*> Environment(const std::vector<std::string>& added) {
  std::vector<char*> envp;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string text(*variable);
    const std::string name = text.substr(0, text.find('=') + 1);
    bool replaced = false;
    for (const std::string& a : added) replaced |= a.compare(0, name.size(), name) == 0;
    if (!replaced) envp.push_back(*variable);
  }
  for (const std::string& a : added) envp.push_back(const_cast<char*>(a.c_str()));
  envp.push_back(nullptr);
  return envp;
}

/// Reads what is there. False at the end of the stream.
bool Drain(const Fd& fd, std::string& text, std::size_t max_output) {
  char buffer[16384];
  const ssize_t n = ::read(fd.get(), buffer, sizeof buffer);
  if (n < 0) return errno == EINTR || errno == EAGAIN;
  if (n == 0) return false;
  const std::size_t room = max_output - std::min(max_output, text.size());
  text.append(buffer, std::min(room, static_cast<std::size_t>(n)));
  return true;
}

/// How a program ends that is still there.
enum class End { kItself, kTimeOut, kStop };

/// Collects both streams until they end, the child ends, the time is over, or it is stopped.
End Collect(pid_t child, Pipe& out, Pipe& err, const ProcessRequest& request,
            Clock::time_point start, ProcessResult& result, int& wait_status, bool& reaped) {
  const double limit_ms = request.timeout_s * 1000;
  while (true) {
    // A grandchild may keep the streams open after the child: the child's end is the end.
    if (!reaped && ::waitpid(child, &wait_status, WNOHANG) == child) reaped = true;
    pollfd fds[2] = {{out.read.get(), POLLIN, 0}, {err.read.get(), POLLIN, 0}};
    const double left_ms = limit_ms - MsSince(start);
    if (!reaped && IsStopped(request.stop)) return End::kStop;
    if (!reaped && left_ms <= 0) return End::kTimeOut;
    const bool open = out.read.valid() || err.read.valid();
    if (reaped && !open) return End::kItself;
    // Without an event for the child's end, look every few milliseconds; streams wake us earlier.
    const int wait_ms = reaped ? 0 : static_cast<int>(std::min(left_ms + 1, open ? 20.0 : 2.0));
    const int ready = ::poll(fds, 2, wait_ms);
    if (ready == 0 && reaped) return End::kItself;
    if (ready <= 0) continue;
    if (fds[0].revents != 0 && !Drain(out.read, result.out, request.max_output)) out.read.Close();
    if (fds[1].revents != 0 && !Drain(err.read, result.err, request.max_output)) err.read.Close();
  }
}

ProcessResult NotStarted(std::string why) {
  ProcessResult result;
  result.error = std::move(why);
  return result;
}

}  // namespace

std::string FindProgram(const std::string& name) {
  if (name.empty()) return "";
  if (name.find('/') != std::string::npos) return ::access(name.c_str(), X_OK) == 0 ? name : "";
  const char* path = std::getenv("PATH");
  const std::string folders = path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path;
  for (std::size_t begin = 0; begin <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', begin), folders.size());
    const std::string folder = end == begin ? "." : folders.substr(begin, end - begin);
    if (::access((folder + "/" + name).c_str(), X_OK) == 0) return folder + "/" + name;
    begin = end + 1;
  }
  return "";
}

std::string SignalText(int signal) {
  const char* name = ::sigabbrev_np(signal);
  const char* text = ::sigdescr_np(signal);
  return fmt::format("signal {} (SIG{}: {})", signal, name == nullptr ? "?" : name,
                     text == nullptr ? "unknown" : text);
}

ProcessResult RunProcess(const ProcessRequest& request) {
  const Clock::time_point start = Clock::now();
  if (request.argv.empty()) return NotStarted("no program was named");
  if (IsStopped(request.stop)) {
    ProcessResult result;
    result.status = ProcessResult::Status::kStopped;
    return result;
  }
  ChildPlan plan;
  plan.program = FindProgram(request.argv.front());
  if (plan.program.empty()) {
    return NotStarted(fmt::format("'{}' was not found on PATH", request.argv.front()));
  }
  Pipe out, err, failure;
  const Fd in = InputFile(request.input);
  if (!in.valid() || !MakePipe(out) || !MakePipe(err) || !MakePipe(failure)) {
    return NotStarted(fmt::format("no pipe to '{}': {}", plan.program, std::strerror(errno)));
  }
  for (const std::string& argument : request.argv) {
    plan.argv.push_back(const_cast<char*>(argument.c_str()));
  }
  plan.argv.push_back(nullptr);
  plan.envp = Environment(request.environment);
  plan.in = in.get();
  plan.out = out.write.get();
  plan.err = err.write.get();
  plan.failure = failure.write.get();
  plan.max_memory_bytes = request.max_memory_bytes;
  plan.stack_bytes = request.stack_bytes;
  plan.parent = ::getpid();

  const pid_t child = ::fork();
  if (child < 0) return NotStarted(fmt::format("fork failed: {}", std::strerror(errno)));
  if (child == 0) BecomeChild(plan);
  ::setpgid(child, child);  // Also here: whoever comes first.
  out.write.Close();
  err.write.Close();
  failure.write.Close();

  ProcessResult result;
  int exec_error = 0;
  ssize_t n = 0;
  do {  // Ends at once when exec closes the pipe.
    n = ::read(failure.read.get(), &exec_error, sizeof exec_error);
  } while (n < 0 && errno == EINTR);
  if (n > 0) {
    ::waitpid(child, nullptr, 0);
    return NotStarted(
        fmt::format("'{}' cannot be run: {}", plan.program, std::strerror(exec_error)));
  }

  int wait_status = 0;
  bool reaped = false;
  const End end = Collect(child, out, err, request, start, result, wait_status, reaped);
  ::kill(-child, SIGKILL);  // Helpers of the child too (g++ runs cc1plus).
  while (!reaped && ::waitpid(child, &wait_status, 0) < 0 && errno == EINTR) {
  }
  result.wall_ms = MsSince(start);
  if (end == End::kTimeOut) {
    result.status = ProcessResult::Status::kTimedOut;
  } else if (end == End::kStop) {
    result.status = ProcessResult::Status::kStopped;
  } else if (WIFSIGNALED(wait_status)) {
    result.status = ProcessResult::Status::kSignalled;
    result.code = WTERMSIG(wait_status);
  } else {
    result.status = ProcessResult::Status::kExited;
    result.code = WEXITSTATUS(wait_status);
  }
  return result;
}

}  // namespace exh::kernels::cpu

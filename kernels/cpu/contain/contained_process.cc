// SPDX-License-Identifier: MIT
#include "kernels/cpu/contain/contained_process.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

namespace exh::kernels::cpu {
namespace {

using Clock = std::chrono::steady_clock;

/// Nobody is woken more often than this to look whether anybody still waits.
constexpr int kPollMs = 50;
constexpr std::size_t kKeptText = 4096;

double NsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

void Close(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

}  // namespace

ContainedProcess::ContainedProcess(const Options& options) : stop_(options.stop) {
  constexpr int kThreadsBeside = 32, kThreadsFactor = 4;
  max_threads_ = kThreadsFactor * options.setup.threads + kThreadsBeside;
  int channel[2] = {-1, -1}, printed[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel) != 0 ||
      ::pipe2(printed, O_CLOEXEC | O_NONBLOCK) != 0) {
    error_ = fmt::format("no channel to a candidate: {}", std::strerror(errno));
  } else {
    ::fcntl(printed[1], F_SETFL, 0);  // Only our end does not wait.
    pid_ = options.server->Launch({printed[1], channel[1], options.inputs_fd, options.outputs_fd},
                                  error_);
  }
  Close(channel[1]);
  Close(printed[1]);
  channel_ = channel[0];
  printed_ = printed[0];
  if (pid_ <= 0) return;
  ::setpgid(pid_, pid_);  // Also here: whoever comes first.
  RunnerSetup setup = options.setup;
  setup.cookie = random_();
  cookie_ = setup.cookie;
  const std::string text = ToJson(setup);
  ::clock_getcpuclockid(pid_, &clock_);
  // A process that is gone already is noticed by who waits for its answer.
  ::send(channel_, text.data(), text.size(), MSG_NOSIGNAL);
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

void ContainedProcess::PinThreads() const {
  cpu_set_t usable;
  if (::sched_getaffinity(0, sizeof usable, &usable) != 0) return;
  std::vector<pid_t> threads;
  DIR* const folder = ::opendir(fmt::format("/proc/{}/task", pid_).c_str());
  if (folder == nullptr) return;
  while (const dirent* const entry = ::readdir(folder)) {
    if (const pid_t thread = std::atoi(entry->d_name)) threads.push_back(thread);
  }
  ::closedir(folder);
  if (threads.size() > static_cast<std::size_t>(CPU_COUNT(&usable))) return;
  int core = -1;
  for (const pid_t thread : threads) {
    while (!CPU_ISSET(++core, &usable)) {
    }
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    ::sched_setaffinity(thread, sizeof one, &one);  // One that is gone needs none.
  }
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

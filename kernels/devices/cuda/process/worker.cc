// SPDX-License-Identifier: MIT
#include "kernels/devices/cuda/process/worker.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/system/descriptor.h"
#include "base/system/process.h"

namespace exh::kernels::cuda {
namespace {

/// A line that is longer is no answer, but a process that has lost its mind.
constexpr std::size_t kMaxLine = std::size_t{64} << 20;

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
  const std::string program = argv.empty() ? "" : FindProgram(argv.front());
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
  ProgramStart start;
  start.program = program;
  start.argv = argv;
  start.environment = EnvironmentWith({});
  start.in = start.out = ends[1];
  start.err = errors_;
  std::string why;
  tree_ = ProcessTree::Start(start, why);
  if (!tree_.is_running()) obituary_ = fmt::format("no process for it: {}", why);
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
  std::swap(tree_, other.tree_);
  std::swap(was_killed_, other.was_killed_);
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
  DescriptorWait wait(timeout_s, stop);
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
    const bool sends = sent_ < output_.size();
    pollfd fd = {socket_, static_cast<short>(sends ? POLLIN | POLLOUT : POLLIN), 0};
    const DescriptorWait::End waited = wait.For({&fd, 1});
    if (waited == DescriptorWait::End::kTimedOut) return Reply::kTimedOut;
    if (waited == DescriptorWait::End::kStopped) return Reply::kStopped;
    // An end that shows when writing shows when reading too, behind what it said before.
    if ((fd.revents & POLLOUT) != 0 && !SendSome()) sent_ = output_.size();
    if ((fd.revents & ~POLLOUT) != 0 && !ReadSome()) Reap();
  }
  return Reply::kDied;
}

void Worker::Drain() {
  std::size_t dropped = 0;
  while (alive() && dropped <= kMaxLine) {
    dropped += std::exchange(input_, {}).size();
    pollfd fd = {socket_, POLLIN, 0};
    if (DescriptorWait(0).For({&fd, 1}) != DescriptorWait::End::kReady) return;
    if (!ReadSome()) Reap();
  }
  Kill();  // It does not stop talking.
}

void Worker::End(double patience_s) {
  if (!alive()) return;
  ::shutdown(socket_, SHUT_WR);
  std::string line;
  while (Receive(patience_s, line) == Reply::kLine) continue;
  Kill();
}

void Worker::Kill() {
  if (!alive()) return;
  tree_.Kill();
  Bury("it was killed");
}

/// Its stream ended, so it is about to end by itself; how it does is worth a moment.
void Worker::Reap() {
  constexpr int kMomentMs = 200;
  std::optional<ProcessEnd> end = tree_.Wait(kMomentMs);
  const bool ended_by_itself = end.has_value();
  if (!end) end = tree_.Kill();
  switch (end->kind) {
    case ProcessEnd::Kind::kNotStarted:
      return Bury(fmt::format("it cannot be run: {}", std::strerror(end->value)));
    case ProcessEnd::Kind::kLost:
      was_killed_ = true;
      return Bury("somebody killed its supervisor");
    case ProcessEnd::Kind::kEnded:
      break;
  }
  was_killed_ = ended_by_itself && WIFSIGNALED(end->value) && IsSentByOthers(WTERMSIG(end->value));
  if (WIFSIGNALED(end->value)) return Bury(SignalText(WTERMSIG(end->value)));
  Bury(fmt::format("it ended with code {}", WEXITSTATUS(end->value)));
}

void Worker::Bury(std::string how) {
  obituary_ = std::move(how);
  const std::string last = errors_ >= 0 ? LastLine(errors_, heard_) : "";
  if (!last.empty()) obituary_ += ": " + last;
}

}  // namespace exh::kernels::cuda

// SPDX-License-Identifier: MIT
#include "search/fleet/pilot_link.h"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/system/process.h"

namespace exh::search {
namespace {

using SteadyTime = std::chrono::steady_clock;

constexpr auto kBeat = std::chrono::seconds(10);

/// The last line of what a process said to the standard error.
std::string LastLine(int file) {
  struct stat facts;
  if (::fstat(file, &facts) != 0) return "";
  char buffer[1024];
  const off_t from = std::max<off_t>(0, facts.st_size - static_cast<off_t>(sizeof buffer));
  const ssize_t n = ::pread(file, buffer, sizeof buffer, from);
  std::string text(buffer, n > 0 ? static_cast<std::size_t>(n) : 0);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

}  // namespace

PilotLink::PilotLink(const std::string& command, std::string beat, double silence_s, Heard heard,
                     Ended ended)
    : beat_(std::move(beat)), heard_(std::move(heard)), ended_(std::move(ended)) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    throw Error(fmt::format("no socket for a pilot: {}", std::strerror(errno)));
  }
  socket_ = Descriptor(ends[0]);
  const Descriptor other(ends[1]);
  errors_ = Descriptor(::memfd_create("stderr", MFD_CLOEXEC));
  wake_ = Descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  ProgramStart start;
  start.program = "/bin/sh";
  start.argv = {"sh", "-c", command};
  start.environment = EnvironmentWith({});
  start.in = start.out = other.get();
  start.err = errors_.get();
  std::string why;
  tree_ = ProcessTree::Start(start, why);
  if (!tree_.is_running()) throw Error(fmt::format("no process for a pilot: {}", why));
  thread_ = std::thread([this, silence_s] { Run(silence_s); });
}

PilotLink::~PilotLink() {
  is_over_ = true;
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t ignored = ::write(wake_.get(), &one, sizeof one);
  thread_.join();
  // With the end of its input a pilot ends. What only carries messages (srun, ssh) has to tell it:
  // killed at once, it would leave the pilot behind on the other machine, with its GPU.
  constexpr int kMostMs = 2000;
  ::shutdown(socket_.get(), SHUT_WR);
  if (tree_.is_running()) tree_.Wait(kMostMs);
  tree_.Kill();
}

void PilotLink::Send(const std::string& message) {
  const std::lock_guard lock(mutex_);
  output_ += LinesOf(message);
  SendSome();
  if (output_.empty()) return;
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t ignored = ::write(wake_.get(), &one, sizeof one);
}

std::string PilotLink::LastComplaint() const {
  return LastLine(errors_.get());
}

/// False: the other end is closed.
bool PilotLink::SendSome() {
  std::size_t sent = 0;
  bool is_open = true;
  while (sent < output_.size()) {
    const ssize_t n = ::send(socket_.get(), output_.data() + sent, output_.size() - sent,
                             MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      is_open = errno == EAGAIN;
      break;
    }
    sent += static_cast<std::size_t>(n);
  }
  output_.erase(0, sent);
  return is_open;
}

void PilotLink::Run(double silence_s) {
  MessageReader reader;
  std::array<char, 65536> buffer;
  std::optional<SteadyTime::time_point> heard_last;
  SteadyTime::time_point beat_last = SteadyTime::now();
  const auto end = [&](const std::string& why, bool has_died) {
    if (!is_over_) ended_(why, has_died);
  };
  while (!is_over_) {
    bool has_output = false;
    {
      const std::lock_guard lock(mutex_);
      has_output = !output_.empty();
    }
    std::array<pollfd, 2> fds = {
        pollfd{socket_.get(), static_cast<short>(has_output ? POLLIN | POLLOUT : POLLIN), 0},
        pollfd{wake_.get(), POLLIN, 0}};
    const auto waited = DescriptorWait(1).For(fds);
    if (is_over_) return;
    const SteadyTime::time_point now = SteadyTime::now();
    // It cannot read them before it has been started, which may take hours.
    if (heard_last && now - beat_last >= kBeat) {
      Send(beat_);
      beat_last = now;
    }
    const std::chrono::duration<double> silence = now - heard_last.value_or(now);
    if (waited != DescriptorWait::End::kReady) {
      if (silence.count() < silence_s) continue;
      tree_.Kill();
      return end(fmt::format("it was silent for {:.0f} s", silence_s), false);
    }
    if ((fds[1].revents & POLLIN) != 0) {
      std::uint64_t count = 0;
      [[maybe_unused]] const ssize_t ignored = ::read(wake_.get(), &count, sizeof count);
    }
    if ((fds[0].revents & POLLOUT) != 0) {
      const std::lock_guard lock(mutex_);
      // What cannot be sent any more shows when reading, behind what it said before.
      if (!SendSome()) output_.clear();
    }
    if ((fds[0].revents & ~POLLOUT) == 0) continue;
    const ssize_t n = ::recv(socket_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n <= 0) return end(Obituary(), true);
    reader.Add({buffer.data(), static_cast<std::size_t>(n)});
    while (const std::optional<std::string> message = reader.Next()) {
      heard_last = SteadyTime::now();
      if (heard_(*message)) continue;
      tree_.Kill();
      return end(fmt::format("it said what is no message: '{}'", message->substr(0, 60)), false);
    }
    if (reader.problem().empty()) continue;
    tree_.Kill();
    return end(fmt::format("it said what is no message: {}", reader.problem()), false);
  }
}

std::string PilotLink::Obituary() {
  constexpr int kMomentMs = 200;  // Its stream has ended, so it is about to.
  std::optional<ProcessEnd> how = tree_.Wait(kMomentMs);
  if (!how) how = tree_.Kill();
  std::string text = "it closed its output";
  if (how->kind == ProcessEnd::Kind::kNotStarted) {
    text = fmt::format("it cannot be run: {}", std::strerror(how->value));
  } else if (how->kind == ProcessEnd::Kind::kEnded && WIFSIGNALED(how->value)) {
    text = SignalText(WTERMSIG(how->value));
  } else if (how->kind == ProcessEnd::Kind::kEnded) {
    text = fmt::format("it ended with code {}", WEXITSTATUS(how->value));
  }
  const std::string last = LastComplaint();
  return last.empty() ? text : text + ": " + last;
}

}  // namespace exh::search

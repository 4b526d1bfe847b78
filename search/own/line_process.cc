// SPDX-License-Identifier: MIT
#include "search/own/line_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/system/process.h"

namespace exh::search {

LineProcess::~LineProcess() {
  if (!tree_.is_running()) return;
  // With the end of its input a program that is well-behaved ends, and may see to its things.
  constexpr int kMostMs = 200;
  ::shutdown(socket_.get(), SHUT_WR);
  tree_.Wait(kMostMs);
  Kill();
}

std::string LineProcess::Start() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return fmt::format("no socket for it: {}", std::strerror(errno));
  }
  socket_ = Descriptor(ends[0]);
  const Descriptor in(ends[1]);
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    return fmt::format("no pipe for it: {}", std::strerror(errno));
  }
  output_ = Descriptor(ends[0]);
  const Descriptor out(ends[1]);
  errors_ = Descriptor(::memfd_create("stderr", MFD_CLOEXEC));
  ProgramStart start;
  start.program = "/bin/sh";
  start.argv = {"sh", "-c", command_};
  start.environment = EnvironmentWith(environment_);
  start.in = in.get();
  start.out = out.get();
  start.err = errors_.get();
  std::string why;
  tree_ = ProcessTree::Start(start, why);
  input_.clear();
  has_answered_ = false;
  return tree_.is_running() ? "" : why;
}

void LineProcess::Kill() {
  if (tree_.is_running()) tree_.Kill();
  socket_.Close();
  output_.Close();
  input_.clear();
}

std::string LineProcess::LastComplaint() const {
  struct stat facts;
  if (!errors_.valid() || ::fstat(errors_.get(), &facts) != 0) return "";
  char buffer[1024];
  const off_t from = std::max<off_t>(0, facts.st_size - static_cast<off_t>(sizeof buffer));
  const ssize_t n = ::pread(errors_.get(), buffer, sizeof buffer, from);
  std::string text(buffer, n > 0 ? static_cast<std::size_t>(n) : 0);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

bool LineProcess::TakeLine(std::string& line, const IsOld& is_old) {
  while (true) {
    const std::size_t end = input_.find('\n');
    if (end == std::string::npos) return false;
    line = input_.substr(0, end);
    input_.erase(0, end + 1);
    if (line.starts_with('{') && !is_old(line)) return true;
    passed_ += end + 1;
  }
}

LineProcess::Reply LineProcess::Gone(const ProcessEnd& end) {
  std::string how = "was lost";
  if (end.kind == ProcessEnd::Kind::kNotStarted) {
    how = fmt::format("could not be started: {}", std::strerror(end.value));
  } else if (end.kind == ProcessEnd::Kind::kEnded && WIFSIGNALED(end.value)) {
    how = "ended with " + SignalText(WTERMSIG(end.value));
  } else if (end.kind == ProcessEnd::Kind::kEnded) {
    how = fmt::format("ended with code {}", WEXITSTATUS(end.value));
  }
  const std::string complaint = LastComplaint();
  Kill();
  return {End::kEnded, "", complaint.empty() ? how : fmt::format("{}: {}", how, complaint)};
}

LineProcess::Reply LineProcess::Ask(const std::string& line, double timeout_s,
                                    const StopToken* stop, const IsOld& is_old) {
  if (IsStopped(stop)) return {End::kStopped, "", ""};
  const bool had_answered = tree_.is_running() && has_answered_;
  Reply reply = AskOnce(line, timeout_s, stop, is_old);
  if (reply.end == End::kEnded && had_answered) reply = AskOnce(line, timeout_s, stop, is_old);
  return reply;
}

LineProcess::Reply LineProcess::AskOnce(const std::string& line, double timeout_s,
                                        const StopToken* stop, const IsOld& is_old) {
  if (!tree_.is_running()) {
    if (std::string why = Start(); !why.empty()) return {End::kNotStarted, "", why};
  }
  // What it wrote since its last answer, it was not asked for.
  input_.clear();
  passed_ = 0;
  const std::string text = line + "\n";
  std::size_t sent = 0;
  DescriptorWait wait(timeout_s, stop);
  while (true) {
    const bool has_output = sent < text.size();
    std::array<pollfd, 3> fds = {pollfd{has_output ? socket_.get() : -1, POLLOUT, 0},
                                 pollfd{output_.get(), POLLIN, 0}, pollfd{tree_.fd(), POLLIN, 0}};
    const DescriptorWait::End waited = wait.For(fds);
    if (waited == DescriptorWait::End::kStopped) {
      Kill();
      return {End::kStopped, "", ""};
    }
    if (waited != DescriptorWait::End::kReady) {
      Kill();
      return {End::kTimedOut, "", fmt::format("no answer within {:.6g} s", timeout_s)};
    }
    if (fds[0].revents != 0) {
      const ssize_t n = ::send(socket_.get(), text.data() + sent, text.size() - sent,
                               MSG_NOSIGNAL | MSG_DONTWAIT);
      if (n > 0) sent += static_cast<std::size_t>(n);
      // Who does not listen may answer all the same.
      if (n < 0 && errno != EAGAIN && errno != EINTR) sent = text.size();
    }
    bool is_closed = false;
    if (fds[1].revents != 0) {
      std::array<char, 65536> buffer;
      const ssize_t n = ::read(output_.get(), buffer.data(), buffer.size());
      if (n > 0) input_.append(buffer.data(), static_cast<std::size_t>(n));
      is_closed = n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
    }
    Reply reply;
    if (TakeLine(reply.line, is_old)) {
      reply.end = End::kAnswered;
      has_answered_ = true;
      return reply;
    }
    if (passed_ + input_.size() > kMostBytes) {
      Kill();
      return {End::kFlooded, "", fmt::format("it wrote {} bytes without an answer", kMostBytes)};
    }
    if (is_closed) {
      // It closed its output; what it is doing beside that, nobody waits for.
      constexpr int kMostMs = 200;
      const auto end = tree_.Wait(kMostMs);
      if (end) return Gone(*end);
      Kill();
      return {End::kEnded, "", "closed its standard output and went on"};
    }
    // What it wrote before it ended is read first.
    if (fds[2].revents != 0 && fds[1].revents == 0) {
      if (const auto end = tree_.Wait(0)) return Gone(*end);
    }
  }
}

}  // namespace exh::search

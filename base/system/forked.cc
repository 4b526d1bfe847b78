// SPDX-License-Identifier: MIT
//
// The answer comes through a pipe: a byte that says what it is, eight with the length of the text,
// the text. The end of the pipe says nothing: another copy, made at the same time by another
// thread, may have its writing end open, too.
#include "base/system/forked.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>

#include "base/system/descriptor.h"
#include "base/system/process.h"

namespace exh {
namespace {

using Status = ForkedResult::Status;

constexpr char kDone = 'd', kThrew = 't';
/// Nobody tells that a copy has died: it is looked for so often.
constexpr double kQuietSeconds = 0.02;
constexpr std::size_t kHeader = 1 + sizeof(std::uint64_t);

void WriteAll(int fd, const std::string& bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t n = ::write(fd, bytes.data() + at, bytes.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;  // Nobody is there to read it.
    at += static_cast<std::size_t>(n);
  }
}

[[noreturn]] void BeTheCopy(const std::function<std::string()>& work, pid_t parent, int out) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // It had died before.
  // A Ctrl-C of a terminal comes here, too: the parent answers for both.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_IGN);
  std::string answer(kHeader, kDone), text;
  try {
    text = work();
  } catch (const std::exception& error) {
    answer[0] = kThrew;
    text = error.what();
  }
  const std::uint64_t size = text.size();
  std::memcpy(answer.data() + 1, &size, sizeof size);
  WriteAll(out, answer + text);
  ::_exit(0);  // What this process has to do at its end is the parent's.
}

/// Bytes of an answer that are there. True: it is whole.
class Answer {
 public:
  bool Read(int fd) {
    char buffer[4096];
    const ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n > 0) bytes_.append(buffer, static_cast<std::size_t>(n));
    return IsWhole();
  }
  bool IsWhole() const {
    std::uint64_t size = 0;
    if (bytes_.size() < kHeader) return false;
    std::memcpy(&size, bytes_.data() + 1, sizeof size);
    return bytes_.size() - kHeader >= size;
  }
  ForkedResult Result() const {
    return {bytes_[0] == kDone ? Status::kDone : Status::kThrew, bytes_.substr(kHeader)};
  }

 private:
  std::string bytes_;
};

/// `has_ended`: becomes true where nobody need wait for the copy any more.
ForkedResult Await(pid_t child, int fd, double timeout_s, const StopToken* stop, bool& has_ended) {
  DescriptorWait wait(timeout_s, stop);
  Answer answer;
  while (true) {
    pollfd entry = {fd, POLLIN, 0};
    switch (wait.For({&entry, 1}, kQuietSeconds)) {
      case DescriptorWait::End::kReady:
        if (answer.Read(fd)) return answer.Result();
        break;
      case DescriptorWait::End::kQuiet:
        break;
      case DescriptorWait::End::kTimedOut:
        return {Status::kTimedOut, ""};
      case DescriptorWait::End::kStopped:
        return {Status::kStopped, ""};
    }
    int status = 0;
    if (has_ended || ::waitpid(child, &status, WNOHANG) != child) continue;
    has_ended = true;
    while (HasInput(fd)) {
      if (answer.Read(fd)) return answer.Result();
    }
    return {Status::kDied, WIFSIGNALED(status)
                               ? "it was ended by " + SignalText(WTERMSIG(status))
                               : "it ended with " + std::to_string(WEXITSTATUS(status))};
  }
}

}  // namespace

ForkedResult RunForked(const std::function<std::string()>& work, double timeout_s,
                       const StopToken* stop) {
  if (IsStopped(stop)) return {Status::kStopped, ""};
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return {Status::kNotStarted, std::strerror(errno)};
  const pid_t parent = ::getpid(), child = ::fork();
  if (child == 0) BeTheCopy(work, parent, ends[1]);
  const int error = errno;
  ::close(ends[1]);
  ForkedResult result{Status::kNotStarted, std::strerror(error)};
  bool has_ended = child < 0;
  if (child > 0) result = Await(child, ends[0], timeout_s, stop, has_ended);
  ::close(ends[0]);
  if (!has_ended) {
    ::kill(child, SIGKILL);
    while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) continue;
  }
  return result;
}

}  // namespace exh

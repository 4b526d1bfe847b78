// SPDX-License-Identifier: MIT
#include "base/system/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/system/descriptor.h"
#include "base/system/process_tree.h"

extern char** environ;

namespace exh {
namespace {

using Clock = std::chrono::steady_clock;

double MsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

struct Pipe {
  Descriptor read, write;
};

bool MakePipe(Pipe& pipe) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  pipe.read = Descriptor(ends[0]);
  pipe.write = Descriptor(ends[1]);
  return true;
}

/// stdin is a file in memory: writing a pipe could block, or raise SIGPIPE if nobody reads.
Descriptor InputFile(const std::string& input) {
  Descriptor file(::memfd_create("stdin", MFD_CLOEXEC));
  std::size_t done = 0;
  while (file.valid() && done < input.size()) {
    const ssize_t n = ::write(file.get(), input.data() + done, input.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return Descriptor();
    done += static_cast<std::size_t>(n);
  }
  if (file.valid()) ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

/// Reads what is there. False at the end of the stream.
bool Drain(const Descriptor& fd, std::string& text, std::size_t max_output) {
  char buffer[16384];
  const ssize_t n = ::read(fd.get(), buffer, sizeof buffer);
  if (n < 0) return errno == EINTR || errno == EAGAIN;
  if (n == 0) return false;
  const std::size_t room = max_output - std::min(max_output, text.size());
  text.append(buffer, std::min(room, static_cast<std::size_t>(n)));
  return true;
}

/// Collects both streams until the program has ended, the time is over, or it is stopped. In the
/// latter cases the result says so, and the program still runs.
std::optional<ProcessEnd> Collect(ProcessTree& tree, Pipe& out, Pipe& err,
                                  const ProcessRequest& request, ProcessResult& result) {
  DescriptorWait wait(request.timeout_s, request.stop);
  std::optional<ProcessEnd> end;
  while (!end) {
    pollfd fds[3] = {
        {out.read.get(), POLLIN, 0}, {err.read.get(), POLLIN, 0}, {tree.fd(), POLLIN, 0}};
    const DescriptorWait::End waited = wait.For(fds);
    if (waited != DescriptorWait::End::kReady) {
      result.status = waited == DescriptorWait::End::kStopped ? ProcessResult::Status::kStopped
                                                              : ProcessResult::Status::kTimedOut;
      return end;
    }
    if (fds[0].revents != 0 && !Drain(out.read, result.out, request.max_output)) out.read.Close();
    if (fds[1].revents != 0 && !Drain(err.read, result.err, request.max_output)) err.read.Close();
    if (fds[2].revents != 0) end = tree.Wait(0);
  }
  // What is there, and no more: somebody else may hold the streams open.
  while (HasInput(out.read.get()) && Drain(out.read, result.out, request.max_output)) continue;
  while (HasInput(err.read.get()) && Drain(err.read, result.err, request.max_output)) continue;
  return end;
}

ProcessResult NotStarted(std::string why) {
  ProcessResult result;
  result.error = std::move(why);
  return result;
}

}  // namespace

std::vector<std::string> EnvironmentWith(const std::vector<std::string>& added) {
  std::vector<std::string> all;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string text(*variable);
    const std::string name = text.substr(0, text.find('=') + 1);
    const auto is_it = [&](const std::string& other) { return other.starts_with(name); };
    if (std::ranges::none_of(added, is_it)) all.push_back(text);
  }
  all.insert(all.end(), added.begin(), added.end());
  return all;
}

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

std::string ThisProgram() {
  return std::filesystem::read_symlink("/proc/self/exe").string();
}

std::string SignalText(int signal) {
  const char* name = ::sigabbrev_np(signal);
  const char* text = ::sigdescr_np(signal);
  return fmt::format("signal {} (SIG{}: {})", signal, name == nullptr ? "?" : name,
                     text == nullptr ? "unknown" : text);
}

bool IsSentByOthers(int signal) {
  return signal == SIGKILL || signal == SIGTERM || signal == SIGINT || signal == SIGHUP ||
         signal == SIGQUIT;
}

ProcessResult RunProcess(const ProcessRequest& request) {
  const Clock::time_point start = Clock::now();
  if (request.argv.empty()) return NotStarted("no program was named");
  if (IsStopped(request.stop)) {
    ProcessResult result;
    result.status = ProcessResult::Status::kStopped;
    return result;
  }
  ProgramStart plan;
  plan.program = FindProgram(request.argv.front());
  if (plan.program.empty()) {
    return NotStarted(fmt::format("'{}' was not found on PATH", request.argv.front()));
  }
  Pipe out, err;
  const Descriptor in = InputFile(request.input);
  if (!in.valid() || !MakePipe(out) || !MakePipe(err)) {
    return NotStarted(fmt::format("no pipe to '{}': {}", plan.program, std::strerror(errno)));
  }
  plan.argv = request.argv;
  plan.environment = EnvironmentWith(request.environment);
  plan.in = in.get();
  plan.out = out.write.get();
  plan.err = err.write.get();
  plan.max_memory_bytes = request.max_memory_bytes;
  plan.stack_bytes = request.stack_bytes;
  std::string why;
  ProcessTree tree = ProcessTree::Start(plan, why);
  if (!tree.is_running()) {
    return NotStarted(fmt::format("no process for '{}': {}", plan.program, why));
  }
  out.write.Close();
  err.write.Close();

  ProcessResult result;
  std::optional<ProcessEnd> end = Collect(tree, out, err, request, result);
  const bool ended_by_itself = end.has_value();
  if (!end) end = tree.Kill();
  result.wall_ms = MsSince(start);
  if (end->kind == ProcessEnd::Kind::kNotStarted) {
    return NotStarted(
        fmt::format("'{}' cannot be run: {}", plan.program, std::strerror(end->value)));
  }
  if (!ended_by_itself) return result;
  if (end->kind == ProcessEnd::Kind::kLost) {
    result.status = ProcessResult::Status::kSignalled;
    result.code = SIGKILL;
  } else if (WIFSIGNALED(end->value)) {
    result.status = ProcessResult::Status::kSignalled;
    result.code = WTERMSIG(end->value);
  } else {
    result.status = ProcessResult::Status::kExited;
    result.code = WEXITSTATUS(end->value);
  }
  return result;
}

}  // namespace exh

// SPDX-License-Identifier: MIT
#include "kernels/cpu/compile.h"
#include "base/hash.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/system/process.h"

namespace exh::kernels::cpu {
namespace {

/// So many times of compilations say what is usual.
constexpr std::size_t kRemembered = 64;

namespace fs = std::filesystem;

/// The first lines that tell something: at most 8, at most 1000 characters.
std::string FirstLines(const std::string& text) {
  std::size_t end = 0;
  for (int line = 0; line < 8 && end < text.size(); ++line) {
    end = std::min(text.find('\n', end), text.size() - 1) + 1;
  }
  std::string head = text.substr(0, std::min<std::size_t>(end, 1000));
  while (!head.empty() && head.back() == '\n') head.pop_back();
  return head;
}

bool WriteFile(const std::string& path, const std::string& text, std::string& why) {
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (file) return true;
  why = fmt::format("cannot write {}: {}", path, errno == 0 ? "write error" : std::strerror(errno));
  return false;
}

Compiled Failure(Verdict verdict, std::string why) {
  Compiled compiled;
  compiled.verdict = verdict;
  compiled.why = std::move(why);
  return compiled;
}

/// What a text needs that includes nothing: no start files, and of libraries OpenMP's and the
/// mathematical functions. To look through all that C++ links otherwise takes a third of the time
/// of such a compilation.
std::vector<std::string> LinkOptions(const std::string& source) {
  if (source.find("#include") != std::string::npos) return {};
  return {"-nostdlib", "-lgomp", "-lm"};
}

}  // namespace

bool IsEnvironmentTrouble(std::string_view complaint) {
  // Compilers run with LC_ALL=C. "Killed signal terminated program cc1plus" is what g++ says when
  // somebody, the kernel without memory above all, killed a helper of it; "ld terminated with
  // signal 9 [Killed]" is its linker's.
  for (const char* sign : {"No space left on device",
                           "Cannot allocate memory",
                           "virtual memory exhausted",
                           "out of memory",
                           "memory exhausted",
                           "Disk quota exceeded",
                           "Read-only file system",
                           "Too many open files",
                           "Resource temporarily unavailable",
                           "Input/output error",
                           "Stale file handle",
                           "No such device",
                           "Text file busy",
                           "cannot execute",
                           "Cannot create temporary file",
                           "std::bad_alloc",
                           "while loading shared libraries",
                           "Killed signal terminated",
                           "Terminated signal terminated",
                           "Hangup signal terminated",
                           "Interrupt signal terminated",
                           "limit exceeded signal terminated",
                           "Quit signal terminated",
                           "terminated with signal 9 ",
                           "terminated with signal 15 ",
                           "terminated with signal 1 ",
                           "terminated with signal 2 "}) {
    if (complaint.find(sign) != std::string_view::npos) return true;
  }
  return false;
}

HostCompiler::HostCompiler(CompilerOptions options) : options_(std::move(options)) {}

std::uint64_t HostCompiler::runs() const {
  const std::lock_guard lock(mutex_);
  return runs_;
}

Compiled HostCompiler::Compile(const std::string& source, Patience patience) {
  std::string key = options_.compiler;
  for (const std::string& flag : options_.flags) key += '\0' + flag;
  for (const std::string& flag : options_.known.OptionsFor(source)) key += '\0' + flag;
  const std::string hash = CacheKey(key + '\0' + source);
  {
    std::unique_lock lock(mutex_);
    progress_.wait(lock, [&] { return in_progress_.count(hash) == 0; });
    const auto it = known_.find(hash);
    // The file may have been removed behind our back.
    if (it != known_.end() && (it->second.verdict != Verdict::kCorrect ||
                               ::access(it->second.library.c_str(), R_OK) == 0)) {
      ++it->second.users;
      Compiled known{it->second.verdict, it->second.why};
      known.source = source;
      known.library = it->second.library;
      return known;
    }
    ++runs_;
    in_progress_.insert(hash);
  }
  const double timeout_s = patience == Patience::kUsual ? UsualSeconds() : options_.timeout_s;
  Compiled compiled = CompileFresh(source, options_.directory + "/" + hash, timeout_s);
  compiled.source = source;
  const std::lock_guard lock(mutex_);
  if (compiled.verdict == Verdict::kCorrect) {
    if (seconds_.size() == kRemembered) seconds_.erase(seconds_.begin());
    seconds_.push_back(compiled.compile_ms / 1e3);
  }
  in_progress_.erase(hash);
  progress_.notify_all();
  // What the environment spoiled, or the load of the machine, may go well next time.
  if (compiled.verdict == Verdict::kCorrect || compiled.verdict == Verdict::kCompileError) {
    Known& known = known_[hash];
    known.verdict = compiled.verdict;
    known.why = compiled.why;
    known.library = compiled.library;
    ++known.users;
  }
  return compiled;
}

void HostCompiler::Discard(const Compiled& compiled) {
  if (compiled.library.empty()) return;
  const std::string hash = fs::path(compiled.library).stem().string();
  const std::lock_guard lock(mutex_);
  const auto it = known_.find(hash);
  if (it == known_.end() || --it->second.users > 0) return;
  std::error_code ignored;
  fs::remove(compiled.library, ignored);
  known_.erase(it);
}

double HostCompiler::UsualSeconds() const {
  constexpr std::size_t kEnough = 4;
  constexpr double kFactor = 8, kLeast = 2;
  const std::lock_guard lock(mutex_);
  if (seconds_.size() < kEnough) return options_.timeout_s;
  std::vector<double> sorted = seconds_;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  return std::min(options_.timeout_s, std::max(kLeast, kFactor * *middle));
}

Compiled HostCompiler::CompileFresh(const std::string& source, const std::string& stem,
                                    double timeout_s) {
  std::error_code error;
  fs::create_directories(options_.directory, error);
  if (error) {
    return Failure(Verdict::kBroken,
                   fmt::format("cannot make folder {}: {}", options_.directory, error.message()));
  }
  if (FindProgram(options_.compiler).empty()) {
    return Failure(Verdict::kBroken,
                   fmt::format("the C++ compiler '{}' was not found on PATH: install g++ or name "
                               "another compiler",
                               options_.compiler));
  }
  // Two processes may share the folder: each writes files of its own, and the rename at the end is
  // atomic.
  static std::atomic<std::uint64_t> counter{0};
  const std::string own = fmt::format("{}.{}.{}", stem, ::getpid(), counter++);
  const std::string text = own + ".cc", library = own + ".so";
  std::string why;
  if (!WriteFile(text, source, why)) {
    fs::remove(text, error);
    return Failure(Verdict::kBroken, why);
  }

  ProcessRequest request;
  request.argv = {options_.compiler};
  request.argv.insert(request.argv.end(), options_.flags.begin(), options_.flags.end());
  const std::vector<std::string> more = options_.known.OptionsFor(source);
  request.argv.insert(request.argv.end(), more.begin(), more.end());
  request.argv.insert(request.argv.end(), {text, "-o", library});
  const std::vector<std::string> link = LinkOptions(source);
  request.argv.insert(request.argv.end(), link.begin(), link.end());
  request.timeout_s = PatienceSeconds(timeout_s, options_.stop);
  request.stop = options_.stop;
  request.environment = {"LC_ALL=C", "TMPDIR=" + options_.directory};
  const ProcessResult run = RunProcess(request);

  Compiled compiled;
  compiled.compile_ms = run.wall_ms;
  const std::string complaint = FirstLines(run.err.empty() ? run.out : run.err);
  switch (run.status) {
    case ProcessResult::Status::kNotStarted:
      compiled.verdict = Verdict::kBroken;
      compiled.why = run.error;
      break;
    case ProcessResult::Status::kTimedOut:
      compiled.verdict = Verdict::kCompileTimeout;
      compiled.why =
          fmt::format("{} ran longer than {:.3g} s", options_.compiler, request.timeout_s);
      break;
    case ProcessResult::Status::kStopped:
      compiled.verdict = Verdict::kStopped;
      break;
    case ProcessResult::Status::kSignalled:
      compiled.verdict = IsSentByOthers(run.code) ? Verdict::kBroken : Verdict::kCompileError;
      compiled.why = fmt::format("{} died: {}", options_.compiler, SignalText(run.code));
      break;
    case ProcessResult::Status::kExited:
      if (run.code == 0) break;
      compiled.verdict = IsEnvironmentTrouble(run.err) || IsEnvironmentTrouble(run.out)
                             ? Verdict::kBroken
                             : Verdict::kCompileError;
      compiled.why = complaint.empty()
                         ? fmt::format("{} exited with code {}", options_.compiler, run.code)
                         : complaint;
      break;
  }
  if (compiled.verdict == Verdict::kCorrect) {
    compiled.library = stem + ".so";
    fs::rename(library, compiled.library, error);
    if (error) {
      compiled = Failure(Verdict::kBroken,
                         fmt::format("no library at {}: {}", compiled.library, error.message()));
    }
  }
  const bool is_known =
      compiled.verdict == Verdict::kCorrect || compiled.verdict == Verdict::kCompileError;
  if (options_.keep_source && is_known) {
    fs::rename(text, stem + ".cc", error);
  }
  fs::remove(text, error);
  fs::remove(library, error);
  return compiled;
}

}  // namespace exh::kernels::cpu

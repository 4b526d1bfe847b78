// SPDX-License-Identifier: MIT
//
// Timing recipe (also in README.md): one checked run, which warms up too; then batches of n runs,
// n doubled until a batch lasts batch_ms. That first long batch counts; if its mean is above the
// cap the candidate is slow and nothing more is run. The minimum of the batch means is what search
// compares; data stay in cache between runs as far as they fit.
#include "kernels/cpu/runner.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include "kernels/cpu/compare.h"
#include "kernels/cpu/guarded_buffer.h"
#include "kernels/cpu/problem_file.h"
#include "kernels/cpu/protocol.h"

namespace exh::kernels::cpu {
namespace {

using Clock = std::chrono::steady_clock;
using RunFunction = void (*)(float* const*, const float*, int);

double NsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

Measurement Broken(std::string why) {
  Measurement m;
  m.verdict = Verdict::kBroken;
  m.why = std::move(why);
  return m;
}

class CandidateRun {
 public:
  CandidateRun(const RunRequest& request, const Problem& problem)
      : request_(request), problem_(problem) {}

  Measurement Run() {
    if (!Allocate()) return Broken("not enough memory for the arrays");
    // Never closed: the threads of its OpenMP runtime may still be inside when we exit.
    void* library = ::dlopen(request_.library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
      return Broken(fmt::format("cannot load the candidate: {}", ::dlerror()));
    run_ = reinterpret_cast<RunFunction>(::dlsym(library, "exh_run"));
    if (run_ == nullptr) return Broken("the candidate defines no exh_run");

    measurement_.verdict = Verdict::kCorrect;
    const Clock::time_point start = Clock::now();
    Once();
    Check("");
    measurement_.check_ms = NsSince(start) / 1e6;
    if (measurement_.verdict != Verdict::kCorrect) return measurement_;
    Time();
    // Again: what depends on luck (a race, memory that happened to be zero) shows now or then.
    const Verdict timed = measurement_.verdict;
    measurement_.verdict = Verdict::kCorrect;
    Check(" after the timed runs");
    if (measurement_.verdict == Verdict::kCorrect) measurement_.verdict = timed;
    return measurement_;
  }

 private:
  bool Allocate() {
    buffers_.reserve(problem_.arrays.size());
    for (const ProblemArray& array : problem_.arrays) {
      buffers_.emplace_back(array.elements());
      GuardedBuffer& buffer = buffers_.back();
      if (!buffer.valid()) return false;
      if (array.is_output) {
        buffer.FillNan();
      } else {
        buffer.CopyFrom(array.values);
        buffer.MakeReadOnly();
      }
      pointers_.push_back(buffer.data());
    }
    return true;
  }

  void Once() { run_(pointers_.data(), problem_.scalars.data(), request_.threads); }

  double BatchNs(std::uint64_t runs) {
    const Clock::time_point start = Clock::now();
    for (std::uint64_t i = 0; i < runs; ++i) Once();
    return NsSince(start);
  }

  void Time() {
    std::uint64_t runs = 1;
    double first = BatchNs(runs);
    while (first < request_.batch_ms * 1e6 && runs < (1ULL << 40)) {
      // Aim a little beyond the target, at most tenfold: a first run may be slow by accident.
      const double wanted = 1.2 * request_.batch_ms * 1e6 / std::max(first, 1.0);
      runs = std::max(
          runs + 1, static_cast<std::uint64_t>(static_cast<double>(runs) * std::min(wanted, 10.0)));
      first = BatchNs(runs);
    }
    const auto count = static_cast<double>(runs);
    measurement_.runtimes_ns.push_back(first / count);
    if (request_.cap_ns > 0 && measurement_.runtimes_ns.front() > request_.cap_ns) {
      measurement_.verdict = Verdict::kSlow;
      measurement_.why = fmt::format("{:.0f} ns, the cap is {:.0f} ns",
                                     measurement_.runtimes_ns.front(), request_.cap_ns);
    }
    while (measurement_.verdict == Verdict::kCorrect &&
           measurement_.runtimes_ns.size() < static_cast<std::size_t>(request_.batches)) {
      measurement_.runtimes_ns.push_back(BatchNs(runs) / count);
    }
    measurement_.best_ns =
        *std::min_element(measurement_.runtimes_ns.begin(), measurement_.runtimes_ns.end());
  }

  void Wrong(std::string why) {
    if (measurement_.verdict == Verdict::kWrong) return;  // The first one tells most.
    measurement_.verdict = Verdict::kWrong;
    measurement_.why = std::move(why);
  }

  void Check(const char* when) {
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      const ProblemArray& array = problem_.arrays[i];
      if (array.is_output) CheckElements(array, buffers_[i].values(), when);
      const std::string touched = buffers_[i].CheckGuards();
      if (!touched.empty()) {
        Wrong(fmt::format("{} was written outside its bounds, at {}{}", array.name, touched, when));
      }
    }
  }

  void CheckElements(const ProblemArray& array, std::span<const float> got, const char* when) {
    const Comparison comparison = Compare(array, got);
    if (!comparison.why.empty()) Wrong(comparison.why + when);
    measurement_.max_error = std::max(measurement_.max_error, comparison.max_error);
    measurement_.max_error_ratio = std::max(measurement_.max_error_ratio, comparison.max_ratio);
  }

  const RunRequest& request_;
  const Problem& problem_;
  std::vector<GuardedBuffer> buffers_;
  std::vector<float*> pointers_;
  RunFunction run_ = nullptr;
  Measurement measurement_;
};

Measurement Answer(const std::string& line) {
  std::string error;
  const auto request = ParseRunRequest(line, error);
  if (!request) return Broken("the run request is not understood: " + error);
  const MappedProblem problem(request->problem);
  if (!problem.error().empty()) return Broken(problem.error());
  return CandidateRun(*request, problem.problem()).Run();
}

}  // namespace

int RunnerMain() {
  // A candidate that dies must be seen to die of its signal, whatever handlers were installed.
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP}) {
    ::signal(signal, SIG_DFL);
  }
  // Keep the answer's stream for ourselves; a candidate that prints must not garble it.
  const int answer_fd = ::dup(STDOUT_FILENO);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  std::string line;
  std::getline(std::cin, line);
  const std::string answer = ToJsonLine(Answer(line));
  std::size_t done = 0;
  while (done < answer.size()) {
    const ssize_t n = ::write(answer_fd, answer.data() + done, answer.size() - done);
    if (n <= 0) return 1;
    done += static_cast<std::size_t>(n);
  }
  // No destructors: a candidate may have spoiled the heap, and the answer is out.
  ::_exit(0);
}

}  // namespace exh::kernels::cpu

// SPDX-License-Identifier: MIT
#include "search/cpu_evaluator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <stdlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "kernels/cpu/compile.h"
#include "kernels/cpu/problem_file.h"
#include "kernels/cpu/process.h"
#include "kernels/cpu/run.h"
#include "kernels/problem.h"
#include "search/error.h"

namespace exh::search {
namespace {

namespace fs = std::filesystem;

/// The same inputs in every run: a record can be replayed on what it was measured with.
constexpr std::uint64_t kInputSeed = 1;

/// A folder that goes when its owner does.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::error_code error;
    const fs::path parent = fs::temp_directory_path(error);
    path_ = (parent / "exhaust-XXXXXX").string();
    if (error || ::mkdtemp(path_.data()) == nullptr) {
      throw Error(fmt::format("cannot make a folder in '{}': {}", parent.string(),
                              error ? error.message() : std::strerror(errno)));
    }
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

kernels::cpu::CompilerOptions InFolder(const std::string& folder) {
  kernels::cpu::CompilerOptions options;
  options.directory = folder;
  options.keep_source = false;
  options.flags.insert(options.flags.end(), {"-isystem", EXH_EIGEN_INCLUDE});
  return options;
}

/// How long the whole process may take: start, one checked run and a batch. What is fifty times
/// slower than the cap is not worth waiting for; a yardstick is waited for. The start is generous:
/// on a busy machine it must not cost a fast candidate its life.
double TimeoutSeconds(double cap_ns, Effort effort) {
  constexpr double kFinal = 120, kFirst = 10, kStart = 2;
  if (effort == Effort::kFinal) return kFinal;
  return cap_ns > 0 ? std::min(kFirst, kStart + 50 * cap_ns * 1e-9) : kFirst;
}

void WriteProblem(const kernels::Task& task, const std::string& path) {
  const kernels::ProblemData data = kernels::MakeProblem(task, kInputSeed);
  kernels::cpu::Problem problem;
  for (const kernels::ir::Array& array : task.function->arrays) {
    const kernels::ArrayData& content = data.find(array.name)->second;
    problem.arrays.push_back({array.name, array.role == kernels::ir::ArrayRole::kOutput,
                              content.values, content.reference, content.tolerance});
  }
  for (const kernels::ir::Scalar& scalar : task.function->scalars) {
    problem.scalars.push_back(scalar.value);
  }
  const std::string error = kernels::cpu::WriteProblemFile(path, problem);
  if (!error.empty()) throw Error(error);
}

class CpuEvaluator final : public Evaluator {
 public:
  explicit CpuEvaluator(const Problem& problem)
      : problem_(problem),
        problem_file_(scratch_.path() + "/problem"),
        compiler_(InFolder(scratch_.path())),
        runner_{fs::read_symlink("/proc/self/exe").string(), kRunCandidate} {
    RequireCompiler();
    WriteProblem(problem.task, problem_file_);
  }

  kernels::Source Emit(const runtime::Candidate& implementation) override {
    return kernels::EmitSource(problem_.task, implementation);
  }

  kernels::Compiled Compile(const kernels::Source& source) override {
    return compiler_.Compile(source.text);
  }

  kernels::Measurement Measure(const kernels::Compiled& compiled, double cap_ns,
                               Effort effort) override {
    if (compiled.verdict != kernels::Verdict::kCorrect) {
      kernels::Measurement failure;
      failure.verdict = compiled.verdict;
      failure.why = compiled.why;
      return failure;
    }
    kernels::cpu::RunRequest request;
    request.library = compiled.library;
    request.problem = problem_file_;
    request.threads = static_cast<int>(problem_.device.threads);
    request.cap_ns = cap_ns;
    if (effort == Effort::kFinal) request.batch_ms = 10;
    request.timeout_s = TimeoutSeconds(cap_ns, effort);
    return kernels::cpu::RunCandidate(request, runner_);
  }

  void Discard(const kernels::Compiled& compiled) override { compiler_.Discard(compiled); }

 private:
  const Problem& problem_;
  ScratchFolder scratch_;
  std::string problem_file_;
  kernels::cpu::Compiler compiler_;
  std::vector<std::string> runner_;
};

}  // namespace

std::unique_ptr<Evaluator> MakeCpuEvaluator(const Problem& problem) {
  if (!problem.device.runs) {
    throw UsageError(fmt::format(
        "nothing runs on device '{}': its spaces can be counted (search size, dead-ends), exported "
        "and explained; --device cpu runs here",
        problem.device.name));
  }
  return std::make_unique<CpuEvaluator>(problem);
}

std::string CompilerName() {
  return kernels::cpu::CompilerOptions().compiler;
}

std::string CompilerPath() {
  return kernels::cpu::FindProgram(CompilerName());
}

std::string CompilerCall() {
  const kernels::cpu::CompilerOptions options;
  return fmt::format("{} {}", options.compiler, fmt::join(options.flags, " "));
}

void RequireCompiler() {
  if (!CompilerPath().empty()) return;
  throw Error(fmt::format("no C++ compiler: '{0}' is not on PATH (Debian: apt install {0})",
                          CompilerName()));
}

}  // namespace exh::search

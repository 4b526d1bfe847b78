// SPDX-License-Identifier: MIT
#include "search/functional/program_evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "kernels/cpu/problem_file.h"
#include "kernels/devices/cuda/evaluator.h"
#include "kernels/devices/cuda/gpu_bench.h"
#include "search/functional/program_problem.h"

namespace exh::search {
namespace {

using kernels::Cap;
using kernels::Compiled;
using kernels::Effort;
using kernels::Measurement;
using kernels::Source;
using kernels::cuda::GpuBench;

constexpr std::uint64_t kSeeds[] = {1, 2};
/// Begins the text of what cannot be a program: why not.
constexpr std::string_view kRefused = "// cannot be run: ";

class ProgramEvaluator final : public kernels::Evaluator {
 public:
  ProgramEvaluator(const MappedProgram& mapped, const functional::Assignment& values,
                   const kernels::ir::Device& device, const kernels::EvaluatorOptions& options)
      : mapped_(mapped),
        values_(values),
        limits_(LimitsOf(device)),
        cold_(options.cold),
        bench_(
            device, options, [&](const std::string& folder) { return Write(folder, options.jobs); },
            /*spares=*/1, /*has_whole_numbers=*/false) {}

  Source Emit(const runtime::Candidate& implementation) override {
    try {
      return SourceOf(mapped_, ValuesOf(mapped_.program(), implementation),
                      {CodesOf(implementation)}, limits_);
    } catch (const functional::Unlowerable& why) {
      return Source(std::string(kRefused) + why.what() + "\n");
    }
  }

  Compiled Compile(const Source& source) override {
    if (source.text.starts_with(kRefused)) {
      Compiled refused;
      refused.verdict = kernels::Verdict::kCompileError;
      refused.why = source.text.substr(kRefused.size(), source.text.size() - kRefused.size() - 1);
      refused.source = source.text;
      return refused;
    }
    return bench_.Compile(source, source.text, kernels::cuda::Optimization::kFull);
  }

  bool compiles_while_measuring() const override { return true; }
  double first_cap_ns() const override { return kernels::kCudaLeastCapNs; }
  int finalists() const override { return kFinalists; }

  Measurement Measure(const Compiled& compiled, const Cap& cap, Effort effort) override {
    return bench_.Measure(compiled, cap, effort);
  }

  Measurement Repeat(const Compiled& compiled, int launches) override {
    return bench_.Repeat(compiled, launches);
  }

  std::string YardstickText() const override {
    return fmt::format("{}, {} L2", bench_.Conditions(), cold_ ? "cold" : "warm");
  }

  std::optional<kernels::MeasuredRates> Rates() override { return bench_.Rates(); }

  void Discard(const Compiled& compiled) override { bench_.Discard(compiled); }

 private:
  static constexpr int kFinalists = 8;

  std::vector<std::string> Write(const std::string& folder, int threads) const {
    std::vector<std::string> files;
    for (const std::uint64_t seed : kSeeds) {
      const ProgramProblem problem(mapped_, values_, seed, std::max(1, threads));
      files.push_back(fmt::format("{}/inputs-{}", folder, seed));
      const std::string error = kernels::cpu::WriteProblemFile(files.back(), problem.View());
      if (!error.empty()) throw Error(error);
    }
    return files;
  }

  const MappedProgram& mapped_;
  const functional::Assignment values_;
  const functional::GpuLimits limits_;
  const bool cold_;
  GpuBench bench_;
};

}  // namespace

functional::GpuLimits LimitsOf(const kernels::ir::Device& device) {
  functional::GpuLimits limits;
  limits.threads = static_cast<std::int64_t>(device.max_threads);
  limits.local_bytes = static_cast<std::int64_t>(device.shared_bytes);
  return limits;
}

Source SourceOf(const MappedProgram& mapped, const functional::Assignment& values,
                const std::vector<functional::Codes>& codes, const functional::GpuLimits& limits) {
  const functional::GpuProgram program =
      functional::Lower(mapped.program(), values, codes, limits, std::string(kernels::kMainKernel));
  kernels::Launch launch;
  for (const functional::GpuLaunch& each : program.launches) {
    const auto groups = static_cast<std::uint64_t>(each.groups);
    const auto threads = static_cast<std::uint32_t>(each.threads);
    const auto bytes = static_cast<std::uint64_t>(each.local_bytes);
    if (each.kernel == kernels::kMainKernel) {
      launch.grid = groups;
      launch.threads = threads;
      launch.shared_bytes = bytes;
    } else {
      launch.sides.push_back({each.kernel, /*is_before=*/true, groups, threads, bytes});
    }
  }
  launch.workspace_bytes = static_cast<std::uint64_t>(program.global_bytes);
  Source source(program.text, launch);
  for (const functional::GpuArray& array : program.arrays) {
    source.argument_bytes += static_cast<std::uint64_t>(array.elements) * sizeof(float);
  }
  source.workspace_bytes = launch.workspace_bytes;
  return source;
}

std::unique_ptr<kernels::Evaluator> MakeProgramEvaluator(const MappedProgram& mapped,
                                                         const functional::Assignment& values,
                                                         const kernels::ir::Device& device,
                                                         const kernels::EvaluatorOptions& options) {
  return std::make_unique<ProgramEvaluator>(mapped, values, device, options);
}

}  // namespace exh::search

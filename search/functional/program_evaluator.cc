// SPDX-License-Identifier: MIT
#include "search/functional/program_evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/cpu/problem_bench.h"
#include "kernels/devices/cuda/text_evaluator.h"
#include "kernels/ir/text/op_functions.h"
#include "search/functional/program_costs.h"
#include "search/functional/program_problem.h"
#include "search/subject/candidate_bound.h"

namespace exh::search {
namespace {

using kernels::Compiled;
using kernels::Source;

/// Begins the text of what cannot be a program: why not.
constexpr std::string_view kRefused = "// cannot be run: ";
/// … of what is not worth a run.
constexpr std::string_view kHopeless = "// too slow: ";

functional::GpuProgram Lowered(const MappedProgram& mapped, const functional::Assignment& values,
                               const std::vector<functional::Codes>& codes,
                               const functional::GpuLimits& limits) {
  return functional::Lower(mapped.program(), values, codes, limits,
                           std::string(kernels::kMainKernel));
}

class ProgramEvaluator final : public kernels::cuda::TextEvaluator {
 public:
  ProgramEvaluator(const MappedProgram& mapped, const functional::Assignment& values,
                   const kernels::ir::Device& device, const kernels::EvaluatorOptions& options)
      : TextEvaluator(
            device, options,
            [&](const std::string& folder) { return Write(mapped, values, folder, options); }),
        mapped_(mapped),
        limits_(LimitsOf(device)),
        rates_(KnownRates(device)) {}

  Source Emit(const runtime::Candidate& implementation) override {
    try {
      const functional::GpuProgram program = Lowered(
          mapped_, ValuesOf(mapped_.program(), implementation), {CodesOf(implementation)}, limits_);
      Source source = SourceOf(program);
      if (!rates_) return source;
      source.rough_ns = RoughNs(program, *rates_);
      const std::string why = WhyHopeless(program, *rates_);
      if (!why.empty()) source.text = std::string(kHopeless) + why + "\n" + source.text;
      return source;
    } catch (const functional::Unlowerable& why) {
      return Source(std::string(kRefused) + why.what() + "\n");
    }
  }

  Compiled Compile(const Source& source) override {
    for (const auto& [mark, verdict] : {std::pair(kRefused, kernels::Verdict::kRefused),
                                        std::pair(kHopeless, kernels::Verdict::kIdle)}) {
      if (!source.text.starts_with(mark)) continue;
      Compiled refused;
      refused.verdict = verdict;
      refused.why = source.text.substr(mark.size(), source.text.find('\n') - mark.size());
      refused.source = source.text;
      return refused;
    }
    return TextEvaluator::Compile(source);
  }

 private:
  static std::vector<std::string> Write(const MappedProgram& mapped,
                                        const functional::Assignment& values,
                                        const std::string& folder,
                                        const kernels::EvaluatorOptions& options) {
    const auto make = [&](const kernels::CheckedProblem& one) {
      auto made = std::make_shared<const ProgramProblem>(mapped, values, one.seed,
                                                         std::max(1, options.jobs), one.inputs,
                                                         options.most_bytes, options.stop);
      return std::optional(kernels::cpu::MadeProblem{made->View(), made});
    };
    // Threads share each of the references.
    return kernels::cpu::WriteProblemFiles(make, folder, /*jobs=*/1);
  }

  const MappedProgram& mapped_;
  const functional::GpuLimits limits_;
  const std::optional<models::DeviceRates> rates_;
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
  return SourceOf(Lowered(mapped, values, codes, limits));
}

Source SourceOf(const functional::GpuProgram& program) {
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
  Source source(kernels::ir::OpFunctions(program.text, kernels::ir::Language::kCuda) + program.text,
                launch);
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

// SPDX-License-Identifier: MIT
#include "search/functional/program_workload.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "functional/expression/expression.h"
#include "kernels/ir/text/op_functions.h"
#include "kernels/problem.h"
#include "search/functional/program_costs.h"
#include "search/subject/candidate_bound.h"

namespace exh::search {
namespace {

using kernels::Source;

functional::GpuProgram Lowered(const MappedProgram& mapped, const functional::Assignment& values,
                               const std::vector<functional::Codes>& codes,
                               const functional::ProgramLimits& limits) {
  return functional::Lower(mapped.program(), values, codes, limits,
                           std::string(kernels::kMainKernel));
}

class ProgramWorkload final : public kernels::Workload {
 public:
  ProgramWorkload(const MappedProgram& mapped, functional::Assignment values,
                  const kernels::ir::Device& device, std::uint64_t most_bytes)
      : mapped_(mapped),
        values_(std::move(values)),
        device_(device),
        most_bytes_(most_bytes),
        limits_(LimitsOf(device)),
        rates_(KnownRates(device)) {}

  const kernels::ir::Device& device() const override { return device_; }

  Source Emit(const runtime::Candidate& implementation) const override {
    try {
      const functional::GpuProgram program = Lowered(
          mapped_, ValuesOf(mapped_.program(), implementation), {CodesOf(implementation)}, limits_);
      Source source = SourceOf(program);
      if (!rates_) return source;
      source.rough_ns = RoughNs(program, *rates_);
      source.why = WhyHopeless(program, *rates_);
      if (!source.why.empty()) source.verdict = kernels::Verdict::kIdle;
      return source;
    } catch (const functional::Unlowerable& why) {
      Source refused;
      refused.verdict = kernels::Verdict::kRefused;
      refused.why = why.what();
      return refused;
    }
  }

  std::optional<kernels::cpu::MadeProblem> MakeProblem(const kernels::CheckedProblem& one,
                                                       const StopToken* stop) const override {
    return ProblemOf(mapped_, values_, one, most_bytes_, stop);
  }

 private:
  const MappedProgram& mapped_;
  const functional::Assignment values_;
  const kernels::ir::Device& device_;
  const std::uint64_t most_bytes_;
  const functional::ProgramLimits limits_;
  const std::optional<models::DeviceRates> rates_;
};

}  // namespace

functional::ProgramLimits LimitsOf(const kernels::ir::Device& device) {
  functional::ProgramLimits limits;
  limits.threads = static_cast<std::int64_t>(device.max_threads);
  limits.local_bytes = static_cast<std::int64_t>(device.shared_bytes);
  return limits;
}

Source SourceOf(const MappedProgram& mapped, const functional::Assignment& values,
                const std::vector<functional::Codes>& codes,
                const functional::ProgramLimits& limits) {
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
  kernels::ir::HelperFunctions called(kernels::ir::Dialect::kCuda);
  const auto note = [&](bool calls, kernels::ir::Op op) {
    if (calls) called.Note(kernels::ir::OpFunction(op, kernels::ir::Type::kF32));
  };
  note(program.calls.min, kernels::ir::Op::kMin);
  note(program.calls.max, kernels::ir::Op::kMax);
  Source source(called.Text() + program.text, launch);
  for (const functional::GpuArray& array : program.arrays) {
    source.argument_bytes += static_cast<std::uint64_t>(array.elements) * sizeof(float);
  }
  source.workspace_bytes = launch.workspace_bytes;
  return source;
}

std::unique_ptr<const kernels::Workload> WorkloadOf(const MappedProgram& mapped,
                                                    functional::Assignment values,
                                                    const kernels::ir::Device& device,
                                                    std::uint64_t most_bytes) {
  return std::make_unique<ProgramWorkload>(mapped, std::move(values), device, most_bytes);
}

std::optional<kernels::cpu::MadeProblem> ProblemOf(const MappedProgram& mapped,
                                                   const functional::Assignment& values,
                                                   const kernels::CheckedProblem& one,
                                                   std::uint64_t most_bytes,
                                                   const StopToken* stop) {
  kernels::derived::Expression expression;
  try {
    expression = functional::ExpressionOf(mapped.program(), values);
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
  const std::uint64_t bytes = kernels::ProblemBytes(expression.arrays);
  if (most_bytes != 0 && bytes > most_bytes) {
    throw TooLarge(fmt::format("the reference of the program takes {:.0f} MiB, more than {:.0f}",
                               static_cast<double>(bytes) / 0x1p20,
                               static_cast<double>(most_bytes) / 0x1p20));
  }
  auto data = std::make_shared<const kernels::ProblemData>(
      kernels::MakeProblem(expression, one.seed, one.inputs, stop));
  if (data->empty()) return std::nullopt;
  return kernels::cpu::MadeProblem{kernels::ViewOf(expression.arrays, *data), data};
}

}  // namespace exh::search

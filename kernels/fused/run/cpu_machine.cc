// SPDX-License-Identifier: MIT
#include "kernels/fused/run/cpu_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kernels/cpu/compiler_probe.h"
#include "kernels/cpu/problem_set.h"
#include "kernels/cpu/run.h"
#include "kernels/fused/code/code.h"
#include "kernels/fused/run/problem.h"
#include "kernels/ir/elements.h"

namespace exh::kernels::fused {

cpu::CompilerOptions CompilerIn(const std::string& folder, const StopToken* stop) {
  cpu::CompilerOptions options;
  options.directory = folder;
  options.keep_source = false;
  options.stop = stop;
  options.known = cpu::AskCompiler(options);
  return options;
}

CpuMachine::CpuMachine(std::vector<std::string> command, int threads, std::string compiler,
                       const StopToken* stop)
    : server_(std::move(command)),
      threads_(threads),
      compiler_call_(std::move(compiler)),
      stop_(stop),
      compiler_(CompilerIn(scratch_.path(), stop)) {}

Source CpuMachine::Text(const Program& program, const std::vector<NestNode>& nests) const {
  return CpuText(program, nests);
}

std::string CpuMachine::Begin(const Graph& graph, const Program& program, std::uint64_t seed,
                              std::uint64_t most_bytes) {
  CheckReferenceBytes(program.list, most_bytes);
  problems_.emplace(ProblemsOf(graph, program, stop_, seed, most_bytes), server_, stop_);
  return "";
}

Compiled CpuMachine::Compile(const Source& source) {
  return compiler_.Compile(source.text, cpu::Compiler::Patience::kAllTime);
}

cpu::RunRequest CpuMachine::RequestOf(const Compiled& compiled) const {
  cpu::RunRequest request;
  request.library = compiled.library;
  request.threads = threads_;
  return request;
}

Measurement CpuMachine::Run(const Compiled& compiled, bool is_full) {
  cpu::RunRequest request = RequestOf(compiled);
  if (is_full) request.timeout_s = 120;
  return problems_->Measure(request, {.is_full = is_full});
}

double CpuMachine::CopyNs(std::uint64_t bytes) {
  const std::uint64_t count = std::max<std::uint64_t>(1, bytes / 2 / sizeof(float));
  const auto [known, is_new] = copies_.try_emplace(count, 0);
  if (!is_new) return known->second;
  const ir::Elements input(ir::Type::kF32, count);
  const std::vector<double> zeros(count, 0);
  cpu::Problem problem;
  problem.arrays.push_back(
      {.name = "x", .values = input.bytes(), .reference = {}, .tolerance = {}});
  problem.arrays.push_back(
      {.name = "y", .is_output = true, .values = {}, .reference = zeros, .tolerance = zeros});
  cpu::ProblemSet problems(problem, 1);
  if (!problems.error().empty() || !problems.Add(problem, "").empty()) return 0;
  const Compiled copy = Compile(fmt::format(
      "extern \"C\" void exh_run(void* const* arrays, const double*, int threads) {{\n"
      "  const float* __restrict__ x = static_cast<const float*>(arrays[0]);\n"
      "  float* __restrict__ y = static_cast<float*>(arrays[1]);\n"
      "{}  for (long i = 0; i < {}; ++i) y[i] = x[i];\n}}\n",
      count < 1 << 15 ? "" : "#pragma omp parallel for simd num_threads(threads)\n", count));
  if (copy.verdict != Verdict::kCorrect) return 0;
  const Measurement measurement = cpu::RunCandidate(RequestOf(copy), problems, server_, stop_);
  if (measurement.verdict == Verdict::kCorrect) known->second = measurement.best_ns;
  Discard(copy);
  return known->second;
}

std::string CpuMachine::Conditions() const {
  return fmt::format("{} threads, {}", threads_, compiler_call_);
}

}  // namespace exh::kernels::fused

// SPDX-License-Identifier: MIT
#include "search/fused/fused_evaluator.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "base/system/process.h"
#include "base/system/scratch_folder.h"
#include "kernels/cpu/compile.h"
#include "kernels/cpu/problem_bench.h"
#include "kernels/cpu/run.h"
#include "kernels/devices/cpu/evaluator.h"
#include "kernels/devices/yardsticks.h"
#include "kernels/fused/code/code.h"
#include "kernels/fused/run/cpu_machine.h"
#include "kernels/fused/run/problem.h"
#include "search/fused/isl_sources.h"

namespace exh::search {
namespace {

namespace fused = kernels::fused;
using kernels::Cap;
using kernels::Compiled;
using kernels::Effort;
using kernels::Measurement;
using kernels::Source;
using kernels::Verdict;

class FusedEvaluator final : public kernels::Evaluator {
 public:
  FusedEvaluator(const fused::Graph& graph, const fused::Schedules& schedules,
                 const fused::MappingSpace& space, int threads,
                 const kernels::EvaluatorOptions& options)
      : schedules_(schedules),
        space_(space),
        threads_(threads),
        compiler_(fused::CompilerIn(scratch_.path(), options.stop)),
        problems_(fused::ProblemsOf(graph, schedules.program(), options.stop, kernels::kTimedSeed,
                                    fused::MostBytes(options.most_bytes)),
                  server_, options.stop) {
    kernels::RequireCompiler();
    fused::CheckReferenceBytes(schedules.program().list, fused::MostBytes(options.most_bytes));
  }

  Source Emit(const runtime::Candidate& implementation) override {
    return fused::CpuText(schedules_.program(), space_.NestsOf(implementation));
  }

  bool IsReady(double seconds) override { return problems_.IsReady(seconds); }

  Compiled Compile(const Source& source) override { return compiler_.Compile(source.text); }

  Measurement Measure(const Compiled& compiled, const Cap& cap, Effort effort) override {
    if (compiled.verdict != Verdict::kCorrect) {
      Measurement failure;
      failure.verdict = compiled.verdict;
      failure.why = compiled.why;
      return failure;
    }
    kernels::cpu::RunRequest request;
    request.library = compiled.library;
    request.threads = threads_;
    request.cap_ns = cap.ns;
    if (effort != Effort::kQuick) request.timeout_s = 120;
    return problems_.Measure(request, kernels::CareOf(effort));
  }

  std::vector<kernels::Contender> Yardsticks(int jobs) override {
    const auto text = [this](const std::vector<fused::NestNode>& nests) {
      return fused::CpuText(schedules_.program(), nests);
    };
    return kernels::CompileYardsticks(*this, IslSources(schedules_, text), jobs);
  }

  std::string YardstickText() const override {
    return fmt::format("isl {}, {} threads, {}", poly::IslVersion(), threads_,
                       kernels::CompilerCall());
  }

  std::vector<std::string> Notes() const override { return compiler_.options().known.Notes(); }
  std::map<std::string, std::string, std::less<>> Versions() const override {
    return {{"compiler", compiler_.options().known.compiler}, {"isl", poly::IslVersion()}};
  }

  void Discard(const Compiled& compiled) override { compiler_.Discard(compiled); }

 private:
  const fused::Schedules& schedules_;
  const fused::MappingSpace& space_;
  const int threads_;
  ScratchFolder scratch_;
  kernels::cpu::Compiler compiler_;
  kernels::cpu::ForkServer server_{{ThisProgram(), kernels::kRunCandidate}};
  kernels::cpu::ProblemBench problems_;
};

}  // namespace

std::unique_ptr<kernels::Evaluator> MakeFusedEvaluator(const fused::Graph& graph,
                                                       const fused::Schedules& schedules,
                                                       const fused::MappingSpace& space,
                                                       int threads,
                                                       const kernels::EvaluatorOptions& options) {
  return std::make_unique<FusedEvaluator>(graph, schedules, space, threads, options);
}

}  // namespace exh::search

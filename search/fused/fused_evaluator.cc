// SPDX-License-Identifier: MIT
#include "search/fused/fused_evaluator.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "base/system/process.h"
#include "base/system/scratch_folder.h"
#include "kernels/cpu/compile.h"
#include "kernels/cpu/problem_set.h"
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
        stop_(options.stop),
        compiler_(fused::CompilerIn(scratch_.path(), options.stop)) {
    kernels::RequireCompiler();
    for (const std::uint64_t seed : fused::kProblemSeeds) {
      const fused::OperatorProblem problem(graph, schedules.program(), seed,
                                           fused::MostBytes(options.most_bytes), stop_);
      const kernels::cpu::Problem view = problem.View();
      if (!problems_) {
        problems_ =
            std::make_unique<kernels::cpu::ProblemSet>(view, std::size(fused::kProblemSeeds));
        if (!problems_->error().empty()) throw Error(problems_->error());
      }
      const std::string error = problems_->Add(
          view, seed == fused::kProblemSeeds[0] ? "" : "with inputs that it had not seen");
      if (!error.empty()) throw Error(error);
    }
  }

  Source Emit(const runtime::Candidate& implementation) override {
    return fused::CpuText(schedules_.program(), space_.NestsOf(implementation));
  }

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
    request.problems_after = {1};
    if (effort != Effort::kQuick) {
      constexpr double kAuditMs = 1e3 * kernels::kAuditSeconds;
      request.batch_ms = 10;
      request.batches_ms = 1000;
      request.timeout_s = 120;
      request.repeats = 128;
      request.repeats_ms = effort == Effort::kAudit ? kAuditMs : 100;
    }
    return kernels::cpu::RunCandidate(request, *problems_, {ThisProgram(), kernels::kRunCandidate},
                                      stop_);
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

  void Discard(const Compiled& compiled) override { compiler_.Discard(compiled); }

 private:
  const fused::Schedules& schedules_;
  const fused::MappingSpace& space_;
  const int threads_;
  const StopToken* const stop_;
  ScratchFolder scratch_;
  kernels::cpu::Compiler compiler_;
  std::unique_ptr<kernels::cpu::ProblemSet> problems_;
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

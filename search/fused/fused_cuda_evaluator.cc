// SPDX-License-Identifier: MIT
#include "search/fused/fused_cuda_evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/cpu/problem_bench.h"
#include "kernels/devices/cuda/text_evaluator.h"
#include "kernels/devices/yardsticks.h"
#include "kernels/fused/code/code.h"
#include "kernels/fused/run/problem.h"
#include "search/fused/isl_sources.h"

namespace exh::search {
namespace {

namespace fused = kernels::fused;
using kernels::Source;

class FusedCudaEvaluator final : public kernels::cuda::TextEvaluator {
 public:
  FusedCudaEvaluator(const fused::Graph& graph, const fused::Schedules& schedules,
                     const fused::MappingSpace& space, const kernels::ir::Device& device,
                     const kernels::EvaluatorOptions& options)
      : TextEvaluator(
            device, options,
            [&](const std::string& folder) {
              return kernels::cpu::WriteProblemFiles(
                  fused::ProblemsOf(graph, schedules.program(), options.stop, kernels::kTimedSeed,
                                    fused::MostBytes(options.most_bytes)),
                  folder, std::max(1, options.jobs));
            }),
        schedules_(schedules),
        space_(space) {}

  Source Emit(const runtime::Candidate& implementation) override {
    return fused::CudaText(schedules_.program(), space_.NestsOf(implementation));
  }

  std::vector<kernels::Contender> Yardsticks(int jobs) override {
    const auto text = [this](const std::vector<fused::NestNode>& nests) {
      return fused::CudaText(schedules_.program(), nests);
    };
    return kernels::CompileYardsticks(*this, IslSources(schedules_, text), jobs);
  }

  std::string YardstickText() const override {
    return fmt::format("isl {}, {}", poly::IslVersion(), TextEvaluator::YardstickText());
  }

 private:
  const fused::Schedules& schedules_;
  const fused::MappingSpace& space_;
};

}  // namespace

std::unique_ptr<kernels::Evaluator> MakeFusedCudaEvaluator(
    const fused::Graph& graph, const fused::Schedules& schedules, const fused::MappingSpace& space,
    const kernels::ir::Device& device, const kernels::EvaluatorOptions& options) {
  return std::make_unique<FusedCudaEvaluator>(graph, schedules, space, device, options);
}

}  // namespace exh::search

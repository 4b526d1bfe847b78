// SPDX-License-Identifier: MIT
#include "search/fused/fused_cuda_evaluator.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "kernels/cpu/problem_file.h"
#include "kernels/devices/cuda/evaluator.h"
#include "kernels/devices/cuda/gpu_bench.h"
#include "kernels/devices/yardsticks.h"
#include "kernels/fused/code/code.h"
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
using kernels::cuda::GpuBench;

class FusedCudaEvaluator final : public kernels::Evaluator {
 public:
  FusedCudaEvaluator(const fused::Graph& graph, const fused::Schedules& schedules,
                     const fused::MappingSpace& space, const kernels::ir::Device& device,
                     const kernels::EvaluatorOptions& options)
      : schedules_(schedules),
        space_(space),
        cold_(options.cold),
        bench_(
            device, options, [&](const std::string& folder) { return Write(graph, folder); },
            /*spares=*/1, /*has_whole_numbers=*/false) {}

  Source Emit(const runtime::Candidate& implementation) override {
    return fused::CudaText(schedules_.program(), space_.NestsOf(implementation));
  }

  Compiled Compile(const Source& source) override {
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

  std::vector<kernels::Contender> Yardsticks(int jobs) override {
    const auto text = [this](const std::vector<fused::NestNode>& nests) {
      return fused::CudaText(schedules_.program(), nests);
    };
    return kernels::CompileYardsticks(*this, IslSources(schedules_, text), jobs);
  }

  std::string YardstickText() const override {
    return fmt::format("isl {}, {}, {} L2", poly::IslVersion(), bench_.Conditions(),
                       cold_ ? "cold" : "warm");
  }

  std::optional<kernels::MeasuredRates> Rates() override { return bench_.Rates(); }

  void Discard(const Compiled& compiled) override { bench_.Discard(compiled); }

 private:
  static constexpr int kFinalists = 8;

  std::vector<std::string> Write(const fused::Graph& graph, const std::string& folder) const {
    std::vector<std::string> files;
    for (const std::uint64_t seed : fused::kProblemSeeds) {
      const fused::OperatorProblem problem(graph, schedules_.program(), seed,
                                           fused::kMostReferenceBytes);
      files.push_back(fmt::format("{}/inputs-{}", folder, seed));
      const std::string error = kernels::cpu::WriteProblemFile(files.back(), problem.View());
      if (!error.empty()) throw Error(error);
    }
    return files;
  }

  const fused::Schedules& schedules_;
  const fused::MappingSpace& space_;
  const bool cold_;
  GpuBench bench_;
};

}  // namespace

std::unique_ptr<kernels::Evaluator> MakeFusedCudaEvaluator(
    const fused::Graph& graph, const fused::Schedules& schedules, const fused::MappingSpace& space,
    const kernels::ir::Device& device, const kernels::EvaluatorOptions& options) {
  return std::make_unique<FusedCudaEvaluator>(graph, schedules, space, device, options);
}

}  // namespace exh::search

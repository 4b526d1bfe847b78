// SPDX-License-Identifier: MIT
#include "search/fused/gpu_machine.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/system/scratch_folder.h"
#include "kernels/cpu/problem_file.h"
#include "kernels/devices/cuda/gpu_bench.h"
#include "kernels/fused/code/code.h"
#include "kernels/fused/run/problem.h"

namespace exh::search {
namespace {

namespace fused = kernels::fused;
using kernels::Compiled;
using kernels::Measurement;
using kernels::Source;

/// What the GPU has before the first operator: an array of one element.
std::vector<std::string> WriteNothing(const std::string& folder) {
  const std::vector<double> zero(1, 0);
  kernels::cpu::Problem problem;
  problem.arrays.push_back(
      {.name = "y", .is_output = true, .values = {}, .reference = zero, .tolerance = zero});
  const std::string path = folder + "/nothing";
  const std::string error = kernels::cpu::WriteProblemFile(path, problem);
  if (!error.empty()) throw Error(error);
  return {path};
}

class GpuMachine final : public fused::RowMachine {
 public:
  GpuMachine(const kernels::ir::Device& device, const kernels::EvaluatorOptions& options)
      : jobs_(std::max(1, options.jobs)),
        stop_(options.stop),
        bench_(device, options, WriteNothing, /*spares=*/0) {}

  Source Text(const fused::Program& program,
              const std::vector<fused::NestNode>& nests) const override {
    return fused::CudaText(program, nests);
  }

  double Steps(const fused::Program& program,
               const std::vector<fused::NestNode>& nests) const override {
    return fused::StepsOnGpu(program, nests);
  }

  bool has_patches() const override { return true; }

  std::string Begin(const fused::Graph& graph, const fused::Program& program, std::uint64_t seed,
                    std::uint64_t most_bytes) override {
    fused::CheckReferenceBytes(program.list, most_bytes);
    try {
      return bench_.SetProblems(kernels::cpu::WriteProblemFiles(
          fused::ProblemsOf(graph, program, stop_, seed, most_bytes), scratch_.path(), jobs_));
    } catch (const Error& error) {
      return error.what();
    }
  }

  int jobs() const override { return jobs_; }

  Compiled Compile(const Source& source) override {
    return bench_.Compile(source, source.text, kernels::cuda::Optimization::kFull);
  }

  Measurement Run(const Compiled& compiled, bool is_full) override {
    constexpr double kMostNs = 2e9;  // Schedules of isl are waited for, too.
    return bench_.Measure(compiled, {.ns = kMostNs},
                          is_full ? kernels::Effort::kFinal : kernels::Effort::kQuick);
  }

  void Discard(const Compiled& compiled) override { bench_.Discard(compiled); }

  /// At the rate of the device's own copy.
  double CopyNs(std::uint64_t bytes) override {
    if (!rates_) rates_ = bench_.Rates();
    return static_cast<double>(bytes) / rates_->copy_gbs();
  }

  std::string Conditions() const override { return bench_.Conditions(); }

 private:
  const int jobs_;
  const StopToken* const stop_;
  ScratchFolder scratch_;
  kernels::cuda::GpuBench bench_;
  std::optional<kernels::MeasuredRates> rates_;
};

}  // namespace

std::unique_ptr<fused::RowMachine> MakeGpuMachine(const kernels::ir::Device& device,
                                                  const kernels::EvaluatorOptions& options) {
  return std::make_unique<GpuMachine>(device, options);
}

}  // namespace exh::search

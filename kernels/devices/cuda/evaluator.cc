// SPDX-License-Identifier: MIT
#include "kernels/devices/cuda/evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/system/scratch_folder.h"
#include "kernels/counters/counters.h"
#include "kernels/cpu/problem_bench.h"
#include "kernels/devices/cuda/gpu_bench.h"
#include "kernels/devices/yardsticks.h"

namespace exh::kernels {
namespace {

/// How the vendor's routines compute; empty: there are none.
std::string MathText(const VendorCall& call) {
  if (call.steps.empty()) return "";
  const auto has = [&](const auto& is) {
    return std::ranges::any_of(call.steps,
                               [&](const VendorStep& step) { return is(ir::InfoOf(step.type)); });
  };
  std::string text = ", CUBLAS_DEFAULT_MATH: ";
  if (has([](const ir::TypeInfo& info) { return info.is_narrow(); })) {
    return text + "halves with sums in fp32";
  }
  const bool has_doubles =
      has([](const ir::TypeInfo& info) { return info.type == ir::Type::kF64; });
  return text + (has_doubles ? "fp64" : "fp32 without TF32");
}

/// One GPU of several.
class GpuLane final : public Lane {
 public:
  GpuLane(cuda::GpuBench& bench, std::size_t gpu, int number)
      : bench_(bench), gpu_(gpu), name_(fmt::format("gpu {}", number)) {}

  std::string name() const override { return name_; }
  Measurement Try(const Compiled& trial, const Cap& cap) override {
    return bench_.Try(trial, cap, gpu_);
  }
  Measurement Measure(const Compiled& compiled, const Cap& cap, Effort effort) override {
    return bench_.Measure(compiled, cap, effort, gpu_);
  }
  std::size_t gpu() const { return gpu_; }

 private:
  cuda::GpuBench& bench_;
  std::size_t gpu_;
  std::string name_;
};

class CudaEvaluator final : public Evaluator, public CountsRuns {
 public:
  CudaEvaluator(std::unique_ptr<const Workload> workload, const EvaluatorOptions& options)
      : workload_(std::move(workload)),
        jobs_(std::max(1, options.jobs)),
        stop_(options.stop),
        cold_(options.cold),
        bench_(workload_->device(), options,
               [this](const std::string& folder) { return WriteProblems(folder); }) {
    if (options.more_gpus.empty()) return;
    lanes_.emplace_back(bench_, 0, options.gpu);
    for (const int gpu : options.more_gpus) lanes_.emplace_back(bench_, lanes_.size(), gpu);
  }

  std::vector<Lane*> lanes() override {
    std::vector<Lane*> lanes;
    for (GpuLane& lane : lanes_) lanes.push_back(&lane);
    return lanes;
  }
  void MeasureAt(Lane& lane) override { bench_.UseGpu(static_cast<GpuLane&>(lane).gpu()); }
  std::string measures_at() const override {
    return lanes_.empty() ? "" : lanes_[bench_.used_gpu()].name();
  }

  std::string Take(std::unique_ptr<const Workload> workload) override {
    workload_ = std::move(workload);
    try {
      return bench_.SetProblems(WriteProblems(scratch_.path()));
    } catch (const Error& error) {
      return error.what();
    }
  }

  Source Emit(const runtime::Candidate& implementation) override {
    return workload_->Emit(implementation);
  }

  Compiled Compile(const Source& source) override {
    if (auto refused = NotCompiled(source)) return *std::move(refused);
    return bench_.Compile(source, source.text, cuda::Optimization::kFull);
  }

  Compiled CompileTrial(const Source& source) override {
    Compiled trial = bench_.Compile(source, source.careful, cuda::Optimization::kQuick);
    // A quick compilation spills where a full one does not.
    if (trial.verdict == Verdict::kSpills && !trial.library.empty()) {
      trial.verdict = Verdict::kCorrect;
    }
    return trial;
  }

  bool compiles_while_measuring() const override { return true; }
  bool keeps_compilations() const override { return true; }
  std::uint64_t most_text_bytes() const override { return kCudaMostTextBytes; }

  Measurement Try(const Compiled& trial, const Cap& cap) override {
    return bench_.Try(trial, cap, bench_.used_gpu());
  }

  double first_cap_ns() const override { return kCudaLeastCapNs; }

  Measurement Measure(const Compiled& compiled, const Cap& cap, Effort effort) override {
    return bench_.Measure(compiled, cap, effort, bench_.used_gpu());
  }

  Measurement Repeat(const Compiled& compiled, int launches) override {
    return bench_.Repeat(compiled, launches);
  }

  CounterReading Counters(const Compiled& compiled) override { return bench_.Counters(compiled); }

  int finalists() const override { return 20; }

  std::vector<Contender> Yardsticks(int jobs) override {
    std::vector<Contender> contenders =
        CompileYardsticks(*this, workload_->Yardsticks(ir::Dialect::kCuda), jobs);
    const VendorCall call = workload_->Vendor();
    if (call.steps.empty()) return contenders;
    Compiled vendor;
    vendor.gpu.emplace().vendor = call;
    contenders.push_back({"cublas", vendor, call.scratch_bytes});
    const auto is_product = [](const VendorStep& step) {
      // Of halves, a matrix times a vector is one, too.
      return step.op == VendorStep::Op::kGemm ||
             (step.op == VendorStep::Op::kGemv && ir::InfoOf(step.type).is_narrow());
    };
    if (std::ranges::any_of(call.steps, is_product)) {
      vendor.gpu->vendor_lt = true;
      contenders.push_back({"cublaslt", vendor, call.scratch_bytes});
    }
    return contenders;
  }

  /// At the rate of the device's own copy.
  double CopyNs(std::uint64_t bytes) override {
    if (!rates_) rates_ = bench_.Rates();
    return static_cast<double>(bytes) / rates_->copy_gbs();
  }
  std::string Conditions() const override { return bench_.Conditions(); }

  /// "NVIDIA H200, driver 13.0, CUBLAS_DEFAULT_MATH: fp32 without TF32, warm L2".
  std::string YardstickText() const override {
    const std::string what = workload_->YardstickText();
    return fmt::format("{}{}{}{}, {} L2", what, what.empty() ? "" : ", ", bench_.Conditions(),
                       MathText(workload_->Vendor()), cold_ ? "cold" : "warm");
  }

  std::vector<std::string> Notes() const override { return bench_.Notes(); }

  std::map<std::string, std::string, std::less<>> Versions() const override {
    auto versions = workload_->Versions(ir::Dialect::kCuda);
    versions.merge(bench_.Versions());
    return versions;
  }
  std::optional<MeasuredRates> Rates() override { return bench_.Rates(); }

  void Discard(const Compiled& compiled) override { bench_.Discard(compiled); }

 private:
  /// Their files, written side by side: a large one takes seconds. Throws Error, and Interrupted.
  std::vector<std::string> WriteProblems(const std::string& folder) const {
    const auto make = [&](const CheckedProblem& one) { return workload_->MakeProblem(one, stop_); };
    return cpu::WriteProblemFiles(make, folder, jobs_, workload_->is_costly());
  }

  std::unique_ptr<const Workload> workload_;
  const int jobs_;
  const StopToken* const stop_;
  const bool cold_;
  ScratchFolder scratch_;
  std::optional<MeasuredRates> rates_;
  cuda::GpuBench bench_;
  std::deque<GpuLane> lanes_;  ///< Empty: there is one GPU alone.
};

}  // namespace

std::unique_ptr<Evaluator> MakeCudaEvaluator(std::unique_ptr<const Workload> workload,
                                             const EvaluatorOptions& options) {
  return std::make_unique<CudaEvaluator>(std::move(workload), options);
}

}  // namespace exh::kernels

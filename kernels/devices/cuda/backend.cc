// SPDX-License-Identifier: MIT
#include "kernels/devices/cuda/backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/spelling.h"
#include "base/system/process.h"
#include "kernels/codegen/plan/work.h"
#include "kernels/codegen/print/gpu/printer.h"
#include "kernels/devices/cuda/detect.h"
#include "kernels/devices/cuda/doctor.h"
#include "kernels/devices/cuda/driver/driver.h"
#include "kernels/devices/cuda/evaluator.h"
#include "kernels/devices/cuda/known_answers.h"
#include "kernels/devices/cuda/own/own_bench.h"
#include "kernels/devices/cuda/own/serve_process.h"
#include "kernels/devices/cuda/process/candidate_process.h"
#include "kernels/devices/cuda/process/compile_process.h"
#include "kernels/devices/cuda/standalone/cuda_library.h"
#include "kernels/devices/cuda/standalone/standalone_cuda.h"
#include "kernels/devices/rates/kept.h"

namespace exh::kernels::cuda {
namespace {

class CudaBackend final : public Backend {
 public:
  std::string_view language() const override { return "cuda"; }
  ir::Dialect dialect() const override { return ir::Dialect::kCuda; }
  std::string_view suffix() const override { return ".cu"; }
  bool is_gpu() const override { return true; }
  std::vector<GpuHere> Gpus() const override { return GpusHere(); }
  std::vector<Finding> Examine() const override { return ExamineCuda(); }

  bool Detects(std::string_view field) const override {
    constexpr std::array kFields = {
        "architecture",    "model",           "max_threads",     "max_registers", "vector_sizes",
        "shared_bytes",    "block_registers", "cache_flags",     "across_blocks", "max_cluster",
        "max_stages",      "async_copies",    "resident_blocks", "tensor_units",  "skews",
        "multiprocessors", "matrix_reads",    "bulk_copies"};
    return std::ranges::find(kFields, field) != kFields.end();
  }
  DeviceResult Detect(int gpu) const override { return DetectGpu(gpu); }

  std::string ProblemOfUnits(const ir::Device& device) const override {
    constexpr int kGroups = 90;  // wgmma, which later ones do not have.
    struct Unit {
      std::string_view name;
      int needs;  ///< The capability that has its mma.sync.
    };
    constexpr std::array kUnits = {Unit{ir::kDmma, 90}, Unit{ir::kMma, 80}, Unit{ir::kImma, 80},
                                   Unit{ir::kQmma, 89}, Unit{ir::kWgmma, kGroups}};
    for (const std::string& unit : device.tensor_units) {
      const auto found = std::ranges::find(kUnits, unit, &Unit::name);
      if (found == kUnits.end()) {
        std::vector<std::string> names;
        for (const Unit& one : kUnits) names.emplace_back(one.name);
        return UnknownName("matrix unit", unit, names);
      }
      if (device.capability() < found->needs) {
        return fmt::format("{} needs sm_{} or later, the device is {}", unit, found->needs,
                           device.architecture);
      }
      if (unit != ir::kWgmma) continue;
      if (device.capability() != kGroups) {
        return fmt::format("{} needs sm_{}, which later ones do not have, the device is {}", unit,
                           kGroups, device.architecture);
      }
      if (!device.matrix_reads) return fmt::format("{} needs matrix_reads=true", unit);
    }
    return "";
  }

  std::string ProblemOfBulkCopies(const ir::Device& device) const override {
    if (!device.bulk_copies || device.capability() >= kTensorMapsFrom) return "";
    return fmt::format("bulk copies need sm_{} or later, the device is {}", kTensorMapsFrom,
                       device.architecture);
  }

  std::string RatesFile(const ir::Device& device) const override {
    return device.model.empty() ? Backend::RatesFile(device) : KeptRatesFile(device.model);
  }
  bool MeasureRates(const ir::Device& device) const override {
    if (device.model.empty()) return false;
    MeasureRatesOf(device.model, device.name);
    return true;
  }

  Source Print(const codegen::LoweredCode& code, const ir::Device& device) const override {
    const bool overlaps = device.capability() >= kLaunchesOverlapFrom;
    codegen::GpuText text =
        codegen::PrintGpu(code, {.overlaps = overlaps, .multiprocessors = device.multiprocessors});
    Source source(std::move(text.source), text.launch);
    source.gpu->least_registers = codegen::LeastRegisters(*code.function, code.tree, code.values);
    source.gpu->min_blocks = code.schedule->min_blocks.Or(1);
    constexpr double kLongNs = 1e6;  // Where memory answers slowly, it may be fifty times as long.
    source.rough_ns = codegen::RoughTimeNs(code.tree, text.launch);
    if (source.rough_ns > kLongNs) {
      source.careful = codegen::PrintGpu(code, {.gives_up = true,
                                                .overlaps = overlaps,
                                                .multiprocessors = device.multiprocessors})
                           .source;
    }
    return source;
  }

  std::unique_ptr<Evaluator> MakeEvaluator(std::unique_ptr<const Workload> workload,
                                           const EvaluatorOptions& options) const override {
    return MakeCudaEvaluator(std::move(workload), options);
  }
  std::unique_ptr<OwnKernelBench> MakeOwnBench(const OwnKernelTask& task,
                                               const EvaluatorOptions& options) const override {
    return MakeCudaOwnBench(task, options, {ThisProgram(), kCompileCuda}, ThisProgram());
  }
  double slow_factor() const override { return kCudaSlowFactor; }
  std::uint64_t most_text_bytes() const override { return kCudaMostTextBytes; }
  double finals_seconds() const override { return 20; }
  std::vector<ProcessMain> processes() const override {
    return {
        {kCompileCuda, "compiles kernels: requests on stdin", CompileProcessMain},
        {kAskNvrtc, "asks the compiler for known answers: the GPU's number on stdin",
         KnownAnswersMain},
        {kRunCuda, "runs kernels on a GPU: requests on stdin", CandidateProcessMain},
        {kServeCuda, "measures a kernel of a user: questions on stdin", nullptr, ServeProcessMain}};
  }

  std::string_view export_format() const override { return "cu"; }
  std::string Export(const Task& task, const Source& source,
                     const std::string& about) const override {
    return StandaloneCuda(task, source, about);
  }
  std::string ExportHeader(const Task& task, const Source& source,
                           const std::string& about) const override {
    return StandaloneCudaHeader(task, source, about);
  }
  const package::LibraryKind* library_kind() const override { return &CudaLibraryKind(); }
  package::Unit Package(const Task& task, const Source& source, const std::string& conditions,
                        const std::string& name) const override {
    return CudaUnit(task, source, conditions, name);
  }
};

}  // namespace

const Backend& GetBackend() {
  static const CudaBackend backend;
  return backend;
}

}  // namespace exh::kernels::cuda

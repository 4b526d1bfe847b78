// SPDX-License-Identifier: MIT
#include "kernels/devices/cpu/backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "kernels/codegen/plan/processor_counts.h"
#include "kernels/codegen/plan/work.h"
#include "kernels/codegen/print/cpu_printer.h"
#include "kernels/cpu/compiler_probe.h"
#include "kernels/cpu/contain/containment.h"
#include "kernels/cpu/contain/runner.h"
#include "kernels/devices/cpu/cpu_library.h"
#include "kernels/devices/cpu/detect.h"
#include "kernels/devices/cpu/evaluator.h"
#include "kernels/devices/cpu/rates/rates.h"
#include "kernels/devices/cpu/standalone_cpu.h"
#include "kernels/ir/target/lanes.h"

namespace exh::kernels::cpu {
namespace {

using Kind = Finding::Kind;

Finding FindCompiler() {
  const std::string path = CompilerPath();
  if (path.empty()) {
    return {Kind::kBad, "compiler",
            fmt::format("'{}' is not on PATH: apt install {}", CompilerName(), CompilerName())};
  }
  const std::string version = CompilerVersion();
  if (version.empty()) return {Kind::kBad, "compiler", path + " fails"};
  return {Kind::kGood, "compiler", path + ": " + version};
}

class CpuBackend final : public Backend {
 public:
  std::string_view language() const override { return "c++"; }
  ir::Dialect dialect() const override { return ir::Dialect::kCpp; }
  std::string_view suffix() const override { return ".cc"; }
  bool shares_processor() const override { return true; }
  std::uint64_t most_text_bytes() const override { return kCpuMostTextBytes; }

  std::vector<Finding> Examine() const override {
    std::vector<Finding> findings = {FindCompiler()};
    if (findings.front().kind == Kind::kGood) {
      std::string what = "answers";
      const KnownAnswers known = AskCompiler(CompilerOptions());
      const Kind kind = known.Notes().empty() ? Kind::kGood : Kind::kNote;
      for (const std::string& line : known.Report()) {
        findings.push_back({kind, std::exchange(what, ""), line});
      }
    }
    // What is missing does not stop a search: it makes it less safe.
    const Containment holds = TryContainment();
    findings.push_back({Kind::kGood, "candidates", "contained: " + ContainmentText(holds)});
    const std::string missing = MissingContainmentText(holds);
    if (!missing.empty())
      findings.push_back({Kind::kGood, "candidates", "not contained: " + missing});
    return findings;
  }

  bool Detects(std::string_view field) const override {
    constexpr std::array kFields = {"model",           "vector_sizes", "max_registers",
                                    "block_registers", "shared_bytes", "threads"};
    return std::ranges::find(kFields, field) != kFields.end();
  }

  std::string RatesFile(const ir::Device& device) const override {
    return device.model.empty() ? Backend::RatesFile(device) : RatesFileOf(device);
  }
  bool MeasureRates(const ir::Device& device) const override { return MeasureRatesOf(device); }
  std::string SpeedText(const ir::Device& device) const override { return SpeedTextOf(device); }

  std::string ClassOf(const ir::Device& device) const override {
    const std::uint32_t widest = ir::WidestVector(device);
    if (widest >= 16) return device.name + "-avx512";
    return widest >= 8 ? device.name + "-avx2" : device.name;
  }

  DeviceResult Detect(int /*gpu*/) const override {
    ir::Device device;
    device.model = ProcessorModel();
    for (std::uint32_t size = 2; size <= DetectVectorFloats(); size *= 2) {
      device.vector_sizes.push_back(size);
    }
    // Sums take all but a few vectors: those hold what they are made of.
    const std::uint32_t vectors = DetectVectorRegisters(), few = vectors / 8 + (vectors == 16);
    device.max_registers = device.block_registers = (vectors - few) * DetectVectorFloats();
    device.shared_bytes = DetectL2Bytes() / 2;  // The other half is left to what streams through.
    device.threads = DetectCores();
    return {std::move(device), ""};
  }

  Source Print(const codegen::LoweredCode& code, const ir::Device& device) const override {
    Source source(codegen::PrintCpu(code));
    source.rough_ns = codegen::RoughTimeNs(code.tree, device.threads);
    source.guess_ns = codegen::CountOnProcessor(code, codegen::LimitsOf(device)).back();
    // GLOBAL temporaries are there once for each host thread.
    source.workspace_bytes =
        code.splits.workspace_bytes + code.memory.global_bytes * std::max(1u, device.threads);
    return source;
  }

  std::unique_ptr<Evaluator> MakeEvaluator(std::unique_ptr<const Workload> workload,
                                           const EvaluatorOptions& options) const override {
    return MakeCpuEvaluator(std::move(workload), options.stop);
  }

  std::string_view export_format() const override { return "cc"; }
  std::string Export(const Task& task, const Source& source,
                     const std::string& about) const override {
    return StandaloneCpu(task, source, about);
  }
  std::string ExportHeader(const Task& task, const Source& source,
                           const std::string& about) const override {
    return StandaloneCpuHeader(task, source, about);
  }

  const package::LibraryKind* library_kind() const override { return &CpuLibraryKind(); }
  package::Unit Package(const Task& task, const Source& source, const std::string& /*conditions*/,
                        const std::string& name) const override {
    return CpuUnit(task, source, name);
  }

  std::vector<ProcessMain> processes() const override {
    return {{kRunCandidate, "runs one candidate: request on stdin, answer on stdout", RunnerMain}};
  }
};

}  // namespace

const Backend& GetBackend() {
  static const CpuBackend backend;
  return backend;
}

}  // namespace exh::kernels::cpu

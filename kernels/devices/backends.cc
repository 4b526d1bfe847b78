// SPDX-License-Identifier: MIT
//
// Backends by their `language`: the one place where it is compared.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/check.h"
#include "base/error.h"
#include "kernels/codegen/plan/lowered_code.h"
#include "kernels/devices/backend.h"
#include "kernels/devices/package/unit.h"
#include "kernels/task.h"

namespace exh::kernels {

std::span<const Backend* const> AllBackends() {
  static const std::vector<const Backend*> all = [] {
    std::vector<const Backend*> backends;
    exh_list_of_backends(backends);
    return backends;
  }();
  return all;
}

const Backend* FindBackend(std::string_view language) {
  const auto all = AllBackends();
  const auto found = std::ranges::find(all, language, &Backend::language);
  return found == all.end() ? nullptr : *found;
}

const Backend& BackendOf(const ir::Device& device) {
  const Backend* const backend = FindBackend(device.language);
  EXH_CHECK(backend != nullptr);
  return *backend;
}

Source EmitSource(const Task& task, const runtime::Candidate& candidate) {
  const ir::Device& device = task.function->device;
  const codegen::Schedule schedule = ExtractSchedule(task, candidate);
  const codegen::LoweredCode code = codegen::LowerImplementation(*task.function, schedule);
  Source source = BackendOf(device).Print(code, device);
  source.across = codegen::WaysInWords(code.splits);
  source.bits_vary = codegen::BitsMayVary(*task.function, code.splits);
  for (const ir::Array& array : task.function->arrays) source.argument_bytes += array.bytes();
  if (source.gpu) source.workspace_bytes = source.gpu->launch.scratch_bytes();
  return source;
}

std::unique_ptr<OwnKernelBench> MakeOwnBench(const OwnKernelTask& task,
                                             const EvaluatorOptions& options) {
  for (const Backend* const backend : AllBackends()) {
    if (auto bench = backend->MakeOwnBench(task, options)) return bench;
  }
  throw UsageError("this program was built without what runs kernels of users");
}

void RequireRuns(const ir::Device& device) {
  if (device.runs) return;
  throw UsageError(fmt::format(
      "nothing runs on device '{}': its spaces can be counted (search size, dead-ends), exported "
      "and explained, its sources printed (search emit FILE); --device cpu runs here",
      device.name));
}

void RequireGpu(const ir::Device& device, const std::string& what, const std::string& advice) {
  if (BackendOf(device).is_gpu()) return;
  throw UsageError(
      fmt::format("{}: the device is '{}', which is no GPU; {}", what, device.name, advice));
}

DeviceResult Backend::Detect(int /*gpu*/) const {
  return {std::nullopt,
          fmt::format("a device whose language is {} has nothing that is detected", language())};
}

std::string Backend::ProblemOfUnits(const ir::Device& device) const {
  if (device.tensor_units.empty()) return "";
  return fmt::format("no matrix unit is used by code whose language is {}", language());
}

std::string Backend::ProblemOfBulkCopies(const ir::Device& device) const {
  if (!device.bulk_copies) return "";
  return fmt::format("there are no bulk copies in code whose language is {}", language());
}

std::string Backend::RatesFile(const ir::Device& device) const {
  return DeviceFolder() + "/rates/" + device.name + ".json";
}

std::string Backend::SpeedText(const ir::Device& device) const {
  throw UsageError(
      fmt::format("the speed of device '{}' is not measured on this machine", device.name));
}

std::string Backend::ClassOf(const ir::Device& device) const {
  return device.name;
}

std::unique_ptr<Evaluator> Backend::MakeEvaluator(std::unique_ptr<const Workload> /*workload*/,
                                                  const EvaluatorOptions& /*options*/) const {
  throw UsageError(
      fmt::format("nothing compiles or runs {} here; --device cpu runs here", language()));
}

std::string Backend::Export(const Task& /*task*/, const Source& /*source*/,
                            const std::string& /*about*/) const {
  EXH_CHECK(!export_format().empty());
  return "";
}

std::string Backend::ExportHeader(const Task& /*task*/, const Source& /*source*/,
                                  const std::string& /*about*/) const {
  EXH_CHECK(!export_format().empty());
  return "";
}

package::Unit Backend::Package(const Task& /*task*/, const Source& /*source*/,
                               const std::string& /*conditions*/,
                               const std::string& /*name*/) const {
  EXH_CHECK(library_kind() != nullptr);
  return {};
}

}  // namespace exh::kernels

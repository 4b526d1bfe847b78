// SPDX-License-Identifier: MIT
#include "kernels/task.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "kernels/codegen/plan/lowered_code.h"
#include "kernels/ir/lowering.h"
#include "kernels/ir/ops.h"
#include "kernels/ir/text/unit_notes.h"
#include "kernels/library/call_kernel.h"
#include "kernels/library/registry.h"
#include "kernels/problem.h"
#include "spaces/linalg.exh.h"

namespace exh::kernels {
namespace {

/// Objects are numbered in 16 bits, and freezing takes time and memory that grow with their cube.
constexpr std::size_t kMostStatements = 1000;

/// What can be had without swapping: files that are only cached give way.
std::uint64_t AvailableBytes() {
  std::ifstream facts("/proc/meminfo");
  std::string name, unit;
  for (std::uint64_t kib = 0; facts >> name >> kib; std::getline(facts, unit)) {
    if (name == "MemAvailable:") return kib << 10;
  }
  return static_cast<std::uint64_t>(sysconf(_SC_AVPHYS_PAGES)) *
         static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

void RequireRoom(const ir::Function& function) {
  constexpr double kMiB = 1 << 20;
  const std::uint64_t needed = ProblemBytes(function.arrays), available = AvailableBytes();
  if (needed <= available) return;
  throw Error(fmt::format(
      "the arrays of {} at these sizes need {:.0f} MiB with their reference; "
      "{:.0f} MiB of memory are free",
      function.name, static_cast<double>(needed) / kMiB, static_cast<double>(available) / kMiB));
}

/// What the device has of ways across blocks, and none of them for a reduction that could be
/// divided.
void NoteImpossibleWays(const ir::Target& target, std::vector<std::string>& notes) {
  for (const ir::Instruction& inst : target.insts) {
    if (!inst.is_reduction() || target.splittable_dims(inst) == 0) continue;
    std::vector<std::string> reasons;
    for (const std::string& way : target.device.across_blocks) {
      const std::string_view why = target.why_not_across(inst, way);
      if (!why.empty()) reasons.push_back(fmt::format("{}: {}", way, why));
    }
    if (reasons.size() < target.device.across_blocks.size()) continue;
    notes.push_back(fmt::format("blocks do not divide {} ({} of {}): {}", inst.name(),
                                ir::InfoOf(ir::CombinedBy(inst.op)).word, ir::WordOf(inst.type),
                                fmt::join(reasons, "; ")));
  }
}

}  // namespace

Task MakeTask(const Kernel& kernel, const Parameters& sizes, const ir::Device& device, bool paper,
              const runtime::FreezeOptions& freeze) {
  Task task;
  task.kernel = &kernel;
  task.space = &SpaceOf(kernel);
  task.sizes = sizes;

  const auto function = std::make_shared<ir::Target>();
  function->device = device;
  function->paper = paper;
  BuiltBackbone built = BuildBackbone(kernel, sizes, paper, *function, &device);
  function->known_sizes = built.knows_sizes;
  task.notes = std::move(built.notes);
  task.flops = CallKernel(kernel, "Flops", &Kernel::Flops, sizes);
  if (!std::isfinite(task.flops) || task.flops < 0) {
    throw KernelError(kernel, fmt::format("Flops returns {}; it is a number of operations, 0 if "
                                          "nobody counts them",
                                          task.flops));
  }
  ir::PlanLowering(*function, function->plans_windows(), function->reads_matrices());
  NoteImpossibleWays(*function, task.notes);
  for (std::string& note : ir::UnitNotes(*function)) task.notes.push_back(std::move(note));
  if (function->statements.size() > kMostStatements) {
    throw UsageError(fmt::format("{} has {} statements; the space takes {}", function->name,
                                 function->statements.size(), kMostStatements));
  }
  task.function = function;
  task.host = task.space->MakeHost(*function);
  task.instance = runtime::Instance::Freeze(task.space->space(), *task.host, freeze);
  runtime::CheckHasChoicesOf(task.space->space(), LinalgSpace().space());
  task.decisions = task.space->FindDecisions(*task.host, *task.instance);
  if (task.instance->root_result() == runtime::Propagation::kDeadEnd) {
    task.root_failed = true;
    task.notes.push_back(
        "the space has no implementation at these sizes on this device: " +
        runtime::OriginText(task.instance->space(), task.instance->root_conflict().origin));
  }
  return task;
}

void RequireRoom(const Task& task) {
  if (task.function->device.runs) RequireRoom(*task.function);
}

void RequireRoom(const Kernel& kernel, const Parameters& sizes, const ir::Device& device) {
  if (!device.runs) return;
  ir::Function function;
  BuildBackbone(kernel, sizes, /*paper=*/false, function, &device);
  RequireRoom(function);
}

codegen::Schedule ExtractSchedule(const Task& task, const runtime::Candidate& candidate) {
  EXH_CHECK(candidate.IsImplementation());
  return spaces::linalg::Extract(task.decisions, candidate);
}

std::string Outline(const Task& task, const runtime::Candidate& candidate) {
  const codegen::Schedule schedule = ExtractSchedule(task, candidate);
  const codegen::LoweredCode code = codegen::LowerImplementation(*task.function, schedule);
  return codegen::ToText(*task.function, code.tree);
}

}  // namespace exh::kernels

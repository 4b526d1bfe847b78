// SPDX-License-Identifier: MIT
#include "tests/kernels/space/sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/check.h"
#include "kernels/devices/device.h"
#include "kernels/ir/builder.h"
#include "kernels/ir/lowering.h"
#include "kernels/library/registry.h"
#include "search/descend/descent.h"
#include "search/log/decisions.h"
#include "search/subject/decision_file.h"

namespace exh::kernels::testing {
namespace {

constexpr int kPatience = 100;  ///< Dead ends after which a descent starts anew.

}  // namespace

void Coverage::Allow(const runtime::Instance& instance) {
  const runtime::Candidate root(std::shared_ptr<const runtime::Instance>(
      std::shared_ptr<const runtime::Instance>(), &instance));
  for (runtime::DecisionId d = 0; d < instance.num_decisions(); ++d) {
    const std::string& choice =
        instance.space().choices[static_cast<std::size_t>(instance.choice(d))].name;
    root.ForEachValue(
        d, [&](int value) { counts_[choice].try_emplace(instance.ValueName(d, value), 0); });
  }
}

void Coverage::Count(const ir::Function& function, const runtime::Candidate& implementation,
                     const codegen::Schedule& schedule) {
  const runtime::Instance& instance = implementation.instance();
  std::set<std::pair<int, std::string>> seen;
  for (runtime::DecisionId d = 0; d < instance.num_decisions(); ++d) {
    if (!implementation.IsLive(d)) continue;
    seen.emplace(instance.choice(d), instance.ValueName(d, implementation.FirstValue(d)));
  }
  for (const auto& [choice, value] : seen) {
    ++counts_[instance.space().choices[static_cast<std::size_t>(choice)].name][value];
  }
  ++implementations_;
  bool temporary = false;
  for (const ir::MemBlock& block : function.blocks) {
    temporary = temporary || schedule.InBlocks(block.id);
  }
  with_temporary_ += temporary;
  std::set<ir::DimId> axes;  // A thread dim that is MAPPED on none before it is a new axis.
  for (const ir::Dimension& dim : function.dims) {
    if (!schedule.InStatements(dim.id) || schedule.dim_kind(dim.id) != codegen::DimKind::THREAD)
      continue;
    const bool fresh = std::ranges::none_of(axes, [&](ir::DimId axis) {
      return schedule.thread_mapping(dim.id, axis) == codegen::ThreadMapping::MAPPED;
    });
    if (fresh) axes.insert(dim.id);
  }
  with_two_thread_dims_ += axes.size() >= 2;
}

std::vector<std::string> Coverage::Rare(double least) const {
  std::vector<std::string> rare;
  for (const auto& [choice, values] : counts_) {
    for (const auto& [value, count] : values) {
      if (Share(count) < least)
        rare.push_back(fmt::format("{}={} ({:.1f} %)", choice, value, 100 * Share(count)));
    }
  }
  return rare;
}

std::string Coverage::Table() const {
  std::string text = fmt::format(
      "{} implementations: {:.0f} % with a temporary, {:.0f} % with two or more thread dims\n",
      implementations_, 100 * share_with_temporary(), 100 * share_with_two_thread_dims());
  for (const auto& [choice, values] : counts_) {
    text += fmt::format("  {:<15}", choice);
    for (const auto& [value, count] : values) {
      text += fmt::format(" {} {:.0f} %", value, 100 * Share(count));
    }
    text += "\n";
  }
  return text;
}

ir::Device TestDevice(std::uint32_t max_threads) {
  DeviceResult result = LoadDevice("cpu");
  EXH_CHECK(result.device.has_value());
  result.device->max_threads = max_threads;
  result.device->max_unroll = 32;
  return *result.device;
}

ir::Device CudaTestDevice(std::uint32_t max_threads) {
  DeviceResult result = LoadDevice("h200");
  EXH_CHECK(result.device.has_value());
  result.device->max_threads = max_threads;
  result.device->max_unroll = 32;
  result.device->global_bytes = 1 << 16;  // So that temporaries in main memory are tested, too.
  return *result.device;
}

Task ChangedTask(const std::string& name, const Parameters& sizes, const ir::Device& device,
                 const std::function<void(ir::Target&)>& change) {
  const Kernel* kernel = FindKernel(name);
  EXH_CHECK(kernel != nullptr);
  Task task;
  task.kernel = kernel;
  task.space = &SpaceOf(*kernel);
  for (const Parameter& p : kernel->parameters()) task.sizes[p.name] = p.default_value;
  for (const auto& [size, value] : sizes) task.sizes.at(size) = value;
  auto function = std::make_shared<ir::Target>();
  function->device = device;
  change(*function);
  ir::Builder builder(*function);
  kernel->Build(builder, task.sizes);
  builder.Finish();
  ir::PlanLowering(*function, function->plans_windows(), function->reads_matrices());
  task.function = function;
  task.host = task.space->MakeHost(*function);
  task.instance = runtime::Instance::Freeze(task.space->space(), *task.host);
  task.decisions = task.space->FindDecisions(*task.host, *task.instance);
  return task;
}

Sample Draw(const std::string& kernel, const Parameters& sizes, const ir::Device& device, int count,
            std::uint64_t seed, Coverage& coverage, bool paper, const std::string& decisions) {
  const Kernel* const found = FindKernel(kernel);
  EXH_CHECK(found != nullptr);
  return Draw(*found, sizes, device, count, seed, coverage, paper, decisions);
}

Sample Draw(const Kernel& kernel, const Parameters& sizes, const ir::Device& device, int count,
            std::uint64_t seed, Coverage& coverage, bool paper, const std::string& decisions) {
  Parameters all;
  for (const Parameter& p : kernel.parameters()) all[p.name] = p.default_value;
  for (const auto& [name, value] : sizes) all.at(name) = value;
  Sample sample;
  sample.task = MakeTask(kernel, all, device, paper);
  EXH_CHECK(!sample.task.root_failed);
  coverage.Allow(*sample.task.instance);

  runtime::Candidate root(sample.task.instance);
  search::ApplyDecisions(search::ParseDecisionFile(decisions, "decisions"), root);
  Random random(seed);
  // How values travel, sizes and kinds come first: with them open, most orders of loops end in a
  // dead end. Which of them is first decides what is frequent: kinds leave little to threads that
  // meet in a temporary, and both leave little to temporaries that are rings. The rest is decided
  // in any order.
  std::vector<std::string> rest = search::ChoiceOrder::Default(*sample.task.instance).names();
  // A kernel without windows is drawn as if there were none in the space.
  const runtime::Instance& instance = *sample.task.instance;
  for (const char* name : {"window", "window_part"}) {
    const int choice = instance.FindChoice(name);
    const bool has_none =
        choice >= 0 && instance.first_decision(choice) == instance.end_decision(choice);
    if (has_none) std::erase(rest, name);
  }
  const std::vector<std::string> rings = {"transfer", "stages"};
  std::vector<std::string> early;
  for (const char* name : {"tiles", "thread_layout", "dim_mapping", "size", "dim_kind"}) {
    if (std::erase(rest, name) > 0) early.emplace_back(name);
  }
  while (static_cast<int>(sample.schedules.size()) < count) {
    std::vector<std::string> choices = early;
    const std::size_t first = choices.size();
    if (random.Below(2) == 0) std::swap(choices[first - 2], choices[first - 1]);
    if (random.Below(2) == 0) std::rotate(choices.begin(), choices.end() - 2, choices.end());
    const bool rings_first = random.Below(2) == 0;
    for (const std::string& name : rest) {
      if (!rings_first || std::ranges::find(rings, name) == rings.end()) choices.push_back(name);
    }
    for (std::size_t i = choices.size() - 1; i > first; --i) {
      std::swap(choices[i], choices[first + random.Below(i - first + 1)]);
    }
    if (rings_first) choices.insert(choices.begin(), rings.begin(), rings.end());
    const auto order = search::ChoiceOrder::Parse(fmt::format("{}", fmt::join(choices, ",")),
                                                  *sample.task.instance);
    search::Descender descender(order, kPatience);
    const auto result = descender.Run(root, random, [](const search::DeadEnd&) {});
    if (result != search::DescentResult::kImplementation) continue;
    sample.schedules.push_back(ExtractSchedule(sample.task, descender.candidate()));
    sample.decisions.push_back(search::AllDecisionsText(descender.candidate()));
    coverage.Count(*sample.task.function, descender.candidate(), sample.schedules.back());
  }
  return sample;
}

}  // namespace exh::kernels::testing

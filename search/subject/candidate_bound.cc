// SPDX-License-Identifier: MIT
#include "search/subject/candidate_bound.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/error.h"
#include "kernels/devices/backend.h"
#include "kernels/ir/device.h"
#include "search/log/decisions.h"

namespace exh::search {

namespace {

models::RatesResult Load(const kernels::ir::Device& device) {
  return models::LoadRates(kernels::BackendOf(device).RatesFile(device), device);
}
models::RatesResult LoadRecorded(kernels::ir::Device device) {
  device.model.clear();
  return Load(device);
}

}  // namespace

std::optional<models::DeviceRates> KnownRates(const kernels::ir::Device& device) {
  models::RatesResult result = Load(device);
  return result.rates ? result.rates : LoadRecorded(device).rates;
}

models::DeviceRates RatesOf(const kernels::ir::Device& device, WhichRates which) {
  models::RatesResult result = which == WhichRates::kRecorded ? LoadRecorded(device) : Load(device);
  if (!result.rates && which == WhichRates::kOfThisMachine) {
    if (kernels::BackendOf(device).MeasureRates(device)) result = Load(device);
    if (!result.rates) {
      if (auto recorded = LoadRecorded(device).rates) return *std::move(recorded);
    }
  }
  if (!result.rates) throw UsageError(result.error);
  return *std::move(result.rates);
}

namespace {

std::string HashOf(const models::DeviceRates& r) {
  const double numbers[] = {r.units,
                            r.clock_ghz,
                            r.warp_lanes,
                            r.fma_per_clk,
                            r.adds_share_fma,
                            r.issues_per_clk,
                            r.warp_issues_per_clk,
                            r.bytes_per_access,
                            r.fma_latency_clk,
                            r.unit_bytes_per_clk,
                            r.cache_bytes_per_clk,
                            r.accesses_per_clk,
                            r.access_bytes,
                            r.access_line_bytes,
                            r.read_latency_clk,
                            r.shared_latency_clk,
                            r.unit_warps,
                            r.unit_blocks,
                            r.unit_registers,
                            r.unit_shared_bytes,
                            r.memory_gbs,
                            r.memory_third_gbs,
                            r.memory_cache_bytes,
                            r.memory_sector_bytes,
                            r.half_unit_per_clk,
                            r.double_unit_per_clk,
                            r.units_bytes_per_clk,
                            r.conversions_per_clk,
                            r.specials_per_clk,
                            r.launch_gap_ns,
                            r.launch_gap_read_ns};
  std::string all = fmt::format("{} {}", r.name, fmt::join(numbers, " "));
  for (const models::DeviceRates::Sweep& sweep : r.sweeps) {
    all += fmt::format(" {} {} {} {}", sweep.bytes, sweep.gbs, sweep.read_gbs, sweep.third_gbs);
  }
  return HashText(all).substr(0, 8);
}

/// Until the thread asks again.
const models::Domains& DomainsOf(const kernels::Task& task, const runtime::Candidate& candidate) {
  // A search asks millions of times: the memory stays, and is the next one's.
  thread_local models::Domains domains;
  models::ReadDomains(*task.function, task.decisions, candidate, domains);
  return domains;
}

/// What is known of a GPU's multiprocessors; all else is as GpuLimits has it.
kernels::codegen::GpuLimits LimitsOf(const models::DeviceRates& rates) {
  kernels::codegen::GpuLimits gpu;
  gpu.units = rates.units;
  gpu.clock_ghz = rates.clock_ghz;
  if (rates.unit_warps == 0) return gpu;
  gpu.warps = rates.unit_warps;
  gpu.blocks = rates.unit_blocks;
  gpu.registers = rates.unit_registers;
  gpu.shared_bytes = rates.unit_shared_bytes;
  return gpu;
}

/// What is known of a processor; all else is as ProcessorLimits has it.
kernels::codegen::ProcessorLimits LimitsOf(const models::DeviceRates& rates,
                                           const kernels::ir::Device& device) {
  kernels::codegen::ProcessorLimits processor = kernels::codegen::LimitsOf(device);
  processor.clock_ghz = rates.clock_ghz;
  const double floats = processor.vector_bytes / sizeof(float);
  processor.arithmetic_per_clk = std::max(1.0, rates.fma_per_clk / floats);
  processor.beyond = {{0, rates.memory_gbs}};
  if (rates.sweeps.empty()) return processor;
  processor.beyond.clear();
  for (const auto& sweep : rates.sweeps) processor.beyond.push_back({sweep.bytes, sweep.read_gbs});
  return processor;
}

/// The amounts of the bound, and behind them the counts.
AmountsFunction AmountsOf(const std::shared_ptr<const CandidateBound>& bound) {
  const std::size_t of_bound = bound->num_amounts();
  AmountsFunction amounts = {of_bound, nullptr, bound->KindsOfAmounts()};
  const CandidateBound::Counts counts = bound->NamesOfCounts();
  if (counts.names.empty()) {
    amounts.fill = [bound](const runtime::Candidate& candidate, std::span<double> all) {
      bound->Amounts(candidate, all);
    };
    return amounts;
  }
  amounts.count += counts.names.size();
  amounts.names.resize(of_bound);
  amounts.names.insert(amounts.names.end(), counts.names.begin(), counts.names.end());
  amounts.kinds.insert(amounts.kinds.end(), counts.kinds.begin(), counts.kinds.end());
  const std::size_t guess = amounts.count - 1;
  amounts.guess = guess;
  amounts.fill = [bound, of_bound, guess](const runtime::Candidate& candidate,
                                          std::span<double> all) {
    bound->Amounts(candidate, all.first(of_bound));
    bound->Count(candidate, all.subspan(of_bound));
    all[guess] = std::max(all[guess], all.front());
  };
  return amounts;
}

}  // namespace

SearchBound MakeSearchBound(const Problem& problem, models::CacheState caches, WhichRates which) {
  const models::DeviceRates rates = RatesOf(problem.device, which);
  const auto bound = std::make_shared<const CandidateBound>(problem, rates, caches);
  return {
      [bound](const runtime::Candidate& candidate) { return bound->Ns(candidate); },
      [bound](const runtime::Candidate& candidate) {
        return std::string(bound->Explain(candidate).bottleneck);
      },
      AmountsOf(bound),
      fmt::format("{} {}", caches == models::CacheState::kCold ? "cold" : "warm", HashOf(rates)),
      rates.model.empty() ? "" : kernels::BackendOf(problem.device).RatesFile(problem.device)};
}

CandidateBound::CandidateBound(const Problem& problem, models::CacheState caches)
    : CandidateBound(problem, RatesOf(problem.device), caches) {}

CandidateBound::CandidateBound(const Problem& problem, const models::DeviceRates& rates,
                               models::CacheState caches)
    : task_(problem.task), bound_(*problem.task.function, rates, caches) {
  if (rates.warp_lanes == kernels::ir::kWarpLanes) {
    limits_ = LimitsOf(rates);
  } else if (rates.warp_lanes == 1) {
    limits_ = LimitsOf(rates, problem.device);
  }
}

double CandidateBound::Ns(const runtime::Candidate& candidate, double enough) const {
  return bound_.Ns(DomainsOf(task_, candidate), enough);
}

void CandidateBound::Amounts(const runtime::Candidate& candidate, std::span<double> amounts) const {
  bound_.Amounts(DomainsOf(task_, candidate), amounts);
}

void CandidateBound::Count(const runtime::Candidate& implementation,
                           std::span<double> counts) const {
  const auto schedule = kernels::ExtractSchedule(task_, implementation);
  const auto code = kernels::codegen::LowerImplementation(*task_.function, schedule,
                                                          kernels::codegen::TensorForm::kLanes,
                                                          kernels::codegen::BankSearch::kNone);
  if (const auto* gpu = std::get_if<kernels::codegen::GpuLimits>(&limits_)) {
    std::ranges::copy(kernels::codegen::CountStatically(code, *gpu), counts.begin());
  } else {
    const auto& processor = std::get<kernels::codegen::ProcessorLimits>(limits_);
    std::ranges::copy(kernels::codegen::CountOnProcessor(code, processor), counts.begin());
  }
}

CandidateBound::Counts CandidateBound::NamesOfCounts() const {
  Counts counts;
  // Kinds are those of the bound, of a GPU and of a processor, one behind the other.
  std::size_t kind = models::LowerBound::NumKindsOfAmounts();
  const auto add = [&]<typename Count>(std::size_t number) {
    for (std::size_t i = 0; i < number; ++i) {
      counts.names.emplace_back(NameOf(static_cast<Count>(i)));
      counts.kinds.push_back(static_cast<std::uint16_t>(kind + i));
    }
  };
  using kernels::codegen::kNumCounts, kernels::codegen::kNumProcessorCounts;
  if (std::holds_alternative<kernels::codegen::GpuLimits>(limits_)) {
    add.operator()<kernels::codegen::StaticCount>(kNumCounts);
  } else if (std::holds_alternative<kernels::codegen::ProcessorLimits>(limits_)) {
    kind += kNumCounts;
    add.operator()<kernels::codegen::ProcessorCount>(kNumProcessorCounts);
  }
  return counts;
}

models::Bound CandidateBound::Explain(const runtime::Candidate& candidate) const {
  models::Domains domains;
  models::ReadDomains(*task_.function, task_.decisions, candidate, domains);
  return bound_.Explain(domains);
}

}  // namespace exh::search

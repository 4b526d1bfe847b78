// SPDX-License-Identifier: MIT
#include "search/subject/candidate_bound.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "base/error.h"
#include "kernels/devices/backend.h"
#include "search/log/decisions.h"

namespace exh::search {

std::optional<models::DeviceRates> KnownRates(const kernels::ir::Device& device) {
  return models::LoadRates(kernels::BackendOf(device).RatesFile(device), device).rates;
}

models::DeviceRates RatesOf(const kernels::ir::Device& device) {
  const kernels::Backend& backend = kernels::BackendOf(device);
  const std::string file = backend.RatesFile(device);
  models::RatesResult result = models::LoadRates(file, device);
  if (!result.rates && backend.MeasureRates(device)) result = models::LoadRates(file, device);
  if (!result.rates) throw UsageError(result.error);
  return *std::move(result.rates);
}

namespace {

std::string HashOf(const models::DeviceRates& r) {
  const double numbers[] = {
      r.units,           r.clock_ghz,          r.warp_lanes,          r.fma_per_clk,
      r.adds_share_fma,  r.issues_per_clk,     r.warp_issues_per_clk, r.bytes_per_access,
      r.fma_latency_clk, r.unit_bytes_per_clk, r.cache_bytes_per_clk, r.accesses_per_clk,
      r.access_bytes,    r.access_line_bytes,  r.read_latency_clk,    r.shared_latency_clk,
      r.unit_warps,      r.unit_blocks,        r.unit_registers,      r.unit_shared_bytes,
      r.memory_gbs,      r.memory_third_gbs,   r.memory_cache_bytes,  r.memory_sector_bytes};
  const std::string all = fmt::format("{} {}", r.name, fmt::join(numbers, " "));
  return HashText(all).substr(0, 8);
}

/// Until the thread asks again.
const models::Domains& DomainsOf(const kernels::Task& task, const runtime::Candidate& candidate) {
  // A search asks millions of times: the memory stays, and is the next one's.
  thread_local models::Domains domains;
  models::ReadDomains(*task.function, task.decisions, candidate, domains);
  return domains;
}

}  // namespace

SearchBound MakeSearchBound(const Problem& problem, models::CacheState caches) {
  const auto bound = std::make_shared<const CandidateBound>(problem, caches);
  return {[bound](const runtime::Candidate& candidate) { return bound->Ns(candidate); },
          [bound](const runtime::Candidate& candidate) {
            return std::string(bound->Explain(candidate).bottleneck);
          },
          {bound->num_amounts(),
           [bound](const runtime::Candidate& candidate, std::span<double> amounts) {
             bound->Amounts(candidate, amounts);
           },
           bound->KindsOfAmounts()},
          fmt::format("{} {}", caches == models::CacheState::kCold ? "cold" : "warm",
                      HashOf(RatesOf(problem.device)))};
}

CandidateBound::CandidateBound(const Problem& problem, models::CacheState caches)
    : task_(problem.task), bound_(*problem.task.function, RatesOf(problem.device), caches) {}

double CandidateBound::Ns(const runtime::Candidate& candidate, double enough) const {
  return bound_.Ns(DomainsOf(task_, candidate), enough);
}

void CandidateBound::Amounts(const runtime::Candidate& candidate, std::span<double> amounts) const {
  bound_.Amounts(DomainsOf(task_, candidate), amounts);
}

models::Bound CandidateBound::Explain(const runtime::Candidate& candidate) const {
  models::Domains domains;
  models::ReadDomains(*task_.function, task_.decisions, candidate, domains);
  return bound_.Explain(domains);
}

}  // namespace exh::search

// SPDX-License-Identifier: MIT
#include "search/candidate_bound.h"

#include "kernels/devices/device.h"
#include "search/error.h"

namespace exh::search {
namespace {

models::DeviceRates Rates(const kernels::ir::Device& device) {
  models::RatesResult result = models::LoadRates(kernels::DeviceFolder() + "/rates", device);
  if (!result.rates) throw UsageError(result.error);
  return *std::move(result.rates);
}

}  // namespace

CandidateBound::CandidateBound(const Problem& problem, models::CacheState caches)
    : task_(problem.task), bound_(*problem.task.function, Rates(problem.device), caches) {}

double CandidateBound::Ns(const runtime::Candidate& candidate) {
  kernels::ReadDomains(task_, candidate, domains_);
  return bound_.Ns(domains_);
}

models::Bound CandidateBound::Explain(const runtime::Candidate& candidate) {
  kernels::ReadDomains(task_, candidate, domains_);
  return bound_.Explain(domains_);
}

}  // namespace exh::search

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

double CandidateBound::Ns(const runtime::Candidate& candidate) const {
  // A search asks millions of times: the memory stays, and is the next one's.
  thread_local kernels::ir::Domains domains;
  kernels::ReadDomains(task_, candidate, domains);
  return bound_.Ns(domains);
}

models::Bound CandidateBound::Explain(const runtime::Candidate& candidate) const {
  kernels::ir::Domains domains;
  kernels::ReadDomains(task_, candidate, domains);
  return bound_.Explain(domains);
}

}  // namespace exh::search

// SPDX-License-Identifier: MIT
//
// A problem with the bound of its candidates.
#pragma once

#include <string>

#include "kernels/devices/backend.h"
#include "kernels/task.h"
#include "models/lower_bound.h"
#include "search/subject/decision_file.h"
#include "search/subject/problem.h"

namespace exh::models {

inline search::Problem MakeProblem(const std::string& kernel, const std::string& size,
                                   const std::string& device, const std::string& space = "") {
  search::ProblemOptions options;
  options.kernel = kernel;
  options.size = size;
  options.device = device;
  options.space = space;
  return search::MakeProblem(options);
}

/// What is recorded of the device, whatever machine this is.
inline DeviceRates RecordedRates(kernels::ir::Device device) {
  device.model.clear();
  return LoadRates(kernels::BackendOf(device).RatesFile(device), device).rates.value();
}
inline DeviceRates RatesOf(const search::Problem& problem) {
  return RecordedRates(problem.device);
}

inline Domains DomainsOf(const search::Problem& problem, const runtime::Candidate& candidate) {
  Domains domains;
  ReadDomains(*problem.task.function, problem.task.decisions, candidate, domains);
  return domains;
}

/// The root with decisions taken, one a line.
inline runtime::Candidate Decided(const search::Problem& problem, const std::string& decisions) {
  runtime::Candidate candidate = problem.root();
  search::ApplyDecisions(search::ParseDecisionFile(decisions, "decisions"), candidate);
  return candidate;
}

/// The time of one term, 0 when there is none of that resource.
inline double TermNs(const Bound& bound, std::string_view resource) {
  for (const BoundTerm& term : bound.terms) {
    if (term.resource == resource) return term.ns;
  }
  return 0;
}

}  // namespace exh::models

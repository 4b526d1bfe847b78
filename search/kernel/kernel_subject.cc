// SPDX-License-Identifier: MIT
#include "search/kernel/kernel_subject.h"

#include "kernels/devices/backend.h"
#include "kernels/devices/device.h"
#include "kernels/first.h"
#include "kernels/library/registry.h"
#include "kernels/problem.h"
#include "search/measure/make_evaluator.h"
#include "search/report/comparison.h"
#include "search/report/report.h"
#include "search/subject/candidate_bound.h"

namespace exh::search {

std::unique_ptr<Subject> KernelSubject::Of(const RunRecord& run, const Allowance& allowance) {
  return std::make_unique<KernelSubject>(MakeProblem(run, allowance));
}

kernels::Source KernelSubject::Emit(const runtime::Candidate& implementation) const {
  return kernels::EmitSource(problem_.task, implementation);
}

void KernelSubject::Describe(RunRecord& run) const {
  run.kernel = problem_.kernel->name();
  const bool is_known = kernels::FindKernel(run.kernel) == problem_.kernel;
  run.text = is_known ? "" : problem_.kernel->text();
  run.sizes = problem_.sizes;
  run.checked = kernels::SampleText(problem_.task);
  for (const kernels::Parameter& size : problem_.kernel->parameters()) {
    if (!size.words.empty()) run.words[size.name] = size.Text(run.sizes.at(size.name));
  }
  run.device = problem_.device.name;
  run.decisions = problem_.space();
  run.limits = DeviceLimits(problem_.device);
  constexpr double kWorthSaying = 1;
  if (problem_.space_s >= kWorthSaying) run.space_s = problem_.space_s;
}

std::vector<std::string> KernelSubject::notes() const {
  std::vector<std::string> notes = problem_.task.notes;
  const std::string sample = kernels::SampleText(problem_.task);
  if (problem_.device.runs && !sample.empty()) {
    notes.push_back("a reference of all results would take long: " + sample + " are compared");
  }
  return notes;
}

std::string KernelSubject::Outline(const runtime::Candidate& implementation) const {
  return WithoutSingleLoops(kernels::Outline(problem_.task, implementation));
}

std::unique_ptr<Evaluator> KernelSubject::MakeEvaluator(const EvaluatorOptions& options) const {
  return search::MakeEvaluator(problem_, options);
}

std::string KernelSubject::InWords(const Comparison& comparison) const {
  return ComparisonText(problem_, comparison);
}

namespace {

models::CacheState Caches(bool is_cold) {
  return is_cold ? models::CacheState::kCold : models::CacheState::kWarm;
}

}  // namespace

SearchBound KernelSubject::Bound(bool is_cold, WhichRates which) const {
  return MakeSearchBound(problem_, Caches(is_cold), which);
}

BoundFunction KernelSubject::BoundUpTo(double enough) const {
  const auto bound = std::make_shared<const CandidateBound>(problem_);
  return
      [bound, enough](const runtime::Candidate& candidate) { return bound->Ns(candidate, enough); };
}

models::Bound KernelSubject::Explain(const runtime::Candidate& candidate, bool is_cold) const {
  return CandidateBound(problem_, Caches(is_cold)).Explain(candidate);
}

std::string KernelSubject::prior_file() const {
  return kernels::DeviceFolder() + "/priors/" + device_class() + ".json";
}

std::vector<kernels::Recipe> KernelSubject::Recipes() const {
  return kernels::FirstRecipes(*problem_.task.function);
}

}  // namespace exh::search

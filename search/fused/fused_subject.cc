// SPDX-License-Identifier: MIT
#include "search/fused/fused_subject.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "kernels/fused/code/code.h"
#include "kernels/fused/graph/read.h"
#include "kernels/fused/lower.h"
#include "kernels/fused/run/problem.h"
#include "kernels/loops/loop_text.h"
#include "models/device_rates.h"
#include "search/fused/fused_workload.h"
#include "search/measure/make_evaluator.h"
#include "search/report/comparison.h"
#include "search/report/report.h"
#include "search/subject/candidate_bound.h"
#include "search/subject/freeze_progress.h"

namespace exh::search {
namespace {

namespace fused = kernels::fused;

fused::Graph GraphOf(const std::string& text) {
  fused::ReadResult result = fused::ReadOperator(text);
  if (result.graph) return *std::move(result.graph);
  std::string mistakes;
  for (const fused::Mistake& mistake : result.mistakes) {
    mistakes += (mistakes.empty() ? "" : "\n") + fused::TextOf(mistake);
  }
  throw UsageError(mistakes);
}

/// What is too large for its reference is refused before anything is scheduled or drawn.
fused::OperatorProgram ProgramWithin(const fused::Graph& graph, const Allowance& allowance) {
  fused::OperatorProgram program = fused::ProgramOf(fused::StatementsOf(graph));
  try {
    fused::CheckReferenceBytes(program.list, fused::MostBytes(allowance.bytes));
  } catch (const TooLarge& error) {
    throw UsageError(fmt::format("{}; --memory allows more", error.what()));
  }
  return program;
}

}  // namespace

FusedSubject::FusedSubject(std::string text, kernels::ir::Device device, int leaves,
                           const Allowance& allowance)
    : text_(std::move(text)),
      graph_(GraphOf(text_)),
      device_(std::move(device)),
      leaves_(leaves),
      allowance_(allowance),
      program_(ProgramWithin(graph_, allowance)),
      schedules_(program_, poly::DependenceKind::kValue, {.stop = allowance.stop}),
      space_(schedules_, leaves, FreezeWithin(allowance)) {}

std::unique_ptr<Subject> FusedSubject::Of(const RunRecord& run, const Allowance& allowance) {
  const auto leaves = run.settings.find("leaves");
  if (leaves == run.settings.end()) {
    throw UsageError("this run of a fused operator does not say how many `leaves` it had");
  }
  ProblemOptions options;
  options.device = run.device;
  for (const auto& [name, value] : run.limits) options.limits.push_back(name + "=" + value);
  return std::make_unique<FusedSubject>(run.text, FindDevice(options),
                                        static_cast<int>(leaves->second), allowance);
}

runtime::Candidate FusedSubject::root() const {
  return runtime::Candidate(space_.instance());
}

void FusedSubject::Describe(RunRecord& run) const {
  run.subject = run.kernel = kFusedSubject;
  run.text = text_;
  run.settings = {{"leaves", leaves_}};
  run.device = device_.name;
  run.limits = DeviceLimits(device_);
}

std::string FusedSubject::Outline(const runtime::Candidate& implementation) const {
  std::string text;
  for (const fused::NestNode& nest : space_.NestsOf(implementation)) {
    text += kernels::loops::ToText(nest);
  }
  return text;
}

std::unique_ptr<const kernels::Workload> FusedSubject::MakeWorkload() const {
  return WorkloadOf(graph_, schedules_, space_, device_, fused::MostBytes(allowance_.bytes));
}

kernels::Source FusedSubject::Emit(const runtime::Candidate& implementation) const {
  return MakeWorkload()->Emit(implementation);
}

std::unique_ptr<Evaluator> FusedSubject::MakeEvaluator(const EvaluatorOptions& options) const {
  return search::MakeEvaluator(MakeWorkload(), options);
}

std::string FusedSubject::InWords(const Comparison& comparison) const {
  return ComparisonText(comparison.records);
}

models::Bound BoundOfBytes(const kernels::ir::Device& device, std::uint64_t bytes,
                           WhichRates which) {
  const models::DeviceRates rates = RatesOf(device, which);
  const auto all = static_cast<double>(bytes);
  const models::DeviceRates::Sweep* const sweep = models::SweepOf(rates, all);
  const double beyond = std::max(0.0, all - rates.memory_cache_bytes);
  models::Bound bound;
  bound.least_blocks = bound.most_blocks = 0;
  const auto add = [&](std::string_view resource, double amount, const char* unit, double gbs) {
    bound.terms.push_back(
        {resource, amount, unit, gbs, fmt::format("{:.6g} GB/s", gbs), amount / gbs, {}});
  };
  add("traffic", all, "bytes of arrays", rates.units * rates.unit_bytes_per_clk * rates.clock_ghz);
  if (sweep != nullptr && all / sweep->gbs > beyond / rates.memory_gbs) {
    add("memory", all, "bytes of arrays", sweep->gbs);
  } else {
    add("memory", beyond, "bytes that no cache holds", rates.memory_gbs);
  }
  std::ranges::stable_sort(bound.terms, std::greater(), &models::BoundTerm::ns);
  bound.ns = bound.terms.front().ns;
  bound.bottleneck = bound.terms.front().resource;
  return bound;
}

SearchBound FusedSubject::Bound(bool /*is_cold*/, WhichRates which) const {
  const std::uint64_t bytes = fused::CompulsoryBytes(program_);
  const models::Bound bound = BoundOfBytes(device_, bytes, which);
  return CommonBound(bound, fmt::format("bytes {} in {:.6g} ns", bytes, bound.ns));
}

models::Bound FusedSubject::Explain(const runtime::Candidate& /*candidate*/,
                                    bool /*is_cold*/) const {
  return BoundOfBytes(device_, fused::CompulsoryBytes(program_));
}

}  // namespace exh::search

// SPDX-License-Identifier: MIT
#include "search/functional/functional_subject.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "functional/expression/expression.h"
#include "kernels/devices/backend.h"
#include "models/device_rates.h"
#include "search/functional/joint_space.h"
#include "search/functional/program_costs.h"
#include "search/functional/program_workload.h"
#include "search/measure/make_evaluator.h"
#include "search/report/comparison.h"
#include "search/report/report.h"
#include "search/subject/candidate_bound.h"
#include "search/subject/freeze_progress.h"

namespace exh::search {
namespace {}  // namespace

FunctionalSubject::FunctionalSubject(std::string text, functional::Given given,
                                     const lift::Rules& rules, kernels::ir::Device device,
                                     const Allowance& allowance)
    : text_(std::move(text)),
      given_(std::move(given)),
      rules_(rules),
      device_(std::move(device)),
      allowance_(allowance),
      mapped_("the program", text_, given_),
      tree_(mapped_.Tree()) {
  kernels::RequireGpu(device_, "functional programs run on GPUs", "--device cuda");
  mapped_.CheckLengths();
  instance_ = FreezeJoint(mapped_.constraints(), lift::MakeProgram(tree_.maps, rules_),
                          FreezeWithin(allowance));
}

std::unique_ptr<Subject> FunctionalSubject::Of(const RunRecord& run, const Allowance& allowance) {
  functional::Given given(run.sizes.begin(), run.sizes.end());
  lift::Rules rules;
  const auto take = [&](const char* name, bool& rule) {
    const auto found = run.settings.find(name);
    if (found != run.settings.end()) rule = found->second != 0;
  };
  for (const lift::LiftRule& rule : lift::kRules) take(rule.name, rules.*rule.holds);
  take("strict", rules.strict);
  take("through_fused", rules.through_fused);
  take("whole_nest", rules.whole_nest);
  ProblemOptions options;
  options.device = run.device;
  for (const auto& [name, value] : run.limits) options.limits.push_back(name + "=" + value);
  return std::make_unique<FunctionalSubject>(run.text, std::move(given), rules, FindDevice(options),
                                             allowance);
}

runtime::Candidate FunctionalSubject::root() const {
  return runtime::Candidate(instance_);
}

void FunctionalSubject::Describe(RunRecord& run) const {
  run.subject = run.kernel = kFunctionalSubject;
  run.text = text_;
  for (const auto& [name, value] : given_) run.sizes[name] = value;
  for (const lift::LiftRule& rule : lift::kRules) {
    if (!(rules_.*rule.holds)) run.settings[rule.name] = 0;
  }
  if (rules_.strict) run.settings["strict"] = 1;
  if (rules_.through_fused) run.settings["through_fused"] = 1;
  if (rules_.whole_nest) run.settings["whole_nest"] = 1;
  run.device = device_.name;
  run.limits = DeviceLimits(device_);
}

std::string FunctionalSubject::Outline(const runtime::Candidate& implementation) const {
  const functional::Codes codes = CodesOf(implementation);
  std::string text;
  for (const auto& [name, value] : ValuesOf(mapped_.program(), implementation)) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, value);
  }
  if (!text.empty()) text += '\n';
  for (std::size_t i = 0; i < codes.size(); ++i) {
    text += fmt::format("{}{}={}", i == 0 ? "" : ",", tree_.maps[i].name(), codes[i]);
  }
  return text + "\n";
}

functional::Assignment FunctionalSubject::AnyValues() const {
  const std::vector<functional::Assignment> some = mapped_.SomeValues(1);
  if (!some.empty()) return some.front();
  throw UsageError("no values of the parameters were found that go together: --size gives them");
}

std::unique_ptr<const kernels::Workload> FunctionalSubject::MakeWorkload() const {
  return WorkloadOf(mapped_, AnyValues(), device_, allowance_.bytes);
}

kernels::Source FunctionalSubject::Emit(const runtime::Candidate& implementation) const {
  return MakeWorkload()->Emit(implementation);
}

std::unique_ptr<Evaluator> FunctionalSubject::MakeEvaluator(const EvaluatorOptions& options) const {
  try {
    return search::MakeEvaluator(MakeWorkload(), options);
  } catch (const TooLarge& error) {
    throw UsageError(fmt::format("{}; --memory allows more", error.what()));
  }
}

std::string FunctionalSubject::InWords(const Comparison& comparison) const {
  return ComparisonText(comparison.records);
}

models::Bound FunctionalSubject::BoundOfResults(const models::DeviceRates& rates) const {
  double bytes = 0;
  for (const kernels::ir::Array& array : functional::ArraysOf(mapped_.program(), AnyValues())) {
    if (array.role == kernels::ir::ArrayRole::kOutput) bytes += static_cast<double>(array.bytes());
  }
  const double gbs = rates.units * rates.unit_bytes_per_clk * rates.clock_ghz;
  models::Bound bound;
  bound.least_blocks = bound.most_blocks = 0;
  bound.bottleneck = "traffic";
  bound.ns = bytes / gbs;
  bound.terms = {
      {"traffic", bytes, "bytes of results", gbs, fmt::format("{:.6g} GB/s", gbs), bound.ns, {}}};
  return bound;
}

SearchBound FunctionalSubject::Bound(bool /*is_cold*/, WhichRates which) const {
  const models::DeviceRates rates = RatesOf(device_, which);
  const models::Bound bound = BoundOfResults(rates);
  return CommonBound(
      bound, fmt::format("results {:.0f} in {:.6g} ns", bound.terms.front().amount, bound.ns),
      CostsOfPrograms(mapped_, LimitsOf(device_), rates));
}

models::Bound FunctionalSubject::Explain(const runtime::Candidate& /*candidate*/,
                                         bool /*is_cold*/) const {
  return BoundOfResults(RatesOf(device_));
}

}  // namespace exh::search

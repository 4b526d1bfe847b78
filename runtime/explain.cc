// SPDX-License-Identifier: MIT
#include "runtime/explain.h"

#include "base/check.h"
#include "runtime/candidate.h"
#include "runtime/ground.h"
#include "runtime/internal/explain/tracer.h"

namespace exh::runtime {
namespace {

/// The root is shared; all decisions at once are one propagation.
bool IsDeadEnd(const Candidate& root, const std::vector<Action>& decisions) {
  Candidate candidate = root;
  return candidate.Restrict(decisions) == Propagation::kDeadEnd;
}

/// The first decisions that are a dead end, without those that it does not need. The last ones go
/// first: what is left is what was decided early.
std::vector<Action> Needed(const Candidate& root, std::span<const Action> decisions) {
  std::vector<Action> needed;
  Candidate candidate = root;
  for (const Action& action : decisions) {
    needed.push_back(action);
    if (candidate.Restrict(action) == Propagation::kDeadEnd) break;
  }
  for (std::size_t i = needed.size(); i-- > 0;) {
    std::vector<Action> without = needed;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
    if (IsDeadEnd(root, without)) needed = std::move(without);
  }
  return needed;
}

std::string Join(const std::vector<std::string>& parts, const std::string& separator) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : separator) + part;
  return text;
}

}  // namespace

std::optional<Explanation> ExplainDeadEnd(const std::shared_ptr<const Instance>& instance,
                                          std::span<const Action> decisions) {
  EXH_CHECK(instance->root_result() == Propagation::kFixpoint);
  const Candidate root(instance);
  if (!IsDeadEnd(root, {decisions.begin(), decisions.end()})) return std::nullopt;
  const std::vector<Action> needed = Needed(root, decisions);
  const GroundForm form = MakeGroundForm(*instance);
  internal::Tracer tracer(*instance, form);
  if (tracer.Apply(needed)) return tracer.Explain();
  // The engine saw further than the plain filters: it still knows who is to blame.
  Candidate candidate = root;
  const Propagation result = candidate.Restrict(needed);
  EXH_CHECK(result == Propagation::kDeadEnd);
  Explanation explanation;
  explanation.decisions = needed;
  explanation.steps.push_back({.by = {OriginText(instance->space(), candidate.conflict().origin)}});
  return explanation;
}

std::string ExplanationText(const Instance& instance, const Explanation& explanation) {
  const bool is_one = explanation.decisions.size() == 1;
  std::string text =
      is_one ? "This decision leads to a dead end:\n" : "These decisions cannot hold together:\n";
  for (const Action& action : explanation.decisions) {
    text += "  " + ActionText(instance, action) + "\n";
  }
  text += "Derivation:\n";
  int number = 0;
  for (const ExplanationStep& step : explanation.steps) {
    if (step.is_decision && !step.after.empty()) continue;  // It stands above.
    const bool is_last = &step == &explanation.steps.back();
    text += "  " + std::to_string(++number) + ". ";
    if (!step.subject.empty()) {
      text += step.subject + ": {" + step.before + "} -> {" + step.after + "}";
    } else {
      text += "contradiction";
    }
    if (!step.by.empty()) text += "\n     by " + Join(step.by, "\n        and ");
    if (!step.because.empty()) text += "\n     because " + Join(step.because, ", ");
    text += "\n";
    if (is_last) break;
  }
  if (!explanation.involved.empty()) {
    text += "The last step is about " + Join(explanation.objects, ", ") + ":\n";
    for (const auto& [decision, values] : explanation.involved) {
      text += "  " + instance.DecisionName(decision) + ": {" +
              instance.ValuesText(decision, values) + "}\n";
    }
  }
  return text;
}

}  // namespace exh::runtime

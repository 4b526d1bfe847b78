// SPDX-License-Identifier: MIT
#include "generator/explain_requirement.h"

#include <fmt/format.h>

#include <cstddef>
#include <vector>

#include "base/spelling.h"
#include "dsl/diagnostics/source.h"
#include "generator/plan/filters.h"
#include "generator/plan/plan.h"

namespace exh::generator {
namespace {

std::string UseText(const dsl::Spec& spec, const dsl::Requirement& requirement,
                    const FilterUse& use) {
  std::string arguments;
  for (int variable : use.instance.arguments) {
    if (!arguments.empty()) arguments += ", ";
    arguments += "$" + requirement.variables.at(static_cast<std::size_t>(variable)).name;
  }
  const auto choice = static_cast<std::size_t>(use.instance.choice);
  return fmt::format("{}({})", spec.choices.at(choice).name, arguments);
}

std::string FilterText(const dsl::Spec& spec, const dsl::Requirement& requirement,
                       const Filter& filter) {
  std::string inputs, clause;
  for (const FilterUse& input : filter.inputs) {
    inputs += (inputs.empty() ? "" : ", ") + UseText(spec, requirement, input);
  }
  for (const FilterAtom& atom : filter.atoms) {
    clause += (clause.empty() ? "" : " || ") + atom.text;
  }
  return fmt::format("  {}: restricts {}\n    reads {}\n    so that {}\n", filter.function,
                     UseText(spec, requirement, filter.target),
                     inputs.empty() ? "no other decision" : inputs, clause);
}

std::string TermsText(const dsl::Spec& spec, const dsl::Requirement& requirement,
                      const std::vector<dsl::Condition>& conditions) {
  std::string clause;
  for (const dsl::Condition& condition : conditions) {
    clause +=
        (clause.empty() ? "" : " || ") + ConditionText(spec, requirement.variables, condition);
  }
  return fmt::format("  no filter: the engine reads the terms itself\n    so that {}\n", clause);
}

}  // namespace

std::string ExplainRequirement(const dsl::Spec& spec, const std::string& label,
                               std::string* error) {
  const std::vector<RequirementFilters> filters = PlanFilters(spec);
  std::string text;
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < spec.requirements.size(); ++i) {
    const dsl::Requirement& requirement = spec.requirements[i];
    labels.push_back(requirement.label);
    if (requirement.label != label) continue;
    const dsl::Spec::File& file = spec.files.at(requirement.range.file);
    const dsl::LineColumn place = dsl::Locate(file.text, requirement.range.begin);
    text += fmt::format("{}:{}:{}: {}\n  {}\n", file.path, place.line, place.column, label,
                        requirement.text);
    std::string terms;
    for (const std::vector<dsl::Condition>& clause : requirement.clauses) {
      if (HasTerms(clause)) terms += TermsText(spec, requirement, clause);
    }
    if (filters.at(i).filters.empty() && terms.empty()) {
      text += "  no filters: no decision is restricted\n";
    }
    for (const Filter& filter : filters[i].filters) text += FilterText(spec, requirement, filter);
    text += terms;
  }
  if (text.empty()) {
    *error = fmt::format("no requirement is called '{}'{}", label, DidYouMean(label, labels));
  }
  return text;
}

}  // namespace exh::generator

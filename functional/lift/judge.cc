// SPDX-License-Identifier: MIT
#include "functional/lift/judge.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "runtime/explain.h"
#include "spaces/lift.exh.h"

namespace exh::lift {
namespace {

using runtime::Candidate;
using runtime::Instance;
using runtime::Propagation;

std::vector<runtime::Action> ActionsOf(const Instance& instance, const Mapping& mapping) {
  std::vector<runtime::Action> actions;
  const int choice = instance.FindChoice("code");
  for (const auto& [map, codes] : mapping.codes) {
    const runtime::Object object = static_cast<runtime::Object>(map);
    const auto decision = instance.FindDecision(choice, {&object, 1});
    EXH_CHECK(decision);
    const std::span<const std::uint32_t> universe = instance.universe(decision->id);
    runtime::Bits values = 0;
    for (std::size_t value = 0; value < universe.size(); ++value) {
      if (std::ranges::find(codes, universe[value]) != codes.end()) {
        values |= runtime::Bits{1} << value;
      }
    }
    actions.emplace_back(decision->id, values);
  }
  return actions;
}

bool IsRefused(const Instance& instance, Candidate candidate, const Mapping& mapping) {
  return instance.root_result() == Propagation::kDeadEnd ||
         candidate.Restrict(ActionsOf(instance, mapping)) == Propagation::kDeadEnd;
}

/// "requirement exhaustive (lift.exh:170)": "exhaustive"; empty: it is no requirement.
std::string LabelOf(std::string_view origin) {
  constexpr std::string_view kPrefix = "requirement ";
  if (!origin.starts_with(kPrefix)) return "";
  origin.remove_prefix(kPrefix.size());
  return std::string(origin.substr(0, origin.find(' ')));
}

/// What the codes mean for slots: a definition, which refuses nothing.
constexpr std::string_view kDefinition = "used_means_used";

/// The space with one of its requirements alone.
runtime::Space WithOnly(const runtime::Space& space, int requirement) {
  runtime::Space only = space;
  std::erase_if(only.clauses, [&](const runtime::Clause& clause) {
    return clause.requirement != requirement &&
           space.requirements[static_cast<std::size_t>(clause.requirement)].label != kDefinition;
  });
  return only;
}

/// What the derivation of the dead end is about.
std::vector<std::string> Derivation(const std::shared_ptr<const Instance>& instance,
                                    const Mapping& mapping) {
  std::vector<std::string> labels;
  const auto add = [&](const std::string& label) {
    if (label.empty() || label == kDefinition) return;
    if (std::ranges::find(labels, label) == labels.end()) labels.push_back(label);
  };
  if (instance->root_result() == Propagation::kDeadEnd) {
    add(LabelOf(OriginText(instance->space(), instance->root_conflict().origin)));
    return labels;
  }
  const auto explanation = ExplainDeadEnd(instance, ActionsOf(*instance, mapping));
  EXH_CHECK(explanation);
  for (const runtime::ExplanationStep& step : explanation->steps) {
    for (const std::string& origin : step.by) add(LabelOf(origin));
  }
  return labels;
}

}  // namespace

std::shared_ptr<const Instance> FreezeTree(const std::vector<Map>& maps, const Rules& rules) {
  const Program program = MakeProgram(maps, rules);
  return Instance::Freeze(spaces::lift::GetSpace(), spaces::lift::SpaceHost(program));
}

Judgement Judge(const std::vector<Map>& maps, const Rules& rules, const Mapping& mapping) {
  const auto instance = FreezeTree(maps, rules);
  Judgement verdict;
  if (!IsRefused(*instance, Candidate(instance), mapping)) {
    Candidate candidate(instance);
    const Propagation result = candidate.Restrict(ActionsOf(*instance, mapping));
    EXH_CHECK(result == Propagation::kFixpoint);
    verdict.candidate = std::move(candidate);
    return verdict;
  }
  const runtime::Space& space = instance->space();
  const Program program = MakeProgram(maps, rules);
  const spaces::lift::SpaceHost host(program);
  for (int number = 0; number < static_cast<int>(space.requirements.size()); ++number) {
    const std::string& label = space.requirements[static_cast<std::size_t>(number)].label;
    if (label == kDefinition) continue;
    const auto alone = Instance::Freeze(WithOnly(space, number), host);
    if (IsRefused(*alone, Candidate(alone), mapping)) verdict.requirements.push_back(label);
  }
  if (verdict.requirements.empty()) verdict.requirements = Derivation(instance, mapping);
  return verdict;
}

}  // namespace exh::lift

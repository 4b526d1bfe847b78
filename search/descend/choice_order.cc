// SPDX-License-Identifier: MIT
#include "search/descend/choice_order.h"

#include <algorithm>

#include "base/error.h"
#include "base/numbers.h"
#include "base/spelling.h"
#include "search/log/decisions.h"

namespace exh::search {

ChoiceOrder::ChoiceOrder(const runtime::Instance& instance, const std::vector<std::string>& first) {
  const std::vector<std::string> all = SearchedChoices(instance);
  const auto add = [&](const std::string& name) {
    if (std::find(all.begin(), all.end(), name) == all.end()) return;
    if (std::find(names_.begin(), names_.end(), name) == names_.end()) names_.push_back(name);
  };
  for (const std::string& name : first) add(name);
  const runtime::Space& space = instance.space();
  for (const int choice : space.order) add(space.choices[static_cast<std::size_t>(choice)].name);
  for (const std::string& name : all) add(name);
  for (const std::string& name : names_) {
    choices_.push_back(instance.FindChoice(name));
  }
}

ChoiceOrder ChoiceOrder::Default(const runtime::Instance& instance) {
  return {instance, {}};
}

ChoiceOrder ChoiceOrder::ForRepair(const runtime::Instance& instance) {
  return {instance, {"tiles", "thread_layout", "dim_mapping"}};
}

ChoiceOrder ChoiceOrder::Parse(std::string_view text, const runtime::Instance& instance) {
  std::vector<std::string> paper = {"rank",      "size",  "dim_kind", "thread_mapping",
                                    "mem_space", "order", "cache"};
  if (text == "paper-reversed") std::reverse(paper.begin(), paper.end());
  if (text == "paper" || text == "paper-reversed") return {instance, paper};
  const std::vector<std::string> legal = SearchedChoices(instance);
  std::vector<std::string> first;
  for (const std::string_view name : Split(text, ',')) {
    if (std::find(legal.begin(), legal.end(), name) == legal.end()) {
      throw UsageError("--order: " + UnknownName("choice", name, legal));
    }
    if (std::find(first.begin(), first.end(), name) != first.end()) {
      throw UsageError("--order: '" + std::string(name) + "' stands twice");
    }
    first.emplace_back(name);
  }
  return {instance, first};
}

std::vector<runtime::DecisionId> ChoiceOrder::Decisions(const runtime::Instance& instance) const {
  std::vector<runtime::DecisionId> decisions;
  for (const std::string& name : names_) {
    const int choice = instance.FindChoice(name);
    for (auto d = instance.first_decision(choice); d < instance.end_decision(choice); ++d) {
      decisions.push_back(d);
    }
  }
  return decisions;
}

std::optional<runtime::DecisionId> ChoiceOrder::Next(const runtime::Candidate& candidate) const {
  for (const int choice : choices_) {
    const runtime::DecisionId decision = candidate.FirstOpen(choice);
    if (decision != runtime::kNoDecision) return decision;
  }
  return std::nullopt;
}

}  // namespace exh::search

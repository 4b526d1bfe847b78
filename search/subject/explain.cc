// SPDX-License-Identifier: MIT
#include "search/subject/explain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "search/descend/value_set.h"

namespace exh::search {

std::vector<runtime::Action> FileActions(const DecisionFile& file,
                                         const runtime::Instance& instance) {
  std::vector<runtime::Action> actions;
  std::vector<std::string> mistakes;
  for (const DecisionFile::Line& line : file.decisions) {
    std::string error;
    if (const auto parsed = ParseActions(instance, line.text, &error)) {
      actions.insert(actions.end(), parsed->begin(), parsed->end());
    } else {
      mistakes.push_back(fmt::format("{}:{}: {}", file.path, line.number, error));
    }
  }
  if (!mistakes.empty()) throw UsageError(fmt::format("{}", fmt::join(mistakes, "\n")));
  return actions;
}

std::optional<std::vector<runtime::Action>> RandomDeadEnd(const runtime::Candidate& root,
                                                          const ChoiceOrder& order, Random& random,
                                                          int descents) {
  for (int descent = 0; descent < descents; ++descent) {
    runtime::Candidate candidate = root;
    std::vector<runtime::Action> actions;
    while (const auto decision = order.Next(candidate)) {
      const int value = DrawValue(candidate, *decision, random);
      actions.push_back(runtime::Action::Take(*decision, value));
      if (candidate.Restrict(actions.back()) == runtime::Propagation::kDeadEnd) return actions;
    }
  }
  return std::nullopt;
}

}  // namespace exh::search

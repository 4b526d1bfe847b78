// SPDX-License-Identifier: MIT
#include "search/subject/explain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>

#include "base/error.h"

namespace exh::search {

std::vector<runtime::Action> FileActions(const DecisionFile& file,
                                         const runtime::Instance& instance) {
  std::vector<runtime::Action> actions;
  std::vector<std::string> mistakes;
  for (const DecisionFile::Line& line : file.decisions) {
    std::string error;
    if (const auto action = ParseAction(instance, line.text, &error)) {
      actions.push_back(*action);
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
      runtime::Bits rest = candidate.domain(*decision);
      for (std::size_t skipped = random.Below(static_cast<std::size_t>(std::popcount(rest)));
           skipped > 0; --skipped) {
        rest &= rest - 1;
      }
      actions.push_back({*decision, rest & (~rest + 1)});
      if (candidate.Restrict(actions.back().decision, actions.back().values) ==
          runtime::Propagation::kDeadEnd) {
        return actions;
      }
    }
  }
  return std::nullopt;
}

}  // namespace exh::search

// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include "base/random.h"
#include "runtime/candidate.h"
#include "search/descend/choice_order.h"
#include "search/subject/decision_file.h"

namespace exh::search {

/// The decisions of a file, in its order. Throws UsageError with one line per name that does not
/// exist; whether they contradict each other is not asked.
std::vector<runtime::Action> FileActions(const DecisionFile& file,
                                         const runtime::Instance& instance);

/// Uniform random descents from the root without backing out, until one meets a dead end: its
/// decisions, the one that failed last. Nothing when `descents` of them met none.
std::optional<std::vector<runtime::Action>> RandomDeadEnd(const runtime::Candidate& root,
                                                          const ChoiceOrder& order, Random& random,
                                                          int descents = 2000);

}  // namespace exh::search

// SPDX-License-Identifier: MIT
#include "search/log/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/error.h"
#include "search/log/decisions.h"
#include "search/log/log_text.h"

namespace exh::search {
namespace {

std::string SpaceNote(const Log& log, const runtime::Instance& instance) {
  if (log.run->fingerprint == instance.fingerprint()) return "";
  return fmt::format("; the log is of space {} {}, this is {} {}", log.run->space,
                     log.run->fingerprint, instance.space().name, instance.fingerprint());
}

std::string LogStepText(const Log& log, const PathStep& step) {
  return fmt::format("{}={}", DecisionName(log, step.decision), ValueName(log, step));
}

}  // namespace

void CheckSameSpace(const Log& log, const std::string& path, const runtime::Instance& instance) {
  const std::vector<ChoiceRecord> choices = ChoiceRecords(instance);
  const auto fits = [](const ChoiceRecord& logged, const ChoiceRecord& choice) {
    return logged.index < 0 || logged == choice;  // What was lost says nothing else.
  };
  const bool is_same = log.choices.size() <= choices.size() &&
                       std::equal(log.choices.begin(), log.choices.end(), choices.begin(), fits);
  if (log.run->fingerprint == instance.fingerprint() && is_same) return;
  const std::string note = SpaceNote(log, instance);
  throw UsageError(fmt::format("'{}' is of another version of the space{}", path,
                               note.empty() ? ": its decisions are others now" : note));
}

PathStep LocalStep(const Log& log, const PathStep& step, const runtime::Candidate& candidate) {
  std::string error;
  const auto action = ParseAction(candidate.instance(), LogStepText(log, step), &error);
  if (!action) throw UsageError(error + SuccessorNote(LogStepText(log, step)));
  const int value = 64 * action->word + std::countr_zero(action->values);
  return {static_cast<int>(action->decision), value};
}

void ReplayRecord(const Log& log, const EvalRecord& eval, runtime::Candidate& candidate) {
  const runtime::Instance& instance = candidate.instance();
  for (const PathStep& step : eval.path) {
    const std::string text = LogStepText(log, step);
    std::string error;
    const auto action = ParseAction(instance, text, &error);
    if (!action) {
      throw UsageError(fmt::format("record {}: {}{}{}", eval.n, error, SuccessorNote(text),
                                   SpaceNote(log, instance)));
    }
    const std::string why = TryRestrict(candidate, *action);
    if (why.empty()) continue;
    throw UsageError(fmt::format("record {}: {} is contradicted ({}){}", eval.n, text, why,
                                 SpaceNote(log, instance)));
  }
  // Another space may number its decisions differently: only the same one can be compared.
  const bool same_space = log.run->fingerprint == instance.fingerprint();
  if (!candidate.IsImplementation() || (same_space && VectorText(candidate) != eval.vector)) {
    throw UsageError(fmt::format("record {}: its decisions no longer give its decision vector{}",
                                 eval.n, SpaceNote(log, instance)));
  }
}

}  // namespace exh::search

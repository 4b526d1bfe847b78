// SPDX-License-Identifier: MIT
#include "search/run/beginning.h"

#include <utility>

namespace exh::search {

void BeginRun(const EntryMaker& entries, const RunParts& parts, Pipeline& pipeline) {
  RunState& state = parts.state;
  if (!parts.frontier.learns()) return;
  for (std::size_t index = 0; index < parts.options.first.size(); ++index) {
    const runtime::Candidate& implementation = parts.options.first[index];
    if (state.Stopped()) return;
    const bool is_known = state.winners().has_incumbent();
    if (is_known && index >= parts.options.handed) return;
    Attempt attempt;
    const bool is_new =
        parts.frontier.Admit(entries.Make(implementation), ChosenBy::kFirst, attempt);
    if (!is_new || !state.Accept(attempt)) continue;
    Entry& entry = *attempt.entry;
    state.ShowStatus(false);
    if (!is_known) state.idle_limit().SetForFirst(state.SecondsLeft());
    if (entry.is_dropped() || state.idle_limit().IsIdle(entry.source.rough_ns) ||
        pipeline.Recall(entry)) {
      if (!entry.is_known) pipeline.Compile(entry);  // Which leaves it aside.
      parts.judge.Evaluate(entry);
      continue;
    }
    state.idle_limit().NoteFirst(entry.source.rough_ns);
    pipeline.EvaluateFirst(std::move(entry));
  }
  state.SetLimits();
}

}  // namespace exh::search

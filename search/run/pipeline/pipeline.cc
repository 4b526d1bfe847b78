// SPDX-License-Identifier: MIT
#include "search/run/pipeline/pipeline.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "base/activity.h"
#include "base/numbers.h"
#include "search/log/decisions.h"
#include "search/log/memory/front.h"
#include "search/run/lanes/lanes_pipeline.h"
#include "search/run/pipeline/ahead.h"
#include "search/run/pipeline/in_turn.h"

namespace exh::search {

Random Pipeline::RandomOf(std::uint64_t number) const {
  return Random(parts_.options.seed + number * 0x9e3779b97f4a7c15ULL);
}

void Pipeline::Compile(Entry& entry) const {
  if (entry.is_dropped()) return;
  const auto leave = [&entry](const std::string& why) {
    entry.compiled.verdict = kernels::Verdict::kIdle;
    entry.compiled.why = "not compiled: " + why;
  };
  const IdleLimit& idle = parts_.state.idle_limit();
  if (idle.IsIdle(entry.source.rough_ns)) {
    return leave(
        fmt::format("its instructions alone take about {}, and what takes more than {} is not "
                    "tried in the time that is left",
                    FormatTime(entry.source.rough_ns), FormatTime(idle.ns())));
  }
  if (idle.IsIdleByGuess(entry.source.guess_ns)) {
    return leave(
        fmt::format("it is guessed to take {}, and what is nearly as fast as the best at most a "
                    "fifth of {}",
                    FormatTime(entry.source.guess_ns), FormatTime(idle.guess_ns())));
  }
  if (idle.IsTooLong(entry.source.text.size(), parts_.evaluator.most_text_bytes())) {
    return leave(fmt::format(
        "its text has {}: a compiler would take so long that several others are tried in "
        "that time",
        BytesText(entry.source.text.size())));
  }
  const WorkspaceLimit& limit = parts_.state.workspace_limit();
  if (limit.IsAbove(entry.source.workspace_bytes)) {
    return leave(fmt::format("it takes {} beside the arrays, and the best {}",
                             BytesText(entry.source.workspace_bytes), BytesText(limit.bytes())));
  }
  if (Recall(entry)) return;
  Evaluator& evaluator = parts_.evaluator;
  const Doing compile(Activity::kCompile);
  entry.is_trial = evaluator.compiles_while_measuring() && !entry.source.careful.empty();
  entry.compiled = entry.is_trial ? evaluator.CompileTrial(entry.source)
                                  : evaluator.CompileOf(entry.source, entry.candidate);
}

bool Pipeline::Recall(Entry& entry) const {
  const VerdictCache* const verdicts = parts_.options.verdicts;
  if (verdicts == nullptr || entry.is_dropped()) return false;
  std::optional<KnownVerdict> known = verdicts->Find(WithoutComments(entry.source.text));
  if (!known) return false;
  entry.compiled.verdict = known->verdict;
  entry.compiled.why = std::move(known->why);
  entry.is_known = true;
  return true;
}

std::unique_ptr<Pipeline> MakePipeline(const RunParts& parts) {
  if (!parts.evaluator.lanes().empty()) return std::make_unique<LanesPipeline>(parts);
  if (parts.evaluator.compiles_while_measuring()) return std::make_unique<AheadPipeline>(parts);
  if (parts.frontier.learns()) return std::make_unique<InTurnByMany>(parts);
  return std::make_unique<InTurnByOne>(parts);
}

}  // namespace exh::search

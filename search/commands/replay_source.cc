// SPDX-License-Identifier: MIT
#include "search/commands/replay_source.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/numbers.h"
#include "kernels/evaluation.h"
#include "search/commands/command.h"
#include "search/log/log_text.h"
#include "search/log/replay.h"

namespace exh::search {

ReplaySource::ReplaySource(const std::string& source, std::optional<std::uint64_t> record,
                           const std::string& device)
    : source_(source) {
  if (IsRun(source) || record) {
    log_ = ReadLogAloud(source);
    const EvalRecord& eval = PickRecord(*log_, source, record);
    record_ = eval.n;
    run_ = *log_->run;
    fmt::print("record {} of {}: logged with {}\n", eval.n, source,
               eval.best_ns > 0 ? FormatTime(eval.best_ns)
                                : std::string(kernels::VerdictName(eval.verdict)));
    return;
  }
  file_ = ReadDecisionFile(source);
  run_.kernel = file_.kernel.value_or("");
  run_.text = file_.text.value_or("");
  run_.device = file_.device.value_or(device);
  for (const auto& [name, value] : ParseAssignments(file_.sizes.value_or(""), "size:")) {
    run_.sizes[std::string(name)] = ParseInteger(value).value_or(0);
  }
}

void ReplaySource::Decide(runtime::Candidate& candidate) const {
  if (log_) return ReplayRecord(*log_, PickRecord(*log_, source_, record_), candidate);
  ApplyDecisions(file_, candidate);
  if (!candidate.IsImplementation()) {
    throw UsageError(fmt::format("{}: its decisions leave something open", source_));
  }
}

}  // namespace exh::search

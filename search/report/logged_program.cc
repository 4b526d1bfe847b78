// SPDX-License-Identifier: MIT
#include "search/report/logged_program.h"

#include <fmt/format.h>

#include "base/error.h"
#include "kernels/devices/backend.h"
#include "search/log/log_text.h"
#include "search/log/replay.h"
#include "search/subject/decision_file.h"

namespace exh::search {
namespace {

Comparison Finals(const Log& log, const EvalRecord& eval) {
  Comparison finals;
  const EvalRecord* const best = log.Best();
  const bool is_best = best != nullptr && best->n == eval.n;
  const std::string name = is_best ? "winner" : fmt::format("record {}", eval.n);
  for (const ReferenceRecord& record : log.references) {
    const bool is_finalist = record.name == "winner" || record.name.starts_with("record ");
    if (record.name == name) {
      finals.winner = static_cast<int>(finals.records.size());
      finals.records.push_back(record);
      finals.records.back().name = "winner";
    } else if (is_best || !is_finalist) {
      // What the other finalists are to the winner they are to no other record.
      finals.records.push_back(record);
    }
  }
  if (finals.winner < 0) return {};
  finals.rates = log.rates;
  return finals;
}

}  // namespace

double LoggedProgram::time_ns() const {
  if (finals.winner < 0) return TimeOf(eval);
  const ReferenceRecord& record = finals.records[static_cast<std::size_t>(finals.winner)];
  if (record.median_ns > 0) return record.median_ns;
  return record.best_ns > 0 ? record.best_ns : TimeOf(eval);
}

LoggedProgram ReadProgram(const std::string& run, std::optional<std::uint64_t> record) {
  LoggedProgram program;
  program.run = run;
  program.log = ReadLogAloud(run);
  const Log& log = program.log;
  if (const int ours = RunRecord().version; log.run->version > ours) {
    throw UsageError(fmt::format(
        "the log of '{}' is of version {}, and this program reads versions up to {}: use the "
        "program that wrote it ({})",
        run, log.run->version, ours, log.run->tool));
  }
  const EvalRecord& eval = program.eval = PickRecord(log, run, record);
  program.problem = MakeProblem(*log.run);
  if (eval.verdict != kernels::Verdict::kCorrect) {
    throw UsageError(fmt::format("record {} of '{}' is not correct, but {}", eval.n, run,
                                 kernels::VerdictName(eval.verdict)));
  }
  runtime::Candidate candidate = program.problem.root();
  ReplayRecord(log, eval, candidate);
  Path path;  // By name: the numbers of the log need not be those of this program.
  for (const PathStep& step : eval.path) path.push_back(LocalStep(log, step, candidate));
  program.decisions =
      WriteDecisionFile(*log.run, candidate.instance(), path, fmt::format("Record {}", eval.n));
  program.source = kernels::EmitSource(program.problem.task, candidate);
  program.finals = Finals(log, eval);
  return program;
}

}  // namespace exh::search

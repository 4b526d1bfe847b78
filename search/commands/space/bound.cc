// SPDX-License-Identifier: MIT
//
// `search bound`: how fast an implementation, or whatever a list of decisions leaves open, can be
// at most, and what limits it.
#include "models/bound.h"

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "base/error.h"
#include "base/numbers.h"
#include "search/commands/command.h"
#include "search/commands/decided.h"
#include "search/log/log_reader.h"
#include "search/log/log_text.h"
#include "search/subject/decision_file.h"

namespace exh::search {
namespace {

struct BoundOptions {
  std::string source;
  std::optional<std::uint64_t> record;
  bool cold = false, json = false;
  ProblemOptions problem;
};

/// What is to be bounded.
struct Bounded {
  std::unique_ptr<Subject> subject;
  runtime::Candidate candidate;
  double measured_ns = 0;  ///< 0: not known.
};

Bounded FromLog(const BoundOptions& options) {
  const Log log = ReadLog(options.source);
  const EvalRecord& eval = PickRecord(log, options.source, options.record);
  Decided decided = DecidedInLog(log, eval, *log.run, {MemoryFor(options.problem.memory), nullptr});
  const double ns = eval.verdict == kernels::Verdict::kCorrect ? eval.best_ns : 0;
  return {std::move(decided.subject), std::move(decided.candidate), ns};
}

/// Of a list of decisions, all or some; or of a kernel, of which nothing is decided.
Bounded FromFile(ProblemOptions options, const std::string& path) {
  DecisionFile file;
  if (!path.empty()) file = ReadDecisionFile(path);
  if (path.empty() && options.kernel.empty() && options.compute.empty()) {
    throw UsageError("bound of what? search bound FILE, RUN, --kernel or --compute");
  }
  std::unique_ptr<Subject> subject = SubjectOfFile(file, std::move(options));
  runtime::Candidate candidate = subject->root();
  ApplyDecisions(file, candidate, subject->notes());
  return {std::move(subject), std::move(candidate)};
}

int PrintBound(const BoundOptions& options) {
  const bool is_log = IsRun(options.source) || options.record;
  const Bounded bounded = is_log ? FromLog(options) : FromFile(options.problem, options.source);
  const models::Bound bound = bounded.subject->Explain(bounded.candidate, options.cold);
  if (options.json) {
    fmt::print("{}", models::BoundJson(bound));
    return 0;
  }
  fmt::print("{}", models::BoundText(bound));
  if (bounded.measured_ns > 0) {
    fmt::print("measured: {}; the bound is {:.3g} of it\n", FormatTime(bounded.measured_ns),
               bound.ns / bounded.measured_ns);
  }
  return 0;
}

}  // namespace

void AddBoundCommand(CLI::App& app, Invocation& invocation) {
  CLI::App* const command = app.add_subcommand(
      "bound", "the time that no implementation of a candidate can go below, and why");
  const auto options = std::make_shared<BoundOptions>();
  options->problem.device.clear();  // Nothing said: the file's header decides.
  command->add_option("source", options->source,
                      "list of decisions, all or some; or folder or log of a run");
  command->add_option("--record", options->record, "number of the record (default: the best)");
  command->add_flag("--cold", options->cold, "nothing is in the caches when a run begins");
  command->add_flag("--json", options->json, "as JSON");
  AddProblemOptions(*command, options->problem);
  command->callback(
      [options, &invocation] { invocation.run = [options] { return PrintBound(*options); }; });
}

}  // namespace exh::search

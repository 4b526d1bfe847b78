// SPDX-License-Identifier: MIT
//
// `search fused search`: how an operator runs is searched. `search fused replay`: one such
// implementation again.
#include <fmt/format.h>

#include <fstream>
#include <memory>

#include "base/error.h"
#include "base/numbers.h"
#include "base/parallel.h"
#include "base/system/signals.h"
#include "search/commands/fused/operators.h"
#include "search/commands/search_options.h"
#include "search/commands/session.h"
#include "search/fused/fused_subject.h"
#include "search/subject/decision_file.h"

namespace exh::search {
namespace {

struct FusedSearchOptions {
  SearchOptions search;
  std::string file;
  int leaves = 12;
};

void CheckUnder(const FusedSearchOptions& options, const FusedSubject& subject) {
  if (!options.search.under().empty()) RequireGpu(subject.device(), "--under");
}

int Begin(const FusedSearchOptions& options, const Invocation& invocation) {
  const std::atomic<bool>& interrupted = ListenForSignals();
  Budget budget(options.search, interrupted);
  const FusedSubject subject(ReadOperators(options.file), FindDevice(options.search.problem),
                             options.leaves);
  CheckUnder(options, subject);
  return BeginRun(subject, options.search, invocation, budget);
}

int Resume(const FusedSearchOptions& options, const Invocation& invocation) {
  const auto run = OpenEarlierRun(options.search);
  const std::atomic<bool>& interrupted = ListenForSignals();
  Budget budget(options.search, interrupted);
  const auto subject = FusedSubject::Of(*run->earlier.run);
  CheckUnder(options, *subject);
  return ResumeRun(*subject, options.search, invocation, budget, run->log, run->earlier);
}

int Search(const FusedSearchOptions& options, const Invocation& invocation) {
  CheckRunOptions(options.search);
  if (!options.search.resume.empty()) return Resume(options, invocation);
  if (options.file.empty()) {
    throw UsageError("search which operator? search fused search FILE.json, or --resume RUN");
  }
  return Begin(options, invocation);
}

struct ReplayOptions {
  std::string file, emit;
};

int Replay(const ReplayOptions& options) {
  if (options.file.empty()) {
    throw UsageError("replay which decisions? search fused replay RUN/best.replay");
  }
  const DecisionFile file = ReadDecisionFile(options.file);
  RunRecord run;
  run.kernel = file.kernel.value_or("");
  run.text = file.text.value_or("");
  run.device = file.device.value_or("cpu");
  for (const auto& [name, value] : ParseAssignments(file.sizes.value_or(""), "size:")) {
    run.sizes[name] = ParseInteger(value).value_or(0);
  }
  const auto subject = FusedSubject::Of(run);
  runtime::Candidate candidate = subject->root();
  ApplyDecisions(file, candidate);
  if (!candidate.IsImplementation()) {
    throw UsageError(fmt::format("{}: its decisions leave something open", options.file));
  }
  const auto evaluator = subject->MakeEvaluator({.jobs = NumCores()});
  const kernels::Source source = evaluator->Emit(candidate);
  if (!options.emit.empty()) {
    std::ofstream out(options.emit, std::ios::binary);
    out << source.text;
    out.close();
    if (!out) throw Error(fmt::format("cannot write '{}'", options.emit));
  }
  const kernels::Measurement measured =
      evaluator->Measure(evaluator->Compile(source), {}, kernels::Effort::kFinal);
  fmt::print("{}{}\n", subject->Outline(candidate),
             measured.verdict == kernels::Verdict::kCorrect
                 ? "correct, " + FormatTime(measured.best_ns)
                 : fmt::format("{}: {}", kernels::VerdictName(measured.verdict), measured.why));
  return measured.verdict == kernels::Verdict::kCorrect ? 0 : 1;
}

}  // namespace

void AddFusedSearch(CLI::App& command, Invocation& invocation) {
  CLI::App* const search = command.add_subcommand(
      "search", "how an operator runs fastest: schedules, threads, tiles, vectors");
  const auto options = std::make_shared<FusedSearchOptions>();
  search->add_option("file", options->file, "FILE.json");
  search->add_option("--resume", options->search.resume, "go on with a run: its folder");
  search->add_option("--leaves", options->leaves,
                     "schedules of the tree beside the first (default 12)");
  search->add_option("--device", options->search.problem.device,
                     "cpu (default), or a GPU: cuda, h200");
  search->add_option("--gpu", options->search.problem.gpu, "which GPU (default 0)");
  search->add_option("--threads", options->search.problem.threads,
                     "of a program (default: all cores)");
  AddRunOptions(*search, options->search);
  search->callback([options, &invocation] {
    invocation.run = [options, &invocation] { return Search(*options, invocation); };
  });
  CLI::App* const replay = command.add_subcommand(
      "replay", "compiles, checks and times what a run called best: RUN/best.replay");
  const auto decisions = std::make_shared<ReplayOptions>();
  replay->add_option("file", decisions->file, "a list of decisions");
  replay->add_option("--emit", decisions->emit, "a file for the C++");
  replay->callback(
      [decisions, &invocation] { invocation.run = [decisions] { return Replay(*decisions); }; });
}

}  // namespace exh::search

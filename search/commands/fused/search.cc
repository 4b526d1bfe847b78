// SPDX-License-Identifier: MIT
//
// `search fused search`: how an operator runs is searched. `search fused replay`: one such
// implementation again.
#include <fmt/format.h>

#include <cstdint>
#include <fstream>
#include <memory>
#include <optional>

#include "base/error.h"
#include "base/numbers.h"
#include "base/parallel.h"
#include "base/system/signals.h"
#include "base/system/user_file.h"
#include "search/commands/fused/operators.h"
#include "search/commands/replay_source.h"
#include "search/commands/search_options.h"
#include "search/commands/session.h"
#include "search/fused/fused_subject.h"
#include "search/measure/possible.h"

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

Allowance AllowanceOf(const FusedSearchOptions& options, const Budget& budget) {
  return {MemoryFor(options.search.problem.memory), &budget.stop};
}

int Begin(const FusedSearchOptions& options, const Invocation& invocation) {
  const std::atomic<bool>& interrupted = ListenForSignals();
  Budget budget(options.search, interrupted);
  return WithinBudget([&] {
    const FusedSubject subject(ReadUserFile(options.file), FindDevice(options.search.problem),
                               options.leaves, AllowanceOf(options, budget));
    CheckUnder(options, subject);
    return BeginRun(subject, options.search, invocation, budget);
  });
}

int Resume(const FusedSearchOptions& options, const Invocation& invocation) {
  const auto run = OpenEarlierRun(options.search);
  const std::atomic<bool>& interrupted = ListenForSignals();
  Budget budget(options.search, interrupted);
  return WithinBudget([&] {
    const auto subject = FusedSubject::Of(*run->earlier.run, AllowanceOf(options, budget));
    CheckUnder(options, *subject);
    return ResumeRun(*subject, options.search, invocation, budget, run->log, run->earlier);
  });
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
  std::string source, emit, memory;
  std::optional<std::uint64_t> record;
};

int Replay(const ReplayOptions& options) {
  if (options.source.empty()) {
    throw UsageError("replay what? search fused replay RUN, or FILE");
  }
  const ReplaySource source_of(options.source, options.record, "cpu");
  const auto subject = FusedSubject::Of(source_of.run(), {MemoryFor(options.memory)});
  runtime::Candidate candidate = subject->root();
  source_of.Decide(candidate);
  const auto evaluator = subject->MakeEvaluator({.jobs = NumCores()});
  const kernels::Source source = evaluator->Emit(candidate);
  if (!options.emit.empty()) {
    std::ofstream out(options.emit, std::ios::binary);
    out << source.text;
    out.close();
    if (!out) throw Error(fmt::format("cannot write '{}'", options.emit));
  }
  const kernels::Measurement measured =
      MeasurePossible(*evaluator, evaluator->Compile(source),
                      subject->Bound(false, WhichRates::kOfThisMachine).bound(candidate));
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
  AddMemoryOption(*search, options->search.problem.memory, kForReferences);
  AddRunOptions(*search, options->search);
  search->callback([options, &invocation] {
    invocation.run = [options, &invocation] { return Search(*options, invocation); };
  });
  CLI::App* const replay = command.add_subcommand(
      "replay", "compiles, checks and times an implementation of a run again");
  const auto decisions = std::make_shared<ReplayOptions>();
  replay->add_option("source", decisions->source, "a run, or a list of decisions in a file");
  replay->add_option("--record", decisions->record, "number of the record (default: the best)");
  replay->add_option("--emit", decisions->emit, "a file for the C++");
  AddMemoryOption(*replay, decisions->memory, kForReferences);
  replay->callback(
      [decisions, &invocation] { invocation.run = [decisions] { return Replay(*decisions); }; });
}

}  // namespace exh::search

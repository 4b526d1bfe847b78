// SPDX-License-Identifier: MIT
//
// `search replay`: builds one implementation again, from a log or from a list of decisions, checks
// it, times it, and compares it with the yardsticks.
#include "search/replay.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "search/choice_order.h"
#include "search/commands/command.h"
#include "search/comparison.h"
#include "search/decision_file.h"
#include "search/decisions.h"
#include "search/descent.h"
#include "search/error.h"
#include "search/event_log.h"
#include "search/log_reader.h"
#include "search/log_text.h"
#include "search/make_evaluator.h"
#include "search/numbers.h"
#include "search/parallel.h"
#include "search/run_folder.h"
#include "search/signals.h"

namespace exh::search {
namespace {

struct ReplayOptions {
  std::string source;
  std::optional<std::uint64_t> record;
  bool best = false, strict = false, dry_run = false;
  std::uint64_t seed = 1;
  ProblemOptions problem;
  std::string emit, log;
};

struct Replayed {
  Problem problem;
  runtime::Candidate candidate;
};

Replayed FromLog(const ReplayOptions& options) {
  const Log log = ReadLog(options.source);
  const EvalRecord& eval = PickRecord(log, options.source, options.record);
  RunRecord run = *log.run;
  if (options.problem.threads) run.limits["threads"] = std::to_string(*options.problem.threads);
  Problem problem = MakeProblem(run);
  runtime::Candidate candidate = problem.root();
  ReplayRecord(log, eval, candidate);
  fmt::print("record {} of {}: logged with {}\n", eval.n, options.source,
             eval.best_ns > 0 ? FormatTime(eval.best_ns) : eval.verdict);
  return {std::move(problem), std::move(candidate)};
}

Replayed FromFile(const ReplayOptions& options) {
  const DecisionFile file = ReadDecisionFile(options.source);
  ProblemOptions merged = options.problem;
  MergeHeader(file, merged);
  Problem problem = MakeProblem(merged);
  runtime::Candidate candidate = problem.root();
  for (const auto& line : ApplyDecisions(file, candidate)) {
    fmt::print("{}:{}: note: {} takes no part\n", options.source, line.number, line.text);
  }
  const ChoiceOrder order = ChoiceOrder::Default(candidate.instance());
  if (const auto open = order.Next(candidate); open && options.strict) {
    throw UsageError(fmt::format("{}: not every decision is taken: {} is open", options.source,
                                 candidate.instance().DecisionName(*open)));
  }
  Random random(options.seed);
  const std::size_t taken = CompleteByDescent(order, random, candidate);
  fmt::print("{}: {} decisions as written, {} taken at random (seed {})\n", options.source,
             file.decisions.size(), taken, options.seed);
  return {std::move(problem), std::move(candidate)};
}

int Replay(const ReplayOptions& options) {
  if (options.source.empty()) throw UsageError("replay what? search replay RUN or FILE");
  const bool is_log = std::filesystem::is_directory(options.source) ||
                      options.source.ends_with(".jsonl") || options.record || options.best;
  const Replayed replayed = is_log ? FromLog(options) : FromFile(options);
  const Problem& problem = replayed.problem;

  const kernels::Source source = kernels::EmitSource(problem.task, replayed.candidate);
  if (!options.emit.empty()) {
    MakeFolder(options.emit);
    const bool is_cuda = problem.device.language == "cuda";
    WriteFile(options.emit + (is_cuda ? "/replay.cu" : "/replay.cc"), source.text);
  }
  if (options.dry_run) {
    fmt::print("{}", kernels::Outline(problem.task, replayed.candidate));
    return 0;
  }
  const std::atomic<bool>& interrupted = ListenForSignals();
  const std::unique_ptr<Evaluator> evaluator = MakeEvaluator(problem, {NumCores(), 0, false});
  const std::vector<Contender> own = {{"winner", evaluator->Compile(source)}};
  const Comparison comparison =
      Compare(*evaluator, own, NumCores(), [&] { return interrupted.load(); });
  if (comparison.records.empty()) {
    fmt::print("interrupted\n");
    return 1;
  }
  if (!options.log.empty()) {
    EventLog log(options.log);
    for (const ReferenceRecord& record : comparison.records) log.Write(record);
    if (comparison.rates) log.Write(*comparison.rates);
  }
  const ReferenceRecord& result = comparison.records.front();
  if (result.verdict != "correct") {
    fmt::print("{}: {}\n", result.verdict, result.why);
    return 1;
  }
  const double ns = result.median_ns > 0 ? result.median_ns : result.best_ns;
  fmt::print("correct: {}, {} ({})\n{}", FormatTime(ns), FormatRate(problem.task.flops, ns),
             evaluator->YardstickText(), ComparisonText(problem, comparison));
  return 0;
}

}  // namespace

void AddReplayCommand(CLI::App& app, Invocation& invocation) {
  CLI::App* const command = app.add_subcommand(
      "replay", "build, check and time an implementation again: a record, or a list of decisions");
  const auto options = std::make_shared<ReplayOptions>();
  options->problem.device.clear();  // Nothing said: the file's header decides.
  command->add_option("source", options->source, "folder or log of a run, or a file of decisions");
  command->add_option("--record", options->record, "number of the record (default: the best)");
  command->add_flag("--best", options->best, "the best record");
  command->add_flag("--strict", options->strict, "a file must take every decision");
  command->add_flag("--dry-run", options->dry_run,
                    "print the loops (and write the source, with --emit), run nothing");
  command->add_option("--seed", options->seed, "of the decisions that a file leaves open");
  command->add_option("--emit", options->emit, "folder for the source");
  command->add_option("--log", options->log,
                      "file for what was measured, as lines of a log (docs/log.md)");
  AddProblemOptions(*command, options->problem);
  command->callback(
      [options, &invocation] { invocation.run = [options] { return Replay(*options); }; });
}

}  // namespace exh::search

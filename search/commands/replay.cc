// SPDX-License-Identifier: MIT
//
// `search replay`: builds one implementation again, from a log or from a list of decisions, checks
// it, times it, and compares it with the yardsticks.
#include "search/log/replay.h"

#include <fmt/format.h>

#include <memory>

#include "base/error.h"
#include "base/numbers.h"
#include "base/parallel.h"
#include "base/system/signals.h"
#include "search/commands/command.h"
#include "search/descend/choice_order.h"
#include "search/descend/descent.h"
#include "search/log/decisions.h"
#include "search/log/event_log.h"
#include "search/log/log_reader.h"
#include "search/log/log_text.h"
#include "search/log/run_folder.h"
#include "search/measure/make_evaluator.h"
#include "search/report/comparison.h"
#include "search/subject/decision_file.h"

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
  std::vector<std::string> taken;  ///< Decisions, in words.
};

Replayed FromLog(const ReplayOptions& options) {
  const Log log = ReadLogAloud(options.source);
  const EvalRecord& eval = PickRecord(log, options.source, options.record);
  RunRecord run = *log.run;
  if (options.problem.threads) run.limits["threads"] = std::to_string(*options.problem.threads);
  Problem problem = MakeProblem(run);
  runtime::Candidate candidate = problem.root();
  ReplayRecord(log, eval, candidate);
  fmt::print("record {} of {}: logged with {}\n", eval.n, options.source,
             eval.best_ns > 0 ? FormatTime(eval.best_ns)
                              : std::string(kernels::VerdictName(eval.verdict)));
  std::vector<std::string> taken;
  for (const PathStep& step : eval.path) {
    taken.push_back(StepText(candidate.instance(), LocalStep(log, step, candidate)));
  }
  return {std::move(problem), std::move(candidate), std::move(taken)};
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
  const Path random_steps = CompleteByDescent(order, random, candidate);
  fmt::print("{}: {} decisions as written, {} taken at random (seed {})\n", options.source,
             file.decisions.size(), random_steps.size(), options.seed);
  std::vector<std::string> taken;
  for (const DecisionFile::Line& line : file.decisions) taken.push_back(line.text);
  for (const PathStep& step : random_steps) {
    taken.push_back(StepText(candidate.instance(), step));
  }
  return {std::move(problem), std::move(candidate), std::move(taken)};
}

/// What a run has decided, or has none of. Throws UsageError.
void RefuseForRuns(const CLI::App& command, const std::string& run) {
  constexpr const char* kDecided[] = {"--kernel", "--size",        "--device", "--space",
                                      "--set",    "--max-threads", "--seed",   "--strict"};
  for (const char* option : kDecided) {
    if (command.count(option) == 0) continue;
    throw UsageError(fmt::format(
        "{} means nothing for '{}': a record of a run says all of that itself; emit it with "
        "search emit --decisions to replay it in another way",
        option, run));
  }
}

int Replay(const CLI::App& command, const ReplayOptions& options) {
  if (options.source.empty()) throw UsageError("replay what? search replay RUN or FILE");
  const bool is_log = IsRun(options.source) || options.record || options.best;
  if (is_log) RefuseForRuns(command, options.source);
  const Replayed replayed = is_log ? FromLog(options) : FromFile(options);
  const Problem& problem = replayed.problem;

  const kernels::Source source = kernels::EmitSource(problem.task, replayed.candidate);
  if (!options.emit.empty()) {
    MakeFolder(options.emit);
    const bool is_cuda = problem.device.language == "cuda";
    WriteFile(options.emit + (is_cuda ? "/replay.cu" : "/replay.cc"),
              WithDecisions(source.text, replayed.taken, "replay.decisions.txt"));
    WriteFile(options.emit + "/replay.decisions.txt", AllDecisionsText(replayed.candidate));
  }
  if (options.dry_run) {
    fmt::print("{}", kernels::Outline(problem.task, replayed.candidate));
    return 0;
  }
  const std::atomic<bool>& interrupted = ListenForSignals();
  const StopToken stop(&interrupted);
  const std::unique_ptr<Evaluator> evaluator =
      MakeEvaluator(problem, {NumCores(), 0, false, &stop});
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
  if (result.verdict != kernels::Verdict::kCorrect) {
    fmt::print("{}: {}\n", kernels::VerdictName(result.verdict), result.why);
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
  command->callback([command, options, &invocation] {
    invocation.run = [command, options] { return Replay(*command, *options); };
  });
}

}  // namespace exh::search

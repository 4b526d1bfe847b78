// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <memory>
#include <vector>

#include "base/error.h"
#include "search/commands/command.h"
#include "search/commands/decided.h"
#include "search/log/decisions.h"
#include "search/log/log_reader.h"
#include "search/log/log_text.h"
#include "search/log/replay.h"
#include "search/log/run_folder.h"
#include "search/subject/decision_file.h"

namespace exh::search {
namespace {

struct EmitOptions {
  std::string source, out;
  std::optional<std::uint64_t> record;
  bool best = false, decisions = false;
  ProblemOptions problem;
  std::uint64_t seed = 1;
};

/// What is printed, or written to files of this name.
struct Emitted {
  std::string name, suffix, text;
  std::string all_decisions;  ///< Empty: `text` has them.
};

/// The source of an implementation. `rest`: where all of its decisions are.
Emitted SourceOf(const Decided& decided, const std::string& name, const std::string& rest) {
  return {name, decided.subject->source_suffix(),
          WithDecisions(decided.subject->Emit(decided.candidate).text, decided.taken, rest,
                        decided.subject->comment_mark()),
          AllDecisionsText(decided.candidate)};
}

Emitted FromRun(const EmitOptions& options) {
  const Log log = ReadLogAloud(options.source);
  const EvalRecord& eval = PickRecord(log, options.source, options.record);
  Decided decided = DecidedInLog(log, eval, *log.run, {MemoryFor(options.problem.memory), nullptr});
  const std::string name = fmt::format("{}_{}", log.run->kernel, eval.n);
  if (options.decisions) {
    const std::string comment = fmt::format("Record {} of {}", eval.n, options.source);
    Path path;
    for (const PathStep& step : eval.path) path.push_back(LocalStep(log, step, decided.candidate));
    return {name, ".replay",
            WriteDecisionFile(*log.run, decided.candidate.instance(), path, comment), ""};
  }
  const std::string rest =
      options.out.empty()
          ? fmt::format("search log show {} --record {} --full", options.source, eval.n)
          : name + ".decisions.txt";
  return SourceOf(decided, name, rest);
}

Emitted FromFile(const EmitOptions& options) {
  const Decided decided =
      DecidedInFile(options.source, options.problem, options.seed, /*strict=*/false, stderr);
  const std::string name = decided.subject->name();
  return SourceOf(decided, name, options.out.empty() ? options.source : name + ".decisions.txt");
}

int Emit(const CLI::App& command, const EmitOptions& options) {
  if (options.source.empty()) throw UsageError("emit what? search emit RUN --record N");
  const bool is_run = IsRun(options.source) || options.record || options.best || options.decisions;
  if (is_run) RefuseForRuns(command, options.source, {"--seed", "--threads", "--gpu"});
  const Emitted emitted = is_run ? FromRun(options) : FromFile(options);
  if (options.out.empty()) {
    fmt::print("{}", emitted.text);
    return 0;
  }
  MakeFolder(options.out);
  const std::string path = fmt::format("{}/{}", options.out, emitted.name);
  WriteFile(path + emitted.suffix, emitted.text);
  if (!emitted.all_decisions.empty()) WriteFile(path + ".decisions.txt", emitted.all_decisions);
  fmt::print("{}\n", path + emitted.suffix);
  return 0;
}

}  // namespace

void AddEmitCommand(CLI::App& app, Invocation& invocation) {
  CLI::App* const command =
      app.add_subcommand("emit",
                         "the source of an implementation, on the standard output: a record, "
                         "or a list of decisions");
  const auto options = std::make_shared<EmitOptions>();
  options->problem.device.clear();  // Nothing said: the file's header decides.
  command->add_option("source", options->source,
                      "folder of a run, or its log; or a file of decisions");
  command->add_option("--record", options->record, "number of the record (default: the best)");
  command->add_flag("--best", options->best, "the best record");
  command->add_flag("--decisions", options->decisions,
                    "its decisions as a file for `search replay`, instead of the source");
  command->add_option("--out", options->out, "folder to write to instead");
  command->add_option("--seed", options->seed, "of the decisions that a file leaves open");
  AddProblemOptions(*command, options->problem);
  command->callback([command, options, &invocation] {
    invocation.run = [command, options] { return Emit(*command, *options); };
  });
}

}  // namespace exh::search

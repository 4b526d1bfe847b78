// SPDX-License-Identifier: MIT
//
// `search export`: what others go on with. `--format minizinc` (or `mzn`) is a frozen instance,
// with all its ground constraints, for another solver; `--format cu` a record of a run on a GPU, as
// a program, `--format cc` one of a run on a processor, `--format header` the header of either;
// `--format t4` all evaluations of a run for other tuners and their tools, `--format flashinfer`
// the best of runs as a solution of FlashInfer Trace.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/spelling.h"
#include "base/system/user_file.h"
#include "runtime/export_minizinc.h"
#include "search/commands/command.h"
#include "search/descend/choice_order.h"
#include "search/exchange/flashinfer/solution.h"
#include "search/exchange/of_file.h"
#include "search/exchange/results/recorded_run.h"
#include "search/log/log_reader.h"
#include "search/log/run_folder.h"
#include "search/report/export_program.h"
#include "search/solve/open_space.h"
#include "search/subject/freeze_progress.h"
#include "search/tune/fleet_runs.h"

namespace exh::search {
namespace {

struct ExportOptions {
  std::string run;
  std::vector<std::string> runs;  ///< All that were named.
  std::optional<std::uint64_t> record;
  bool best = false;
  ProblemOptions problem;
  std::string format = "minizinc", out, order, value_choice = "indomain_min";
  bool gecode = false;
  std::string definition, name, author, data;
};

std::string MiniZincOf(const runtime::Instance& instance, const std::string& order,
                       const ExportOptions& options) {
  runtime::MiniZincOptions minizinc;
  minizinc.order = ChoiceOrder::Parse(order, instance).Decisions(instance);
  minizinc.value_choice = options.value_choice;
  minizinc.gecode_tables = options.gecode;
  return ExportMiniZinc(instance, minizinc);
}

std::string MiniZinc(const ExportOptions& options) {
  if (!options.runs.empty() || options.record || options.best) {
    throw UsageError(
        "--format minizinc takes a kernel (--kernel) or a space (--space my.exh), not a run; "
        "--format cu, cc, header, t4 and flashinfer do");
  }
  if (options.problem.space.ends_with(".exh")) {
    if (!options.problem.kernel.empty() || !options.problem.compute.empty()) {
      throw UsageError("export what? a kernel (--kernel), or a space (--space my.exh)");
    }
    const OpenedSpace space =
        OpenSpace(options.problem.space, options.problem.size, options.data, ShownFreeze(nullptr));
    if (space.instance->root_result() == runtime::Propagation::kDeadEnd) {
      throw UsageError(fmt::format(
          "'{}' has no solution ({}): there is nothing to export", options.problem.space,
          OriginText(space.instance->space(), space.instance->root_conflict().origin)));
    }
    return MiniZincOf(*space.instance, options.order, options);
  }
  const Problem problem = MakeProblem(options.problem);
  return MiniZincOf(problem.root().instance(), problem.order(options.order), options);
}

std::string Results(const ExportOptions& options) {
  if (options.run.empty()) throw UsageError("export what? search export RUN --format t4");
  if (options.record || options.best) {
    throw UsageError("--format t4 has all evaluations of a run: leave out --record and --best");
  }
  return TuningResultsJson(ResultsOfRun(ReadLogAloud(options.run)));
}

std::string Solution(const ExportOptions& options) {
  if (options.runs.empty() || options.definition.empty()) {
    throw UsageError(
        "export what? search export RUN … --format flashinfer --definition DEFINITION.json");
  }
  if (options.record || options.best) {
    throw UsageError("--format flashinfer takes RUN@N for a record that is not the best");
  }
  const FleetRuns fleets = RunsWithBest(options.runs);
  for (const std::string& left_out : fleets.left_out) {
    fmt::print(stderr, "left out: {}\n", left_out);
  }
  if (fleets.runs.empty()) throw UsageError("no shape has a best yet");
  SolutionRequest request;
  request.runs = fleets.runs;
  request.definition = ReadUserFile(options.definition);
  request.name = options.name;
  if (!options.author.empty()) request.author = options.author;
  return OfFile(options.definition, [&] { return SolutionOf(request); });
}

std::string Program(const ExportOptions& options) {
  if (options.run.empty()) {
    throw UsageError(
        fmt::format("export what? search export RUN --record N --format {}", options.format));
  }
  if (!options.problem.kernel.empty() || !options.problem.compute.empty()) {
    throw UsageError(fmt::format(
        "--format {} takes a run, not a kernel: the run says which kernel it is", options.format));
  }
  return ExportProgram(options.run, options.record, options.format);
}

std::string Exported(const ExportOptions& options) {
  if (options.format == "minizinc" || options.format == "mzn") return MiniZinc(options);
  if (options.format == "flashinfer") return Solution(options);
  if (options.runs.size() > 1) {
    throw UsageError("several runs are for --format flashinfer; the others take one");
  }
  if (options.format == "t4") return Results(options);
  const std::vector<std::string> programs = {"cu", "cc", "header"};
  if (std::ranges::count(programs, options.format) > 0) return Program(options);
  throw UsageError(UnknownName("format", options.format,
                               {"minizinc", "mzn", "cu", "cc", "header", "t4", "flashinfer"}));
}

int Export(const ExportOptions& options) {
  const std::string text = Exported(options);
  if (options.out.empty()) {
    fmt::print("{}", text);
  } else {
    WriteFile(options.out, text);
    fmt::print("{}\n", options.out);
  }
  return 0;
}

}  // namespace

void AddExportCommand(CLI::App& app, Invocation& invocation) {
  CLI::App* const command = app.add_subcommand(
      "export",
      "a record of a run as a program of one file (--format cu on a GPU, cc on a processor) or its "
      "header, all its results for other tuners (t4), the best of runs as a solution of FlashInfer "
      "Trace (flashinfer), or the decisions and constraints of a kernel or a space as a MiniZinc "
      "model");
  const auto options = std::make_shared<ExportOptions>();
  command->add_option("run", options->runs,
                      "folder of a run, or its log; not for minizinc; several for flashinfer, and "
                      "FLEET/* for all of a fleet");
  command->add_option("--record", options->record,
                      "number of the record of the run (default: the best)");
  command->add_flag("--best", options->best, "the best record of the run");
  AddProblemOptions(*command, options->problem);
  command->add_option("--format", options->format,
                      "minizinc (default; mzn is the same), cu, cc, header, t4 or flashinfer");
  command->add_option("--data", options->data,
                      "minizinc: FILE.json with what the space of --space asks for");
  command->add_option("--definition", options->definition,
                      "flashinfer: the definition that the kernel was imported from, JSON");
  command->add_option("--name", options->name,
                      "flashinfer: what the solution is called (default: exhaust_DEFINITION)");
  command->add_option("--author", options->author,
                      "flashinfer: who is its author (default: exhaust)");
  command->add_option("--out", options->out, "file to write to instead of the standard output");
  command->add_option("--order", options->order,
                      "minizinc: choices in the order the solver branches on them, or 'paper'");
  command->add_option("--values", options->value_choice,
                      "minizinc: how it picks a value: indomain_min (default), indomain_random, …");
  command->add_flag("--gecode", options->gecode, "minizinc: tables as Gecode's own propagator");
  command->callback([options, &invocation] {
    if (!options->runs.empty()) options->run = options->runs.front();
    invocation.run = [options] { return Export(*options); };
  });
}

}  // namespace exh::search

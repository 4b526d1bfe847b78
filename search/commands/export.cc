// SPDX-License-Identifier: MIT
//
// `search export`: what others go on with. `--format minizinc` (or `mzn`) is a frozen instance,
// with all its ground constraints, for another solver; `--format cu` a record of a run on a GPU, as
// a program, `--format cc` one of a run on a processor, `--format header` the header of either;
// `--format t4` all evaluations of a run for other tuners and their tools.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/spelling.h"
#include "runtime/export_minizinc.h"
#include "search/commands/command.h"
#include "search/descend/choice_order.h"
#include "search/exchange/results/recorded_run.h"
#include "search/log/log_reader.h"
#include "search/log/run_folder.h"
#include "search/report/export_program.h"
#include "search/solve/open_space.h"
#include "search/subject/freeze_progress.h"

namespace exh::search {
namespace {

struct ExportOptions {
  std::string run;
  std::optional<std::uint64_t> record;
  bool best = false;
  ProblemOptions problem;
  std::string format = "minizinc", out, order, value_choice = "indomain_min";
  bool gecode = false;
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
  if (!options.run.empty() || options.record || options.best) {
    throw UsageError(
        "--format minizinc takes a kernel (--kernel) or a space (--space my.exh), not a run; "
        "--format cu, cc, header and t4 do");
  }
  if (options.problem.space.ends_with(".exh")) {
    if (!options.problem.kernel.empty() || !options.problem.compute.empty()) {
      throw UsageError("export what? a kernel (--kernel), or a space (--space my.exh)");
    }
    const OpenedSpace space =
        OpenSpace(options.problem.space, options.problem.size, "", ShownFreeze(nullptr));
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
  if (options.format == "t4") return Results(options);
  const std::vector<std::string> programs = {"cu", "cc", "header"};
  if (std::ranges::count(programs, options.format) > 0) return Program(options);
  throw UsageError(
      UnknownName("format", options.format, {"minizinc", "mzn", "cu", "cc", "header", "t4"}));
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
      "header, all its results for other tuners (t4), or the decisions and constraints of a kernel "
      "or a space as a MiniZinc model");
  const auto options = std::make_shared<ExportOptions>();
  command->add_option("run", options->run, "folder of a run, or its log; not for minizinc");
  command->add_option("--record", options->record,
                      "number of the record of the run (default: the best)");
  command->add_flag("--best", options->best, "the best record of the run");
  AddProblemOptions(*command, options->problem);
  command->add_option("--format", options->format,
                      "minizinc (default; mzn is the same), cu, cc, header or t4");
  command->add_option("--out", options->out, "file to write to instead of the standard output");
  command->add_option("--order", options->order,
                      "minizinc: choices in the order the solver branches on them, or 'paper'");
  command->add_option("--values", options->value_choice,
                      "minizinc: how it picks a value: indomain_min (default), indomain_random, …");
  command->add_flag("--gecode", options->gecode, "minizinc: tables as Gecode's own propagator");
  command->callback(
      [options, &invocation] { invocation.run = [options] { return Export(*options); }; });
}

}  // namespace exh::search

// SPDX-License-Identifier: MIT
//
// `search export`: a frozen instance, with all its ground constraints, for another solver.
#include <fmt/format.h>

#include <memory>

#include "runtime/export_minizinc.h"
#include "search/choice_order.h"
#include "search/commands/command.h"
#include "search/error.h"
#include "search/run_folder.h"
#include "search/suggest.h"

namespace exh::search {
namespace {

struct ExportOptions {
  ProblemOptions problem;
  std::string format = "minizinc", out, order, value_choice = "indomain_min";
  bool gecode = false;
};

int Export(const ExportOptions& options) {
  if (options.format != "minizinc") {
    throw UsageError(UnknownName("format", options.format, {"minizinc"}));
  }
  const Problem problem = MakeProblem(options.problem);
  const runtime::Candidate root = problem.root();
  const ChoiceOrder order = ChoiceOrder::Parse(options.order, root.instance());
  runtime::MiniZincOptions minizinc;
  minizinc.order = order.Decisions(root.instance());
  minizinc.value_choice = options.value_choice;
  minizinc.gecode_tables = options.gecode;
  const std::string model = ExportMiniZinc(root.instance(), minizinc);
  if (options.out.empty()) {
    fmt::print("{}", model);
  } else {
    WriteFile(options.out, model);
    fmt::print("{}\n", options.out);
  }
  return 0;
}

}  // namespace

void AddExportCommand(CLI::App& app, Invocation& invocation) {
  CLI::App* const command =
      app.add_subcommand("export", "the decisions and constraints of a kernel as a MiniZinc model");
  const auto options = std::make_shared<ExportOptions>();
  AddProblemOptions(*command, options->problem);
  command->add_option("--format", options->format, "minizinc (default)");
  command->add_option("--out", options->out, "file to write to instead of the standard output");
  command->add_option("--order", options->order,
                      "choices in the order the solver branches on them, or 'paper'");
  command->add_option("--values", options->value_choice,
                      "how it picks a value: indomain_min (default), indomain_random, …");
  command->add_flag("--gecode", options->gecode, "tables as Gecode's own propagator");
  command->callback(
      [options, &invocation] { invocation.run = [options] { return Export(*options); }; });
}

}  // namespace exh::search

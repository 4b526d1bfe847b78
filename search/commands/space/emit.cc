// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <memory>
#include <vector>

#include "base/error.h"
#include "search/commands/command.h"
#include "search/log/decisions.h"
#include "search/log/log_reader.h"
#include "search/log/log_text.h"
#include "search/log/replay.h"
#include "search/log/run_folder.h"
#include "search/subject/decision_file.h"

namespace exh::search {
namespace {

struct EmitOptions {
  std::string run, out;
  std::optional<std::uint64_t> record;
  bool best = false, decisions = false;
};

int Emit(const EmitOptions& options) {
  if (options.run.empty()) throw UsageError("emit what? search emit RUN --record N");
  const Log log = ReadLogAloud(options.run);
  const EvalRecord& eval = PickRecord(log, options.run, options.record);
  const Problem problem = MakeProblem(*log.run);
  runtime::Candidate candidate = problem.root();
  ReplayRecord(log, eval, candidate);
  Path path;  // By name: the numbers of the log need not be those of this program.
  for (const PathStep& step : eval.path) path.push_back(LocalStep(log, step, candidate));
  const std::string name = fmt::format("{}_{}", log.run->kernel, eval.n);
  std::string text;
  if (options.decisions) {
    const std::string comment = fmt::format("Record {} of {}", eval.n, options.run);
    text = WriteDecisionFile(*log.run, candidate.instance(), path, comment);
  } else {
    std::vector<std::string> taken;
    for (const PathStep& step : path) taken.push_back(StepText(candidate.instance(), step));
    const std::string rest =
        options.out.empty()
            ? fmt::format("search log show {} --record {} --full", options.run, eval.n)
            : name + ".decisions.txt";
    text = WithDecisions(kernels::EmitSource(problem.task, candidate).text, taken, rest);
  }
  if (options.out.empty()) {
    fmt::print("{}", text);
    return 0;
  }
  MakeFolder(options.out);
  const bool is_cuda = problem.device.language == "cuda";
  const std::string file = fmt::format("{}/{}.{}", options.out, name,
                                       options.decisions ? "replay"
                                       : is_cuda         ? "cu"
                                                         : "cc");
  WriteFile(file, text);
  if (!options.decisions) {
    WriteFile(fmt::format("{}/{}.decisions.txt", options.out, name), AllDecisionsText(candidate));
  }
  fmt::print("{}\n", file);
  return 0;
}

}  // namespace

void AddEmitCommand(CLI::App& app, Invocation& invocation) {
  CLI::App* const command =
      app.add_subcommand("emit", "the source of a logged implementation, on the standard output");
  const auto options = std::make_shared<EmitOptions>();
  command->add_option("run", options->run, "folder of a run, or its log");
  command->add_option("--record", options->record, "number of the record (default: the best)");
  command->add_flag("--best", options->best, "the best record");
  command->add_flag("--decisions", options->decisions,
                    "its decisions as a file for `search replay`, instead of the source");
  command->add_option("--out", options->out, "folder to write to instead");
  command->callback(
      [options, &invocation] { invocation.run = [options] { return Emit(*options); }; });
}

}  // namespace exh::search

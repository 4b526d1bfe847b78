// SPDX-License-Identifier: MIT
//
// `search import`: files of other tools. `t1` makes a space of a tuning problem, `t4` a run of the
// results of another tuner, `flashinfer` a kernel of an operator, and shapes of its workloads.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/system/user_file.h"
#include "search/commands/command.h"
#include "search/exchange/flashinfer/flashinfer.h"
#include "search/exchange/launch/specified_launch.h"
#include "search/exchange/of_file.h"
#include "search/exchange/problem_text.h"
#include "search/exchange/results/hub_file.h"
#include "search/exchange/tuning_problem.h"
#include "search/log/run_folder.h"
#include "search/solve/open_space.h"

namespace exh::search {
namespace {

struct ImportOptions {
  std::string file, out, launch, space, size, data, workloads, shapes;
};

void WriteOrPrint(const std::string& out, const std::string& text) {
  if (out.empty()) {
    fmt::print("{}", text);
    return;
  }
  WriteFile(out, text);
  fmt::print("{}\n", out);
}

void PrintNotes(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) fmt::print(stderr, "note: {}\n", note);
}

int ImportTuningProblem(const ImportOptions& options) {
  if (!options.launch.empty() && options.out.empty()) {
    throw UsageError("--launch needs --out: what is launched is of a space in a file");
  }
  const std::string json = ReadUserFile(options.file);
  const TuningProblem problem = OfFile(options.file, [&] { return ParseTuningProblem(json); });
  PrintNotes(problem.notes);
  const std::string text = OfFile(options.file, [&] { return ExhTextOf(problem); });
  if (options.launch.empty()) {
    WriteOrPrint(options.out, text);
    return 0;
  }
  const SpecifiedLaunch launch = LaunchOfProblem(json, options.file, problem);
  PrintNotes(launch.notes);
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(launch.kernel_file, unknown)) {
    PrintNotes({fmt::format("the kernel's file is not there yet: {}", launch.kernel_file)});
  }
  WriteOrPrint(options.out, text);
  WriteOrPrint(options.launch, launch.text);
  fmt::print("search --space {} --cuda {} --entry {} --launch {}\n", options.out,
             launch.kernel_file, launch.entry, options.launch);
  return 0;
}

int ImportResults(const ImportOptions& options) {
  const std::string json = ReadUserFile(options.file);
  const SpaceFile space = ReadSpaceFile(options.space, GivenSizes(options.size), options.data);
  const RecordedRun run =
      OfFile(options.file, [&] { return RunOfResults(ParseTuningResults(json), space); });
  if (run.num_outside > 0) {
    fmt::print(stderr, "note: {} of {} results are left out, which the space does not allow: {}\n",
               run.num_outside, run.num_outside + run.log.evals.size(), run.first_outside);
  }
  if (run.log.evals.empty()) {
    throw UsageError(fmt::format("{}: it has no result of this space", options.file));
  }
  WriteRun(run.log, options.out);
  fmt::print("{}\n", options.out);
  return 0;
}

/// How the file of shapes calls the kernel, which is looked for beside it.
std::string Beside(const std::string& kernel, const std::string& shapes) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::absolute(shapes).parent_path();
  return fs::absolute(kernel).lexically_relative(folder).generic_string();
}

int ImportDefinition(const ImportOptions& options) {
  if (options.workloads.empty() != options.shapes.empty()) {
    throw UsageError(
        "--workloads and --shapes go together: the workloads, and what is made of them");
  }
  if (!options.out.empty() && !options.out.ends_with(".kernel")) {
    throw UsageError(fmt::format("bad --out '{}': a kernel is a FILE.kernel", options.out));
  }
  const std::string json = ReadUserFile(options.file);
  const FlashInferKernel kernel = OfFile(options.file, [&] { return KernelOfDefinition(json); });
  if (!options.shapes.empty()) {
    if (options.out.empty()) throw UsageError("--shapes needs --out: shapes are of a file");
    const std::string workloads = ReadUserFile(options.workloads);
    const std::string shapes = OfFile(options.workloads, [&] {
      return ShapesOfWorkloads(workloads, kernel, Beside(options.out, options.shapes));
    });
    WriteOrPrint(options.shapes, shapes);
  }
  WriteOrPrint(options.out, kernel.text);
  return 0;
}

}  // namespace

void AddImportCommand(CLI::App& app, Invocation& invocation) {
  CLI::App* const command = app.add_subcommand("import", "files of other tools as spaces and runs");
  command->require_subcommand(1);
  CLI::App* const problem = command->add_subcommand(
      "t1", "a tuning problem of Kernel Tuner, KTT or BAT (JSON, the format T1) as a space, .exh");
  const auto options = std::make_shared<ImportOptions>();
  problem->add_option("file", options->file, "the file, JSON")->required();
  problem->add_option("--out", options->out, "file to write to instead of the standard output");
  problem->add_option("--launch", options->launch,
                      "file to write to how its kernel is launched, for search --cuda");
  problem->callback([options, &invocation] {
    invocation.run = [options] { return ImportTuningProblem(*options); };
  });
  CLI::App* const results = command->add_subcommand(
      "t4",
      "results of another tuner (JSON, the format T4, or a cache file of Kernel Tuner) as a run");
  results->add_option("file", options->file, "the file, JSON")->required();
  results->add_option("--space", options->space, "their space: an .exh, or the tuning problem (T1)")
      ->required();
  results->add_option("--size", options->size, "numbers that the space asks for: n=8,m=3");
  results->add_option("--data", options->data, "FILE.json with what the space asks for");
  results->add_option("--out", options->out, "folder of the run")->required();
  results->callback(
      [options, &invocation] { invocation.run = [options] { return ImportResults(*options); }; });
  CLI::App* const definition = command->add_subcommand(
      "flashinfer", "a definition of FlashInfer Trace as a kernel, and its workloads as shapes");
  definition->add_option("file", options->file, "the definition, JSON")->required();
  definition->add_option("--out", options->out,
                         "FILE.kernel to write to instead of the standard output");
  definition->add_option("--workloads", options->workloads, "its workloads, an object a line");
  definition->add_option("--shapes", options->shapes, "file of shapes for search tune, .jsonl");
  definition->callback([options, &invocation] {
    invocation.run = [options] { return ImportDefinition(*options); };
  });
}

}  // namespace exh::search

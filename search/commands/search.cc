// SPDX-License-Identifier: MIT
//
// `search --kernel …` and `search --resume …`: the command line of a run.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/numbers.h"
#include "base/system/machine_load.h"
#include "base/system/signals.h"
#include "kernels/devices/backend.h"
#include "kernels/devices/device.h"
#include "search/commands/command.h"
#include "search/commands/machine/gpu_list.h"
#include "search/commands/parts/parts.h"
#include "search/commands/search_options.h"
#include "search/commands/session.h"
#include "search/kernel/kernel_subject.h"
#include "search/log/event_log.h"
#include "search/log/log_reader.h"
#include "search/subject/winners/logged_winners.h"

namespace exh::search {
namespace {

/// Near which winners islands begin: ", islands begin near matmul-512-avx512".
std::string NearText(const SearchOptions& options, const kernels::Kernel& kernel,
                     const kernels::Parameters& sizes, const kernels::ir::Device& device) {
  const std::string folder = options.winners_folder();
  if (folder.empty()) return "";
  std::vector<std::string> names;
  for (LoggedWinner& winner : NearestWinners(folder, kernel, sizes, device, kIslandsNearWinners)) {
    names.push_back(std::move(winner.name));
  }
  return names.empty() ? "" : fmt::format(", islands begin near {}", fmt::join(names, " and "));
}

/// What is searched: before anything that takes long.
void SayBegin(const SearchOptions& options, const kernels::Kernel& kernel,
              const kernels::Parameters& sizes, const kernels::ir::Device& device) {
  fmt::print("{} {} on {}, seed {}{}\n", kernel.name(), SizesText(kernel, sizes), device.name,
             options.seed, NearText(options, kernel, sizes, device));
  if (kernels::BackendOf(device).shares_processor()) {
    const MachineLoad load = LoadOfMachine();
    if (load.disturbs) fmt::print("note: load {}\n", load.text);
  }
  std::fflush(stdout);
}

int Search(const SearchOptions& options, const Invocation& invocation) {
  CheckRunOptions(options);
  PolicyOf(options.policy(), options.policy_options);
  const kernels::Kernel& kernel = FindKernel(options.problem);
  const kernels::Parameters sizes = ParseSizes(kernel, options.problem);
  const std::atomic<bool>& interrupted = ListenForSignals();
  Budget budget(options, interrupted);
  ProblemOptions wanted = options.problem;
  if (!options.gpus.empty()) {
    // Limits are detected of one of them: all are of one model. What has none says so later.
    const std::vector<kernels::GpuHere> here = kernels::GpusFor(wanted.device);
    if (!here.empty()) wanted.gpu = ParseGpus(options.gpus, here).front();
  }
  const kernels::ir::Device device = FindDevice(wanted);
  if (!options.under().empty()) kernels::RequireGpu(device, "--under");
  kernels::RequireRuns(device);
  SayBegin(options, kernel, sizes, device);
  wanted.stop = &budget.stop;
  wanted.runs = true;
  return WithinBudget(options, [&] {
    const KernelSubject subject(MakeProblem(wanted));
    return BeginRun(subject, options, invocation, budget);
  });
}

/// What --resume-or-start means now. A run that was killed before it had written anything has not
/// begun.
void ResumeOrStart(SearchOptions& options) {
  if (options.resume_or_start.empty()) return;
  if (!options.resume.empty() || !options.out.empty()) {
    throw UsageError(fmt::format("--resume-or-start and {}: it names the folder of the run already",
                                 options.out.empty() ? "--resume" : "--out"));
  }
  std::error_code none;
  const std::string log = LogPath(options.resume_or_start);
  const bool has_begun = std::filesystem::file_size(log, none) > 0 && !none;
  (has_begun ? options.resume : options.out) = options.resume_or_start;
}

constexpr std::array kOwnOptions = {"--data",        "--run",     "--serve", "--build", "--filter",
                                    "--trust-times", "--timeout", "--cuda",  "--entry", "--launch"};

/// Of programs of users.
void AddOwnOptions(CLI::App& app, SearchOptions::Own& own) {
  app.add_option("--data", own.data, "with --space FILE.exh: what the space asks for, JSON");
  app.add_option("--run", own.run,
                 "with --space FILE.exh: the command that is measured, './bench.sh {block_x}': it "
                 "prints 'time_ms 1.23' or {\"verdict\": \"correct\", \"time_ms\": 1.23} last");
  app.add_option("--serve", own.serve,
                 "with --space FILE.exh: a program that is asked by lines of JSON; --jobs 4: four "
                 "of them beside each other");
  app.add_option("--build", own.build,
                 "with --run: a command before it, once for the values that it names; {dir} is a "
                 "folder for what it makes");
  app.add_option("--filter", own.filter,
                 "with --space FILE.exh: a program that says, by lines of JSON, which "
                 "implementations there are");
  app.add_option("--cuda", own.cuda,
                 "with --space FILE.exh: a CUDA kernel of yours, its file unchanged, whose "
                 "parameters are defines");
  app.add_option("--entry", own.entry, "with --cuda: the name of the kernel in the file");
  app.add_option("--launch", own.launch,
                 "with --cuda: its grid, blocks and arguments, JSON (docs/own.md)");
  app.add_option("--timeout", own.timeout_s,
                 "with --space FILE.exh: seconds for an answer of the program (default 60)");
  app.add_flag("--trust-times", own.trust_times,
               "with --space FILE.exh: a time counts also where nobody says that the result is "
               "right");
}

}  // namespace

void AddSearchCommand(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<SearchOptions>();
  AddProblemOptions(app, options->problem);
  app.add_option(
      "--resume", options->resume,
      "go on with a run: its folder; what it decided stays (kernel, sizes, policy, seed …)");
  app.add_option("--resume-or-start", options->resume_or_start,
                 "go on with the run in this folder if there is one, otherwise begin it there: the "
                 "same command line for a job that may be started again");
  app.add_option("--simulate", options->simulate,
                 "compare policies on what these runs recorded; measures nothing");
  app.add_option("--seeds", options->seeds, "with --simulate: seeds of each policy (default 8)");
  app.add_flag("--whole", options->whole,
               "with --simulate: searches all of the space with the proposer of a search; what was "
               "not recorded is answered by what the record says of it");
  app.add_option("--vary", options->vary,
                 "with --simulate --whole: other values of a constant of the proposer, each beside "
                 "the default: walks=1,4; repeatable")
      ->allow_extra_args(false);
  AddRunOptions(app, *options);
  AddOwnOptions(app, options->own);
  app.add_option("--l2", options->l2,
                 "inputs of GPU kernels are in L2 (warm, default) or not (cold)");
  app.add_option("--emit", options->emit, "folder for the winner's source");
  app.callback([&app, options, &invocation] {
    if (!app.get_subcommands().empty()) return;
    invocation.run = [&app, options, &invocation] {
      if (!options->simulate.empty()) return PartsOfProgram().simulate(app, *options);
      for (const char* option : {"--seeds", "--whole", "--vary"}) {
        if (app.count(option) == 0) continue;
        throw UsageError(fmt::format("{} goes with --simulate", option));
      }
      ResumeOrStart(*options);
      if (!options->resume.empty()) return ResumeAnyRun(app, *options, invocation);
      if (IsSpaceOfUser(options->problem.space)) return PartsOfProgram().own(*options, invocation);
      for (const char* option : kOwnOptions) {
        if (app.count(option) == 0) continue;
        throw UsageError(fmt::format(
            "{} is of programs of your own: --space FILE.exh says what their parameters are",
            option));
      }
      return Search(*options, invocation);
    };
  });
}

}  // namespace exh::search

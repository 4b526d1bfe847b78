// SPDX-License-Identifier: MIT
//
// `search --kernel …` and `search --resume …`: the command line of a run.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/numbers.h"
#include "base/system/machine_load.h"
#include "base/system/signals.h"
#include "kernels/devices/backend.h"
#include "search/commands/command.h"
#include "search/commands/search_options.h"
#include "search/commands/session.h"
#include "search/commands/simulate.h"
#include "search/kernel/kernel_subject.h"
#include "search/log/event_log.h"
#include "search/log/log_reader.h"
#include "search/report/progress.h"
#include "search/run/objective.h"

namespace exh::search {
namespace {

/// Mistakes in options show before anything is built. Throws UsageError.
void CheckOptions(const SearchOptions& options) {
  ParseProgress(options.progress, stdout);
  if (options.jobs) CheckJobs(*options.jobs);
  AnyStopper checked;
  AddBudgets(options, SteadyClock(), checked);
  ParseShare("--epsilon", options.epsilon);
  ParseShare("--local", options.local);
  if (options.screen < 1 || options.screen > 1000) throw UsageError("--screen must be 1 to 1000");
  ParseObjective(options.objective);
  options.bound_use();
  options.under();
}

/// What is searched: before anything that takes long.
void SayBegin(const SearchOptions& options, const kernels::Kernel& kernel,
              const kernels::Parameters& sizes, const kernels::ir::Device& device) {
  fmt::print("{} {} on {}, seed {}\n", kernel.name(), SizesText(kernel, sizes), device.name,
             options.seed);
  if (kernels::BackendOf(device).shares_processor()) {
    const MachineLoad load = LoadOfMachine();
    if (load.disturbs) fmt::print("note: load {}\n", load.text);
  }
  std::fflush(stdout);
}

int Search(const SearchOptions& options, const Invocation& invocation) {
  CheckOptions(options);
  PolicyOf(options.policy(), options.policy_options);
  const kernels::Kernel& kernel = FindKernel(options.problem);
  const kernels::Parameters sizes = ParseSizes(kernel, options.problem);
  const std::atomic<bool>& interrupted = ListenForSignals();
  Budget budget(options, interrupted);
  const kernels::ir::Device device = FindDevice(options.problem);
  if (!options.under().empty()) RequireGpu(device, "--under");
  kernels::RequireRuns(device);
  SayBegin(options, kernel, sizes, device);
  ProblemOptions wanted = options.problem;
  wanted.stop = &budget.stop;
  const KernelSubject subject(MakeProblem(wanted));
  return BeginRun(subject, options, invocation, budget);
}

/// What a run that goes on has done.
void SayResumed(const std::string& folder, const Log& log) {
  std::string text = fmt::format("{} goes on after {:.1f} s: {} evaluations", folder, log.last_dt,
                                 log.evals.size());
  if (log.BestTime() > 0) {
    text += fmt::format(", best {} (record {})", FormatTime(log.BestTime()), log.bests.back().n);
  }
  fmt::print("{}{}\n", text, log.cut_off ? "; a line that was cut off is gone" : "");
  std::fflush(stdout);
}

/// `search --resume RUN`.
int Resume(const CLI::App& app, const SearchOptions& options, const Invocation& invocation) {
  CheckOptions(options);
  const std::string path = LogPath(options.resume);
  std::error_code unknown;
  if (!std::filesystem::exists(path, unknown) && !unknown) {
    throw UsageError(fmt::format("no log at '{}': --resume takes the folder of a run", path));
  }
  EventLog log = EventLog::Reopen(path);  // From here on nobody else writes to it.
  if (options.durable) log.MakeDurable();
  const Log earlier = ReadLog(options.resume);
  const RunRecord& header = *earlier.run;
  CheckResumable(earlier, path);
  const std::atomic<bool>& interrupted = ListenForSignals();
  Budget budget(options, interrupted);
  const std::string folder = std::filesystem::path(path).parent_path().string();
  SayResumed(folder, earlier);
  const KernelSubject subject(MakeProblem(header));
  RefuseContradictions(app, options, header, subject.problem());
  return ResumeRun(subject, options, invocation, budget, log, earlier);
}

}  // namespace

void AddSearchCommand(CLI::App& app, Invocation& invocation) {
  const auto options = std::make_shared<SearchOptions>();
  AddProblemOptions(app, options->problem);
  app.add_option(
      "--resume", options->resume,
      "go on with a run: its folder; what it decided stays (kernel, sizes, policy, seed …)");
  app.add_option("--simulate", options->simulate,
                 "compare policies on what these runs recorded; measures nothing");
  app.add_option("--seeds", options->seeds, "with --simulate: seeds of each policy (default 8)");
  app.add_option("--budget", options->budgets,
                 "60s, 5m, 2h, evals=500; the first of several to be used up ends the run; with "
                 "--resume time counts from now, evals from the start of the run")
      ->allow_extra_args(false);
  app.add_option(
         "--stop", options->stops,
         "gap=10% (best to bound), stale=3000 (evaluations without a new best), bound=12us; "
         "besides the budget")
      ->allow_extra_args(false);
  app.add_option("--policy", options->policies,
                 "how the tree is searched: tag (default), uct, bound, uniform; random: no tree; "
                 "with --simulate several, such as tag,bound=off")
      ->allow_extra_args(false);
  app.add_option("--topk", options->policy_options.topk,
                 "of tag: so many of the best evaluations count (default 10)");
  app.add_option("--delta", options->policy_options.delta,
                 "of tag: larger is greedier (default 1)");
  app.add_option("--local", options->local,
                 "share of descents near the best implementations so far (default 85%; 0%: the "
                 "tree alone)");
  app.add_option("--screen", options->screen,
                 "implementations that a cost model, which learns from the run, looks at for each "
                 "one that is compiled (default 64; 1: no model)");
  app.add_option(
      "--prior", options->prior,
      "what the cost model begins with: what earlier runs learned of such devices (auto, "
      "default), nothing (none), or a file that search learn made");
  app.add_option("--epsilon", options->epsilon,
                 "what cannot be faster than the best by more is cut (default 1%)");
  app.add_option("--bound", options->bound,
                 "what the lower bound is for: cut (the tree; default), check (only stands beside "
                 "each time), none (default without a tree)");
  app.add_option("--objective", options->objective,
                 "what is best: the fastest (time, default), or the fastest of those that take the "
                 "least main memory (memory)");
  app.add_option("--seed", options->seed, "seed of all random choices (default 1)");
  app.add_option("--out", options->out,
                 "folder of the run (default runs/<kernel>-<time>); of --simulate a file for JSON");
  app.add_option("--jobs", options->jobs, "compilers at once (default: cores)");
  app.add_option("--order", options->order, "choices in the order they are decided: size,dim_kind");
  app.add_option("--progress", options->progress, "auto, plain or none");
  app.add_option("--l2", options->l2,
                 "inputs of GPU kernels are in L2 (warm, default) or not (cold)");
  app.add_option("--under", options->runs_under,
                 "program below which the processes that use a GPU run: 'compute-sanitizer "
                 "--log-file FILE'");
  app.add_option("--emit", options->emit, "folder for the winner's source");
  app.add_flag("--durable", options->durable,
               "each evaluation is on the disk before the next one begins: nothing of the log is "
               "lost when the power fails");
  app.callback([&app, options, &invocation] {
    if (!app.get_subcommands().empty()) return;
    invocation.run = [&app, options, &invocation] {
      if (!options->simulate.empty()) return Simulate(app, *options);
      if (app.count("--seeds") > 0) throw UsageError("--seeds goes with --simulate");
      return options->resume.empty() ? Search(*options, invocation)
                                     : Resume(app, *options, invocation);
    };
  });
}

}  // namespace exh::search

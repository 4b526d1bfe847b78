// SPDX-License-Identifier: MIT
//
// `search fused search`: how an operator runs is searched. `search fused replay` is `search
// replay`.
#include <fmt/format.h>

#include <memory>

#include "base/error.h"
#include "base/system/signals.h"
#include "base/system/user_file.h"
#include "kernels/devices/backend.h"
#include "search/commands/command.h"
#include "search/commands/fused/operators.h"
#include "search/commands/search_options.h"
#include "search/commands/session.h"
#include "search/fused/fused_subject.h"

namespace exh::search {
namespace {

struct FusedSearchOptions {
  SearchOptions search;
  std::string file;
  int leaves = 12;
};

Allowance AllowanceOf(const FusedSearchOptions& options, const Budget& budget) {
  return {MemoryFor(options.search.problem.memory), &budget.stop};
}

int Begin(const FusedSearchOptions& options, const Invocation& invocation) {
  const std::atomic<bool>& interrupted = ListenForSignals();
  Budget budget(options.search, interrupted);
  return WithinBudget(options.search, [&] {
    const FusedSubject subject(ReadUserFile(options.file), FindDevice(options.search.problem),
                               options.leaves, AllowanceOf(options, budget));
    if (!options.search.under().empty()) kernels::RequireGpu(*subject.device(), "--under");
    return BeginRun(subject, options.search, invocation, budget);
  });
}

int Search(const CLI::App& app, const FusedSearchOptions& options, const Invocation& invocation) {
  CheckRunOptions(options.search);
  if (!options.search.resume.empty()) return ResumeAnyRun(app, options.search, invocation);
  if (options.file.empty()) {
    throw UsageError("search which operator? search fused search FILE.json, or --resume RUN");
  }
  return Begin(options, invocation);
}

}  // namespace

void AddFusedSearch(CLI::App& command, Invocation& invocation) {
  CLI::App* const search = command.add_subcommand(
      "search", "how an operator runs fastest: schedules, threads, tiles, vectors");
  const auto options = std::make_shared<FusedSearchOptions>();
  search->add_option("file", options->file, "FILE.json");
  search->add_option("--resume", options->search.resume, "go on with a run: its folder");
  search->add_option("--leaves", options->leaves,
                     "schedules of the tree beside the first (default 12)");
  search->add_option("--device", options->search.problem.device,
                     "cpu (default), or a GPU: cuda, h200");
  search->add_option("--gpu", options->search.problem.gpu, "which GPU (default 0)");
  search->add_option("--threads", options->search.problem.threads,
                     "of a program (default: all cores)");
  AddMemoryOption(*search, options->search.problem.memory, kForReferences);
  AddRunOptions(*search, options->search);
  search->callback([search, options, &invocation] {
    invocation.run = [search, options, &invocation] {
      return Search(*search, *options, invocation);
    };
  });
  AddReplayCommand(command, invocation);
}

}  // namespace exh::search

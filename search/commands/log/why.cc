// SPDX-License-Identifier: MIT
//
// `search why`: what each decision of a run's best is worth, measured by changing one at a time.
#include <fmt/format.h>

#include <memory>

#include "base/clock.h"
#include "base/error.h"
#include "base/numbers.h"
#include "base/parallel.h"
#include "base/system/signals.h"
#include "kernels/devices/backend.h"
#include "search/commands/command.h"
#include "search/commands/decided.h"
#include "search/commands/log/logged_subject.h"
#include "search/exact/status_line.h"
#include "search/log/log_reader.h"
#include "search/log/log_text.h"
#include "search/log/replay.h"
#include "search/log/run_folder.h"
#include "search/run/stopper.h"
#include "search/why/worth.h"
#include "search/why/worth_text.h"

namespace exh::search {
namespace {

struct WhyOptions {
  std::vector<std::string> records;
  std::string budget = "60s", out, memory;
  std::optional<int> gpu;
  int jobs = 0;
  std::size_t lines = 16;
  std::uint64_t seed = 1;
};

/// The decisions that `other`, an implementation below the same root, takes otherwise.
Path DifferencesOf(const runtime::Candidate& candidate, const runtime::Candidate& other) {
  Path differences;
  for (runtime::DecisionId id = 0; id < candidate.instance().num_decisions(); ++id) {
    if (!candidate.IsLive(id) || !other.IsLive(id)) continue;
    const int value = other.FirstValue(id);
    if (value != candidate.FirstValue(id)) differences.push_back({static_cast<int>(id), value});
  }
  return differences;
}

/// The decisions that another record takes otherwise. Throws UsageError.
Path DifferencesTo(const std::string& text, const Log& log, const std::string& run,
                   const runtime::Candidate& root, const runtime::Candidate& candidate) {
  const RecordName name = ParseRecordName(text);
  const Log other_log = ReadLogAloud(name.run);
  CheckComparable(log, run, other_log, name.run);
  CheckSameSpace(other_log, name.run, root.instance());
  runtime::Candidate other = root;
  ReplayRecord(other_log, PickRecord(other_log, name.run, name.n), other);
  Path differences = DifferencesOf(candidate, other);
  if (differences.empty()) {
    throw UsageError(
        fmt::format("'{}' takes the same decisions: there is no difference to measure", text));
  }
  return differences;
}

int Why(const WhyOptions& options) {
  if (options.records.empty() || options.records.size() > 2) {
    throw UsageError(
        "why is what fast? search why RUN, or RUN@17; with a second record only the decisions "
        "change that it takes otherwise");
  }
  const double seconds = ParseBudgetSeconds(options.budget);
  if (options.jobs != 0) CheckJobs(options.jobs);
  const RecordName name = ParseRecordName(options.records.front());
  const Log log = ReadLogAloud(name.run);
  const EvalRecord& eval = PickRecord(log, name.run, name.n);
  const StopToken stop(&ListenForSignals());
  const Decided decided = DecidedInLog(log, eval, *log.run, {MemoryFor(options.memory), &stop});
  const Subject& subject = *decided.subject;
  const runtime::Candidate root = subject.root();
  WorthOptions worth;
  worth.jobs = options.jobs > 0 ? options.jobs : NumCores();
  worth.seconds = seconds;
  worth.seed = options.seed;
  worth.stop = &stop;
  if (options.records.size() == 2) {
    worth.only = DifferencesTo(options.records[1], log, name.run, root, decided.candidate);
  }
  StatusLine status(SteadyClock());
  worth.progress = [&](std::size_t done, std::size_t planned) {
    if (status.IsDue()) status.Show(fmt::format("{} of {} changes", done, planned));
  };
  const std::unique_ptr<Evaluator> evaluator =
      subject.MakeEvaluator({worth.jobs, options.gpu.value_or(0), false, &stop});
  const Worths worths = MeasureWorths(*evaluator, root, decided.candidate, worth);
  status.Clear();
  fmt::print("record {} of {}: {} here, logged with {}\n{}", eval.n, name.run,
             FormatTime(worths.best_ns), FormatTime(eval.best_ns),
             WorthsText(worths, root.instance(), options.lines));
  // The report shows what all decisions are worth.
  const bool is_whole = options.records.size() == 1;
  const std::string file = options.out.empty() && is_whole ? WhyPath(name.run) : options.out;
  if (!file.empty()) {
    WriteFile(file, WorthsJson(worths, root.instance(), eval.n) + "\n");
    fmt::print("{}\n", file);
  }
  return stop.stopped() ? 1 : 0;
}

}  // namespace

void AddWhyCommand(CLI::App& app, Invocation& invocation) {
  CLI::App* const command = app.add_subcommand(
      "why", "what each decision of the best of a run is worth, measured without it");
  const auto options = std::make_shared<WhyOptions>();
  command->add_option("records", options->records,
                      "RUN is its best, RUN@17 a record; with a second one only decisions change "
                      "that it takes otherwise");
  command->add_option("--budget", options->budget, "how long it may take (default 60s)");
  command->add_option("--jobs", options->jobs, "compilers at once (default: one for each core)");
  command->add_option("--gpu", options->gpu, "which GPU, for devices that are one (default 0)");
  command->add_option("--lines", options->lines, "decisions to list (default 16)");
  command->add_option("--seed", options->seed, "of what follows at random (default 1)");
  AddMemoryOption(*command, options->memory, kForReferences);
  command->add_option("--out", options->out,
                      "file for all of it as JSON (default, of one record: why.json beside the "
                      "log, which search report shows)");
  command->callback(
      [options, &invocation] { invocation.run = [options] { return Why(*options); }; });
}

}  // namespace exh::search

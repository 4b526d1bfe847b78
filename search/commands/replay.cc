// SPDX-License-Identifier: MIT
//
// `search replay`: builds one implementation again, from a log or from a list of decisions, checks
// it, times it, and compares it with the yardsticks.
#include "search/log/replay.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/numbers.h"
#include "base/parallel.h"
#include "base/system/signals.h"
#include "kernels/devices/backend.h"
#include "search/commands/command.h"
#include "search/commands/decided.h"
#include "search/commands/search_options.h"
#include "search/counters/counter_table.h"
#include "search/counters/foretold.h"
#include "search/log/decisions.h"
#include "search/log/event_log.h"
#include "search/log/log_reader.h"
#include "search/log/log_text.h"
#include "search/log/run_folder.h"
#include "search/log/times/best_time.h"
#include "search/report/comparison.h"
#include "search/report/report.h"

namespace exh::search {
namespace {

struct ReplayOptions {
  std::string source;
  std::optional<std::uint64_t> record;
  std::optional<int> repeat;
  bool best = false, strict = false, dry_run = false;
  bool no_yardsticks = false, all_yardsticks = false;
  std::uint64_t seed = 1;
  ProblemOptions problem;
  std::string emit, log, under;
  bool counters = false;
};

/// `record`: its number, from here on.
Decided FromLog(const ReplayOptions& options, std::uint64_t& record) {
  const Log log = ReadLogAloud(options.source);
  const EvalRecord& eval = PickRecord(log, options.source, options.record);
  record = eval.n;
  RunRecord run = *log.run;
  if (options.problem.threads) run.limits["threads"] = std::to_string(*options.problem.threads);
  Decided decided =
      DecidedInLog(log, eval, run, {MemoryFor(options.problem.memory), options.problem.stop});
  fmt::print("record {} of {}: logged with {}\n", eval.n, options.source,
             eval.best_ns > 0 ? FormatTime(eval.best_ns)
                              : std::string(kernels::VerdictName(eval.verdict)));
  return decided;
}

/// Runs with the same inputs: how far apart their times are, and whether their bits differ. Returns
/// the exit code.
int Repeat(const ReplayOptions& options, Evaluator& evaluator, const kernels::Source& source) {
  const kernels::Measurement measurement =
      evaluator.Repeat(evaluator.Compile(source), *options.repeat);
  if (measurement.verdict == kernels::Verdict::kStopped) {
    fmt::print("interrupted\n");
    return 1;
  }
  ReferenceRecord record;
  record.name = "winner";
  record.verdict = measurement.verdict;
  record.why = measurement.why;
  record.best_ns = measurement.best_ns;
  record.runtimes_ns = measurement.runtimes_ns;
  record.results = measurement.results;
  if (!options.log.empty()) EventLog(options.log).Write(record);
  if (record.verdict != kernels::Verdict::kCorrect) {
    fmt::print("{}: {}\n", kernels::VerdictName(record.verdict), record.why);
    return 1;
  }
  fmt::print("{}{}", RepeatText(record), DivisionText(source.across, source.bits_vary));
  if (source.bits_vary || record.results == 1) return 0;
  fmt::print(stderr, "search: nothing in it should make its bits vary\n");
  return 1;
}

/// Throws UsageError.
void CheckRepeat(const ReplayOptions& options, const Subject& subject) {
  constexpr int kLeast = 2, kMost = 10000;
  if (*options.repeat < kLeast || *options.repeat > kMost) {
    throw UsageError(
        fmt::format("bad --repeat {}: {} to {} launches", *options.repeat, kLeast, kMost));
  }
  if (subject.device() == nullptr) return;
  kernels::RequireGpu(*subject.device(), "--repeat looks at the launches of a GPU one by one",
                      "there each run yields the same bits");
}

/// What counters say of it, beside what was foretold: on the screen, and of a record of a run for
/// its report. Returns the exit code.
int Count(const ReplayOptions& options, std::uint64_t record, const Decided& replayed,
          Evaluator& evaluator, const kernels::Compiled& compiled, double ns) {
  auto* const counts = dynamic_cast<kernels::CountsRuns*>(&evaluator);
  kernels::CounterReading reading = {"", "what measures this has none to show", {}};
  if (counts != nullptr) reading = counts->Counters(compiled);
  if (!reading.counters.empty() && reading.Find("ns") == nullptr) {
    reading.counters.push_back({"ns", ns, "ns", "as it was timed"});
  }
  const CounterTable table =
      TableOf(reading, ForetoldOf(*replayed.subject, replayed.candidate, /*is_cold=*/false));
  fmt::print("{}", CountersText(table));
  if (table.rows.empty()) return 1;
  if (record == 0) return 0;
  const std::string file = CountersPath(options.source);
  WriteFile(file, CountersJson(table, record) + "\n");
  fmt::print("{}\n", file);
  return 0;
}

/// Throws UsageError.
std::vector<std::string> UnderOf(const ReplayOptions& options, const Subject& subject) {
  const bool runs_none = options.dry_run || options.repeat.has_value();
  if (options.counters && runs_none) {
    throw UsageError(fmt::format("--counters and {}: it counts one run; leave one of them out",
                                 options.dry_run ? "--dry-run" : "--repeat"));
  }
  std::vector<std::string> under = WordsOfUnder(options.under);
  if (under.empty()) return under;
  if (options.counters) {
    throw UsageError("--counters and --under: counters are read below a program of their own");
  }
  if (subject.device() == nullptr) {
    throw UsageError("--under: this runs on no GPU; leave it out");
  }
  kernels::RequireGpu(*subject.device(), "--under");
  return under;
}

Yardsticks YardsticksOf(const ReplayOptions& options) {
  if (options.no_yardsticks && options.all_yardsticks) {
    throw UsageError("--no-yardsticks and --all-yardsticks exclude each other");
  }
  if (options.no_yardsticks) return Yardsticks::kNone;
  return options.all_yardsticks ? Yardsticks::kAll : Yardsticks::kLibraries;
}

/// What an implementation takes at least; 0: that is not known.
double LeastNs(const Subject& subject, const runtime::Candidate& candidate) {
  try {
    const SearchBound bound = subject.Bound(/*is_cold=*/false, WhichRates::kOfThisMachine);
    return bound.bound ? bound.bound(candidate) : 0;
  } catch (const UsageError&) {
    return 0;
  }
}

int Replay(const CLI::App& command, const ReplayOptions& options) {
  if (options.source.empty()) throw UsageError("replay what? search replay RUN or FILE");
  const Yardsticks yardsticks = YardsticksOf(options);
  const bool is_log = IsRun(options.source) || options.record || options.best;
  if (is_log) RefuseForRuns(command, options.source, {"--seed", "--strict"});
  std::uint64_t number = 0;  // Of the record; 0: it is of no run.
  Decided replayed =
      is_log ? FromLog(options, number)
             : DecidedInFile(options.source, options.problem, options.seed, options.strict, stdout);
  const Subject& subject = *replayed.subject;
  if (options.repeat) CheckRepeat(options, subject);
  const std::vector<std::string> under = UnderOf(options, subject);

  const kernels::Source source = subject.Emit(replayed.candidate);
  if (options.emit.ends_with(subject.source_suffix())) {
    WriteFile(options.emit,
              WithDecisions(source.text, replayed.taken, options.source, subject.comment_mark()));
  } else if (!options.emit.empty()) {
    MakeFolder(options.emit);
    WriteFile(
        options.emit + "/replay" + subject.source_suffix(),
        WithDecisions(source.text, replayed.taken, "replay.decisions.txt", subject.comment_mark()));
    WriteFile(options.emit + "/replay.decisions.txt", AllDecisionsText(replayed.candidate));
  }
  if (options.dry_run) {
    fmt::print("{}", subject.Outline(replayed.candidate));
    return 0;
  }
  const std::atomic<bool>& interrupted = ListenForSignals();
  const StopToken stop(&interrupted);
  const std::unique_ptr<Evaluator> evaluator =
      subject.MakeEvaluator({NumCores(), options.problem.gpu.value_or(0), false, &stop, under});
  if (options.repeat) return Repeat(options, *evaluator, source);
  const std::vector<Contender> own = {{"winner", evaluator->Compile(source)}};
  const Comparison comparison = Compare(
      *evaluator, own, NumCores(), [&] { return interrupted.load(); }, nullptr, yardsticks);
  if (comparison.records.empty()) {
    fmt::print("interrupted\n");
    return 1;
  }
  if (!options.log.empty()) {
    EventLog log(options.log);
    for (const ReferenceRecord& record : comparison.records) log.Write(record);
    if (comparison.rates) log.Write(*comparison.rates);
  }
  const ReferenceRecord& result = comparison.records.front();
  if (result.verdict != kernels::Verdict::kCorrect) {
    fmt::print("{}: {}\n", kernels::VerdictName(result.verdict), result.why);
    return 1;
  }
  RunRecord run;
  subject.Describe(run);
  const TimeInterval time = IntervalOf(result);
  const double least_ns = LeastNs(subject, replayed.candidate);
  if (result.best_ns < least_ns) {
    fmt::print("impossible: it takes {}, and nothing of it takes less than {}\n",
               FormatTime(result.best_ns), FormatTime(least_ns));
    return 1;
  }
  fmt::print("correct: {} ({})\n{}{}{}", TimeAndRateText(time, subject.flops()),
             evaluator->YardstickText(), BusyText(time, run),
             DivisionText(source.across, source.bits_vary), subject.InWords(comparison));
  if (!options.counters) return 0;
  std::fflush(stdout);
  return Count(options, number, replayed, *evaluator, own.front().compiled, result.best_ns);
}

}  // namespace

void AddReplayCommand(CLI::App& app, Invocation& invocation) {
  CLI::App* const command = app.add_subcommand(
      "replay", "build, check and time an implementation again: a record, or a list of decisions");
  const auto options = std::make_shared<ReplayOptions>();
  options->problem.device.clear();  // Nothing said: the file's header decides.
  command->add_option("source", options->source, "folder or log of a run, or a file of decisions");
  command->add_option("--record", options->record, "number of the record (default: the best)");
  command->add_flag("--best", options->best, "the best record");
  command->add_flag("--strict", options->strict, "a file must take every decision");
  command->add_flag("--dry-run", options->dry_run,
                    "print the loops (and write the source, with --emit), run nothing");
  command->add_flag("--no-yardsticks", options->no_yardsticks,
                    "compare it with nothing: check and time it alone");
  command->add_flag("--all-yardsticks", options->all_yardsticks,
                    "compare it with the naive kernel, too, where there are libraries");
  command->add_option("--repeat", options->repeat,
                      "20: so many launches on a GPU one by one, with the same inputs, instead of "
                      "the comparison: how their times and bits vary");
  command->add_flag("--counters", options->counters,
                    "what the device's counters say of one run, beside what was foretold: of a GPU "
                    "by Nsight Compute, of a processor by Linux");
  command->add_option("--under", options->under,
                      "program below which the processes that use a GPU run: 'compute-sanitizer "
                      "--log-file FILE'");
  command->add_option("--seed", options->seed, "of the decisions that a file leaves open");
  command->add_option("--emit", options->emit,
                      "folder for the source; or the file, where it ends as such files do");
  command->add_option("--log", options->log,
                      "file for what was measured, as lines of a log (docs/log.md)");
  AddProblemOptions(*command, options->problem);
  command->callback([command, options, &invocation] {
    invocation.run = [command, options] { return Replay(*command, *options); };
  });
}

}  // namespace exh::search

// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>

#include "base/error.h"
#include "search/commands/command.h"
#include "search/commands/log/logged_subject.h"
#include "search/commands/parts/version_text.h"
#include "search/log/log_reader.h"
#include "search/log/log_repair.h"
#include "search/log/log_text.h"
#include "search/log/times/best_time.h"

namespace exh::search {
namespace {

struct ShowOptions {
  std::string run;
  std::optional<std::uint64_t> record;
  bool best = false, full = false;
  std::size_t lines = 10;
};

int Show(const ShowOptions& options) {
  const Log log = ReadLogAloud(options.run);
  if (!options.record && !options.best) {
    fmt::print("{}", RunText(log, options.lines));
    return 0;
  }
  const EvalRecord& eval = PickRecord(log, options.run, options.record);
  fmt::print("{}", EvalText(log, eval, options.full));
  std::fflush(stdout);  // What follows may take a second.
  fmt::print("{}", LoopsOf(log, options.run, eval));
  return 0;
}

/// What a record took: in the finals, if it is the best.
std::string TimeOfRecord(const Log& log, const EvalRecord& eval) {
  if (eval.verdict != kernels::Verdict::kCorrect) {
    return std::string(kernels::VerdictName(eval.verdict));
  }
  const bool is_best = log.Best() != nullptr && log.Best()->n == eval.n;
  return IntervalText(is_best ? BestTimeOf(log) : TimeInterval{0, TimeOf(eval), 0});
}

int Diff(const std::string& a, const std::string& b, bool full) {
  const RecordName name_a = ParseRecordName(a), name_b = ParseRecordName(b);
  const Log log_a = ReadLogAloud(name_a.run), log_b = ReadLogAloud(name_b.run);
  CheckComparable(log_a, name_a.run, log_b, name_b.run);
  const EvalRecord& eval_a = PickRecord(log_a, name_a.run, name_a.n);
  const EvalRecord& eval_b = PickRecord(log_b, name_b.run, name_b.n);
  fmt::print("time: {} -> {}\n{}", TimeOfRecord(log_a, eval_a), TimeOfRecord(log_b, eval_b),
             MachineDifferences(log_a.run->machine, log_b.run->machine));
  const std::string text = DiffText(log_a, eval_a, log_b, eval_b, full);
  fmt::print("{}", text.empty() ? "no decision differs\n" : text);
  std::fflush(stdout);  // What follows may take a second.
  if (!text.empty()) {
    fmt::print("{}", LoopsBesideEachOther(log_a, name_a.run, eval_a, log_b, name_b.run, eval_b));
  }
  return 0;
}

int Repair(const std::string& run) {
  const LogRepair repair = RepairRun(run, ToolName());
  if (!repair.needed) {
    fmt::print("{}: nothing is damaged\n", LogPath(run));
    return 0;
  }
  fmt::print("{}{} is as it was; search --resume goes on with the run\n", RepairText(repair.record),
             (std::filesystem::path(LogPath(run)).parent_path() / repair.record.damaged).string());
  return 0;
}

void AddRepair(CLI::App& log, Invocation& invocation) {
  CLI::App* const repair =
      log.add_subcommand("repair", "a damaged log again one that a run can go on with");
  const auto run = std::make_shared<std::string>();
  repair->add_option("run", *run, "folder of a run, or its log");
  repair->callback([run, &invocation] {
    invocation.run = [run] {
      if (run->empty()) throw UsageError("repair which run? search log repair RUN");
      return Repair(*run);
    };
  });
}

void AddShow(CLI::App& log, Invocation& invocation) {
  CLI::App* const show = log.add_subcommand("show", "a run, or one of its records");
  const auto options = std::make_shared<ShowOptions>();
  show->add_option("run", options->run, "folder of a run, or its log");
  show->add_option("--record", options->record, "number of the record");
  show->add_flag("--best", options->best, "the best record");
  show->add_flag("--full", options->full, "with a record: the whole decision vector");
  show->add_option("--lines", options->lines, "evaluations to list, fastest first (default 10)");
  show->callback([options, &invocation] {
    invocation.run = [options] {
      if (options->run.empty()) throw UsageError("which run? search log show RUN");
      return Show(*options);
    };
  });
}

void AddDiff(CLI::App& log, Invocation& invocation) {
  CLI::App* const diff =
      log.add_subcommand("diff", "decisions in which two records differ: RUN, RUN@N, RUN@best");
  const auto records = std::make_shared<std::vector<std::string>>();
  const auto full = std::make_shared<bool>(false);
  diff->add_option("records", *records, "two records; RUN alone is its best");
  diff->add_flag("--full", *full, "also decisions that follow from those that were taken");
  diff->callback([records, full, &invocation] {
    invocation.run = [records, full] {
      if (records->size() != 2) throw UsageError("search log diff takes two records: A B");
      return Diff((*records)[0], (*records)[1], *full);
    };
  });
}

}  // namespace

void AddLogCommand(CLI::App& app, Invocation& invocation) {
  CLI::App* const log = app.add_subcommand("log", "read what runs logged: show, diff; repair it");
  AddShow(*log, invocation);
  AddDiff(*log, invocation);
  AddRepair(*log, invocation);
  log->callback([log, &invocation] {
    if (!log->get_subcommands().empty()) return;
    invocation.run = []() -> int {
      throw UsageError("search log needs a sub-command; legal: show, diff, repair");
    };
  });
}

}  // namespace exh::search

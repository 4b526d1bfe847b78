// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <memory>

#include "search/commands/command.h"
#include "search/error.h"
#include "search/log_reader.h"
#include "search/log_text.h"

namespace exh::search {
namespace {

struct ShowOptions {
  std::string run;
  std::optional<std::uint64_t> record;
  bool best = false, full = false;
  std::size_t lines = 10;
};

/// What is damaged is said, on the other stream, and the rest is used.
Log ReadAndComplain(const std::string& run) {
  Log log = ReadLog(run);
  for (const std::string& problem : log.problems) {
    fmt::print(stderr, "{}: {}; left out\n", LogPath(run), problem);
  }
  return log;
}

int Show(const ShowOptions& options) {
  const Log log = ReadAndComplain(options.run);
  if (!options.record && !options.best) {
    fmt::print("{}", RunText(log, options.lines));
    return 0;
  }
  fmt::print("{}", EvalText(log, PickRecord(log, options.run, options.record), options.full));
  return 0;
}

int Diff(const std::string& a, const std::string& b) {
  const RecordName name_a = ParseRecordName(a), name_b = ParseRecordName(b);
  const Log log_a = ReadAndComplain(name_a.run), log_b = ReadAndComplain(name_b.run);
  const EvalRecord& eval_a = PickRecord(log_a, name_a.run, name_a.n);
  const EvalRecord& eval_b = PickRecord(log_b, name_b.run, name_b.n);
  const std::string text = DiffText(log_a, eval_a, log_b, eval_b);
  fmt::print("{}", text.empty() ? "no decision differs\n" : text);
  return 0;
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
  diff->add_option("records", *records, "two records; RUN alone is its best");
  diff->callback([records, &invocation] {
    invocation.run = [records] {
      if (records->size() != 2) throw UsageError("search log diff takes two records: A B");
      return Diff((*records)[0], (*records)[1]);
    };
  });
}

}  // namespace

void AddLogCommand(CLI::App& app, Invocation& invocation) {
  CLI::App* const log = app.add_subcommand("log", "read what runs logged: show, diff");
  AddShow(*log, invocation);
  AddDiff(*log, invocation);
  log->callback([log, &invocation] {
    if (!log->get_subcommands().empty()) return;
    invocation.run = []() -> int {
      throw UsageError("search log needs a sub-command; legal: show, diff");
    };
  });
}

}  // namespace exh::search

// SPDX-License-Identifier: MIT
//
// `search fused FILE.json` and `search fused --batch FILE`: operators as they run by schedules of
// isl and under influence.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <set>

#include "base/error.h"
#include "base/numbers.h"
#include "base/parallel.h"
#include "base/system/user_file.h"
#include "search/commands/fused/operators.h"
#include "search/commands/fused/rows_log.h"
#include "search/fused/fused_subject.h"
#include "search/fused/row_machine.h"
#include "search/subject/problem.h"

namespace exh::search {
namespace {

namespace fused = kernels::fused;
using kernels::Verdict;

struct RunOptions {
  std::string file, log, network, most_bytes = "256MiB", memory, isl = "default", isl_time = "10s",
                                  dependences = "value";
  bool batch = false;
  std::size_t most = 0;
  fused::RowOptions rows;
  ProblemOptions problem;
};

fused::RowOptions RowOptionsOf(const RunOptions& options) {
  fused::RowOptions rows = options.rows;
  const kernels::ir::Device device = FindDevice(options.problem);
  rows.least_ns = [device](std::uint64_t moved) { return BoundOfBytes(device, moved).ns; };
  const auto bytes = ParseBytes(options.most_bytes);
  if (!bytes) {
    throw UsageError(
        fmt::format("--most-bytes '{}' has no unit; right: 64MiB", options.most_bytes));
  }
  rows.most_bytes = *bytes;
  rows.reference_bytes = MemoryFor(options.memory);
  rows.dependences =
      options.dependences == "value" ? poly::DependenceKind::kValue : poly::DependenceKind::kMemory;
  const auto isl_ns = ParseTime(options.isl_time);
  if (!isl_ns || *isl_ns <= 0) {
    throw UsageError(fmt::format("bad --isl-time '{}': it is a time with a unit, such as 10s",
                                 options.isl_time));
  }
  rows.isl_patience.seconds = 1e-9 * *isl_ns;
  rows.isl.clear();
  std::string legal;
  for (const auto& setting : poly::IslSettings()) {
    legal += (legal.empty() ? "" : ", ") + setting.name;
    if (options.isl == "all") rows.isl.push_back(setting.name);
  }
  if (options.isl == "all") return rows;
  for (const std::string_view name : Split(options.isl, ',')) {
    rows.isl.emplace_back(name);
    if (std::ranges::none_of(poly::IslSettings(),
                             [&](const auto& setting) { return setting.name == name; })) {
      throw UsageError(
          fmt::format("--isl '{}': there is no such setting; legal: all, {}", name, legal));
    }
  }
  return rows;
}

std::string TextOf(const fused::OperatorRows& of) {
  std::string text;
  for (const fused::Row& row : of.rows) {
    text += fmt::format("  {:<26} {}{}\n", row.name,
                        row.verdict == Verdict::kCorrect
                            ? FormatTime(row.ns)
                            : fmt::format("{} {}", kernels::VerdictName(row.verdict), row.why),
                        row.of.empty() ? "" : fmt::format("  ({})", row.of));
  }
  const fused::Row* const best = of.Find("searched");
  if (of.floor_ns > 0) {
    text += fmt::format("  {:<26} {}  (a copy that moves {} bytes)\n", "floor",
                        FormatTime(of.floor_ns), of.bytes);
    if (best != nullptr && best->ns > 0) {
      text += fmt::format("  {:<26} {:.2f} x the floor\n", "gap", best->ns / of.floor_ns);
    }
  }
  return text;
}

int RunOne(const RunOptions& options) {
  const fused::RowOptions row_options = RowOptionsOf(options);
  const auto graph = ReadOneOperator(options.file);
  if (!graph) return 2;
  const kernels::ir::Device device = FindDevice(options.problem);
  const auto machine =
      MakeRowMachine(device, {.jobs = NumCores(), .gpu = options.problem.gpu.value_or(0)});
  fused::RowRunner runner(*machine, row_options);
  const fused::OperatorRows rows = runner.Run(*graph);
  if (!rows.refused.empty()) {
    fmt::print(stderr, "{}: {}\n", options.file, rows.refused);
    return 2;
  }
  fmt::print("{}: isl {}, {}-based dependences, {}\n{}",
             graph->name.empty() ? "an operator" : graph->name, poly::IslVersion(),
             options.dependences, machine->Conditions(), TextOf(rows));
  const fused::Row* const best = rows.Find("searched");
  return best != nullptr && best->verdict == Verdict::kCorrect ? 0 : 1;
}

/// What a log that is there already has; the text of it that counts.
std::string ReadRows(const std::string& path, const std::string& header, RowsSummary& summary,
                     std::set<std::size_t>& done) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return "";
  const std::string text = ReadUserFile(path);
  std::string kept;
  for (std::size_t begin = 0, end; begin < text.size(); begin = end + 1) {
    end = text.find('\n', begin);
    if (end == std::string::npos) break;  // The last one may not be whole.
    const std::string line = text.substr(begin, end - begin);
    if (kept.empty()) {
      if (line != header) {
        throw UsageError(fmt::format(
            "--log '{}' is of another run: {}\nthis one is: {}\nname another file, or run it again "
            "as it was",
            path, line, header));
      }
    } else {
      const auto logged = LoggedOf(line);
      if (!logged)
        throw UsageError(fmt::format("--log '{}': this is no line of it: {}", path, line));
      summary.Add(*logged);
      done.insert(logged->line);
    }
    kept += line + "\n";
  }
  return kept;
}

int RunBatch(const RunOptions& options) {
  const fused::RowOptions row_options = RowOptionsOf(options);
  const std::string text = ReadUserFile(options.file);
  const kernels::ir::Device device = FindDevice(options.problem);
  const auto machine =
      MakeRowMachine(device, {.jobs = NumCores(), .gpu = options.problem.gpu.value_or(0)});
  const std::string header = HeaderLine(text, row_options, machine->Conditions());
  RowsSummary summary;
  std::set<std::size_t> done;
  std::ofstream log;
  if (!options.log.empty()) {
    std::string kept = ReadRows(options.log, header, summary, done);
    if (kept.empty()) kept = header + "\n";
    log.open(options.log, std::ios::binary | std::ios::trunc);
    log << kept << std::flush;
    if (!log) throw Error(fmt::format("cannot write '{}'", options.log));
  }
  fused::RowRunner runner(*machine, row_options);
  std::size_t taken = 0;
  ForEachOperator(text, [&](std::size_t line, const fused::ReadResult& result) {
    if (!options.network.empty() && result.network != options.network) return true;
    if (options.most > 0 && taken == options.most) return false;
    ++taken;
    if (done.contains(line)) return true;
    LoggedOperator logged;
    logged.line = line;
    logged.network = result.network;
    logged.place = PlaceOf(result, line);
    if (result.graph) {
      logged.op = result.graph->name;
      logged.rows = runner.Run(*result.graph);
    } else {
      logged.rows.refused = result.mistakes.front().reason;
    }
    fmt::print("{}\n{}", logged.place,
               logged.rows.refused.empty() ? TextOf(logged.rows)
                                           : "  refused: " + logged.rows.refused + "\n");
    std::fflush(stdout);
    summary.Add(logged);
    if (!options.log.empty()) {
      log << ToLine(logged) << "\n" << std::flush;
      if (!log) throw Error(fmt::format("cannot write '{}'", options.log));
    }
    return true;
  });
  fmt::print("isl {}, {}-based dependences, {}\n{}", poly::IslVersion(), options.dependences,
             machine->Conditions(), summary.Text("isl " + row_options.isl.front()));
  return 0;
}

int Run(const RunOptions& options) {
  if (options.file.empty()) {
    throw UsageError(
        "which operators? search fused FILE.json, search fused --batch FILE.jsonl; or a "
        "sub-command: check, explain, search, replay");
  }
  return options.batch || options.file.ends_with(".jsonl") ? RunBatch(options) : RunOne(options);
}

}  // namespace

void AddFusedRun(CLI::App& command, Invocation& invocation) {
  const auto options = std::make_shared<RunOptions>();
  command.add_option("file", options->file, "FILE.json, or FILE.jsonl: an operator a line");
  command.add_flag("--batch", options->batch, "an operator a line, whatever the file is called");
  command.add_option("--log", options->log,
                     "of a batch: a line for each operator; a run that was ended goes on there");
  command.add_option("--network", options->network, "of a batch: only operators of this network");
  command.add_option("--most", options->most, "of a batch: so many operators");
  command.add_option("--most-bytes", options->most_bytes,
                     "operators that must move more are not run (default 256MiB)");
  command.add_option(
      "--isl", options->isl,
      "settings of isl's scheduler to compare with, the first in the summary; or all");
  command.add_option("--isl-time", options->isl_time,
                     "how long each of these is waited for (default 10s)");
  command.add_option("--dependences", options->dependences, "value (default) or memory")
      ->check(CLI::IsMember({"value", "memory"}));
  command.add_option("--leaves", options->rows.leaves,
                     "leaves of the tree that are tried beside the first (default 4)");
  command.add_option("--device", options->problem.device, "cpu (default), or a GPU: cuda, h200");
  command.add_option("--gpu", options->problem.gpu, "which GPU (default 0)");
  command.add_option("--threads", options->problem.threads, "of a program (default: all cores)");
  AddMemoryOption(command, options->memory, "for the reference");
  command.add_option("--seed", options->rows.seed, "of the inputs (default 1)");
  command.callback([&command, options, &invocation] {
    if (!command.get_subcommands().empty()) return;
    invocation.run = [options] { return Run(*options); };
  });
}

}  // namespace exh::search

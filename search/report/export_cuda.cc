// SPDX-License-Identifier: MIT
#include "search/report/export_cuda.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.h"
#include "base/numbers.h"
#include "kernels/devices/backend.h"
#include "search/log/log_reader.h"
#include "search/log/log_text.h"
#include "search/log/replay.h"
#include "search/report/comparison.h"
#include "search/report/report.h"
#include "search/subject/decision_file.h"
#include "search/subject/problem.h"

namespace exh::search {
namespace {

/// What the log says of the finals, with this record as the one that the others are compared with;
/// no records when it was not among them.
Comparison Finals(const Log& log, const EvalRecord& eval) {
  Comparison finals;
  const EvalRecord* const best = log.Best();
  const bool is_best = best != nullptr && best->n == eval.n;
  const std::string name = is_best ? "winner" : fmt::format("record {}", eval.n);
  for (const ReferenceRecord& record : log.references) {
    const bool is_finalist = record.name == "winner" || record.name.starts_with("record ");
    if (record.name == name) {
      finals.winner = static_cast<int>(finals.records.size());
      finals.records.push_back(record);
      finals.records.back().name = "winner";
    } else if (is_best || !is_finalist) {
      // What the other finalists are to the winner they are to no other record.
      finals.records.push_back(record);
    }
  }
  if (finals.winner < 0) return {};
  finals.rates = log.rates;
  return finals;
}

std::string TimeText(const Log& log, const EvalRecord& eval, const Comparison& finals) {
  const double flops = log.run->flops;
  if (finals.winner >= 0) {
    const ReferenceRecord& record = finals.records[static_cast<std::size_t>(finals.winner)];
    if (record.median_ns > 0) {
      return fmt::format("{}, 95 % interval {} to {}, {}", FormatTime(record.median_ns),
                         FormatTime(record.lo_ns), FormatTime(record.hi_ns),
                         FormatRate(flops, record.median_ns));
    }
    if (record.best_ns > 0) {
      return fmt::format("{}, {}; too few rounds for an interval", FormatTime(record.best_ns),
                         FormatRate(flops, record.best_ns));
    }
  }
  const auto slowest = std::max_element(eval.runtimes_ns.begin(), eval.runtimes_ns.end());
  std::string text =
      fmt::format("{}, {}", FormatTime(eval.best_ns), FormatRate(flops, eval.best_ns));
  if (slowest != eval.runtimes_ns.end()) {
    text += fmt::format("; the fastest of {} batches, the slowest {}", eval.runtimes_ns.size(),
                        FormatTime(*slowest));
  }
  return text + "; not measured in turn with others, so without an interval";
}

std::string Counted(std::uint64_t count, const std::string& what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

/// "32 blocks of 256 threads".
std::string BlocksText(std::uint64_t grid, std::uint32_t threads) {
  return Counted(grid, "block") + " of " + Counted(threads, "thread");
}

std::string ResourcesText(const EvalRecord& eval, const kernels::Launch& launch) {
  std::string text = BlocksText(launch.grid, launch.threads);
  if (launch.shared_bytes > 0) {
    text += fmt::format(" and {} bytes of shared memory", launch.shared_bytes);
  }
  if (eval.registers > 0) text += fmt::format(", {} registers a thread", eval.registers);
  if (eval.blocks_per_sm > 0) {
    text += ", " + Counted(static_cast<std::uint64_t>(eval.blocks_per_sm), "block") +
            " at once on a multiprocessor";
  }
  if (eval.clock_mhz > 0) text += fmt::format(", at {:.0f} MHz or more", eval.clock_mhz);
  for (const kernels::SideLaunch& side : launch.sides) {
    text += fmt::format("; {} it {} of {}", side.is_before ? "before" : "after", side.kernel,
                        BlocksText(side.grid, side.threads));
  }
  if (launch.scratch_bytes() > 0) {
    text += fmt::format("; {} bytes of workspace", launch.scratch_bytes());
  }
  return text;
}

/// The limits that the device's file does not say: a replay needs them, too.
std::string LimitsText(const RunRecord& run) {
  const auto usual = kernels::RecordedLimits(run.device);
  std::vector<std::string> changed;
  for (const auto& [limit, value] : run.limits) {
    const auto found = usual.find(limit);
    if (found == usual.end() || found->second != value) {
      changed.push_back(fmt::format("{}={}", limit, value));
    }
  }
  return changed.empty() ? "" : fmt::format("limits      {}\n", fmt::join(changed, " "));
}

/// Lines of at most 96 columns. What goes on from a line stands two columns to the right of it, or
/// where the text of a line with a title begins.
std::string Wrapped(const std::string& text) {
  constexpr std::size_t kColumns = 96, kTitle = 12;
  std::string out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    const std::size_t left = std::min(line.find_first_not_of(' '), line.size());
    const std::string indent(left == 0 ? kTitle : left + 2, ' ');
    std::size_t space = 0;
    while (line.size() > kColumns && (space = line.rfind(' ', kColumns)) != std::string::npos &&
           space > indent.size()) {
      out += line.substr(0, space) + "\n";
      line = indent + line.substr(space + 1);
    }
    out += line + "\n";
    begin = end + 1;
  }
  return out;
}

std::string Provenance(const Log& log, const EvalRecord& eval, const Problem& problem,
                       const kernels::Source& source, const std::string& decisions) {
  const RunRecord& run = *log.run;
  const Comparison finals = Finals(log, eval);
  std::string text =
      fmt::format("{}: {}, for {}\n\n", run.kernel, problem.kernel->summary(), SizesText(run));
  text += fmt::format("found by    {}, seed {}, record {}, in a run that began {}\n", run.tool,
                      run.seed, eval.n, run.started);
  text += fmt::format("device      {}{}{}\n", run.device, run.conditions.empty() ? "" : ": ",
                      run.conditions);
  text += LimitsText(run);
  text += fmt::format("space       {}, fingerprint {}\n", run.space, run.fingerprint);
  text += fmt::format("time        {}\n", TimeText(log, eval, finals));
  if (!source.across.empty()) {
    text += fmt::format("reductions  divided among blocks: {}\n",
                        AcrossText(source.across, source.bits_vary));
  }
  text += ComparisonText(problem, finals);
  text += fmt::format("resources   {}\n", ResourcesText(eval, source.gpu->launch));
  text += fmt::format("error       {:.2g} at most when it was checked, {:.2g} of what is allowed\n",
                      eval.max_error, eval.error_ratio);
  text += "decisions   in the order taken; without the slashes a file for `search replay`:\n\n";
  return Wrapped(text) + Indented(decisions);
}

}  // namespace

std::string ExportCuda(const std::string& run, std::optional<std::uint64_t> record) {
  const Log log = ReadLog(run);
  const EvalRecord& eval = PickRecord(log, run, record);
  const Problem problem = MakeProblem(*log.run);
  const kernels::Backend& backend = kernels::BackendOf(problem.device);
  if (!backend.exports()) {
    throw UsageError(fmt::format(
        "'{}' is a run on {}, whose implementations are no CUDA; search emit prints its source",
        run, log.run->device));
  }
  if (eval.verdict != kernels::Verdict::kCorrect) {
    throw UsageError(fmt::format("record {} of '{}' is not correct, but {}", eval.n, run,
                                 kernels::VerdictName(eval.verdict)));
  }
  runtime::Candidate candidate = problem.root();
  ReplayRecord(log, eval, candidate);
  Path path;  // By name: the numbers of the log need not be those of this program.
  for (const PathStep& step : eval.path) path.push_back(LocalStep(log, step, candidate));
  const std::string decisions =
      WriteDecisionFile(*log.run, candidate.instance(), path, fmt::format("Record {}", eval.n));
  const kernels::Source source = kernels::EmitSource(problem.task, candidate);
  return backend.Export(problem.task, source, Provenance(log, eval, problem, source, decisions));
}

}  // namespace exh::search

// SPDX-License-Identifier: MIT
#include "search/report/export_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.h"
#include "base/numbers.h"
#include "kernels/devices/backend.h"
#include "search/log/log_text.h"
#include "search/report/comparison.h"
#include "search/report/report.h"

namespace exh::search {
namespace {

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
  if (launch.cluster > 1) text += fmt::format(", {} in a cluster,", launch.cluster);
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

/// Where it comes from and how fast it was, in lines.
std::string Origin(const LoggedProgram& program) {
  const RunRecord& run = *program.log.run;
  const EvalRecord& eval = program.eval;
  std::string text = fmt::format("{}: {}, for {}\n\n", run.kernel,
                                 program.problem.kernel->summary(), SizesText(run));
  text += fmt::format("found by    {}, seed {}, record {}, in a run that began {}\n", run.tool,
                      run.seed, eval.n, run.started);
  text += fmt::format("device      {}{}{}\n", run.device, run.conditions.empty() ? "" : ": ",
                      run.conditions);
  text += LimitsText(run);
  text += fmt::format("space       {}, fingerprint {}\n", run.space, run.fingerprint);
  text += fmt::format("time        {}\n", TimeText(program.log, eval, program.finals));
  return text;
}

std::string Provenance(const LoggedProgram& program) {
  const EvalRecord& eval = program.eval;
  const kernels::Source& source = program.source;
  std::string text = Origin(program);
  if (!source.across.empty()) {
    text += fmt::format("reductions  divided among blocks: {}\n",
                        AcrossText(source.across, source.bits_vary));
  }
  text += ComparisonText(program.problem, program.finals);
  if (source.gpu) text += fmt::format("resources   {}\n", ResourcesText(eval, source.gpu->launch));
  text += fmt::format("error       {:.2g} at most when it was checked, {:.2g} of what is allowed\n",
                      eval.max_error, eval.error_ratio);
  text += "decisions   in the order taken; without the slashes a file for `search replay`:\n\n";
  return Wrapped(text) + Indented(program.decisions);
}

}  // namespace

std::string ExportProgram(const LoggedProgram& program, const std::string& format) {
  const kernels::Backend& backend = kernels::BackendOf(program.problem.device);
  const std::string_view own = backend.export_format();
  const kernels::Task& task = program.problem.task;
  const std::string& device = program.log.run->device;
  if (own.empty()) {
    throw UsageError(fmt::format(
        "'{}' is a run on {}, whose implementations are no programs; search emit prints its source",
        program.run, device));
  }
  if (format == "header") {
    return backend.ExportHeader(task, program.source, Wrapped(Origin(program)) + "\n");
  }
  if (format != own) {
    throw UsageError(fmt::format("'{}' is a run on {}, whose programs are --format {}, not {}",
                                 program.run, device, own, format));
  }
  return backend.Export(task, program.source, Provenance(program));
}

std::string ExportProgram(const std::string& run, std::optional<std::uint64_t> record,
                          const std::string& format) {
  return ExportProgram(ReadProgram(run, record), format);
}

}  // namespace exh::search

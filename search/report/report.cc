// SPDX-License-Identifier: MIT
#include "search/report/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "base/activity.h"
#include "base/numbers.h"
#include "search/log/times/best_time.h"

namespace exh::search {
namespace {

std::string Words(const std::string& name) {
  if (name == "naive") return "the naive loop nest";
  if (name == "eigen") return "Eigen";
  if (name == "openblas") return "OpenBLAS";
  if (name == "onednn") return "oneDNN";
  if (name == "cublas") return "cuBLAS";
  if (name == "cublaslt") return "cublasLt, the best of 16 suggestions";
  return name;
}

/// A library says itself which one it is.
std::string Words(const ReferenceRecord& record) {
  const bool is_said = record.verdict == kernels::Verdict::kCorrect && !record.why.empty();
  return is_said ? record.why : Words(record.name);
}

/// What it takes beside the arrays: "; it takes 20.8 MB beside the arrays".
std::string WorkspaceText(const ReferenceRecord& record) {
  if (record.workspace_bytes == 0) return "";
  return fmt::format("; it takes {:.3g} MB beside the arrays",
                     static_cast<double>(record.workspace_bytes) / 1e6);
}

}  // namespace

std::string ComparisonText(const std::vector<ReferenceRecord>& references) {
  const auto winner = std::find_if(references.begin(), references.end(),
                                   [](const auto& record) { return record.name == "winner"; });
  if (winner == references.end()) return {};
  if (winner->verdict == kernels::Verdict::kStopped) return "  not measured: " + winner->why + "\n";
  if (winner->verdict != kernels::Verdict::kCorrect || winner->best_ns <= 0) {
    return fmt::format("  measured once more it was {}: {}\n",
                       kernels::VerdictName(winner->verdict), winner->why);
  }
  std::string text;
  int beaten = 0, tied = 0;
  for (const ReferenceRecord& record : references) {
    if (record.name == "winner") continue;
    if (record.name.starts_with("record ")) {
      // One round says too little.
      if (record.median_ns > 0 && record.runtimes_ns.size() != 1) {
        ++(Tied(record, *winner) ? tied : beaten);
      }
      continue;
    }
    if (record.verdict == kernels::Verdict::kStopped ||
        record.verdict == kernels::Verdict::kBroken) {
      text += fmt::format("  {} was not measured: {}\n", Words(record.name), record.why);
      continue;
    }
    if (record.verdict != kernels::Verdict::kCorrect) {
      text += fmt::format("  {} could not be measured: {}: {}\n", Words(record.name),
                          kernels::VerdictName(record.verdict), record.why);
      continue;
    }
    text += fmt::format("  {}\n", SpeedText(IntervalOf(*winner), IntervalOf(record), Words(record),
                                            WorkspaceText(record)));
  }
  if (beaten + tied > 0) {
    text += fmt::format("  of the other finalists, {} {} slower beyond doubt, {} {} tied with it\n",
                        beaten, beaten == 1 ? "is" : "are", tied, tied == 1 ? "is" : "are");
  }
  return text;
}

std::string RepeatText(const ReferenceRecord& record) {
  std::vector<double> times = record.runtimes_ns;
  if (times.empty()) return "";
  std::ranges::sort(times);
  const std::size_t middle = times.size() / 2;
  const double median =
      times.size() % 2 == 1 ? times[middle] : (times[middle - 1] + times[middle]) / 2;
  return fmt::format("{} launches: {}; {} to {}, median {}\n", times.size(),
                     record.results == 1
                         ? std::string("the same bits each time")
                         : fmt::format("{} different results, bit by bit", record.results),
                     FormatTime(times.front()), FormatTime(times.back()), FormatTime(median));
}

std::string CommandsText(const std::string& program, const std::string& run, std::uint64_t n) {
  return fmt::format(
      "  show    {0} log show {1} --record {2}\n"
      "  replay  {0} replay {1} --record {2}\n"
      "  emit    {0} emit {1} --record {2}\n",
      program, run, n);
}

std::string WithoutSingleLoops(const std::string& outline) {
  std::string text;
  std::vector<std::size_t>
      left_out;  // How far to the right the loops stand that are left out here.
  for (const std::string_view line : Split(outline, '\n')) {
    if (line.empty()) continue;
    // Split() trims; how far to the right a line stands, its place says.
    const auto place = static_cast<std::size_t>(line.data() - outline.data());
    const std::size_t begin = place == 0 ? 0 : outline.rfind('\n', place - 1) + 1;
    const std::size_t indent = place - begin;
    while (!left_out.empty() && left_out.back() >= indent) left_out.pop_back();
    const std::string_view kind = line.substr(0, line.find(' '));
    const bool is_loop = kind == "block" || kind == "loop" || kind == "unroll" || kind == "vector";
    if (is_loop && line.ends_with(":1")) {
      left_out.push_back(indent);
    } else {
      text += std::string(indent - 2 * left_out.size(), ' ');
      text += std::string(line) + "\n";
    }
  }
  return text;
}

std::string Indented(const std::string& text) {
  std::string out;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && c != '\n') out += "  ";
    line_begins = c == '\n';
    out += c;
  }
  return out;
}

std::string FailuresText(const std::vector<Failure>& failures) {
  if (failures.empty()) return "";
  std::uint64_t all = 0;
  for (const Failure& failure : failures) all += failure.count;
  const Failure& most = failures.front();
  const bool are_idle = std::ranges::all_of(
      failures, [](const Failure& failure) { return failure.verdict == kernels::Verdict::kIdle; });
  return fmt::format("{}: {}{}{}{}\n",
                     all == most.count ? fmt::format("all of them ({})", all)
                                       : fmt::format("most often ({} of {})", most.count, all),
                     kernels::VerdictName(most.verdict), most.why.empty() ? "" : ": ", most.why,
                     are_idle
                         ? "\n  so nothing was compiled at all: with a longer --budget more is "
                           "waited for"
                         : "");
}

std::string WrongText(const std::vector<Failure>& failures, const std::string& replay,
                      const std::string& run) {
  std::string text;
  for (const Failure& failure : failures) {
    if (failure.verdict != kernels::Verdict::kWrong) continue;
    text += fmt::format(
        "wrong: record {}{}: {}{}\n  again   {} {} --record {}\n", failure.n,
        failure.count > 1 ? fmt::format(" and {} like it", failure.count - 1) : "", failure.why,
        failure.is_known ? "\n  so an earlier search found it; it was not run here" : "", replay,
        run, failure.n);
  }
  return text;
}

std::string ActivityText(const std::map<std::string, double, std::less<>>& seconds) {
  const auto line = [&](std::string_view who, Activity first, Activity last) {
    double all = 0;
    std::vector<std::pair<std::string_view, double>> parts;
    for (auto i = static_cast<int>(first); i <= static_cast<int>(last); ++i) {
      const auto activity = static_cast<Activity>(i);
      const auto found = seconds.find(NameOf(activity));
      if (found == seconds.end()) continue;
      all += found->second;
      // Who looks waits as well, for room.
      parts.emplace_back(activity == Activity::kFull ? NameOf(Activity::kWait) : NameOf(activity),
                         found->second);
    }
    if (all <= 0) return std::string();
    std::string text;
    for (const auto& [name, part] : parts) {
      text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", name, 100 * part / all);
    }
    return fmt::format("  {} ({:.1f} s of threads): {}\n", who, all, text);
  };
  const std::string lines = line("to find candidates", Activity::kDescend, Activity::kFull) +
                            line("to judge them", Activity::kCheck, Activity::kWait);
  return lines.empty() ? "" : "where the time went:\n" + lines;
}

std::string CountsText(const std::map<std::string, std::uint64_t, std::less<>>& counts,
                       std::size_t most) {
  std::vector<std::pair<std::string, std::uint64_t>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> parts;
  for (const auto& [label, count] : sorted) {
    if (parts.size() == most) {
      parts.push_back(fmt::format("{} more", sorted.size() - most));
      break;
    }
    parts.push_back(fmt::format("{} {}", label, count));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace exh::search

// SPDX-License-Identifier: MIT
#include "search/tune/shape_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>

#include "base/clock.h"
#include "base/error.h"
#include "base/numbers.h"
#include "base/system/whole_file.h"
#include "search/log/log_reader.h"
#include "search/run/stopper.h"
#include "search/tune/shape_state.h"
#include "search/tune/shared/fleet_priors.h"

namespace exh::search {
namespace {

constexpr double kUsualSeconds = 60;  // As `search` has it without a budget.

/// The seconds of one budget; infinity: it counts something else.
double SecondsOf(const std::string& budget) {
  const Clock still = [] { return 0.0; };
  return ParseBudget(budget, still)->SecondsLeft();
}

/// Evaluations in a log; of one that was read at its ends the last one has the number.
std::uint64_t EvaluationsIn(const Log& log) {
  std::uint64_t most = 0;
  for (const EvalRecord& eval : log.evals) most = std::max(most, eval.n);
  return most;
}

/// As much again for a run that found nothing in all that it had: time counts from the start of a
/// process, evaluations from that of the run.
std::vector<std::string> AsMuchAgain(const std::vector<std::string>& budgets, const Log& log) {
  std::vector<std::string> again = budgets;
  constexpr std::string_view kEvals = "evals=";
  for (std::string& budget : again) {
    if (!budget.starts_with(kEvals)) continue;
    const auto total = ParseInteger(std::string_view(budget).substr(kEvals.size()));
    if (!total) continue;
    budget = fmt::format("{}{}", kEvals, EvaluationsIn(log) + static_cast<std::uint64_t>(*total));
  }
  return again;
}

/// What is left of the budgets of a run that goes on: time counts from the start of a process. The
/// finals need some of it in any case.
std::vector<std::string> LeftOf(const std::vector<std::string>& budgets, double used) {
  constexpr double kLeast = 0.2;
  std::vector<std::string> left;
  const auto rest = [&](double total) {
    return fmt::format("{:.3f}s", std::max(total - used, kLeast * total));
  };
  for (const std::string& budget : budgets) {
    const double total = SecondsOf(budget);
    left.push_back(std::isfinite(total) ? rest(total) : budget);
  }
  if (budgets.empty()) left.push_back(rest(kUsualSeconds));
  return left;
}

/// Is it an option of a process, and not one that a run has decided once and for all?
bool IsOfProcess(const std::string& word) {
  constexpr std::array kOfProcess = {"--jobs",   "--stop",    "--prior", "--cache",
                                     "--memory", "--durable", "--under"};
  return std::ranges::find(kOfProcess, word.substr(0, word.find('='))) != kOfProcess.end();
}

/// The last line that says something, without the program's name.
std::string LastLine(std::string_view text) {
  while (!text.empty()) {
    const std::size_t begin = text.find_last_of('\n');
    std::string_view line = Trim(begin == std::string_view::npos ? text : text.substr(begin + 1));
    constexpr std::string_view kName = "search: ";
    if (line.starts_with(kName)) line.remove_prefix(kName.size());
    if (!line.empty()) return std::string(line);
    text = text.substr(0, begin == std::string_view::npos ? 0 : begin);
  }
  return "";
}

/// Of a message of several lines the first one says what is wrong.
std::string Reason(const ProcessResult& result) {
  constexpr std::string_view kName = "search: ";
  const std::size_t at = result.err.rfind(kName);
  if (at != std::string::npos) {
    const std::size_t begin = at + kName.size();
    return result.err.substr(begin, result.err.find('\n', begin) - begin);
  }
  const std::string last = LastLine(result.err.empty() ? result.out : result.err);
  return last.empty() ? fmt::format("it ended with code {}", result.code) : last;
}

}  // namespace

std::string WhyFailed(const ProcessResult& result) {
  switch (result.status) {
    case ProcessResult::Status::kExited:
      return Reason(result);
    case ProcessResult::Status::kSignalled:
      return "it was ended by " + SignalText(result.code);
    case ProcessResult::Status::kTimedOut:
      return "it did not end, long after its budget was over";
    case ProcessResult::Status::kStopped:
      return "it was stopped";
    case ProcessResult::Status::kNotStarted:
      return "it could not be started: " + result.error;
  }
  return "";
}

bool HasOption(const std::vector<std::string>& words, std::string_view option) {
  return std::ranges::any_of(
      words, [&](std::string_view word) { return word.substr(0, word.find('=')) == option; });
}

double SecondsOf(const std::vector<std::string>& budgets) {
  if (budgets.empty()) return kUsualSeconds;
  double seconds = INFINITY;
  for (const std::string& budget : budgets) seconds = std::min(seconds, SecondsOf(budget));
  return seconds;
}

ShapeEnd ShapeRunner::Run(const ShapeJob& job) const {
  const TuneShape& shape = job.shape;
  std::optional<Log> log;
  try {
    log = LogIfBegun(folder, shape);
  } catch (const Error& error) {
    return {ShapeEnd::Kind::kFailed, error.what()};
  }
  const std::uint64_t known = log ? EvaluationsIn(*log) : 0;
  ProcessRequest request;
  request.argv = program;
  const auto add = [&](const std::string& option, const std::string& value) {
    request.argv.push_back(option + "=" + value);
  };
  std::vector<std::string> budgets = options.budgets;
  const bool goes_on = log.has_value();
  if (goes_on) {
    add("--resume", folder.RunOf(shape));
    const bool has_ended =
        log->end && (log->end->why == kTimeIsOver || log->end->why == kEvaluationsAreOver);
    budgets = has_ended ? LeftOf(AsMuchAgain(options.budgets, *log), 0)
                        : LeftOf(options.budgets, log->last_dt);
  } else {
    add(shape.is_own ? "--space" : "--kernel",
        shape.text.empty() ? shape.kernel : folder.KernelFileOf(shape));
    if (!shape.sizes.empty()) add("--size", SizeText(shape.sizes));
    add("--out", folder.RunOf(shape));
    add("--device", options.device);
  }
  if (!goes_on || log->evals.empty()) {
    for (const std::string& file : job.first) add("--first", file);
  }
  if (!HasOption(options.words, "--cache")) add("--cache", folder.cache());
  if (!HasOption(options.words, "--prior")) {
    // A run that goes on keeps what it began with.
    const std::string prior = goes_on ? PriorCalled(folder, log->run->prior) : job.prior;
    if (!prior.empty()) add("--prior", prior);
  }
  for (const std::string& budget : budgets) add("--budget", budget);
  // Of a program of a user its text says how many measure beside each other.
  const bool counts_compilers = jobs > 0 && !shape.is_own;
  if (counts_compilers && !HasOption(options.words, "--jobs")) add("--jobs", std::to_string(jobs));
  if (job.gpu) add("--gpu", std::to_string(*job.gpu));
  add("--progress", "plain");
  for (const std::string& word : options.words) {
    if (!goes_on || IsOfProcess(word)) request.argv.push_back(word);
  }
  // A search ends its budget by itself, however much goes wrong; a machine that hangs does not.
  constexpr double kPatience = 600;
  request.timeout_s = 2 * SecondsOf(budgets) + kPatience;
  request.stop = stop;
  const ProcessResult result = RunProcess(request);
  // Where that cannot be written the search is none the worse.
  WriteWholeFile(folder.OutputOf(shape), result.out + result.err);
  if (result.status == ProcessResult::Status::kStopped || IsStopped(stop)) {
    return {ShapeEnd::Kind::kStopped, ""};
  }
  std::string why;
  bool has_news = false;
  try {
    log = LogIfBegun(folder, shape);
    if (log && IsDone(*log)) return {ShapeEnd::Kind::kDone, ""};
    has_news = log && EvaluationsIn(*log) > known;
  } catch (const Error& error) {
    why = error.what();
  }
  const bool was_killed =
      result.status == ProcessResult::Status::kSignalled && IsSentByOthers(result.code);
  return {was_killed ? ShapeEnd::Kind::kKilled : ShapeEnd::Kind::kFailed,
          result.ok() && !why.empty() ? why : WhyFailed(result), has_news};
}

}  // namespace exh::search
